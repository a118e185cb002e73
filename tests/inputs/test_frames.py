"""Columns of data frames and data sets give the same numbers as lists of the same segments."""

from __future__ import annotations

import re
from collections import deque
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fastbleu import BLEU, rerank
from fastbleu.inputs.reading import as_list
from tests.support.processes import printed_by

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Makes a column of a list of str, in which None is a missing value.
    Maker = Callable[[list[Any]], Any]

HYPOTHESES = ["the cat sat on the mat", "a dog", "", "naïve 猫 café 😀", "the the the", "it is so"]
FIRST = ["the cat sat on a mat", "a dog barked", "nothing", "naïve 猫 cafe 😀", "the", "it is so"]
SECOND = ["a cat sat on the mat", None, None, "a naïve 猫", "the the", None]


def pandas_of(dtype: str, values: list[Any]) -> Any:
    pandas = pytest.importorskip("pandas")
    if "pyarrow" in dtype or dtype == "arrow":
        arrow = pytest.importorskip("pyarrow")
    kind = pandas.ArrowDtype(arrow.large_string()) if dtype == "arrow" else dtype
    # Labels that begin elsewhere, and are in another order: only positions count.
    return pandas.Series(values, dtype=kind, index=range(len(values) + 3, 3, -1), name="mt")


def pandas_slice(values: list[Any]) -> Any:
    return pandas_of("object", ["x", *(each for value in values for each in (value, "y"))]).iloc[1::2]


def polars_of(dtype: str, values: list[Any]) -> Any:
    polars = pytest.importorskip("polars")
    kind = (
        polars.Enum(sorted({value for value in values if value is not None}))
        if dtype == "Enum"
        else getattr(polars, dtype)
    )
    return polars.Series("mt", values, dtype=kind)


def dataset(values: list[Any]) -> Any:
    datasets = pytest.importorskip("datasets", exc_type=ImportError)
    features = datasets.Features(mt=datasets.Value("string"), n=datasets.Value("int64"))
    return datasets.Dataset.from_dict({"mt": values, "n": range(len(values))}, features=features)


def dataset_with_format(form: str | None, values: list[Any]) -> Any:
    if form in ("pandas", "polars"):
        pytest.importorskip(form)
    return dataset(values).with_format(form)["mt"]


def dataset_selected(values: list[Any]) -> Any:
    backwards = dataset(["x", *values[::-1], "y"])
    return backwards.select(range(len(values), 0, -1))["mt"]


def dataset_transformed(values: list[Any]) -> Any:
    shouted = dataset([value and value.upper() for value in values])
    return shouted.with_transform(
        lambda batch: {"mt": [value and values[n] for value, n in zip(batch["mt"], batch["n"], strict=True)]}
    )["mt"]


def dataset_concatenated(values: list[Any]) -> Any:
    datasets = pytest.importorskip("datasets", exc_type=ImportError)
    return datasets.concatenate_datasets([dataset(values[:4]), dataset(values[4:])])["mt"]


def arrow(values: list[Any]) -> Any:
    return pytest.importorskip("pyarrow").array(values, "string")


def string_dtype(values: list[Any], **options: Any) -> Any:
    """An array of NumPy's own strings, which it has since its release 2.0."""
    dtypes: Any = getattr(np, "dtypes", None)
    if not hasattr(dtypes, "StringDType"):
        pytest.skip("this NumPy has no StringDType")
    return np.array(values, dtype=dtypes.StringDType(**options))


