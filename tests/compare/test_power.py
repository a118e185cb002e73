"""The smallest difference that a test set shows: by its formula, and by tests of simulated test sets."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fastbleu import BLEU
from fastbleu.compare import Comparison, compare
from fastbleu.compare.power import detectable, enough_trials, has_few_units, why_none_significant
from fastbleu.scoring.significance import approximate_randomization, paired_bootstrap
from tests.support import newstest


def test_the_formula() -> None:
    # An interval of 2 * 1.96 standard errors of 1 point.
    assert detectable(-1.959964, 1.959964) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
    assert detectable(0, 3.919928, level=0.01) == pytest.approx(2.575829 + 0.841621, abs=1e-5)
    assert detectable(0, 3.919928, power=0.5) == pytest.approx(1.959964, abs=1e-5)
    assert detectable(2, 2) == 0


REFERENCES = [f"the cat number {i} sat on the mat and went home then" for i in range(40)]


def ladder(systems: int, step: int = 1) -> dict[str, list[str]]:
    """Systems, each clearly worse than the one before: it loses words of more segments."""
    return {
        f"s{k}": [
            line.replace("sat on the mat", "x") if i < k else line.replace("home", f"h{k}")
            for i, line in enumerate(REFERENCES)
        ]
        for k in range(0, systems, step)
    }


def why(comparison: Comparison) -> str:
    return why_none_significant(comparison.settings, len(comparison.pairs))


def test_how_many_trials_are_enough() -> None:
    assert [enough_trials(pairs, 0.05) for pairs in (51, 10**6)] == [10_200, 200_000]
    assert enough_trials(1, 1e-4) == 100_000


@pytest.mark.slow
def test_many_pairs_get_the_trials_that_their_correction_needs() -> None:
    systems = ladder(34, 3)
    found = compare(systems, [REFERENCES], resamples=10, segments=0)
    assert found.settings.trials == 13_200
    assert why(found) == ""
    assert sum(pair.is_significant for pair in found.pairs) > 30
    # With fewer trials nothing can be significant, which is said.
    few = compare(systems, [REFERENCES], trials=1000, resamples=10, segments=0)
    assert not any(pair.is_significant for pair in few.pairs)
    assert why(few) == (
        "1,000 trials are too few for this test: no p can be below 0.066 after the correction for 66 pairs, so no "
        "difference can be significant at the level 0.05. Run at least 13,200 trials."
    )
    score = f"{few.best.bleu:.2f} BLEU"
    first = f"The test cannot show which system is better. s0 has the highest score, {score}."
    assert few.verdict[:2] == (first, why(few))
    assert why(few) in few.to_html()
    # Without a correction, they are enough.
    assert why(compare(systems, [REFERENCES], trials=1000, resamples=10, segments=0, correction="none")) == ""


@pytest.mark.slow
@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_too_few_trials_for_the_level(test: Any) -> None:
    systems = {"a": REFERENCES, "b": [line.replace("mat", "dog") for line in REFERENCES]}
    found = compare(systems, [REFERENCES], test=test, trials=10)
    assert why(found) == (
        "10 trials are too few for this test: no p can be below 0.091, so no difference can be significant at the "
        "level 0.05. Run at least 200 trials."
    )
    assert found.verdict[1] == why(found)
    assert why(found) in " ".join(found.to_text().split("Differences")[1].split())
    assert compare(systems, [REFERENCES], test=test, trials=10, level=0.1).pairs[0].is_significant
    baseline = compare(systems, [REFERENCES], test=test, trials=10, pairs="baseline")
    assert baseline.verdict[0] == "The test cannot show whether another system is better than the baseline a."


@pytest.mark.slow
def test_a_bound_is_shown_as_one() -> None:
    for needed in ("jinja2", "matplotlib"):
        pytest.importorskip(needed)
    # Half of the pairs have no trial that exceeds them: 190 / 10,001 is the least that the correction leaves of p.
    found = compare(ladder(20), [REFERENCES], trials=10_000, resamples=10, segments=0)
    bounds = [pair for pair in found.pairs if pair.is_bound]
    assert bounds
    assert {pair.corrected_p for pair in bounds} == {190 / 10_001}
    assert not any(pair.corrected_p == 190 / 10_001 for pair in found.pairs if not pair.is_bound)
    assert "≤ 0.0190" in found.to_text()
    assert "≤ 0.0190" in found.to_html()
    assert found.to_text().count("0.0190") == found.to_text().count("≤ 0.0190")
    assert "≤ marks the smallest p" in " ".join(found.to_text().split())


def test_a_measured_p_value_is_no_bound() -> None:
    systems = {
        "base": [line.replace("cat", "x") if i >= 28 else line for i, line in enumerate(REFERENCES)],
        "bad": [line.replace("mat", "dog") for line in REFERENCES],
        "mixed": [
            (line.replace("mat", "dog") if i < 18 else line) if i % 3 else line.replace("home", "away")
            for i, line in enumerate(REFERENCES)
        ],
    }
    options: dict[str, Any] = {"pairs": "baseline", "trials": 400, "resamples": 2, "segments": 0, "seed": 7}
    # One trial exceeds the difference of a pair, none that of the other. This correction gives both the same value.
    found = compare(systems, [REFERENCES], correction="benjamini-hochberg", **options)
    assert {(pair.p, pair.corrected_p, pair.is_bound) for pair in found.pairs} == {
        (2 / 401, 2 / 401, False),
        (1 / 401, 2 / 401, True),
    }
    # Holm's method raises the other's to the bound; without a correction it is what was measured.
    assert {pair.is_bound for pair in compare(systems, [REFERENCES], **options).pairs} == {True}
    plain = compare(systems, [REFERENCES], correction="none", **options)
    assert {(pair.p, pair.is_bound) for pair in plain.pairs} == {(2 / 401, False), (1 / 401, True)}


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("units", [1, 2, 5])
@pytest.mark.parametrize("by_document", [False, True])
def test_few_units_show_nothing(test: Any, units: int, by_document: bool) -> None:
    number = 40 if by_document else units
    references = REFERENCES[:number]
    systems = {"a": references, "b": [line.replace("mat", "dog") for line in references]}
    documents = [i % units for i in range(number)] if by_document else None
    found = compare(systems, [references], test=test, documents=documents)
    (pair,) = found.pairs
    assert (found.settings.units, pair.is_significant, pair.detectable) == (units, False, None)
    assert [system.cluster for system in found.systems] == [1, 1]
    if units == 1:
        assert pair.p == 1
    elif test == "randomization":
        assert (pair.p, pair.is_bound) == (2 / 2**units, False)
    unit = ("document" if by_document else "segment") + "s"[: units != 1]
    reason = f"{units} {unit} {'is' if units == 1 else 'are'} too few for this test"
    assert why(found) == f"{reason}: no difference can be significant at the level 0.05."
    first, second, *others = found.verdict
    assert first.startswith("The test cannot show which system is better. a has the highest score, 100.00")
    assert second == why(found)
    assert not any("80 of 100" in sentence or "Take" in sentence for sentence in others)
    if by_document:
        assert f"40 segments of {units} {unit} with 1 reference" in " ".join(str(found).split())


def test_six_units_can_show_something() -> None:
    systems = {"a": REFERENCES[:6], "b": [line.replace("mat", "dog") for line in REFERENCES[:6]]}
    found = compare(systems, [REFERENCES[:6]])
    assert (found.pairs[0].p, found.pairs[0].is_significant, why(found)) == (2 / 64, True, "")
    # Six are too few for many pairs.
    three = compare({**systems, "c": REFERENCES[6:12]}, [REFERENCES[:6]])
    assert why(three) == (
        "6 segments are too few for this test: no difference can be significant at the level 0.05 after the correction "
        "for 3 pairs."
    )
    assert not any(pair.is_significant for pair in three.pairs)
    assert why(compare({**systems, "c": REFERENCES[6:12]}, [REFERENCES[:6]], correction="none")) == ""
    assert [has_few_units(units, 0.001) for units in (10, 11)] == [True, False]


@pytest.mark.nightly
@pytest.mark.skipif(
    newstest.folder() is None, reason="FASTBLEU_DATA does not name a folder that holds newstest2021"
)
def test_a_difference_of_that_size_is_found_in_80_of_100_test_sets() -> None:
    """Test sets are drawn from real outputs of two systems, as many segments as make their difference detectable."""
    systems, references = newstest.systems("en-de"), newstest.references("en-de")["A"]
    bleu = BLEU()
    names = ("Facebook-AI", "Online-A")
    rows = {name: bleu.statistics(systems[name], [references]) for name in names}
    difference = approximate_randomization(rows, bleu, 1).pairs[0].difference
    generator = np.random.default_rng(1)

    def drawn(segments: int) -> dict[str, NDArray[Any]]:
        chosen = generator.integers(0, len(references), segments)
        return {name: of_system[chosen] for name, of_system in rows.items()}

    def estimate(segments: int) -> float:
        pairs = [paired_bootstrap(drawn(segments), bleu, 200).pairs[0] for _ in range(10)]
        return float(np.mean([detectable(pair.low or 0, pair.high or 0) for pair in pairs]))

    # The standard error falls with the root of the number of segments.
    segments = round(500 * (estimate(500) / abs(difference)) ** 2)
    assert estimate(segments) == pytest.approx(abs(difference), rel=0.12)
    found = [
        approximate_randomization(drawn(segments), bleu, 400, seed=k).pairs[0].p_value <= 0.05
        for k in range(200)
    ]
    assert 0.7 < np.mean(found) < 0.9
