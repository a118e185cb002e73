"""Arrow columns at every entry point of the core: the same numbers as lists."""

import pickle
import random
import re
import sys
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds, rerank
from fastbleu.inputs.reading import as_list

pa = pytest.importorskip("pyarrow")

from tests.support.arrow_columns import text_columns
from tests.support.refusals import refusal

WORDS = ["the", "cat", "sät", "on", "mat", "日本", ".", "a,b", "", "😀x", "The"]


def segment(choose: random.Random) -> str:
    return " ".join(choose.choices(WORDS, k=choose.randrange(30)))


def told(score: Any) -> Any:
    return score.format(width=10), vars(score), str(score.signature)


def made(number: int, seed: int, absent: float = 0.0) -> list[Any]:
    choose = random.Random(seed)
    return [None if choose.random() < absent else segment(choose) for _ in range(number)]


N = 1500
HYPOTHESES = made(N, 1)
FIRST = made(N, 2)
SECOND = made(N, 3, absent=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"lowercase": True, "tokenize": "intl", "threads": 2}, {"tokenize": str.split}]
)
def test_text_in_every_form(options: Any) -> None:
    metric = BLEU(force=True, **options)
    expected = metric.statistics(HYPOTHESES, [FIRST, SECOND])
    columns = [text_columns(texts) for texts in (HYPOTHESES, FIRST, SECOND)]
    for name in columns[0]:
        hypotheses, first, second = (column[name] for column in columns)
        assert (metric.statistics(hypotheses, [first, second]) == expected).all(), name
        assert (metric.statistics(hypotheses, [FIRST, second]) == expected).all(), name
        assert (metric.statistics(HYPOTHESES, [first, SECOND]) == expected).all(), name
        assert (metric.statistics(hypotheses, metric.prepare([first, second])) == expected).all(), name


def test_few_segments_with_many_references() -> None:
    metric = BLEU(force=True)
    given = [[each] * (40 if i % 500 == 0 else 1) for i, each in enumerate(FIRST)]
    expected = told(metric.corpus_score(HYPOTHESES, metric.prepare_segments(given)))
    assert told(metric.corpus_score(HYPOTHESES, pa.array(given))) == expected
    assert told(metric.corpus_score(pa.array(HYPOTHESES), pa.array(given))) == expected


def check_lists(metric: BLEU, kind: Any, hypotheses: Any, first: Any, second: Any) -> None:
    """Columns of lists of this type have the statistics of the Python lists."""
    expected = metric.statistics(hypotheses, [first, second])
    column, *streams = (pa.array(lists, kind) for lists in (hypotheses, first, second))
    assert (metric.statistics(column, streams) == expected).all(), kind
    assert (metric.statistics(column[3:], [each[3:] for each in streams]) == expected[3:]).all(), kind
    chunks = pa.chunked_array([column[:10], column[10:]])
    assert (metric.statistics(chunks, [first, streams[1]]) == expected).all(), kind
    assert (metric.statistics(column, metric.prepare(streams)) == expected).all(), kind
    assert (metric.statistics(column, streams[0]) == metric.statistics(hypotheses, [first])).all(), kind


def test_tokens() -> None:
    metric = BLEU(tokenize="none")
    hypotheses = [each.split(" ") for each in HYPOTHESES]
    first = [each.split(" ") for each in FIRST]
    second = [None if each is None else each.split(" ") for each in SECOND]
    expected = metric.statistics(hypotheses, [first, second])
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string_view()), pa.list_view(pa.large_string())):
        check_lists(metric, kind, hypotheses, first, second)
    both = pa.array([[x for x in pair if x is not None] for pair in zip(first, second, strict=True)])
    assert (metric.statistics(hypotheses, both) == expected).all()
    assert (metric.statistics(pa.array(hypotheses), both) == expected).all()
    assert (metric.statistics(pa.array(hypotheses), metric.prepare_segments(both)) == expected).all()


