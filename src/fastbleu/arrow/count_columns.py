"""The columns of statistics: their names, what they hold, and how they say they were counted.

BLEU's are named prefix + sys_len, ref_len, correct_1..correct_N, total_1..total_N; chrF's prefix + hypothesis_char_1,
reference_char_1, matches_char_1, hypothesis_char_2 and so on, and the same with "word". The metadata of the first
field hold, under the key `fastbleu`, the options of the metric as JSON: they depend on the arguments of the call alone,
so that all batches have one schema. Engines may drop them.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ..errors import ArgumentTypeError, ArgumentValueError, Place, describe
from ..metric import BLEU
from ..metric.checks import as_metric
from ..metric.chrf import CHRF
from ..metric.state import options_of
from ..options import check_flag, check_integer
from ..scoring.signature import Signed
from .tables import check_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ..scoring.chrf import CHRFFormula
    from ..scoring.formula import Formula
    from ..scoring.score import Score
    from .tables import Table

#: The key of the metadata.
_KEY = b"fastbleu"

#: The options that decide the counts; the others decide what is made of them. All of chrF's do: the score by which the
#: best reference is found depends on each.
_OF_COUNTS = {"tokenizer", "lowercase", "max_ngram_order", "reference_length"}


def column_names(metric: BLEU | CHRF, prefix: str) -> list[str]:
    """The names of the columns of a metric's statistics.

    Example:
        >>> column_names(BLEU(max_ngram_order=1), "bleu_")
        ['bleu_sys_len', 'bleu_ref_len', 'bleu_correct_1', 'bleu_total_1']
    """
    return [prefix + metric.formula.column_name(k) for k in range(metric.formula.width)]


def _orders(metric: BLEU | CHRF) -> str:
    """The longest n-grams that a metric counts, for messages."""
    if isinstance(metric, CHRF):
        return f"char_order={metric.char_order} and word_order={metric.word_order}"
    return f"order {metric.max_ngram_order}"


def _bounds(metric: BLEU | CHRF) -> list[tuple[int, int]]:
    """Which columns hold at most what others hold: pairs of their places."""
    if isinstance(metric, CHRF):
        return [(k + 2, k + side) for k in range(0, metric.formula.width, 3) for side in (0, 1)]
    order = metric.max_ngram_order
    return [(k, k + order) for k in range(2, 2 + order)]


def _metric_of(names: set[str], prefix: str) -> BLEU | CHRF:
    """A metric that has these columns, with the defaults otherwise; a BLEU of order 1 if there are none."""

    def longest(column: str) -> int:
        order = 0
        while f"{prefix}{column}_{order + 1}" in names:
            order += 1
        return order

    orders = longest("hypothesis_char"), longest("hypothesis_word")
    if any(orders) and f"{prefix}sys_len" not in names:
        return CHRF(*orders)
    return BLEU(max_ngram_order=max(1, longest("correct"), longest("total")))


def count_fields(names: list[str], metadata: bytes | None) -> list[pa.Field]:
    """The fields of columns of statistics. The first one has the metadata."""
    import pyarrow as pa

    first, *others = [pa.field(name, pa.int64()) for name in names]
    return [first if metadata is None else first.with_metadata({_KEY: metadata}), *others]


class Counted(NamedTuple):
    """The way in which statistics were counted, as metadata say it."""

    #: `options_of` the metric.
    options: dict[str, Any]
    #: Whether sacreBLEU has the tokenizer.
    is_sacrebleus: bool
    #: How many references each segment has, if the columns of references alone say it.
    num_references: int | None

    @classmethod
    def by(cls, metric: BLEU | CHRF, num_references: int | None) -> Self:
        """Describe the way in which a metric counts."""
        return cls(options_of(metric), metric.matcher.tokenizer.is_sacrebleus, num_references)

    @classmethod
    def read(cls, metadata: bytes, where: Place) -> Self:
        """Read what `write` has made.

        Raises:
            ValueError: It is something else, or a value in it is impossible.
        """
        try:
            counted = cls(**json.loads(metadata))
            if "metric" not in counted.options:
                check_str("tokenizer", counted.options["tokenizer"])
            check_flag("is_sacrebleus", counted.is_sacrebleus)
            if counted.num_references is not None:
                check_integer("num_references", counted.num_references, 1)
            counted.metric()
        except (KeyError, TypeError, ValueError) as error:
            found = f"has metadata that this release cannot read: {describe(metadata)}: {error}"
            raise ArgumentValueError(where, found) from None
        return counted

    def metric(self) -> BLEU | CHRF:
        """A metric with these options, but for the tokenizer: only its name is known.

        Raises:
            ValueError: The metric is neither BLEU nor chrF; or as `BLEU` or `CHRF`.
        """
        if "metric" in self.options:
            if self.options["metric"] != "CHRF":
                raise ValueError(f"unknown metric {self.options['metric']!r}")
            return CHRF(**{name: self.options[name] for name in options_of(CHRF()) if name != "metric"})
        names = {*self.options, *options_of(BLEU())} - {"tokenizer"}
        return BLEU(tokenize="none", **{name: self.options[name] for name in names})

    def write(self) -> bytes:
        """The metadata that say it."""
        return json.dumps(self._asdict()).encode()

    def fields(self, prefix: str) -> list[pa.Field]:
        """The fields of columns that were counted so."""
        return count_fields(column_names(self.metric(), prefix), self.write())

    def formula(self) -> Formula | CHRFFormula:
        """Make the formula that scores the counts."""
        return self.metric().formula

    def score(self, row: list[int], num_references: int | None) -> Score:
        """Score a sum, and sign the score if it is known how many references there were."""
        metric = self.metric()
        if isinstance(metric, CHRF):
            found = metric.formula.score(row)
            return metric.signed(found, num_references) if num_references else found
        tokenizer, score = self.options["tokenizer"], metric.formula.score(row)
        if num_references:
            signed = Signed(
                metric.lowercase, tokenizer, self.is_sacrebleus, metric.reference_length, metric.formula
            )
            score.signer = signed, num_references, None, None
        return score


class CountColumns:
    """The columns of statistics in tables that are to be added up.

    Args:
        prefix: What their names begin with.

    Attributes:
        names: Their names, once a table has been read.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow.tables import Table
        >>> columns = CountColumns("n_")
        >>> table = pa.table({"n_total_1": [3], "n_sys_len": [3], "n_ref_len": [2], "n_correct_1": [1], "id": [7]})
        >>> [count.tolist() for count in columns.read(Table(table, "counted"))], columns.names
        ([[3], [2], [1], [3]], ['n_sys_len', 'n_ref_len', 'n_correct_1', 'n_total_1'])
    """

    def __init__(self, prefix: Any) -> None:
        self._prefix = check_str("prefix", prefix)
        self.names: list[str] = []
        self._metric: BLEU | CHRF = BLEU()  # that has these columns
        # By the metadata that tables have, None where there are none: the first of these tables, and what they say.
        self._said: dict[bytes | None, tuple[str, Counted | None]] = {}

    def read(self, table: Table) -> list[NDArray[int64]]:
        """The statistics of a table, checked: int64 [n] each, as many as there are names.

        Raises:
            TypeError: A column does not hold integers.
            ValueError: A column is missing; the table was not counted as others; a count is null, negative, or larger
                than possible.
        """
        import pyarrow as pa

        present = set(table.held.schema.names)
        metric = _metric_of(present, self._prefix)
        names = column_names(metric, self._prefix)
        if not present & set(names):
            raise ArgumentValueError(
                table.argument,
                f"has no column {names[0]!r}, but {table.listed}; call fastbleu.arrow.statistics first, or pass "
                "the prefix= that it was called with",
            )
        columns = [(table.get("prefix", name), table.place(name)) for name in names]
        self._note(table, metric, names)
        counts = []
        for column, where in columns:
            kind = column.type
            if not (pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0)):
                raise ArgumentTypeError(where, f"must be a column of integers, not of {kind}")
            if column.null_count:
                row = column.is_null().to_pylist().index(True)
                raise ArgumentValueError(where[row], "is null, where a count is expected")
            try:
                count = column.cast(pa.int64()).to_numpy()
            except pa.ArrowInvalid:
                raise ArgumentValueError(where, "holds a number that does not fit int64") from None
            if len(count) and count.min() < 0:
                i = int(count.argmin())
                raise ArgumentValueError(where[i], f"must not be negative, got {count[i]}")
            counts.append(count)
        for n, most in _bounds(metric):
            excess = counts[n] > counts[most]
            if excess.any():
                i = int(excess.argmax())
                raise ArgumentValueError(
                    table.place(names[n])[i],
                    f"is {counts[n][i]}, more than the {counts[most][i]} in {names[most]!r}",
                )
        return counts

    def _note(self, table: Table, metric: BLEU | CHRF, names: list[str]) -> None:
        """Note which columns a table has, and how it says that they were counted.

        Raises:
            ValueError: Another one said something else.
        """
        metadata = (table.field("prefix", names[0]).metadata or {}).get(_KEY)
        if metadata not in self._said:
            where, before = table.place(names[0]), self._counted
            counted = None if metadata is None else Counted.read(metadata, where)
            if counted is not None and before is not None:
                for name, value in counted.options.items():
                    other = before.options.get(name)
                    if value != other:
                        found = f"was counted with {name}={value!r}, but {name}={other!r} elsewhere"
                        raise ArgumentValueError(where, found)
            self._said[metadata] = table.argument, counted
        counted = self._said[metadata][1]
        has = f"has columns up to {_orders(metric)}"
        if counted is not None and (found := _orders(counted.metric())) != _orders(metric):
            raise ArgumentValueError(table.argument, f"was counted up to {found}, but {has}")
        if self.names and names != self.names:
            raise ArgumentValueError(table.argument, f"{has}, but others up to {_orders(self._metric)}")
        self.names, self._metric = names, metric

    @property
    def _counted(self) -> Counted | None:
        """The way in which all tables were counted; None if none says it. Unequal numbers of references are None."""
        found = [counted for _, counted in self._said.values()]
        known = next(filter(None, found), None)
        if known is None or all(counted == known for counted in found):
            return known
        return Counted(known.options, known.is_sacrebleus, None)

    def fields(self) -> list[pa.Field]:
        """The fields of their sums."""
        counted = self._counted
        return count_fields(self.names, None if counted is None else counted.write())

    def options(self, metric: BLEU | CHRF | None) -> Counted:
        """Say with which options sums of them are scored.

        Args:
            metric: What a user gave; None: the options that the tables say they were counted with, else the defaults.

        Raises:
            TypeError, ValueError: The metric counts other statistics; or there is none, and some tables say how they
                were counted and others do not.
        """
        counted = self._counted
        if metric is None:
            if counted is not None and None in self._said:
                said = next(argument for argument, found in self._said.values() if found is not None)
                raise ArgumentValueError(
                    self._said[None][0],
                    "does not say how it was counted, as an engine dropped the metadata of its columns, "
                    f"but {said} does; pass metric=, the options of both",
                )
            return counted or Counted.by(self._metric, None)
        metric = as_metric(metric, warn=False)
        if _orders(metric) != _orders(self._metric):
            raise ArgumentValueError(
                "metric",
                f"counts up to {_orders(metric)}, but the statistics go up to {_orders(self._metric)}",
            )
        ours = Counted.by(metric, None)
        if counted is None:
            return ours
        for name, theirs in counted.options.items():
            mine = ours.options[name]
            if mine != theirs and (name in _OF_COUNTS or isinstance(metric, CHRF)):
                raise ArgumentValueError(
                    "metric", f"has {name}={mine!r}, but the statistics were counted with {theirs!r}"
                )
        return Counted(ours.options, ours.is_sacrebleus, counted.num_references)
