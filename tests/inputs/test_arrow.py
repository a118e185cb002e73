"""Arrow columns that pyarrow and polars make, at the doors of the core: the same numbers as lists."""

import ctypes
import mmap
import pickle
import random
import struct
import sys
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds, corpus_bleu, rerank

pa = pytest.importorskip("pyarrow")

from tests.support.arrow_columns import text_columns
from tests.support.refusals import refusal

WORDS = ["the", "cat", "sät", "on", "mat", "日本", ".", "a,b", "", "😀x", "The"]


def segment(choose: random.Random) -> str:
    return " ".join(choose.choices(WORDS, k=choose.randrange(30)))


def told(score: Any) -> Any:
    """All that a score says."""
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


def test_doors_that_frames_are_not_tried_at() -> None:
    metric = BLEU(force=True)
    hypotheses, first = pa.array(HYPOTHESES), pa.chunked_array([FIRST[:500], FIRST[500:]])
    resampled = metric.corpus_score(HYPOTHESES, [FIRST], n_bootstrap=20)
    assert told(metric.corpus_score(hypotheses, [first], n_bootstrap=20)) == told(resampled)
    plain = corpus_bleu(HYPOTHESES, [FIRST], force=True)
    assert told(corpus_bleu(hypotheses, [first], force=True)) == told(plain)
    assert told(BLEU(references=[first], force=True).corpus_score(hypotheses, None)) == told(plain)
    assert (metric.prefix_scores(hypotheses, [first]) == metric.prefix_scores(HYPOTHESES, [FIRST])).all()


def test_few_segments_with_many_references() -> None:
    metric = BLEU(force=True)
    given = [[each] * (40 if i % 500 == 0 else 1) for i, each in enumerate(FIRST)]
    expected = told(metric.corpus_score(HYPOTHESES, metric.prepare_segments(given)))
    assert told(metric.corpus_score(HYPOTHESES, pa.array(given))) == expected
    assert told(metric.corpus_score(pa.array(HYPOTHESES), pa.array(given))) == expected


def test_tokens() -> None:
    metric = BLEU(tokenize="none")
    hypotheses = [each.split(" ") for each in HYPOTHESES]
    first = [each.split(" ") for each in FIRST]
    second = [None if each is None else each.split(" ") for each in SECOND]
    expected = metric.statistics(hypotheses, [first, second])
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string_view()), pa.list_view(pa.large_string())):
        columns = [pa.array(each, kind) for each in (hypotheses, first, second)]
        assert (metric.statistics(columns[0], columns[1:]) == expected).all(), kind
        parts = [each[3:] for each in columns]
        assert (metric.statistics(parts[0], parts[1:]) == expected[3:]).all(), kind
        assert (metric.statistics(columns[0], [first, columns[2]]) == expected).all(), kind
        assert (metric.statistics(columns[0], metric.prepare(columns[1:])) == expected).all(), kind
        assert (metric.statistics(columns[0], columns[1]) == metric.statistics(hypotheses, [first])).all()
    both = pa.array([[x for x in pair if x is not None] for pair in zip(first, second, strict=True)])
    assert (metric.statistics(hypotheses, both) == expected).all()
    assert (metric.statistics(pa.array(hypotheses), both) == expected).all()
    assert (metric.statistics(pa.array(hypotheses), metric.prepare_segments(both)) == expected).all()


