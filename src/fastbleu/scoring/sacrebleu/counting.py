"""The statistics of a corpus as sacreBLEU counts them, also of input that does not fit together.

sacreBLEU zips hypotheses and streams of references, so that the shortest of them decides how many segments are scored,
and it takes a str for a list of its characters. Input that fits together is counted at once. Only what the counting
refuses is cut to size, with a warning, and counted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from ...counting.corpus import read_corpus
from ...counting.references import References
from ...counting.rows import row_width
from ...counting.totals import DIFFERING, Totals
from ...errors import ArgumentError, ArgumentTypeError, Place, describe, warn_of_call, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...counting.matcher import Matcher

    Row = list[int]

#: What sacreBLEU logs of 100 hypotheses that end in " ." or more.
TOKENIZED = (
    "That's 100 lines that end in a tokenized period ('.')",
    "It looks like you forgot to detokenize your test data, which may hurt your score.",
    "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` parameter.",
)

_BARE = "hypotheses is a bare {}, whose characters were taken as segments"


def count(matcher: Matcher, hypotheses: Any, references: Any) -> Totals:
    """Count a corpus.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: Segments.
        references: Streams of them, or prepared references.

    Returns:
        The sums, with the number of references and that of hypotheses that look tokenized.

    Raises:
        IndexError: There is no segment at all.
        TypeError: Something is no segment, or a segment has no reference.
    """
    try:
        corpus = read_corpus(matcher, hypotheses, references)
        totals, segments = corpus.count(), len(corpus)
    except ArgumentError as error:
        rows, totals = _count_misshapen(matcher, hypotheses, references, error)
        totals.row = [sum(column) for column in zip(*rows, strict=True)]
        segments = len(rows)
    if not segments:
        raise IndexError(
            f"there is no segment to score: {len(hypotheses)} hypotheses, {len(references)} streams of references"
        )
    return totals


def count_rows(matcher: Matcher, hypotheses: Any, references: Any) -> tuple[list[Row], Totals]:
    """Count the segments of a corpus one by one. Returns a row for each, and what `count` returns; raises the same."""
    try:
        return _rows(matcher, hypotheses, references)
    except ArgumentError as error:
        return _count_misshapen(matcher, hypotheses, references, error)


def count_sentence(matcher: Matcher, hypothesis: Any, references: Any) -> tuple[Row, int]:
    """Count one segment, which is checked, against its references. Returns its row and the number of references.

    Raises:
        TypeError: A reference is no str, or there is none.
    """
    try:
        return matcher.count_one(hypothesis, references)
    except ArgumentError as error:
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise
        rows, totals = _count_misshapen(matcher, [hypothesis], [[each] for each in references], error)
        if not rows:
            raise IndexError("references is empty: there is nothing to score against") from error
        return rows[0], totals.num_references


def _rows(matcher: Matcher, hypotheses: Any, references: Any) -> tuple[list[Row], Totals]:
    totals = Totals([0] * row_width(matcher.max_ngram_order))
    rows = []
    for row, number in read_corpus(matcher, hypotheses, references).rows():
        rows.append(row)
        totals.add(row, 0, number)
    totals.tokenized = sum(isinstance(each, str) and each.endswith(" .") for each in hypotheses)
    return rows, totals


def _count_misshapen(
    matcher: Matcher, hypotheses: Any, references: Any, refused: ArgumentError
) -> tuple[list[Row], Totals]:
    """Count what sacreBLEU takes of input that was refused."""
    if isinstance(references, References) and isinstance(hypotheses, Sequence):
        scored = min(len(hypotheses), len(references))
        if scored and (isinstance(hypotheses, str) or len(hypotheses) != len(references)):
            faults = [_BARE.format(describe(hypotheses))] if isinstance(hypotheses, str) else []
            faults.append(
                f"there are {len(hypotheses)} hypotheses and references for {len(references)} segments"
            )
            _warn_of_part(faults, scored)
            return _rows(matcher, list(hypotheses[:scored]), references[:scored])
    if not isinstance(hypotheses, Sequence) or not isinstance(references, Sequence):
        raise refused
    streams = taken_streams(references)
    segments = list(hypotheses)[: min(map(len, streams), default=0)]
    numbers = {sum(line is not None for line in lines) for lines in zip(*streams, strict=False)}
    number = numbers.pop() if len(numbers) == 1 else DIFFERING
    if not segments:
        totals = Totals([])
        totals.num_references = number
        return [], totals
    named = [(Place("references")[s], stream) for s, stream in enumerate(streams)]
    for name, held in [(Place("hypotheses"), segments), *named]:
        for i, segment in enumerate(held):
            if not isinstance(segment, str) and (segment is not None or held is segments):
                raise wrong_type(name[i], "a str", segment) from refused
    _warn(hypotheses, references, streams, len(segments))
    parts = [stream[: len(segments)] for stream in streams]
    # sacreBLEU drops a segment without any reference if its hypothesis is empty, and subtracts 1 from the length.
    counted = [any(line is not None for line in lines) for lines in zip(*parts, strict=True)]
    for i, segment in enumerate(segments):
        if not counted[i] and matcher.count_one(segment, [""])[0][0]:
            raise ArgumentTypeError(
                Place("references"), f"hold nothing but None for the segment {i}"
            ) from refused
    rows, totals = _rows(
        matcher, list(compress(segments, counted)), [list(compress(part, counted)) for part in parts]
    )
    if not all(counted):
        without = [0, -1] + [0] * (row_width(matcher.max_ngram_order) - 2)
        given = iter(rows)
        rows = [next(given) if there else list(without) for there in counted]
    totals.num_references = number
    return rows, totals


def taken_streams(references: Sequence[Any]) -> list[list[Any]]:
    """Streams as lists, characters of a str included.

    Raises:
        TypeError: A stream cannot be iterated over.
    """
    return [_listed(stream, Place("references")[s]) for s, stream in enumerate(references)]


def _listed(stream: Any, where: Place) -> list[Any]:
    try:
        return list(stream)
    except TypeError:
        raise ArgumentTypeError(where, f"must be a sequence of segments, not {describe(stream)}") from None


def _warn(hypotheses: Any, references: Any, streams: list[list[Any]], scored: int) -> None:
    """Say what does not fit together, and which part is scored."""
    faults = []
    if isinstance(hypotheses, str):
        faults.append(_BARE.format(describe(hypotheses)))
    bare = [s for s, stream in enumerate(references) if isinstance(stream, str)]
    if bare:
        faults.append(
            f"references[{bare[0]}] is a bare {describe(references[bare[0]])}, whose characters were taken as the "
            "references of one segment each; a stream is a list, references[stream][segment]"
        )
    uneven = [s for s, stream in enumerate(streams) if len(stream) != len(hypotheses)]
    if uneven:
        faults.append(
            f"there are {len(hypotheses)} hypotheses, but references[{uneven[0]}] has {len(streams[uneven[0]])}"
        )
        if len(streams) == len(hypotheses):
            faults.append("references look transposed, they are references[stream][segment]")
    if faults:
        _warn_of_part(faults, scored)


def _warn_of_part(faults: list[str], scored: int) -> None:
    part = "the first segment was" if scored == 1 else f"the first {scored} segments were"
    warn_of_call(f"{'; '.join(faults)}: as in sacreBLEU, only {part} scored", "sacrebleu")
