"""Save and load the state of an accumulator as JSON-compatible values, and check that two accumulators can be added."""

from __future__ import annotations

from ..counting.row_sums import DIFFERING, Sums, sum_rows
from ..errors import ArgumentValueError, Location, counted, wrong_type, wrong_value
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from .metric import Metric

_FORMAT = "fastbleu.Accumulator"
_VERSION = 1
_KEYS = ("format", "version", "options", "statistics", "segments", "num_references")


def options_of(metric: Metric[Any]) -> dict[str, Any]:
    """Return the options that affect scores: first those that affect the counts, then those of the formula."""
    return {**metric.matcher.named_options, **metric.formula.named_options}


def check_same_options(theirs: Metric[Any], ours: Metric[Any]) -> None:
    """Check that the metrics of two accumulators compute the same scores, so that their counts can be added.

    Args:
        theirs: The metric of the accumulator to add, which is called `other` in errors.
        ours: The metric of the accumulator that it is added to.

    Raises:
        ValueError: An option differs; the message names it and both values.
    """
    if theirs is ours:
        return
    their_options, our_options = options_of(theirs), options_of(ours)
    _check_metric(their_options, our_options, "other")
    _check_equal(their_options, our_options, "other")
    # The options identify a callable only by its name, which two callables may share.
    their_callable, our_callable = theirs.matcher.tokenizer.to_tokens, ours.matcher.tokenizer.to_tokens
    if their_callable != our_callable:
        raise ArgumentValueError(
            "other",
            f"has a different callable tokenizer of the same name: {their_callable!r}, but this accumulator has "
            f"{our_callable!r}; if they do the same, load its state_dict(), which identifies a callable by its name",
            value=their_callable,
        )


def write_state(metric: Metric[Any], sums: Sums, rows: NDArray[Any] | None) -> dict[str, Any]:
    """Return the state of an accumulator; see `Accumulator.state_dict`."""
    state: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION,
        "options": options_of(metric),
        "statistics": list(sums.row),
        "segments": sums.size,
        "num_references": [[number, sums.segments[number]] for number in sorted(sums.segments)],
    }
    if rows is not None:
        state["rows"] = rows.tolist()
    return state


def read_state(state: Any, metric: Metric[Any], with_rows: bool) -> tuple[Sums, NDArray[Any] | None]:
    """Read the state of an accumulator; see `Accumulator.load_state_dict`.

    Args:
        state: The result of `write_state`, possibly read from a file.
        metric: The metric of the accumulator that loads the state.
        with_rows: Whether to return the rows, which must then be in the state. Rows in the state are always checked.

    Returns:
        The sums; and the rows, int64 [segments, columns], or None without `with_rows`.

    Raises:
        TypeError, ValueError: The state is invalid, or of a metric with other options; the message names the wrong key.
    """
    if not isinstance(state, dict):
        raise wrong_type("state", "a dict, as state_dict() returns it", state)
    where = Location("state")
    _check_keys(state, _KEYS, where, optional=("rows",))
    if state["format"] != _FORMAT:
        raise wrong_value(where["format"], repr(_FORMAT), state["format"])
    if state["version"] != _VERSION:
        raise wrong_value(where["version"], f"{_VERSION} for this release", state["version"])
    options = state["options"]
    if not isinstance(options, dict):
        raise wrong_type(where["options"], "a dict", options)
    ours = options_of(metric)
    _check_metric(options, ours, "state")
    _check_keys(options, tuple(ours), where["options"])
    _check_equal(options, ours, "state")

    formula = metric.formula
    row = _integers(state["statistics"], where["statistics"], formula.width, 0)
    formula.check_sums(row, where["statistics"])
    number = check_integer(where["segments"], state["segments"], 0)
    if not number and any(row):
        problem = f"is 0, but {where['statistics']} has counts above 0"
        raise ArgumentValueError(where["segments"], problem, value=number)
    sums = Sums(row, _read_num_references(state["num_references"], number))
    if "rows" not in state:
        if with_rows:
            problem = "is missing, but this accumulator was made with keep_rows=True"
            raise ArgumentValueError(where["rows"], problem)
        return sums, None
    rows = formula.check_rows(state["rows"], where["rows"])
    if len(rows) != number:
        problem = f"holds {counted(len(rows), 'row')}, but {where['segments']} is {number}"
        raise ArgumentValueError(where["rows"], problem, value=state["rows"])
    total = sum_rows(rows)
    if total != row:
        problem = f"adds up to {total}, but {where['statistics']} is {row}"
        raise ArgumentValueError(where["rows"], problem, value=state["rows"])
    return sums, as_int64(rows, where["rows"]) if with_rows else None


