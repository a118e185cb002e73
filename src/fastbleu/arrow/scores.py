"""Scores and statistics of each row of a table, as columns after its own."""

from __future__ import annotations

from ..errors import wrong_type
from ..inputs.pyarrow_columns import import_pyarrow
from ..metric import BLEU
from ..metric.checks import as_metric
from ..metric.state import as_int64
from .count_columns import Counted, column_names, count_fields
from .tables import Table, check_str, depth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

    from ..metric.chrf import CHRF


def score(
    batch: Any,
    hypothesis: str,
    references: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
    into: str = "bleu",
) -> Any:
    """Add the sentence score of each row.

    Args:
        batch: n rows: a pyarrow `RecordBatch` or `Table`, or any table with `__arrow_c_stream__`.
        hypothesis: The column of hypotheses: strings; or with `BLEU(tokenize="none")` lists of strings (tokens) or of
            integers (ids; -100 is left out).
        references: A column with one reference in each row, or with a list of them in each row; or a list of columns
            with one reference each; a null is left out.
        metric: A BLEU or a CHRF; None: `BLEU(effective_order=True)`, as sacreBLEU's `sentence_bleu`.
        into: The name of the new column.

    Returns:
        The same rows and columns, and after them a column float64, 0..100, the scores of `sentence_scores`: a
        `RecordBatch` if one was given, else a `Table`.

    Raises:
        TypeError: `batch` is not a table; a column has another type; names it with its Arrow type. Or a hypothesis is
            null; names batch['column'][row].
        ValueError: There is no column of that name, or already one named `into`; or a row has no reference; names the
            columns and the row.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> batch = pa.record_batch({"mt": ["the cat sat", "a dog"], "ref": ["the cat sat down", "one dog"]})
        >>> score(batch, "mt", "ref").column("bleu").to_numpy().round(2).tolist()
        [71.65, 50.0]
    """
    table = Table(batch, "batch")
    table.check_new("into", [check_str("into", into)])
    metric = as_metric(metric, warn=False)
    scores, _ = _of_rows(metric.sentence_scores, table, hypothesis, references)
    return table.append([into], [scores])


def statistics(
    batch: Any,
    hypothesis: str,
    references: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
    prefix: str = "bleu_",
) -> Any:
    """Add the sufficient statistics of each row, which any engine can sum.

    Args:
        batch: As for `score`.
        hypothesis: As for `score`.
        references: As for `score`.
        metric: A BLEU or a CHRF; None: `BLEU()`, as sacreBLEU's `corpus_bleu`.
        prefix: What the names of the new columns begin with.

    Returns:
        The same rows and columns, and after them 2 + 2N columns int64: prefix + sys_len, ref_len, correct_1, ...,
        correct_N, total_1, ..., total_N; of a CHRF three for each order: prefix + hypothesis_char_1, reference_char_1,
        matches_char_1, ..., matches_word_1, ...; a `RecordBatch` if one was given, else a `Table`. The metadata of the
        first one's field hold the options, for `total`.

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
    table.check_new("prefix", column_names(metric, check_str("prefix", prefix)))
    rows, num_references = _of_rows(metric.statistics, table, hypothesis, references)
    return table.append(Counted.by(metric, num_references).fields(prefix), [*rows.T.copy()])


def from_scores(scores: ArrayLike, into: str = "bleu") -> Any:
    """Make a record batch of the scores of segments, without a copy.

    Args:
        scores: float64 [n], as `BLEU.sentence_scores` gives them.
        into: The name of the column.

    Returns:
        A pyarrow `RecordBatch` with that column.

    Raises:
        TypeError: They are not numbers of one dimension.
        ImportError: pyarrow is not installed.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> from_scores(bleu.sentence_scores(["a dog", "the cat"], [["", "the cat sat"]])).num_rows
        2
    """
    import numpy as np

    found: NDArray[float64] = np.asarray(scores)
    if found.ndim != 1 or found.dtype.kind not in "fiu":
        raise wrong_type("scores", "numbers of one dimension", scores)
    pa = import_pyarrow("fastbleu.arrow")
    column = pa.array(found.astype(np.float64, copy=False))
    return pa.RecordBatch.from_arrays([column], [check_str("into", into)])


def from_statistics(rows: ArrayLike, metric: BLEU | CHRF | None = None, prefix: str = "bleu_") -> Any:
    """Make a record batch of rows of statistics.

    Args:
        rows: int64 [n, columns], as `statistics` of a metric gives them.
        metric: The BLEU or CHRF that counted them; None: a BLEU, and the columns do not say with which options.
        prefix: What the names of the columns begin with.

    Returns:
        A pyarrow `RecordBatch` with these columns, as `statistics` adds them.

    Raises:
        TypeError: They are not integers.
        ValueError: They have another shape, a count is negative, or there are more matches than candidates.
        ImportError: pyarrow is not installed.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=1)
        >>> from_statistics(bleu.statistics(["a dog"], [["one dog"]]), bleu).to_pydict()
        {'bleu_sys_len': [2], 'bleu_ref_len': [2], 'bleu_correct_1': [1], 'bleu_total_1': [2]}
    """
    import numpy as np

    width = np.shape(rows)[-1] if np.ndim(rows) else 0
    counted_by = (
        BLEU(max_ngram_order=max(1, width // 2 - 1)) if metric is None else as_metric(metric, warn=False)
    )
    counts = np.ascontiguousarray(as_int64(counted_by.formula.check_rows(rows, "rows"), "rows").T)
    pa = import_pyarrow("fastbleu.arrow")
    arrays = list(map(pa.array, counts))
    if metric is None:
        names = column_names(counted_by, check_str("prefix", prefix))
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(count_fields(names, None)))
    fields = Counted.by(metric, None).fields(check_str("prefix", prefix))
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _of_rows(
    function: Callable[[Any, Any], NDArray[Any]],
    table: Table,
    hypothesis: str,
    references: str | Sequence[str],
) -> tuple[NDArray[Any], int | None]:
    """Call a function of a metric on the columns; return its result, and how many references each row has, or None."""
    hypotheses = table.get("hypothesis", hypothesis)
    given, names = table.references(references, ("hypothesis", hypothesis), depth(hypotheses.type))
    with table.naming(hypotheses=hypothesis, references=names):
        found = function(hypotheses, given)
    return found, 1 if isinstance(names, list) and len(names) == 1 else None