def test_token_ids() -> None:
    choose = random.Random(4)
    metric = BLEU(tokenize="none")

    def rows(absent: Any = 0.0) -> Any:
        return [
            None if choose.random() < absent else choose.choices(range(9), k=choose.randrange(30))
            for _ in range(N)
        ]

    hypotheses, first, second = rows(), rows(), rows(0.4)
    expected = metric.statistics(hypotheses, [first, second])
    for item in (getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)):
        for of in (pa.list_, pa.large_list, pa.list_view):
            check_lists(metric, of(item), hypotheses, first, second)
    rule = {"pad_id": 0, "eos_id": 1}
    held, column = TokenIds(hypotheses, **rule), TokenIds(pa.array(hypotheses), **rule)
    assert list(held) == list(column) == list(pickle.loads(pickle.dumps(column)))
    lengths = [len(row) // 2 for row in hypotheses]
    assert list(TokenIds(pa.array(hypotheses), lengths=lengths)) == list(
        TokenIds(hypotheses, lengths=lengths)
    )
    each = pa.array([[x for x in pair if x is not None] for pair in zip(first, second, strict=True)])
    assert (metric.statistics(hypotheses, each) == expected).all()


POOLS = [[segment(random.Random(10 * i + k)) for k in range(1 + i % 5)] for i in range(300)]


@pytest.mark.parametrize("of", [pa.list_, pa.large_list, pa.list_view])
def test_pools(of: Any) -> None:
    column = pa.array(POOLS, of(pa.string()))
    chunks = pa.chunked_array([column[:7], column[7:200], column[200:]])
    expected = rerank.mbr(POOLS)
    for pools in (column, chunks):
        assert rerank.mbr(pools).indices.tolist() == expected.indices.tolist()
        assert [each.tolist() for each in rerank.expected(pools)] == [
            each.tolist() for each in rerank.expected(POOLS)
        ]
    references = FIRST[: len(POOLS)]
    chosen = rerank.oracle(POOLS, references).indices.tolist()
    each = pa.array([[reference] for reference in references])
    for given in (pa.array(references), pa.array(references).cast(pa.large_string()), each, references):
        assert rerank.oracle(chunks, given).indices.tolist() == chosen
    flat = pa.array([candidate for pool in POOLS for candidate in pool])
    offsets = np.cumsum([0, *map(len, POOLS)])
    assert rerank.mbr(rerank.Pools(flat, offsets=offsets)).indices.tolist() == expected.indices.tolist()


def test_pools_of_tokens_and_of_ids() -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    tokens = [[candidate.split(" ") for candidate in pool] for pool in POOLS]
    ids = [[[WORDS.index(token) for token in candidate] for candidate in pool] for pool in tokens]
    expected = rerank.mbr(tokens, metric=metric).indices.tolist()
    assert rerank.mbr(pa.array(tokens), metric=metric).indices.tolist() == expected
    assert rerank.mbr(pa.array(ids), metric=metric).indices.tolist() == expected
    assert rerank.Pools(pa.array(tokens[3]), size=2)[1] == tokens[3][2:4]


def test_a_pool_without_candidates_or_references() -> None:
    assert refusal(rerank.mbr, pa.array([["a"], None, ["b"]])) == "ValueError: pools[1] has no candidates"
    with pytest.raises(ValueError, match=r"references\[1\]"):
        rerank.oracle(pa.array([["a"], ["c"], ["b"]]), pa.array(["a", None, "b"]))


def test_null() -> None:
    metric, tokens = BLEU(), BLEU(tokenize="none")
    one, text = [pa.array([[1], [2]])], [pa.array([["a"], ["b"]])]
    for call, arguments, message in (
        (
            metric.corpus_score,
            (pa.array(["a", "b", "c", None, "d"]), [["a"] * 5]),
            "TypeError: hypotheses[3] must be a str, not NoneType: None",
        ),
        (metric.corpus_score, (["a", "b"], [pa.array(["a", None])]), "ValueError: references hold nothing"),
        (metric.corpus_score, (["a", "b"], pa.array([["a"], None])), "ValueError: references[1] must hold"),
        (metric.prepare_segments, (pa.array([["a"], []]),), "ValueError: references[1] must hold at least"),
        (tokens.statistics, (pa.array([["a"], ["b", "c", None]]), text), "TypeError: hypotheses[1][2] must"),
        (tokens.statistics, (pa.array([["a"], None]), text), "TypeError: hypotheses[1] must be a sequence"),
        (tokens.statistics, (pa.array([[1], [None]]), one), "TypeError: hypotheses[1][0] must be an int,"),
        (tokens.statistics, (pa.array([[1], None]), one), "TypeError: hypotheses[1] must be a sequence of"),
    ):
        assert refusal(call, *arguments).startswith(message)
    given = [["a", "b"], pa.nulls(2)]
    assert (metric.statistics(["a", "b"], given) == metric.statistics(["a", "b"], given[:1])).all()


def test_empty_columns() -> None:
    metric = BLEU()
    for kind in (
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.null(),
    ):
        column = pa.array([], kind)
        assert metric.statistics(column, [column]).shape == (0, 10)
        assert metric.statistics(pa.chunked_array([], kind), [column]).shape == (0, 10)
        assert metric.statistics(column, pa.array([], pa.list_(pa.string()))).shape == (0, 10)
        assert refusal(metric.corpus_score, column, [column]).startswith("ValueError: hypotheses is empty")
    assert rerank.mbr(pa.array([], pa.list_(pa.string()))).indices.tolist() == []


#: Columns of types that are not read, none of which a cast may turn into text or ids; and how errors name the type.
OTHER_TYPES = {
    "int64": pa.array([1, 2]),
    "double": pa.array([1.5, 2]),
    "bool": pa.array([True, False]),
    "binary": pa.array([b"a", b"b"]),
    "large_binary": pa.array([b"a", b"b"], pa.large_binary()),
    "fixed_size_binary[1]": pa.array([b"a", b"b"], pa.binary(1)),
    "decimal128(5, 2)": pa.array([0, 1], pa.decimal128(5, 2)),
    "date32[day]": pa.array([0, 1], pa.date32()),
    "timestamp[s]": pa.array([0, 1], pa.timestamp("s")),
    "duration[s]": pa.array([0, 1], pa.duration("s")),
    "struct<t: string>": pa.array([{"t": "a"}, None]),
    "map<string, string>": pa.array([[("a", "b")], None], pa.map_(pa.string(), pa.string())),
    "dense_union": pa.UnionArray.from_dense(
        pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [pa.array(["a", "b"])]
    ),
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays([1, 2], ["a", "b"]),
    "dictionary<values=int64": pa.array([1, 2]).dictionary_encode(),
    "extension<arrow.json>": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['"a"', '"b"'])),
    "extension<arrow.uuid>": pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([bytes(16)] * 2, pa.binary(16))
    ),
}


