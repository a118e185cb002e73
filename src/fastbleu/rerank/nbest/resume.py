"""`--resume`: going on where an output stopped."""

from __future__ import annotations

from itertools import islice

from ...inputs.files import named
from .blocks import shown
from .winners import Figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from .winners import Job, Prepared


#: Bytes shown before those in which two lines differ.
_BEFORE = 12


def skip_written(
    path: str,
    jobs: Iterator[Job],
    prepare: Callable[[Job], Prepared],
    finish: Callable[[Prepared], tuple[bytes, Figures]],
) -> tuple[int, bytes, Figures]:
    """Passes over the blocks whose lines an output holds already.

    The input tells how many lines each block has in the output, so the output alone says where to go on. The first and
    the last block that are there as a whole are scored again, to see that they are those of this input and these
    options, and so is the block that the output ends in. The others are not.

    Args:
        path: The output; its last line may be cut short.
        jobs: All blocks; those that are left over are still to be written.
        prepare: Reads the candidates of a block.
        finish: Scores them and makes lines of them.

    Returns:
        How many sources the blocks have that are there as a whole; the lines that the last block lacks, if only a part
        of it is there; and what there is to say of that block.

    Raises:
        ValueError: The output holds something else.
    """
    sources = 0
    latest: tuple[Prepared, bytes] | None = None
    with open(path, "rb") as file:
        while _goes_on(file, path):
            job = next(jobs, None)
            if job is None:
                raise ValueError(_message(path, "it has more lines"))
            prepared = prepare(job)
            wanted = prepared.lines()
            with named(path):
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
    return sources, b"", Figures()


def _goes_on(file: BinaryIO, path: str) -> bool:
    with named(path):
        byte = file.read(1)
        file.seek(-len(byte), 1)
    return bool(byte)


def _checked(
    path: str, prepared: Prepared, there: bytes, finish: Callable[[Prepared], tuple[bytes, Figures]]
) -> tuple[bytes, Figures]:
    """Return the output of a block, if the file has it so."""
    data, figures = finish(prepared)
    if not data.startswith(there):
        ours, theirs = data.split(b"\n"), there.split(b"\n")
        k = next(k for k, line in enumerate(theirs) if k >= len(ours) or line != ours[k])
        pair = [lines[k] if k < len(lines) else None for lines in (ours, theirs)]
        same = max(0, _same_bytes(pair[0] or b"", pair[1] or b"") - _BEFORE)
        expected, found = ("its end" if line is None else shown(line[same:]) for line in pair)
        where = f" from byte {same + 1} of a line on" if same else ""
        raise ValueError(_message(path, f"expected {expected}, found {found}{where}"))
    return data, figures


def _same_bytes(one: bytes, other: bytes) -> int:
    """Return how many bytes two lines share at their start."""
    return next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _message(path: str, reason: str) -> str:
    return f"{path}: --resume: the file is not the output of this input with these options: {reason}"
