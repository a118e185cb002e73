"""Sums of statistics in columns: their scores are those of the same segments as one corpus, however they are cut."""

import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from fastbleu import BLEU, CHRF, arrow
from tests.support.refusals import refusal

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "it", "rained", "all", "day"]
NUMBER = 200
HYPOTHESES, FIRST, SECOND = (
    [" ".join(each.choices(WORDS, k=each.randrange(12))) for _ in range(NUMBER)]
    for each in map(random.Random, range(3))
)
SYSTEMS = [random.Random(9).choice(["beta", "alpha", None]) for _ in range(NUMBER)]
TABLE = pa.table({"mt": HYPOTHESES, "a": FIRST, "b": SECOND, "system": SYSTEMS})
SCHEMA = [
    *("sys_len", "ref_len"),
    *(f"correct_{n}" for n in range(1, 5)),
    *(f"total_{n}" for n in range(1, 5)),
]


def same(found: Any, expected: Any, signed: bool = True) -> None:
    assert (str(found), found.score) == (str(expected), expected.score)
    assert str(found.signature) == (str(expected.signature) if signed else "None")


def counts(**columns: list[int]) -> Any:
    """Statistics of order 1."""
    return pa.table({f"bleu_{name}": column for name, column in columns.items()})


METRICS: list[BLEU | CHRF] = [
    BLEU(),
    BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.3, max_ngram_order=2),
    BLEU(tokenize="none", smooth_method="add-k", effective_order=True, max_ngram_order=6, threads=2),
    BLEU(max_ngram_order=3, weights=[0.1, 0.2, 0.7], reference_length="shortest", tokenize="char"),
    BLEU(tokenize=str.split, smooth_method="add-one"),
    CHRF(word_order=2, lowercase=True, beta=1),
    CHRF(0, 1),
    CHRF(3, eps_smoothing=True, whitespace=True),
]


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_equals_the_corpus_score(metric: BLEU | CHRF) -> None:
    counted = arrow.statistics(TABLE, "mt", "a", metric)
    names = counted.column_names[len(TABLE.column_names) :]
    rows = metric.statistics(HYPOTHESES, [FIRST])
    assert [counted[name].to_pylist() for name in names] == rows.T.tolist()
    expected = metric.corpus_score(HYPOTHESES, [FIRST])
    same(arrow.total(counted), expected)
    same(arrow.total([counted[50:], counted[:50]], metric), expected)
    by_system = arrow.total_by(counted, "system")
    assert by_system.select(names).schema.equals(counted.select(names).schema, check_metadata=True)
    alpha = [i for i in range(NUMBER) if SYSTEMS[i] == "alpha"]
    of_alpha = metric.corpus_score([HYPOTHESES[i] for i in alpha], [[FIRST[i] for i in alpha]])
    assert by_system["bleu"][by_system["system"].to_pylist().index("alpha")].as_py() == of_alpha.score
    # An engine may drop the metadata.
    bare = pa.table({name: counted[name] for name in names})
    same(arrow.total(bare, metric), expected, signed=False)
    same(arrow.total(bare, metric, num_references=1), expected)
    order = {"max_ngram_order": metric.max_ngram_order} if isinstance(metric, BLEU) else {}
    default = BLEU(**order) if order else CHRF(metric.char_order, metric.word_order)  # type: ignore[union-attr]
    same(arrow.total(bare), default.score_statistics(rows.sum(axis=0)), signed=False)
    several = metric.corpus_score(HYPOTHESES, [FIRST, SECOND])
    counted = arrow.statistics(TABLE, "mt", ["a", "b"], metric)
    same(arrow.total(counted), several, signed=False)
    same(arrow.total(counted, num_references=2), several)


def pieces() -> dict[str, Callable[[Any], Any]]:
    def cut(table: Any) -> list[Any]:
        return [table.slice(start, 33) for start in range(0, NUMBER, 33)]

    return {
        "record batches": lambda table: table.to_batches(max_chunksize=7),
        "a table of chunks": lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=7)),
        "tables in any order": lambda table: random.Random(3).sample(cut(table), len(cut(table))),
        "a generator": lambda table: iter(cut(table)),
        "a stream": lambda table: table.to_reader(max_chunksize=9),
        "streams": lambda table: (piece.to_reader() for piece in cut(table)),
        "columns in another order": lambda table: table.select(table.column_names[::-1]),
        "an empty one among them": lambda table: [table.slice(0, 0), table],
        "one record batch": lambda table: table.combine_chunks().to_batches()[0],
    }