@pytest.mark.parametrize("name", OTHER_TYPES)
@pytest.mark.parametrize("form", ["array", "chunks", "lists", "lists of lists", "stream"])
def test_columns_of_other_types_are_refused_by_name(name: str, form: str) -> None:
    column: Any = OTHER_TYPES[name]
    if form.startswith("lists"):
        if name == "int64":
            return  # lists of integers are token ids
        column = pa.LargeListArray.from_arrays([0, 1, 2], column)
        column = pa.LargeListArray.from_arrays([0, 1, 2], column) if form == "lists of lists" else column
    elif form == "chunks":
        column = pa.chunked_array([column[:1], column[1:]])
    elif form == "stream" and not name.startswith("struct"):
        # A query with one column of this type.
        column = pa.table({"x": column}).to_reader()
    message = rf" must be a column of strings, .* of (large_list<\w+: )*{re.escape(name)}"
    for metric, segments in ((BLEU(), ["a", "b"]), (BLEU(tokenize="none"), [["a"], ["b"]])):
        for call, arguments, where in (
            (metric.corpus_score, (column, [segments]), "hypotheses"),
            (metric.corpus_score, (segments, [column]), r"references\[0\]"),
            (metric.corpus_score, (segments, column), "references"),
            (metric.prepare_segments, (column,), "references"),
            (rerank.mbr, (column,), "pools"),
        ):
            with pytest.raises(TypeError, match=f"^{where}{message}") as caught:
                call(*arguments)
            assert caught.value.value is column  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=f"^ids{message}"):
        TokenIds(column)


