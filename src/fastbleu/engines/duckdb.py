"""BLEU as functions in DuckDB's SQL. Tested with DuckDB 2.0.0.

    fastbleu.engines.duckdb.register(connection)
    connection.sql("select system, bleu(mt, ref) from 'pairs/*.parquet' group by system")

DuckDB calls compiled code with batches of Arrow columns, which counts; DuckDB itself sums the counts, in as many
threads as it has; a second call makes a score of each group's sums.
"""

from __future__ import annotations

from contextlib import suppress

from ..arrow.count_columns import column_names
from ..errors import ArgumentError, ArgumentValueError, wrong_type
from ..metric import BLEU
from ..metric.checks import as_metric
from ..system.extras import imports_of
from .batches import of_batch

with imports_of("duckdb", "fastbleu.engines.duckdb"):
    import duckdb
    import pyarrow as pa

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..metric.chrf import CHRF

__all__ = ["register"]

#: The most references that `bleu` takes as columns of their own; more of them make a list.
_REFERENCES = 4


def register(
    connection: duckdb.DuckDBPyConnection, metric: BLEU | CHRF | None = None, name: str = "bleu"
) -> duckdb.DuckDBPyConnection:
    """Make BLEU or chrF known to a connection, under a name and four that begin with it.

    - `bleu(hypothesis, reference, ...)` is the corpus score of each group.
    - `bleu_sentence(hypothesis, reference, ...)` is the score of each row.
    - `bleu_statistics(hypothesis, reference, ...)` has the counts of each row, a struct of 2 + 2N BIGINT,
      of a CHRF of three for each order.
    - `bleu_total(counts)` is the corpus score of each group of these structs.
    - `bleu_score(counts)` is the score of one of these structs, which may hold sums.

    References are columns of VARCHAR (`bleu` takes at most four), or one column of VARCHAR[]. NULL is an absent
    reference. A group without rows has the score NULL.

    `bleu` and `bleu_total` are macros over `sum`: they stand where an aggregate stands, but take no FILTER, DISTINCT,
    ORDER BY or OVER. DuckDB hands over rows in batches, so a row in an error's message is one of its batch.

    Args:
        connection: The connection; its database file is not changed.
        metric: A BLEU or a CHRF. None: `BLEU()`, and for single rows `BLEU(effective_order=True)`.
        name: What the functions are called; others of these names are replaced.

    Returns:
        The connection.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The name cannot stand in SQL without quotes, or is that of one of DuckDB's own functions.

    Example:
        >>> import duckdb
        >>> with register(duckdb.connect()) as connection:
        ...     connection.execute("select bleu('the cat sat on the mat', 'a cat sat on the mat')").fetchone()
        (75.98356856515926,)
    """
    if not isinstance(connection, duckdb.DuckDBPyConnection):
        raise wrong_type("connection", "a DuckDBPyConnection, as duckdb.connect() returns it", connection)
    # As sacreBLEU's functions `corpus_bleu` and `sentence_bleu`.
    metric, of_sentences = (BLEU(), BLEU(effective_order=True)) if metric is None else (metric, metric)
    as_metric(metric, warn=False)
    if not isinstance(name, str):
        raise wrong_type("name", "a str", name)
    if not (name.isidentifier() and name.isascii()):
        raise ArgumentValueError(
            "name", f"must be a name of ASCII letters, digits and underscores, got {name!r}"
        )
    _check_free(connection, name)
    fields = column_names(metric, f"{name}_")
    struct = f"STRUCT({', '.join(f'{field} BIGINT' for field in fields)})"
    # Lambdas, because DuckDB takes types from annotations.
    functions = {
        f"{name}_sentence": (lambda column, *more: _sentence(of_sentences, column, more), None, "DOUBLE"),
        f"{name}_statistics": (lambda column, *more: _statistics(metric, fields, column, more), None, struct),
        f"{name}_score": (lambda counts: _score(metric, counts), [struct], "DOUBLE"),
    }
    for function, (call, parameters, returned) in functions.items():
        with suppress(duckdb.InvalidInputException):  # there was none
            connection.remove_function(function)
        connection.create_function(
            function, call, parameters, returned, type="arrow", null_handling="special"
        )
    sums = ", ".join(f"'{field}': sum(struct_extract(counts, '{field}'))::BIGINT" for field in fields)
    connection.execute(f"CREATE OR REPLACE TEMP MACRO {name}_total(counts) AS {name}_score({{{sums}}})")
    overloads = []
    for count in range(1, _REFERENCES + 1):
        columns = ", ".join(("hypothesis", *(f"reference_{i}" for i in range(1, count + 1))))
        overloads.append(f"({columns}) AS {name}_total({name}_statistics({columns}))")
    connection.execute(f"CREATE OR REPLACE TEMP MACRO {name}{', '.join(overloads)}")
    return connection


def _check_free(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Check that a name is neither a keyword of SQL nor a function of DuckDB.

    Raises:
        ValueError: It is.
    """
    for what, query in (
        (
            "a keyword of SQL",
            "from duckdb_keywords() where keyword_name = lower(?) and keyword_category <> 'unreserved'",
        ),
        ("a function of DuckDB", "from duckdb_functions() where function_name = lower(?) and internal"),
    ):
        if connection.execute(query, [name]).fetchone() is not None:
            raise ArgumentValueError("name", f"must be a new name, but {name!r} is {what}")


def _references(columns: tuple[Any, ...]) -> Any:
    """Streams, or the references of each segment if they are one column of lists."""
    return columns[0] if len(columns) == 1 and pa.types.is_list(columns[0].type) else columns


def _statistics(metric: BLEU | CHRF, fields: list[str], hypotheses: Any, references: tuple[Any, ...]) -> Any:
    """The rows of counts of a batch, as structs."""
    try:
        rows = metric.statistics(hypotheses, _references(references))
    except ArgumentError as error:
        raise of_batch(error) from None
    return pa.StructArray.from_arrays([pa.array(column) for column in rows.T.copy()], fields)


def _sentence(metric: BLEU | CHRF, hypotheses: Any, references: tuple[Any, ...]) -> Any:
    """The scores of a batch."""
    try:
        return pa.array(metric.sentence_scores(hypotheses, _references(references)))
    except ArgumentError as error:
        raise of_batch(error) from None


def _score(metric: BLEU | CHRF, counts: Any) -> Any:
    """The score of each struct of counts; of sums over nothing, NULL."""
    scores = [
        None if row is None or None in row.values() else metric.score_statistics(list(row.values())).score
        for row in counts.to_pylist()
    ]
    return pa.array(scores, pa.float64())