def test_tokens_that_are_long_or_hold_spaces() -> None:
    choose = random.Random(9)
    long = ["x" * 20, "x" * 20 + "y", "a b", "a", "b", "", "é" * 9, "0123456789abcde", "0123456789abcdef"]
    lists = [[choose.choices(long, k=choose.randrange(12)) for _ in range(400)] for _ in range(3)]
    metric = BLEU(tokenize="none", max_ngram_order=3)
    expected = metric.statistics(lists[0], lists[1:])
    columns = [pa.array(each, pa.list_(pa.string())) for each in lists]
    assert (metric.statistics(columns[0], columns[1:]) == expected).all()


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
            columns = [pa.array(each, of(item)) for each in (hypotheses, first, second)]
            assert (metric.statistics(columns[0], columns[1:]) == expected).all(), columns[0].type
            parts = [each[5:] for each in columns]
            assert (metric.statistics(parts[0], parts[1:]) == expected[5:]).all(), columns[0].type
            chunks = pa.chunked_array([columns[0][:10], columns[0][10:]])
            assert (metric.statistics(chunks, [first, columns[2]]) == expected).all(), columns[0].type
            assert (metric.statistics(columns[0], columns[1]) == metric.statistics(hypotheses, [first])).all()
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
    with pytest.raises(ValueError, match=r"^pools\[1\] has no candidates$"):
        rerank.mbr(pa.array([["a"], None, ["b"]]))
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
        (
            tokens.statistics,
            (pa.array([["a"], ["b", "c", None]]), text),
            "TypeError: hypotheses[1][2] must be a str, not NoneType",
        ),
        (
            tokens.statistics,
            (pa.array([["a"], None]), text),
            "TypeError: hypotheses[1] must be a sequence of t",
        ),
        (
            tokens.statistics,
            (pa.array([[1], [None]]), one),
            "TypeError: hypotheses[1][0] must be an int, not N",
        ),
        (
            tokens.statistics,
            (pa.array([[1], None]), one),
            "TypeError: hypotheses[1] must be a sequence of tok",
        ),
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
        with pytest.raises(ValueError, match=r"^hypotheses is empty"):
            metric.corpus_score(column, [column])
    assert rerank.mbr(pa.array([], pa.list_(pa.string()))).indices.tolist() == []


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1, 2]), "of int64"),
        (pa.array([1.5]), "of double"),
        (pa.array([b"a"]), "of binary"),
        (pa.array([True]), "of bool"),
        (pa.array([[1.5]]), "of list<double>"),
        (pa.array([[b"a"]], pa.large_list(pa.binary())), "of large_list<binary>"),
        (pa.array([{"a": 1}]), "is a table .*; pass one of its columns, which are 'a'"),
        (
            pa.table({"mt": ["a"], "ref": ["b"]}),
            "not a Table; pass one of its columns: 'mt', 'ref'",
        ),
        (pa.array([[["a"]]]), "is a column of lists of lists"),
        (pa.array([1], pa.dictionary(pa.int8(), pa.int64())), "of dictionary<values=int64, indices=int8>"),
        (pa.array([0], pa.timestamp("s")), "of timestamp"),
        (pa.array([0], pa.decimal128(5, 2)), "of decimal"),
    ],
)
def test_columns_of_other_types_are_refused_by_name(column: Any, message: Any) -> None:
    with pytest.raises(TypeError, match=rf"^hypotheses .*{message}"):
        BLEU().corpus_score(column, [["a"]])
    with pytest.raises(TypeError, match=rf"^references\[0\] .*{message}"):
        BLEU().corpus_score(["a"], [column])


def test_one_column_is_no_list_of_streams() -> None:
    with pytest.raises(TypeError, match=r"^references must be a list of streams.*pass \[references\]"):
        BLEU().corpus_score(["a"], pa.array(["a"]))
    with pytest.raises(ValueError, match=r"^references has 2 segments, but there is 1 hypothesis"):
        BLEU().corpus_score(["a"], pa.array([["a"], ["b"]]))
    with pytest.raises(TypeError, match=r"^pools must be .*pass Pools\(pools, size=...\)"):
        rerank.mbr(pa.array(["a"]))
    with pytest.raises(ValueError, match=r"are token ids, which need tokenize='none'"):
        BLEU().corpus_score(pa.array([[1]]), [pa.array([[1]])])


