"""BLEU in DuckDB's SQL: the same numbers as on lists, for every option, in groups and in threads; errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from tests.support.engines import OPTIONS, corpus_and_systems, printed, run
from tests.support.refusals import refusal

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from fastbleu.engines.duckdb import register

# The score and the counts of each row; then the score of all rows, at once, and from counts that were kept.
EVERY_WAY = """
    with kept as (select bleu_statistics(mt, ref_a, ref_b) as counts from pairs)
    select bleu_sentence(mt, ref_a, ref_b), bleu_statistics(mt, ref_a, ref_b),
        (select bleu(mt, ref_a, ref_b) from pairs), (select bleu_total(counts) from kept)
    from pairs
"""
GROUPED = "select system, bleu(mt, ref_a, ref_b) from pairs group by system order by system"


@pytest.fixture
def connection(pairs: Any) -> Iterator[Any]:
    with duckdb.connect() as made:
        register(made)
        made.register("pairs", pairs)
        yield made


def value(connection: Any, query: str) -> Any:
    (row,) = connection.execute(query).fetchall()
    return row[0]


def test_each_group(connection: Any, pairs: Any) -> None:
    expected = corpus_and_systems(pairs)
    assert value(connection, "select bleu(mt, ref_a, ref_b) from pairs") == expected.pop("corpus")
    assert dict(connection.execute(GROUPED).fetchall()) == expected
    in_a_list = GROUPED.replace("ref_a, ref_b", "[ref_a, ref_b]")
    assert dict(connection.execute(in_a_list).fetchall()) == expected


@pytest.mark.parametrize("options", OPTIONS)
def test_options(connection: Any, pairs: Any, options: dict[str, Any]) -> None:
    """Under another name, and under the same; rows, and rows that were kept."""
    metric = BLEU(**options)
    expected = corpus_and_systems(pairs, metric)
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    for name in ("other", "bleu"):
        assert register(connection, metric, name) is connection
        query = EVERY_WAY.replace("bleu", name)
        found = connection.execute(query).fetchall()
        names, (scores, counts, totals, kept) = list(found[0][1]), zip(*found, strict=True)
        assert list(scores) == metric.sentence_scores(columns["mt"], references).tolist()
        assert [list(each.values()) for each in counts] == metric.statistics(
            columns["mt"], references
        ).tolist()
        assert names[:3] == [f"{name}_sys_len", f"{name}_ref_len", f"{name}_correct_1"]
        assert {*totals, *kept} == {expected["corpus"]}


def test_scores_of_rows_are_those_of_sentence_bleu(connection: Any, pairs: Any) -> None:
    columns = pairs.to_pydict()
    expected = BLEU(effective_order=True).sentence_scores(columns["mt"], [columns["ref_a"]]).tolist()
    found = connection.execute("select bleu_sentence(mt, ref_a) from pairs").fetchall()
    assert [score for (score,) in found] == expected


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_number_of_references(connection: Any, number: int) -> None:
    references = [["a b c d e"], ["a b x c"], ["c d e f"], ["b"]][:number]
    columns = ", ".join(f"'{stream[0]}'" for stream in references)
    expected = BLEU().corpus_score(["a b c d f"], references).score
    assert value(connection, f"select bleu('a b c d f', {columns})") == expected
    assert value(connection, f"select bleu('a b c d f', [{columns}])") == expected


def test_no_rows(connection: Any) -> None:
    assert value(connection, "select bleu(mt, ref_a) from pairs where system = 'gamma'") is None
    assert value(connection, "select bleu_total(bleu_statistics(mt, ref_a)) from pairs where false") is None
    assert connection.execute(f"{GROUPED.replace('group', 'where false group')}").fetchall() == []


def test_many_rows_in_threads(connection: Any) -> None:
    """More than one batch and one row group, so that DuckDB counts in several threads."""
    connection.execute("set threads = 4")
    connection.execute(
        "create temp table many as select i % 3 as part, 'a b c d ' || i % 7 as mt, 'a b c d ' || i % 5 as ref "
        "from range(30_000) numbers(i)"
    )
    rows = range(30_000)
    for part, score in connection.execute("select part, bleu(mt, ref) from many group by part").fetchall():
        own = [i for i in rows if i % 3 == part]
        expected = BLEU().corpus_score([f"a b c d {i % 7}" for i in own], [[f"a b c d {i % 5}" for i in own]])
        assert score == expected.score


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select bleu(NULL, 'a')", r"hypotheses\[0\] .*None \(rows are those of this batch, from 0\)"),
        ("select bleu('a', NULL)", r"references.* segment 0.*\(rows are those of this batch, from 0\)"),
        ("select bleu_sentence(NULL, 'a')", r"hypotheses\[0\] .*None \(rows are those of this batch, from"),
        ("select bleu('a', [NULL]::varchar[])", "references"),
        ("select bleu('a', []::varchar[])", "references"),
        ("select bleu(3, 'a')", r"hypotheses.*int"),
        ("select bleu('a', 3)", r"references.*int"),
        ("select bleu_sentence('a')", "bleu_sentence"),
        ("select bleu_sentence('a', ['b'], ['c'])", "references"),
    ],
)
def test_bad_values(connection: Any, query: str, message: str) -> None:
    with pytest.raises(duckdb.Error, match=message):
        connection.execute(query)


LETTERS = "must be a name of ASCII letters, digits and underscores"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ({"name": name}, f"ValueError: name {LETTERS}")
            for name in ("", "my bleu", "bleu;", "1bleu", "blöu")
        ),
        *(
            ({"name": name}, f"ValueError: name must be a new name, but '{name}' is {what}")
            for what, names in (
                ("a keyword of SQL", ("select", "Order", "struct")),
                ("a function of DuckDB", ("sum", "Count")),
            )
            for name in names
        ),
        ({"name": 3}, "TypeError: name must be a str, not int: 3"),
        ({"metric": "intl"}, "TypeError: metric must be a fastbleu.BLEU or CHRF, not builtins.str: 'intl'"),
        ({"connection": "x.db"}, "TypeError: connection must be a DuckDBPyConnection, as "),
    ],
)
def test_bad_arguments(connection: Any, arguments: dict[str, Any], message: str) -> None:
    assert refusal(register, **{"connection": connection, **arguments}).startswith(message)


def test_where_a_score_may_stand(connection: Any, pairs: Any) -> None:
    """As docs/engines/duckdb.md says it."""
    expected = corpus_and_systems(pairs)
    having = (
        "select system from pairs group by system "
        "having bleu(mt, ref_a, ref_b) > 0 order by bleu(mt, ref_a, ref_b) desc"
    )
    best = max((score, system) for system, score in expected.items() if system != "corpus")[1]
    assert connection.execute(having).fetchall()[0] == (best,)
    of_one = "select bleu(mt, ref_a, ref_b) from pairs where system = 'alpha'"
    assert value(connection, of_one) == expected["alpha"]
    for call in (
        "bleu(mt, ref_a, ref_b) filter (where system = 'alpha')",
        "bleu(distinct mt, ref_a)",
        "bleu(mt, ref_a order by mt)",
        "bleu(mt, ref_a, ref_b) over (partition by system)",
        "bleu(mt, ref_a, ref_a, ref_a, ref_a, ref_a)",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(GROUPED.replace("bleu(mt, ref_a, ref_b)", call))
    of_five = "select bleu(mt, [ref_a, ref_b, ref_a, ref_b, ref_a]) from pairs"
    assert value(connection, of_five) == expected["corpus"]


@pytest.mark.slow
def test_program(sample: Path, pairs: Any, tmp_path: Path) -> None:
    output = run("on_duckdb.py", sample / "pairs", cwd=tmp_path)
    scores, _, worst = output.partition("worst")
    assert printed(scores) == corpus_and_systems(pairs)
    assert len(worst.splitlines()) == 2


def test_chrf(connection: Any, pairs: Any) -> None:
    metric = CHRF(word_order=2)
    register(connection, metric, "chrf")
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    found = connection.execute(EVERY_WAY.replace("bleu", "chrf")).fetchall()
    scores, counts, totals, kept = zip(*found, strict=True)
    assert list(scores) == metric.sentence_scores(columns["mt"], references).tolist()
    assert [list(each.values()) for each in counts] == metric.statistics(columns["mt"], references).tolist()
    assert list(counts[0])[:3] == ["chrf_hypothesis_char_1", "chrf_reference_char_1", "chrf_matches_char_1"]
    assert {*totals, *kept} == {metric.corpus_score(columns["mt"], references).score}
