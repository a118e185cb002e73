"""The base class of the rewards for training stacks.

Each training stack, such as TRL or verl, calls a reward function with its own arguments and expects its own result. The
module of a stack has a subclass of `StackReward`, which converts these arguments to `Samples`, and rewards to the
expected result.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from ..errors import ArgumentError, ArgumentValueError, Location, check_options, option_names, wrong_type
from ..inputs.reading import as_list
from ..metric.chrf import CHRF
from ..options import check_name
from .combined import CombinedReward
from .completions.call_arguments import WANTED
from .components import Component
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .completions.scoring import Scored


class Samples(NamedTuple):
    """The samples that a training stack passes to a reward in one call.

    Attributes:
        completions: The completion of each sample.
        references: The references of each sample; None if no sample has references.
        names: The names of completions and references in the training stack's call, for errors.
        languages: The language of each sample; None for the language of the reward.
        is_one: Whether the training stack passes a single sample, so that errors name no index.
        prompts: The prompt of each sample; None if the training stack does not pass it.
        groups: The argument `groups` of a `CombinedReward`; None if the training stack does not pass complete groups.
        completion_ids: The policy's token ids of each completion; None if the training stack does not pass them.
    """

    completions: Any
    references: Any
    names: tuple[str, str]
    languages: Any = None
    is_one: bool = False
    prompts: Any = None
    groups: Any = None
    completion_ids: Any = None

    @property
    def context(self) -> dict[str, Any]:
        """The keyword arguments for a call of a `CombinedReward`."""
        return {name: getattr(self, name) for name in ("prompts", "groups", "completion_ids")}

    def renamed(self, error: ArgumentError) -> ArgumentError:
        """Return an error that names arguments as the training stack does."""
        completions, references = self.names
        if self.is_one and error.argument in ("completions", "references"):
            error = error.at(Location(error.argument, error.indices[1:]))
        return error.renamed(completion=completions, completions=completions, references=references)


class StackReward:
    """A reward function with the arguments and the result that a training stack expects.

    Args:
        options: Arguments of `BLEUReward` by name; or only "reward", whose value is a `BLEUReward`, a `CombinedReward`,
            or another reward of this package, which becomes the only component of a `CombinedReward`.

    Attributes:
        reward: The `BLEUReward` or `CombinedReward` that scores the samples.
        is_combined: Whether `reward` is a `CombinedReward`.
        scale: The reward of a perfect match; 1.0 for a `CombinedReward`.
        tolerant: Whether a malformed sample counts as empty instead of raising an error.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or a value that does not work with the training stack.
    """

    #: The name of the training stack, for errors.
    STACK: ClassVar[str]
    #: Whether the training stack passes all samples of a group in one call.
    HAS_GROUPS: ClassVar[bool] = False
    #: Whether the training stack accepts None as the reward of a sample without a reference.
    SKIPS: ClassVar[bool] = False
    #: Whether special tokens are removed by default, because the training stack leaves them in responses.
    STRIPS: ClassVar[bool] = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        known = *option_names(type(self).__init__), *option_names(BLEUReward.__init__), "reward"
        check_options(type(self).__name__, options, known)
        bleu_options = {name: value for name, value in options.items() if name != "reward"}
        defaults: dict[str, Any] = {"special_tokens": "strip"} if self.STRIPS else {}
        if isinstance(bleu_options.get("metric"), CHRF):
            defaults["name"] = "chrf_reward"
        self.reward: Any = _as_reward(options.get("reward"), bleu_options, defaults)
        self.is_combined = isinstance(self.reward, CombinedReward)
        if isinstance(self.reward, CombinedReward) and self.reward.needs_groups and not self.HAS_GROUPS:
            raise ArgumentValueError(
                "reward",
                f"must not compare the samples of a group, since {self.STACK} passes one sample at a time; remove "
                "components that do, or train with TRL, ms-swift or slime, which pass groups",
                value=self.reward,
            )
        self.scale = float(self.reward.options.get("scale", 1.0))
        self.tolerant = self.reward.options["errors"] == "empty"
        self.__name__: str = self.reward.__name__

    @property
    def signature(self) -> str:
        """The signature of `reward` in one line, for the log."""
        signature: str = self.reward.signature
        return signature

    @property
    def counts(self) -> Any:
        """The `RewardCounts` of all calls in this process; for a `CombinedReward`, the counts of the sum."""
        return self.reward.counts["total"] if self.is_combined else self.reward.counts

    def shares(self) -> dict[str, float]:
        """Return the shares of `counts.shares()`, with the reward's name and an underscore before each key."""
        return {f"{self.__name__}_{name}": share for name, share in self.counts.shares().items()}

    def share_of_scale(self, reward: float) -> float:
        """Convert a reward to the scale 0..1; a negative reward, such as a negative `empty`, becomes 0."""
        return min(max(reward / self.scale, 0.0), 1.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r} {self.signature}>"

    def check(self, *arguments: Any, **named: Any) -> list[Any]:
        """Print how a few samples are read and scored; see `BLEUReward.check` and `CombinedReward.check`.

        Args:
            arguments: The positional arguments that the training stack passes in a call.
            named: The keyword arguments that the training stack passes in a call.

        Returns:
            The printed samples.

        Raises:
            TypeError, ValueError: The arguments are wrong, as for a call.
        """
        samples = self._samples(*arguments, **named)
        options = samples.context if self.is_combined else {"languages": samples.languages}
        checked: list[Any] = self.reward.check(samples.completions, samples.references, **options)
        return checked

    def _samples(self, *arguments: Any, **named: Any) -> Samples:
        """Convert the arguments of the training stack's call to samples."""
        raise NotImplementedError

    def _references(self, columns: Mapping[str, Any], name: str) -> Any:
        """Return the column of references, or None if it is missing and the reward does not need references."""
        if name not in columns and self.is_combined and not self.reward.needs_references:
            return None
        return column_of(columns, name)

    def _rewards(self, samples: Samples) -> list[Any]:
        """Score samples; a sample without a reference gets None if `SKIPS` is true, and is malformed otherwise."""
        if self.is_combined:
            return self._components(samples)["total"]
        try:
            rewards: list[Any] = self.reward.scoring.many(*samples[:2], samples.languages)
        except ArgumentError as error:
            raise samples.renamed(error) from None
        if not self.SKIPS and None in rewards:
            for i, reward in enumerate(rewards):
                if reward is None:
                    location = Location(samples.names[1])
                    rewards[i] = self._without_reference(location if samples.is_one else location[i])[0]
        return rewards

    def _components(self, samples: Samples) -> dict[str, list[Any]]:
        """Score samples, and return the rewards of each component.

        Returns:
            The rewards of each component by name, and the sums as "total". If `SKIPS` is false, None becomes 0.0. For a
            `BLEUReward`, there is only "total".

        Raises:
            TypeError, ValueError: A sample is malformed; or `SKIPS` is false and no component applies to a sample.
        """
        if not self.is_combined:
            return {"total": self._rewards(samples)}
        try:
            rewards_by_name: dict[str, list[Any]] = self.reward.components(
                list(samples.completions), samples.references, **samples.context
            )
        except ArgumentError as error:
            raise samples.renamed(error) from None
        if self.SKIPS:
            return rewards_by_name
        totals = rewards_by_name["total"]
        if None in totals and not self.tolerant:
            location = Location(samples.names[0])
            if not samples.is_one:
                location = location[totals.index(None)]
            raise ArgumentValueError(location, "has no reward: no component applies to it")
        return {
            name: [0.0 if reward is None else reward for reward in rewards]
            for name, rewards in rewards_by_name.items()
        }

    def by_sample(self, samples: Samples) -> list[dict[str, float]]:
        """Score samples by a `CombinedReward`; return one dict per sample.

        Each dict has the sum as "score", and the reward of each component by name.
        """
        rewards_by_name = self._components(samples)
        columns = {"score": rewards_by_name.pop("total"), **rewards_by_name}
        return [dict(zip(columns, rewards, strict=True)) for rewards in zip(*columns.values(), strict=True)]

    def _without_reference(self, location: Location) -> Scored:
        """If `tolerant` is true, count a sample without a reference as malformed; otherwise raise an error."""
        error = ArgumentValueError(location, "must have a reference, got None")
        if not self.tolerant:
            raise error
        scored: Scored = self.reward.scoring.count_malformed(error)
        return scored


