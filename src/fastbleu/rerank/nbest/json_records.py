"""Objects of JSON lines with the text they are read from, so that their fields can be written as they were."""

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

#: White space of JSON.
_BLANKS = " \t\n\r"


class Record(dict[str, Any]):
    """The object of a line of JSON.

    Attributes:
        text: The object as it is written in the line.
        bounds: The name and value of each field, and where the value begins and ends in `text`; empty if not needed.
    """

    __slots__ = ("bounds", "text")

    def __init__(self, fields: Any, text: str, bounds: list[tuple[str, Any, int, int]]) -> None:
        super().__init__(fields)
        self.text = text
        self.bounds = bounds


class Records(list[Record]):
    """Objects of JSON lines, with the methods of a column of lines."""

    def slice(self, start: int, stop: int) -> Records:
        """Return the objects from start to stop - 1."""
        return Records(self[start:stop])

    def take(self, numbers: NDArray[int64]) -> Records:
        """Return the objects with these numbers."""
        return Records(self[k] for k in numbers.tolist())


def _refuse_constant(name: str) -> None:
    raise ValueError(f"expected a finite number, found {name}")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def fields(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return fields as JSON, without the braces around them."""
    return json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)[1:-1]


def extended(text: str, names: Sequence[str], values: Sequence[Any]) -> str:
    """Return an object, which is not empty, with more fields at its end."""
    return f"{text[:-1].rstrip()}, {fields(names, values)}}}"


def with_cut_lists(record: Record, is_cut: Callable[[str, Any], bool], indices: list[int]) -> str:
    """Return an object as text. Some of its lists keep only the items at `indices`; everything is written as it was.

    Args:
        record: The object.
        is_cut: Returns whether a field, given by its name and value, is one of these lists.
        indices: The indices of the items that are kept.

    Example:
        >>> record = load(b'{"p": [0.10, 1e-7], "q": [1, 2]}', has_bounds=True)
        >>> with_cut_lists(record, lambda name, value: name == "p", [1])
        '{"p": [1e-7], "q": [1, 2]}'
    """
    text, parts, copied = record.text, [], 0
    for name, values, start, stop in record.bounds:
        if is_cut(name, values):
            parts += [
                text[copied : start + 1],
                ", ".join(_items(text[start + 1 : stop - 1], values, indices)),
            ]
            copied = stop - 1
    return "".join([*parts, text[copied:]])


def _items(text: str, values: list[Any], indices: list[int]) -> list[str]:
    """Return some items of a list as they are written, given the text between its brackets."""
    types = set(map(type, values))
    if types == {str}:
        parts = text.split('"')
        if len(parts) == 2 * len(values) + 1:  # No string has an escaped quotation mark.
            return [f'"{parts[2 * k + 1]}"' for k in indices]
    if types <= {int, float, bool, type(None)}:
        parts = text.split(",")
        return [parts[k].strip(_BLANKS) for k in indices]
    items, stop = [], 0
    for _ in values:
        start = stop
        while text[start] in ", \t\r":
            start += 1
        _, stop = _DECODER.raw_decode(text, start)
        items.append(text[start:stop])
    return [items[k] for k in indices]


def load(line: bytes, has_bounds: bool = False) -> Record:
    """Return the object of a line.

    Args:
        line: The line.
        has_bounds: Whether to find the bounds of its fields, which takes longer.

    Raises:
        ValueError: The line is not an object, or has a number that JSON does not have.
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
