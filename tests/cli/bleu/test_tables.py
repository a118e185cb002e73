"""The command line on columns: the same scores as of text, in batches of any size, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

import pyarrow.parquet as pq

from fastbleu import BLEU
from fastbleu.cli.bleu import command as cli
from fastbleu.inputs import table_files
from tests.support.commands import printed, refused, run

SYSTEMS = ["beta", "alpha"]
HYPOTHESES = [
    "The cat sat on a mat.", "It is raining, is it?", "A cat!", "Grüße aus Köln am Rhein",
    "A mat sat on the cat.", "It rains.", "A dog!", "Gruß aus Köln",
]  # fmt: skip
REFERENCES = ["The cat sat on the mat .", "It is raining, isn't it?", "A dog!", "Grüße von Köln am Rhein"] * 2
OTHERS = ["A cat sat on a mat.", None, "One dog!", None] * 2
COLUMNS: dict[str, Any] = {
    "mt": HYPOTHESES,
    "ref_a": REFERENCES,
    "ref_b": OTHERS,
    "refs": [[a, b] if b else [a] for a, b in zip(REFERENCES, OTHERS, strict=True)],
    "system": [name for name in SYSTEMS for _ in range(4)],
    "mixed": SYSTEMS * 4,
    "number": [7, 3] * 4,
}


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """The table in every form."""
    write(folder, pa.table(COLUMNS))


def write(folder: Path, table: Any, name: str = "data", rows: int = 3) -> None:
    pq.write_table(table, folder / f"{name}.parquet", row_group_size=rows)
    for ending, open_ in (("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)):
        with (folder / f"{name}.{ending}").open("wb") as file, open_(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)


def as_text(folder: Path, rows: list[int] | None = None) -> str:
    """Writes columns as lines; the command line that scores them."""
    places = range(len(HYPOTHESES)) if rows is None else rows
    for name in ("mt", "ref_a"):
        lines = [COLUMNS[name][i] for i in places]
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return "ref_a.txt -i mt.txt"


OPTIONS = [
    "", "-f text", "-b -w 10", "-sl", "-sl -b -w 5", "-tok intl -lc", "-s floor -sv 0.3 -f text", "-sh -f text",
    "-ci -cin 50 -f text", "-ci -cin 50", "-tok none -f text", "-l en-zh", "--threads 2 -f text", "--threads 3 -sl",
    "-m chrf -f text -ci -cin 50", "-m chrf -cw 2 -sl -b -w 5",
]  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("most", [1, 2, 8192])
def test_what_text_prints(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ending: str, options: str, most: int
) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    expected = printed(f"{as_text(folder)} {options}")
    assert printed(f"data.{ending} --hypothesis mt --reference ref_a {options}") == expected


@pytest.mark.parametrize("references", ["--reference ref_a --reference ref_b", "--reference refs"])
def test_several_references(references: str) -> None:
    score = BLEU().corpus_score(HYPOTHESES, [REFERENCES, OTHERS])
    found = json.loads(printed(f"data.parquet --hypothesis mt {references} -w 12"))
    assert found["score"] == round(score.score, 12)
    assert found["nrefs"] == "var"
    assert found["verbose_score"] == score._verbose
    metric = BLEU(effective_order=True)
    lines = []
    for hypothesis, *others in zip(HYPOTHESES, REFERENCES, OTHERS, strict=True):
        one = metric.sentence_score(hypothesis, others)
        lines.append(one.format(4, False, one.signature.format() if one.signature else ""))
    assert printed(f"data.arrow --hypothesis mt {references} -sl -w 4").splitlines() == lines


@pytest.mark.parametrize("column", ["system", "mixed"])
@pytest.mark.parametrize("most", [1, 3, 8192])
@pytest.mark.parametrize("threads", [1, 2])
def test_each_system(monkeypatch: pytest.MonkeyPatch, column: str, most: int, threads: int) -> None:
    monkeypatch.setattr(table_files, "BATCH_ROWS", most)
    expected = []
    for name in SYSTEMS:
        places = [i for i, system in enumerate(COLUMNS[column]) if system == name]
        score = BLEU().corpus_score(
            [HYPOTHESES[i] for i in places], [[REFERENCES[i] for i in places], [OTHERS[i] for i in places]]
        )
        expected.append({"system": name, "BLEU": score.format(6, True)})
    arguments = f"data.parquet --hypothesis mt --reference ref_a --reference ref_b --by {column} -w 6"
    out = printed(f"{arguments} --threads {threads}", said="fastbleu: Found 2 systems.\n")
    assert json.loads(out) == expected
    as_lists = arguments.replace("--reference ref_a --reference ref_b", "--reference refs")
    assert json.loads(printed(f"{as_lists} -q")) == expected


def test_a_system_may_be_a_number_or_in_a_dictionary(folder: Path) -> None:
    out = printed("data.parquet --hypothesis mt --reference ref_a --by number -q")
    assert [row["system"] for row in json.loads(out)] == ["7", "3"]
    encoded = pa.table({**COLUMNS, "system": pa.array(COLUMNS["system"]).dictionary_encode()})
    write(folder, encoded, "encoded")
    expected = printed("data.parquet --hypothesis mt --reference ref_a --by system -q")
    for ending in ("parquet", "arrow", "arrows"):
        assert printed(f"encoded.{ending} --hypothesis mt --reference ref_a --by system -q") == expected


TEXT = "--hypothesis mt --reference ref_a --reference ref_b"
LISTS = "--hypothesis mt --reference refs"


@pytest.mark.parametrize(
    ("arguments", "columns", "kind"),
    [
        (TEXT, ("mt", "ref_a", "ref_b"), pa.large_string()),
        (TEXT, ("mt", "ref_a", "ref_b"), pa.string_view()),
        (TEXT, ("mt", "ref_a", "ref_b"), pa.dictionary(pa.int32(), pa.string())),
        (LISTS, ("refs",), pa.large_list(pa.string())),
        (LISTS, ("refs",), pa.list_(pa.large_string())),
    ],
    ids=str,
)
def test_every_type(folder: Path, arguments: str, columns: tuple[str, ...], kind: Any) -> None:
    given = dict(COLUMNS)
    for name in columns:
        column = pa.array(given[name])
        given[name] = column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)
    write(folder, pa.table(given), "other")
    for ending in ("parquet", "arrow", "arrows"):
        assert printed(f"other.{ending} {arguments}") == printed(f"data.parquet {arguments}")


def test_several_files(folder: Path) -> None:
    table = pa.table(COLUMNS)
    write(folder, table.slice(0, 5), "one")
    # Another order of columns, other types, and one column more.
    other = table.slice(5).select(["system", "ref_b", "ref_a", "mt"])
    other = other.set_column(3, "mt", other["mt"].cast(pa.large_string())).append_column("x", [[1, 2, 3]])
    write(folder, other, "two")
    write(folder, table.slice(0, 0), "none")
    for options in ("", "--by system -q", "-ci -cin 20 -f text"):
        expected = printed(f"data.parquet --hypothesis mt --reference ref_a {options}")
        found = printed(f"one.parquet none.parquet two.arrow --hypothesis mt --reference ref_a {options}")
        assert found == expected


def test_a_stream_from_standard_input(folder: Path) -> None:
    expected = printed("data.parquet --hypothesis mt --reference ref_a")
    data = (folder / "data.arrows").read_bytes()
    assert printed("--hypothesis mt --reference ref_a", data) == expected
    assert printed("- --hypothesis mt --reference ref_a", data) == expected
    status, message = refused("--hypothesis mt --reference ref_a", data[:-9])
    assert (status, message.partition(": ")[0]) == (1, "standard input")
    assert "broken Arrow IPC stream" in message
    status, message = refused("--hypothesis mt --reference ref_a", (folder / "data.parquet").read_bytes())
    assert (status, message) == (
        1,
        "standard input: a Parquet file is read from its end, so it cannot be in a pipe; an Arrow IPC stream can",
    )


def test_the_warning_of_tokenized_text_comes_once(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    write(folder, pa.table({"mt": ["A cat ."] * 150, "ref": ["A dog ."] * 150}), "tokenized", rows=20)
    for options in ("", "--threads 2"):
        assert cli.main(f"tokenized.parquet --hypothesis mt --reference ref -b {options}".split()) == 0
        assert capsys.readouterr().err.count("That's 100 lines") == 1
    assert cli.main(["tokenized.parquet", "--hypothesis", "mt", "--reference", "ref", "-b", "--force"]) == 0
    assert capsys.readouterr().err == ""


MT = "--hypothesis mt --reference ref_a"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("data.parquet --hypothesis mt", 2, "argument --hypothesis: name the columns of references with --reference"),
        ("data.parquet --by system", 2, "argument --by: names a column of a table: name that of the hypotheses"),
        (f"data.parquet {MT} -i s1", 2, "argument --input/-i: is for text, and cannot be used with --hypothesis"),
        (f"data.parquet {MT} --by system -sl", 2, "argument --by: cannot be used with --sentence-level/-sl"),
        (f"data.parquet {MT} --reference ref_a", 2, "argument --reference: 'ref_a' is given twice"),
        (f"data.parquet {MT} --reference mt", 2, "argument --reference: 'mt' is the column of the hypotheses"),
        (f"data.parquet {MT} --hypothesis ref_a", 2, "argument --hypothesis: is given twice, with 'mt' and 'ref_a'"),
        (f"- - {MT}", 2, "only one of the tables can be standard input"),
        ("data.parquet --hypothesis mt --reference src", 1,
         "data.parquet: there is no column 'src'; its columns are 'mt', 'ref_a', 'ref_b', 'refs', 'system', "),
        ("data.parquet --hypothesis number --reference ref_a", 1,
         "data.parquet: expected a column of strings, but 'number' is int64"),
        ("data.parquet --hypothesis mt --reference number", 1,
         "data.parquet: expected a column of strings or of lists of strings, but 'number' is int64"),
        ("data.parquet --hypothesis mt --reference refs --reference ref_a", 1, "data.parquet: column 'refs' is list<"),
        (f"data.parquet {MT} --by refs", 1,
         "data.parquet: expected a column of strings or integers, but 'refs' is list<"),
        (f"absent.parquet {MT}", 1, "absent.parquet: No such file or directory"),
        ("data.parquet -i data.parquet", 2, "data.parquet is a table: name its columns with --hypothesis and"),
        (f"text {MT}", 1, "text: expected a Parquet file, or an Arrow IPC file or stream, found something else"),
        (f"empty.parquet {MT}", 1, "empty.parquet is empty"),
        (f"empty.parquet empty.arrow {MT}", 1, "all tables are empty"),
    ],
)  # fmt: skip
def test_refused(folder: Path, arguments: str, status: int, message: str) -> None:
    (folder / "text").write_text("a cat\n")
    write(folder, pa.table(COLUMNS).slice(0, 0), "empty")
    found = refused(arguments)
    assert found[0] == status
    assert found[1].startswith(message)


#: Strings of which one is not valid UTF-8.
BAD = pa.Array.from_buffers(pa.string(), 8, pa.array([b"a"] * 5 + [b"caf\xe9"] + [b"b"] * 2).buffers())


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("options", ["", "-sl", "--by system"])
@pytest.mark.parametrize(
    ("column", "values", "references", "message"),
    [
        ("mt", pa.nulls(8), "ref_a", "row 1: 'mt' is null, but it is the hypothesis"),
        ("mt", ["a"] * 4 + [None] + ["b"] * 3, "ref_a", "row 5: 'mt' is null, but it is the hypothesis"),
        ("ref_a", ["a"] * 7 + [None], "ref_a", "row 8: 'ref_a' is null or holds no reference"),
        ("refs", [["a"]] * 6 + [[], ["b"]], "refs", "row 7: 'refs' is null or holds no reference"),
        ("mt", BAD, "ref_a", "row 6: 'mt' is not valid UTF-8: byte 0xe9 at byte offset 3"),
        ("refs", pa.ListArray.from_arrays(pa.array(range(9), pa.int32()), BAD), "refs",
         "row 6: 'refs' is not valid UTF-8: byte 0xe9 at byte offset 3"),
        ("refs", [["a"]] * 6 + [[None], ["b"]], "refs", "row 7: 'refs' is null or holds no reference"),
        ("system", ["a"] * 6 + [None, "b"], "ref_a", "row 7: 'system' is null, but it says which system this is"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_scored(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ending: str, threads: int, options: str,
    column: str, values: Any, references: str, message: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(table_files, "BATCH_ROWS", 4)
    write(folder, pa.table({**COLUMNS, column: values}), "bad")
    arguments = f"bad.{ending} --hypothesis mt --reference {references} {options} --threads {threads} -q"
    status, output, said = run(arguments)
    if column == "system" and options != "--by system":
        assert (status, said) == (0, "")
        return
    assert (status, said) == (1, f"fastbleu: bad.{ending}: {message}\n")
    if options != "-sl":
        assert output == ""


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_tables_in_standard_input_where_text_is_expected(folder: Path, ending: str) -> None:
    (folder / "ref").write_text("a cat\n")
    names = {"parquet": "a Parquet file", "arrow": "an Arrow IPC file", "arrows": "an Arrow IPC stream"}
    status, message = refused("ref", (folder / f"data.{ending}").read_bytes())
    assert (status, message.partition(",")[0]) == (2, f"standard input holds {names[ending]}")
    assert ("cannot be read from a pipe" in message) == (ending != "arrows")
