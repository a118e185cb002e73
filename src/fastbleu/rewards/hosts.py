"""Shapes of the calls of training stacks, and the reward that goes from the arguments of a call to its result.

A row of `STACKS` in `fastbleu.rewards.stacks` is the shape of a call. A `HostReward` follows it. Stacks whose rewards
need more have a subclass of their own, which makes of its stack's call what the row says.
"""

from __future__ import annotations

import json
from copy import copy
from typing import NamedTuple

from ..errors import ArgumentError, ArgumentValueError, Place, show, wrong_type
from ..inputs.reading import as_list
from ..options import check_choice
from .completions.kinds import WANTED
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeAlias

    from .checking import CheckedSample
    from .counts import RewardCounts

    #: How to read a label that is a str: as the one reference, or as JSON.
    LabelsAs: TypeAlias = Literal["text", "json"]
    #: From the arguments of a call by name, and the name of the references, to completions and references.
    Read: TypeAlias = Callable[[Mapping[str, Any], str], tuple[Any, Any]]
    #: From a reward, the rewards of a call and its arguments to what the stack takes.
    Result: TypeAlias = Callable[[Any, Any, Any], Any]

#: The ways to read labels.
LABELS_AS = ("text", "json")


class Stack(NamedTuple):
    """The way in which a training stack calls a reward.

    Args:
        name: The stack's name, for errors.
        parameters: The arguments in the order in which they come; others come by name.
        completion: The argument that holds a completion, for errors.
        references: The argument, column or field that holds the references, where the user names no other.
        read: Finds completions and references in the arguments: of a batch, or of one sample; None: by these names.
        result: Makes of the rewards what the stack takes; None: it takes them as they are.
        is_batch: Whether a call has several samples.
        strips: Whether the stack passes special tokens or the prompt along, so that they are cut off by default.
        hides: Whether the stack makes a reward of 0 of an error, so that errors are logged before they are raised.
        skips: Whether the stack has a form for no reward, which a sample without a reference gets.
        module: The module of `fastbleu.rewards` that makes the reward, where it is not `fastbleu.rewards.stacks`.
    """

    name: str
    parameters: tuple[str, ...]
    completion: str
    references: str
    read: Read | None = None
    result: Result | None = None
    is_batch: bool = False
    strips: bool = False
    hides: bool = False
    skips: bool = False
    module: str = ""


