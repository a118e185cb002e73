"""BLEU as a namespace of Polars' expressions. Tested with Polars 2.1.0.

    import fastbleu.engines.polars
    pl.scan_parquet("pairs/*.parquet").with_columns(bleu=pl.col("mt").bleu.sentence("ref"))

The import registers the namespace. `sentence` and `statistics` work row by row, so that Polars can stream them.
"""

from __future__ import annotations

from ..arrow.count_columns import column_names
from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, wrong_type
from ..metric import BLEU
from ..metric.checks import as_metric
from ..system.extras import imports_of
from .batches import of_batch

with imports_of("polars", "fastbleu.engines.polars"):
    import polars as pl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..metric.chrf import CHRF

__all__ = ["BLEUExpressions"]


class BLEUExpressions:
    """The namespace of an expression of hypotheses: `pl.col("mt").bleu`.

    References are columns of strings, by name or as expressions, or one column of lists of strings. Null is an absent
    reference.

    Args:
        hypotheses: An expression of strings; for `total`, of structs of counts.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"mt": ["the cat sat on the mat"], "ref": ["a cat sat on the mat"]})
        >>> frame.select(pl.col("mt").bleu.sentence("ref")).item()
        75.98356856515926
        >>> frame.select(counts=pl.col("mt").bleu.statistics("ref")).select(pl.col("counts").bleu.total()).item()
        75.98356856515926
    """

    def __init__(self, hypotheses: pl.Expr) -> None:
        self._expression = hypotheses

    def sentence(self, *references: str | pl.Expr, metric: BLEU | CHRF | None = None) -> pl.Expr:
        """Score each row, as `BLEU.sentence_scores` does.

        Args:
            *references: The references' columns.
            metric: A BLEU or a CHRF; `BLEU(effective_order=True)` if None.

        Returns:
            Float64, 0..100, with the name of the hypotheses' column.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: There are no references.
            polars.exceptions.ComputeError: When it runs: a row without a hypothesis, or without any reference; the
                message counts the rows of one batch or group.
        """
        metric = _checked(metric, effective_order=True)

        def sentence(columns: Sequence[pl.Series]) -> pl.Series:
            return pl.Series(metric.sentence_scores(*_columns(columns)), dtype=pl.Float64)

        return self._map(references, sentence, pl.Float64(), by_row=True)

    def statistics(self, *references: str | pl.Expr, metric: BLEU | CHRF | None = None) -> pl.Expr:
        """Count each row's n-grams, as `BLEU.statistics` does: counts add up over any rows.

        Args:
            *references: The references' columns.
            metric: A BLEU or a CHRF; `BLEU()` if None.

        Returns:
            Structs of 2 + 2N Int64, bleu_sys_len, bleu_ref_len, bleu_correct_1..N, bleu_total_1..N (of a CHRF
            chrf_hypothesis_char_1, chrf_reference_char_1, chrf_matches_char_1, ...), with the name of the hypotheses'
            column; `total` scores their sums, and unnested they are the columns of `fastbleu.arrow`.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: There are no references.
            polars.exceptions.ComputeError: When it runs: a row without a hypothesis, or without any reference; the
                message counts the rows of one batch or group.
        """
        metric = _checked(metric)
        fields = _fields(metric)

        def statistics(columns: Sequence[pl.Series]) -> pl.Series:
            rows = metric.statistics(*_columns(columns))
            return pl.DataFrame(rows, schema=fields, orient="row").to_struct()

        return self._map(references, statistics, pl.Struct(fields), by_row=True)

    def corpus(self, *references: str | pl.Expr, metric: BLEU | CHRF | None = None) -> pl.Expr:
        """Score all rows of a group, or of the frame, together, as `BLEU.corpus_score` does.

        Polars brings the group's text into memory for that. For more text than fits there, ask for `statistics`
        first, and for the `total` of them then.

        Args:
            *references: The references' columns.
            metric: A BLEU or a CHRF; `BLEU()` if None.

        Returns:
            Float64, 0..100, one for each group; null for no rows.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: There are no references.
            polars.exceptions.ComputeError: When it runs: a row without a hypothesis, or without any reference; the
                message counts the rows of one batch or group.
        """
        metric = _checked(metric)

        def corpus(columns: Sequence[pl.Series]) -> float | None:
            hypotheses, given = _columns(columns)
            return metric.corpus_score(hypotheses, given).score if len(hypotheses) else None

        return self._map(references, corpus, pl.Float64(), by_row=False)

    def total(self, *, metric: BLEU | CHRF | None = None) -> pl.Expr:
        """Score the sums of counts that `statistics` made, of a group or of the frame.

        Args:
            metric: The options with which they were counted; `BLEU()` if None.

        Returns:
            Float64, 0..100, one for each group; null for no rows.

        Raises:
            TypeError: An argument has the wrong type.
            polars.exceptions.ComputeError: When it runs: the column does not hold the counts of this metric.
        """
        metric = _checked(metric)
        fields = _fields(metric)

        def checked(column: pl.Series) -> pl.Series:
            held = column.struct.fields if isinstance(column.dtype, pl.Struct) else []
            if not fields.keys() <= set(held):
                raise ArgumentTypeError(
                    column.name,
                    f"must be a column of counts, structs of {', '.join(fields)}, not of {column.dtype}; "
                    "call .bleu.statistics first, with the same metric=",
                )
            return column.struct.unnest().select(pl.col(*fields).cast(pl.Int64)).to_struct(column.name)

        structs = self._expression.map_batches(checked, pl.Struct(fields), is_elementwise=True)
        counts = [structs.struct.field(field) for field in fields]
        sums = pl.struct(counts[0].count().alias("rows"), *(count.sum() for count in counts))

        def score(groups: pl.Series) -> pl.Series:
            scores = [
                metric.score_statistics(list(row.values())).score if row.pop("rows") else None
                for row in groups
            ]
            return pl.Series(scores, dtype=pl.Float64)

        scores = sums.map_batches(score, pl.Float64(), is_elementwise=True)
        name = self._expression.meta.output_name(raise_if_undetermined=False)
        return scores if name is None else scores.alias(name)

    def _map(
        self,
        references: tuple[str | pl.Expr, ...],
        function: Callable[[Sequence[pl.Series]], Any],
        dtype: pl.DataType,
        *,
        by_row: bool,
    ) -> pl.Expr:
        """Calls a function with the hypotheses' and the references' series."""
        if not references:
            raise ArgumentValueError("references", "must be one column at least")
        for i, each in enumerate(references):
            if not isinstance(each, (str, pl.Expr)):
                raise wrong_type(f"references[{i}]", "the name of a column, or an expression", each)

        def call(columns: Sequence[pl.Series]) -> Any:
            try:
                return function(columns)
            except ArgumentError as error:
                raise of_batch(error) from None

        return pl.map_batches(
            [self._expression, *references], call, dtype, is_elementwise=by_row, returns_scalar=not by_row
        )


# Not as a decorator, so that the documentation is made without Polars.
pl.api.register_expr_namespace("bleu")(BLEUExpressions)


def _checked(metric: BLEU | CHRF | None, effective_order: bool = False) -> BLEU | CHRF:
    if metric is None:
        return BLEU(effective_order=effective_order)
    return as_metric(metric, warn=False)


def _fields(metric: BLEU | CHRF) -> dict[str, Any]:
    """The fields of a struct of counts."""
    prefix = "bleu_" if isinstance(metric, BLEU) else "chrf_"
    return dict.fromkeys(column_names(metric, prefix), pl.Int64())


def _columns(columns: Sequence[pl.Series]) -> tuple[Any, Any]:
    """Hypotheses, and streams or the references of each segment if they are one column of lists."""
    lengths = {len(column) for column in columns} - {1}
    if len(lengths) == 1:
        # A literal has one row, and holds for all of them.
        (number,) = lengths
        columns = [column.new_from_index(0, number) if len(column) == 1 else column for column in columns]
    hypotheses, *references = columns
    if len(references) == 1 and isinstance(references[0].dtype, pl.List):
        return hypotheses, references[0]
    return hypotheses, references
