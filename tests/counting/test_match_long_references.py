"""Matching by classes of n-grams: long references, and many of them, against the oracle, always with ==.

Each case is counted four ways, because tokens are numbered in four ways, and each of them once more against prepared
references.
"""

import random
import signal
from collections.abc import Callable, Sequence
from itertools import chain
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from tests.support import oracle

Tokens = list[int]

LENGTHS = (63, 64, 65, 127, 128, 129, 256)
# Up to 16 references of one machine word each, or one of two words, are matched by position sets, up to order 4.
WORDS, MOST_REFERENCES = 128, 16
MANY_IDS = 1 << 18
"""Ids below this are numbered by an array, others by a hash table."""


#: Ways to write tokens; the last one takes more than the 15 bytes of a token that is its own key, and neighbours differ
#: in the last bytes only.
WRITTEN: tuple[Callable[[Tokens], Any], ...] = (
    list,
    lambda tokens: [token + MANY_IDS for token in tokens],
    lambda tokens: " ".join(f"w{token}" for token in tokens),
    lambda tokens: " ".join(f"a-token-of-many-bytes-{token}" for token in tokens),
)


def drawn(generator: random.Random, length: int, vocabulary: int) -> Tokens:
    return [generator.randrange(vocabulary) for _ in range(length)]


def changed(generator: random.Random, tokens: Tokens, changes: int) -> Tokens:
    """A near copy: it matches for long stretches."""
    copy = tokens.copy()
    for _ in range(changes if copy else 0):
        copy[generator.randrange(len(copy))] = generator.choice((generator.choice(tokens), 30_001))
    return copy


def check(hypothesis: Tokens, references: Sequence[Tokens], order: int = 4) -> None:
    """Compares one segment with the oracle: each way to write its tokens, with references plain and prepared."""
    check_all([hypothesis], [[reference] for reference in references], order)


def check_all(hypotheses: Sequence[Tokens], streams: Sequence[Sequence[Tokens]], order: int = 4) -> None:
    expected = [
        oracle.statistics(hypothesis, references, order)
        for hypothesis, *references in zip(hypotheses, *streams, strict=True)
    ]
    metric = BLEU(tokenize="none", max_ngram_order=order)
    for written in WRITTEN:
        texts = list(map(written, hypotheses))
        references = [list(map(written, stream)) for stream in streams]
        assert metric.statistics(texts, references).tolist() == expected
        assert metric.statistics(texts, metric.prepare(references)).tolist() == expected


@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(length: int) -> None:
    generator = random.Random(length)
    for vocabulary in (2, 30):
        reference = drawn(generator, length, vocabulary)
        check(drawn(generator, length, vocabulary), [reference])
        check(changed(generator, reference, 5), [reference])
    check([], [reference])
    check(reference, [[]])


