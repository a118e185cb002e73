"""sacreBLEU over all pairs of two lists: its own code, each line tokenized once and each reference counted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.bleu import BLEU

from tests.support import sacrebleu_peer


class Formula(NamedTuple):
    """sacreBLEU's formula over a row of statistics."""

    smooth_method: str
    smooth_value: float | None
    effective_order: bool


#: Each of its smoothing methods, with a value that is not the default where it takes one.
FORMULAS = tuple(
    Formula(method, value, effective_order)
    for method, value in (
        ("exp", None),
        ("none", None),
        ("floor", None),
        ("floor", 0.25),
        ("add-k", None),
        ("add-k", 2.5),
    )
    for effective_order in (True, False)
)


def rows(hypotheses: Sequence[str], references: Sequence[str], **tokens: Any) -> Iterator[list[int]]:
    """Statistics of every hypothesis against every reference as its only one, hypothesis by hypothesis."""
    metric = sacrebleu_peer.metric([list(references)], **tokens)
    prepared = metric._ref_cache
    assert prepared is not None
    for hypothesis in hypotheses:
        tokenized = metric._preprocess_segment(hypothesis)
        for reference in prepared:
            yield metric._compute_segment_statistics(tokenized, reference)


def matrices(
    hypotheses: Sequence[str],
    references: Sequence[str],
    formulas: Sequence[Formula] = FORMULAS,
    **tokens: Any,
) -> list[npt.NDArray[np.float64]]:
    """A matrix [hypotheses, references] for each formula. A row met before is not scored again."""
    shape = (len(hypotheses), len(references))
    scored: dict[tuple[int, ...], list[float]] = {}
    values = []
    for row in rows(hypotheses, references, **tokens):
        key = tuple(row)
        if key not in scored:
            scored[key] = [sacrebleu_peer.score(row, **formula._asdict()).score for formula in formulas]
        values.append(scored[key])
    return list(np.array(values, dtype=np.float64).reshape(*shape, len(formulas)).transpose(2, 0, 1))


def by_sentence_score(
    hypotheses: Sequence[str], references: Sequence[str], **options: Any
) -> npt.NDArray[np.float64]:
    """A matrix [hypotheses, references], one call of `sentence_score` for each."""
    metric = BLEU(**options)
    scores = [metric.sentence_score(h, [r]).score for h in hypotheses for r in references]
    return np.array(scores, dtype=np.float64).reshape(len(hypotheses), len(references))


def against_others(pool: Sequence[str], **tokens: Any) -> Iterator[list[int]]:
    """Statistics of each text of a pool against all the others as its references."""
    metric = BLEU(**tokens)
    for i, text in enumerate(pool):
        streams = [[other] for other in (*pool[:i], *pool[i + 1 :])]
        yield from metric._extract_corpus_statistics([text], streams)
