"""Read the sources of an n-best list as pools, block by block: the function `read` for Python programs."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from ...errors import suggests_options, wrong_type
from ...options import check_flag, check_name
from ..pools import Pools
from .nbest_options import Options
from .reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import float64
    from numpy.typing import NDArray


class NBestBlock(NamedTuple):
    """A block of n consecutive sources of an n-best list."""

    #: The candidates of the sources: n pools, which have offsets.
    pools: Pools[list[NDArray[float64]]]
    #: The ids of the sources, n items: int in a Moses n-best list; str or int in JSON lines, None for a missing id.
    ids: list[Any]
    #: The model's scores, float64 [candidates], source after source, if `score_field` was given; otherwise None.
    scores: NDArray[float64] | None
    #: The lines of the block: one str per candidate of a Moses n-best list, or one dict per line of JSON.
    lines: Sequence[Any]
    #: The number of sources in the file before this block, including skipped sources.
    first: int
    #: The number of lines of this block that `skip_bad` skipped.
    skipped_lines: int
    #: The number of sources of this block that `skip_bad` skipped.
    skipped_sources: int
    #: The references of the sources, n lists of str, if `references_field` was given; otherwise None.
    references: list[list[str]] | None


@suggests_options
def read(
    path: str | os.PathLike[str],
    *,
    candidates_field: str = "candidates",
    text_field: str = "text",
    id_field: str = "id",
    references_field: str | None = None,
    score_field: str | int | None = None,
    skip_bad: bool = False,
) -> Iterator[NBestBlock]:
    r"""Read an n-best list of any length, block by block.

    Args:
        path: The file: a Moses n-best list or JSON lines, compressed or not; "-" is standard input.
        candidates_field: The JSON field with the list of candidates, if each line has one source.
        text_field: The JSON field with the candidate, if each line has one candidate.
        id_field: The JSON field with the id of the source.
        references_field: The JSON field with the references of the source, a str or a list of str, which every line
            must have. `oracle` accepts these references. None: references are not read.
        score_field: The field with the model's scores, in which every candidate must have a finite number: the number
            of a field of a Moses n-best list, from 3 (usually 4), or the name of a JSON field. None: scores are not
            read.
        skip_bad: Whether to skip malformed lines and sources instead of raising an error for the first one.

    Yields:
        Blocks of about a megabyte. Memory stays constant if the caller does not keep references to earlier blocks.

    Raises:
        OSError: The file cannot be opened or read.
        TypeError: An argument has the wrong type.
        ValueError: The file is not an n-best list, or a line is malformed; the error names the file and the line.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"0 ||| a cat ||| lm= -1 ||| -0.5\n0 ||| cats ||| lm= -3 ||| -0.7\n")
        ...     _ = file.write(b"1 ||| yes ||| lm= 0 ||| 0\n")
        >>> for block in read(file.name, score_field=4):
        ...     print(list(block.pools), block.ids, block.scores.tolist(), block.lines[1])
        [['a cat', 'cats'], ['yes']] [0, 1] [-0.5, -0.7, 0.0] 0 ||| cats ||| lm= -3 ||| -0.7
        >>> os.unlink(file.name)
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise wrong_type("path", "a path", path)
    check_name("candidates_field", candidates_field)
    check_name("text_field", text_field)
    check_name("id_field", id_field)
    check_name("references_field", references_field, is_optional=True)
    if not isinstance(score_field, int) or isinstance(score_field, bool):
        check_name("score_field", score_field, is_optional=True)
    options = Options(
        command="",
        input=os.fsdecode(path),
        candidates_field=candidates_field,
        text_field=text_field,
        id_field=id_field,
        references_field=references_field,
        score_field=None if score_field is None else str(score_field),
        skip_bad=check_flag("skip_bad", skip_bad),
    )
    return _blocks(options)


def _blocks(options: Options) -> Iterator[NBestBlock]:
    """Yield the blocks of the file. This is a separate generator so that `read` checks its arguments when called."""
    with Reader(options, options.score_field is not None, added=[]) as reader:
        for job in reader.jobs():
            block = reader.parse(job.block)
            yield NBestBlock(
                Pools(block.texts, offsets=block.bounds),
                block.names,
                block.scores,
                block.lines,
                int(block.ordinals[0]) if len(block) else 0,
                block.skipped_lines,
                block.skipped_sources,
                reader.format.references(block),
            )
