"""Read n-best lists from Python: the sources of a file as pools, block by block."""

from __future__ import annotations

import os
from typing import NamedTuple

from ...errors import suggests_options, wrong_type
from ...options import check_flag, check_name
from ..pools import Pools
from .nbest_options import Options
from .reader import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray


class NBestBlock(NamedTuple):
    """Consecutive sources of an n-best list."""

    #: The candidates of each source, n pools with offsets.
    pools: Pools[list[NDArray[float64]]]
    #: The id of each source: its number in a Moses n-best list; a str or an int in JSON, None if it has none.
    ids: list[Any]
    #: The model's scores of all candidates, source after source, if `score_field` was given; else None.
    scores: NDArray[float64] | None
    #: The lines of the file: a str for each candidate of a Moses n-best list, a dict for each line of JSON.
    lines: Sequence[Any]
    #: The number of sources in the file before these, including skipped ones.
    first: int
    #: The number of lines that `skip_bad` skipped among these.
    skipped_lines: int
    #: The number of sources that it skipped.
    skipped_sources: int
    #: The references of each source, if `references_field` was given; else None.
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
    r"""Read an n-best list of any length, some sources at a time.

    Args:
        path: The file, in a format that ``fastbleu-rerank`` reads, compressed or not; "-" is standard input.
        candidates_field: JSON field with the list of candidates.
        text_field: JSON field with one candidate.
        id_field: JSON field with the id of the source.
        references_field: JSON field with the references of the source, a str or a list of them, as `oracle` takes them.
            Every line must have it. None: references are not read.
        score_field: The field of the model's scores: the number of a field of a Moses n-best list, from 3 (usually 4),
            or the name of a JSON field. Every candidate must have a finite number in it. None: scores are not read.
        skip_bad: Skip malformed lines and sources instead of raising an error for the first one.

    Yields:
        Blocks of about a megabyte. A block that is not kept is freed before the next one is read.

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
                reader.form.references(block),
            )
