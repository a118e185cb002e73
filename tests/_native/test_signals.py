"""Ctrl-C, as any signal, is handled in the middle of a call, however long its only segment is."""

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

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")]

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


def tuples(seed: int) -> list[Any]:
    return [(word,) for word in words(MANY // 2, seed)]


def rows(number: int) -> Any:
    made = np.random.default_rng(1).integers(0, 9, (number, 10))
    made[:, 6:] += 9
    return made


Call = Callable[[], object]
CHRFPP = CHRF(word_order=2)
SHORT = "w1 w2 w345 hello"


def pool(number: int = 3) -> list[str]:
    return [text(MANY // 2, seed) for seed in range(number)]


#: Makes each call with its arguments, long before it is made.
CALLS: dict[str, Callable[[], Call]] = {
    "text": lambda: partial(BLEU().statistics, [text(MANY, 0)], [[text(MANY, 1)], [text(MANY, 2)]]),
    "text, short reference": lambda: partial(BLEU().statistics, [text(2 * MANY, 1)], [["w1 w2 w3"]]),
    "one sentence": lambda: partial(
        BLEU(effective_order=True).sentence_score, text(MANY, 0), [text(MANY, 1)]
    ),
    "Chinese": lambda: partial(
        BLEU(tokenize="zh", lowercase=True).statistics, [chinese(2 * MANY, 0)], [[chinese(2 * MANY, 1)]]
    ),
    "tokens": lambda: partial(WORDS.statistics, [words(MANY, 0)], [[words(MANY, 1)]]),
    "tuples": lambda: partial(WORDS.statistics, [tuples(0)], [[tuples(1)]]),
    "integers": lambda: partial(WORDS.statistics, ids(MANY, 0).tolist(), [ids(MANY, 1).tolist()]),
    "ids": lambda: partial(WORDS.statistics, *(TokenIds(ids(2 * MANY, seed), pad_id=3) for seed in range(2))),
    "large ids": lambda: partial(WORDS.statistics, ids(MANY, 0, 1 << 40), ids(MANY, 1, 1 << 40)),
    "lists of ids": lambda: partial(
        WORDS.statistics, *(TokenIds(ids(MANY, seed).tolist()) for seed in range(2))
    ),
    "prefix scores": lambda: partial(WORDS.prefix_scores, ids(MANY, 0), ids(MANY, 1)),
    "gleu": lambda: partial(sentence_gleu, [words(MANY, 0)], words(MANY, 1)),
    "chrF": lambda: partial(CHRF().statistics, [text(MANY // 4, 0)], [[text(MANY // 4, 1)]]),
    "chrF of words": lambda: partial(CHRF(0, 2).sentence_score, text(MANY, 0), [text(MANY, 1)]),
    "chrF, short reference": lambda: partial(CHRFPP.statistics, [text(2 * MANY, 1)], [[SHORT]]),
    "chrF, long reference": lambda: partial(CHRFPP.statistics, [SHORT], [[text(MANY // 2, 1)]]),
    "chrF of Chinese": lambda: partial(CHRF().statistics, [chinese(MANY, 0)], [[chinese(MANY, 1)]]),
    "tokenize": lambda: partial(BLEU().tokenize, text(2 * MANY, 1)),
    "explain": lambda: partial(BLEU(effective_order=True).explain, text(MANY // 8, 0), [text(MANY // 8, 1)]),
    "pairwise": lambda: partial(rerank.pairwise, [text(MANY, 0)], [text(MANY, 1)]),
    "pairwise by chrF": lambda: partial(
        rerank.pairwise, [text(MANY // 4, 0)], [text(MANY // 4, 1)], metric=CHRFPP
    ),
    "mbr": lambda: partial(rerank.mbr, [pool()]),
    "mbr, aggregate": lambda: partial(rerank.mbr, [pool()], method="aggregate"),
    "self_bleu": lambda: partial(rerank.self_bleu, pool()),
    "nearest": lambda: partial(rerank.nearest, pool(1), pool()[1:]),
    "near_duplicates": lambda: partial(rerank.near_duplicates, pool(), 90),
    "significance": lambda: partial(
        approximate_randomization, {"a": rows(100_000), "b": rows(100_000)[::-1]}, BLEU(), n_trials=200
    ),
    "scores of rows": lambda: partial(BLEU().score_statistics, rows(2 * MANY), each=True),
}


def while_signals_come(handler: Callable[..., object], call: Call) -> None:
    """Make a call while a signal comes in every hundredth of a second of the process's own time."""
    before = signal.signal(signal.SIGPROF, handler)
    signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("name", CALLS)
def test_no_stretch_without_signals_is_a_large_part_of_a_call(name: str) -> None:
    """Times are those of the process, which no other process changes."""
    call, times = CALLS[name](), [time.process_time()]
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
