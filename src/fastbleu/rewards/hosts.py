"""Training stacks as rows of a table, and the reward that each of them calls.

A new stack is a row of `HOSTS` and a module with a subclass of `HostReward`, which turns the arguments of the stack's
call into completions and references, and the rewards into the result that the stack expects.
"""

from __future__ import annotations

import json
from copy import copy
from types import MappingProxyType
from typing import NamedTuple

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place, show, wrong_type
from ..inputs.reading import as_list
from ..options import check_choice
from .completions.kinds import WANTED, aligned
from .completions.marks import without_end
from .reward import BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from .checking import CheckedSample
    from .completions.scoring import Sample
    from .counts import RewardCounts

    #: How to read a label that is a str: as the one reference, or as JSON.
    LabelsAs: TypeAlias = Literal["text", "json"]

#: The ways to read labels.
LABELS_AS = ("text", "json")


class Host(NamedTuple):
    """The way in which a training stack calls a reward.

    Args:
        name: The stack's name, for errors.
        completion: The argument, or the field of one, that holds a completion, for errors.
        references: The argument, column or field that holds the references of a completion.
        baselines: The baselines that the reward may subtract; other stacks subtract their own.
    """

    name: str
    completion: str
    references: str
    baselines: tuple[str, ...] = ()

    def check(self, options: Mapping[str, Any]) -> None:
        """Check that the stack can use the options of a `BLEUReward`.

        Raises:
            ValueError: It cannot.
        """
        baseline = options.get("baseline")
        if baseline == "greedy" and self.baselines:
            raise ArgumentValueError(
                "baseline", f"must not be 'greedy': {self.name} samples no greedy completions"
            )
        if baseline is not None and not self.baselines:
            raise ArgumentValueError("baseline", f"must be None: {self.name} subtracts its own")
        if options.get("stepwise"):
            raise ArgumentValueError(
                "stepwise", f"must be False: {self.name} takes one reward for a completion"
            )


#: Every training stack, by the name of its module; verifiers has two ways.
HOSTS = {
    "trl": Host("TRL", "completions", "reference", ("mean", "leave-one-out", "zscore")),
    "verl": Host("verl", "solution_str", "ground_truth"),
    "openrlhf": Host("OpenRLHF", "queries", "labels"),
    "slime": Host("slime", "response", "label"),
    "swift": Host("ms-swift", "completions", "solution"),
    "nemo_gym": Host("the trainer", "response", "reference"),
    "verifiers.task": Host("the trainer", "last_reply", "answer"),
    "verifiers.rubric": Host("the trainer", "completion", "answer"),
}


class HostReward:
    """A `BLEUReward` in the shape that a host calls.

    Args:
        options: Arguments of `BLEUReward` by name, without `baseline` and `stepwise`.
        references: What the host calls the references, if it is not the name in the table.
        end_tokens: The tokens to cut off the end of a response.
        labels_as: "json" if labels that are str are JSON: of a string, or of a list of references.

    Attributes:
        reward: The reward within.
        scale: What a perfect match is worth.
        tolerant: Whether a broken sample counts as empty instead of raising.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has a bad value, or is one that the host cannot use.
    """

    #: The row of `HOSTS`.
    HOST: Host

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        references: str | None = None,
        end_tokens: Sequence[str] = (),
        labels_as: LabelsAs = "text",
    ) -> None:
        self.HOST.check(options)
        self.reward = BLEUReward(**options)
        self.scale = float(options.get("scale", 1.0))
        self.tolerant = options.get("errors") == "empty"
        self.end_tokens = check_end_tokens(end_tokens)
        check_choice("labels_as", labels_as, LABELS_AS)
        self.labels_as: LabelsAs = labels_as
        self.names = {
            "completion": self.HOST.completion,
            "completions": self.HOST.completion,
            "references": references or self.HOST.references,
        }
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
            arguments: Those of a call, as the host makes it; an asynchronous reward is awaited.
            named: Likewise, by name.

        Returns:
            What was printed.

        Raises:
            TypeError, ValueError: As a call.
        """
        asked = copy(self)
        recorder: Any = _Recorder(self.reward)
        asked.reward = recorder
        called: Any = asked(*arguments, **named)  # type: ignore[operator]
        if hasattr(called, "__await__"):
            from asyncio import run
            from concurrent.futures import ThreadPoolExecutor

            async def awaited() -> None:
                await called

            with ThreadPoolExecutor(1) as pool:  # this thread may have a loop that runs
                pool.submit(run, awaited()).result()
        completions, references, prompts, languages = (
            [sample[k] for sample in recorder.samples] for k in range(4)
        )
        return self.reward.check(
            completions, references, prompts=prompts, languages=languages if any(languages) else None
        )

    # From a host's sample

    def _response(self, text: Any) -> Any:
        """A response without the tokens that end it."""
        return without_end(text, self.end_tokens) if isinstance(text, str) else text

    def _references(self, label: Any, *indices: int) -> Any:
        """The references in a label, as a host's data set holds it.

        Args:
            label: A str, a list of messages, or a list of several of these; or JSON of one of them.
            indices: Where it stands.

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
        raise ArgumentValueError(
            Place(self.names["references"], indices), f"{wanted}, got {show(label)}", value=label
        )

    # To rewards; errors call the arguments as the host does

    def _one(self, completion: Any, references: Any, language: str | None = None) -> Sample:
        """Reward one completion, and say what was counted of it."""
        try:
            return self.reward.one(completion, references, None, language)
        except ArgumentError as error:
            raise error.renamed(**self.names) from None

    async def _gathered(self, completion: Any, references: Any, language: str | None = None) -> float:
        """Reward one completion in one batch with others that are awaited at the same time."""
        try:
            return await self.reward.gathered(completion, references, None, language)
        except ArgumentError as error:
            raise error.renamed(**self.names) from None

    def _many(
        self,
        completions: Any,
        references: Any,
        called: Mapping[str, str] = MappingProxyType({}),
        **others: Any,
    ) -> list[Any]:
        """Reward the completions of a batch; `called` has names for errors other than those in the table."""
        try:
            rewards: list[Any] = self.reward(completions, references, **others)
        except ArgumentError as error:
            raise error.renamed(**{**self.names, **called}) from None
        return rewards


