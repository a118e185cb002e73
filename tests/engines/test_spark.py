"""Spark: the program of the documentation in a real Java machine, and the death of a worker."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from fastbleu.rerank import mbr
from tests.support.engines import corpus_and_systems, printed, run

pytest.importorskip("pyspark", reason="Spark is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

pytestmark = pytest.mark.nightly

# One session for all tests. `die` counts as the program does, but the first process that calls it kills itself.
DRIVER = """
import os, signal, sys
import on_spark

sample, folder = sys.argv[1:]
count, marker = on_spark.count, os.path.join(folder, "killed")

def die(batches):
    try:
        with open(marker, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return count(batches)
    os.kill(os.getpid(), signal.SIGKILL)

spark = on_spark.SparkSession.builder.getOrCreate()
stop, type(spark).stop = type(spark).stop, lambda self: None  # not before the last one is through
on_spark.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/winners")
print("--")
on_spark.count = die
on_spark.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/winners again")
print("--")
on_spark.count = count
on_spark.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/winners of files", "files")
stop(spark)
"""

# Four attempts of a task, as on a cluster; on one machine the default is one.
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SUBMITTED = " ".join(f"--conf '{name}={value}'" for name, value in SETTINGS.items())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def outputs(sample: Path, folder: Path) -> list[str]:
    driver = folder / "driver.py"
    driver.write_text(DRIVER, encoding="utf-8")
    output = run(
        driver,
        sample,
        folder,
        cwd=folder,
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_SUBMIT_ARGS=f"--master local[2,4] {SUBMITTED} pyspark-shell",
        SPARK_LOCAL_DIRS=str(folder),
        SPARK_LOCAL_IP="127.0.0.1",
    )
    return output.split("--\n")


def test_scores_are_those_of_one_machine(outputs: list[str], pairs: Any) -> None:
    assert printed(outputs[0]) == corpus_and_systems(pairs)


def test_a_worker_that_dies_changes_nothing(outputs: list[str], folder: Path) -> None:
    assert int((folder / "killed").read_text()) > 0
    assert outputs[1] == outputs[0]


def test_files_that_workers_read(outputs: list[str]) -> None:
    assert sorted(outputs[2].splitlines()) == sorted(outputs[0].splitlines())


@pytest.mark.parametrize("name", ["winners", "winners again"])
def test_winners_are_those_of_one_machine(outputs: list[str], folder: Path, sample: Path, name: str) -> None:
    import pyarrow.parquet as pq

    assert outputs
    rows = pq.read_table(folder / name).sort_by("source").to_pydict()
    expected = mbr(pq.read_table(sample / "pools")["samples"].to_pylist())
    assert rows["source"] == list(range(len(expected.indices)))
    assert rows["mbr_index"] == expected.indices.tolist()
    assert rows["mbr_utility"] == expected.utilities.tolist()
