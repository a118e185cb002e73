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
from fastbleu.rerank.nbest.blocks import Reader
from fastbleu.rerank.nbest.json_lines import Fields
from fastbleu.rerank.nbest.parquet import Table
from tests.support.nbest_lists import POOLS, REFERENCES, SCORES, command, environment, refused, run, written

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


def votes(numbers: Any) -> list[int]:
    return [pool.count(pool[k]) for pool, k in zip(POOLS, numbers, strict=True)]


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
        "votes": votes(indices),
    }


@pytest.mark.parametrize("references", ["--references-field ref", "-r ref"])
def test_oracle(references: str) -> None:
    found = oracle(POOLS, [[text] for text in REFERENCES])
    out = wrote(f"oracle pools.parquet {MBR} {references}")
    assert out["index"] == found.indices.tolist()
    assert out["bleu"] == found.utilities.tolist()
    assert out["text"] == [pool[k] for pool, k in zip(POOLS, found.indices, strict=True)]


@pytest.mark.parametrize(
    ("references", "expected_references"),
    [
        ("refs", COLUMNS["refs"]),
        (
            "ref --references-field other",
            [[a, b] if b else [a] for a, b in zip(REFERENCES, OTHERS, strict=True)],
        ),
        (
            "refs --references-field other",
            [[*a, b] if b else a for a, b in zip(COLUMNS["refs"], OTHERS, strict=True)],
        ),
    ],
)
def test_score_writes_lists(references: str, expected_references: list[list[str]]) -> None:
    out = wrote(f"score pools.parquet {MBR} --references-field {references}")
    assert out == {
        **others(),
        "samples": POOLS,
        "bleu": [
            [METRIC.sentence_score(text, texts).score for text in pool]
            for pool, texts in zip(POOLS, expected_references, strict=True)
        ],
    }


def test_the_best_few_and_their_scores() -> None:
    out = wrote(f"mbr pools.arrow {MBR} --top-k 2")
    orders = [np.argsort(-utilities, kind="stable")[:2].tolist() for utilities in expected(POOLS)]
    assert out["index"] == orders
    assert out["samples"] == [[pool[k] for k in order] for pool, order in zip(POOLS, orders, strict=True)]
    assert out["score"] == [[scores[k] for k in order] for scores, order in zip(SCORES, orders, strict=True)]
    assert out["doc"] == NAMES


def test_self_bleu() -> None:
    assert wrote(f"self-bleu pools.parquet {MBR}") == {
        **others(),
        "self_bleu": [self_bleu(pool).mean for pool in POOLS],
    }


def test_all_and_the_corpus_level() -> None:
    utilities = [each.tolist() for each in expected(POOLS)]
    assert wrote(f"mbr pools.parquet {MBR} --all")["expected_bleu"] == utilities
    found = oracle(POOLS, [[text] for text in REFERENCES], level="corpus")
    out = wrote(f"oracle pools.parquet {MBR} --level corpus --references-field ref")
    assert out["index"] == found.indices.tolist()


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
        "votes": votes(indices),
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
    assert wrote(arguments, "out.pq")["index"] == best
    for form in ("pools.parquet", "pools.arrow"):
        assert written(f"mbr {form} {MBR} -o out.arrows") == ""
        assert pa.ipc.open_stream(Path("out.arrows").read_bytes()).read_all()["index"].to_pylist() == best
    for path, form in (("out.json", "json"), ("out.jsonl", "json"), ("out.txt", "text")):
        assert written(f"{arguments} -o {path}") == ""
        assert Path(path).read_text(encoding="utf-8") == written(f"{arguments} --output-format {form}")
    assert wrote(arguments, "winners")["index"] == best
    # Lists in lines stay what they are.
    assert written("mbr moses -o out.json") == ""
    assert Path("out.json").read_text(encoding="utf-8") == written("mbr moses")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "-o out.csv",
            "no format has names that end in .csv (.parquet, .pq, .arrow, .feather, .ipc, .arrows, ",
        ),
        (
            "-o out.parquet --output-format json",
            "'out.parquet' ends in .parquet, but --output-format is json",
        ),
        (
            "-o out.arrow --output-format parquet",
            "'out.arrow' ends in .arrow, but --output-format is parquet",
        ),
        ("-o out.txt --output-format parquet", "'out.txt' ends in .txt, but --output-format is parquet"),
    ],
)
def test_names_of_outputs_that_contradict(options: str, message: str) -> None:
    status, said = refused(f"mbr pools.parquet {MBR} {options}")
    assert status == 2
    assert said.startswith(f"argument --output/-o: {message}")
    assert not [name for name in os.listdir() if name.startswith("out")]


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