def test_counts_of_other_types() -> None:
    """Sums may have the types of engines: 128 bits in DuckDB, smaller or unsigned integers in others."""
    counted = arrow.statistics(TABLE, "mt", "a")
    expected = BLEU().corpus_score(HYPOTHESES, [FIRST])
    for kind in (pa.int32(), pa.uint64(), pa.decimal128(38, 0), pa.int16()):
        columns = {f"bleu_{name}": counted[f"bleu_{name}"].cast(kind) for name in SCHEMA}
        same(arrow.total(pa.table(columns)), expected, signed=False)
        assert arrow.total_by(pa.table({"k": SYSTEMS, **columns}), "k")["bleu_total_1"].type == pa.int64()


def test_sums_beyond_64_bits() -> None:
    most = 2**63 - 1
    table = counts(sys_len=[most] * 3, ref_len=[most] * 3, correct_1=[most - 1] * 3, total_1=[most] * 3)
    score = arrow.total(table)
    assert (score.sys_len, score.counts) == (3 * most, [3 * (most - 1)])
    table = table.append_column("k", [["a"] * 3])
    message = rf"^bleu_sys_len: the sum of 3 counts of up to {most} might not fit int64$"
    for parts in (table, [table.slice(i, 1) for i in range(3)]):
        with pytest.raises(OverflowError, match=message):
            arrow.total_by(parts, "k")
    assert arrow.total_by(table.slice(0, 1), "k")["bleu_sys_len"].to_pylist() == [most]


def test_some_tables_without_metadata() -> None:
    """They may have been counted with other options, so the user must say that they were not."""
    metric = BLEU(lowercase=True)
    known = arrow.statistics(TABLE, "mt", "a", metric)
    bare = pa.table({name: known[name] for name in known.column_names})
    for given, place in (([known, bare], r"\[1\]"), ([bare, known], r"\[0\]")):
        for call in (arrow.total, partial(arrow.total_by, by="system")):
            with pytest.raises(
                ValueError, match=rf"^counted{place} has no metadata with its options, .* pass metric="
            ):
                call(given)
            with pytest.raises(ValueError, match=r"^metric has lowercase=False, but"):
                call(given, metric=BLEU())
        assert arrow.total(given, metric).signature is None
        assert arrow.total_by(given, "system", metric)["bleu_sys_len"].type == pa.int64()


def test_num_references() -> None:
    one, two = arrow.statistics(TABLE, "mt", "a"), arrow.statistics(TABLE, "mt", ["a", "b"])
    for counted, number, shown in (
        (one, None, 1),
        (one, 1, 1),
        (two, 1, 1),
        (two, 3, 3),
        (two, -1, "var"),
        ([one, two], -1, "var"),
        ([two, one, two], -1, "var"),
    ):
        assert arrow.total(counted, num_references=number).signature.info["nrefs"] == shown
    for counted, number in ((two, None), (two, 0), ([one, two], None), ([two, one, two], None)):
        assert arrow.total(counted, num_references=number).signature is None
    for number in (3, -1, 0):
        found = refusal(arrow.total, one, num_references=number)
        assert found == f"ValueError: num_references is {number}, but the statistics were counted with 1"
    found = refusal(arrow.total, two, num_references=-2)
    assert found == "ValueError: num_references must be at least -1, got -2"


@pytest.mark.parametrize("name", pieces())
def test_any_pieces(name: str) -> None:
    metric = BLEU(tokenize="none", smooth_method="floor")
    numbers = [i % 3 for i in range(NUMBER)]
    counted = arrow.statistics(TABLE.append_column("n", [numbers]), "mt", "a", metric, "x")
    found = arrow.total_by(pieces()[name](counted), ["n", "system"], prefix="x", into="score")
    found.validate(full=True)
    assert found.column_names == ["n", "system", "score", *(f"x{each}" for each in SCHEMA)]
    expected = {}
    for key in dict.fromkeys(zip(numbers, SYSTEMS, strict=True)):
        rows = [i for i in range(NUMBER) if (numbers[i], SYSTEMS[i]) == key]
        score = metric.corpus_score([HYPOTHESES[i] for i in rows], [[FIRST[i] for i in rows]])
        expected[key] = score.score
    keys = zip(found["n"].to_pylist(), found["system"].to_pylist(), strict=True)
    scores = dict(zip(keys, found["score"].to_pylist(), strict=True))
    assert scores == expected
    if "order" not in name:
        assert list(scores) == list(expected)
    # Sums are statistics again.
    for counts in (pieces()[name](counted), found):
        same(arrow.total(counts, prefix="x"), metric.corpus_score(HYPOTHESES, [FIRST]))


