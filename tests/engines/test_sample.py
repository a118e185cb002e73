"""The program that writes the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.engines import run

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.nightly
def test_written_twice(tmp_path: Path) -> None:
    for _ in range(2):
        run("sample.py", "sample", cwd=tmp_path)
        written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.parquet"))
        assert written == [
            *(f"sample/pairs/part-{i}.parquet" for i in range(3)),
            *(f"sample/pools/part-{i}.parquet" for i in range(2)),
        ]
