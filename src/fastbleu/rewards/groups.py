"""Groups of completions that were sampled for the same prompt."""

from __future__ import annotations

from ..errors import ArgumentValueError, Place, counted, there_are, wrong_type, wrong_value
from ..inputs.reading import as_list
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray


def group_numbers(groups: Any, completions: int) -> NDArray[int64]:
    """Number the groups of completions in the order of their first completion.

    Args:
        groups: A label for each completion, equal for completions of the same prompt; or the number of
            consecutive completions of each prompt.
        completions: The number of completions.

    Returns:
        int64 [completions]: the number of each completion's group, from 0.

    Raises:
        TypeError: A label cannot be hashed, or `groups` is neither labels nor an int.
        ValueError: There are too few or too many labels, a label is NaN, or the number of completions is not a multiple
            of an int `groups`.

    Example:
        >>> group_numbers(["a", "b", "a"], 3).tolist(), group_numbers(2, 4).tolist()
        ([0, 1, 0], [0, 0, 1, 1])
    """
    import numpy as np

    if hasattr(groups, "__index__") and not getattr(groups, "ndim", 0):
        size = check_integer("groups", groups, 1)
        if completions % size:
            raise ArgumentValueError(
                "groups",
                f"is {size}, but {there_are(completions, 'completion')}, not a multiple of it",
                value=size,
            )
        return np.arange(completions, dtype=np.int64) // size
    if getattr(groups, "ndim", 1) != 1:
        raise ArgumentValueError("groups", f"must have one dimension, not the shape {[*groups.shape]}")
    if hasattr(groups, "tolist"):
        groups = groups.tolist()  # An element of a tensor is a tensor, whose hash is its identity.
    labels: Any = as_list(groups, "groups", "a sequence of labels, or an int")
    if len(labels) != completions:
        raise ArgumentValueError(
            "groups", f"has {counted(len(labels), 'label')}, but {there_are(completions, 'completion')}"
        )
    numbers: dict[Any, int] = {}
    found = np.empty(completions, dtype=np.int64)
    for i, label in enumerate(labels):
        try:
            found[i] = numbers.setdefault(label, len(numbers))
        except TypeError:
            raise wrong_type(Place("groups")[i], "a label that can be hashed", label) from None
        if label != label:  # noqa: PLR0124  # true only for NaN, which equals no other label
            raise wrong_value(Place("groups")[i], "a label that equals itself", label)
    return found