def objects(missing: Any, values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = [missing if value is None else value for value in values]
    return array


MAKERS: dict[str, Maker] = {
    **{f"pandas {dtype}": partial(pandas_of, dtype) for dtype in ("object", "str", "string", "category")},
    **{
        f"pandas {dtype}": partial(pandas_of, dtype)
        for dtype in ("string[python]", "string[pyarrow]", "arrow")
    },
    "pandas slice": pandas_slice,
    **{f"polars {dtype}": partial(polars_of, dtype) for dtype in ("String", "Categorical", "Enum", "Object")},
    **{
        f"datasets {form}": partial(dataset_with_format, form)
        for form in (None, "numpy", "arrow", "pandas", "polars")
    },
    "datasets selected": dataset_selected,
    "datasets transformed": dataset_transformed,
    "datasets concatenated": dataset_concatenated,
    "pyarrow": arrow,
    "NumPy objects": partial(objects, None),
    "NumPy objects with NaN": partial(objects, float("nan")),
    "NumPy objects with float32": partial(objects, np.float32("nan")),
    "NumPy StringDType": partial(string_dtype, na_object=None),
    "tuple": tuple,
    "deque": deque,
    "values of a dict": lambda values: dict(enumerate(values)).values(),
}


#: What a name begins with, and the package that makers need.
PACKAGES = {"pandas": "pandas", "polars": "polars", "datasets": "datasets", "pyarrow": "pyarrow"}


@pytest.fixture(params=[name for name in MAKERS if find_spec(PACKAGES.get(name.split()[0], "numpy"))])
def make(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


def same(found: Any, expected: Any) -> bool:
    return bool(np.array_equal(np.asarray(found), np.asarray(expected)))


def test_every_method_takes_the_column(make: Maker) -> None:
    bleu = BLEU(effective_order=True)
    lists = HYPOTHESES, [FIRST, SECOND]
    columns = make(HYPOTHESES), [make(FIRST), make(SECOND)]
    assert str(bleu.corpus_score(*columns)) == str(bleu.corpus_score(*lists))
    assert str(bleu.corpus_score(columns[0], lists[1])) == str(bleu.corpus_score(*lists))
    assert same(bleu.sentence_scores(*columns), bleu.sentence_scores(*lists))
    assert same(bleu.statistics(*columns), bleu.statistics(*lists))
    prepared = bleu.prepare(columns[1])
    assert str(bleu.corpus_score(columns[0], prepared)) == str(bleu.corpus_score(*lists))
    assert same(bleu.statistics(lists[0], prepared), bleu.statistics(*lists))
    accumulator, expected = bleu.accumulator(), bleu.accumulator()
    for _ in range(2):
        accumulator.update(*columns)
        expected.update(*lists)
    assert str(accumulator.compute()) == str(expected.compute())
    assert str(bleu.sentence_score(HYPOTHESES[0], make([FIRST[0], None, SECOND[0]]))) == str(
        bleu.sentence_score(HYPOTHESES[0], [FIRST[0], SECOND[0]])
    )


def test_references_per_segment_and_pools(make: Maker) -> None:
    bleu = BLEU(effective_order=True)
    per_segment = [[each for each in some if each is not None] for some in zip(FIRST, SECOND, strict=True)]
    prepared = bleu.prepare_segments([make(some) for some in per_segment])
    assert same(bleu.statistics(make(HYPOTHESES), prepared), bleu.statistics(HYPOTHESES, [FIRST, SECOND]))
    pools = [HYPOTHESES, FIRST[:2], HYPOTHESES[::-1]]
    columns = [make(pool) for pool in pools]
    assert same(rerank.mbr(columns, metric=bleu).indices, rerank.mbr(pools, metric=bleu).indices)
    assert repr(rerank.self_bleu(columns[0], metric=bleu)) == repr(rerank.self_bleu(pools[0], metric=bleu))
    references = FIRST[:3]
    expected = rerank.oracle(pools, references, metric=bleu)
    assert same(rerank.oracle(columns, make(references), metric=bleu).indices, expected.indices)
    flat = rerank.Pools(make(HYPOTHESES + FIRST), size=4)
    assert same(
        rerank.mbr(flat, metric=bleu).indices,
        rerank.mbr(rerank.Pools(HYPOTHESES + FIRST, size=4), metric=bleu).indices,
    )


def test_a_column_without_rows(make: Maker) -> None:
    bleu = BLEU()
    assert bleu.statistics(make([]), [make([])]).shape == (0, 10)
    assert len(bleu.sentence_scores(make([]), [make([])])) == 0


def test_a_hypothesis_that_is_missing_is_named(make: Maker) -> None:
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] must be a str, not NoneType: None$"):
        BLEU().corpus_score(make(SECOND), [make(FIRST)])
    with pytest.raises(ValueError, match=r"segment|reference"):
        BLEU().corpus_score(make(FIRST), [make(SECOND)])


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("pandas object", ["a", 7], r"hypotheses\[1\] must be a str, not int: 7"),
        ("pandas category", ["a", 7], r"hypotheses\[1\] must be a str, not int: 7"),
        ("polars Object", ["a", 7], r"hypotheses\[1\] must be a str, not int: 7"),
        ("NumPy objects", ["a", b"b"], r"hypotheses\[1\] must be a str, not bytes: b'b'"),
    ],
)
def test_a_value_that_is_no_text_is_named(name: str, values: list[Any], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        BLEU().corpus_score(MAKERS[name](values), [["a", "b"]])


@pytest.mark.parametrize("library", ["pandas", "polars", "datasets", "NumPy"])
def test_a_column_of_numbers(library: str) -> None:
    column: Any = np.array([4, 7])
    if library == "datasets":
        column = dataset(["a"] * 7).select([4, 6])["n"]
    elif library != "NumPy":
        column = pytest.importorskip(library).Series([4, 7])
    words = r"^hypotheses(\[0\] must be a str, not int.*| must be a column .* of int64$| has the shape \[2\], but .*)"
    with pytest.raises((TypeError, ValueError), match=words):
        BLEU().corpus_score(column, [["a", "b"]])


def test_a_column_of_missing_values_only() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    bleu = BLEU()
    expected = str(bleu.corpus_score(HYPOTHESES, [FIRST]))
    for column in (
        pandas.Series([np.nan] * 6),
        pandas.Series([pandas.NA] * 6),
        pandas.Series([pandas.NaT] * 6, dtype=object),
        polars.Series([None] * 6),
    ):
        assert list(as_list(column, "x")) == [None] * 6
        assert str(bleu.corpus_score(HYPOTHESES, [FIRST, column])) == expected


def test_columns_of_tokens_and_of_references() -> None:
    pandas, polars, datasets = map(pytest.importorskip, ("pandas", "polars", "datasets"))
    makers = (
        pandas.Series,
        polars.Series,
        lambda rows: datasets.Dataset.from_dict({"tokens": rows})["tokens"],
    )
    tokens = [text.split() for text in HYPOTHESES]
    references = [text.split() for text in FIRST]
    bleu = BLEU(tokenize="none")
    expected = str(bleu.corpus_score(tokens, [references]))
    for make in makers:
        assert str(bleu.corpus_score(make(tokens), [make(references)])) == expected
    lists = [[a] if b is None else [a, b] for a, b in zip(FIRST, SECOND, strict=True)]
    for make in makers:
        found = BLEU().corpus_score(HYPOTHESES, BLEU().prepare_segments(make(lists)))
        assert str(found) == str(BLEU().corpus_score(HYPOTHESES, [FIRST, SECOND]))
        indices = rerank.oracle(make(lists), HYPOTHESES).indices
        assert same(indices, rerank.oracle(lists, HYPOTHESES).indices)


def test_arrays_of_two_dimensions() -> None:
    streams = np.array([FIRST, HYPOTHESES])
    for kind in ("U", object):
        found = BLEU().corpus_score(np.array(HYPOTHESES), streams.astype(kind))
        assert str(found) == str(BLEU().corpus_score(HYPOTHESES, [FIRST, HYPOTHESES]))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": FIRST, "b": SECOND})
    found = BLEU().corpus_score(HYPOTHESES, frame.to_numpy().T)
    assert str(found) == str(BLEU().corpus_score(HYPOTHESES, [FIRST, SECOND]))
    assert as_list(pandas.MultiIndex.from_tuples([("a", "b"), ("c", "d")]), "x") == [("a", "b"), ("c", "d")]


class Lazy:
    """A frame whose columns have not been computed, as it looks from outside."""

    def __len__(self) -> int:
        return 0

    columns = property(lambda frame: 1 / len(frame))


def tables() -> dict[str, tuple[Callable[[], Any], str]]:
    def of(package: str, make: Callable[[Any], Any]) -> Callable[[], Any]:
        return lambda: make(pytest.importorskip(package, exc_type=ImportError))

    columns = {"mt": ["a", "b"], "ref": ["a", "b"]}
    one = "pass one of its columns: 'mt', 'ref'"
    return {
        "pandas": (of("pandas", lambda pandas: pandas.DataFrame(columns)), f"DataFrame; {one}"),
        "polars": (of("polars", lambda polars: polars.DataFrame(columns)), f"DataFrame; {one}"),
        "lazy": (of("polars", lambda polars: polars.LazyFrame(columns)), f"LazyFrame; collect it and {one}"),
        "Table": (of("pyarrow", lambda arrow: arrow.table(columns)), f"Table; {one}"),
        "RecordBatch": (of("pyarrow", lambda arrow: arrow.record_batch(columns)), f"RecordBatch; {one}"),
        "reader": (
            of("pyarrow", lambda arrow: arrow.table(columns).to_reader()),
            f"RecordBatchReader; {one}",
        ),
        "Dataset": (of("datasets", lambda datasets: datasets.Dataset.from_dict(columns)), f"Dataset; {one}"),
        "IterableDataset": (
            of("datasets", lambda datasets: datasets.Dataset.from_dict(columns).to_iterable_dataset()),
            f"IterableDataset; {one}",
        ),
        "DatasetDict": (
            of("datasets", lambda datasets: datasets.DatasetDict(dev=datasets.Dataset.from_dict(columns))),
            "DatasetDict; take one of its splits and pass one of its columns: 'dev'",
        ),
        "relation": (
            of("duckdb", lambda duckdb: duckdb.connect().sql("select 'a' as mt, 'b' as ref")),
            f"DuckDBPyRelation; {one}",
        ),
        "unknown": (Lazy, "Lazy; pass one of its columns"),
    }


@pytest.mark.parametrize("name", tables())
def test_a_table_names_its_columns(name: str) -> None:
    make, words = tables()[name]
    with pytest.raises(TypeError) as caught:
        BLEU().corpus_score(make(), [["a", "b"]])
    assert str(caught.value) == f"hypotheses must be a sequence of segments, not a {words}"
    with pytest.raises(TypeError) as caught:
        BLEU().corpus_score(["a", "b"], make())
    several = words.replace("one of its columns", "one of its columns or more in a list")
    start = "references must be a list of streams, references[stream][segment], not a "
    assert str(caught.value) == start + several
    for call in (
        lambda: BLEU().corpus_score(["a", "b"], [make()]),
        lambda: BLEU().prepare_segments(make()),
        lambda: rerank.mbr(make()),
        lambda: rerank.Pools(make(), size=1),
    ):
        with pytest.raises(TypeError, match=f"{re.escape(words)}$"):
            call()


def test_a_column_that_can_be_iterated_only() -> None:
    column = dataset(["a"]).to_iterable_dataset()["mt"]
    with pytest.raises(TypeError, match=r"^hypotheses must be a sequence of segments, not IterableColumn: "):
        BLEU().corpus_score(column, [["a"]])
    with pytest.raises(TypeError, match=r"convert it to a list: list\(hypotheses\)$"):
        BLEU().corpus_score((text for text in "ab"), [["a"]])


def test_nothing_is_imported_for_lists_and_arrays() -> None:
    program = (
        "import sys, numpy, fastbleu\n"
        "column = numpy.array(['a b c d'], dtype=object)\n"
        "fastbleu.corpus_bleu(['a b c d'], [['a b c d']])\n"
        "assert fastbleu.corpus_bleu(column, [column]).score > 99\n"
        "assert not {'pandas', 'polars', 'datasets', 'pyarrow'} & {*sys.modules}\n"
    )
    assert printed_by(program) == ""


def test_text_of_numpy() -> None:
    texts = [*HYPOTHESES, "A\0b ", "É" * 17, "a\U0010ffff\uffff"]
    for array in (np.array(texts), np.array(texts, dtype=">U30"), string_dtype(texts)):
        assert as_list(array[::-2], "hypotheses") == texts[::-2]