@pytest.mark.skipif(sys.platform != "linux", reason="protects a page of memory by a function of Linux")
@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_views_beside_memory_that_may_not_be_read(tokenize: Any) -> None:
    """The views and two buffers, each of which ends where no byte may be read, in any order in memory."""
    generator = random.Random(tokenize)
    metric = BLEU(tokenize=tokenize, force=True)
    for number in (1, 5, 8, 9, 40, 3000):
        lengths = [generator.choice((0, 3, 11, 12, 13, 40, 64, 65, 130)) for _ in range(number)]
        texts = ["".join(generator.choices("ab,.1 é", k=length)) for length in lengths]
        data, views = [b"", b""], b""
        for text in texts:
            row, buffer = text.encode(), generator.randrange(2)
            views += struct.pack("=i", len(row))
            if len(row) <= 12:
                views += row.ljust(12, b"\0")
            else:
                views += struct.pack("=4sii", row[:4], buffer, len(data[buffer]))
                data[buffer] += row
        held = {
            which: GuardedMemory(part)
            for which, part in sorted(enumerate([views, *data]), key=lambda _: generator.random())
        }
        column = pa.Array.from_buffers(
            pa.string_view(), number, [None, *(held[which].buffer() for which in range(3))]
        )
        assert column.to_pylist() == texts
        for start, stop in ((0, number), (number // 2, number), (0, max(1, number - 9))):
            part, expected = column[start:stop], texts[start:stop]
            rows = metric.statistics(part, [part, expected[::-1]])
            assert (rows == metric.statistics(expected, [expected, expected[::-1]])).all()
            tokens = [pa.array([0, stop - start], pa.int32()), part]
            lists = BLEU(tokenize="none").statistics(pa.ListArray.from_arrays(*tokens), [[expected]])
            assert (lists == BLEU(tokenize="none").statistics([expected], [[expected]])).all()


class GuardedMemory:
    """Bytes at the end of memory, with a page after them that may not be read."""

    def __init__(self, data: bytes) -> None:
        pages = len(data) // mmap.PAGESIZE + 1
        self._map = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
        self._size = len(data)
        self._start = pages * mmap.PAGESIZE - len(data)
        self._map[self._start : self._start + len(data)] = data
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._protect(0)

    def __del__(self) -> None:
        self._protect(3)

    def _protect(self, allowed: int) -> None:
        size = len(self._map)
        place = ctypes.c_void_p(self._base + size - mmap.PAGESIZE)
        assert ctypes.CDLL(None).mprotect(place, ctypes.c_size_t(mmap.PAGESIZE), allowed) == 0

    def buffer(self) -> Any:
        return pa.foreign_buffer(self._base + self._start, self._size, self)


def test_invalid_utf8_names_the_row() -> None:
    column = pa.array([b"a", b"caf\xc3", b"b"]).view(pa.string())
    with pytest.raises(ValueError, match=r"^hypotheses\[1\] is not valid UTF-8: byte 0xc3 at byte offset 3$"):
        BLEU().corpus_score(column, [["a"] * 3])
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


def test_relations_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"mt": HYPOTHESES, "ref": FIRST})
    metric = BLEU(force=True)
    relation = duckdb.from_arrow(table)
    found = metric.corpus_score(relation.select("mt"), [relation.select("ref")])
    assert told(found) == told(metric.corpus_score(HYPOTHESES, [FIRST]))


def test_columns_of_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    metric = BLEU(force=True)
    found = metric.corpus_score(nanoarrow.Array(HYPOTHESES, nanoarrow.string()), [FIRST])
    assert told(found) == told(metric.corpus_score(HYPOTHESES, [FIRST]))


def test_a_table_that_is_mapped_into_memory(tmp_path: Any) -> None:
    table = pa.table({"mt": HYPOTHESES, "ref": FIRST})
    path = tmp_path / "data.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    before = pa.total_allocated_bytes()
    with pa.memory_map(str(path)) as source:
        mapped = pa.ipc.open_file(source).read_all()
    metric = BLEU(force=True)
    expected = told(metric.corpus_score(HYPOTHESES, [FIRST]))
    assert told(metric.corpus_score(mapped["mt"], [mapped["ref"]])) == expected
    assert pa.total_allocated_bytes() == before


def test_dictionaries_of_other_things_are_refused() -> None:
    lists = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array([["a", "b"], ["c"]]))
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int32()), pa.array([100, 200]))
    of_numbers = pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), numbers)
    metric = BLEU(tokenize="none")
    for column in (lists, of_numbers):
        with pytest.raises(TypeError, match=r"^hypotheses must be .* of (list<)?dictionary<values="):
            metric.corpus_score(column, [[["a"], ["b"]]])
        with pytest.raises(TypeError, match=r"^references must be .* of (list<)?dictionary<values="):
            metric.corpus_score([["a"], ["b"]], column)


def test_lists_of_no_items_at_all() -> None:
    huge = pa.Array.from_buffers(
        pa.list_(pa.string(), 0), 2**61, [None], children=[pa.array([], pa.string())]
    )
    with pytest.raises(
        ValueError, match=r"^hypotheses is not a valid Arrow array: its length is 2305843009213693952"
    ):
        BLEU(tokenize="none").corpus_score(huge, [huge])
    none = pa.array([[], []], pa.list_(pa.string(), 0))
    assert BLEU(tokenize="none").corpus_score(none, [none]).sys_len == 0


def test_offsets_far_apart() -> None:
    offsets = np.array([5, -(2**63), 10], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"abcdefghijkl")]
    column = pa.Array.from_buffers(pa.large_string(), 2, buffers)
    with pytest.raises(
        ValueError,
        match=r"^hypotheses\[0\] is not a valid Arrow array: its offsets or index point outside",
    ):
        BLEU().corpus_score(column, [["a", "b"]])


