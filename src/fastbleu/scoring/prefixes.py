"""The sentence BLEU of every prefix of a hypothesis, for rewards token by token.

One pass over a hypothesis gives the counts of all its prefixes, so that the work is linear in its length.
"""

from __future__ import annotations

import re

from ..counting.rows import row_width
from ..inputs.id_sources import as_hypotheses
from ..inputs.ids import TokenIds
from ..inputs.text import as_sentence_references
from ..threads import chunk_size, for_each_chunk
from ._prefixes import score_prefixes, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..counting.matcher import Matcher
    from ..inputs.text import Segments
    from .formula import Formula


def prefix_scores(
    matcher: Matcher, formula: Formula, hypotheses: Segments | TokenIds, references: Any
) -> NDArray[float64]:
    """Score every prefix of every hypothesis; see `BLEU.prefix_scores`.

    Args:
        matcher: What counts.
        formula: What scores, for the same orders.
        hypotheses: n segments.
        references: As for `Matcher.count`.

    Returns:
        float64 [n, T], 0..100. Of a matrix of ids T is its width, otherwise the most tokens of a hypothesis.

    Example:
        >>> from fastbleu.scoring.formula import Formula
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=1)
        >>> formula = Formula(1, "none", effective_order=True)
        >>> prefix_scores(matcher, formula, ["a c b", "b"], [["a b", "b"]]).round(2).tolist()
        [[36.79, 50.0, 66.67], [100.0, 100.0, 100.0]]
    """
    import numpy as np

    counter, read, prepared = matcher.sources(hypotheses, references)
    places = hypotheses.shape[1] if isinstance(hypotheses, TokenIds) and len(hypotheses.shape) > 1 else None
    parts: dict[int, tuple[NDArray[float64], NDArray[int64]]] = {}

    def score(columns: Any, start: int, stop: int) -> tuple[int, int, bytes, bytes]:
        if prepared is None:
            return (
                start,
                stop,
                *score_prefixes(counter, formula.compiled, columns[0], columns[1:], None, start),
            )
        numbers = None if prepared.segments is None else prepared.segments[start:stop]
        return (
            start,
            stop,
            *score_prefixes(counter, formula.compiled, columns[0], prepared.index, numbers, start),
        )

    def keep(start: int, stop: int, scores: bytes, offsets: bytes) -> None:
        part = np.frombuffer(scores, dtype=np.float64), np.frombuffer(offsets, dtype=np.int64)
        if places is None:
            parts[start] = part
        else:
            kept = np.empty((stop - start, places), dtype=np.int64)
            hypotheses.read(start, stop, is_reference=False, name="hypotheses", kept=kept)  # type: ignore[union-attr]
            spread(*part, kept, found[start:stop])

    found = np.empty((len(hypotheses), places or 0))
    step = chunk_size(len(hypotheses), row_width(matcher.max_ngram_order), matcher.threads)
    for_each_chunk(read, score, keep, 0, len(hypotheses), step, matcher.threads)
    if places is None:
        longest = max((int(np.diff(offsets).max()) - 1 for _, offsets in parts.values()), default=0)
        found = np.empty((len(hypotheses), longest))
        for start, part in parts.items():
            spread(*part, None, found[start : start + len(part[1]) - 1])
    return found


def sentence_prefix_scores(
    matcher: Matcher, formula: Formula, hypothesis: Any, references: Any
) -> NDArray[float64]:
    """Score every prefix of one hypothesis; see `BLEU.sentence_prefix_scores`.

    Returns:
        float64 [tokens], 0..100.
    """
    streams = [[reference] for reference in as_sentence_references(references)]
    try:
        scores: NDArray[float64] = prefix_scores(matcher, formula, as_hypotheses([hypothesis]), streams)[0]
    except (TypeError, ValueError) as error:
        message = str(error).replace("hypotheses[0]", "hypothesis")
        raise type(error)(re.sub(r"^references\[(\d+)\]\[0\]", r"references[\1]", message)) from None
    return scores
