"""Read the argument `groups`: which completions were sampled for the same prompt."""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, counted, there_are, wrong_type, wrong_value
from ..inputs.reading import as_list
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def group_numbers(groups: Any, completions: int) -> list[int]:
    """Return the group number of each completion; groups are numbered from 0 in order of first appearance.

    Args:
        groups: A label for each completion, equal for completions of the same prompt; or an int, the number of
            consecutive completions of each prompt.
        completions: The number of completions.

    Raises:
        TypeError: A label cannot be hashed, or `groups` is neither a sequence of labels nor an int.
        ValueError: There are too few or too many labels, a label is NaN, or the number of completions is not a multiple
            of the int `groups`.

    Example:
        >>> group_numbers(["a", "b", "a"], 3), group_numbers(2, 4)
        ([0, 1, 0], [0, 0, 1, 1])
    """
    if hasattr(groups, "__index__") and not getattr(groups, "ndim", 0):
        size = check_integer("groups", groups, 1)
        if completions % size:
            raise ArgumentValueError(
                "groups",
                f"is {size}, but {there_are(completions, 'completion')}, not a multiple of it",
                value=size,
            )
        return [i // size for i in range(completions)]
    if getattr(groups, "ndim", 1) != 1:
        raise ArgumentValueError("groups", f"must have one dimension, not the shape {[*groups.shape]}")
    if hasattr(groups, "tolist"):
        groups = groups.tolist()  # Elements of a tensor are tensors, and equal tensors have different hashes.
    labels: Any = as_list(groups, "groups", "a sequence of labels, or an int")
    if len(labels) != completions:
        raise ArgumentValueError(
            "groups", f"has {counted(len(labels), 'label')}, but {there_are(completions, 'completion')}"
        )
    by_label: dict[Any, int] = {}
    numbers = []
    for i, label in enumerate(labels):
        try:
            numbers.append(by_label.setdefault(label, len(by_label)))
        except TypeError:
            raise wrong_type(Location("groups")[i], "a label that can be hashed", label) from None
        if label != label:  # noqa: PLR0124  # true only for NaN
            raise wrong_value(Location("groups")[i], "a label that equals itself", label)
    return numbers


def members_of_groups(numbers: list[int] | None, reward_name: str) -> list[list[int]]:
    """Return the indices of the completions of each group.

    Args:
        numbers: The number of each completion's group, as `group_numbers` returns them; None if groups are unknown.
        reward_name: The name of the reward that needs the groups, for the error.

    Raises:
        ValueError: The groups are unknown.
    """
    if numbers is None:
        raise ArgumentValueError(
            "groups", f"must be given, since {reward_name} compares the samples of a group"
        )
    members: list[list[int]] = [[] for _ in range(max(numbers, default=-1) + 1)]
    for i, number in enumerate(numbers):
        members[number].append(i)
    return members