def test_keys_of_other_types() -> None:
    """Each batch has a dictionary of its own; the type of the key is kept, and so are its field's metadata."""
    field = pa.field("k", pa.dictionary(pa.int8(), pa.string()), nullable=True, metadata={"a": "b"})
    parts = []
    for keys in (["b", "a"], ["c", "b"], [None, "a"]):
        column = pa.array(keys).dictionary_encode().cast(field.type)
        table = pa.table({"mt": ["x"] * 2, "ref": ["x"] * 2}).append_column(field, column)
        parts.append(arrow.statistics(table, "mt", "ref"))
    for given in (parts, pa.concat_tables(parts)):
        found = arrow.total_by(given, "k")
        assert found["k"].to_pylist() == ["b", "a", "c", None]
        assert found["bleu_sys_len"].to_pylist() == [2, 2, 1, 1]
        assert found.schema.field("k").equals(field, check_metadata=True)
    for others in ([1.5, None, 1.5], [True, False, True], [b"x", b"", b"x"]):
        table = counts(sys_len=[1, 2, 4], ref_len=[1, 1, 1], correct_1=[1, 1, 1], total_1=[1, 2, 4])
        found = arrow.total_by(table.append_column("k", [others]), "k")
        assert found["k"].to_pylist() == others[:2]
        assert found["bleu_sys_len"].to_pylist() == [5, 2]


def test_no_rows() -> None:
    counted = arrow.statistics(TABLE.slice(0, 0), "mt", "a")
    for nothing in (counted, counted.to_reader(), [counted, counted], []):
        with pytest.raises(
            ValueError, match=r"^counted has no rows; a corpus score needs at least one segment$"
        ):
            arrow.total(nothing)
    found = arrow.total_by(counted, "system")
    assert found.num_rows == 0
    assert found.schema.equals(arrow.total_by(arrow.statistics(TABLE, "mt", "a"), "system").schema)
    assert refusal(arrow.total_by, [], "system") == "ValueError: counted holds no table"


GOOD = {"sys_len": [1, 2], "ref_len": [1, 1], "correct_1": [1, 1], "total_1": [1, 2]}


def changed(**columns: Any) -> Any:
    columns = {name: column for name, column in {**GOOD, **columns}.items() if column is not None}
    return counts(**columns).append_column("k", [["a", "b"]])


WRONG: list[tuple[Any, str]] = [
    (changed(total_1=None), "ValueError: prefix names the column 'bleu_total_1', but counted has the"),
    (changed(total_2=[1, 1]), "ValueError: prefix names the column 'bleu_correct_2', but counted has"),
    (
        changed(ref_len=[1, None]),
        "ValueError: counted['bleu_ref_len'][1] is null, where a count is expected",
    ),
    (changed(ref_len=[1.0, 2.0]), "TypeError: counted['bleu_ref_len'] must be a column of integers, not of"),
    (changed(ref_len=[1, -2]), "ValueError: counted['bleu_ref_len'][1] must not be negative, got -2"),
    (
        changed(correct_1=[1, 3]),
        "ValueError: counted['bleu_sys_len'][1] has 3 correct n-grams of order 1 among 2",
    ),
    (changed(total_1=pa.array([2**64 - 1, 2**63], pa.uint64())), "ValueError: counted['bleu_total_1'] holds"),
    (
        [changed(), changed(ref_len=[1, -2])],
        "ValueError: counted[1]['bleu_ref_len'][1] must not be negat",
    ),
    ([changed(), "x"], "TypeError: counted must hold tables, but counted[1] is str: 'x'"),
    ("counted.parquet", "TypeError: counted must be a pyarrow RecordBatch or Table, "),
    (3, "TypeError: counted must be a pyarrow RecordBatch or Table, or "),
    (pa.chunked_array([[1]]), "TypeError: counted must be a pyarrow RecordBatch or Table, "),
    ([changed(), changed(correct_2=[0, 0], total_2=[0, 0])], "ValueError: counted[1] has columns up to"),
]


@pytest.mark.parametrize(("counted", "message"), WRONG)
def test_bad_statistics(counted: Any, message: str) -> None:
    for call in (arrow.total, partial(arrow.total_by, by="k")):
        assert refusal(call, counted).startswith(message)


def test_statistics_of_different_metrics() -> None:
    first, lower, floor = (
        arrow.statistics(TABLE, "mt", "a", metric)
        for metric in (BLEU(), BLEU(lowercase=True), BLEU(smooth_method="floor"))
    )
    counted = "ValueError: counted[1]['bleu_sys_len'] was counted with"
    for call, arguments, message in (
        (arrow.total, ([first, lower],), f"{counted} lowercase=True, but lowercase=False elsewhere"),
        (arrow.total_by, ([first, floor], "system"), f"{counted} smooth_method='floor', but"),
        (arrow.total, (first, BLEU(lowercase=True)), "ValueError: metric has lowercase=True, but the"),
        (arrow.total, (first, BLEU(max_ngram_order=2)), "ValueError: metric counts up to order 2, but the"),
        (
            arrow.total,
            (first, "BLEU"),
            "TypeError: metric must be a fastbleu.BLEU or CHRF, not builtins.str: 'BLEU'",
        ),
    ):
        assert refusal(call, *arguments).startswith(message)
    # Smoothing comes after counting.
    metric = BLEU(smooth_method="floor")
    same(arrow.total(first, metric), metric.corpus_score(HYPOTHESES, [FIRST]))


