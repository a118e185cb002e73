"""Numbering, matching and clipping: rows of statistics against the oracle's, always with ==.

White-space tokens only, so that what is tested is the counting. Both routes are walked: position sets of one word for
each of a few references, and classes of n-grams for longer references and more of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU
from tests.support import oracle
from tests.support.strategies import TOKEN_BYTES, Corpus, corpora, orders

WORD_EDGES = (
    0,
    1,
    2,
    3,
    4,
    5,
    62,
    63,
    64,
    65,
    66,
    126,
    127,
    128,
    129,
    130,
    191,
    192,
    193,
    255,
    256,
    257,
    511,
    512,
    513,
)

Segment = Sequence[str]


def check(hypothesis: Segment, references: Sequence[Segment], order: int = 4) -> None:
    metric = BLEU(tokenize="none", max_ngram_order=order)
    rows = metric.statistics([" ".join(hypothesis)], [[" ".join(reference)] for reference in references])
    assert rows.tolist() == [oracle.statistics(hypothesis, references, order)]


def words(generator: random.Random, length: int, vocabulary: int) -> list[str]:
    return [f"w{generator.randrange(vocabulary)}" for _ in range(length)]


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(corpora(), orders)
def test_generated_corpora(corpus: Corpus, order: int) -> None:
    rows = BLEU(tokenize="none", max_ngram_order=order).statistics(corpus.hypotheses, corpus.streams)
    assert rows.tolist() == oracle.corpus_statistics(
        corpus.hypotheses, corpus.streams, tokenize="none", max_ngram_order=order
    )


def test_the_papers_examples() -> None:
    """Papineni et al. (2002), examples 1 and 2: unigrams 17 of 18 and 8 of 14, bigrams 10 and 1; clipped, 2 of 7."""
    first = "It is a guide to action which ensures that the military always obeys the commands of the party"
    second = "It is to insure the troops forever hearing the activity guidebook that party direct"
    references = [
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the guiding principle which guarantees the military forces always being under the command of the Party",
        "It is the practical guide for the army always to heed the directions of the party",
    ]
    metric = BLEU(tokenize="none")

    def counts(hypothesis: str, references: list[str]) -> list[int]:
        row: list[int] = metric.statistics([hypothesis], [[reference] for reference in references])[
            0
        ].tolist()
        return row

    assert counts(first, references)[:4] == [18, 18, 17, 10]
    assert counts(second, references)[:4] == [14, 16, 8, 1]
    cat = ["the cat is on the mat", "there is a cat on the mat"]
    assert counts("the the the the the the the", cat) == [7, 7, 2, 0, 0, 0, 7, 6, 5, 4]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("vocabulary", [1, 2, 5, 40])
def test_lengths_around_machine_words(order: int, vocabulary: int) -> None:
    generator = random.Random(order * 100 + vocabulary)
    for length in WORD_EDGES:
        for other in (length, max(0, length - 1), length + 1, 10, 70, 140):
            check(words(generator, length, vocabulary), [words(generator, other, vocabulary)], order)


@pytest.mark.slow
@pytest.mark.parametrize("length", WORD_EDGES)
def test_copies_and_near_copies(length: int) -> None:
    """Long matches: runs that cross every word of positions, broken at one place."""
    sentence = [f"w{i}" for i in range(length)]
    check(sentence, [sentence])
    for position in {0, 1, 62, 63, 64, 65, 127, 128, length // 2, length - 1} & set(range(length)):
        broken = sentence.copy()
        broken[position] = "other"
        check(broken, [sentence], 6)
        check(sentence, [broken], 6)
        check(sentence, [sentence[position:] + sentence[:position], broken], 6)
        check(sentence[position:], [sentence, broken], 6)


@pytest.mark.slow
@pytest.mark.parametrize("n_references", [1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 64, 65, 130, 400])
def test_many_references(n_references: int) -> None:
    generator = random.Random(n_references)
    for vocabulary in (1, 2, 6, 50):
        for length in (0, 1, 3, 20, 64, 70):
            references = [
                words(generator, generator.randint(0, length + 3), vocabulary) for _ in range(n_references)
            ]
            check(words(generator, length, vocabulary), references, 5)


def test_references_of_very_different_lengths() -> None:
    generator = random.Random(7)
    for lengths in ((0, 1, 63, 64, 65, 1000), (3000, 1, 1), (1, 1, 3000), (64,) * 20, (5000, 5000)):
        references = [words(generator, length, 12) for length in lengths]
        for length in (0, 1, 10, 64, 300):
            check(words(generator, length, 12), references)


@pytest.mark.parametrize("order", range(1, 21))
def test_every_order(order: int) -> None:
    generator = random.Random(order)
    for vocabulary in (1, 2, 3):
        for length in (0, 1, order - 1, order, order + 1, 2 * order, 70, 200):
            references = [
                words(generator, generator.choice((length, 60, 64, 130)), vocabulary) for _ in range(3)
            ]
            check(words(generator, length, vocabulary), references, order)


def test_an_order_beyond_every_segment() -> None:
    check(["a", "b"], [["a", "b"], ["b"]], 100)


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", [1, 2, 4, 30, 1000, 100_000])
@pytest.mark.parametrize(
    ("length", "n_references"), [(1_000, 1), (1_000, 3), (5_000, 2), (20_000, 1), (300, 60)]
)
def test_long_segments(vocabulary: int, length: int, n_references: int) -> None:
    generator = random.Random(length * vocabulary + n_references)
    references = [
        words(generator, length + generator.randint(-40, 40), vocabulary) for _ in range(n_references)
    ]
    check(words(generator, length, vocabulary), references)
    # A copy with small changes matches for long stretches.
    near = references[-1].copy()
    for _ in range(length // 50):
        near[generator.randrange(len(near))] = "changed"
    check(near, references, 6)


@pytest.mark.slow
def test_more_distinct_tokens_than_any_table_starts_with() -> None:
    n = 150_000
    hypothesis = [f"t{i}" for i in range(n)]
    reference = [f"t{i}" for i in range(n // 2, n + n // 2)]
    check(hypothesis, [reference])
    check(hypothesis[::-1], [hypothesis], 2)


@pytest.mark.parametrize("length", TOKEN_BYTES)
def test_tokens_that_differ_in_one_byte(length: int) -> None:
    """Equal only if all bytes are: every single-byte change and every length next to it is another token."""
    word = "x" * length
    others = [f"{word[:i]}y{word[i + 1 :]}" for i in range(length)]
    others += [f"{word[:i]}\0{word[i + 1 :]}" for i in range(length)]
    others += [
        word + "x",
        word + "\0",
        word[:-1] or "z",
        "\0" * length,
        "\0" * (length + 1),
        word[:-1] + "\u0178",
    ]
    for other in others:
        check([word, other, word], [[other, word, other]])
    check([word, *others, word], [[*others[::-1], word], others])
    check(others, [others[1:] + others[:1]])


def test_nul_bytes_count() -> None:
    check(["a", "a\0", "\0", "\0\0", "a\0\0"], [["a\0", "a", "\0\0", "\0"], ["a\0\0"]])


def test_lone_surrogates_are_told_apart() -> None:
    """They also differ from the pair that they would be, and from the replacement character."""
    check(
        ["\ud800", "\udc00", "\ud800\udc00", "\U00010000", "\ufffd", "?"],
        [["\udc00", "\ud800", "\U00010000", "\ufffd"]],
    )


def test_closest_length_ties_to_the_shorter() -> None:
    metric = BLEU(tokenize="none")
    for hypothesis, references, closest in (
        ("a a a", ["a a a a", "a a"], 2),
        ("a a a", ["a a", "a a a a"], 2),
        ("a a a", ["a", "a a a a"], 4),
        ("", ["a", "a a"], 1),
        ("a", ["", "a a"], 0),
        ("a a a", ["a a a a a", "", "a a a a"], 4),
    ):
        row = metric.statistics([hypothesis], [[reference] for reference in references])[0]
        assert row[1] == closest


@pytest.mark.parametrize("seed", range(20))
def test_what_must_not_matter(seed: int) -> None:
    """The order of the references, one given twice, and the names of the tokens."""
    generator = random.Random(seed)
    vocabulary = generator.choice((2, 5, 30))
    hypothesis = words(generator, generator.randint(1, 150), vocabulary)
    references = [words(generator, generator.randint(0, 150), vocabulary) for _ in range(4)]
    metric = BLEU(tokenize="none")

    def row(hypothesis: Segment, references: Sequence[Segment]) -> list[int]:
        rows = metric.statistics([" ".join(hypothesis)], [[" ".join(reference)] for reference in references])
        found: list[int] = rows[0].tolist()
        return found

    expected = row(hypothesis, references)
    assert row(hypothesis, references[::-1]) == expected
    assert row(hypothesis, [*references, references[1]]) == expected

    def renamed(segment: Segment) -> list[str]:
        return [f"a much longer name, {token}!".replace(" ", "_") for token in segment]

    assert row(renamed(hypothesis), [renamed(reference) for reference in references]) == expected


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(-3, 3), max_size=150),
    st.lists(st.lists(st.integers(-3, 3), max_size=150), min_size=1, max_size=4),
    orders,
)
def test_ids_count_as_words_do(hypothesis: list[int], references: list[list[int]], order: int) -> None:
    rows = BLEU(tokenize="none", max_ngram_order=order).statistics(
        [hypothesis], [[reference] for reference in references]
    )
    assert rows.tolist() == [oracle.statistics(hypothesis, references, order)]


@pytest.mark.slow
def test_segments_do_not_leak_into_each_other() -> None:
    """Long, short, empty and many-reference segments in turn: each row as if it were alone."""
    generator = random.Random(11)
    lengths = [0, 1, 70, 2000, 3, 0, 64, 65, 5000, 1, 128, 129, 2, 300] * 6
    generator.shuffle(lengths)
    hypotheses = [words(generator, length, 9) for length in lengths]
    streams = [[words(generator, generator.choice(lengths), 9) for _ in lengths] for _ in range(3)]
    joined = [[" ".join(segment) for segment in stream] for stream in (hypotheses, *streams)]
    rows = BLEU(tokenize="none").statistics(joined[0], joined[1:])
    assert rows.tolist() == [
        oracle.statistics(hypothesis, references)
        for hypothesis, *references in zip(hypotheses, *streams, strict=True)
    ]


def test_segments_that_grow_one_token_at_a_time() -> None:
    """Working memory that is used again has room for every number of tokens, on either side of each growth."""
    long_tokens = [f"a token of more than fifteen bytes {i}".replace(" ", "_") for i in range(1300)]
    texts = [" ".join(long_tokens[:n]) for n in [*range(40), *range(60, 70), *range(1020, 1030), 1299]]
    counter = BLEU(tokenize="none")
    for text in texts:
        for column in (
            counter.statistics([text], [[text]]),
            counter.statistics([text], counter.prepare([[text]])),
        ):
            n = len(text.split())
            assert column.tolist() == [[n, n, *[max(0, n - k) for k in range(4)] * 2]]