def _as_reward(
    reward: Any, options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> BLEUReward | CombinedReward:
    """Check the option "reward", and return its value as a `BLEUReward` or a `CombinedReward`.

    Args:
        reward: The value of the option. None: a `BLEUReward` with the other options is created. A reward of
            another class becomes the only component of a `CombinedReward`.
        options: The other options. If `reward` is not None, they must all be None.
        defaults: Options of a reward that is created.

    Raises:
        TypeError: `reward` is not a reward of this package.
        ValueError: Another option is not None.
    """
    if reward is None:
        return BLEUReward(**{**defaults, **options})
    for name, value in options.items():
        if value is not None:
            raise ArgumentValueError(
                name,
                "must not be combined with reward; pass this option to the BLEUReward or CombinedReward itself",
                value=value,
            )
    if isinstance(reward, (BLEUReward, CombinedReward)):
        return reward
    if not isinstance(reward, Component):
        raise wrong_type("reward", "a BLEUReward, a CombinedReward or one of its components", reward)
    name = reward.__name__
    return CombinedReward({name: (1.0, reward)}, name=name, **defaults)


def check_language(name: str, key: str | None, options: Mapping[str, Any]) -> None:
    """Check the option that names the field with the language of each sample.

    Args:
        name: The name of the option, for errors.
        key: The value of the option: the name of the field, or None.
        options: The other options of the reward.

    Raises:
        TypeError: The option is not a str.
        ValueError: The option is empty, or combined with a metric or a reward.
    """
    check_name(name, key, is_optional=True)
    for other in ("metric", "reward"):
        if key is not None and options.get(other) is not None:
            raise ArgumentValueError(name, f"must be None, since {other} has its own tokenizer")


def column_of(columns: Mapping[str, Any], name: str, what: str = WANTED["references"]) -> Any:
    """Return a column of the data set.

    Args:
        columns: The columns that the training stack passes, by name.
        name: The name of the column.
        what: The expected type, for errors.

    Raises:
        TypeError: The column is not a sequence.
        ValueError: The column does not exist.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r}; the columns are {sorted(columns)}")
    return as_list(columns[name], name, what)
