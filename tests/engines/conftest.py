"""The sample and real translations as folders of Parquet files."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support import engines


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `pairs` and `pools`, as examples/engines/sample.py makes it."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    folder = tmp_path_factory.mktemp("sample")
    made = engines.sample()
    made.write(made.pairs(), folder / "pairs", files=3)
    made.write(made.pools(), folder / "pools", files=2)
    return folder


@pytest.fixture(scope="session")
def pairs(sample: Path) -> Any:
    """The sample's pairs as a table."""
    import pyarrow.parquet as pq

    return pq.read_table(sample / "pairs")


@pytest.fixture(scope="session")
def real_pairs(newstest: ModuleType) -> Any:
    """Every system's output of en-de with two references."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    references = newstest.references("en-de")
    return pa.concat_tables(
        [
            pa.table(
                {
                    "system": [system] * len(lines),
                    "mt": lines,
                    "ref_a": references["A"],
                    "ref_b": references["C"],
                }
            )
            for system, lines in newstest.systems("en-de").items()
        ]
    )


@pytest.fixture(scope="session")
def real_sample(real_pairs: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with real pairs."""
    folder = tmp_path_factory.mktemp("real")
    engines.sample().write(real_pairs, folder / "pairs", files=5)
    return folder
