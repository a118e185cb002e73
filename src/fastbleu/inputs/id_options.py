"""The token-id options: which ids in a row are not tokens."""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, wrong_type
from ..options import check_integer
from ._ids import IdFilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, TypeAlias

    #: One id, several ids with the same meaning, or None.
    Ids: TypeAlias = int | Collection[int] | None

#: The range of ids in a rule; the smallest int64 is reserved for ids that are too large.
_MIN_ID, _MAX_ID = 1 - (1 << 63), (1 << 63) - 1

#: The default of `ignore_id`, the value that trainers use for ignored labels.
IGNORED = -100

#: The default options, which are immutable, and the `IdFilter` that reads rows by them.
_DEFAULTS: tuple[dict[str, Any], IdFilter] = (
    {"pad_id": None, "eos_id": None, "ignore_id": IGNORED, "unk_id": None},
    IdFilter((), (), IGNORED, None),
)


def check_id_options(
    pad_id: Ids, eos_id: Ids, ignore_id: int | None, unk_id: int | None
) -> tuple[dict[str, Any], IdFilter]:
    """Check the token-id options; return them by name, and the `IdFilter` that reads rows by them.

    Raises:
        TypeError: An id is not an integer.
        ValueError: An id is beyond 64 bits, or a collection of ids is empty.

    Example:
        >>> check_id_options([2, 0, 2], {7}, -100, None)[0]
        {'pad_id': (2, 0), 'eos_id': 7, 'ignore_id': -100, 'unk_id': None}
    """
    if pad_id is eos_id is unk_id is None and type(ignore_id) is int and ignore_id == IGNORED:
        return _DEFAULTS
    given: dict[str, Any] = {
        "pad_id": _ids("pad_id", pad_id),
        "eos_id": _ids("eos_id", eos_id),
        "ignore_id": _id("ignore_id", ignore_id),
        "unk_id": _id("unk_id", unk_id),
    }
    pads, ends = (
        (ids,) if type(ids) is int else tuple(sorted(ids or ())) for ids in (given["pad_id"], given["eos_id"])
    )
    return given, IdFilter(pads, ends, given["ignore_id"], given["unk_id"])


def _id(name: str | Location, value: Any) -> int | None:
    """Check one id."""
    return None if value is None else check_integer(name, value, _MIN_ID, _MAX_ID)


def _ids(name: str, value: Any) -> int | tuple[int, ...] | None:
    """Check one id or several; return several as a tuple without duplicates."""
    if value is None or type(value) is int:
        return _id(name, value)
    ids_given = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(ids_given, (int, float)) or hasattr(ids_given, "__index__"):
        return _id(name, ids_given)
    if isinstance(ids_given, (str, bytes, bytearray, dict)) or not (
        hasattr(ids_given, "__len__") and hasattr(ids_given, "__iter__")
    ):
        raise wrong_type(name, "an int, or several", value)
    if not len(ids_given):
        raise ArgumentValueError(name, "is empty; pass None if there is no such id", value=value)
    where = Location(name)
    ids = [
        check_integer(where[k], each.tolist() if hasattr(each, "tolist") else each, _MIN_ID, _MAX_ID)
        for k, each in enumerate(ids_given)
    ]
    different = tuple(dict.fromkeys(ids))
    return different[0] if len(different) == 1 else different
