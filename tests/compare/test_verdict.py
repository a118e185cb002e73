"""The verdict: which system to take, in every case."""

import re
from typing import Any

import pytest

from fastbleu.compare import compare
from fastbleu.compare.verdict import named, p_value
from tests.support.comparisons import BASE, NEW, REFERENCES

WORST = ["a cat sat today on a mat", "it rains all the day in here", "the dogs barked nights there"] * 8
#: As good as NEW, segment by segment one of them better.
OTHER = [REFERENCES[i] if i % 2 else NEW[i][:-4] for i in range(24)]

#: A little worse than NEW.
NEAR = [*NEW[:20], *BASE[20:]]

SYSTEMS = {"base": BASE, "new": NEW, "third": NEW, "near": NEAR, "other": OTHER, "worst": WORST}


def verdict(systems: dict[str, list[str]], **options: Any) -> tuple[str, ...]:
    return compare(systems, [REFERENCES], **{"trials": 1000, **options}).verdict


JUDGES = """If BLEU differs this much, human judges prefer the system with the higher BLEU in about 88 of 100 cases
(estimate of Kocmi et al., 2024)."""
DETECTS = "A test set of this size detects a real difference of # points in 80 of 100 cases"
UNDECIDED = """No system is clearly the best. other has the highest score, # BLEU, but new and third are not
significantly worse: they may be as good. Choose among other, new and third by another criterion, such as cost or
human judgement, or test them on more segments."""
INSTEAD = """instead of the baseline base. It scores # points more, and the difference is significant (p #): chance
alone would rarely produce it."""


@pytest.mark.parametrize(
    ("names", "options", "sentences"),
    [
        ("base new", {}, f"""Choose new. It scores # BLEU, # points more than base (#). The difference is significant
            (p #): chance alone would rarely produce it. {JUDGES}"""),
        ("base new worst", {}, f"""Choose new. It scores # BLEU, # points more than the next best, base (#). The
            difference is significant (p #): chance alone would rarely produce it. new is significantly better than
            each of the other 2 systems. {JUDGES}"""),
        ("new other", {}, f"""No system is clearly the best. other has the highest score, # BLEU, but new is not
            significantly worse: it may be as good. Choose between other and new by another criterion, such as cost
            or human judgement, or test them on more segments. {DETECTS}, and smaller ones less often."""),
        ("new other third", {}, f"""{UNDECIDED} {DETECTS} if only two systems are compared; with 3 pairs, it
            detects fewer."""),
        # The bootstrap test has no sentence about the detectable difference.
        ("new other third", {"test": "bootstrap"}, UNDECIDED),
        ("new other third worst", {}, f"""{UNDECIDED} {DETECTS} if only two systems are compared; with 6 pairs,
            it detects fewer. worst is significantly worse than other."""),
        ("new third", {}, "new and third tie: each has # BLEU, so BLEU prefers neither."),
        ("new third worst", {}, """new and third tie for the highest score, # BLEU. Choose between new and third by
            another criterion, such as cost or human judgement, or test them on more segments. worst is significantly
            worse than both."""),
        ("new third near", {}, f"""No system is clearly the best. new and third tie for the highest score, # BLEU, but
            near is not significantly worse: it may be as good. Choose among new, third and near by another criterion,
            such as cost or human judgement, or test them on more segments. {DETECTS} if only two systems are compared;
            with 3 pairs, it detects fewer."""),
        ("new third", {"trials": 1}, "new and third tie: each has # BLEU, so BLEU prefers neither."),
        ("new third near", {"trials": 1}, """The test cannot show which system is better. new and third tie for the
            highest score, # BLEU. 1 trial is too few for this test: no p can be below # after the correction for 3
            pairs, so no difference can be significant at the level #. Run at least 600 trials."""),
        ("new third", {"pairs": "baseline"}, """Keep the baseline new: no other system is significantly better. third
            ties with the baseline: the scores are equal."""),
        ("base new", {"pairs": "baseline"}, f"Choose new {INSTEAD} {JUDGES}"),
        ("base new other worst", {"pairs": "baseline"}, f"""Choose other {INSTEAD} {JUDGES} new is also significantly
            better than the baseline. The systems were not tested against each other; to choose among them, test all
            pairs. worst is significantly worse than the baseline."""),
        ("new worst other", {"pairs": "baseline"}, """Keep the baseline new: no other system is significantly better.
            other is not clearly different from the baseline: it may be as good, better or worse. worst is significantly
            worse than the baseline."""),
    ],
)  # fmt: skip
def test_sentences(names: str, options: dict[str, Any], sentences: str) -> None:
    found = " ".join(verdict({name: SYSTEMS[name] for name in names.split()}, **options))
    assert re.sub(r"(p )?(= |≤ )?\d+\.\d+", r"\1#", found) == " ".join(sentences.split())


def test_a_small_difference_says_little() -> None:
    # One word of many, in each of many segments: certain, and small.
    long = [f"{' '.join(f'w{i}-{k}' for k in range(300))} end" for i in range(40)]
    better = [line.replace("-7 ", "-x ") for line in long]
    worse = [line.replace("-9 ", "-y ") for line in better]
    found = compare({"a": worse, "b": better}, [long], trials=1000)
    assert 0 < found.pairs[0].difference < 2
    assert found.verdict[0].startswith("Choose b.")
    equal = compare({"a": worse, "b": [*better[:9], *worse[9:]]}, [long], trials=1000)
    assert 0 < equal.pairs[0].difference < 0.27
    assert equal.pairs[0].is_significant
    assert equal.verdict[2] == (
        "If BLEU differs this much, human judges prefer the system with the higher BLEU no more often than a coin toss "
        "would (estimate of Kocmi et al., 2024)."
    )


def test_findings_are_mentioned() -> None:
    found = verdict({"base": BASE, "new": ["", *NEW[1:]]})
    assert found[-1] == "1 possible problem in the data may have changed the scores: see “Possible problems”."


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
