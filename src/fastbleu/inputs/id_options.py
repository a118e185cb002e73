"""Check the token-id options, which tell which ids in a row are not tokens."""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, wrong_type
from ..options import check_integer
from ._ids import IdFilter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, TypeAlias

    #: The type of an option: an id, several ids with the same meaning, or None.
    Ids: TypeAlias = int | Collection[int] | None

#: The range of ids in an option. The smallest int64 is excluded, because it replaces ids that do not fit int64.
_MIN_ID, _MAX_ID = 1 - (1 << 63), (1 << 63) - 1

#: The default of `ignore_id`. Trainers give this value to labels that are to be ignored.
IGNORED = -100

#: The result of `check_id_options` for the default options. It is shared, so callers must not change it.
_DEFAULTS: tuple[dict[str, Any], IdFilter] = (
    {"pad_id": None, "eos_id": None, "ignore_id": IGNORED, "unk_id": None},
    IdFilter((), (), IGNORED, None),
)


def check_id_options(
    pad_id: Ids, eos_id: Ids, ignore_id: int | None, unk_id: int | None
) -> tuple[dict[str, Any], IdFilter]:
    """Check the token-id options; return them by name, and the `IdFilter` that applies them to rows.

    Raises:
        TypeError: An id is not an integer.
        ValueError: An id does not fit int64, or a collection of ids is empty.

    Example:
        >>> check_id_options([2, 0, 2], {7}, -100, None)[0]
        {'pad_id': (2, 0), 'eos_id': 7, 'ignore_id': -100, 'unk_id': None}
    """
    if pad_id is eos_id is unk_id is None and type(ignore_id) is int and ignore_id == IGNORED:
        return _DEFAULTS
    options: dict[str, Any] = {
        "pad_id": _ids("pad_id", pad_id),
        "eos_id": _ids("eos_id", eos_id),
        "ignore_id": _id("ignore_id", ignore_id),
        "unk_id": _id("unk_id", unk_id),
    }
    pads, ends = (
        (ids,) if type(ids) is int else tuple(sorted(ids or ()))
        for ids in (options["pad_id"], options["eos_id"])
    )
    return options, IdFilter(pads, ends, options["ignore_id"], options["unk_id"])


def _id(name: str | Location, value: Any) -> int | None:
    """Check an option that is one id or None."""
    return None if value is None else check_integer(name, value, _MIN_ID, _MAX_ID)


def _ids(name: str, value: Any) -> int | tuple[int, ...] | None:
    """Check an option that is an id, a collection of ids, or None; return several ids as a tuple without duplicates."""
    if value is None or type(value) is int:
        return _id(name, value)
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, (int, float)) or hasattr(listed, "__index__"):
        return _id(name, listed)
    if isinstance(listed, (str, bytes, bytearray, dict)) or not (
        hasattr(listed, "__len__") and hasattr(listed, "__iter__")
    ):
        raise wrong_type(name, "an int, or several", value)
    if not len(listed):
        raise ArgumentValueError(name, "is empty; pass None if there is no such id", value=value)
    where = Location(name)
    ids = [
        check_integer(where[k], item.tolist() if hasattr(item, "tolist") else item, _MIN_ID, _MAX_ID)
        for k, item in enumerate(listed)
    ]
    distinct = tuple(dict.fromkeys(ids))
    return distinct[0] if len(distinct) == 1 else distinct
