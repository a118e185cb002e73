"""Ray and Spark on two cores, against our own two threads: Parquet to corpus score, ten million rows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import data
from benchmarks.measures import Table
from tests.support.engines import ENVIRONMENT

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

#: Rows that are written, and how many names each file has.
ROWS, COPIES = 1_000_000, 10
FILES = 4
ROUNDS = 2

# Times both in turns, in one process. The engine has been started, and has run once on a file.
PROGRAM = """
import json, os, sys, time
import pyarrow.dataset as ds
from fastbleu import BLEU, arrow

engine, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])

def ours():
    accumulator = BLEU(threads=2).accumulator()
    columns = ["mt", "ref_a", "ref_b"]
    for batch in ds.dataset(folder).to_batches(columns=columns, batch_size=1 << 17):
        accumulator.update(batch["mt"], [batch["ref_a"], batch["ref_b"]])
    return accumulator.compute().score

if engine == "ray":
    import on_ray, ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=sys.argv[4])
    theirs = lambda path: arrow.total(on_ray.sums(path)).score
    stop = ray.shutdown
else:
    import on_spark

    spark = on_spark.SparkSession.builder.getOrCreate()
    read = on_spark.sums_of_files if engine == "spark-files" else on_spark.sums
    theirs = lambda path: arrow.total(read(spark, path)).score
    stop = spark.stop

def clock(call):
    start = time.perf_counter()
    score = call()
    return time.perf_counter() - start, score

theirs(os.path.join(folder, sorted(os.listdir(folder))[0]))
times = [(clock(ours), clock(lambda: theirs(folder))) for _ in range(rounds)]
(our_times, our_scores), (their_times, their_scores) = (zip(*column) for column in zip(*times))
assert len({*our_scores, *their_scores}) == 1, (our_scores, their_scores)
print("RESULT" + json.dumps([min(our_times), min(their_times)]), flush=True)
stop()
"""

SPARK = {
    "spark.driver.memory": "4g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@pytest.fixture(scope="module")
def pairs() -> Iterator[Path]:
    """A folder of Parquet with translations, each row another one; the files have several names each."""
    import pyarrow.parquet as pq

    hypotheses, streams = data.all_systems("en-de", 2)
    segments = data.SEGMENTS["en-de"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        per_file = ROWS // FILES
        for k in range(FILES):
            rows = range(k * per_file, (k + 1) * per_file)
            table = pa.table(
                {
                    "system": [f"system {i // segments % 20}" for i in rows],
                    "mt": [f"{hypotheses[i % len(hypotheses)]} {i}" for i in rows],
                    "ref_a": [f"{streams[0][i % len(hypotheses)]} {i}" for i in rows],
                    "ref_b": [f"{streams[1][i % len(hypotheses)]} {i}" for i in rows],
                }
            )
            pq.write_table(table, folder / f"{k}-0.parquet", row_group_size=per_file // 2)
            for copy in range(1, COPIES):
                os.link(folder / f"{k}-0.parquet", folder / f"{k}-{copy}.parquet")
        yield folder


ENGINES = {"ray": "Ray", "spark": "Spark", "spark-files": "Spark, whose workers read the files,"}


@pytest.mark.parametrize("engine", ENGINES)
def test_engine(table: Table, pairs: Path, engine: str) -> None:
    if engine == "ray":
        pytest.importorskip("ray.data", reason="Ray is not installed", exc_type=ImportError)
    else:
        pytest.importorskip("pyspark", reason="Spark is not installed")
        if shutil.which("java") is None:
            pytest.skip("Java is not installed")
    settings = " ".join(f"--conf '{name}={value}'" for name, value in SPARK.items())
    # Ray's sockets lie in it, whose names must be short.
    with tempfile.TemporaryDirectory(prefix="eng", dir="/tmp", ignore_cleanup_errors=True) as temporary:
        environment = {
            "HOME": temporary,
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_SUBMIT_ARGS": f"--master local[2] {settings} pyspark-shell",
            "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
            "RAY_USAGE_STATS_ENABLED": "0",
            "SPARK_LOCAL_DIRS": temporary,
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        command = [sys.executable, "-c", PROGRAM, engine, str(pairs), str(ROUNDS), temporary]
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | ENVIRONMENT | environment,
            cwd=temporary,
        )
    assert done.returncode == 0, done.stderr
    ours, theirs = json.loads(done.stdout.rpartition("RESULT")[2].splitlines()[0])
    rows = ROWS * COPIES
    table.add(
        f"{rows:,} rows of Parquet, 2 references, {ENGINES[engine]} on two cores",
        f"our own two threads: {ours:.1f} s to {theirs:.1f} s",
        100 * ours / theirs,
        40,
        70,
        show="{:.0f} %".format,
    )
