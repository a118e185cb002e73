"""Scores and statistics as columns: those of the same segments in lists, whatever type the columns have."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from fastbleu import BLEU, arrow
from fastbleu.counting.rows import column_name
from tests.support.arrow_columns import list_columns, text_columns
from tests.support.refusals import refusal

HYPOTHESES = [
    "The cat sat on the mat.",
    "",
    "It rained all day, 1.5 inches.",
    "Ünïcödé \U0001f600 \u3000 x",
    "a",
    "The same words, twice: the same words.",
    "It rained all day, 1.5 inches.",
]
FIRST = [
    "The cat is on the mat.",
    "nothing",
    "It rained all day: 1.5 inches.",
    "Ünïcödé \U0001f600 x",
    "a",
    "The same words twice.",
    "",
]
SECOND = [None, "", "All day it rained.", None, "b", "The same, twice: the same words.", "It rained."]
LISTS = [[a, b][: 2 - (b is None)] for a, b in zip(FIRST, SECOND, strict=True)]

METRIC = BLEU(tokenize=str.split, max_ngram_order=2, weights=[1, 3], reference_length="shortest", threads=2)

WORDS = BLEU(tokenize="none", effective_order=True)


def count_names(metric: BLEU, prefix: str = "bleu_") -> list[str]:
    order = metric.max_ngram_order
    return [prefix + column_name(k, order) for k in range(2 + 2 * order)]


def check(table: Any, references: Any, lists: list[list[Any]], hypotheses: list[Any], metric: BLEU) -> None:
    """The columns `mt` and `references` of a table score and count as the lists."""
    prepared = metric.prepare_segments(lists)
    scored = arrow.score(table, "mt", references, metric)
    assert scored["bleu"].to_pylist() == metric.sentence_scores(hypotheses, prepared).tolist()
    counted = arrow.statistics(table, "mt", references, metric)
    columns = [counted[name].to_pylist() for name in count_names(metric)]
    assert columns == metric.statistics(hypotheses, prepared).T.tolist()
    for found in (scored, counted):
        found.validate(full=True)
        assert type(found) is type(table)
        assert found.select(table.schema.names).equals(table)


@pytest.mark.parametrize("kind", text_columns(["a"]))
def test_every_type_of_strings(kind: str) -> None:
    mt, a, b = (text_columns(column)[kind] for column in (HYPOTHESES, FIRST, SECOND))
    one = [[each] for each in FIRST]
    check(pa.table({"mt": mt, "a": a, "b": b}), ["a", "b"], LISTS, HYPOTHESES, BLEU())
    table = pa.table({"b": b, "a": a, "mt": mt})
    for references in ("a", ["a"]):
        check(table, references, one, HYPOTHESES, BLEU())
    batch = table.combine_chunks().to_batches()[0].slice(2, 3)
    check(batch, "a", one[2:5], HYPOTHESES[2:5], BLEU())


def test_references_in_lists() -> None:
    for lists in (LISTS, [[each, None] for each in FIRST]):
        for column in list_columns(lists, pa.string()).values():
            check(pa.table({"mt": HYPOTHESES, "refs": column}), "refs", lists, HYPOTHESES, BLEU())


NUMBERS = {"a": 7, "b c": 3, "d": 1 << 40, "x": 2}


@pytest.mark.parametrize("leaf", [pa.string(), pa.int64()], ids=["tokens", "ids"])
def test_tokens_and_ids(leaf: Any) -> None:
    def lists(*segments: list[str]) -> list[list[Any]]:
        return [
            segment if leaf == pa.string() else [NUMBERS[word] for word in segment] for segment in segments
        ]

    hypotheses = lists(["a", "b c", "d"], [], ["a"])
    references = lists(["a", "b c"], ["x"], ["a"])
    several = [lists(["a", "b c"], ["d"]), lists(["x"]), lists(["a"], [])]
    for mt in list_columns(hypotheses, leaf).values():
        table = pa.table({"mt": mt, "ref": references, "ref_2": references, "refs": several})
        check(table, "ref", [[each] for each in references], hypotheses, WORDS)
        check(table, ["ref", "ref_2"], [[each] * 2 for each in references], hypotheses, WORDS)
        check(table, "refs", several, hypotheses, WORDS)


def test_empty_tables() -> None:
    schema = pa.schema(
        [("mt", pa.string()), ("a", pa.string()), ("b", pa.string()), ("refs", pa.list_(pa.string()))]
    )
    for table in (
        schema.empty_table(),
        pa.RecordBatch.from_pylist([], schema),
        pa.Table.from_batches([], schema),
    ):
        for references in ("a", ["a", "b"], "refs"):
            check(table, references, [], [], BLEU())
    scored = arrow.score(schema.empty_table(), "mt", "a")
    assert scored.schema == schema.append(pa.field("bleu", pa.float64()))


def test_options() -> None:
    table = pa.table({"mt": HYPOTHESES * 300, "a": FIRST * 300, "b": SECOND * 300})
    check(table, ["a", "b"], LISTS * 300, HYPOTHESES * 300, METRIC)


def test_defaults_are_those_of_sacrebleu() -> None:
    """Effective order for single segments, none for what is to be summed."""
    table = pa.table({"mt": ["a b"], "ref": ["a b"]})
    assert arrow.score(table, "mt", "ref")["bleu"].to_pylist() == [100.00000000000004]
    assert arrow.total(arrow.statistics(table, "mt", "ref")).score == 0


def test_the_schema_is_kept() -> None:
    schema = pa.schema(
        [
            pa.field("mt", pa.large_string(), nullable=False, metadata={"lang": "de"}),
            pa.field("x", pa.struct([("y", pa.float32())])),
            pa.field("ref", pa.string()),
        ],
        metadata={"pandas": "{}"},
    )
    table = pa.table([["a b"], [{"y": 1.5}], ["a c"]], schema=schema)
    for batch in (table, table.to_batches()[0]):
        scored = arrow.score(batch, "mt", "ref", into="sentence BLEU")
        assert scored.schema.equals(
            schema.append(pa.field("sentence BLEU", pa.float64())), check_metadata=True
        )
        counted = arrow.statistics(batch, "mt", "ref", prefix="n.")
        assert counted.schema.names == [*schema.names, *count_names(BLEU(), "n.")]
        assert counted.schema.metadata == {b"pandas": b"{}"}
        assert all(counted.schema.field(i).equals(schema.field(i), check_metadata=True) for i in range(3))
        assert {counted.schema.field(name).type for name in count_names(BLEU(), "n.")} == {pa.int64()}


def addresses(column: Any) -> list[int]:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [buffer.address for chunk in chunks for buffer in chunk.buffers() if buffer is not None]


def test_nothing_is_copied() -> None:
    table = pa.table({"mt": text_columns(HYPOTHESES)["chunks of string"], "ref": FIRST})
    counted = arrow.statistics(table, "mt", "ref")
    for name in ("mt", "ref"):
        assert addresses(counted[name]) == addresses(table[name])
    # The new columns lie one after the other in one block.
    (first,), (second,) = addresses(counted["bleu_sys_len"]), addresses(counted["bleu_ref_len"])
    assert second - first == 8 * len(HYPOTHESES)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["polars", "duckdb", "nanoarrow", "pandas"])
def test_tables_of_other_libraries(library: str) -> None:
    module = pytest.importorskip(library)
    table = pa.table({"mt": HYPOTHESES, "ref": FIRST})
    if library == "polars":
        found: Any = module.from_arrow(table)
    elif library == "duckdb":
        connection = module.connect()
        found = connection.register("lines", table).sql("select * from lines")
    else:
        found = module.ArrayStream(table) if library == "nanoarrow" else table.to_pandas()
    scored = arrow.score(found, "mt", "ref")
    assert isinstance(scored, pa.Table)
    assert scored["bleu"].to_pylist() == arrow.score(table, "mt", "ref")["bleu"].to_pylist()


def test_pickled_and_in_threads() -> None:
    """As Ray, Spark and DuckDB call it: sent to a worker, and from several threads at once."""
    call = partial(arrow.score, hypothesis="mt", references="ref", metric=BLEU(effective_order=True))
    call = pickle.loads(pickle.dumps(call))
    table = pa.table({"mt": HYPOTHESES * 50, "ref": FIRST * 50})
    expected = arrow.score(table, "mt", "ref")
    with ThreadPoolExecutor(4) as pool:
        assert all(found.equals(expected) for found in pool.map(call, [table] * 16))


BROKEN = pa.StringArray.from_buffers(
    3, pa.py_buffer(b"\0\0\0\0\2\0\0\0\4\0\0\0\5\0\0\0"), pa.py_buffer(b"ab\xff\xfea")
)
TABLE = pa.table(
    {
        "mt": ["a", "b", "c"],
        "ref": ["a", None, "c"],
        "other": [None, None, "d"],
        "whole": ["a", "x", "c"],
        "refs": [["a"], ["b"], []],
        "nothing": [["a"], [None], ["b"]],
        "coded": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), ["a", None]),
        "broken": BROKEN,
        "n": [1, 2, 3],
        "tokens": [["a"], ["b", None], ["c"]],
        "words": [["a"], ["b"], ["c"]],
        "ids": [[1], [2, None], [3]],
    }
)

WITHOUT = r"hold nothing but None for segment"

#: Hypotheses, references, and how the message begins.
WRONG: list[tuple[Any, Any, str]] = [
    ("m", "ref", "ValueError: hypothesis names the column 'm', but batch has the columns 'mt', 'r"),
    ("mt", "rfe", "ValueError: references names the column 'rfe', but batch has the columns 'mt'"),
    ("mt", ["ref", "x"], "ValueError: references names the column 'x', but batch has the columns"),
    (3, "ref", "TypeError: hypothesis must be the name of a column, not int: 3"),
    ("mt", 3, "TypeError: references must be the name of a column, or a list of names, not int: 3"),
    ("mt", [3], "TypeError: references must be the name of a column, not int: 3"),
    ("mt", [], "ValueError: references is empty; name at least one column"),
    ("mt", ["other", "mt"], "ValueError: references names the column 'mt', and so does hypothesis"),
    ("mt", ["other", "other"], "ValueError: references names the column 'other' twice"),
    ("n", "ref", "TypeError: batch['n'] must be a column of strings, of lists of strings, or of lists of"),
    ("ref", "whole", "TypeError: batch['ref'][1] must be a str, not NoneType: None"),
    (
        "mt",
        ["ref", "refs"],
        "TypeError: batch['refs'] is a column of lists instead of text; pass",
    ),
    ("mt", "ref", f"ValueError: batch['ref'] {WITHOUT} 1: "),
    ("mt", ["ref", "other"], f"ValueError: batch['ref'], batch['other'] {WITHOUT} 1"),
    ("mt", "refs", "ValueError: batch['refs'][2] must hold at least one reference"),
    ("mt", "nothing", f"ValueError: batch['nothing'] {WITHOUT} 1"),
    ("mt", ["other", "coded"], f"ValueError: batch['other'], batch['coded'] {WITHOUT} 1"),
    ("broken", "mt", "ValueError: batch['broken'][1] is not valid UTF-8: byte 0xff at byte offset 0"),
    ("mt", ["whole", "broken"], "ValueError: batch['broken'][1] is not valid UTF-8: byte 0xff at byte"),
    ("words", ["words", "tokens"], "ValueError: references names the column 'words', and so does"),
    ("words", "tokens", "TypeError: batch['tokens'][1][1] must be a str, not NoneType: None"),
    ("ids", "words", "TypeError: batch['ids'][1][1] must be an int, not NoneType: None"),
]


@pytest.mark.parametrize(("hypothesis", "references", "message"), WRONG)
@pytest.mark.parametrize("function", [arrow.score, arrow.statistics])
def test_errors_name_the_column(function: Any, hypothesis: Any, references: Any, message: str) -> None:
    metric = WORDS if hypothesis in ("words", "ids") else BLEU()
    assert refusal(function, TABLE, hypothesis, references, metric).startswith(message)
    found = refusal(function, TABLE, "mt", "whole", "bleu")
    assert found == "TypeError: metric must be a fastbleu.BLEU or CHRF, not builtins.str: 'bleu'"


@pytest.mark.parametrize(
    "value",
    [
        [pa.record_batch({"mt": ["a"]})],
        iter([pa.table({"mt": ["a"]})]),
        {"mt": ["a"]},
        None,
        pa.array(["a"]),
        pa.chunked_array([["a"]]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_a_table(value: Any) -> None:
    message = refusal(arrow.score, value, "mt", "ref")
    assert message.startswith("TypeError: batch must be a pyarrow RecordBatch or Table, or ")
    assert "\n" not in message


def test_structs_and_streams() -> None:
    batch = pa.record_batch({"mt": ["a b", "c"], "ref": ["a c", "c"]})
    expected = pa.Table.from_batches([arrow.score(batch, "mt", "ref")])
    struct = batch.to_struct_array()
    for table in (
        struct,
        pa.chunked_array([struct]),
        pa.RecordBatchReader.from_batches(batch.schema, [batch]),
    ):
        assert arrow.score(table, "mt", "ref").equals(expected)

    def failing() -> Any:
        yield batch
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        arrow.score(pa.RecordBatchReader.from_batches(batch.schema, failing()), "mt", "ref")


def test_names_that_are_taken() -> None:
    counted = arrow.statistics(TABLE, "mt", "whole")
    taken = "must name new columns, but batch has a column"
    for call, options, message in (
        (arrow.score, {"into": "ref"}, f"ValueError: into {taken} 'ref' already; pass another into="),
        (arrow.statistics, {}, f"ValueError: prefix {taken} 'bleu_sys_len' already"),
        (arrow.score, {"into": None}, "TypeError: into must be a str, not NoneType: None"),
        (arrow.statistics, {"prefix": None}, "TypeError: prefix must be a str, not NoneType: None"),
    ):
        assert refusal(call, counted, "mt", "whole", **options).startswith(message)
    assert arrow.statistics(counted, "mt", "whole", prefix="second_").num_columns == TABLE.num_columns + 20


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.compute", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"^fastbleu.arrow needs the module pyarrow: pip install "):
        arrow.score(TABLE, "mt", "mt")
