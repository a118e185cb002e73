"""The rule by which rows of token ids are read: which ids stand for no token."""

from __future__ import annotations

from ..errors import ArgumentValueError, Place, wrong_type
from ..options import check_integer
from ._ids import IdRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, TypeAlias

    #: One id, several that mean the same, or none.
    Ids: TypeAlias = int | Collection[int] | None

#: What a rule may ask for; one number less than int64 holds stands for ids that are too large.
_LEAST_ID, _MOST_ID = 1 - (1 << 63), (1 << 63) - 1

#: The id that is ignored unless another is given: that of a trainer's labels.
IGNORED = -100

#: The rule where none is given, which never changes, and what reads rows by it.
_USUAL_RULE: tuple[dict[str, Any], IdRule] = (
    {"pad_id": None, "eos_id": None, "ignore_id": IGNORED, "unk_id": None},
    IdRule((), (), IGNORED, None),
)


def read_rule(
    pad_id: Ids, eos_id: Ids, ignore_id: int | None, unk_id: int | None
) -> tuple[dict[str, Any], IdRule]:
    """The ids of a rule, checked, by their names; and what reads rows by them.

    Raises:
        TypeError: An id is not an integer.
        ValueError: An id is beyond 64 bits, or a collection of ids is empty.

    Example:
        >>> read_rule([2, 0, 2], {7}, -100, None)[0]
        {'pad_id': (2, 0), 'eos_id': 7, 'ignore_id': -100, 'unk_id': None}
    """
    if pad_id is eos_id is unk_id is None and type(ignore_id) is int and ignore_id == IGNORED:
        return _USUAL_RULE
    given: dict[str, Any] = {
        "pad_id": _ids("pad_id", pad_id),
        "eos_id": _ids("eos_id", eos_id),
        "ignore_id": _id("ignore_id", ignore_id),
        "unk_id": _id("unk_id", unk_id),
    }
    pads, ends = (
        (ids,) if type(ids) is int else tuple(sorted(ids or ())) for ids in (given["pad_id"], given["eos_id"])
    )
    return given, IdRule(pads, ends, given["ignore_id"], given["unk_id"])


def _id(name: str | Place, value: Any) -> int | None:
    return None if value is None else check_integer(name, value, _LEAST_ID, _MOST_ID)


def _ids(name: str, value: Any) -> int | tuple[int, ...] | None:
    """One id, or a tuple of several different ones."""
    if value is None or type(value) is int:
        return _id(name, value)
    found = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(found, (int, float)) or hasattr(found, "__index__"):
        return _id(name, found)
    if isinstance(found, (str, bytes, bytearray, dict)) or not (
        hasattr(found, "__len__") and hasattr(found, "__iter__")
    ):
        raise wrong_type(name, "an int, or several", value)
    if not len(found):
        raise ArgumentValueError(name, "holds no id; where there is none, it is None", value=value)
    where = Place(name)
    ids = [
        check_integer(where[k], each.tolist() if hasattr(each, "tolist") else each, _LEAST_ID, _MOST_ID)
        for k, each in enumerate(found)
    ]
    different = tuple(dict.fromkeys(ids))
    return different[0] if len(different) == 1 else different
