"""Unknown tokens match nothing, whatever takes references: all entry points beside words that differ on both sides."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from fastbleu import BLEU, TokenIds, compare, corpus_bleu, raw_corpus_bleu, sentence_bleu
from fastbleu.compat import crystalbleu, fast_bleu, nltk
from fastbleu.rerank import (
    Pools,
    expected,
    mbr,
    near_duplicates,
    nearest,
    oracle,
    pairwise,
    self_bleu,
    set_bleu,
)
from fastbleu.rewards import BLEUReward

UNK = 1
HYPOTHESES = [[1, 9, 4, 7], [5, 6, 1, 8, 9], [1, 1]]
REFERENCES = [[1, 9, 4, 7], [5, 6, 1, 8, 1], [1, 1, 3]]
IDS, REFERENCE_IDS = TokenIds(HYPOTHESES, unk_id=UNK), TokenIds(REFERENCES, unk_id=UNK)


def words(rows: list[list[int]], side: str) -> list[list[str]]:
    """Restate rows: each unknown token is a word that occurs once."""
    number = itertools.count()
    return [[f"{side}{next(number)}" if id_ == UNK else str(id_) for id_ in row] for row in rows]


TEXTS, REFERENCE_TEXTS = words(HYPOTHESES, "h"), words(REFERENCES, "r")
METHOD = nltk.SmoothingFunction().method1
METRIC = BLEU(tokenize="none", effective_order=True)
REWARD = BLEUReward(metric=METRIC)
PAIRS = range(len(HYPOTHESES))


def joined(rows: Any) -> Any:
    """Return words as text, which is how rewards take them, and ids as they are."""
    return rows if isinstance(rows, TokenIds) else [" ".join(row) for row in rows]


def accumulated(hypotheses: Any, references: Any) -> float:
    accumulator = METRIC.accumulator()
    accumulator.update(hypotheses, references)
    score: float = accumulator.compute().score
    return score


#: Each entry point, called with hypotheses and references: ids, or the words that restate them.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "corpus_score": lambda h, r: METRIC.corpus_score(h, [r]).score,
    "corpus_score, a stream twice": lambda h, r: METRIC.corpus_score(h, [r, r]).score,
    "corpus_score, prepared": lambda h, r: METRIC.corpus_score(h, METRIC.prepare([r])).score,
    "corpus_score, prepared per segment": lambda h, r: (
        METRIC.corpus_score(h, METRIC.prepare_segments([[each] for each in r])).score
    ),
    "references of a metric": lambda h, r: BLEU(tokenize="none", references=[r]).corpus_score(h, None).score,
    "statistics": lambda h, r: METRIC.statistics(h, [r]).tolist(),
    "sentence_scores": lambda h, r: METRIC.sentence_scores(h, [r]).tolist(),
    "sentence_score": lambda h, r: [METRIC.sentence_score(h[i], [r[i]]).score for i in PAIRS],
    "prefix_scores": lambda h, r: [row.tolist() for row in METRIC.prefix_scores(h, [r])],
    "sentence_prefix_scores": lambda h, r: [
        METRIC.sentence_prefix_scores(h[i], [r[i]]).tolist() for i in PAIRS
    ],
    "explain": lambda h, r: [METRIC.explain(h[i], [r[i]]).score.score for i in PAIRS],
    "accumulator": lambda h, r: accumulated(h, [r]),
    "accumulator, prepared": lambda h, r: accumulated(h, METRIC.prepare([r])),
    "functions": lambda h, r: [
        corpus_bleu(h, [r], tokenize="none", force=True).score,
        raw_corpus_bleu(h, [r]).score,
        sentence_bleu(h[0], [r[0]], tokenize="none").score,
    ],
    "compare": lambda h, r: compare({"a": h, "b": h}, [r], metric=METRIC).best.bleu,
    "pairwise": lambda h, r: pairwise(h, r, metric=METRIC).tolist(),
    "pairwise, nltk": lambda h, r: pairwise(h, r, formula="nltk", metric=METRIC).tolist(),
    "set_bleu": lambda h, r: set_bleu(h, r, metric=METRIC).tolist(),
    "set_bleu, nltk": lambda h, r: set_bleu(h, r, "nltk", metric=METRIC).tolist(),
    "expected": lambda h, r: expected([h], [r], metric=METRIC)[0].tolist(),
    "expected, flat": lambda h, r: expected(Pools(h, size=3), Pools(r, size=3), metric=METRIC).tolist(),
    "expected, nltk": lambda h, r: expected([h], [r], formula="nltk", metric=METRIC)[0].tolist(),
    "mbr": lambda h, r: mbr([h], [r], metric=METRIC).utilities.tolist(),
    "mbr, aggregate": lambda h, r: mbr([h], [r], method="aggregate", metric=METRIC).utilities.tolist(),
    "oracle": lambda h, r: oracle([h], [r], metric=METRIC).utilities.tolist(),
    "corpus oracle": lambda h, r: oracle([h], [r], "corpus", metric=METRIC).utilities.tolist(),
    "nearest": lambda h, r: nearest(h, r, 2, metric=METRIC).scores.tolist(),
    "self_bleu": lambda h, r: [self_bleu(each, metric=METRIC).scores.tolist() for each in (h, r)],
    "near_duplicates": lambda h, r: [
        near_duplicates(each, 2, metric=METRIC).scores.tolist() for each in (h, r)
    ],
    "reward": lambda h, r: [*REWARD(joined(h), joined(r))],
    "reward, prepared": lambda h, r: [*REWARD(joined(h), METRIC.prepare([joined(r)]))],
    "reward, by token": lambda h, r: [
        row.tolist() for row in BLEUReward(metric=METRIC).token_rewards(joined(h), joined(r))
    ],
    "nltk, corpus_bleu": lambda h, r: nltk.corpus_bleu([[each] for each in r], h, smoothing_function=METHOD),
    "nltk, sentence_bleu": lambda h, r: nltk.sentence_bleu([r[1]], h[1], smoothing_function=METHOD),
    "crystalbleu": lambda h, r: crystalbleu.corpus_bleu([[each] for each in r], h, smoothing_function=METHOD),
    "fast_bleu": lambda h, r: fast_bleu.BLEU(r, {"two": (0.5, 0.5)}).get_score(h),
    "fast_bleu, SelfBLEU": lambda h, r: [
        fast_bleu.SelfBLEU(each, {"two": (0.5, 0.5)}).get_score() for each in (h, r)
    ],
}


@pytest.mark.parametrize("name", CALLS)
def test_unknown_tokens_match_nothing(name: str) -> None:
    call = CALLS[name]
    assert call(IDS, REFERENCE_IDS) == call(TEXTS, REFERENCE_TEXTS)
    assert call(IDS, IDS) == call(TEXTS, words(HYPOTHESES, "r"))


def test_an_unknown_token_does_not_match_itself() -> None:
    segment = TokenIds([[UNK, 9, 4]], unk_id=UNK)[0]
    wanted = METRIC.sentence_score(["h", "9", "4"], [["r", "9", "4"]]).score
    assert METRIC.sentence_score(segment, [segment]).score == wanted
    assert METRIC.corpus_score([segment], METRIC.prepare([[segment]])).score == wanted
    assert METRIC.explain(segment, [segment]).score.score == wanted
    assert self_bleu([segment, segment], metric=METRIC).scores.tolist() == [wanted, wanted]
    assert pairwise([segment], [segment], metric=METRIC).tolist() == [[wanted]]
