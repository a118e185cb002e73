"""The columns of statistics: their names, and what they say of how they were counted.

Columns are named prefix + sys_len, ref_len, correct_1..correct_N, total_1..total_N. The metadata of the field sys_len
holds, under the key `fastbleu`, the options of the metric as JSON: it depends on the arguments of the call alone, so
that all batches have one schema. Engines may drop it.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from ..counting.rows import column_name, row_width
from ..errors import ArgumentValueError, Place, describe, wrong_type
from ..metric import BLEU
from ..metric.state import options_of
from ..options import check_flag, check_integer, check_reference_length
from ..scoring.formula import Formula
from ..scoring.signature import Signed
from .tables import import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..scoring.score import BLEUScore
    from .tables import Columns

#: The key of the metadata.
_KEY = b"fastbleu"

#: The options that decide the counts; the others decide what is made of them.
_OF_COUNTS = ("tokenizer", "lowercase", "max_ngram_order", "reference_length")


class Counted(NamedTuple):
    """How statistics were counted, as their fields say it."""

    #: `options_of` the metric.
    options: dict[str, Any]
    #: Whether sacreBLEU has the tokenizer.
    is_sacrebleus: bool
    #: How many references each segment has, if the columns of references alone say it.
    num_references: int | None

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "options": self.options,
            "is_sacrebleus": self.is_sacrebleus,
            "num_references": self.num_references,
        }


def check_prefix(prefix: Any) -> str:
    """Check what the names of columns begin with.

    Raises:
        TypeError: It is no str.
    """
    if not isinstance(prefix, str):
        raise wrong_type("prefix", "a str", prefix)
    return prefix


def count_names(prefix: str, order: int) -> list[str]:
    """The names of the columns of statistics up to an order.

    Example:
        >>> count_names("bleu_", 1)
        ['bleu_sys_len', 'bleu_ref_len', 'bleu_correct_1', 'bleu_total_1']
    """
    return [prefix + column_name(k, order) for k in range(row_width(order))]


def count_fields(prefix: str, metric: BLEU, num_references: int | None) -> list[Any]:
    """The fields of the columns of statistics that a metric counts."""
    counted = Counted(options_of(metric), metric.tokenizer.is_sacrebleus, num_references)
    return _fields(count_names(prefix, metric.max_ngram_order), counted)


def _fields(names: list[str], counted: Counted | None) -> list[Any]:
    pyarrow = import_pyarrow()
    first, *others = [pyarrow.field(name, pyarrow.int64()) for name in names]
    if counted is not None:
        first = first.with_metadata({_KEY: json.dumps(counted.as_dict()).encode()})
    return [first, *others]


class Statistics:
    """The columns of statistics in tables that are to be added up.

    Args:
        prefix: What their names begin with.

    Attributes:
        order: N, once a table is known.
        counted: How they were counted, None if no table says it.
        told: What errors call a table that says it, None if there is none.
        untold: What errors call a table that does not say it, None if there is none.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow.tables import Columns
        >>> found = Statistics("n_")
        >>> table = pa.table(dict.fromkeys(["n_total_1", "n_sys_len", "n_ref_len", "n_correct_1", "id"], [1]))
        >>> found.names_in(Columns(table, "counted")), found.order
        (['n_sys_len', 'n_ref_len', 'n_correct_1', 'n_total_1'], 1)
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.names: list[str] = []
        self.counted: Counted | None = None
        self.told: str | None = None
        self.untold: str | None = None

    @property
    def order(self) -> int:
        """N."""
        return len(self.names) // 2 - 1

    def names_in(self, columns: Columns) -> list[str]:
        """The names of the columns of statistics, 2 + 2N.

        Raises:
            ValueError: One is missing; or they were not counted as others.
        """
        present, order = set(columns.names), 1
        while {f"{self._prefix}correct_{order + 1}", f"{self._prefix}total_{order + 1}"} & present:
            order += 1
        names = count_names(self._prefix, order)
        if not present & set(names):
            raise ArgumentValueError(
                columns.argument,
                f"has no column {names[0]!r}, but {columns.listed}; call fastbleu.arrow.statistics first, or pass "
                "the prefix= that it was called with",
            )
        places = [columns.place("prefix", name) for name in names]
        where = Place(columns.argument)[names[0]]
        counted = _read(columns.held.schema.field(places[0]), where)
        self.counted = counted if not self.names else _merged(self.counted, counted, where)
        if counted is None:
            self.untold = self.untold or columns.argument
        else:
            self.told = self.told or columns.argument
        if counted is not None and counted.options["max_ngram_order"] != order:
            counted_up_to = counted.options["max_ngram_order"]
            raise ArgumentValueError(
                columns.argument, f"was counted up to order {counted_up_to}, but has columns up to {order}"
            )
        if self.names and names != self.names:
            raise ArgumentValueError(
                columns.argument, f"has columns up to order {order}, but others up to {self.order}"
            )
        self.names = names
        return names

    def scorer(self, metric: BLEU | None, num_references: int | None = None) -> Scorer:
        """What scores their sums; see `Scorer`.

        Raises:
            TypeError, ValueError: As `Scorer`; or some tables say how they were counted, others do not, and no metric
                is given.
        """
        if metric is None and self.told is not None and self.untold is not None:
            raise ArgumentValueError(
                self.untold,
                "does not say how it was counted, as an engine dropped the metadata of its columns, "
                f"but {self.told} does; pass metric=, the options of both",
            )
        return Scorer(metric, self.order, self.counted, num_references)

    def fields(self) -> list[Any]:
        """The fields of their sums."""
        return _fields(self.names, self.counted)


