"""The verdict: which system to take, in every case."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.compare import Comparison, compare
from fastbleu.compare.reports.verdict import named, p_value

REFERENCES = ["the cat sat on the mat today", "it rained all day long here", "a dog barks at night"] * 8
BASE = ["the cat sat on a mat today", "it rained all day in here", "one dog barks at nights"] * 8
NEW = ["the cat sat on the mat today", "it rained all day in here", "a dog barked at night"] * 8
WORST = ["a cat sat today on a mat", "it rains all the day in here", "the dogs barked nights there"] * 8
#: As good as NEW, segment by segment one of them better.
OTHER = [REFERENCES[i] if i % 2 else NEW[i][:-4] for i in range(24)]


def verdict(systems: dict[str, list[str]], **options: Any) -> tuple[str, ...]:
    return compared(systems, **options).verdict


def compared(systems: dict[str, list[str]], **options: Any) -> Comparison:
    return compare(systems, [REFERENCES], **{"trials": 1000, **options})


def test_one_of_two_is_better() -> None:
    found = compared({"base": BASE, "new": NEW})
    first, second, third = found.verdict
    (pair,) = found.pairs
    new, base = (f"{system.bleu:.2f}" for system in found.systems)
    assert first == f"Take new. It scores {new} BLEU, {pair.difference:.2f} points more than base ({base})."
    assert second == f"The difference is significant (p = {pair.p:.4f}): chance alone would rarely make it."
    assert third == (
        "By the estimate of Kocmi et al. (2024), human judges agree with a difference of "
        f"{pair.difference:.2f} points in about 88 of 100 cases."
    )


def test_one_of_several_is_better() -> None:
    found = verdict({"base": BASE, "new": NEW, "worst": WORST})
    assert found[0].startswith("Take new. It has the highest score, ")
    assert found[0].endswith(" and is significantly better than each of the other 2 systems.")
    assert found[1].startswith("The next one is base with ")


def test_two_that_cannot_be_told_apart() -> None:
    found = verdict({"new": NEW, "other": OTHER})
    assert found[0].startswith("No system is clearly the best. ")
    assert found[0].endswith(" is not significantly worse: it may be as good.")
    assert found[1].startswith("Choose between ")
    assert found[2].startswith("A test set like this one shows a real difference of ")


def test_a_difference_that_can_be_seen_is_one_of_a_single_comparison() -> None:
    found = verdict({"new": NEW, "other": OTHER, "third": NEW})
    (sentence,) = (each for each in found if "80 of 100" in each)
    assert sentence.startswith(
        "If two systems are compared alone, a test set like this one shows a real difference of "
    )
    assert sentence.endswith(" and larger ones, too, with 3 pairs.")
    # The bootstrap calls equal systems different more often than its level says.
    assert not any("80 of 100" in each for each in verdict({"new": NEW, "other": OTHER}, test="bootstrap"))


def test_several_that_cannot_be_told_apart() -> None:
    found = verdict({"new": NEW, "other": OTHER, "third": NEW, "worst": WORST})
    assert "are not significantly worse: they may be as good." in found[0]
    assert found[1].startswith("Choose among ")
    assert found[-1] == "worst is significantly worse than " + found[-1].rpartition(" ")[2]


def test_equal_scores() -> None:
    assert verdict({"a": NEW, "b": NEW})[0].startswith("a and b have the same score, ")
    found = verdict({"a": NEW, "b": NEW, "worst": WORST})
    assert found[1] == "worst is significantly worse than a."


def test_a_baseline() -> None:
    found = verdict({"base": BASE, "new": NEW}, pairs="baseline")
    assert found[0].startswith("Take new instead of the baseline base. It scores ")
    assert found[0].endswith("): chance alone would rarely make it.")
    found = verdict({"base": BASE, "new": NEW, "other": OTHER, "worst": WORST}, pairs="baseline")
    assert found[0].startswith("Take ")
    assert any("is significantly better than the baseline, too." in sentence for sentence in found)
    assert found[-1] == "worst is significantly worse than the baseline."


def test_a_baseline_that_stays() -> None:
    found = verdict({"new": NEW, "worst": WORST, "other": OTHER}, pairs="baseline")
    assert found[0] in (
        "Keep the baseline new: no other system is significantly better.",
        "Take other instead of the baseline new.",
    )
    assert found == (
        "Keep the baseline new: no other system is significantly better.",
        "other is not told apart from the baseline: it may be as good, better or worse.",
        "worst is significantly worse than the baseline.",
    )


def test_a_small_difference_says_little() -> None:
    # One word of many, in each of many segments: certain, and small.
    long = [f"{' '.join(f'w{i}-{k}' for k in range(300))} end" for i in range(40)]
    better = [line.replace("-7 ", "-x ") for line in long]
    worse = [line.replace("-9 ", "-y ") for line in better]
    found = compare({"a": worse, "b": better}, [long], trials=1000)
    assert 0 < found.pairs[0].difference < 2
    assert found.verdict[0].startswith("Take b.")
    equal = compare({"a": worse, "b": [*better[:9], *worse[9:]]}, [long], trials=1000)
    assert 0 < equal.pairs[0].difference < 0.27
    assert equal.pairs[0].is_significant
    assert equal.verdict[2] == (
        "But it is small: by the estimate of Kocmi et al. (2024), human judges agree with a difference of "
        f"{equal.pairs[0].difference:.2f} points no more often than a coin would."
    )


def test_what_looks_wrong_is_mentioned() -> None:
    found = verdict({"base": BASE, "new": ["", *NEW[1:]]})
    assert (
        found[-1]
        == "One thing in the data looks wrong and may have changed the scores: see “What looks wrong”."
    )


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (list("abcdefgh"), "a, b, c, d, e, f, g and h"),
        (list("abcdefghij"), "a, b, c, d, e, f, g, h and 2 more"),
    ],
)
def test_names(names: list[str], text: str) -> None:
    assert named(names) == text


def test_p_values() -> None:
    values = (1, 0.1, 0.0999, 0.05004, 0.0504, 0.001, 0.000999, 0)
    assert [p_value(p) for p in values] == [
        "1.000", "0.100", "0.0999", "0.0500", "0.0504", "0.0010", "< 0.001", "< 0.001"
    ]  # fmt: skip
