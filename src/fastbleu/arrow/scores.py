"""Add scores or statistics of each row to a table, as columns after the existing ones."""

from __future__ import annotations

from ..errors import suggests_options
from ..metric import BLEU
from ..metric.check_metric import as_metric
from .count_columns import Counted, column_names, count_fields
from .tables import Table, check_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ..metric.chrf import CHRF


@suggests_options
def score(
    batch: Any,
    hypothesis: str,
    references: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
    into: str = "bleu",
) -> Any:
    """Add the sentence score of each row.

    Args:
        batch: A table with n rows: a pyarrow `RecordBatch` or `Table`, or any object with `__arrow_c_stream__`.
        hypothesis: The name of the column of hypotheses. They are strings or, with `BLEU(tokenize="none")`, lists of
            strings (tokens) or of integers (token ids; -100 is ignored).
        references: The name of a column with a reference, or a list of references, in each row. Or a list of names of
            columns that each have one reference in a row; null is a missing reference.
        metric: A `BLEU` or `CHRF`; None for `BLEU(effective_order=True)`, as in sacreBLEU's `sentence_bleu`.
        into: The name of the new column.

    Returns:
        The table with a further column of scores, float64, 0..100, as the metric's `sentence_scores` computes them. The
        table is a pyarrow `RecordBatch` if `batch` is one, else a pyarrow `Table`.

    Raises:
        TypeError: `batch` is not a table, a column has a type that is not supported, or a hypothesis is null. The
            message names the column and the row, as in batch['mt'][3].
        ValueError: A column does not exist, a column named `into` exists already, or a row has no reference.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> batch = pa.record_batch({"mt": ["the cat sat", "a dog"], "ref": ["the cat sat down", "one dog"]})
        >>> score(batch, "mt", "ref").column("bleu").to_numpy().round(2).tolist()
        [71.65, 50.0]
    """
    table = Table(batch, "batch")
    import pyarrow as pa

    field = pa.field(check_str("into", into), pa.float64())
    metric = as_metric(metric, warn=False)
    scores, _ = _of_rows(metric.sentence_scores, table, hypothesis, references)
    return table.append("into", [field], [scores])


@suggests_options
def statistics(
    batch: Any,
    hypothesis: str,
    references: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
    prefix: str = "bleu_",
) -> Any:
    """Add the sufficient statistics of each row, which an engine such as Spark can sum.

    Args:
        batch: As for `score`.
        hypothesis: As for `score`.
        references: As for `score`.
        metric: A `BLEU` or `CHRF`; None for `BLEU()`, as in sacreBLEU's `corpus_bleu`.
        prefix: The prefix of the names of the new columns.

    Returns:
        The table with further columns, int64. A `BLEU` adds 2 + 2N columns named prefix + sys_len, ref_len, correct_1,
        ..., correct_N, total_1, ..., total_N. A `CHRF` adds three columns for each character order n, named prefix +
        hypothesis_char_n, reference_char_n, matches_char_n, and three for each word order n, named in the same way with
        "word" instead of "char". The metadata of the first of these columns contain the options, which `total` reads.
        The table is a pyarrow `RecordBatch` if `batch` is one, else a pyarrow `Table`.

    Raises:
        TypeError, ValueError, ImportError: As `score`.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu import BLEU
        >>> batch = pa.record_batch({"mt": ["the cat sat"], "ref": ["the cat is here"]})
        >>> counted = statistics(batch, "mt", "ref", BLEU(max_ngram_order=1))
        >>> counted.to_pydict()
        {'mt': ['the cat sat'], 'ref': ['the cat is here'], 'bleu_sys_len': [3], 'bleu_ref_len': [4],
        'bleu_correct_1': [2], 'bleu_total_1': [3]}
    """
    table = Table(batch, "batch")
    metric = BLEU() if metric is None else as_metric(metric, warn=False)
    names = column_names(metric, check_str("prefix", prefix))
    rows, num_references = _of_rows(metric.statistics, table, hypothesis, references)
    return table.append("prefix", count_fields(names, Counted.by(metric, num_references)), [*rows.T.copy()])


def _of_rows(
    function: Callable[[Any, Any], NDArray[Any]],
    table: Table,
    hypothesis: str,
    references: str | Sequence[str],
) -> tuple[NDArray[Any], int | None]:
    """Call a method of a metric with the columns of hypotheses and references.

    Args:
        function: The method, such as `BLEU.sentence_scores`.
        table: The table.
        hypothesis: The name of the column of hypotheses.
        references: The name of the column of references, or a list of names.

    Returns:
        A tuple: the result of the method; and the number of references of each segment, which is 1 if there is one
        column of references and its rows are not lists, and otherwise None, for unknown.
    """
    hypotheses = table.get("hypothesis", hypothesis)
    given, names = table.references(references, hypothesis)
    with table.naming(hypotheses=hypothesis, references=names):
        values = function(hypotheses, given)
    return values, 1 if isinstance(names, list) and len(names) == 1 else None
