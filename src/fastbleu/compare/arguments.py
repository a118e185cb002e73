"""What is known of the segments of a comparison, checked: errors name the argument, the index and the value."""

from __future__ import annotations

from ..errors import Place, wrong_type
from ..inputs.reading import as_list
from .outputs import check_length, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check_labels(labels: Any, name: str, segments: int, are_texts: bool = False) -> tuple[str, ...] | None:
    """Return the labels of segments as str, None if there are none.

    Args:
        labels: A sequence of names or numbers, one for each segment; or None.
        name: What errors call them.
        segments: How many there must be.
        are_texts: Whether each must be a str.

    Raises:
        TypeError: They are not a sequence, or one is missing.
        ValueError: Their number is wrong.
    """
    if labels is None:
        return None
    found = as_list(labels, name, "a sequence of names")
    check_length(name, len(found), segments)
    for i, label in enumerate(found):
        if isinstance(label, str):
            continue
        if are_texts:
            raise wrong_type(Place(name)[i], "a str", label)
        if label is None or hasattr(label, "__len__") or label != label:  # noqa: PLR0124  # NaN
            raise wrong_type(Place(name)[i], "a name", label)
    return tuple(plain(str(label)) for label in found)