class HostReward:
    """A `BLEUReward` in the shape that a host calls.

    Args:
        options: Arguments of `BLEUReward` by name, without `baseline` and `stepwise`.
        references: What the host calls the references, if it is not the name in the table.
        labels_as: "json" if labels that are str are JSON: of a string, or of a list of references.

    Attributes:
        reward: The reward within.
        scale: What a perfect match is worth.
        tolerant: Whether a broken sample counts as empty instead of raising.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or is one that the host cannot use.
    """

    #: The row of `STACKS`.
    HOST: Stack

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        references: str | None = None,
        labels_as: LabelsAs = "text",
    ) -> None:
        name = self.HOST.name
        if options.get("baseline") is not None:
            raise ArgumentValueError("baseline", f"must be None: {name} subtracts its own")
        if options.get("stepwise"):
            raise ArgumentValueError("stepwise", f"must be False: {name} takes one reward for a completion")
        if self.HOST.strips:
            options = {"special_tokens": "strip", **options}
        self.reward = BLEUReward(**options)
        self.scale = float(options.get("scale", 1.0))
        self.tolerant = options.get("errors") == "empty"
        self.references: Any = references
        check_choice("labels_as", labels_as, LABELS_AS)
        self.labels_as: LabelsAs = labels_as
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
        """The part of all samples so far that was empty, clipped, too long or broken, under names for the log."""
        return {f"{self.__name__}_{name}": share for name, share in self.counts.shares().items()}

    def share_of_scale(self, reward: float) -> float:
        """A reward on the scale 0..1; what `empty` puts below 0 is 0."""
        return min(max(reward / self.scale, 0.0), 1.0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r} {self.signature}>"

    def check(self, *arguments: Any, **named: Any) -> list[CheckedSample]:
        """Print what the reward makes of a few samples, to be read before a training; see `BLEUReward.check`.

        Args:
            arguments: Those of a call, as the host makes it.
            named: Likewise, by name.

        Returns:
            What was printed.

        Raises:
            TypeError, ValueError: As a call.
        """

        def read(row: Stack, *columns: Any, **_: Any) -> list[Any]:
            found = [columns[0], self._references(row, columns[1]), *columns[2:3]]
            return found if row.is_batch else [[each] for each in found]

        asked: Any = copy(self)
        vars(asked).update(_rewarded=read, _awaited=read)  # so its calls score nothing
        completions, references, *others = asked(*arguments, **named)
        languages = next(filter(any, filter(None, others)), None)
        return self.reward.check(completions, references, languages=languages)

    # From a call to its result

    def _rewarded(
        self, row: Stack, completions: Any, references: Any, languages: Any = None, call: Any = None
    ) -> Any:
        """Reward the samples of a call.

        Args:
            row: The shape of the call.
            completions: The completions of a batch, or the one.
            references: Their references, or labels that hold them.
            languages: The language of each sample, or of the one; None for that of the reward.
            call: The arguments of the call by name, where the result depends on them; else None.
        """
        references = self._references(row, references)
        try:
            if row.is_batch:
                found = self.reward.many(completions, references, None, languages)
            else:
                found = self._one(completions, references, languages)
        except ArgumentError as error:
            raise self._renamed(error, row) from None
        return row.result(self, found, call) if row.result else found

    async def _awaited(self, row: Stack, completions: Any, references: Any, languages: Any = None) -> Any:
        """Reward one sample as `_rewarded` does, in one batch with others that are awaited at the same time."""
        if row.is_batch:
            return self._rewarded(row, completions, references, languages)
        references = self._references(row, references)
        found = None
        if references is not None:
            try:
                found = await self.reward.gathered(completions, references, None, languages)
            except ArgumentError as error:
                raise self._renamed(error, row) from None
        return row.result(self, found, None) if row.result else found

    def _one(self, completion: Any, references: Any, language: str | None) -> Any:
        """The reward of one sample."""
        return self.reward.one(completion, references, None, language)[0]

    def _renamed(self, error: ArgumentError, row: Stack) -> ArgumentError:
        """An error that calls the arguments as the host does."""
        references = self.references or row.references
        return error.renamed(completion=row.completion, completions=row.completion, references=references)

    def _references(self, row: Stack, labels: Any) -> Any:
        """The references in the labels of a call; where a sample may have none, they are taken as they are."""
        if row.skips:
            return labels
        name, is_json = self.references or row.references, self.labels_as == "json"
        if not row.is_batch:
            return self._label(labels, Place(name)) if is_json or labels is None else labels
        labels = as_list(labels, name, WANTED["references"])
        if is_json or type(None) in {*map(type, labels)}:
            return [self._label(each, Place(name)[i]) for i, each in enumerate(labels)]
        return labels

    def _label(self, label: Any, where: Place) -> Any:
        """The references in a label, as a host's data set holds it.

        Args:
            label: A str, a list of messages, or a list of several of these; or JSON of one of them.
            where: Its place.

        Returns:
            The references. A tolerant reward gets an empty list for a label without one, which counts as broken.

        Raises:
            ValueError: There is no label, or it is not JSON of a str or of a list.
        """
        wanted = "must have a reference"
        if self.labels_as == "json" and isinstance(label, str):
            wanted = "must be JSON of a string, or of a list of references"
            try:
                found = json.loads(label)
            except (ValueError, RecursionError):  # the latter of brackets without end
                found = None
            if isinstance(found, (str, list)):
                return found
        elif label is not None:
            return label
        if self.tolerant:
            return []
        raise ArgumentValueError(where, f"{wanted}, got {show(label)}", value=label)


def made_once(make: Callable[..., Any], options: Mapping[str, Any], made: list[Any]) -> Any:
    """The reward of some options, made once: hosts hand those of their configuration over with each call.

    Their values are mostly the same objects, which are equal without being read: OmegaConf takes longer to read a
    mapping than a sample takes to score.

    Args:
        make: Makes a reward of options by name.
        options: The options.
        made: The latest 64 sets of options and their rewards.
    """
    for known, reward in made:
        if known == options:
            return reward
    reward = make(**options)
    copied = {name: copy(value) if type(value) in (dict, list) else value for name, value in options.items()}
    made[:] = [(copied, reward), *made[:63]]
    return reward


def column_of(columns: Mapping[str, Any], name: str, what: str = WANTED["references"]) -> Any:
    """A column of the data set that a host passes by name.

    Raises:
        TypeError: It is not a sequence.
        ValueError: There is no such column.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r}; there are {sorted(columns)}")
    return as_list(columns[name], name, what)


def item_of(data: Any, name: str, what: str) -> Any:
    """An item of a dict, which errors call `what`.

    Raises:
        TypeError: It is not a dict.
        ValueError: It has no such item.
    """
    if not hasattr(data, "keys"):
        raise wrong_type(what, f"a dict with {name!r}", data)
    if name not in data:
        raise ArgumentValueError(name, f"is not among {show(sorted(map(str, data)))} of {what}")
    return data[name]
