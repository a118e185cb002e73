"""Dask and pandas: the programs of the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU
from tests.support.engines import corpus_and_systems, printed, run

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.nightly
def test_dask(sample: Path, pairs: Any, tmp_path: Path) -> None:
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    assert printed(run("on_dask.py", sample / "pairs", cwd=tmp_path)) == corpus_and_systems(pairs)


@pytest.mark.slow
def test_pandas(sample: Path, pairs: Any, tmp_path: Path) -> None:
    scores, _, means = run("on_pandas.py", sample / "pairs", cwd=tmp_path).partition("mean of the rows of ")
    assert printed(scores) == corpus_and_systems(pairs)
    first = means.splitlines()[0].removeprefix("alpha: ")
    columns = pairs.slice(0, 40).to_pydict()
    rows = BLEU(effective_order=True).sentence_scores(columns["mt"], [columns["ref_a"], columns["ref_b"]])
    assert float(first) == pytest.approx(rows.mean(), rel=1e-12)