class _Recorder:
    """A reward that notes what it is asked to score, and scores nothing."""

    def __init__(self, reward: BLEUReward) -> None:
        self._reward = reward
        self.samples: list[tuple[Any, Any, Any, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reward, name)

    def one(self, completion: Any, references: Any, prompt: Any = None, language: Any = None) -> Sample:
        self.samples.append((completion, references, prompt, language))
        return 0.0, 0, 0, 0, 0, 0, 0, 0

    async def gathered(self, *sample: Any) -> float:
        return self.one(*sample)[0]

    def __call__(
        self, completions: Any, references: Any, *, prompts: Any = None, languages: Any = None, **_: Any
    ) -> list[float]:
        columns = aligned(completions=completions, references=references)
        others = [[None] * len(columns[0]) if each is None else each for each in (prompts, languages)]
        return [self.one(*sample)[0] for sample in zip(*columns, *others, strict=True)]


def column_of(columns: Mapping[str, Any], name: str, what: str = WANTED["references"]) -> Any:
    """A column of the data set that a host passes by name.

    Raises:
        TypeError: It is not a sequence.
        ValueError: There is no such column.
    """
    if name not in columns:
        raise ValueError(f"there is no column {name!r}; there are {sorted(columns)}")
    return as_list(columns[name], name, what)


def fields_of(request: Any, *names: str) -> list[Any]:
    """The values of a request's JSON that have these names.

    Raises:
        TypeError: It is not a dict, or lacks one of them.
    """
    if not isinstance(request, dict) or not all(name in request for name in names):
        *others, last = map(repr, names)
        raise ArgumentTypeError(
            "request", f"must be a dict with {', '.join(others)} and {last}", value=request
        )
    return [request[name] for name in names]


def check_name(argument: str, value: Any, is_optional: bool = False) -> None:
    """Check the name of a column, field or item.

    Raises:
        TypeError: It is not a str.
        ValueError: It is empty.
    """
    if value is None and is_optional:
        return
    if not isinstance(value, str):
        raise wrong_type(argument, "a str", value)
    if not value:
        raise ArgumentValueError(argument, "must not be empty")


def check_end_tokens(end_tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens as a tuple, longest first.

    Raises:
        TypeError: It is not a sequence of str.
        ValueError: A token is empty.
    """
    listed = as_list(end_tokens, "end_tokens", "a sequence of str")
    for i, token in enumerate(listed):
        if not isinstance(token, str):
            raise wrong_type(Place("end_tokens", (i,)), "a str", token)
        if not token:
            raise ArgumentValueError(Place("end_tokens", (i,)), "must not be empty")
    return tuple(sorted(listed, key=len, reverse=True))
