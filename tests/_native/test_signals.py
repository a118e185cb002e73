"""Ctrl-C, as any signal, is handled in the middle of a call, however long its only segment is."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF, TokenIds, rerank
from fastbleu.compat.nltk import sentence_gleu
from fastbleu.scoring.significance import approximate_randomization

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers"),
]

#: Several times what a kernel does between two looks for signals.
MANY = 3 << 19

WORDS = BLEU(tokenize="none")


def words(number: int, seed: int) -> list[str]:
    return np.array([f"w{i}" for i in range(50_000)])[ids(number, seed)[0] % 50_000].tolist()


def text(number: int, seed: int) -> str:
    return " ".join(words(number, seed))


def ids(number: int, seed: int, different: int = 40_000) -> Any:
    return np.random.default_rng(seed).integers(0, different, (1, number))


def chinese(number: int, seed: int) -> str:
    return "".join(map(chr, (0x4E00 + ids(number, seed, 3000)[0]).tolist()))


Call = Callable[[], object]


def bleu_of_text() -> Call:
    first, second, third = (text(MANY, seed) for seed in range(3))
    return lambda: BLEU().statistics([first], [[second], [third]])


def bleu_of_long_text_and_a_short_reference() -> Call:
    first = text(2 * MANY, 1)
    return lambda: BLEU().statistics([first], [["w1 w2 w3"]])


def bleu_of_one_sentence() -> Call:
    first, second = (text(MANY, seed) for seed in range(2))
    return lambda: BLEU(effective_order=True).sentence_score(first, [second])


def bleu_of_chinese() -> Call:
    first, second = (chinese(2 * MANY, seed) for seed in range(2))
    return lambda: BLEU(tokenize="zh", lowercase=True).statistics([first], [[second]])


def bleu_of_tokens() -> Call:
    first, second = (words(MANY, seed) for seed in range(2))
    return lambda: WORDS.statistics([first], [[second]])


def bleu_of_tuples() -> Call:
    first, second = ([(word,) for word in words(MANY // 2, seed)] for seed in range(2))
    return lambda: WORDS.statistics([first], [[second]])


def bleu_of_integers() -> Call:
    first, second = (ids(MANY, seed)[0].tolist() for seed in range(2))
    return lambda: WORDS.statistics([first], [[second]])


def bleu_of_ids() -> Call:
    first, second = (TokenIds(ids(2 * MANY, seed), pad_id=3) for seed in range(2))
    return lambda: WORDS.statistics(first, second)


def bleu_of_large_ids() -> Call:
    first, second = (ids(MANY, seed, 1 << 40) for seed in range(2))
    return lambda: WORDS.statistics(first, second)


def bleu_of_lists_of_ids() -> Call:
    first, second = (TokenIds([ids(MANY, seed)[0].tolist()]) for seed in range(2))
    return lambda: WORDS.statistics(first, second)


def prefix_scores() -> Call:
    first, second = (ids(MANY, seed) for seed in range(2))
    return lambda: WORDS.prefix_scores(first, second)


def gleu() -> Call:
    first, second = (words(MANY, seed) for seed in range(2))
    return lambda: sentence_gleu([first], second)


def chrf_of_long_texts() -> Call:
    first, second = (text(MANY // 4, seed) for seed in range(2))
    return lambda: CHRF().statistics([first], [[second]])


def chrf_of_words() -> Call:
    first, second = (text(MANY, seed) for seed in range(2))
    return lambda: CHRF(0, 2).sentence_score(first, [second])


def chrf_of_a_long_text_and_a_short_reference() -> Call:
    first = text(2 * MANY, 1)
    return lambda: CHRF(word_order=2).statistics([first], [["w1 w2 w345 hello"]])


def chrf_of_a_short_text_and_a_long_reference() -> Call:
    first = text(MANY // 2, 1)
    return lambda: CHRF(word_order=2).statistics(["w1 w2 w345 hello"], [[first]])


def chrf_of_chinese() -> Call:
    first, second = (chinese(MANY, seed) for seed in range(2))
    return lambda: CHRF().statistics([first], [[second]])


def tokenize() -> Call:
    first = text(2 * MANY, 1)
    return lambda: BLEU().tokenize(first)


def explain() -> Call:
    first, second = (text(MANY // 8, seed) for seed in range(2))
    return lambda: BLEU(effective_order=True).explain(first, [second])


def pairwise_scores() -> Call:
    first, second = (text(MANY, seed) for seed in range(2))
    return lambda: rerank.pairwise([first], [second])


def pairwise_by_chrf() -> Call:
    first, second = (text(MANY // 4, seed) for seed in range(2))
    return lambda: rerank.pairwise([first], [second], metric=CHRF(word_order=2))


def mbr() -> Call:
    pool = [text(MANY // 2, seed) for seed in range(3)]
    return lambda: rerank.mbr([pool])


def mbr_of_the_aggregate() -> Call:
    pool = [text(MANY // 2, seed) for seed in range(3)]
    return lambda: rerank.mbr([pool], method="aggregate")


def self_bleu() -> Call:
    pool = [text(MANY // 2, seed) for seed in range(3)]
    return lambda: rerank.self_bleu(pool)


def nearest() -> Call:
    pool = [text(MANY // 2, seed) for seed in range(3)]
    return lambda: rerank.nearest(pool[:1], pool[1:])


def near_duplicates() -> Call:
    pool = [text(MANY // 2, seed) for seed in range(3)]
    return lambda: rerank.near_duplicates(pool, 90)


def rows(number: int) -> Any:
    made = np.random.default_rng(1).integers(0, 9, (number, 10))
    made[:, 6:] += 9
    return made


def significance() -> Call:
    systems = {"first": rows(100_000), "second": rows(100_000)[::-1]}
    return lambda: approximate_randomization(systems, BLEU(), n_trials=200)


def scores_of_rows() -> Call:
    table = rows(2 * MANY)
    return lambda: BLEU().score_statistics(table, each=True)


CALLS = [
    bleu_of_text,
    bleu_of_long_text_and_a_short_reference,
    bleu_of_one_sentence,
    bleu_of_chinese,
    bleu_of_tokens,
    bleu_of_tuples,
    bleu_of_integers,
    bleu_of_ids,
    bleu_of_large_ids,
    bleu_of_lists_of_ids,
    prefix_scores,
    gleu,
    chrf_of_long_texts,
    chrf_of_words,
    chrf_of_a_long_text_and_a_short_reference,
    chrf_of_a_short_text_and_a_long_reference,
    chrf_of_chinese,
    tokenize,
    explain,
    pairwise_scores,
    pairwise_by_chrf,
    mbr,
    mbr_of_the_aggregate,
    self_bleu,
    nearest,
    near_duplicates,
    significance,
    scores_of_rows,
]


def while_signals_come(handler: Callable[..., object], call: Call) -> None:
    """Make a call while a signal comes in every hundredth of a second of the process's own time."""
    before = signal.signal(signal.SIGPROF, handler)
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("make", CALLS, ids=lambda make: make.__name__)
def test_no_stretch_without_signals_is_a_large_part_of_a_call(make: Callable[[], Call]) -> None:
    """Times are those of the process, which no other process changes."""
    call, times = make(), [time.process_time()]
    while_signals_come(lambda *_: times.append(time.process_time()), call)
    times.append(time.process_time())
    stretches = [after - before for before, after in pairwise(times)]
    assert max(stretches) < 0.4 * (times[-1] - times[0]), stretches


@pytest.mark.parametrize("metric", [CHRF(), CHRF(0, 2)])
def test_an_interrupted_metric_counts_as_before(metric: CHRF) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    long, other = (text(2 * MANY, seed) for seed in range(2))
    choose = random.Random(1)
    short = [text(choose.randrange(1, 200), seed) for seed in range(20)]
    expected = type(metric)(metric.char_order, metric.word_order).statistics(short, [short[::-1]])
    for hypothesis, reference in ((long, other), (long, "w1 w2"), ("w1 w2", long)):
        with pytest.raises(KeyboardInterrupt):
            while_signals_come(interrupt, partial(metric.statistics, [hypothesis], [[reference]]))
        assert (metric.statistics(short, [short[::-1]]) == expected).all()


def test_a_handler_may_change_the_lists_that_are_read() -> None:
    """The first signal comes when the list has been copied, and long before all tokens are numbered."""
    first, second = (words(MANY, seed) for seed in range(2))
    expected = WORDS.statistics([first], [[second]])
    found: list[Any] = []
    while_signals_come(lambda *_: first.clear(), lambda: found.append(WORDS.statistics([first], [[second]])))
    assert not first
    assert (found[0] == expected).all()
