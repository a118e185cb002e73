"""A reward in the form that a training stack calls; the code that the modules of all stacks share.

A module translates the arguments of its host's call into `Samples`, and the rewards into the host's result.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import ArgumentError, ArgumentValueError, Location, check_options, option_names, wrong_type
from ..inputs.reading import as_list
from ..metric.chrf import CHRF
from ..options import check_name
from .combined import CombinedReward
from .completions.kinds import WANTED
from .components import Component
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from .completions.scoring import Scored


class Samples(NamedTuple):
    """The samples of a host's call.

    Attributes:
        completions: The completion of each sample.
        references: The references of each sample; None: there are none.
        names: The host's names of completions and references, for errors.
        languages: The language of each sample; None: the language of the reward.
        is_one: Whether the host passes one sample, whose index is then not part of errors.
        prompts: The prompt of each sample, if the host passes it.
        groups: The groups of the samples, as a `CombinedReward` takes them, if the host passes whole groups.
        completion_ids: The policy's token ids of each completion, if the host passes them.
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
        """The arguments of a `CombinedReward` other than completions and references."""
        return {name: getattr(self, name) for name in ("prompts", "groups", "completion_ids")}

    def renamed(self, error: ArgumentError) -> ArgumentError:
        """Return an error with the host's names of the arguments."""
        completions, references = self.names
        if self.is_one and error.argument in ("completions", "references"):
            error = error.at(Location(error.argument, error.indices[1:]))
        return error.renamed(completion=completions, completions=completions, references=references)


