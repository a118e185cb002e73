"""Name and read columns of statistics, and store the options with which they were counted.

The columns of BLEU are named prefix + sys_len, ref_len, correct_1..correct_N, total_1..total_N. chrF has three columns
for each character order n, named prefix + hypothesis_char_n, reference_char_n, matches_char_n; then three for each word
order n, named prefix + hypothesis_word_n, reference_word_n, matches_word_n.

The metadata of the first column contain the options as JSON, under the key `fastbleu`. The options that are stored do
not depend on the rows, so that all batches have the same schema. An engine, such as Spark, may drop the metadata.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Location, describe
from ..metric import BLEU
from ..metric.accumulator_state import options_of
from ..metric.check_metric import as_metric
from ..metric.chrf import CHRF
from ..scoring.signature import SharedFields
from .tables import check_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..scoring.score import Score
    from .tables import Table

#: The key of the options in the metadata of a column.
_KEY = b"fastbleu"

#: The options of BLEU that affect its statistics. All options of chrF affect its statistics, because they affect which
#: reference is chosen as the best one.
_COUNT_OPTIONS = {"tokenizer", "lowercase", "max_ngram_order", "reference_length"}


def column_names(metric: BLEU | CHRF, prefix: str) -> list[str]:
    """Return the names of the columns of a metric's statistics.

    Example:
        >>> column_names(BLEU(max_ngram_order=1), "bleu_")
        ['bleu_sys_len', 'bleu_ref_len', 'bleu_correct_1', 'bleu_total_1']
    """
    return [prefix + metric.formula.column_name(k) for k in range(metric.formula.width)]


def count_fields(names: list[str], counted: Counted | None) -> list[pa.Field]:
    """Return the Arrow fields of columns of statistics.

    Args:
        names: The names of the columns.
        counted: The options for the metadata of the first field; None for no metadata.
    """
    import pyarrow as pa

    first, *others = [pa.field(name, pa.int64()) for name in names]
    if counted is not None:
        first = first.with_metadata({_KEY: json.dumps(asdict(counted)).encode()})
    return [first, *others]


def _orders(metric: BLEU | CHRF) -> str:
    """Describe the largest n-gram orders of a metric, for messages."""
    if isinstance(metric, CHRF):
        return f"char_order={metric.char_order} and word_order={metric.word_order}"
    return f"order {metric.max_ngram_order}"


def _metric_of(names: set[str], prefix: str) -> BLEU | CHRF:
    """Return a metric with default options, whose orders are those of the columns of statistics in a table.

    If the table has no columns of statistics, the metric is a BLEU of order 1.

    Args:
        names: The names of all columns of a table.
        prefix: The prefix of the names of columns of statistics.
    """

    def largest_order(column: str) -> int:
        order = 0
        while f"{prefix}{column}_{order + 1}" in names:
            order += 1
        return order

    orders = largest_order("hypothesis_char"), largest_order("hypothesis_word")
    if any(orders) and f"{prefix}sys_len" not in names:
        return CHRF(*orders)
    return BLEU(max_ngram_order=max(1, largest_order("correct"), largest_order("total")))


@dataclass(frozen=True, slots=True)
class Counted:
    """The options with which statistics were counted."""

    #: The options of the metric by name; `options_of` creates this dict.
    options: dict[str, Any]
    #: Whether the tokenizer is one of sacreBLEU's.
    is_sacrebleus: bool
    #: The number of references of each segment, or None if it is unknown. It is 1 if there is one column of references
    #: and its rows are not lists; otherwise it is unknown.
    num_references: int | None

    @classmethod
    def by(cls, metric: BLEU | CHRF, num_references: int | None = None) -> Self:
        """Return the options of `metric`, and the number of references of each segment (None if it is unknown)."""
        return cls(options_of(metric), metric.matcher.tokenizer.is_sacrebleus, num_references)

    def metric(self) -> BLEU | CHRF:
        """Return a metric with these options but no tokenizer, since only the name of the tokenizer is stored."""
        options = dict(self.options)
        if options.pop("metric", None) == "CHRF":
            return CHRF(**options)
        check_str("tokenizer", options.pop("tokenizer"))
        return BLEU(tokenize="none", **options)

    def score(self, row: list[int], num_references: int | None) -> Score:
        """Compute the score of summed statistics.

        Args:
            row: The sums, in the order of the columns.
            num_references: The number of references of each segment; -1 if it differs between segments. None if it is
                unknown: the score then has no signature.
        """
        metric = self.metric()
        if isinstance(metric, CHRF):
            chrf = metric.formula.score(row)
            return metric.signed(chrf, num_references) if num_references else chrf
        score = metric.formula.score(row)
        if num_references:
            options = metric.lowercase, self.options["tokenizer"], self.is_sacrebleus, metric.reference_length
            score.signer = SharedFields.of_bleu(*options, metric.formula), num_references, None, None
        return score


class CountColumns:
    """Reads the columns of statistics of several tables, which must have the same orders and options.

    Args:
        prefix: The prefix of the names of the columns.

    Attributes:
        names: The names of the columns; empty before the first table is read.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow.tables import Table
        >>> columns = CountColumns("n_")
        >>> table = pa.table({"n_total_1": [3], "n_sys_len": [3], "n_ref_len": [2], "n_correct_1": [1], "id": [7]})
        >>> columns.read(Table(table, "counted")).tolist(), columns.names
        ([[3, 2, 1, 3]], ['n_sys_len', 'n_ref_len', 'n_correct_1', 'n_total_1'])
    """

    def __init__(self, prefix: Any) -> None:
        self._prefix = check_str("prefix", prefix)
        self.names: list[str] = []
        self._metric: BLEU | CHRF = BLEU()  # A metric whose statistics have the columns `names`.
        #: The options in the metadata. They are equal in all tables that have metadata; None if no table has metadata.
        self._counted: Counted | None = None
        self._without_metadata: str | None = None  # The name of the last table without metadata, or None.
        self._schema: pa.Schema | None = None  # The schema of the latest table.

    def read(self, table: Table) -> NDArray[int64]:
        """Read the statistics of a table, and check them.

        Returns:
            int64 [n, columns] for n rows.

        Raises:
            TypeError: A column does not contain integers.
            ValueError: A column is missing, the options differ from those of other tables, or a count is null,
                negative, or larger than possible.
        """
        import numpy as np

        if self._schema is None or not table.data.schema.equals(self._schema, check_metadata=True):
            self._read_schema(table)
        counts = [_read_count(table.get("prefix", name), table.where(name)) for name in self.names]
        # Stack before transposing, so that each column is contiguous in memory, as in Arrow.
        rows = np.stack(counts).T
        try:
            self._metric.formula.check_rows(rows, "rows")
        except ArgumentError as error:
            i, *k = error.indices
            raise error.at(table.where(self.names[k[0] if k else 0])[i]) from None
        return rows

    def _read_schema(self, table: Table) -> None:
        """Find the columns of statistics in a table, and read their options from the metadata.

        Raises:
            ValueError: The table has no such columns, or its columns or options differ from those of other tables.
        """
        present = set(table.data.schema.names)
        metric = _metric_of(present, self._prefix)
        names = column_names(metric, self._prefix)
        if not present & set(names):
            raise ArgumentValueError(
                table.argument,
                f"has no column {names[0]!r}, but the columns {table.listed}; call fastbleu.arrow.statistics "
                "first, or pass the prefix= that it was called with",
            )
        where = table.where(names[0])
        metadata = (table.field("prefix", names[0]).metadata or {}).get(_KEY)
        if metadata is None:
            self._without_metadata = table.argument
        else:
            counted = _read_metadata(metadata, where)
            metric = counted.metric()
            names = column_names(metric, self._prefix)
            known = self._counted or counted
            for name, value in counted.options.items():
                other = known.options.get(name)
                if value != other:
                    reason = f"was counted with {name}={value!r}, but {name}={other!r} elsewhere"
                    raise ArgumentValueError(where, reason)
            self._counted = counted if counted == known else replace(counted, num_references=None)
        if self.names and names != self.names:
            reason = f"has columns up to {_orders(metric)}, but others up to {_orders(self._metric)}"
            raise ArgumentValueError(table.argument, reason)
        self.names, self._metric, self._schema = names, metric, table.data.schema

    def fields(self) -> list[pa.Field]:
        """Return the Arrow fields of the summed statistics, with the options as metadata."""
        return count_fields(self.names, self._counted)

    def options(self, metric: BLEU | CHRF | None) -> Counted:
        """Return the options with which summed statistics are scored.

        Args:
            metric: The user's metric; None to use the options in the metadata, or defaults if there are no metadata.

        Raises:
            TypeError: `metric` is not a metric.
            ValueError: The metric has other orders or options than the statistics, or it is None and only some tables
                have metadata.
        """
        if metric is None:
            if self._counted is not None and self._without_metadata is not None:
                raise ArgumentValueError(
                    self._without_metadata,
                    "has no metadata with its options, unlike other tables, because an engine has dropped them; "
                    "pass metric= with the options of all tables",
                )
            return self._counted or Counted.by(self._metric)
        metric = as_metric(metric, warn=False)
        if _orders(metric) != _orders(self._metric):
            reason = f"counts up to {_orders(metric)}, but the statistics go up to {_orders(self._metric)}"
            raise ArgumentValueError("metric", reason)
        options = Counted.by(metric)
        if self._counted is None:
            return options
        for name, counted_value in self._counted.options.items():
            value = options.options[name]
            if value != counted_value and (name in _COUNT_OPTIONS or isinstance(metric, CHRF)):
                reason = f"has {name}={value!r}, but the statistics were counted with {counted_value!r}"
                raise ArgumentValueError("metric", reason)
        number = self._counted.num_references if self._without_metadata is None else None
        return replace(options, num_references=number)


def _read_metadata(metadata: bytes, where: Location) -> Counted:
    """Read the options from the metadata that `count_fields` wrote.

    Raises:
        ValueError: The format is unknown, or an option is invalid.
    """
    try:
        counted = Counted(**json.loads(metadata))
        counted.metric()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"has metadata that this release cannot read: {describe(metadata)}: {error}"
        raise ArgumentValueError(where, reason) from None
    return counted


def _read_count(column: Any, where: Location) -> NDArray[int64]:
    """Read a column of n counts as int64 [n].

    Raises:
        TypeError: The type of the column is neither an integer type nor a decimal type of scale 0.
        ValueError: A count is null, or does not fit int64.
    """
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0)):
        raise ArgumentTypeError(where, f"must be a column of integers, not of {kind}")
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise ArgumentValueError(where[row], "is null, where a count is expected")
    try:
        counts: NDArray[int64] = column.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        raise ArgumentValueError(where, "holds a number that does not fit int64") from None
    return counts
