"""Pools in a column of lists: what `fastbleu.rerank` says of the same pools as lists, as columns."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")

from fastbleu import BLEU, arrow, rerank
from tests.support.arrow_columns import list_columns
from tests.support.refusals import refusal

WORDS = ["the", "cat", "sat", "on", "a", "mat", "Rain!", "all", "day"]
TOKENS = BLEU(tokenize="none", effective_order=True)


def pools(number: int, fewest: int = 1, seed: int = 1) -> list[list[str]]:
    generator = random.Random(seed)
    return [
        [
            " ".join(generator.choices(WORDS, k=generator.randrange(9)))
            for _ in range(generator.randint(fewest, 6))
        ]
        for _ in range(number)
    ]


SAMPLES = pools(60)
EVIDENCE = pools(60, seed=2)
FIRST, SECOND = ([pool[0] for pool in pools(60, seed=seed)] for seed in (3, 4))
TABLE = pa.table({"id": range(60), "samples": SAMPLES, "evidence": EVIDENCE, "a": FIRST, "b": SECOND})


def columns_of(table: Any, *names: str) -> list[Any]:
    return [table[name].to_pylist() for name in names]


def split(lists: list[list[str]]) -> list[list[list[str]]]:
    return [[text.split() for text in texts] for texts in lists]


@pytest.mark.parametrize("kind", ["text", "large text", "views", "tokens", "ids"])
def test_mbr(kind: str) -> None:
    given: list[Any] = SAMPLES
    leaf = {"large text": pa.large_string(), "views": pa.string_view()}.get(kind, pa.string())
    if kind in ("tokens", "ids"):
        given, leaf = split(SAMPLES), pa.list_(pa.string())
    if kind == "ids":
        given, leaf = [[[*map(WORDS.index, text)] for text in texts] for texts in given], pa.list_(pa.int32())
    metric = TOKENS if kind in ("tokens", "ids") else None
    indices, utilities = (each.tolist() for each in rerank.mbr(given, metric=metric))
    winners = [pool[i] for pool, i in zip(given, indices, strict=True)]
    for column in list_columns(given, leaf).values():
        table = pa.table({"samples": column, "x": range(60)})
        found = arrow.mbr(table, "samples", metric=metric, winner=True)
        found.validate(full=True)
        assert found.column_names == ["samples", "x", "mbr_index", "mbr_utility", "mbr_winner"]
        assert found.select(["samples", "x"]).equals(table)
        assert columns_of(found, *found.column_names[2:]) == [indices, utilities, winners]
        assert found.schema.field("mbr_winner").type == leaf


def test_options_of_mbr() -> None:
    samples = pools(40, fewest=2)
    for options in (
        {"exclude_self": True, "threads": 3},
        {"method": "aggregate", "metric": BLEU(lowercase=True, effective_order=True)},
        {"formula": "nltk", "smoothing": "method3"},
    ):
        expected = rerank.mbr(samples, **options)
        found = arrow.mbr(pa.table({"samples": samples}), "samples", **options)
        assert columns_of(found, "mbr_index", "mbr_utility") == [each.tolist() for each in expected]


def test_evidence_and_weights() -> None:
    generator = random.Random(5)
    for evidence, lists in (("evidence", EVIDENCE), (None, SAMPLES)):
        counts = [[generator.randrange(1, 9) for _ in each] for each in lists]
        logs = [[-generator.random() for _ in each] for each in lists]
        for weights, options in (
            (counts, {"weights_as": "counts"}),
            (logs, {"weights_as": "log-probabilities", "temperature": 2}),
        ):
            expected = rerank.mbr(SAMPLES, None if evidence is None else lists, weights, **options)
            kind = pa.int32() if weights is counts else pa.float64()
            for column in list_columns(weights, kind).values():
                table = TABLE.append_column("weights", column)
                found = arrow.mbr(table, "samples", evidence, "weights", **options)
                assert columns_of(found, "mbr_index", "mbr_utility") == [each.tolist() for each in expected]
    expected = rerank.mbr(SAMPLES, EVIDENCE)
    found = arrow.mbr(TABLE, "samples", "evidence", prefix="")
    assert columns_of(found, "index", "utility") == [each.tolist() for each in expected]


@pytest.mark.parametrize("level", ["sentence", "corpus"])
def test_oracle(level: Any) -> None:
    lists = [list(each) for each in zip(FIRST, SECOND, strict=True)]
    ragged = [each[: 1 + i % 2] for i, each in enumerate(lists)]
    holes = [None if i % 2 else text for i, text in enumerate(SECOND)]
    table = (
        TABLE.append_column("refs", [ragged]).append_column("holes", [holes]).append_column("both", [lists])
    )
    for references, expected in (
        ("a", [[each] for each in FIRST]),
        (["a"], [[each] for each in FIRST]),
        (["a", "b"], lists),
        ("both", lists),
        ("refs", ragged),
        (["a", "holes"], [[a] if b is None else [a, b] for a, b in zip(FIRST, holes, strict=True)]),
    ):
        for metric in (None, BLEU(lowercase=True, threads=2)):
            chosen = rerank.oracle(SAMPLES, expected, level, metric=metric)
            found = arrow.oracle(table, "samples", references, level, metric=metric, winner=True)
            assert columns_of(found, "oracle_index", "oracle_utility", "oracle_winner") == [
                chosen.indices.tolist(),
                chosen.utilities.tolist(),
                [pool[i] for pool, i in zip(SAMPLES, chosen.indices.tolist(), strict=True)],
            ]


def test_oracle_of_tokens() -> None:
    tokens, references = split(SAMPLES), [text.split() for text in FIRST]
    expected = rerank.oracle(tokens, [[each] for each in references], metric=TOKENS)
    table = pa.table(
        {"samples": tokens, "ref": references, "ref_2": references, "refs": [[each] for each in references]}
    )
    for named in ("ref", ["ref", "ref_2"], "refs"):
        found = arrow.oracle(table, "samples", named, metric=TOKENS)
        assert columns_of(found, "oracle_index", "oracle_utility") == [
            expected.indices.tolist(),
            expected.utilities.tolist(),
        ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"formula": "nltk", "smoothing": "method4"},
        {"metric": BLEU(lowercase=True, max_ngram_order=2, effective_order=True), "threads": 2},
        {"formula": "nltk", "metric": BLEU(weights=[1, 2, 3, 4], tokenize="none"), "threads": 3},
    ],
    ids=str,
)
def test_self_bleu(options: dict[str, Any]) -> None:
    samples = pools(400, fewest=2)
    given = {name: value for name, value in options.items() if name != "threads"}
    expected = [rerank.self_bleu(pool, **given) for pool in samples]
    for column in list_columns(samples[:50], pa.string()).values():
        found = arrow.self_bleu(pa.table({"samples": column}), "samples", **options)
        assert found["self_bleu_mean"].to_pylist() == [each.mean for each in expected[:50]]
    found = arrow.self_bleu(pa.table({"samples": samples}), "samples", **options, winner=True)
    names = [f"self_bleu_{name}" for name in ("mean", "index", "utility", "winner")]
    chosen = [int(np.argmax(each.scores)) for each in expected]
    assert found.column_names == ["samples", *names]
    assert columns_of(found, *names) == [
        [each.mean for each in expected],
        chosen,
        [each.scores[i] for each, i in zip(expected, chosen, strict=True)],
        [pool[i] for pool, i in zip(samples, chosen, strict=True)],
    ]


ALL: list[tuple[Any, dict[str, Any]]] = [
    (arrow.mbr, {}),
    (arrow.oracle, {"references": "a"}),
    (arrow.self_bleu, {}),
]


@pytest.mark.parametrize(("function", "arguments"), ALL)
def test_what_comes_back(function: Any, arguments: dict[str, Any]) -> None:
    samples = pools(60, fewest=2)
    table = pa.table({"samples": samples, "a": FIRST}).replace_schema_metadata({"a": "b"})
    found = function(table, "samples", **arguments, winner=True)
    batch = function(table.to_batches()[0], "samples", **arguments, winner=True)
    assert isinstance(batch, pa.RecordBatch)
    assert pa.Table.from_batches([batch]).equals(found, check_metadata=True)
    assert found.schema.metadata == {b"a": b"b"}
    # A part of the table, and none of it.
    part = table.slice(20, 30)
    assert function(part, "samples", **arguments, winner=True).equals(found.slice(20, 30))
    for nothing in (table.slice(0, 0), table.to_batches()[0].slice(0, 0), table.schema.empty_table()):
        empty = function(nothing, "samples", **arguments, winner=True)
        assert empty.num_rows == 0
        assert empty.schema.equals(found.schema, check_metadata=True)
    assert function(table, "samples", **arguments, prefix="x").column_names[-2:] == ["xindex", "xutility"]


WRONG = pa.table(
    {
        "samples": [["a", "b"], ["c", "d"]],
        "a": ["a", "c"],
        "empty": [["a", "b"], []],
        "null": [["a", "b"], None],
        "hole": [["a", "b"], ["c", None]],
        "text": ["a", "b"],
        "ids": [[1], [2]],
        "weights": [[1.0, 2.0], [1.0, 2.0]],
        "few": [[1.0, 2.0], [1.0]],
        "unknown": [[1.0, 2.0], [1.0, None]],
        "negative": [[1.0, 2.0], [1.0, -3.0]],
        "one": [["a"], ["b"]],
        "coded": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([["a"], ["b"]])),
        "pairs": [["a", "b"], ["c", "c"]],
    }
)
KINDS = (
    "must be a column of lists of candidates, which are strings, or lists of strings or of integers, not of"
)

OF_ALL: list[tuple[Any, str]] = [
    ("sample", "ValueError: pools names the column 'sample', but batch has the columns 'samples', 'a', "),
    (3, "TypeError: pools must be the name of a column, not int: 3"),
    ("coded", f"TypeError: batch['coded'] {KINDS} dictionary<values=list"),
    ("text", f"TypeError: batch['text'] {KINDS} string"),
    ("ids", f"TypeError: batch['ids'] {KINDS} list<item: int64>"),
    ("null", "ValueError: batch['null'][1] "),
    ("empty", "ValueError: batch['empty'][1] "),
    ("hole", "TypeError: batch['hole'][1][1] must be a str, not NoneType: None"),
]


@pytest.mark.parametrize(("pools", "message"), OF_ALL)
@pytest.mark.parametrize(("function", "arguments"), ALL)
def test_errors_name_the_column(function: Any, arguments: dict[str, Any], pools: Any, message: str) -> None:
    assert refusal(function, WRONG, pools, **arguments).startswith(message)


OF_ONE: list[tuple[Any, dict[str, Any], str]] = [
    (
        arrow.self_bleu,
        {"pools": "one"},
        "ValueError: batch['one'][0] must hold at least 2 texts, got 1",
    ),
    (
        arrow.self_bleu,
        {"pools": "pairs", "formula": "nltk", "smoothing": "method6"},
        "ValueError: batch['pairs'][1][0] has no trigram",
    ),
    (arrow.mbr, {"evidence": "empty"}, "ValueError: batch['empty'][1] is empty, but pools[1] has"),
    (arrow.mbr, {"evidence": "null"}, "ValueError: batch['null'][1] is empty, but pools[1] has"),
    (
        arrow.mbr,
        {"evidence": "hole"},
        "TypeError: batch['hole'][1][1] must be a str, not NoneType: None",
    ),
    (arrow.mbr, {"evidence": "text"}, f"TypeError: batch['text'] {KINDS} string"),
    (arrow.mbr, {"weights": "text"}, "TypeError: batch['text'] must be a column of lists of numbers, not of"),
    (arrow.mbr, {"weights": "few"}, "ValueError: batch['few'][1] has 1 number, but pools[1] has 2"),
    (arrow.mbr, {"weights": "unknown"}, "TypeError: batch['unknown'][1][1] must be a number"),
    (
        arrow.mbr,
        {"weights": "negative"},
        "ValueError: batch['negative'][1][1] must be finite and not neg",
    ),
    (arrow.mbr, {"weights": "weights", "weights_as": None}, "ValueError: weights_as must say what weights"),
    (arrow.mbr, {"winner": 3}, "TypeError: winner must be True or False, not int: 3"),
    (arrow.mbr, {"prefix": 3}, "TypeError: prefix must be a str, not int: 3"),
    (arrow.mbr, {"metric": 3}, "TypeError: metric must be a fastbleu.BLEU or CHRF, not builtins.int: 3"),
    (arrow.oracle, {"references": "text", "level": "word"}, "ValueError: level must be one of sentence"),
    (arrow.oracle, {"references": "ids"}, "TypeError: batch['ids'] must be a list with the references"),
    (arrow.oracle, {"references": "empty"}, "ValueError: batch['empty'][1] is empty; a source needs at"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), OF_ONE)
def test_other_errors(function: Any, arguments: dict[str, Any], message: str) -> None:
    if "weights" in arguments:
        arguments = {"weights_as": "counts", **arguments}
    assert refusal(function, WRONG, **{"pools": "samples", **arguments}).startswith(message)


def test_names_that_are_taken() -> None:
    once = arrow.mbr(WRONG, "samples")
    with pytest.raises(ValueError, match=r"^prefix must name new columns, but batch has a column"):
        arrow.mbr(once, "samples")
