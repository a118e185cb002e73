"""One short reference: its route against the oracle, and against the route of all other segments."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.counting._match_one_short import use_instructions
from fastbleu.counting.corpus import read_corpus
from fastbleu.counting.matcher import Matcher
from fastbleu.options import REFERENCE_LENGTHS
from fastbleu.tokenizers.names import get_tokenizer
from tests.support import oracle
from tests.support.matchers import matcher

# Portable, the widest that the machine has.
INSTRUCTIONS = (0, 2)

#: Up to and beyond the longest reference of this route.
LENGTHS = (0, 1, 2, 3, 4, 5, 30, 62, 63, 64, 65, 66, 96, 126, 127, 128, 129, 130)


@pytest.fixture(autouse=True)
def widest_instructions_afterwards() -> Iterator[None]:
    yield
    use_instructions(max(INSTRUCTIONS))


def rows(counting: Matcher, hypotheses: list[str], streams: list[Any]) -> list[list[int]]:
    return [row for row, _ in read_corpus(counting, hypotheses, streams).rows()]


def words(generator: random.Random, size: int) -> list[str]:
    """Distinct words of every length around those of short keys, many of which begin alike."""
    found = {generator.choice("ab") * generator.choice((1, 7, 8, 14, 15, 16, 17, 40)) for _ in range(size)}
    return sorted(
        word + suffix for word in found for suffix in generator.sample(["", "c", "dd", "\u00e9"], 2)
    )


@pytest.mark.parametrize("instructions", INSTRUCTIONS)
@pytest.mark.parametrize("length", LENGTHS)
def test_against_the_oracle(instructions: int, length: int) -> None:
    use_instructions(instructions)
    generator = random.Random(length)
    counting = matcher()
    for size in (1, 2, 6, 30):
        alphabet = words(generator, size) if size < 30 else [f"w{i}" for i in range(60)]
        references = [generator.choices(alphabet, k=length) for _ in range(40)]
        hypotheses = [generator.choices([*alphabet, "x"], k=generator.randint(0, 160)) for _ in range(40)]
        hypotheses[:5] = references[:5]
        expected = [oracle.statistics(h, [r], 4) for h, r in zip(hypotheses, references, strict=True)]
        texts = [" ".join(each) for each in hypotheses], [" ".join(each) for each in references]
        assert rows(counting, texts[0], [texts[1]]) == expected


@pytest.mark.parametrize("length", [65, 96, 127, 128])
def test_prepared_sets_of_two_words(length: int) -> None:
    """Whole hypotheses and each prefix."""
    generator = random.Random(length)
    bleu = BLEU(tokenize="none", effective_order=True)
    for size in (1, 4):
        reference = [f"w{generator.randrange(size)}" for _ in range(length)]
        hypothesis = [*reference[40:], *generator.choices(reference, k=9), *reference[:70]]
        prepared = bleu.prepare([[" ".join(reference)]])
        found = bleu.statistics([" ".join(hypothesis)], prepared).tolist()
        scores = bleu.prefix_scores([" ".join(hypothesis)], prepared)[0].tolist()
        assert found == [oracle.statistics(hypothesis, [reference])]
        prefixes = [oracle.statistics(hypothesis[:t], [reference]) for t in range(1, len(hypothesis) + 1)]
        assert scores == [bleu.score_statistics(row).score for row in prefixes]


@pytest.mark.parametrize("rule", REFERENCE_LENGTHS)
@pytest.mark.parametrize("name", ["13a", "zh", "intl", "char", "none"])
def test_against_the_route_of_all_other_segments(name: str, rule: Any) -> None:
    """A second stream without a reference leads there."""
    generator = random.Random(name)
    characters = "ab  .,-15&<\n\u00e9\u4e2d\u3002\u2019\ud800"
    pairs = [
        ["".join(generator.choices(characters, k=generator.choice((0, 3, 20, 90, 250)))) for _ in range(2)]
        for _ in range(1_500)
    ]
    hypotheses, references = [h for h, _ in pairs], [r if generator.random() < 0.5 else h for h, r in pairs]
    for lowercase in (False, True):
        counting = Matcher(get_tokenizer(name), lowercase, reference_length=rule)
        expected = rows(counting, hypotheses, [references, [None] * len(pairs)])
        assert rows(counting, hypotheses, [references]) == expected
        assert [
            counting.count_one(h, [r])[0] for h, r in zip(hypotheses, references, strict=True)
        ] == expected


def test_references_beside_long_and_absent_ones() -> None:
    counting = matcher()
    hypotheses, references = ["a b c d", "a", "a b " * 300], ["a b c d", "b " * 1_000, "a b"]
    expected = [
        oracle.statistics(h.split(), [r.split()], 4) for h, r in zip(hypotheses, references, strict=True)
    ]
    assert rows(counting, hypotheses, [references]) == expected
    with pytest.raises(ValueError, match=r"^references hold nothing but None for segment 1: "):
        rows(counting, hypotheses, [["a", None, "b"]])
