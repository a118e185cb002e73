"""A `BLEUReward` in the form that a training stack calls: what the modules of all stacks share.

A module translates the arguments of its host's call into `Samples`, and the rewards into the host's result.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import ArgumentError, ArgumentValueError, Place, check_options, option_names
from ..inputs.reading import as_list
from .completions.kinds import WANTED
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar

    from .checking import CheckedSample
    from .completions.scoring import Scored
    from .counts import RewardCounts


class Samples(NamedTuple):
    """The samples of a host's call: one, or a batch.

    Attributes:
        completions: The completion, or those of a batch.
        references: Its references, or those of each completion.
        names: What the host calls completions and references, for errors.
        languages: The language, or that of each completion; None for that of the reward.
        is_batch: Whether there are several samples.
    """

    completions: Any
    references: Any
    names: tuple[str, str]
    languages: Any = None
    is_batch: bool = False


class HostReward:
    """A `BLEUReward` in the form that a host calls.

    Args:
        options: Arguments of `BLEUReward` by name.

    Attributes:
        reward: The reward that scores.
        scale: The reward of a perfect match.
        tolerant: Whether a broken sample counts as empty instead of raising an error.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or is one that the host cannot use.
    """

    #: The host's name, for errors.
    HOST: ClassVar[str]
    #: Whether the host has a form for no reward, which a sample without a reference gets.
    SKIPS: ClassVar[bool] = False
    #: Whether the host leaves special tokens in the text of a response, so that they are cut off by default.
    STRIPS: ClassVar[bool] = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        known = *option_names(type(self).__init__), *option_names(BLEUReward.__init__)
        check_options(type(self).__name__, options, known)
        if self.STRIPS:
            options = {"special_tokens": "strip", **options}
        self.reward = BLEUReward(**options)
        self.scale = float(options.get("scale", 1.0))
        self.tolerant = options.get("errors") == "empty"
        self.__name__ = self.reward.__name__

    @property
    def signature(self) -> str:
        """The signature of the rewards, one line for the log."""
        return self.reward.signature

    @property
    def counts(self) -> RewardCounts:
        """The counts of this reward so far, in this process."""
        return self.reward.counts

    def shares(self) -> dict[str, float]:
        """Return the share of all samples so far that was empty, clipped, too long or broken, by names for the log."""
        return {f"{self.__name__}_{name}": share for name, share in self.counts.shares().items()}

    def share_of_scale(self, reward: float) -> float:
        """Return a reward on the scale 0..1; an `empty` below 0 becomes 0."""
        return min(max(reward / self.scale, 0.0), 1.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r} {self.signature}>"

    def check(self, *arguments: Any, **named: Any) -> list[CheckedSample]:
        """Print how a few samples are read and scored; see `BLEUReward.check`.

        Args:
            arguments: The positional arguments of a call, as the host makes it.
            named: Those by name.

        Returns:
            The samples as printed.

        Raises:
            TypeError, ValueError: As a call.
        """
        samples = self._samples(*arguments, **named)
        completions, references, _, languages, is_batch = samples
        if not is_batch:
            completions, references, languages = [completions], [references], languages and [languages]
        return self.reward.check(completions, references, languages=languages)

    def _samples(self, *arguments: Any, **named: Any) -> Samples:
        """Read the arguments of a call."""
        raise NotImplementedError

    def _scored(self, sample: Samples) -> Scored:
        """Score one sample; one without a reference gets None if the host skips it."""
        try:
            scored = self.reward.scoring.one(sample.completions, sample.references, sample.languages)
        except ArgumentError as error:
            raise _renamed(error, sample.names) from None
        if self.SKIPS or scored[0] is not None:
            return scored
        return self._without_reference(Place(sample.names[1]))

    def _rewards(self, samples: Samples) -> list[Any]:
        """Score a batch; a sample without a reference gets None if the host skips it."""
        completions, references, names, languages, _ = samples
        try:
            rewards = self.reward.scoring.many(completions, references, languages)
        except ArgumentError as error:
            raise _renamed(error, names) from None
        if self.SKIPS or None not in rewards:
            return rewards
        place = Place(names[1])
        return [
            self._without_reference(place[i])[0] if reward is None else reward
            for i, reward in enumerate(rewards)
        ]

    def _without_reference(self, place: Place) -> Scored:
        """Count a sample as broken because it has no reference, or raise the error."""
        error = ArgumentValueError(place, "must have a reference, got None")
        if not self.tolerant:
            raise error
        return self.reward.scoring.broken(error)


def _renamed(error: ArgumentError, names: tuple[str, str]) -> ArgumentError:
    """Return an error that calls the arguments as the host does."""
    completions, references = names
    return error.renamed(completion=completions, completions=completions, references=references)


def column_of(columns: Mapping[str, Any], name: str, what: str = WANTED["references"]) -> Any:
    """Return a column of the data set that a host passes by name.

    Raises:
        TypeError: It is not a sequence.
        ValueError: There is no such column.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r}; there are {sorted(columns)}")
    return as_list(columns[name], name, what)
