"""The columns of statistics: their names, what they hold, and how they say they were counted.

Columns are named prefix + sys_len, ref_len, correct_1..correct_N, total_1..total_N. The metadata of the field sys_len
holds, under the key `fastbleu`, the options of the metric as JSON: it depends on the arguments of the call alone, so
that all batches have one schema. Engines may drop it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ..counting.rows import column_name, row_width
from ..errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ..metric import BLEU
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

    from ..scoring.formula import Formula
    from ..scoring.score import BLEUScore
    from .tables import Table

#: The key of the metadata.
_KEY = b"fastbleu"

#: The options that decide the counts; the others decide what is made of them.
_OF_COUNTS = ("tokenizer", "lowercase", "max_ngram_order", "reference_length")


def count_names(prefix: str, order: int) -> list[str]:
    """The names of the columns of statistics up to an order.

    Example:
        >>> count_names("bleu_", 1)
        ['bleu_sys_len', 'bleu_ref_len', 'bleu_correct_1', 'bleu_total_1']
    """
    return [prefix + column_name(k, order) for k in range(row_width(order))]


def count_fields(prefix: str, order: int, metadata: bytes | None) -> list[pa.Field]:
    """The fields of the columns of statistics, of which the first one has the metadata."""
    import pyarrow as pa

    first, *others = [pa.field(name, pa.int64()) for name in count_names(prefix, order)]
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
    def by(cls, metric: BLEU, num_references: int | None) -> Self:
        """Describe the way in which a metric counts."""
        return cls(options_of(metric), metric.tokenizer.is_sacrebleus, num_references)

    @classmethod
    def read(cls, metadata: bytes, where: Place) -> Self:
        """Read what `write` has made.

        Raises:
            ValueError: It is something else, or a value in it is impossible.
        """
        try:
            counted = cls(**json.loads(metadata))
            check_str("tokenizer", counted.options["tokenizer"])
            check_flag("is_sacrebleus", counted.is_sacrebleus)
            if counted.num_references is not None:
                check_integer("num_references", counted.num_references, 1)
            counted.metric()
        except (KeyError, TypeError, ValueError) as error:
            found = f"has metadata that this release cannot read: {describe(metadata)}: {error}"
            raise ArgumentValueError(where, found) from None
        return counted

    def metric(self) -> BLEU:
        """A metric with these options, but for the tokenizer, of which only the name is known."""
        names = {*self.options, *options_of(BLEU())} - {"tokenizer"}
        return BLEU(tokenize="none", **{name: self.options[name] for name in names})

    def write(self) -> bytes:
        """The metadata that say it."""
        return json.dumps(self._asdict()).encode()

    def fields(self, prefix: str) -> list[pa.Field]:
        """The fields of columns that were counted so."""
        return count_fields(prefix, self.options["max_ngram_order"], self.write())

    def formula(self) -> Formula:
        """Make the formula that scores the counts."""
        return self.metric().formula

    def score(self, row: list[int], num_references: int | None) -> BLEUScore:
        """Score a sum, and sign the score if it is known how many references there were."""
        metric, tokenizer = self.metric(), self.options["tokenizer"]
        score = metric.formula.score(row)
        if num_references:
            signed = Signed(
                metric.lowercase, tokenizer, self.is_sacrebleus, metric.reference_length, metric.formula
            )
            score.sign_later((signed, num_references, None, None))
        return score


class CountColumns:
    """The columns of statistics in tables that are to be added up.

    Args:
        prefix: What their names begin with.

    Attributes:
        names: Their names, 2 + 2N, once a table has been read.

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
        # By the metadata that tables have, None where there are none: the first of these tables, and what they say.
        self._said: dict[bytes | None, tuple[str, Counted | None]] = {}

    @property
    def order(self) -> int:
        """N."""
        return len(self.names) // 2 - 1

    def read(self, table: Table) -> list[NDArray[int64]]:
        """The statistics of a table, checked: 2 + 2N int64 [n].

        Raises:
            TypeError: A column does not hold integers.
            ValueError: A column is missing; the table was not counted as others; a count is null, negative, or larger
                than possible.
        """
        import pyarrow as pa

        present, order = set(table.held.schema.names), 1
        while {f"{self._prefix}correct_{order + 1}", f"{self._prefix}total_{order + 1}"} & present:
            order += 1
        names = count_names(self._prefix, order)
        if not present & set(names):
            raise ArgumentValueError(
                table.argument,
                f"has no column {names[0]!r}, but {table.listed}; call fastbleu.arrow.statistics first, or pass "
                "the prefix= that it was called with",
            )
        columns = [(table.get("prefix", name), table.place(name)) for name in names]
        self._note(table, names)
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
        for n in range(2, 2 + order):
            excess = counts[n] > counts[n + order]
            if excess.any():
                i = int(excess.argmax())
                raise ArgumentValueError(
                    table.place(names[n])[i],
                    f"is {counts[n][i]}, more than the {counts[n + order][i]} in {names[n + order]!r}",
                )
        return counts

    def _note(self, table: Table, names: list[str]) -> None:
        """Note which columns a table has, and how it says that they were counted.

        Raises:
            ValueError: Another one said something else.
        """
        order = len(names) // 2 - 1
        metadata = (table.field("prefix", names[0]).metadata or {}).get(_KEY)
        if metadata not in self._said:
            where, before = table.place(names[0]), self._counted
            counted = None if metadata is None else Counted.read(metadata, where)
            if counted is not None and before is not None:
                for name, value in counted.options.items():
                    other = before.options[name]
                    if value != other:
                        found = f"was counted with {name}={value!r}, but {name}={other!r} elsewhere"
                        raise ArgumentValueError(where, found)
            self._said[metadata] = table.argument, counted
        counted = self._said[metadata][1]
        if counted is not None and counted.options["max_ngram_order"] != order:
            found = (
                f"was counted up to order {counted.options['max_ngram_order']}, but has columns up to {order}"
            )
            raise ArgumentValueError(table.argument, found)
        if self.names and names != self.names:
            found = f"has columns up to order {order}, but others up to {self.order}"
            raise ArgumentValueError(table.argument, found)
        self.names = names

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
        return count_fields(self._prefix, self.order, None if counted is None else counted.write())

    def options(self, metric: BLEU | None) -> Counted:
        """Say with which options sums of them are scored.

        Args:
            metric: What a user gave; None: the options that the tables say they were counted with, else `BLEU()`.

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
            return counted or Counted.by(BLEU(max_ngram_order=self.order), None)
        if not isinstance(metric, BLEU):
            raise wrong_type("metric", "a BLEU", metric)
        if metric.max_ngram_order != self.order:
            raise ArgumentValueError(
                "metric",
                f"has max_ngram_order={metric.max_ngram_order}, but the statistics have {self.order} orders",
            )
        ours = Counted.by(metric, None)
        if counted is None:
            return ours
        for name in _OF_COUNTS:
            mine, theirs = ours.options[name], counted.options[name]
            if mine != theirs:
                raise ArgumentValueError(
                    "metric", f"has {name}={mine!r}, but the statistics were counted with {theirs!r}"
                )
        return Counted(ours.options, ours.is_sacrebleus, counted.num_references)
