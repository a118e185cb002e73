"""`fastbleu.compat.pycocoevalcap` against pycocoevalcap's formula, and values that are not captions."""

import importlib
from typing import Any

import pytest

from fastbleu.compat.pycocoevalcap import Bleu, BleuScorer
from tests.support.refusals import argument_error

A, B = "a man on a horse", "a man rides a horse"


def test_golden_values() -> None:
    """Printed by pycocoevalcap 1.2."""
    scores, each = Bleu(4).compute_score(
        {1: [B, "a person on a horse"], 2: ["two dogs"]}, {1: [A], 2: ["two cats"]}, verbose=0
    )
    assert scores == [0.8571428568979593, 0.7171371653752504, 0.5555132240832547, 9.621954577753743e-05]
    of_second = [0.49999999950000074, 2.2360679747047065e-08, 7.937005251904006e-08, 1.4953487799127914e-07]
    assert [of_image[1] for of_image in each] == of_second


def test_a_scorer() -> None:
    scorer = BleuScorer("a b", ["a c"])
    both = scorer.compute_score("closest")
    assert scorer.compute_score("shortest") == both[0]
    scorer += ("a b", ["a b"])
    assert len(scorer.compute_score()[1][0]) == 2
    scorer += BleuScorer("x", ["x y z"])
    assert scorer.size() == 3
    with pytest.raises(AssertionError, match="only a BleuScorer of the same n"):
        scorer += BleuScorer(n=2)


def test_the_layout_of_the_package() -> None:
    package = "fastbleu.compat.pycocoevalcap.bleu"
    assert importlib.import_module(f"{package}.bleu").Bleu is Bleu
    assert importlib.import_module(f"{package}.bleu_scorer").BleuScorer is BleuScorer
    assert Bleu().method() == "Bleu"


@pytest.mark.parametrize(
    ("gts", "res", "message"),
    [
        ({1: [A]}, {2: [A]}, "gts and res must hold the same images"),
        ({1: [A]}, {1: A}, r"res\[1\] must be a list of one caption, not str"),
        ({1: []}, {1: [A]}, r"gts\[1\] must be a list of at least one reference, not list"),
    ],
)
def test_errors(gts: Any, res: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        Bleu().compute_score(gts, res)


def test_what_is_no_text() -> None:
    with argument_error(TypeError, "test[1]"):
        Bleu().compute_score({1: [A], 2: [A]}, {1: [A], 2: [7]})  # type: ignore[list-item]
    with argument_error(TypeError, "refs[1][0]"):
        Bleu().compute_score({1: [A], 2: [7]}, {1: [A], 2: [A]})  # type: ignore[list-item]
    with argument_error(TypeError, "refs[0][1]"):
        Bleu().compute_score({1: [A, None]}, {1: [A]})  # type: ignore[list-item]
    with pytest.raises(AssertionError, match="unsupported reflen option longest"):
        BleuScorer(A, [B]).compute_score("longest")


def test_a_str_of_references() -> None:
    with pytest.warns(UserWarning, match="of which each character is a reference"):
        scorer = BleuScorer("a b", "ab")
    assert scorer.compute_score() == BleuScorer("a b", ["a", "b"]).compute_score()
