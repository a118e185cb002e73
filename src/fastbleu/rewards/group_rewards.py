"""Reward completions for their agreement with, or difference from, the other samples of the same prompt."""

from __future__ import annotations

import itertools
from math import fsum, inf

from ..errors import Location, suggests_options
from ..inputs.ids import TokenIds
from ..metric import BLEU
from ..metric.check_metric import as_bleu, as_metric
from ..metric.metric_warnings import Once
from ..options import check_choice, check_flag, check_number
from ..rerank.mbr import expected, pairwise
from ..rerank.pool_sources import as_pools
from ..rerank.pools import Pools
from ..rerank.self_bleu import scores_against_others
from .completions.call_arguments import aligned
from .components import Component, read_rollouts
from .group_argument import members_of_groups
from .repetition_clusters import check_clustering, repetition_share
from .repetition_penalty import count_tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal, TypeAlias

    from numpy import float64
    from numpy.typing import NDArray

    from ..metric.chrf import CHRF
    from .components import Rollouts
    from .repetition_clusters import Linkage

    DiversityKind: TypeAlias = Literal["self-bleu", "pairwise"]

DIVERSITY_KINDS: tuple[DiversityKind, ...] = ("self-bleu", "pairwise")

#: The score of a perfect match by a `BLEU` or a `CHRF`.
_PERCENT = 100


class _GroupReward(Component):
    """A reward that compares each completion with the other completions of its group."""

    needs_groups = True

    def __init__(self, metric: BLEU | CHRF | None, **options: Any) -> None:
        self._metric = metric
        self._warns = Once()
        super().__init__(metric=metric, **options)

    def _metric_of(self, rollouts: Rollouts) -> Any:
        """Return the metric that was passed to this reward, or otherwise the default metric for text or for ids."""
        return _default_metric(rollouts.are_ids) if self._metric is None else self._metric

    def _groups(self, rollouts: Rollouts, min_size: int) -> list[list[int]]:
        """Return the indices of the completions of each group that has at least `min_size` (1 or 2) completions.

        The first time that a group is smaller, a warning is logged.
        """
        groups = members_of_groups(rollouts.groups, type(self).__name__)
        large = [members for members in groups if len(members) >= min_size]
        if len(large) < len(groups) and self._warns():
            from logging import getLogger

            single = next(members[0] for members in groups if len(members) < min_size)
            getLogger("fastbleu").warning(
                "completions[%d] is the only completion of its group, so %s returns None for it; this warning is not "
                "repeated for other completions.",
                single,
                self.__name__,
            )
        return large


class ConsensusReward(_GroupReward):
    """The agreement of a completion with the other samples of its group (C-GRPO, https://arxiv.org/abs/2602.03102).

    A sample is scored against each other sample as its only reference. The reward is the mean of these scores, 0..1:
    `fastbleu.rerank.expected(pools, metric=metric, exclude_self=True) / 100`. It is at most 1, although the BLEU of
    equal texts can be 100.00000000000004. No references are needed.

    Args:
        metric: The `BLEU` or `CHRF` that scores; None for `BLEU(effective_order=True)`, with `tokenize="none"` for
            token ids.
        exclude_self: Whether a sample is not compared with itself. In the paper, it is compared with itself. If True, a
            sample that is the only one of its group has the reward None; a warning is logged the first time.
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.

    Example:
        >>> samples = ["the cat sat", "the cat sat down", "dogs"]
        >>> [round(each, 4) for each in ConsensusReward()(samples, groups=3)]
        [0.3583, 0.2973, 0.0]
    """

    @suggests_options
    def __init__(
        self, metric: BLEU | CHRF | None = None, *, exclude_self: bool = True, name: str = "consensus_reward"
    ) -> None:
        if metric is not None:
            as_metric(metric)
        self._exclude_self = check_flag("exclude_self", exclude_self)
        super().__init__(metric, exclude_self=exclude_self, name=name)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts."""
        groups = self._groups(rollouts, 1 + self._exclude_self)
        utilities = expected(
            _pools(rollouts, groups), exclude_self=self._exclude_self, metric=self._metric_of(rollouts)
        )
        return _in_call_order([(each / _PERCENT).clip(max=1) for each in utilities], groups, len(rollouts))


class DiversityReward(_GroupReward):
    """The difference of a completion from the other samples of its group, 0..1.

    No references are needed. A completion without tokens has the reward 0, and a completion that is the only one of its
    group has the reward None.

    Args:
        kind: "self-bleu": 1 minus the Self-BLEU of the sample, which is its sentence BLEU with all other samples of the
            group as references. "pairwise": 1 minus the mean of the scores of the sample against each other sample, and
            of each other sample against it.
        metric: The `BLEU`, or for "pairwise" also a `CHRF`, that scores; None for `BLEU(effective_order=True)`, with
            `tokenize="none"` for token ids.
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `kind` is unknown.

    Example:
        >>> samples = ["the cat sat", "the cat sat down", "dogs"]
        >>> [round(each, 4) for each in DiversityReward()(samples, groups=3)]
        [0.2835, 0.4054, 1.0]
        >>> [round(each, 4) for each in DiversityReward("pairwise")(samples, groups=3)]
        [0.6722, 0.6722, 1.0]
    """

    @suggests_options
    def __init__(
        self,
        kind: DiversityKind = "self-bleu",
        metric: BLEU | CHRF | None = None,
        *,
        name: str = "diversity_reward",
    ) -> None:
        check_choice("kind", kind, DIVERSITY_KINDS)
        self._kind = kind
        if metric is not None:
            (as_bleu if kind == "self-bleu" else as_metric)(metric)
        super().__init__(metric, kind=kind, name=name)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts."""
        groups = self._groups(rollouts, 2)
        metric = self._metric_of(rollouts)
        pools = _pools(rollouts, groups)
        if self._kind == "self-bleu":
            scores = scores_against_others(metric.matcher, metric.formula, as_pools(pools, "completions"))
            bounds = itertools.pairwise(pools.bounds.tolist())
            shares = [1 - scores[start:stop] / _PERCENT for start, stop in bounds]
        else:
            shares = [1 - sums / (len(sums) - 1) for sums in _similarities(pools, metric)]
        # Clip at 0, since the BLEU of equal texts can be 100.00000000000004.
        rewards = _in_call_order([each.clip(0) for each in shares], groups, len(rollouts))
        lengths = count_tokens_of(rollouts.scored)
        return [reward and reward * (length > 0) for reward, length in zip(rewards, lengths, strict=True)]