def _read(field: Any, where: Place) -> Counted | None:
    text = (field.metadata or {}).get(_KEY)
    if text is None:
        return None
    reason = describe(text)
    try:
        counted = Counted(**json.loads(text))
        if counted.options.keys() == options_of(BLEU()).keys():
            try:
                return _checked(counted)
            except (TypeError, ValueError) as error:
                reason = str(error)
    except (AttributeError, TypeError, ValueError):
        pass
    raise ArgumentValueError(where, f"has metadata that this release cannot read: {reason}")


def _checked(counted: Counted) -> Counted:
    """How statistics were counted, where every value is possible.

    Raises:
        TypeError, ValueError: One is not; names it.
    """
    options = counted.options
    if not isinstance(options["tokenizer"], str):
        raise wrong_type("tokenizer", "a str", options["tokenizer"])
    check_flag("lowercase", options["lowercase"])
    check_flag("effective_order", options["effective_order"])
    check_flag("is_sacrebleus", counted.is_sacrebleus)
    check_integer("max_ngram_order", options["max_ngram_order"], 1)
    check_reference_length(options["reference_length"])
    _formula(options)
    if counted.num_references is not None:
        check_integer("num_references", counted.num_references, 1)
    return counted


def _formula(options: dict[str, Any]) -> Formula:
    return Formula(
        options["max_ngram_order"],
        options["smooth_method"],
        options["smooth_value"],
        options["effective_order"],
        options["weights"],
    )


def _merged(before: Counted | None, now: Counted | None, where: Place) -> Counted | None:
    """How two tables were counted; the number of references is unknown if it differs, or if one does not say it.

    Raises:
        ValueError: Their options differ.
    """
    if before is None or now is None:
        known = before or now
        return None if known is None else Counted(known.options, known.is_sacrebleus, None)
    for name, value in now.options.items():
        other = before.options[name]
        if value != other:
            raise ArgumentValueError(
                where, f"was counted with {name}={value!r}, but {name}={other!r} elsewhere"
            )
    return (
        before
        if before.num_references == now.num_references
        else Counted(before.options, before.is_sacrebleus, None)
    )


class Scorer:
    """Scores sums of statistics.

    Args:
        metric: What a user gave; None: the options that the columns say they were counted with, else `BLEU()`.
        order: How many orders the columns have.
        counted: What the columns say of themselves, or None.
        num_references: What a user says; None: what the columns say.

    Raises:
        TypeError, ValueError: The metric counts other statistics.
    """

    def __init__(
        self, metric: BLEU | None, order: int, counted: Counted | None, num_references: int | None
    ) -> None:
        if metric is not None and not isinstance(metric, BLEU):
            raise wrong_type("metric", "a BLEU", metric)
        if num_references is not None:
            num_references = check_integer("num_references", num_references, -1)
            known = None if counted is None else counted.num_references
            if known not in (None, num_references):
                raise ArgumentValueError(
                    "num_references", f"is {num_references}, but the statistics were counted with {known}"
                )
        elif counted is not None:
            num_references = counted.num_references
        self._num_references = num_references
        if metric is None and counted is not None:
            options = counted.options
            self.formula = _formula(options)
            self._signed = Signed(
                options["lowercase"],
                options["tokenizer"],
                counted.is_sacrebleus,
                options["reference_length"],
                self.formula,
            )
            return
        metric = metric or BLEU(max_ngram_order=order)
        if metric.max_ngram_order != order:
            raise ArgumentValueError(
                "metric",
                f"has max_ngram_order={metric.max_ngram_order}, but the statistics have {order} orders",
            )
        if counted is not None:
            ours = options_of(metric)
            for name in _OF_COUNTS:
                if ours[name] != counted.options[name]:
                    raise ArgumentValueError(
                        "metric",
                        f"has {name}={ours[name]!r}, but the statistics were counted with {counted.options[name]!r}",
                    )
        self.formula = metric.formula
        self._signed = Signed(
            metric.lowercase,
            metric.tokenizer_signature,
            metric.tokenizer.is_sacrebleus,
            metric.reference_length,
            self.formula,
        )

    def score(self, row: list[int]) -> BLEUScore:
        """Score a sum, and sign it if it is known how many references there were."""
        score = self.formula.score(row)
        if self._num_references:
            score.sign_later((self._signed, self._num_references, None, None))
        return score