def test_the_only_column_of_a_query_keeps_the_nulls_around_it() -> None:
    rows = pa.array([{"t": "a"}, None, {"t": None}], pa.struct([("t", pa.string())]))
    stream = pa.RecordBatchReader.from_stream(Stream(pa.chunked_array([rows])))
    assert list(as_list(Stream(pa.chunked_array([rows])), "x")) == ["a", None, None]
    assert stream.schema.names == ["t"]


def test_a_series_of_structs_is_refused_in_every_library() -> None:
    """It is a column, not the result of a query with one column."""
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    held = pa.array([{"t": "a"}, None])
    for series in (polars.Series(held), pandas.Series(pandas.arrays.ArrowExtensionArray(held))):
        for call, arguments, where in (
            (BLEU().corpus_score, (series, [["a", "b"]]), "hypotheses"),
            (BLEU().corpus_score, (["a", "b"], [series]), r"references\[0\]"),
            (BLEU().prepare_segments, (series,), "references"),
        ):
            with pytest.raises(TypeError, match=rf"^{where} must be a column of .* of struct<t: ") as caught:
                call(*arguments)
            assert caught.value.value is not None  # type: ignore[attr-defined]


class Stream:
    """What hands over Arrow data and does not say what it is."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._held.__arrow_c_stream__(requested_schema)


def test_a_stream_that_fails() -> None:
    def batches() -> Any:
        yield pa.record_batch({"t": ["a"]})
        raise OSError("disk on fire\nat line 1")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("t", pa.string())]), batches())
    with pytest.raises(ValueError, match=r"^hypotheses cannot be read as a column of Arrow: .*disk on fire$"):
        BLEU().corpus_score(reader, [["a"]])


def test_ids_that_lists_refuse() -> None:
    metric = BLEU(tokenize="none")
    large = pa.array([[1], [2, (1 << 63) - 1, 1 << 63]], pa.list_(pa.uint64()))
    with pytest.raises(ValueError, match=r"^hypotheses\[1\]\[2\] is 9223372036854775808, more than the"):
        metric.corpus_score(large, [[[1], [2]]])
    column = pa.chunked_array([[[1], [2]], [[3, None]]])
    with pytest.raises(TypeError, match=r"^ids\[2\]\[1\] must be an int, not NoneType: None"):
        TokenIds(column, eos_id=3)


def test_arrays_that_are_not_valid() -> None:
    offsets = np.array([5, -(2**63), 10], dtype=np.int64)
    text = pa.Array.from_buffers(
        pa.large_string(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(b"abcdefghijkl")]
    )
    index = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b"]), safe=False)
    outside = pa.DictionaryArray.from_arrays(pa.array([0, 7]), pa.array(["a", "b"]), safe=False)
    falling = pa.Array.from_buffers(
        pa.list_(pa.string()),
        2,
        [None, pa.py_buffer(np.array([0, 2, 1], np.int32))],
        children=[pa.array(["a", "b"])],
    )
    assert BLEU().statistics(index, [["a", "b"]]).shape == (2, 10)
    for column in (text, outside, falling):
        with pytest.raises(ValueError, match=r"^hypotheses is not a valid Arrow array: "):
            BLEU().corpus_score(column, [["a", "b"]])


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of polars are lists then, and others say what to install."""
    polars, nanoarrow = pytest.importorskip("polars"), pytest.importorskip("nanoarrow")
    expected = BLEU().statistics(HYPOTHESES, [FIRST, SECOND])
    texts = [polars.Series(each) for each in (HYPOTHESES, FIRST, SECOND)]
    array = nanoarrow.Array(["a"], nanoarrow.string())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("fastbleu.inputs.frames.find_spec", lambda _: None)
    assert (BLEU().statistics(texts[0], texts[1:]) == expected).all()
    message = r'^hypotheses: a column of Arrow \(Array\) needs the module pyarrow: pip install ".*\[arrow\]"$'
    with pytest.raises(ImportError, match=message):
        BLEU().corpus_score(array, [["a"]])


