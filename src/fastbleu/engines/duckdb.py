"""BLEU as functions in DuckDB's SQL. Tested with DuckDB 2.0.0.

    fastbleu.engines.duckdb.register(connection)
    connection.sql("select system, bleu(mt, ref) from 'pairs/*.parquet' group by system")

DuckDB calls compiled code with batches of Arrow columns, which counts; DuckDB itself sums the counts, in as many
threads as it has; a second call makes a score of each group's sums.
"""

from __future__ import annotations

from contextlib import suppress

try:
    import duckdb
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise ImportError(
        f'fastbleu.engines.duckdb needs the module {error.name!r}: pip install "fastbleu-metric[duckdb]"'
    ) from error

from ..counting.rows import column_name, row_width
from ..errors import ArgumentValueError, wrong_type
from ..metric import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["register"]

#: The most references that `bleu` takes as columns of their own; more of them make a list.
_REFERENCES = 4


def register(
    connection: duckdb.DuckDBPyConnection, metric: BLEU | None = None, name: str = "bleu"
) -> duckdb.DuckDBPyConnection:
    """Make BLEU known to a connection, under a name and four that begin with it.

    - `bleu(hypothesis, reference, ...)` is the corpus score of each group: an aggregate, as `sum` is one.
    - `bleu_sentence(hypothesis, reference, ...)` is the score of each row.
    - `bleu_statistics(hypothesis, reference, ...)` has the counts of each row, a struct of 2 + 2N BIGINT.
    - `bleu_total(counts)` is the corpus score of each group of these structs: an aggregate.
    - `bleu_score(counts)` is the score of one of these structs, which may hold sums.

    References are columns of VARCHAR (`bleu` takes at most four), or one column of VARCHAR[]. NULL is an absent
    reference. A group without rows has the score NULL.

    Args:
        connection: The connection; its database file is not changed.
        metric: The options. None: `BLEU()`, and for single rows `BLEU(effective_order=True)`.
        name: What the functions are called; others of these names are replaced.

    Returns:
        The connection.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The name cannot stand in SQL without quotes.

    Example:
        >>> import duckdb
        >>> with register(duckdb.connect()) as connection:
        ...     connection.execute("select bleu('the cat sat on the mat', 'a cat sat on the mat')").fetchone()
        (75.98356856515926,)
    """
    # As sacreBLEU's functions `corpus_bleu` and `sentence_bleu`.
    metric, of_sentences = (BLEU(), BLEU(effective_order=True)) if metric is None else (metric, metric)
    if not isinstance(metric, BLEU):
        raise wrong_type("metric", "a BLEU", metric)
    if not isinstance(name, str):
        raise wrong_type("name", "a str", name)
    if not (name.isidentifier() and name.isascii()):
        raise ArgumentValueError(
            "name", f"must be a name of ASCII letters, digits and underscores, got {name!r}"
        )
    width = row_width(metric.max_ngram_order)
    fields = [f"{name}_{column_name(k, metric.max_ngram_order)}" for k in range(width)]
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


def _references(columns: tuple[Any, ...]) -> Any:
    """Streams, or the references of each segment if they are one column of lists."""
    return columns[0] if len(columns) == 1 and pa.types.is_list(columns[0].type) else columns


def _statistics(metric: BLEU, fields: list[str], hypotheses: Any, references: tuple[Any, ...]) -> Any:
    """The rows of counts of a batch, as structs."""
    rows = metric.statistics(hypotheses, _references(references))
    return pa.StructArray.from_arrays([pa.array(column) for column in rows.T.copy()], fields)


def _sentence(metric: BLEU, hypotheses: Any, references: tuple[Any, ...]) -> Any:
    """The scores of a batch."""
    return pa.array(metric.sentence_scores(hypotheses, _references(references)))


def _score(metric: BLEU, counts: Any) -> Any:
    """The score of each struct of counts; of sums over nothing, NULL."""
    scores = [
        None if row is None or None in row.values() else metric.score_statistics(list(row.values())).score
        for row in counts.to_pylist()
    ]
    return pa.array(scores, pa.float64())
