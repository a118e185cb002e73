"""The bootstrap interval: its resamples, its seed, its arithmetic."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.scoring import bootstrap
from fastbleu.scoring.bootstrap import interval
from fastbleu.scoring.formula import Formula

np: Any = pytest.importorskip("numpy")

score_rows = Formula().score_rows


def statistics_rows(segments: int, seed: int = 0) -> Any:
    """Plausible statistics of order 4."""
    rng = np.random.default_rng(seed)
    sys_len = rng.integers(0, 60, segments)
    total = np.maximum(sys_len[:, np.newaxis] - np.arange(4), 0)
    correct = np.minimum.accumulate(rng.integers(0, total + 1), axis=1)
    return np.column_stack([sys_len, rng.integers(1, 60, segments), correct, total])


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
    rows = statistics_rows(segments)
    before = rows.copy()
    mean, half_width, seed = interval(rows, n_bootstrap, score_rows)
    expected = by_definition(score_rows(one_shot(rows, n_bootstrap)).tolist())
    assert mean == pytest.approx(expected[0], rel=1e-12)
    assert half_width == expected[1]
    assert seed == "12345"
    assert type(mean) is type(half_width) is float
    assert (rows == before).all()


@pytest.mark.parametrize("segments", [1, 2, 3, 1000, 1023, 1024, 65_537])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_draws_in_chunks_are_the_draws_at_once(segments: int, size: int) -> None:
    at_once = np.random.default_rng(99).choice(segments, size=(14, segments), replace=True)
    rng = np.random.default_rng(99)
    in_chunks = np.concatenate([bootstrap.draw_segments(rng, segments, size) for _ in range(14 // size)])
    assert (in_chunks == at_once).all()


def test_draws_that_reject_numbers_are_the_same() -> None:
    """Near 2^32 and above 2^31, every other number is thrown away and drawn again."""
    for bound in (2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32):
        at_once = np.random.default_rng(5).choice(bound, size=1000, replace=True)
        rng = np.random.default_rng(5)
        in_chunks = [rng.integers(0, bound, size=(250,), dtype="uint32") for _ in range(4)]
        assert (np.concatenate(in_chunks) == at_once).all()


@pytest.mark.parametrize("draws_per_chunk", [1, 100, 1000, 10**7])
def test_sums_do_not_depend_on_the_chunks(monkeypatch: pytest.MonkeyPatch, draws_per_chunk: int) -> None:
    rows = statistics_rows(60)
    monkeypatch.setattr(bootstrap, "_DRAWS_PER_CHUNK", draws_per_chunk)
    assert (bootstrap.resampled_sums(rows, 50, 12345) == one_shot(rows, 50)).all()


@pytest.mark.parametrize("max_copied", [0, 10**9])
def test_sums_are_exact(monkeypatch: pytest.MonkeyPatch, max_copied: int) -> None:
    rows = statistics_rows(50)
    monkeypatch.setattr(bootstrap, "_MAX_COPIED", max_copied)
    # Float32 cannot hold the first sums, and the numbers of the others are narrow.
    assert (bootstrap.resampled_sums(rows + 2**40, 20, 7) == one_shot(rows + 2**40, 20, 7)).all()
    assert (bootstrap.resampled_sums(rows.astype(np.uint8), 20, 7) == one_shot(rows, 20, 7)).all()


def test_seed_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = statistics_rows(30)
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    mean, half_width, seed = interval(rows, 80, score_rows)
    expected = by_definition(score_rows(one_shot(rows, 80, 7)).tolist())
    assert mean == pytest.approx(expected[0], rel=1e-12)
    assert (half_width, seed) == (expected[1], "7")
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    runs = {interval(rows, 80, score_rows) for _ in range(3)}
    assert {seed for _, _, seed in runs} == {"none"}
    assert len(runs) == 3
    for bad in ("", "abc", "-1", "1.5"):
        monkeypatch.setenv("SACREBLEU_SEED", bad)
        with pytest.raises(ValueError, match=f"SACREBLEU_SEED must be a whole number or 'none', got {bad!r}"):
            interval(rows, 10, score_rows)


@pytest.mark.parametrize(
    ("segments", "n_bootstrap", "error", "message"),
    [
        (0, 10, ValueError, "at least one segment"),
        (3, 1, ValueError, "n_bootstrap must be at least 2, got 1"),
        (3, -5, ValueError, "n_bootstrap must be at least 2, got -5"),
        (3, 10.0, TypeError, "n_bootstrap must be an int, not float: 10.0"),
        (3, True, TypeError, "n_bootstrap must be an int, not bool: True"),
    ],
)
def test_bad_arguments_are_refused(
    segments: int, n_bootstrap: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        interval(statistics_rows(segments), n_bootstrap, score_rows)


# --- The scores themselves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("segments", [1, 2, 100])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_resample_scores_each_resample(segments: int, n: int) -> None:
    rows = statistics_rows(segments)
    expected = score_rows(one_shot(rows, n))
    found = BLEU().resample(rows, n)
    assert found.dtype == np.float64
    assert (found == expected).all()
    assert (BLEU().resample(rows, n, seed=7) == score_rows(one_shot(rows, n, 7))).all()
    assert (BLEU().resample(rows.astype(np.uint8), n) == expected).all()


def test_resamples_are_those_of_the_interval() -> None:
    hypotheses, references = (
        ["the cat sat", "it rains", "so it is"] * 9,
        [["the cat sits", "it rains", "it is so"] * 9],
    )
    bleu = BLEU(max_ngram_order=2)
    score = bleu.corpus_score(hypotheses, references, n_bootstrap=400)
    mean, half_width = by_definition(bleu.resample(bleu.statistics(hypotheses, references), 400).tolist())
    assert (score.mean, score.ci) == (pytest.approx(mean, rel=1e-12), half_width)


@pytest.mark.parametrize("segments", [1, 2, 57])
def test_jackknife_leaves_each_segment_out(segments: int) -> None:
    rows = statistics_rows(segments)
    bleu = BLEU()
    expected = [
        bleu.formula.score(np.delete(rows, i, axis=0).sum(axis=0).tolist()).score for i in range(segments)
    ]
    assert bleu.jackknife(rows).tolist() == expected
    assert bleu.jackknife(rows.astype(np.uint8)).tolist() == expected


@pytest.mark.parametrize("door", [BLEU().resample, BLEU().jackknife])
@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "statistics must have the shape"),
        (np.ones((3, 8), dtype=np.int64), ValueError, "statistics must have the shape"),
        (np.ones((3, 10)), TypeError, "statistics must be integers"),
        (np.full((3, 10), np.nan), TypeError, "statistics must be integers"),
        (np.full((3, 10), -1), ValueError, r"statistics\[0\]\[0\] must not be negative"),
        (np.full((2, 10), 1 << 52), ValueError, r"statistics must add up to less than 2\^53"),
    ],
)
def test_bad_statistics_are_refused(door: Any, rows: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        door(rows)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 0}, ValueError, "n must be at least 1, got 0"),
        ({"n": 2.0}, TypeError, "n must be an int, not float: 2.0"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
        ({"seed": 1.5}, TypeError, "seed must be an int, not float: 1.5"),
        ({"seed": "1"}, ValueError, "seed must be an int, None or 'none', got '1'"),
    ],
)
def test_bad_resamples_are_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BLEU().resample(statistics_rows(3), **options)