def test_one_column_is_no_list_of_streams() -> None:
    with pytest.raises(TypeError, match=r"^references must be a list of streams.*pass \[references\]"):
        BLEU().corpus_score(["a"], pa.array(["a"]))
    with pytest.raises(ValueError, match=r"^references has 2 segments, but there is 1 hypothesis"):
        BLEU().corpus_score(["a"], pa.array([["a"], ["b"]]))
    with pytest.raises(TypeError, match=r"^pools must be .*pass Pools\(pools, size=...\)"):
        rerank.mbr(pa.array(["a"]))
    with pytest.raises(ValueError, match=r"are token ids, which need tokenize='none'"):
        BLEU().corpus_score(pa.array([[1]]), [pa.array([[1]])])


def test_invalid_utf8_names_the_row() -> None:
    column = pa.array([b"a", b"caf\xc3", b"b"]).view(pa.string())
    with pytest.raises(
        ValueError, match=r"^hypotheses\[1\] is not valid UTF-8: byte 0xc3 at byte offset 3$"
    ) as caught:
        BLEU().corpus_score(column, [["a"] * 3])
    assert caught.value.value == b"caf\xc3"  # type: ignore[attr-defined]
    split = pa.array([b"a", b"caf\xc3", b"\xa9"]).view(pa.string())
    with pytest.raises(ValueError, match=r"^hypotheses\[1\] is not valid UTF-8"):
        BLEU().corpus_score(split, [["a"] * 3])
    lists = pa.ListArray.from_arrays([0, 1, 3], column)
    with pytest.raises(ValueError, match=r"^references\[1\]\[0\] is not valid UTF-8"):
        BLEU().corpus_score(["a", "b"], lists)
    with pytest.raises(ValueError, match=r"^hypotheses\[1\]\[0\] is not valid UTF-8"):
        BLEU(tokenize="none").corpus_score(lists, [[["a"], ["b"]]])


def test_results_of_queries() -> None:
    metric = BLEU(force=True)
    expected = told(metric.corpus_score(HYPOTHESES, [FIRST]))
    table = pa.table({"mt": HYPOTHESES, "ref": FIRST})
    assert told(metric.corpus_score(table.select(["mt"]).to_reader(100), [table["ref"]])) == expected
    with pytest.raises(
        TypeError, match=r"^hypotheses must be .* not a RecordBatchReader; pass .* 'mt', 'ref'$"
    ):
        metric.corpus_score(table.to_reader(), [FIRST])
    with pytest.raises(
        TypeError, match=r"^hypotheses must be .*, not a Table; pass one of its columns: 'mt'$"
    ):
        metric.corpus_score(table.select(["mt"]), [FIRST])


def test_columns_of_other_packages() -> None:
    nanoarrow, duckdb = pytest.importorskip("nanoarrow"), pytest.importorskip("duckdb")
    relation = duckdb.from_arrow(pa.table({"mt": HYPOTHESES}))
    metric = BLEU(force=True)
    expected = told(metric.corpus_score(HYPOTHESES, [FIRST]))
    for column in (nanoarrow.Array(HYPOTHESES, nanoarrow.string()), relation.select("mt")):
        assert told(metric.corpus_score(column, [FIRST])) == expected


def test_errors_name_the_argument() -> None:
    column = pa.array([b"a", b"caf\xc3", b"b"]).view(pa.string())
    words = BLEU(tokenize=str.split)
    tokens = BLEU(tokenize="none")
    for call, arguments, message in (
        (words.corpus_score, (column, [["a"] * 3]), "ValueError: hypotheses[1] is not valid UTF-8"),
        (words.corpus_score, (["a"] * 3, [column]), "ValueError: references[0][1] is not valid UTF-8"),
        (rerank.mbr, (pa.ListArray.from_arrays([0, 1, 3], column),), "ValueError: pools[1][0] is not valid"),
        (
            tokens.corpus_score,
            (pa.array([[1], [2]]), pa.array([[[1], [2, None]], [[3]]])),
            "TypeError: references[0][1][1] must be an int, not NoneType",
        ),
        (BLEU().corpus_score, (["a", "b"], [pa.array([["a"], ["b"]])]), "TypeError: references[0] is a"),
    ):
        assert refusal(call, *arguments).startswith(message)
