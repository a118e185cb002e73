"""Ray Data: the program of the documentation on a real cluster of this machine, and the death of a worker."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fastbleu.rerank import mbr
from tests.support.engines import corpus_and_systems, printed, run

pytest.importorskip("ray.data", reason="Ray is not installed", exc_type=ImportError)
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

pytestmark = pytest.mark.nightly

# One cluster for all tests. `die` counts as the program does, but the first process that calls it kills itself.
DRIVER = """
import json, os, signal, sys
import on_ray, ray

sample, folder, temporary = sys.argv[1:]
count, marker = on_ray.count, os.path.join(folder, "killed")

def die(batch):
    try:
        with open(marker, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return count(batch)
    os.kill(os.getpid(), signal.SIGKILL)

ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, _temp_dir=temporary)
on_ray.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/winners")
print("--")
on_ray.count = die
on_ray.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/winners again")
ray.shutdown()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ray")


@pytest.fixture(scope="module")
def outputs(sample: Path, folder: Path) -> Iterator[list[str]]:
    driver = folder / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    # Sockets lie in it, whose names must be short.
    temporary = tempfile.mkdtemp(prefix="ray", dir="/tmp")
    try:
        output = run(
            driver,
            sample,
            folder,
            temporary,
            cwd=folder,
            HOME=str(folder),  # where Ray keeps the token of its cluster
            RAY_DATA_DISABLE_PROGRESS_BARS="1",
            RAY_USAGE_STATS_ENABLED="0",
        )
        yield output.split("--\n")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def test_scores_are_those_of_one_machine(outputs: list[str], pairs: Any) -> None:
    assert printed(outputs[0]) == corpus_and_systems(pairs)


def test_a_worker_that_dies_changes_nothing(outputs: list[str], folder: Path) -> None:
    assert int((folder / "killed").read_text()) > 0
    assert outputs[1].endswith(outputs[0])  # after Ray's own words on it


@pytest.mark.parametrize("name", ["winners", "winners again"])
def test_winners_are_those_of_one_machine(outputs: list[str], folder: Path, sample: Path, name: str) -> None:
    import pyarrow.parquet as pq

    assert outputs
    rows = pq.read_table(folder / name).sort_by("source").to_pydict()
    assert rows["samples"] == pq.read_table(sample / "pools")["samples"].to_pylist()
    expected = mbr(rows["samples"])
    assert rows["mbr_index"] == expected.indices.tolist()
    assert rows["mbr_utility"] == expected.utilities.tolist()
