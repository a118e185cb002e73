"""The state of an accumulator as plain values of Python, and which accumulators belong together."""

from __future__ import annotations

from ..counting.totals import DIFFERING, Sums, sum_rows
from ..errors import wrong_type
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
    """The options that a score depends on: those that decide the counts, then those of the formula."""
    return {**metric.matcher.named_options, **metric.formula.named_options}


def check_same_options(theirs: Metric[Any], ours: Metric[Any], name: str) -> None:
    """Check that two metrics give the same scores.

    Args:
        theirs: One metric.
        ours: The other.
        name: What to call the owner of the first in an error.

    Raises:
        ValueError: An option differs; says which, and both values.
    """
    if theirs is ours:
        return
    their_options, our_options = options_of(theirs), options_of(ours)
    _check_metric(their_options, our_options, name)
    _check_equal(their_options, our_options, name)
    # Two callables may have one name, and with it one signature.
    their_callable, our_callable = theirs.matcher.tokenizer.to_tokens, ours.matcher.tokenizer.to_tokens
    if their_callable != our_callable:
        raise ValueError(
            f"{name} has another callable for a tokenizer, of the same name: {their_callable!r}, but "
            f"this accumulator has {our_callable!r}; if they do the same, hand over state_dict(), which "
            "knows a callable by its name"
        )


def write_state(metric: Metric[Any], sums: Sums, rows: NDArray[Any] | None) -> dict[str, Any]:
    """Make the state of an accumulator; see `Accumulator.state_dict`."""
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
        state: What `write_state` has made, perhaps by way of a file.
        metric: The metric that goes on with it.
        with_rows: Whether rows must be there. They are checked in any case.

    Returns:
        The sums and, if asked for, the rows, int64.

    Raises:
        TypeError, ValueError: It is not a state, or one of another metric; names the key that is wrong.
    """
    if not isinstance(state, dict):
        raise wrong_type("state", "a dict, as state_dict() returns it", state)
    _check_keys(state, _KEYS, "state", optional=("rows",))
    if state["format"] != _FORMAT:
        raise ValueError(f'state["format"] must be {_FORMAT!r}, got {state["format"]!r}')
    if state["version"] != _VERSION:
        raise ValueError(f'state["version"] must be {_VERSION} for this release, got {state["version"]!r}')
    options = state["options"]
    if not isinstance(options, dict):
        raise wrong_type('state["options"]', "a dict", options)
    ours = options_of(metric)
    _check_metric(options, ours, "state")
    _check_keys(options, tuple(ours), 'state["options"]')
    _check_equal(options, ours, "state")

    formula = metric.formula
    row = _integers(state["statistics"], 'state["statistics"]', formula.width, 0)
    formula.check_sums(row, 'state["statistics"] has', is_all=True)
    number = check_integer('state["segments"]', state["segments"], 0)
    if not number and any(row):
        raise ValueError('state["segments"] is 0, but state["statistics"] has counts above 0')
    segments = _read_num_references(state["num_references"], number)
    sums = Sums(row, segments)
    if "rows" not in state:
        if with_rows:
            raise ValueError('state["rows"] is missing, but this accumulator was made with keep_rows=True')
        return sums, None
    rows = formula.check_rows(state["rows"], 'state["rows"]')
    if len(rows) != number:
        raise ValueError(f'state["rows"] holds {len(rows)} rows, but state["segments"] is {number}')
    total = sum_rows(rows)
    if total != row:
        raise ValueError(f'state["rows"] adds up to {total}, but state["statistics"] is {row}')
    return sums, as_int64(rows, 'state["rows"]') if with_rows else None


def as_int64(rows: NDArray[Any], name: str) -> NDArray[Any]:
    """A new array int64 of rows of any integers.

    Raises:
        ValueError: One does not fit.
    """
    import numpy as np

    if rows.size and int(rows.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds {rows.max()}, which does not fit int64")
    return rows.astype(np.int64)


def _read_num_references(pairs: Any, number: int) -> dict[int, int]:
    """Count the segments by their number of references."""
    name = 'state["num_references"]'
    if not isinstance(pairs, (list, tuple)):
        raise wrong_type(name, "a list of pairs", pairs)
    segments: dict[int, int] = {}
    for i, pair in enumerate(pairs):
        references, count = _integers(pair, f"{name}[{i}]", 2, DIFFERING)
        if references in segments or count < 1:
            raise ValueError(
                f"{name}[{i}] must be a number of references and how many segments have it, got {pair!r}"
            )
        segments[references] = count
    total = sum(segments.values())
    if total != number:
        raise ValueError(f'{name} counts {total} segments, but state["segments"] is {number}')
    return segments


def _integers(values: Any, name: str, length: int, least: int) -> list[int]:
    """A list of `length` integers, each at least `least`."""
    if not isinstance(values, (list, tuple)):
        raise wrong_type(name, "a list of int", values)
    if len(values) != length:
        raise ValueError(f"{name} must hold {length} int, not {len(values)}")
    return [check_integer(f"{name}[{i}]", value, least) for i, value in enumerate(values)]


def _check_keys(
    state: dict[str, Any], keys: tuple[str, ...], name: str, optional: tuple[str, ...] = ()
) -> None:
    for key in keys:
        if key not in state:
            raise ValueError(f'{name}["{key}"] is missing')
    for key in state:
        if key not in keys and key not in optional:
            raise ValueError(f"{name} has an unknown key, {key!r}")


def _check_metric(theirs: dict[str, Any], ours: dict[str, Any], name: str) -> None:
    """Check that options are of the same metric; those of BLEU do not name it."""
    of, wanted = (options.get("metric", "BLEU") for options in (theirs, ours))
    if of != wanted:
        raise ValueError(f"{name} is of the metric {of}, but this accumulator is of {wanted}")


def _check_equal(theirs: dict[str, Any], ours: dict[str, Any], name: str) -> None:
    for option, value in ours.items():
        other = theirs[option]
        if isinstance(other, tuple):
            other = list(other)
        if other != value:
            raise ValueError(f"{name} has {option}={other!r}, but this accumulator has {option}={value!r}")