# Broken rows and files


BAD = [
    ("samples", [POOLS[0], [], *POOLS[2:]], "row 2: expected candidates in 'samples', found none"),
    ("samples", [*POOLS[:3], None, POOLS[4]], "row 4: expected candidates in 'samples', found none"),
    ("samples", [*POOLS[:3], ["a", None], POOLS[4]], "row 4: expected strings in 'samples', found null"),
    (
        "score",
        [*SCORES[:4], [1.0]],
        "row 5: expected 3 numbers in 'score', as many as candidates, found 1",
    ),
    ("score", [*SCORES[:4], None], "row 5: expected 3 numbers in 'score', as many as candidates, found 0"),
    (
        "score",
        [[float("nan"), 1, 2], *SCORES[1:]],
        "row 1: expected finite numbers in 'score', found null, NaN or an infinite one",
    ),
    ("ref", [None, *REFERENCES[1:]], "row 1: expected a reference in 'ref', found null"),
    ("doc", ["a", "b", None, "d", "e"], "row 3: expected an id in 'doc', found null"),
]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("most", [1, 8192])
@pytest.mark.parametrize(("column", "values", "message"), BAD)
def test_broken_rows(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    most: int,
    column: str,
    values: Any,
    message: str,
) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    write(folder, pa.table({**COLUMNS, column: values}), "bad")
    arguments = f"mbr bad.{ending} {MBR} --interpolate 0.5 --id-field doc --references-field ref"
    status, said = stopped(f"{arguments} -o out.parquet")
    assert (status, said.startswith(f"bad.{ending}: {message}")) == (1, True)
    assert not os.path.exists("out.parquet")
    assert written(f"{arguments} -o out.parquet --skip-bad") == ""
    bad = int(message.split()[1].rstrip(":")) - 1
    kept = [i for i in range(5) if i != bad]
    assert read("out.parquet")["n"].to_pylist() == [COLUMNS["n"][i] for i in kept]
    pools = [POOLS[i] for i in kept]
    values_of = [
        0.5 * each + 0.5 * np.array(SCORES[i]) for i, each in zip(kept, expected(pools), strict=True)
    ]
    best = [pool[int(values.argmax())] for pool, values in zip(pools, values_of, strict=True)]
    assert read("out.parquet")["text"].to_pylist() == best