def as_int64(rows: NDArray[Any], where: str | Location) -> NDArray[Any]:
    """Copy rows of any integer type to a new int64 array.

    Raises:
        ValueError: A count does not fit int64; `where` is its location in the message.
    """
    import numpy as np

    if rows.size and int(rows.max()) > np.iinfo(np.int64).max:
        largest = int(rows.max())
        raise ArgumentValueError(where, f"holds {largest}, which does not fit int64", value=largest)
    return rows.astype(np.int64)


def _read_num_references(pairs: Any, number: int) -> dict[int, int]:
    """Return how many segments have each number of references, {number of references: number of segments}.

    Args:
        pairs: The value of the key "num_references" in a state: pairs [number of references, number of segments].
        number: The number of all segments.

    Raises:
        TypeError, ValueError: The pairs are invalid, or do not add up to `number` segments.
    """
    where = Location("state")["num_references"]
    if not isinstance(pairs, (list, tuple)):
        raise wrong_type(where, "a list of pairs", pairs)
    segments: dict[int, int] = {}
    for i, pair in enumerate(pairs):
        references, count = _integers(pair, where[i], 2, DIFFERING)
        if references in segments or count < 1:
            raise wrong_value(where[i], "a number of references and how many segments have it", pair)
        segments[references] = count
    total = sum(segments.values())
    if total != number:
        problem = f"counts {counted(total, 'segment')}, but {Location('state')['segments']} is {number}"
        raise ArgumentValueError(where, problem, value=pairs)
    return segments


def _integers(values: Any, where: Location, length: int, minimum: int) -> list[int]:
    """Check a list of `length` integers, each at least `minimum`, and return it."""
    if not isinstance(values, (list, tuple)):
        raise wrong_type(where, "a list of int", values)
    if len(values) != length:
        raise ArgumentValueError(where, f"must hold {length} int, not {len(values)}", value=values)
    return [check_integer(where[i], value, minimum) for i, value in enumerate(values)]


def _check_keys(
    state: dict[str, Any], keys: tuple[str, ...], where: Location, optional: tuple[str, ...] = ()
) -> None:
    for key in keys:
        if key not in state:
            raise ArgumentValueError(where[key], "is missing")
    for key in state:
        if key not in keys and key not in optional:
            raise ArgumentValueError(where, f"has an unknown key, {key!r}", value=key)


def _check_metric(theirs: dict[str, Any], ours: dict[str, Any], name: str) -> None:
    """Check that two dictionaries of options belong to the same metric. Those of BLEU have no key "metric".

    Raises:
        ValueError: The dictionaries belong to different metrics.
    """
    their_metric, our_metric = (options.get("metric", "BLEU") for options in (theirs, ours))
    if their_metric != our_metric:
        raise ArgumentValueError(
            name,
            f"is of the metric {their_metric}, but this accumulator is of {our_metric}",
            value=their_metric,
        )


def _check_equal(theirs: dict[str, Any], ours: dict[str, Any], name: str) -> None:
    for option, value in ours.items():
        other = theirs[option]
        if isinstance(other, tuple):
            other = list(other)
        if other != value:
            problem = f"has {option}={other!r}, but this accumulator has {option}={value!r}"
            raise ArgumentValueError(name, problem, value=other)
