"""Numbering, matching and clipping: rows of statistics against the oracle's, always with ==.

White-space tokens only, so that what is tested is the counting. Both routes are walked: position sets of one word for
each of a few references, and classes of n-grams for longer references and more of them.
"""

import random
from collections.abc import Sequence

import pytest

from fastbleu import BLEU
from tests.support import oracle
from tests.support.strategies import TOKEN_BYTES

#: Lengths on either side of each machine word of positions.
WORD_EDGES = (*range(6), *(64 * words + near for words in (1, 2, 3, 4, 8) for near in (-1, 0, 1)))

Segment = Sequence[str]


def check(hypothesis: Segment, references: Sequence[Segment], order: int = 4) -> None:
    metric = BLEU(tokenize="none", max_ngram_order=order)
    rows = metric.statistics([" ".join(hypothesis)], [[" ".join(reference)] for reference in references])
    assert rows.tolist() == [oracle.statistics(hypothesis, references, order)]


def words(generator: random.Random, length: int, vocabulary: int) -> list[str]:
    return [f"w{generator.randrange(vocabulary)}" for _ in range(length)]


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
    """Long matches: runs that cross every word of positions, broken at one position."""
    sentence = [f"w{i}" for i in range(length)]
    check(sentence, [sentence])
    for position in {0, 1, 62, 63, 64, 65, 127, 128, length // 2, length - 1} & set(range(length)):
        broken = sentence.copy()
        broken[position] = "other"
        check(broken, [sentence], 6)
        check(sentence, [broken], 6)
        check(sentence, [sentence[position:] + sentence[:position], broken], 6)
        check(sentence[position:], [sentence, broken], 6)


@pytest.mark.parametrize("length", TOKEN_BYTES)
def test_tokens_that_differ_in_one_byte(length: int) -> None:
    """Equal only if all bytes are: every single-byte change and every length next to it is another token."""
    word = "x" * length
    others = [f"{word[:i]}y{word[i + 1 :]}" for i in range(length)]
    others += [f"{word[:i]}\0{word[i + 1 :]}" for i in range(length)]
    ends = ("x", "\0", "\u0178")
    others += [*(word + end for end in ends), word[:-1] or "z", "\0" * length, "\0" * (length + 1)]
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


def test_segments_that_grow_one_token_at_a_time() -> None:
    """Working memory that is used again has room for every number of tokens, on either side of each growth."""
    long_tokens = [f"a token of more than fifteen bytes {i}".replace(" ", "_") for i in range(1300)]
    texts = [" ".join(long_tokens[:n]) for n in [*range(40), *range(60, 70), *range(1020, 1030), 1299]]
    counter = BLEU(tokenize="none")
    for text in texts:
        for references in ([[text]], counter.prepare([[text]])):
            n = len(text.split())
            rows = counter.statistics([text], references).tolist()
            assert rows == [[n, n, *[max(0, n - k) for k in range(4)] * 2]]
