"""The command line of search: its options, what it writes, and how it ends."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from fastbleu.cli.search import command as cli
from fastbleu.cli.search.command import read_texts
from fastbleu.search import Index, deduplicate
from tests.support.commands import run, write_lines

TEXTS = ["the cat sat on the mat", "it rains today", "", "the cat sat on the old mat", "it rains today ."]
QUERIES = ["a cat sat on the mat", "rain"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(pool=TEXTS, queries=QUERIES)


def printed(arguments: str, stdin: bytes = b"") -> str:
    status, output, said = run(arguments, stdin, cli.main)
    assert (status, said) == (0, "")
    return output


def refused(arguments: str) -> tuple[int, str]:
    status, output, said = run(arguments, b"", cli.main)
    assert output == ""
    return status, said.removeprefix("python -m fastbleu.search: ").rstrip("\n")


def found(k: int, at_least: float, **more: Any) -> list[dict[str, Any]]:
    result = Index(TEXTS).nearest(QUERIES, k, at_least, **more)
    records = []
    for places, scores in zip(result.indices.tolist(), result.scores.tolist(), strict=True):
        there = [i for i in places if i >= 0]
        records.append({"indices": there, "scores": scores[: len(there)]})
    return records


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_nearest_writes_what_the_index_finds() -> None:
    assert records(printed("nearest pool queries -q")) == found(5, 0)
    some = "nearest pool -q -k 2 --at-least 20 --direction max --threads 2"
    assert records(printed(some, Path("queries").read_bytes())) == found(2, 20, direction="max")
    status, _, said = run("nearest pool queries -k 1 --texts -o found.jsonl", b"", cli.main)
    assert (status, said) == (0, "python -m fastbleu.search: 5 texts, 2 queries\n")
    assert [record["texts"] for record in records(Path("found.jsonl").read_text())] == [
        [TEXTS[0]],
        [TEXTS[0]],
    ]


def test_duplicates_writes_the_texts_that_are_kept() -> None:
    kept = deduplicate(TEXTS, 60).tolist()
    assert printed("duplicates pool --threshold 60 -q") == "".join(f"{TEXTS[i]}\n" for i in kept)
    assert printed("duplicates pool --threshold 60 -q --places") == "".join(f"{i}\n" for i in kept)
    status, output, said = run("duplicates pool --threshold 60 -o kept", b"", cli.main)
    assert (status, output, said) == (0, "", f"python -m fastbleu.search: 5 texts, {len(kept)} kept\n")
    assert Path("kept").read_text() == "".join(f"{TEXTS[i]}\n" for i in kept)
    assert printed("duplicates pool --combine min --threshold 100 -q -lc -tok none").count("\n") == 5


def write_forms() -> dict[str, str]:
    """The texts in each form, and what its files are called."""
    Path("pool.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    Path("pool.gz").write_bytes(gzip.compress(Path("pool").read_bytes()))
    Path("pool.moses").write_text("".join(f"{i} ||| {text} ||| x ||| 0\n" for i, text in enumerate(TEXTS)))
    return {"text": "pool", "gzip": "pool.gz", "json": "pool.jsonl", "moses": "pool.moses"}


def test_each_form_of_files_is_read() -> None:
    for form, name in write_forms().items():
        given = "moses" if form == "moses" else None
        assert list(read_texts(name, given, "text")) == TEXTS, form


def test_tables_are_read() -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": TEXTS}), "pool.parquet")
    assert list(read_texts("pool.parquet", None, "text")) == TEXTS
    assert records(printed("nearest pool.parquet queries -q")) == found(5, 0)
    pq.write_table(pa.table({"text": ["a", None]}), "null.parquet")
    assert refused("duplicates null.parquet") == (
        1,
        "null.parquet: row 2: expected a text in 'text', found None",
    )


def test_a_run_that_was_stopped_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_QUERIES", 1)
    Path("broken").write_bytes(b"a cat sat on the mat\nrain\n\xff\n")
    status, _, said = run("nearest pool broken -o found.jsonl", b"", cli.main)
    assert status == 1
    assert "broken: line 3" in said
    with monkeypatch.context() as patch:
        patch.setattr(Index, "nearest", stopping_at(2, Index.nearest))
        status, _, said = run("nearest pool queries -o found.jsonl", b"", cli.main)
    assert (status, said.endswith("--resume goes on\n")) == (1, True)
    assert not Path("found.jsonl").exists()
    status, _, said = run("nearest pool queries -o found.jsonl --resume -q", b"", cli.main)
    assert (status, said) == (0, "")
    assert records(Path("found.jsonl").read_text()) == found(5, 0)


def stopping_at(number: int, function: Any) -> Any:
    """A function that fails when it is called for the time with this number."""
    calls: list[None] = []

    def called(*arguments: Any) -> Any:
        calls.append(None)
        if len(calls) == number:
            raise ValueError("stopped")
        return function(*arguments)

    return called


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nearest pool queries -k 0", "argument --number/-k: must be at least 1, not 0"),
        ("nearest pool queries --at-least 101", "argument --at-least: must be within 0..100, not 101"),
        ("duplicates pool --threshold nan", "argument --threshold: must be within 0..100, not nan"),
        ("nearest pool queries --resume", "argument --resume: name the file with -o/--output"),
        ("nearest - -", "only one of the files can be standard input"),
        ("duplicates pool -o kept.gz", "argument --output/-o: output is not compressed"),
        ("duplicates pool -o pool", "argument --output/-o"),
        ("nearest", "the following arguments are required: POOL"),
    ],
)
def test_wrong_options_are_named(arguments: str, message: str) -> None:
    status, said = refused(arguments)
    assert status == 2
    assert said.startswith(message), said


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.json", b'{"text": "a"}\n{"text"\n', "", "a.json: line 2: expected a JSON object: Expecting ':'"),
        ("a.json", b'{"text": 3}\n', "", "a.json: line 1: expected a text in 'text', found 3"),
        ("a.json", b"[1]\n", "", "a.json: line 1: expected a JSON object, found list: [1]"),
        ("a.json", b'{"text": "a"}\n', "--text-field x", "a.json: line 1: expected a text in 'x', found"),
        ("a.moses", b"0 ||| a ||| x ||| 0\nb\n", "--input-format moses", "a.moses: line 2: "),
        ("a.txt", b"a\n\xff\n", "", "a.txt: line 2, byte offset 2: byte 0xff is not valid utf-8"),
        ("a.gz", b"\x1f\x8b\x08", "", "a.gz: not a valid gzip file: "),
        ("a.parquet", b"PAR1", "", "a.parquet: "),
    ],
)
def test_texts_that_cannot_be_read_are_named(name: str, data: bytes, options: str, message: str) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    Path(name).write_bytes(data)
    for command in (f"duplicates {name}", f"nearest {name} {name}"):
        status, said = refused(f"{command} {options}")
        assert (status, said.startswith(message)) == (1, True), said


def test_queries_that_cannot_be_read_are_named() -> None:
    Path("a.json").write_bytes(b'{"text": "a"}\n{}\n')
    assert refused("nearest pool a.json -q -o found.jsonl") == (
        1,
        "a.json: line 2: expected a text in 'text', found None",
    )
    assert not Path("found.jsonl").exists()


def test_a_file_that_is_not_there_is_named() -> None:
    assert refused("duplicates nothing") == (1, "nothing: No such file or directory")
