"""Going on where an output stopped."""

from __future__ import annotations

from itertools import islice

from .messages import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from .scoring import Prepared
    from .tasks import Figures, Job


#: Bytes shown before those in which two lines differ.
_BEFORE = 12


class OtherOutputError(ValueError):
    """An output is not what this input and these options make."""


def skip_written(
    path: str,
    jobs: Iterator[Job],
    prepare: Callable[[Job], Prepared],
    finish: Callable[[Prepared], tuple[bytes, Figures]],
) -> tuple[int, bytes, Figures | None]:
    """Passes over the blocks whose lines an output holds already.

    The input says how many lines each block has in the output, so no more need be kept for this than the output.
    Blocks that are there as a whole are not scored again, but the first and the last of them are, to see that they are
    those of this input and these options; and so is the one that the output ends in.

    Args:
        path: The output; its last line may be cut short.
        jobs: All blocks; those that are left are to be written behind it.
        prepare: Reads the candidates of a block.
        finish: Scores them and makes lines of them.

    Returns:
        How many sources are in the output, those of the block that it ends in aside; the lines of that block that it
        lacks; and what there is to say of that block, None if there is none.

    Raises:
        OtherOutputError: The output holds something else.
    """
    sources = 0
    latest: tuple[Prepared, bytes] | None = None
    with open(path, "rb") as file:
        while _goes_on(file):
            job = next(jobs, None)
            if job is None:
                raise OtherOutputError(_message(path, "it has more lines"))
            prepared = prepare(job)
            wanted = prepared.lines()
            lines = list(islice(file, wanted))
            there = b"".join(lines)
            whole = len(lines) == wanted and (not lines or lines[-1].endswith(b"\n"))
            if not whole or latest is None:
                data, figures = _checked(path, prepared, there, finish)
                if not whole:
                    return sources, data[len(there) :], figures
            sources += len(prepared.candidates)
            latest = prepared, there
    if latest is not None:
        _checked(path, *latest, finish)
    return sources, b"", None


def _goes_on(file: BinaryIO) -> bool:
    byte = file.read(1)
    file.seek(-len(byte), 1)
    return bool(byte)


def _checked(
    path: str, prepared: Prepared, there: bytes, finish: Callable[[Prepared], tuple[bytes, Figures]]
) -> tuple[bytes, Figures]:
    """What a block makes, if that is how the output has it."""
    data, figures = finish(prepared)
    if not data.startswith(there):
        ours, theirs = data.split(b"\n"), there.split(b"\n")
        k = next(k for k, line in enumerate(theirs) if k >= len(ours) or line != ours[k])
        pair = [lines[k] if k < len(lines) else None for lines in (ours, theirs)]
        same = max(0, _same_bytes(pair[0] or b"", pair[1] or b"") - _BEFORE)
        expected, found = ("its end" if line is None else shown(line[same:]) for line in pair)
        where = f" from byte {same + 1} of a line on" if same else ""
        raise OtherOutputError(_message(path, f"expected {expected}, found {found}{where}"))
    return data, figures


def _same_bytes(one: bytes, other: bytes) -> int:
    """How many bytes two lines have in common at their start."""
    return next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _message(path: str, reason: str) -> str:
    return f"{path}: --resume: this is not the output of this input and these options: {reason}"
