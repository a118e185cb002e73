"""The bootstrap interval: its resamples, its seed, its arithmetic."""

import statistics
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.scoring import bootstrap
from fastbleu.scoring.bootstrap import interval
from fastbleu.scoring.formula import Formula
from tests.support.random_rows import random_rows

np: Any = pytest.importorskip("numpy")

score_rows = Formula().score_rows


def one_shot(rows: Any, n_bootstrap: int, seed: int | None = 12345) -> Any:
    """The sums of the resamples, drawn all at once as the definition says."""
    drawn = np.random.default_rng(seed).choice(len(rows), size=(n_bootstrap, len(rows)), replace=True)
    return np.array([rows[indices].sum(axis=0) for indices in drawn])


def by_definition(scores: list[float]) -> tuple[float, float]:
    scores = sorted(scores)
    outside = len(scores) // 40
    return statistics.mean(scores), 0.5 * (scores[len(scores) - outside - 1] - scores[outside])


@pytest.mark.parametrize("segments", [1, 2, 3, 7, 100, 1002])
@pytest.mark.parametrize("n_bootstrap", [2, 39, 40, 41, 300])
def test_interval_is_that_of_the_definition(segments: int, n_bootstrap: int) -> None:
    rows = random_rows(segments, 0)
    before = rows.copy()
    mean, half_width, seed = interval(rows, n_bootstrap, score_rows)
    expected = by_definition(score_rows(one_shot(rows, n_bootstrap)).tolist())
    assert mean == pytest.approx(expected[0], rel=1e-12)
    assert half_width == expected[1]
    assert seed == "12345"
    assert type(mean) is type(half_width) is float
    assert (rows == before).all()


@pytest.mark.parametrize("draws_per_chunk", [1, 100, 1000, 10**7])
def test_sums_do_not_depend_on_the_chunks(monkeypatch: pytest.MonkeyPatch, draws_per_chunk: int) -> None:
    rows = random_rows(60, 0)
    monkeypatch.setattr(bootstrap, "_DRAWS_PER_CHUNK", draws_per_chunk)
    assert (bootstrap.resampled_sums(rows, 50, 12345) == one_shot(rows, 50)).all()


def test_sums_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = random_rows(50, 0)
    monkeypatch.setattr(bootstrap, "_SEGMENTS_PER_PRODUCT", 16)
    # The first sums are not exact in float32, and the second rows are of a narrow dtype.
    assert (bootstrap.resampled_sums(rows + 2**40, 20, 7) == one_shot(rows + 2**40, 20, 7)).all()
    assert (bootstrap.resampled_sums(rows.astype(np.uint8), 20, 7) == one_shot(rows, 20, 7)).all()


def test_seed_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = random_rows(30, 0)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    _, half_width, seed = interval(rows, 80, score_rows)
    assert (half_width, seed) == (by_definition(score_rows(one_shot(rows, 80, 7)).tolist())[1], "7")
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    runs = {interval(rows, 80, score_rows) for _ in range(3)}
    assert {seed for _, _, seed in runs} == {"none"}
    assert len(runs) == 3
    for bad in ("", "abc", "-1", "1.5"):
        monkeypatch.setenv("SACREBLEU_SEED", bad)
        with pytest.raises(ValueError, match=f"SACREBLEU_SEED must be a whole number or 'none', got {bad!r}"):
            interval(rows, 10, score_rows)


@pytest.mark.parametrize("segments", [1, 2, 100])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_resample_scores_each_resample(segments: int, n: int) -> None:
    rows = random_rows(segments, 0)
    expected = score_rows(one_shot(rows, n))
    found = BLEU().resample(rows, n)
    assert found.dtype == np.float64
    assert (found == expected).all()
    assert (BLEU().resample(rows, n, seed=7) == score_rows(one_shot(rows, n, 7))).all()
    assert (BLEU().resample(rows.astype(np.uint8), n) == expected).all()


@pytest.mark.parametrize("segments", [1, 2, 57])
def test_jackknife_leaves_each_segment_out(segments: int) -> None:
    rows = random_rows(segments, 0)
    bleu = BLEU()
    expected = [
        bleu.formula.score(np.delete(rows, i, axis=0).sum(axis=0).tolist()).score for i in range(segments)
    ]
    assert bleu.jackknife(rows).tolist() == expected
    assert bleu.jackknife(rows.astype(np.uint8)).tolist() == expected


@pytest.mark.parametrize("method", [BLEU().resample, BLEU().jackknife])
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "statistics must have the shape"),
        (np.ones((3, 10)), TypeError, "statistics must be integers"),
        (np.full((3, 10), -1), ValueError, r"statistics\[0\]\[0\] must not be negative"),
        (np.full((2, 10), 1 << 52), ValueError, r"statistics must add up to less than 2\^53"),
    ],
)
def test_bad_statistics_are_refused(method: Any, rows: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        method(rows)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: interval(random_rows(0, 0), 10, score_rows), ValueError, "at least one segment"),
        (lambda: interval(random_rows(3, 0), 1, score_rows), ValueError, "n_bootstrap must be at least"),
        (lambda: interval(random_rows(3, 0), 9.0, score_rows), TypeError, "n_bootstrap must be an int"),
        (lambda: BLEU().resample(random_rows(3, 0), 0), ValueError, "n must be at least 1, got 0"),
        (lambda: BLEU().resample(random_rows(3, 0), seed=-1), ValueError, "seed must be at least 0"),
        (lambda: BLEU().resample(random_rows(3, 0), seed=1.5), TypeError, "seed must be an int"),
        (lambda: BLEU().resample(random_rows(3, 0), seed="1"), ValueError, "seed must be an int, None"),
    ],
)
def test_bad_arguments_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
