"""Rewards less a baseline: what a completion scores above the other completions of its prompt."""

from __future__ import annotations

from ..errors import ArgumentValueError, Place, wrong_type, wrong_value
from ..inputs.reading import as_list
from ..options import check_integer
from .completions.kinds import is_one_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeAlias

    from numpy import float64, int64
    from numpy.typing import NDArray

    #: What is subtracted from a reward.
    Baseline: TypeAlias = Literal["mean", "leave-one-out", "zscore", "greedy"]

BASELINES: tuple[Baseline, ...] = ("mean", "leave-one-out", "zscore", "greedy")

#: What TRL's `GRPOTrainer` adds to the standard deviation of a group, so that equal rewards divide by no zero.
ZSCORE_EPSILON = 1e-4


def advantages(
    rewards: NDArray[float64],
    groups: Sequence[Any] | int | None,
    method: Baseline,
    greedy: NDArray[float64] | None = None,
) -> NDArray[float64]:
    """Subtract a baseline from each reward.

    A reward's advantage depends only on the rewards of its group: neither the order of the groups nor the order inside
    a group changes a bit of it. A group of one reward, and a group of equal rewards, have advantages of exactly 0, as
    nothing sets their completions apart.

    Args:
        rewards: n rewards; NaN where there is none. Those are left out of their groups.
        groups: n labels, equal for the completions of one prompt; or an int: each group is that many consecutive
            completions. Ignored with "greedy".
        method: "mean": less the mean of the group (Dr. GRPO, Liu et al. 2025, https://arxiv.org/abs/2503.20783).
            "leave-one-out": less the mean of the others in the group (RLOO, Ahmadian et al. 2024,
            https://arxiv.org/abs/2402.14740). "zscore": less the mean, divided by the standard deviation of the group,
            which has n - 1 in its denominator, plus 1e-4 (GRPO as in TRL 1.16.0; verl has the same standard deviation
            and adds 1e-6). "greedy": less the reward of the greedy completion of the same prompt (self-critical
            sequence training, Rennie et al. 2017, https://arxiv.org/abs/1612.00563).
        greedy: n rewards of the greedy completions; only for "greedy", which needs them.

    Returns:
        float64 [n], on the scale of the rewards, or in standard deviations for "zscore"; NaN where the reward is NaN.

    Raises:
        TypeError: A label cannot be hashed, or `groups` is neither labels nor an int.
        ValueError: There is no such method; a reward is infinite; there are too few or too many labels or greedy
            rewards; a label is NaN; n is not a multiple of an int `groups`; what the method needs is missing.

    Example:
        >>> import numpy as np
        >>> rewards = np.array([0.25, 0.75, 0.5, np.nan])
        >>> advantages(rewards, 2, "mean").tolist()
        [-0.25, 0.25, 0.0, nan]
        >>> advantages(rewards, ["a", "b", "a", "b"], "leave-one-out").tolist()
        [-0.25, 0.0, 0.25, nan]
        >>> advantages(rewards, None, "greedy", np.array([0.5, 0.5, 0.25, 0.5])).tolist()
        [-0.25, 0.25, 0.25, nan]
    """
    import numpy as np

    if method == "greedy":
        if greedy is None:
            raise ArgumentValueError(
                "greedy", "is None, but baseline='greedy' needs a greedy completion of each prompt"
            )
        if len(greedy) != len(rewards):
            raise ArgumentValueError(
                "greedy", f"has {len(greedy)} rewards, but there are {len(rewards)} rewards"
            )
        return rewards - greedy
    result = np.full(len(rewards), np.nan)
    numbers = _group_numbers(groups, len(rewards), method)
    places = (~np.isnan(rewards)).nonzero()[0]
    # Sums of floats depend on the order of adding: the rewards of a group are added from the smallest to the largest.
    # Adding 0.0 makes 0.0 of -0.0, which would compare as equal to it but keep another sign.
    places = places[np.lexsort((rewards[places] + 0.0, numbers[places]))]
    if not len(places):
        return result
    values, members = rewards[places] + 0.0, numbers[places]
    begins = np.concatenate(([True], members[1:] != members[:-1]))
    of_group = begins.cumsum() - 1
    sizes = np.bincount(of_group)[of_group]
    # Distances to the smallest of the group are exactly 0 where all are equal; sums of the rewards are rounded.
    distances = values - values[begins][of_group]
    sums = np.bincount(of_group, distances)[of_group]
    if method == "leave-one-out":
        result[places] = distances - (sums - distances) / np.maximum(sizes - 1, 1)
        return result
    deviations = distances - sums / sizes
    if method == "zscore":
        variances = np.bincount(of_group, deviations * deviations)[of_group] / np.maximum(sizes - 1, 1)
        deviations /= np.sqrt(variances) + ZSCORE_EPSILON
    result[places] = deviations
    return result


def _group_numbers(groups: Any, rewards: int, method: str) -> NDArray[int64]:
    """The number of each reward's group, from 0.

    Raises:
        TypeError, ValueError: As `advantages`.
    """
    import numpy as np

    if groups is None:
        raise ArgumentValueError(
            "groups",
            f"is None, but baseline={method!r} compares the completions of each prompt; pass their labels, or how "
            "many consecutive ones each prompt has",
        )
    if is_one_number(groups):
        size = check_integer("groups", groups, 1)
        if rewards % size:
            raise ArgumentValueError(
                "groups", f"is {size}, but {rewards} rewards are not a multiple of it", value=size
            )
        return np.arange(rewards, dtype=np.int64) // size
    labels: Any = as_list(groups, "groups", "a sequence of labels, or an int")
    if getattr(groups, "ndim", 1) != 1:
        raise ArgumentValueError("groups", f"must have one dimension, not the shape {[*groups.shape]}")
    if hasattr(groups, "tolist"):
        # Numbers, which can be hashed: each element of a tensor is a tensor of its own.
        labels = groups.tolist()
    if len(labels) != rewards:
        raise ArgumentValueError("groups", f"has {len(labels)} labels, but there are {rewards} rewards")
    numbers: dict[Any, int] = {}
    found = np.empty(rewards, dtype=np.int64)
    for i, label in enumerate(labels):
        try:
            found[i] = numbers.setdefault(label, len(numbers))
        except TypeError:
            raise wrong_type(Place("groups")[i], "a label that can be hashed", label) from None
        if label != label:  # noqa: PLR0124  # true of NaN alone, which no other label equals
            raise wrong_value(Place("groups")[i], "a label that equals itself", label)
    return found
