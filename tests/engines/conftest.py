"""The sample as a folder of Parquet files, and as a table."""

from pathlib import Path
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
    import pyarrow.parquet as pq

    return pq.read_table(sample / "pairs")
