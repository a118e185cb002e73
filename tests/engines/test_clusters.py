"""Ray Data and Spark: the documentation's programs on a real cluster of this machine, and the death of a worker."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fastbleu.rerank import mbr
from tests.support.engines import corpus_and_systems, printed, run

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

pytestmark = pytest.mark.nightly

# One cluster for all tests. `die` counts as the program does, but the first process that calls it kills itself.
BEGINNING = """
import os, signal, sys

sample, folder, temporary = sys.argv[1:]
marker = os.path.join(folder, "killed")

def die(rows):
    try:
        with open(marker, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return count(rows)
    os.kill(os.getpid(), signal.SIGKILL)

def run(program, name, *read):
    program.main(f"{sample}/pairs", f"{sample}/pools", f"{folder}/{name}", *read)
"""
DRIVERS = {
    "ray": """
import on_ray, ray

count = on_ray.count
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, _temp_dir=temporary)
run(on_ray, "winners")
print("--")
on_ray.count = die
run(on_ray, "winners again")
ray.shutdown()
""",
    "spark": """
import on_spark

count = on_spark.count
spark = on_spark.SparkSession.builder.getOrCreate()
stop, type(spark).stop = type(spark).stop, lambda self: None  # not before the last one is through
run(on_spark, "winners")
print("--")
on_spark.count = die
run(on_spark, "winners again")
print("--")
on_spark.count = count
run(on_spark, "winners of files", "files")
stop(spark)
""",
}

# Four attempts of a task, as on a cluster; on one machine the default is one.
SPARK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SUBMITTED = " ".join(f"--conf '{name}={value}'" for name, value in SPARK.items())


@pytest.fixture(scope="module", params=["ray", "spark"])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "ray":
        pytest.importorskip("ray.data", reason="Ray is not installed", exc_type=ImportError)
    else:
        pytest.importorskip("pyspark", reason="Spark is not installed")
        if shutil.which("java") is None:
            pytest.skip("Java is not installed")
    return str(request.param)


@pytest.fixture(scope="module")
def folder(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(engine)


@pytest.fixture(scope="module")
def outputs(engine: str, sample: Path, folder: Path) -> Iterator[list[str]]:
    driver = folder / "driver.py"
    driver.write_text(BEGINNING + DRIVERS[engine], encoding="utf-8")
    # Ray's sockets lie in it, whose names must be short.
    temporary = tempfile.mkdtemp(prefix=engine, dir="/tmp")
    environment = {
        "HOME": str(folder),  # where Ray keeps the token of its cluster
        "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": f"--master local[2,4] {SUBMITTED} pyspark-shell",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    try:
        yield run(driver, sample, folder, temporary, cwd=folder, **environment).split("--\n")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def test_scores_are_those_of_one_machine(outputs: list[str], pairs: Any) -> None:
    assert printed(outputs[0]) == corpus_and_systems(pairs)


def test_a_worker_that_dies_changes_nothing(outputs: list[str], folder: Path) -> None:
    assert int((folder / "killed").read_text()) > 0
    assert outputs[1].endswith(outputs[0])  # after Ray's own words on it


def test_files_that_workers_read(engine: str, outputs: list[str]) -> None:
    if engine == "spark":
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