def said(**options: Any) -> bytes:
    """The metadata of `statistics`, with other options."""
    metadata = json.loads(
        arrow.statistics(TABLE, "mt", "a").schema.field("bleu_sys_len").metadata[b"fastbleu"]
    )
    return json.dumps({**metadata, "options": {**metadata["options"], **options}}).encode()


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        *((text, "bytes: ") for text in (b"", b"[]", b"{}", b"\xff")),
        (b'{"options": {}, "is_sacrebleus": 1, "num_references": 1}', "'tokenizer'"),
        (said(smooth_method="x"), "smooth_method 'x' is unknown"),
        (said(tokenizer=None), "tokenizer must be a str, not NoneType: None"),
        (said(of_a_later_release=1), "of_a_later_release"),
    ],
)
def test_metadata_that_cannot_be_read(metadata: bytes, reason: str) -> None:
    counted = arrow.statistics(TABLE, "mt", "a")
    i = counted.schema.get_field_index("bleu_sys_len")
    field = counted.schema.field(i).with_metadata({"fastbleu": metadata})
    with pytest.raises(ValueError, match=rf"^counted\['bleu_sys_len'\] has metadata that .*: .*{reason}"):
        arrow.total(counted.cast(counted.schema.set(i, field)))


def test_columns_that_are_missing_or_differ() -> None:
    parts = [counts(**GOOD).append_column("k", [keys]) for keys in ([1, 2], ["a", "b"])]
    message = refusal(arrow.total_by, parts, "k")
    assert message == "TypeError: counted[1]['k'] has the type string, but int64 elsewhere"
    # Batches of one job have one schema, even if references are missing.
    batches = [pa.table({"mt": ["a"], "a": ["b"], "b": pa.array([b], pa.string())}) for b in ("c", None)]
    first, second = (arrow.statistics(batch, "mt", ["a", "b"]).schema for batch in batches)
    assert first.equals(second, check_metadata=True)
    counted = arrow.statistics(TABLE, "mt", "a")
    dropped = counted.drop_columns(["bleu_correct_4", "bleu_total_4"])
    with pytest.raises(ValueError, match=r"^prefix names the column 'bleu_correct_4', but counted has the"):
        arrow.total(dropped)
    with pytest.raises(ValueError, match=r"^counted has no column 'x_sys_len', but the columns 'mt', 'a'"):
        arrow.total(counted, prefix="x_")


OTHER = "but the result has another column of that name"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "team"}, "ValueError: by names the column 'team', but counted has the columns 'mt', 'a'"),
        ({"by": []}, "TypeError: by must be the name of a column, or a list of names, not list: []"),
        ({"by": 3}, "TypeError: by must be the name of a column, or a list of names, not int: 3"),
        ({"by": [3]}, "TypeError: by must be the name of a column, not int: 3"),
        ({"by": ["a", "a"]}, f"ValueError: by names 'a', {OTHER}"),
        ({"by": "bleu_sys_len"}, f"ValueError: by names 'bleu_sys_len', {OTHER}"),
        ({"by": "lists"}, "TypeError: by names a column that cannot be grouped by: 'lists' has list<item"),
        ({"into": "system"}, f"ValueError: into names 'system', {OTHER}"),
        ({"into": "bleu_ref_len"}, f"ValueError: into names 'bleu_ref_len', {OTHER}"),
        ({"into": 3}, "TypeError: into must be a str, not int: 3"),
    ],
)
def test_bad_groups(arguments: dict[str, Any], message: str) -> None:
    counted = arrow.statistics(TABLE.append_column("lists", [[[1]] * NUMBER]), "mt", "a")
    assert refusal(arrow.total_by, counted, **{"by": "system", **arguments}).startswith(message)


def test_chrf_and_other_statistics() -> None:
    counted, bleus = (arrow.statistics(TABLE, "mt", "a", metric) for metric in (CHRF(), BLEU()))
    orders = "char_order=6 and word_order=0"
    for arguments, message in (
        ((counted, BLEU()), f"ValueError: metric counts up to order 4, but the statistics go up to {orders}"),
        ((bleus, CHRF()), f"ValueError: metric counts up to {orders}, but the statistics"),
        ((counted, CHRF(beta=1)), "ValueError: metric has beta=1, but the statistics were counted with 2"),
        (([counted, bleus],), "ValueError: counted[1]['bleu_sys_len'] was counted with tokenizer='13a'"),
    ):
        assert refusal(arrow.total, *arguments).startswith(message)
