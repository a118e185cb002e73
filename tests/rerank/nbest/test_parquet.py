"""N-best lists in Parquet and Arrow IPC: read, reranked and written, with runs that were killed and what is refused."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

import pyarrow.parquet as pq

from fastbleu import BLEU
from fastbleu.inputs import table_files
from fastbleu.rerank import expected, mbr, oracle, self_bleu
from fastbleu.rerank.nbest.parquet import Table
from tests.support.nbest_lists import POOLS, REFERENCES, SCORES, command, refused, run, written
from tests.support.processes import environment

NAMES = ["a", "b", "c", "d", "e"]
OTHERS = [None, "it rained", None, "yes", None]
COLUMNS: dict[str, Any] = {
    "doc": NAMES,
    "samples": POOLS,
    "score": SCORES,
    "ref": REFERENCES,
    "refs": [[text, "more"] for text in REFERENCES],
    "other": OTHERS,
    "n": [1, 2, None, 4, 5],
}
METRIC = BLEU(effective_order=True)
ENDINGS = ("parquet", "arrow", "arrows")
MBR = "--candidates samples"
LEFT = "fastbleu-rerank: what was done is left in out.parquet.part; --resume goes on\n"


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    write(folder, pa.table(COLUMNS))


def write(folder: Path, table: Any, name: str = "pools", rows: int = 2) -> None:
    pq.write_table(table, folder / f"{name}.parquet", row_group_size=rows)
    for ending, open_ in (("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)):
        with (folder / f"{name}.{ending}").open("wb") as file, open_(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)


def read(path: str) -> Any:
    if not path.endswith(".arrow"):
        return pq.read_table(path)
    return pa.ipc.open_file(path).read_all()


def wrote(arguments: str, path: str = "out.parquet") -> dict[str, list[Any]]:
    assert written(f"{arguments} -o {path}") == ""
    assert not [name for name in os.listdir() if name.startswith(f"{path}.")]
    found: dict[str, list[Any]] = read(path).to_pydict()
    return found


def stopped(arguments: str) -> tuple[int, str]:
    """Exit code and message of a run that fails; a second line says that rows are left if there are some."""
    status, _, said = run(f"{arguments} -q")
    assert said.startswith("fastbleu-rerank: ")
    message, more = said.removeprefix("fastbleu-rerank: ").split("\n", 1)
    assert more == (LEFT if os.path.exists("out.parquet.part") else "")
    return status, message


def others(*left_out: str) -> dict[str, Any]:
    return {name: column for name, column in COLUMNS.items() if name not in ("samples", *left_out)}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("output", ["out.parquet", "out.arrow"])
@pytest.mark.parametrize("most", [1, 3, 8192])
@pytest.mark.parametrize("threads", [1, 2])
def test_mbr(monkeypatch: pytest.MonkeyPatch, ending: str, output: str, most: int, threads: int) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    indices, utilities = mbr(POOLS)
    assert wrote(f"mbr pools.{ending} {MBR} --threads {threads}", output) == {
        **others(),
        "score": [[scores[k]] for scores, k in zip(SCORES, indices, strict=True)],
        "text": [pool[k] for pool, k in zip(POOLS, indices, strict=True)],
        "index": indices.tolist(),
        "expected_bleu": utilities.tolist(),
    }


def test_the_commands_are_those_of_the_library() -> None:
    found = oracle(POOLS, [[text] for text in REFERENCES])
    for references in ("--references-field ref", "-r ref"):
        out = wrote(f"oracle pools.parquet {MBR} {references}")
        assert (out["index"], out["bleu"]) == (found.indices.tolist(), found.utilities.tolist())
        assert out["text"] == [pool[k] for pool, k in zip(POOLS, found.indices, strict=True)]
    found = oracle(POOLS, [[text] for text in REFERENCES], level="corpus")
    out = wrote(f"oracle pools.parquet {MBR} --level corpus --references-field ref")
    assert out["index"] == found.indices.tolist()
    out = wrote(f"self-bleu pools.parquet {MBR}")
    assert out == {**others(), "self_bleu": [self_bleu(pool).mean for pool in POOLS]}
    utilities = expected(POOLS)
    out = wrote(f"mbr pools.parquet {MBR} --all")
    assert out["expected_bleu"] == [each.tolist() for each in utilities]
    orders = [np.argsort(-each, kind="stable")[:2].tolist() for each in utilities]
    out = wrote(f"mbr pools.arrow {MBR} --top-k 2")
    assert (out["index"], out["doc"]) == (orders, NAMES)
    columns: dict[str, list[list[Any]]] = {"samples": POOLS, "score": SCORES}
    for name, column in columns.items():
        assert out[name] == [[part[k] for k in order] for part, order in zip(column, orders, strict=True)]


@pytest.mark.parametrize("first", ["ref", "refs"])
@pytest.mark.parametrize("second", [None, "other"])
def test_score_writes_lists(first: str, second: str | None) -> None:
    options = f"--references-field {first}" + (f" --references-field {second}" if second else "")
    references = [[each] if isinstance(each, str) else each for each in COLUMNS[first]]
    if second:
        references = [[*each, more] if more else each for each, more in zip(references, OTHERS, strict=True)]
    scores = [
        [METRIC.sentence_score(text, texts).score for text in pool]
        for pool, texts in zip(POOLS, references, strict=True)
    ]
    assert wrote(f"score pools.parquet {MBR} {options}") == {**others(), "samples": POOLS, "bleu": scores}


def test_models_scores_and_evidence() -> None:
    options = "--weights-from score --weights-as log-probabilities --temperature 2"
    found = wrote(f"mbr pools.parquet {MBR} {options}")
    chosen = mbr(POOLS, weights=SCORES, weights_as="log-probabilities", temperature=2)
    assert found["expected_bleu"] == chosen.utilities.tolist()
    best = wrote(f"mbr pools.parquet {MBR} --interpolate 0.5")["interpolated_score"]
    plain = written("mbr lists --interpolate 0.5 -w 12")
    assert [round(value, 12) for value in best] == [
        json.loads(line)["interpolated_score"][0] for line in plain.splitlines()
    ]
    assert wrote(f"mbr pools.parquet {MBR} --evidence pools.arrow")["index"] == mbr(POOLS).indices.tolist()


def test_other_forms_out_and_in() -> None:
    expected_lines = written("mbr lists --output-format moses")
    assert written(f"mbr pools.parquet {MBR} --output-format moses") == expected_lines
    found = [
        json.loads(line)
        for line in written(f"mbr pools.parquet {MBR} --id-field doc --output-format json").splitlines()
    ]
    assert [record["doc"] for record in found] == NAMES
    assert [record["text"] for record in found] == [
        pool[k] for pool, k in zip(POOLS, mbr(POOLS).indices, strict=True)
    ]
    assert written(f"mbr pools.parquet {MBR} --output-format text") == written(
        "mbr moses --output-format text"
    )
    indices, utilities = mbr(POOLS)
    columns = {
        "text": [pool[k] for pool, k in zip(POOLS, indices, strict=True)],
        "index": indices.tolist(),
        "expected_bleu": utilities.tolist(),
    }
    assert wrote("mbr moses") == {"id": [0, 1, 2, 3, 4], **columns}
    assert wrote("mbr lists", "out.arrow") == {"id": ["s0", "s1", "s2", "s3", "s4"], **columns}
    assert wrote("mbr moses --all")["candidates"] == POOLS


def test_standard_input_and_output(folder: Path) -> None:
    data = (folder / "pools.arrows").read_bytes()
    status, out, _ = run(f"mbr {MBR} -q", data)
    assert status == 0
    assert pa.ipc.open_stream(out).read_all()["index"].to_pylist() == mbr(POOLS).indices.tolist()
    status, out, _ = run(f"mbr pools.arrow {MBR} -q --output-format parquet")
    assert status == 0
    assert pq.read_table(pa.BufferReader(out))["index"].to_pylist() == mbr(POOLS).indices.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("stop", [ValueError("a broken row"), KeyboardInterrupt()])
def test_standard_output_has_no_end_after_an_error(
    monkeypatch: pytest.MonkeyPatch, form: str, stop: BaseException
) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", 1)
    _, whole, _ = run(f"mbr pools.parquet {MBR} -q --output-format {form}")
    batches = Table.parse

    def parse(self: Table, block: Any) -> Any:
        if block.first_line == 4:
            raise stop
        return batches(self, block)

    monkeypatch.setattr(Table, "parse", parse)
    status, out, said = run(f"mbr pools.parquet {MBR} -q --output-format {form}")
    expected_ends = (1, "fastbleu-rerank: a broken row\n") if isinstance(stop, ValueError) else (130, "")
    assert (status, said) == expected_ends
    gc.collect()
    assert len(out) > 100
    assert whole.startswith(out)
    if form == "parquet":
        with pytest.raises(pa.ArrowInvalid, match="magic bytes"):
            pq.read_table(pa.BufferReader(out))
    else:
        assert not out.endswith(b"\xff\xff\xff\xff\0\0\0\0")


def test_names_of_outputs_say_their_form() -> None:
    arguments = f"mbr pools.parquet {MBR}"
    best = mbr(POOLS).indices.tolist()
    for path in ("out.pq", "winners"):
        assert wrote(arguments, path)["index"] == best
    assert written(f"mbr pools.arrow {MBR} -o out.arrows") == ""
    assert pa.ipc.open_stream(Path("out.arrows").read_bytes()).read_all()["index"].to_pylist() == best
    # Lists in lines stay what they are.
    for path, line, form in (
        ("out.jsonl", arguments, "json"),
        ("out.txt", arguments, "text"),
        ("out.json", "mbr moses", "moses"),
    ):
        assert written(f"{line} -o {path}") == ""
        assert Path(path).read_text(encoding="utf-8") == written(f"{line} --output-format {form}")


@pytest.mark.slow
def test_no_table_is_written_to_a_terminal() -> None:
    pty = pytest.importorskip("pty")
    master, terminal = pty.openpty()
    try:
        for options, status in (("", 2), (" --output-format text", 0)):
            done = subprocess.run(
                command(f"mbr pools.parquet {MBR} -q{options}"),
                stdout=terminal,
                stderr=subprocess.PIPE,
                env=environment(),
                check=False,
                timeout=60,
            )
            assert done.returncode == status
            assert (b"parquet is not written to a terminal; name a file, or" in done.stderr) == bool(status)
    finally:
        os.close(master)
        os.close(terminal)


def test_schemas_are_kept(folder: Path) -> None:
    table = pa.table(
        {
            "samples": pa.array(POOLS, pa.large_list(pa.large_string())),
            "system": pa.array(["x", "y", "x", "y", "x"]).dictionary_encode(),
            "when": pa.array([1, 2, 3, 4, None], pa.timestamp("us")),
            "nested": [{"a": i, "b": [i] * i} for i in range(5)],
        }
    ).replace_schema_metadata({"made": "here"})
    write(folder, table, "typed")
    for ending in ENDINGS:
        assert written(f"mbr typed.{ending} {MBR} -o out.parquet") == ""
        found = read("out.parquet")
        assert found.select(["system", "when", "nested"]).equals(table.select(["system", "when", "nested"]))
        assert found.schema.metadata[b"made"] == b"here"
        assert written(f"mbr typed.{ending} {MBR} -o out.arrow") == ""
        assert read("out.arrow")["system"].to_pylist() == ["x", "y", "x", "y", "x"]


BAD = [
    ("samples", 1, [], "expected candidates in 'samples', found none"),
    ("samples", 3, None, "expected candidates in 'samples', found none"),
    ("samples", 3, ["a", None], "expected strings in 'samples', found null"),
    ("score", 4, [1.0], "expected as many numbers in 'score' as candidates, 3, found 1"),
    ("score", 4, None, "expected as many numbers in 'score' as candidates, 3, found 0"),
    ("score", 0, [np.nan, 1, 2], "expected finite numbers in 'score', found null, NaN or an infinite one"),
    ("ref", 0, None, "expected a reference in 'ref', found null"),
    ("doc", 2, None, "expected an id in 'doc', found null"),
    ("marks", 2, ["a"], "expected as many items in 'marks' as candidates, 4, found 1"),
]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("most", [1, 8192])
@pytest.mark.parametrize(("column", "bad", "value", "message"), BAD)
def test_broken_rows(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ending: str, most: int, column: str, bad: int, value: Any,
    message: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    columns = {**COLUMNS, "marks": [[f"{i}.{k}" for k in range(len(pool))] for i, pool in enumerate(POOLS)]}
    columns[column] = [*columns[column][:bad], value, *columns[column][bad + 1 :]]
    write(folder, pa.table(columns), "bad")
    options = "--interpolate 0.5 --id-field doc --references-field ref --parallel-field marks"
    arguments = f"mbr bad.{ending} {MBR} {options} -o out.parquet"
    assert stopped(arguments) == (1, f"bad.{ending}: row {bad + 1}: {message}")
    assert not os.path.exists("out.parquet")
    assert written(f"{arguments} --skip-bad") == ""
    kept = [i for i in range(5) if i != bad]
    found = read("out.parquet")
    assert found["n"].to_pylist() == [COLUMNS["n"][i] for i in kept]
    utilities = expected([POOLS[i] for i in kept])
    best = [int((each + SCORES[i]).argmax()) for i, each in zip(kept, utilities, strict=True)]
    assert found["text"].to_pylist() == [POOLS[i][k] for i, k in zip(kept, best, strict=True)]
    assert found["marks"].to_pylist() == [[f"{i}.{k}"] for i, k in zip(kept, best, strict=True)]


def test_evidence_may_have_no_ids(folder: Path) -> None:
    write(folder, pa.table(COLUMNS).drop_columns(["doc"]), "other")
    found = wrote(f"mbr pools.parquet {MBR} --id-field doc --evidence other.parquet")
    assert found["index"] == mbr(POOLS).indices.tolist()


def test_text_that_is_not_utf8(folder: Path) -> None:
    data = pa.array([b"a", b"b", b"caf\xe9", b"d"])
    strings = pa.Array.from_buffers(pa.string(), 4, data.buffers())
    write(
        folder,
        pa.table({"samples": pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), strings)}),
        "bad",
    )
    for ending in ENDINGS:
        assert refused(f"mbr bad.{ending} {MBR} -o out.parquet") == (
            1,
            f"bad.{ending}: row 2: 'samples' is not valid UTF-8: byte 0xe9 at byte offset 3",
        )


MISSING = f"there is no column 'nope'; its columns are {', '.join(map(repr, COLUMNS))}"
TAKEN = "already, which is to hold what is found; rename that column first"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        *((f"mbr pools.parquet {options}", 1, f"pools.parquet: {message}") for options, message in (
            ("", "there is no column 'candidates'; its columns are 'doc', 'samples', "),
            ("--candidates nope", MISSING),
            ("--candidates doc", "expected a column of lists of strings, but 'doc' is string"),
            (f"{MBR} --id-field nope", MISSING),
            (f"{MBR} --parallel-field nope", MISSING),
            (f"{MBR} -o x.parquet --parallel-field doc", "expected a column of lists, but 'doc' is string"),
            (f"{MBR} --references-field nope", MISSING),
            (f"{MBR} --references-field n", "expected a column of strings or of lists of strings, but 'n' is int64"),
            (f"{MBR} --weights-from nope --weights-as counts", MISSING),
            (f"{MBR} --weights-from doc --weights-as counts",
             "expected a column of lists of numbers, but 'doc' is string"),
            (f"{MBR} --interpolate 0.5 --model-score nope", MISSING),
            (f"{MBR} -o x.parquet --text-field doc", f"there is a column 'doc' {TAKEN}"),
        )),
        *((f"mbr pools.parquet {MBR} {options}", 2, f"argument {message}") for options, message in (
            ("-n 2", "--candidates-per-source/-n: is for plain text, but"),
            ("-o pools.parquet", "--output/-o: pools.parquet is an input"),
            ("-o out.csv", "--output/-o: no format has names that end in .csv (.parquet, .pq, .arrow, .feather, "),
            ("-o out.parquet --output-format json",
             "--output/-o: 'out.parquet' ends in .parquet, but --output-format is json"),
            ("-o out.arrow --output-format parquet",
             "--output/-o: 'out.arrow' ends in .arrow, but --output-format is parquet"),
            ("-o out.txt --output-format parquet",
             "--output/-o: 'out.txt' ends in .txt, but --output-format is parquet"),
        )),
        (f"oracle pools.parquet {MBR}", 2, "no references: name each file of them with -r/--references, or"),
        (f"oracle pools.parquet {MBR} --references-field ref -r ref", 2,
         "argument --references-field: cannot be used with --references/-r"),
        ("oracle moses --references-field ref", 2,
         "argument --references-field: is for Parquet and Arrow IPC, not for moses"),
        ("mbr moses --input-format parquet", 1, "moses: expected a Parquet file, or an Arrow IPC file or stream"),
        (f"mbr pools.parquet {MBR} -o no/out.parquet", 1, "no/out.parquet: No such file or directory"),
        (f"mbr empty.parquet {MBR} -o out.parquet", 1, "empty.parquet is empty"),
        (f"mbr short.parquet {MBR} -o out.parquet", 1, "short.parquet: broken Parquet file"),
        (f"mbr short.arrow {MBR} -o out.parquet", 1, "short.arrow: broken Arrow IPC file"),
        (f"mbr short.arrows {MBR} -o out.parquet", 1, "short.arrows: "),
    ],
)  # fmt: skip
def test_refused(folder: Path, arguments: str, status: int, message: str) -> None:
    write(folder, pa.table(COLUMNS).slice(0, 0), "empty")
    for ending in ENDINGS:
        data = (folder / f"pools.{ending}").read_bytes()
        (folder / f"short.{ending}").write_bytes(data[:-20])
    found = stopped(arguments)
    assert found[0] == status
    assert found[1].startswith(message)
    assert not os.path.exists("out.parquet")


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for arguments in (f"mbr pools.parquet {MBR}", "mbr moses --output-format arrow"):
        status, said = refused(arguments)
        assert (status, said.endswith('needs the module pyarrow: pip install "fastbleu-metric[arrow]"')) == (
            1,
            True,
        )


def test_rows_without_others_are_left_out(folder: Path) -> None:
    write(folder, pa.table({"samples": [["a"], ["b", "c"]], "n": [1, 2]}), "few")
    assert written(f"self-bleu few.parquet {MBR} --skip-bad --output-format text") == "0.0000\n"
