"""The programs of examples/engines that need no cluster: their scores are those of one machine."""

from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU
from tests.support.engines import corpus_and_systems, printed, run
from tests.support.processes import printed_by

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def scores_of_rows(pairs: Any) -> list[float]:
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    return BLEU(effective_order=True).sentence_scores(columns["mt"], references).tolist()


@pytest.mark.slow
def test_duckdb(sample: Path, pairs: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    scores, *worst = run("on_duckdb.py", sample / "pairs", cwd=tmp_path).split("worst of ")
    assert printed(scores) == corpus_and_systems(pairs)
    of_rows = list(zip(scores_of_rows(pairs), pairs["mt"].to_pylist(), strict=True))
    assert worst == ["alpha: {} {}\n".format(*min(of_rows[:40])), "beta: {} {}\n".format(*min(of_rows[40:]))]


@pytest.mark.slow
def test_polars(sample: Path, pairs: Any, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    output = run("on_polars.py", sample / "pairs", tmp_path / "scored.parquet", cwd=tmp_path)
    assert printed(output) == corpus_and_systems(pairs)
    assert polars.read_parquet(tmp_path / "scored.parquet")["bleu"].to_list() == scores_of_rows(pairs)


@pytest.mark.slow
def test_pandas(sample: Path, pairs: Any, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    scores, *means = run("on_pandas.py", sample / "pairs", cwd=tmp_path).split("mean of the rows of ")
    assert printed(scores) == corpus_and_systems(pairs)
    rows = scores_of_rows(pairs)
    for (name, mean), part in zip(printed("".join(means)).items(), (rows[:40], rows[40:]), strict=True):
        assert mean == pytest.approx(sum(part) / len(part), rel=1e-12), name


@pytest.mark.nightly
def test_dask(sample: Path, pairs: Any, tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    assert printed(run("on_dask.py", sample / "pairs", cwd=tmp_path)) == corpus_and_systems(pairs)


@pytest.mark.nightly
def test_datasets(sample: Path, pairs: Any, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed", exc_type=ImportError)
    cache = tmp_path / "cache"
    outputs, written = [], []
    for scored in ("first", "second"):
        arguments = [sample / "pairs", scored]
        outputs.append(run("on_datasets.py", *arguments, cwd=tmp_path, HF_DATASETS_CACHE=str(cache)))
        written.append({path: path.stat().st_mtime_ns for path in cache.rglob("*.arrow")})
    assert printed(outputs[0]) == corpus_and_systems(pairs)
    # The second run found every result of the first one.
    assert outputs[1] == outputs[0]
    assert written[1] == written[0] != {}
    rows = datasets.load_from_disk(str(tmp_path / "second")).with_format("arrow")
    assert rows[:]["bleu"].to_pylist() == scores_of_rows(pairs)


# Functions that `map` is given, before and after the metric is used.
HASHES = """
from functools import partial
from datasets.fingerprint import Hasher
from fastbleu import BLEU, arrow

for metric in (BLEU(), BLEU(tokenize="intl"), BLEU(threads=2), BLEU(references=[["a b c", "d"], ["e f", None]])):
    for function in (arrow.score, arrow.statistics):
        call = partial(function, hypothesis="mt", references="ref", metric=metric)
        before = Hasher.hash(call)
        metric.corpus_score(["a b", "c d"], [["a c", "b d"]])
        assert Hasher.hash(call) == before
        print(before)
"""


@pytest.mark.nightly
def test_fingerprints_of_datasets_are_the_same_in_every_process() -> None:
    pytest.importorskip("datasets", reason="datasets is not installed", exc_type=ImportError)
    outputs = [printed_by(HASHES, PYTHONHASHSEED=seed).split() for seed in ("1", "2")]
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0])) == 8