@pytest.mark.parametrize("ending", ENDINGS)
def test_parallel_columns(folder: Path, ending: str) -> None:
    marks = [[f"{i}.{k}" for k in range(len(pool))] for i, pool in enumerate(POOLS)]
    write(folder, pa.table({**COLUMNS, "marks": marks}), "marked")
    found = wrote(f"mbr marked.{ending} {MBR} --parallel-field marks")
    assert found["marks"] == [[f"{i}.{k}"] for i, k in enumerate(mbr(POOLS).indices)]
    for i, wrong in ((2, marks[2][:3]), (4, [*marks[4], "more"]), (1, None)):
        write(folder, pa.table({**COLUMNS, "marks": [*marks[:i], wrong, *marks[i + 1 :]]}), "bad")
        arguments = f"mbr bad.{ending} {MBR} --parallel-field marks"
        assert stopped(f"{arguments} -o out.parquet") == (
            1,
            (
                f"bad.{ending}: row {i + 1}: expected {len(POOLS[i])} items in 'marks', as many as candidates, found "
                f"{len(wrong or [])}"
            ),
        )
        assert len(wrote(f"{arguments} --skip-bad")["marks"]) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("mbr pools.parquet --candidates samples --id-field nope", "--id-field"),
        ("mbr pools.parquet --candidates samples --parallel-field nope", "--parallel-field"),
        ("oracle pools.parquet --candidates samples --references-field nope", "--references-field"),
        ("mbr pools.parquet --candidates nope", "--candidates"),
        ("mbr pools.parquet --candidates samples --weights-from nope --weights-as counts", "--weights-from"),
        ("mbr pools.parquet --candidates samples --interpolate 0.5 --model-score nope", "--model-score"),
    ],
)
def test_columns_that_are_named_have_to_be_there(arguments: str, message: str) -> None:
    columns = ", ".join(map(repr, COLUMNS))
    assert refused(arguments) == (
        1,
        f"pools.parquet: there is no column 'nope'; its columns are {columns}; name the column with {message}",
    )


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
            f"bad.{ending}: row 2: 'samples' is not valid UTF-8: byte 0xe9 at offset 3",
        )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            "mbr pools.parquet",
            1,
            "pools.parquet: there is no column 'candidates'; its columns are 'doc', 'samples', ",
        ),
        (
            "mbr pools.parquet --candidates doc",
            1,
            "pools.parquet: expected a column of lists of strings, but 'doc' is string",
        ),
        (
            "oracle pools.parquet --candidates samples --references-field n",
            1,
            "pools.parquet: expected a column of strings or of lists of strings, but 'n' is int64",
        ),
        (
            "mbr pools.parquet --candidates samples --weights-from doc --weights-as counts",
            1,
            "pools.parquet: expected a column of lists of numbers, but 'doc' is string",
        ),
        (
            "mbr pools.parquet --candidates samples -o x.parquet --text-field doc",
            1,
            (
                "pools.parquet: there is a column 'doc' already, which is to hold what is found; give it another name "
                "with --text-field"
            ),
        ),
        (
            "mbr pools.parquet --candidates samples -o x.parquet --votes-field n",
            1,
            (
                "pools.parquet: there is a column 'n' already, which is to hold what is found; give it another name "
                "with --votes-field"
            ),
        ),
        (
            "mbr pools.parquet --candidates samples -o x.parquet --parallel-field doc",
            1,
            "pools.parquet: expected a column of lists, but 'doc' is string",
        ),
        (
            "oracle pools.parquet --candidates samples",
            2,
            (
                "no references: name each file of them with -r/--references, or columns of a table with "
                "--references-field"
            ),
        ),
        (
            "mbr pools.parquet --candidates samples -n 2",
            2,
            "argument --candidates-per-source/-n: is for plain text, but",
        ),
        (
            "oracle moses --references-field ref",
            2,
            "argument --references-field: is for Parquet and Arrow IPC, not for moses",
        ),
        (
            "oracle pools.parquet --candidates samples --references-field ref -r ref",
            2,
            "argument --references-field: cannot be used with --references/-r",
        ),
        (
            "mbr moses --input-format parquet",
            1,
            "moses: expected a Parquet file, or an Arrow IPC file or stream, found",
        ),
        ("mbr empty.parquet --candidates samples -o out.parquet", 1, "empty.parquet is empty"),
        (
            "mbr pools.parquet --candidates samples -o pools.parquet",
            2,
            "argument --output/-o: pools.parquet is an input",
        ),
        (
            "mbr pools.parquet --candidates samples -o no/out.parquet",
            1,
            "no/out.parquet: No such file or directory",
        ),
        ("mbr short.parquet --candidates samples -o out.parquet", 1, "short.parquet: broken Parquet file"),
        ("mbr short.arrow --candidates samples -o out.parquet", 1, "short.arrow: broken Arrow IPC file"),
        ("mbr short.arrows --candidates samples -o out.parquet", 1, "short.arrows: "),
    ],
)
def test_refused(folder: Path, arguments: str, status: int, message: str) -> None:
    write(folder, pa.table(COLUMNS).slice(0, 0), "empty")
    for ending in ENDINGS:
        data = (folder / f"pools.{ending}").read_bytes()
        (folder / f"short.{ending}").write_bytes(data[:-20])
    found = stopped(arguments)
    assert found[0] == status
    assert found[1].startswith(message)
    assert not os.path.exists("out.parquet")


def test_columns_are_checked_when_a_reader_is_made() -> None:
    with table_files.TableFile("pools.parquet") as table:
        form = Table(table, Fields("samples"), [], False, False)
        reader = Reader("pools.parquet", form, form.blocks())
        stop = reader.ready()
        assert stop is not None
        found = reader.parse(reader.take(2))
        assert list(found.texts) == [*POOLS[0], *POOLS[1]]
        assert [found.line_of(i) for i in range(2)] == [1, 2]
        assert found.references() is None


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for arguments in (f"mbr pools.parquet {MBR}", "mbr moses --output-format arrow"):
        status, said = refused(arguments)
        assert (status, said.endswith('needs the package pyarrow: pip install "fastbleu-metric[arrow]"')) == (
            1,
            True,
        )