def test_many_references_of_each_segment_are_read_once() -> None:
    choose = random.Random(5)
    many = [[segment(choose) for _ in range(choose.randrange(1, 40))] for _ in range(60)]
    long = [[" ".join(HYPOTHESES[k : k + 400]), "b"] for k in range(100)]
    metric = BLEU(force=True)
    for given in (many, long):
        hypotheses = HYPOTHESES[: len(given)]
        expected = metric.statistics(hypotheses, metric.prepare_segments(given))
        for kind in (pa.string(), pa.string_view()):
            assert (metric.statistics(hypotheses, pa.array(given, pa.list_(kind))) == expected).all()


def test_errors_name_the_argument_at_every_door() -> None:
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
        (
            BLEU().corpus_score,
            (["a", "b"], [pa.array([["a"], ["b"]])]),
            "TypeError: references[0] is a column of lists, where text is expected",
        ),
    ):
        assert refusal(call, *arguments).startswith(message)


def test_null_lists_that_hold_items() -> None:
    rows = [[1, 2, 3], None, [4, 5, 6]]
    fixed = pa.array(rows, pa.list_(pa.int32(), 3))
    metric = BLEU(tokenize="none")
    ids = [[1, 2, 3], [7], [4, 5, 6]]
    assert (metric.statistics(ids, [ids, fixed]) == metric.statistics(ids, [ids, rows])).all()


def test_columns_of_lists_without_a_row_may_stand_for_texts() -> None:
    for metric in (BLEU(), BLEU(tokenize="none")):
        nothing = pa.array([], pa.list_(pa.string()))
        assert metric.statistics(nothing, [nothing]).shape == (0, 10)


def in_dictionaries(texts: list[Any], pieces: int) -> Any:
    """The texts as arrays that have a dictionary each, with the texts in another order."""
    size = -(-len(texts) // pieces)
    parts = [pa.array(texts[i : i + size]).dictionary_encode() for i in range(0, len(texts), size)]
    return pa.chunked_array(parts)


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_rows_of_dictionaries_count_as_often_as_they_stand_there(threads: int) -> None:
    choose = random.Random(7)
    some, others = made(12, 8), [*made(5, 9), None]
    hypotheses = [*choose.choices(some, k=600), *choose.choices([f"{text} ." for text in some], k=600)]
    first, second = choose.choices(some, k=1200), choose.choices(others, k=1200)
    metric = BLEU(effective_order=True, threads=threads, lowercase=True)
    columns = [in_dictionaries(texts, pieces) for texts, pieces in ((hypotheses, 1), (first, 3), (second, 2))]
    lists, held = (hypotheses, [first, second]), (columns[0], columns[1:])
    assert (metric.statistics(*held) == metric.statistics(*lists)).all()
    assert told(metric.corpus_score(*held)) == told(metric.corpus_score(*lists))
    assert (metric.sentence_scores(*held) == metric.sentence_scores(*lists)).all()
    assert metric.corpus(*held).count().tokenized == metric.corpus(*lists).count().tokenized > 500


def test_many_rows_of_dictionaries_until_most_differ() -> None:
    metric = BLEU(force=True, max_ngram_order=2)
    few = ["a b", "a b c", "c", "b a"]
    hypotheses = few * (1 << 14) + [f"a {i}" for i in range(1000)]
    references = ["a b c"] * len(hypotheses)
    held = (pa.array(hypotheses).dictionary_encode(), [pa.array(references).dictionary_encode()])
    parts: list[int] = []
    metric.count(metric.corpus(*held), done=lambda start, stop, _: parts.extend(range(start, stop)))
    assert parts == list(range(len(hypotheses)))
    assert (metric.statistics(*held) == metric.statistics(hypotheses, [references])).all()


@pytest.mark.parametrize("missing", ["hypothesis", "reference"])
def test_errors_of_equal_rows_name_the_first(missing: str) -> None:
    texts: list[Any] = ["a b", "c"] * 300
    broken = list(texts)
    broken[401] = broken[501] = None
    lists = (broken, [texts]) if missing == "hypothesis" else (texts, [broken])
    held = (in_dictionaries(lists[0], 1), [in_dictionaries(lists[1][0], 1)])
    metric = BLEU(force=True)
    expected, found = (refusal(metric.corpus_score, *given) for given in (lists, held))
    assert found == expected
    assert "401" in str(found)
