"""fast-bleu's classes against NLTK, which they are to equal, and against fast-bleu where it does."""

import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest

nltk_bleu = pytest.importorskip("nltk.translate.bleu_score")
peer = pytest.importorskip("fast_bleu")

from fastbleu.compat import fast_bleu
from tests.support.compared import compared

#: The last two are not multiples of a power of 2, which fast-bleu does not hold exactly.
WEIGHTS: dict[Any, tuple[float, ...]] = {
    1: (1.0,),
    2: (0.5, 0.5),
    "four": (0.25,) * 4,
    "five": (0.2,) * 5,
    "six": (0.1, 0.1, 0.1, 0.2, 0.2, 0.3),
    "uneven": (0.2, 0.3, 0.5),
}
EXACT_IN_PEER = (2, "four")
METHODS = {1: nltk_bleu.SmoothingFunction().method1, 0: nltk_bleu.SmoothingFunction().method0}


#: Tokens of several kinds, all of which are compared as text.
LETTERS, NUMBERS, TUPLES = "abcdefg", range(7), [(number,) for number in range(7)]


def random_texts(
    generator: random.Random, least: int, fewest: int, tokens: Sequence[Any] = LETTERS
) -> list[list[Any]]:
    return [
        generator.choices(tokens, k=generator.randrange(least, 12))
        for _ in range(generator.randrange(fewest, 6))
    ]


def by_nltk(references: list[Any], hypothesis: Any, weights: Any, method: int, auto: bool = False) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared("nltk 3.10.4, as fast-bleu")
        found: float = nltk_bleu.sentence_bleu(references, hypothesis, weights, METHODS[method], auto)
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("auto", [False, True])
def test_scores_are_nltks(method: int, auto: bool) -> None:
    generator = random.Random(method)
    for _ in range(100):
        tokens = generator.choice((LETTERS, NUMBERS, TUPLES))
        references, hypotheses = (random_texts(generator, 0, fewest, tokens) for fewest in (2, 1))
        found = fast_bleu.BLEU(references, WEIGHTS, method, auto).get_score(hypotheses)
        of_each = fast_bleu.SelfBLEU(references, WEIGHTS, method, auto).get_score()
        others = [references[:i] + references[i + 1 :] for i in range(len(references))]
        for name, weights in WEIGHTS.items():
            assert found[name] == [by_nltk(references, h, weights, method, auto) for h in hypotheses]
            assert of_each[name] == [
                by_nltk(o, text, weights, method, auto) for text, o in zip(references, others, strict=True)
            ]


def test_fast_bleus_scores() -> None:
    # Not those of its Self-BLEU, which reads memory that is not its own and gives other scores from run to run.
    generator = random.Random(2)
    for _ in range(100):
        references, hypotheses = random_texts(generator, 1, 1), random_texts(generator, 0, 1)
        weightings = {name: weights for name, weights in WEIGHTS.items() if len(weights) > 1}
        ours = fast_bleu.BLEU(references, weightings).get_score(hypotheses)
        theirs = peer.BLEU(references, weightings).get_score(hypotheses)
        compared("fast-bleu 0.0.90", len(weightings) * len(hypotheses))
        for name in weightings:
            close = 1e-14 if name in EXACT_IN_PEER else 1e-6
            assert ours[name] == pytest.approx(theirs[name], rel=close)
