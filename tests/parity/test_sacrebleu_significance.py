"""Paired tests against sacreBLEU's `PairedTest`: the same trials, p-values, means and intervals."""

import random
from itertools import pairwise
from typing import Any

import pytest

peer = pytest.importorskip("sacrebleu.metrics", exc_type=ImportError)

from sacrebleu.significance import PairedTest

import fastbleu
from fastbleu import SignificanceTest, approximate_randomization, paired_bootstrap
from tests.support.compared import compared
from tests.support.simulated_systems import Systems, random_systems

#: The options of BLEU; those of chrF have `char_order`.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.37},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.3},
    {"smooth_method": "none"},
    {"max_ngram_order": 2},
    {"max_ngram_order": 6, "effective_order": True},
    {"lowercase": True, "effective_order": True, "tokenize": "char"},
    {"char_order": 6},
    {"char_order": 6, "word_order": 2, "beta": 3, "lowercase": True},
    {"char_order": 0, "word_order": 1, "beta": 1},
    {"char_order": 2, "whitespace": True, "eps_smoothing": True},
]


def metric_of(options: dict[str, Any], module: Any = fastbleu, **more: Any) -> Any:
    return (module.CHRF if "char_order" in options else module.BLEU)(**options, **more)


def check(ours: SignificanceTest, theirs: list[Any], rows: dict[str, Any]) -> None:
    for system, result in zip(ours.systems, theirs, strict=True):
        assert (system.score, system.mean, system.half_width) == (result.score, result.mean, result.ci)
    for pair, result in zip(ours.pairs, theirs[1:], strict=True):
        assert (pair.extreme + 1) / (ours.n_trials + 1) == result.p_value
        # Ours is larger where a test can show nothing: equal systems, a single segment, few segments that differ.
        least = float(ours.units == 1)
        if ours.test == "randomization":
            least = 2.0 ** (1 - (rows[pair.first] != rows[pair.second]).any(axis=1).sum())
        assert pair.p_value == (max(least, result.p_value) if pair.difference else 1)
    compared("sacreBLEU's PairedTest", len(theirs))


def theirs(
    systems: Systems, references: list[list[str]], options: Any, kind: str, samples: int, confidence: int = -1
) -> Any:
    metric = metric_of(options, peer, references=references)
    (_, (_, results)) = PairedTest(systems, {"": metric}, None, kind, samples, confidence)()[1].items()
    return results


@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_random_systems(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    generator = random.Random(kind)
    for case in range(78):
        options = dict(OPTIONS[case % len(OPTIONS)])
        if kind == "ar" and options.get("smooth_value") == 0.3:
            options["smooth_value"] = 2  # its trials add k to integers, which cuts off their fractions
        monkeypatch.setenv("SACREBLEU_SEED", str(1 + case))
        systems, references = random_systems(generator, generator.choice([1, 2, 3, 31, 32, 33, 60]))
        samples = generator.choice([2, 7, 31, 33, 39, 40, 41, 100])
        confidence = generator.choice([-1, 2, 39, 80])
        metric = metric_of(options)
        rows = {name: metric.statistics(lines, references) for name, lines in systems}
        given: dict[str, Any] = {"pairs": "baseline"}
        if kind == "ar":
            given["n_resamples"] = max(0, confidence)
            ours = approximate_randomization(rows, metric, samples, **given)
        else:
            ours = paired_bootstrap(rows, metric, samples, **given)
        check(ours, theirs(systems, references, options, kind, samples, confidence), rows)


@pytest.mark.parametrize("options", [{}, {"char_order": 6}])
@pytest.mark.parametrize(
    ("pair", "count", "segments"),
    [
        ("zh-en", 3, 100),
        pytest.param("zh-en", 6, 1000, marks=pytest.mark.nightly),
        pytest.param("en-de", 20, 1000, marks=pytest.mark.nightly),
    ],
)
def test_real_systems(newstest: Any, pair: str, count: int, segments: int, options: Any) -> None:
    systems = [(name, lines[:segments]) for name, lines in newstest.systems(pair).items()][:count]
    references = [lines[:segments] for lines in newstest.references(pair).values()][:2]
    metric = metric_of(options)
    rows = {name: metric.statistics(lines, references) for name, lines in systems}
    randomized = approximate_randomization(rows, metric, 2000, n_resamples=200)
    resampled = paired_bootstrap(rows, metric, 500)
    # Each of some systems is the baseline of the next one, so that pairs of every kind are compared.
    for first, second in [*pairwise(systems[:6]), (systems[0], systems[-1])]:
        result = theirs([first, second], references, options, "ar", 2000)
        assert randomized.pair(first[0], second[0]).p_value == result[1].p_value
        result = theirs([first, second], references, options, "bs", 500)
        assert resampled.pair(first[0], second[0]).p_value == result[1].p_value
        compared("sacreBLEU's PairedTest", 2)
    ours = approximate_randomization(rows, metric, 300, n_resamples=200, pairs="baseline")
    check(ours, theirs(systems, references, options, "ar", 300, 200), rows)
    ours = paired_bootstrap(rows, metric, 300, pairs="baseline")
    check(ours, theirs(systems, references, options, "bs", 300), rows)
