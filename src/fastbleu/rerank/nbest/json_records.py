"""Parse JSON lines and keep their text, so that fields that do not change are written exactly as they were read."""

from __future__ import annotations

import json
from json.decoder import JSONObject  # type: ignore[attr-defined]  # not in its stubs
from typing import Any

from .blocks import shown, utf8_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy import int64
    from numpy.typing import NDArray

#: The characters that JSON treats as white space.
_BLANKS = " \t\n\r"


class Record(dict[str, Any]):
    """The object of a line of JSON.

    Attributes:
        text: The text of the object in the line.
        bounds: One tuple per field: its name, its value, and the start and stop index of the value in `text`. The list
            is empty if the bounds were not requested.
    """

    __slots__ = ("bounds", "text")

    def __init__(self, fields: Any, text: str, bounds: list[tuple[str, Any, int, int]]) -> None:
        super().__init__(fields)
        self.text = text
        self.bounds = bounds


class Records(list[Record]):
    """A list of the objects of JSON lines, with the methods `slice` and `take` that `Block` needs."""

    def slice(self, start: int, stop: int) -> Records:
        """Return the objects start..stop - 1."""
        return Records(self[start:stop])

    def take(self, numbers: NDArray[int64]) -> Records:
        """Return the objects whose indexes are `numbers`, int64 [k]."""
        return Records(self[k] for k in numbers.tolist())


def _refuse_constant(name: str) -> None:
    """Raise a ValueError for NaN, Infinity or -Infinity, which Python's decoder would accept."""
    raise ValueError(f"expected a finite number, found {name}")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def fields(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return the text of the fields of a JSON object, without the braces around them."""
    return json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)[1:-1]


def extended(text: str, names: Sequence[str], values: Sequence[Any]) -> str:
    """Append fields to the text of a JSON object, which must have at least one field."""
    return f"{text[:-1].rstrip()}, {fields(names, values)}}}"


def with_cut_lists(record: Record, is_cut: Callable[[str, Any], bool], indices: list[int]) -> str:
    """Return the text of an object in which some lists are reduced to a selection of their items.

    All other text, including that of the selected items, is copied unchanged from `record.text`.

    Args:
        record: The object, which must have been loaded with `has_bounds`.
        is_cut: Called with the name and the value of a field; returns whether the field is one of these lists.
        indices: The indices of the selected items.

    Example:
        >>> record = load(b'{"p": [0.10, 1e-7], "q": [1, 2]}', has_bounds=True)
        >>> with_cut_lists(record, lambda name, value: name == "p", [1])
        '{"p": [1e-7], "q": [1, 2]}'
    """
    text, pieces, copied = record.text, [], 0
    for name, values, start, stop in record.bounds:
        if is_cut(name, values):
            pieces += [
                text[copied : start + 1],
                ", ".join(_items(text[start + 1 : stop - 1], values, indices)),
            ]
            copied = stop - 1
    return "".join([*pieces, text[copied:]])


def _items(text: str, values: list[Any], indices: list[int]) -> list[str]:
    """Return the text of the items of a JSON list at `indices`.

    Args:
        text: The text between the brackets of the list.
        values: The values of all items of the list.
        indices: The indices of the items to return.
    """
    types = set(map(type, values))
    if types == {str}:
        strings = text.split('"')
        if len(strings) == 2 * len(values) + 1:  # No string contains an escaped quotation mark.
            return [f'"{strings[2 * k + 1]}"' for k in indices]
    if types <= {int, float, bool, type(None)}:
        numbers = text.split(",")
        return [numbers[k].strip(_BLANKS) for k in indices]
    items, stop = [], 0
    for _ in values:
        start = stop
        while text[start] in ", \t\r":
            start += 1
        _, stop = _DECODER.raw_decode(text, start)
        items.append(text[start:stop])
    return [items[k] for k in indices]


def load(line: bytes, has_bounds: bool = False) -> Record:
    """Parse a line, and return its JSON object.

    Args:
        line: The bytes of the line.
        has_bounds: Whether to find the start and the end of each value in the line, which takes longer.

    Raises:
        ValueError: The line is not UTF-8 or not a JSON object, or it contains NaN or an infinity.
    """
    bounds: list[tuple[int, int]] = []

    def read(text: str, start: int) -> tuple[Any, int]:
        value, stop = _DECODER.raw_decode(text, start)
        bounds.append((start, stop))
        return value, stop

    try:
        text = line.decode("utf-8").strip(_BLANKS)
        if not text.startswith("{") or not has_bounds:
            pairs, stop = _DECODER.decode(text), len(text)
        else:
            pairs, stop = JSONObject((text, 1), True, read, None, list)
        if stop < len(text):
            raise json.JSONDecodeError("Extra data", text, stop)  # noqa: TRY301
    except UnicodeDecodeError as error:
        raise ValueError(utf8_problem(line, error)) from None
    except (json.JSONDecodeError, RecursionError) as error:
        problem = getattr(error, "msg", "it is nested too deep")
        raise ValueError(f"expected a JSON object, found {shown(line)}: {problem}") from None
    if not text.startswith("{"):
        raise ValueError(f"expected a JSON object, found {shown(line)}")
    located = [(*pair, *ends) for pair, ends in zip(pairs, bounds, strict=True)] if bounds else []
    return Record(pairs, text, located)