class RepetitionShare(Component):
    """A reward that is the share of a call's completions in the same cluster as the rewarded completion (R-Zero).

    R-Zero subtracts this share from the reward, so give it a negative weight in a `CombinedReward`. Groups are ignored:
    all completions of a call are clustered together, as described in `repetition_share`.

    Args:
        threshold: Two clusters are merged only if their distance, 0..1, is below this value.
        linkage: The distance of two clusters: "average", "complete" or "single".
        name: The name of the reward in logs.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `linkage` is unknown, or `threshold` is negative or NaN.
    """

    @suggests_options
    def __init__(
        self, threshold: float = 0.5, linkage: Linkage = "average", *, name: str = "repetition_share"
    ) -> None:
        check_clustering(threshold, linkage)
        self._clustering = threshold, linkage
        super().__init__(threshold=threshold, linkage=linkage, name=name)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts."""
        return [*repetition_share(rollouts.scored, *self._clustering)]


@suggests_options
def diversity_adjusted(
    rewards: Sequence[float | None] | NDArray[float64],
    completions: Any,
    groups: Any,
    *,
    metric: BLEU | CHRF | None = None,
) -> list[float | None]:
    """Divide each reward by 1 plus the similarity of its completion to its group (DRA-GRPO).

    The result is `rewards[i] / (1 + sum of s(i, j) over the other samples j of the group)`, where the similarity
    s(i, j), 0..1, is the mean of the scores of i against j and of j against i. The authors' code
    (https://github.com/xiwenc1/DRA-GRPO) differs: it sums the similarities of embeddings over all completions of a
    process, including the sample itself, and adds 1e-6 instead of 1.

    Args:
        rewards: n rewards, finite and at least 0, since dividing a negative reward would favor similarity. A reward of
            None stays None.
        completions: n completions, each a str, a list of messages, or token ids.
        groups: A label for each completion, or the number of consecutive completions of each prompt.
        metric: The `BLEU` or `CHRF` that scores; None for `BLEU(effective_order=True)`, with `tokenize="none"` for
            token ids.

    Returns:
        n rewards.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A reward is negative or not finite, or the numbers of rewards, completions and labels differ.

    Example:
        >>> diversity_adjusted([1.0, 1.0, 1.0], ["a b c d", "a b c d", "x y"], groups=3)
        [0.4999999999999999, 0.4999999999999999, 1.0]
    """
    if metric is not None:
        as_metric(metric)
    rollouts = read_rollouts(completions, groups=groups)
    array: Any = rewards
    (listed,) = aligned(len(rollouts), rewards=array.tolist() if hasattr(array, "tolist") else array)
    for i, reward in enumerate(listed):
        if reward is not None:
            check_number(
                Location("rewards")[i], reward, lambda each: 0 <= each < inf, "finite and at least 0"
            )
    members = members_of_groups(rollouts.groups, "diversity_adjusted")
    used = _default_metric(rollouts.are_ids) if metric is None else metric
    sums = _in_call_order([*_similarities(_pools(rollouts, members), used)], members, len(rollouts))
    return [
        None if reward is None else reward / (1 + (similarity or 0.0))
        for reward, similarity in zip(listed, sums, strict=True)
    ]


def _default_metric(are_ids: bool) -> BLEU:
    return BLEU(tokenize="none" if are_ids else "13a", effective_order=True)


def _pools(rollouts: Rollouts, groups: list[list[int]]) -> Pools[Any]:
    """Return one pool per group: the scored parts of its completions."""
    order = [i for members in groups for i in members]
    scored = rollouts.scored
    candidates: Any = scored[order] if isinstance(scored, TokenIds) else [scored[i] for i in order]
    return Pools(candidates, offsets=[0, *itertools.accumulate(map(len, groups))])


def _similarities(pools: Pools[Any], metric: BLEU | CHRF) -> Any:
    """Yield one array per pool, float64 [samples]: each sample's summed similarities to the other samples of the pool.

    The similarity of two samples, 0..1, is the mean of the scores of each against the other.
    """
    import numpy as np

    for i in range(len(pools)):
        scores = pairwise(pools[i], metric=metric)
        similarities = (scores + scores.T) / (2 * _PERCENT)
        np.fill_diagonal(similarities, 0)
        yield np.array([fsum(row) for row in similarities.tolist()])


def _in_call_order(values: Iterable[Any], groups: list[list[int]], number: int) -> list[float | None]:
    """Convert one array of values per group to one list of values in the order of the completions.

    Args:
        values: For each group, an array with the value of each of its completions.
        groups: The indices of the completions of each group.
        number: The number of completions of the call; a completion that is in no group gets None.
    """
    ordered: list[float | None] = [None] * number
    for members, group_values in zip(groups, values, strict=True):
        for i, value in zip(members, group_values.tolist(), strict=True):
            ordered[i] = value
    return ordered