@pytest.mark.slow
@pytest.mark.parametrize("n_references", [1, 2, 5, 16, 17, 50])
@pytest.mark.parametrize("length", [*LENGTHS, 1024])
def test_lengths_numbers_of_references_vocabularies_and_orders(length: int, n_references: int) -> None:
    generator = random.Random(length * 100 + n_references)
    for vocabulary in (1, 2, 30, 1000, 30_000):
        order = generator.randint(1, 9)
        references = [
            drawn(generator, length + generator.randint(-1, 1), vocabulary) for _ in range(n_references)
        ]
        check(drawn(generator, length, vocabulary), references, order)
        check(changed(generator, references[-1], length // 20), references, generator.randint(1, 9))


@pytest.mark.parametrize("n_references", [1, 2, 5, 15, 16, 17, 18, 50])
def test_numbers_of_references(n_references: int) -> None:
    """Up to 16 short ones have position sets; with one more, or a long one, all are matched by classes."""
    generator = random.Random(n_references)
    references = [drawn(generator, generator.randint(1, 12), 6) for _ in range(n_references)]
    hypothesis = changed(generator, list(chain(*references[:3])), 4)
    check(hypothesis, references)
    check(hypothesis, [*references, []])
    check(hypothesis, [*references, drawn(generator, WORDS + 1, 6)])


@pytest.mark.parametrize("order", [*range(1, 10), 20, 100])
def test_orders(order: int) -> None:
    generator = random.Random(order)
    for vocabulary in (1, 2, 8):
        reference = drawn(generator, WORDS + 10, vocabulary)
        check(changed(generator, reference, 3), [reference, drawn(generator, order, vocabulary)], order)
    for length in (order - 1, order, order + 1):
        check(reference[:length], [reference], order)
        check(reference[:40], [reference[:length], reference[3:30]], order)


def test_neighbours_that_belong_to_two_texts() -> None:
    """No n-gram reaches from one reference into the next one, nor from the last one into the hypothesis."""
    long = list(range(10, 150))
    check([*long[-2:], 1, 2, 3], [long, [1, 2, 3], [3, 10, 11]])
    check([3, 10, 1, 149, 1], [long, [1, 2, 3], [], [10, 1]])
    check([149, 10, 11, 12], [long, long])
    check([0, 0, 0], [long, [0], [0], [0, 0]])


def test_clipped_at_the_largest_count_in_any_one_reference() -> None:
    filler = list(range(10, 150))
    check([1] * 10, [[1] * 3 + filler, filler + [1] * 4, filler])
    check([1, 2] * 5, [[1, 2, 3, 1, 2, *filler], [1, 2, *filler, 1, 2, 1]])
    # A trigram can match where each of its bigrams has been used up.
    check([1, 2, 1, 2, 1, 2, 3], [[*filler, 1, 2, 3]])


@pytest.mark.parametrize("largest", [MANY_IDS - 1, MANY_IDS, (1 << 63) - 1])
def test_ids_on_both_sides_of_the_largest_array(largest: int) -> None:
    metric = BLEU(tokenize="none")
    reference = [largest, *range(WORDS), largest - 1]
    hypothesis = [*range(1, 71), largest - 1, 5, largest]
    assert metric.statistics([hypothesis], [[reference]]).tolist() == [
        oracle.statistics(hypothesis, [reference])
    ]


def test_unique_ngrams_of_the_reference() -> None:
    # 0, 1, 4, 5, 6 and the bigrams "1 2" and "3 4" are unique.
    reference = [0, 1, *[2, 3] * 70, 4, 5, 6]
    hypotheses = (
        reference,
        [*reference[-3:], *reference[:3]],  # neighbours here that are at the two ends there
        [0, 1, 0, 1, 2, 0, 1, 2, 3, 9, 1, 2, 3],  # clipped at each order by itself
        [4, 5, 6, 9, 4, 5, 6, 3, 4, 5, 3, 2, 3, 4],
        [9, 5, 9, 5, 9, 9, 4, 9, 6, 9],  # unknown tokens beside, and beyond the end
        [2, 3] * 80,
    )
    for order in range(1, 6):
        for hypothesis in hypotheses:
            check(hypothesis, [reference], order)


@pytest.mark.parametrize("length", [150, 700, pytest.param(9_000, marks=pytest.mark.slow)])
def test_few_frequent_tokens_and_many_rare_ones(length: int) -> None:
    """Some bigrams are unique, some consist of two frequent tokens, and all tables have the smallest size."""
    generator = random.Random(length)
    for shape in (0.2, 0.5, 1.0, 2.0):
        tokens = [int(min(generator.paretovariate(shape), 30_000)) for _ in range(2 * length)]
        reference = tokens[:length]
        for changes in (0, length // 3, 3 * length):
            check(changed(generator, reference, changes), [reference])
        check(tokens[length:], [reference])
        check(tokens[length // 2 :], [reference, tokens[length:]])


def test_unique_bigrams_of_frequent_tokens() -> None:
    rest = list(range(10, WORDS + 10))
    for repeated in ([0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]):
        reference = [*repeated, *chain(*([300 + token, token] for token in repeated)), *rest]
        check([*repeated, *rest[:100]], [reference], 3)
        check([*rest[:100], *repeated], [reference])


TOKENS_PER_CHECK = 1 << 18
"""After this many n-grams of a list, a kernel checks for a signal."""


def test_ngrams_on_both_sides_of_a_look_for_a_signal() -> None:
    """The reference has 5 once, and 7 often: "5 7 7" is resolved by the position of 5, even across two parts."""
    reference = [*range(10, 60), 5, *[7] * 99]
    first = TOKENS_PER_CHECK - len(reference) - 1  # the first token of the second part
    for before in range(first - 4, first + 2):
        hypothesis = np.full((1, TOKENS_PER_CHECK), 7)
        hypothesis[0, before] = 5
        row = BLEU(tokenize="none").statistics(hypothesis, [np.array([reference])])[0]
        assert row[2:6].tolist() == [100, 99, 98, 97]


@pytest.mark.slow
def test_many_distinct_tokens() -> None:
    """Tables of each size, those beyond the nearest caches included."""
    generator = random.Random(3)
    for length in (5_000, 40_000):
        reference = generator.sample(range(length), length)
        check(changed(generator, reference, length // 3), [reference])
        check(drawn(generator, length, length), [reference, drawn(generator, length // 2, length)])


def worst_inputs(length: int) -> dict[str, tuple[Tokens, list[Tokens]]]:
    generator = random.Random(length)
    text = drawn(generator, length, 40)
    sentence = drawn(generator, 12, 40)
    periods = {f"period {n}": [k % n for k in range(length)] for n in (1, 2, 63, 64, 65)}
    return {
        **{name: (tokens, [tokens[1:] + tokens[:1]]) for name, tokens in periods.items()},
        "period 63 against 64": (periods["period 63"], [periods["period 64"]]),
        "all distinct": (list(range(length)), [list(range(1, length + 1))]),
        "equal": (text, [text]),
        "reversed": (text, [text[::-1]]),
        "rotated": (text, [text[length // 3 :] + text[: length // 3]]),
        "a reference of many copies": (sentence * 2, [sentence * (length // 3)]),
        "many references": (text, [drawn(generator, length, 40) for _ in range(30)]),
        "nothing in common": (text, [[token + 40 for token in text]]),
    }


@pytest.mark.parametrize(("length", "order"), [(300, 4), pytest.param(3_000, 6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", worst_inputs(1))
def test_worst_inputs(name: str, length: int, order: int) -> None:
    check(*worst_inputs(length)[name], order)


@pytest.mark.slow
def test_many_short_references_and_high_orders() -> None:
    generator = random.Random(8)
    references = [drawn(generator, generator.randint(0, 9), 12) for _ in range(3_000)]
    check(changed(generator, list(chain(*references[:20])), 9), references, 9)


def test_many_empty_references() -> None:
    """They matter for the length alone, whichever way the others are matched."""
    generator = random.Random(4)
    for others in ([], [drawn(generator, 40, 5)], [drawn(generator, WORDS + 1, 5)], [[1], [2, 1]] * 9):
        check(drawn(generator, 20, 5), [*others, *[[]] * 300])
        check([], [[]] * 30 + others)


def long_pairs(generator: random.Random) -> list[tuple[Tokens, list[Tokens]]]:
    reference = drawn(generator, WORDS + 20, 4)
    near = changed(generator, reference, 6)
    return [
        (near, [reference]),
        (near[:50], [drawn(generator, 66, 4), reference, []]),
        (near, [reference[:WORDS]]),
        (drawn(generator, 70, 3), [[token] for token in range(20)] + [reference[:30]]),
        ([0] * 40, [[0] * (WORDS + 1)]),
    ]


@pytest.mark.parametrize("order", [1, 4, 7])
def test_prefixes(order: int) -> None:
    """The score of each prefix equals that of the prefix as a segment of its own."""
    bleu = BLEU(tokenize="none", max_ngram_order=order, effective_order=True)
    for hypothesis, references in long_pairs(random.Random(order)):
        for written in WRITTEN:
            prefixes = [written(hypothesis[:t]) for t in range(1, len(hypothesis) + 1)]
            streams = [[written(reference)] for reference in references]
            wanted = bleu.sentence_scores(prefixes, [stream * len(prefixes) for stream in streams]).tolist()
            for given_references in (streams, bleu.prepare(streams)):
                assert bleu.prefix_scores([prefixes[-1]], given_references).tolist() == [wanted]


def test_segments_do_not_leak_into_each_other() -> None:
    """Long and short ones, with few and many references, in turn: each route finds its memory as it needs it."""
    generator = random.Random(21)
    hypotheses: list[Tokens] = []
    streams: list[list[Tokens]] = [[] for _ in range(18)]
    for segment in range(28):
        vocabulary = generator.choice((1, 3, 100))
        longest = (3, 40, 64, 65, WORDS, WORDS + 1, 200)[segment % 7]
        used = (1, 2, MOST_REFERENCES, MOST_REFERENCES + 1)[segment % 4]
        hypotheses.append(drawn(generator, generator.randint(0, longest), vocabulary))
        for n, stream in enumerate(streams):
            stream.append(drawn(generator, generator.randint(1, longest), vocabulary) if n < used else [])
    check_all(hypotheses, streams)
    check_all(hypotheses, streams, 6)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_generated_segments(data: st.DataObject) -> None:
    """Texts made of pieces of each other, so that long n-grams match, some of them often."""
    order = data.draw(st.integers(1, 9))
    token = st.integers(0, data.draw(st.sampled_from((0, 1, 4, 200))))
    pieces = data.draw(st.lists(st.lists(token, max_size=40), min_size=1, max_size=4))
    text = st.lists(st.sampled_from(pieces), max_size=6).map(lambda parts: list(chain(*parts)))
    references = data.draw(st.lists(text, min_size=1, max_size=20))
    check(data.draw(text), references, order)


MANY_TOKENS = 600_000


def needs_timers(test: Any) -> Any:
    return pytest.mark.slow(pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")(test))


@needs_timers
def test_signals_are_handled_inside_one_segment() -> None:
    """Once for each order, not once for the whole segment."""
    orders = 20
    ids = np.zeros((1, MANY_TOKENS), dtype=np.int64)
    metric = BLEU(tokenize="none", max_ngram_order=orders)
    handled: list[int] = []

    def count(number: int, _: FrameType | None) -> None:
        handled.append(number)

    with_timer(count, lambda: metric.statistics(ids, [ids]))
    assert len(handled) >= orders // 2


@needs_timers
def test_an_interrupted_segment_leaves_nothing_behind() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    generator = random.Random(5)
    ids = np.array([drawn(generator, MANY_TOKENS, 50)])
    metric = BLEU(tokenize="none", max_ngram_order=20)
    with pytest.raises(KeyboardInterrupt):
        with_timer(interrupt, lambda: metric.statistics(ids, [ids]))
    # By the same metric, which may have kept the memory it worked in.
    for hypothesis, references in long_pairs(generator):
        rows = metric.statistics([hypothesis], [[reference] for reference in references])
        assert rows.tolist() == [oracle.statistics(hypothesis, references, 20)]


def with_timer(handler: Callable[[int, FrameType | None], None], call: Callable[[], object]) -> None:
    """Runs a call while a signal comes every millisecond."""
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