class HostReward:
    """A reward in the form that a host calls.

    Args:
        options: Arguments of `BLEUReward` by name. Or only "reward": a `BLEUReward`, a `CombinedReward`, or any of its
            components, which becomes a `CombinedReward` of one.

    Attributes:
        reward: The reward that scores.
        is_combined: Whether the reward is a `CombinedReward`.
        scale: The reward of a perfect match; 1.0 for a `CombinedReward`.
        tolerant: Whether a malformed sample counts as empty instead of raising an error.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or is one that the host cannot use.
    """

    #: The host's name, for errors.
    HOST: ClassVar[str]
    #: Whether the host passes all samples of a group in one call.
    HAS_GROUPS: ClassVar[bool] = False
    #: Whether the host accepts a missing reward, which a sample without a reference gets.
    SKIPS: ClassVar[bool] = False
    #: Whether the host leaves special tokens in the text of a response, so that they are removed by default.
    STRIPS: ClassVar[bool] = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        known = *option_names(type(self).__init__), *option_names(BLEUReward.__init__), "reward"
        check_options(type(self).__name__, options, known)
        given = {name: value for name, value in options.items() if name != "reward"}
        defaults: dict[str, Any] = {"special_tokens": "strip"} if self.STRIPS else {}
        if isinstance(given.get("metric"), CHRF):
            defaults["name"] = "chrf_reward"
        self.reward: Any
        if options.get("reward") is None:
            self.reward = BLEUReward(**{**defaults, **given})
        else:
            self.reward = _as_reward(options["reward"], given, defaults)
        self.is_combined = isinstance(self.reward, CombinedReward)
        if self.is_combined and self.reward.needs_groups and not self.HAS_GROUPS:
            raise ArgumentValueError(
                "reward",
                f"must not compare the samples of a group, since {self.HOST} passes one sample at a time; leave such "
                "components out, or train with TRL, ms-swift or slime, which pass groups",
                value=self.reward,
            )
        self.scale = float(self.reward.options.get("scale", 1.0))
        self.tolerant = self.reward.options["errors"] == "empty"
        self.__name__: str = self.reward.__name__

    @property
    def signature(self) -> str:
        """The signature of the rewards, one line for the log."""
        signature: str = self.reward.signature
        return signature

    @property
    def counts(self) -> Any:
        """The counts of this reward so far, in this process: `RewardCounts`; for a combination, those of the sum."""
        return self.reward.counts["total"] if self.is_combined else self.reward.counts

    def shares(self) -> dict[str, float]:
        """Return the shares of all samples so far that are empty, clipped, too long or malformed, by log name."""
        return {f"{self.__name__}_{name}": share for name, share in self.counts.shares().items()}

    def share_of_scale(self, reward: float) -> float:
        """Return a reward on the scale 0..1; an `empty` below 0 becomes 0."""
        return min(max(reward / self.scale, 0.0), 1.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r} {self.signature}>"

    def check(self, *arguments: Any, **named: Any) -> list[Any]:
        """Print how a few samples are read and scored; see `BLEUReward.check` and `CombinedReward.check`.

        Args:
            arguments: The positional arguments of a call, as the host makes it.
            named: The keyword arguments of the call.

        Returns:
            The samples as printed.

        Raises:
            TypeError, ValueError: As a call.
        """
        samples = self._samples(*arguments, **named)
        options = samples.context if self.is_combined else {"languages": samples.languages}
        checked: list[Any] = self.reward.check(samples.completions, samples.references, **options)
        return checked

    def _samples(self, *arguments: Any, **named: Any) -> Samples:
        """Read the arguments of a call."""
        raise NotImplementedError

    def _references(self, columns: Mapping[str, Any], name: str) -> Any:
        """Return the column of references; None if it is missing and the reward does not need it."""
        if name not in columns and self.is_combined and not self.reward.needs_references:
            return None
        return column_of(columns, name)

    def _score_one(
        self, completion: Any, references: Any, names: tuple[str, str], language: str | None
    ) -> Scored:
        """Score one sample by a `BLEUReward`; one without a reference gets None if the host skips it."""
        try:
            scored: Scored = self.reward.scoring.one(completion, references, language)
        except ArgumentError as error:
            raise Samples([completion], [references], names, is_one=True).renamed(error) from None
        if self.SKIPS or scored[0] is not None:
            return scored
        return self._without_reference(Location(names[1]))

    def _rewards(self, samples: Samples) -> list[Any]:
        """Score samples; one without a reference gets None if the host skips it."""
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
        """Score samples by a combination.

        Returns:
            The rewards of each component by name, and "total". If the host does not skip samples, a None of a component
            becomes 0.0.

        Raises:
            TypeError, ValueError: A sample is malformed, or no component applies to it and the host does not skip it.
        """
        try:
            parts: dict[str, list[Any]] = self.reward.components(
                list(samples.completions), samples.references, **samples.context
            )
        except ArgumentError as error:
            raise samples.renamed(error) from None
        if self.SKIPS:
            return parts
        if None in parts["total"] and not self.tolerant:
            location = Location(samples.names[0])
            if not samples.is_one:
                location = location[parts["total"].index(None)]
            raise ArgumentValueError(location, "has no reward: no component applies to it")
        return {
            name: [0.0 if reward is None else reward for reward in rewards] for name, rewards in parts.items()
        }

    def by_sample(self, samples: Samples) -> list[dict[str, float]]:
        """Score samples by a combination: for each "score", the sum, and the reward of each component by name."""
        parts = self._components(samples)
        columns = {"score": parts.pop("total"), **parts}
        return [dict(zip(columns, rewards, strict=True)) for rewards in zip(*columns.values(), strict=True)]

    def _without_reference(self, location: Location) -> Scored:
        """Count a sample without a reference as malformed, or raise the error."""
        error = ArgumentValueError(location, "must have a reference, got None")
        if not self.tolerant:
            raise error
        scored: Scored = self.reward.scoring.broken(error)
        return scored


def _as_reward(
    reward: Any, options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> BLEUReward | CombinedReward:
    """Return a reward that was given without other options; a component becomes a combination of one."""
    for name, value in options.items():
        if value is not None:
            raise ArgumentValueError(
                name,
                "must not be given beside reward: it is an option of the BLEUReward or CombinedReward",
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

    Raises:
        TypeError: The option is not a str.
        ValueError: The option is empty, or given together with a metric or a reward.
    """
    check_name(name, key, is_optional=True)
    for other in ("metric", "reward"):
        if key is not None and options.get(other) is not None:
            raise ArgumentValueError(name, f"must be None beside {other}, which has its own tokenizer")


def column_of(columns: Mapping[str, Any], name: str, what: str = WANTED["references"]) -> Any:
    """Return a column of the data set that a host passes by name.

    Raises:
        TypeError: The column is not a sequence.
        ValueError: The column does not exist.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r}; there are {sorted(columns)}")
    return as_list(columns[name], name, what)
