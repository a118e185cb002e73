"""Code that all components of a reward share: the rollouts that they score, and their calls."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, overload

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place
from ..inputs.ids import TokenIds, as_token_ids
from ..options import check_name
from .completions.ids import on_host
from .completions.kinds import aligned, are_ids, samples_of_each
from .completions.text import text_of
from .forms import in_form_of
from .groups import group_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from .completions.extraction import Step


class Rollouts(NamedTuple):
    """The completions of one call, read once for all components.

    Attributes:
        given: The n completions as they were given, or ids [n / K, K, T].
        whole: n texts, or `TokenIds` of n rows.
        scored: The scored part of each completion: n texts, or the same `TokenIds`.
        references: The references as they were given, one entry per completion or per K completions; None: no
            references.
        prompts: The prompts as they were given, or None.
        groups: int64 [n]: the number of the group of each completion; None: the groups are unknown.
        ids: The policy's token ids of each completion, n rows; None: unknown.
        clipped: The number of truncated completions: reasoning or a tag was opened and never closed.
        cut: The number of completions from which special tokens or a prompt were removed.
        errors: The error of each malformed completion, which counts as "" or as no ids.
        tolerant: Whether malformed completions and references are tolerated.
    """

    given: Any
    whole: Sequence[str] | TokenIds
    scored: Sequence[str] | TokenIds
    references: Any
    prompts: Any
    groups: NDArray[int64] | None
    ids: TokenIds | None
    clipped: int = 0
    cut: int = 0
    errors: tuple[Exception, ...] = ()
    tolerant: bool = False

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def name_of_ids(self) -> str:
        """The name of the argument that contained `ids`, for errors."""
        return "completions" if self.ids is self.whole else "completion_ids"

    @property
    def are_ids(self) -> bool:
        """True if the completions are token ids."""
        return isinstance(self.whole, TokenIds)


def read_rollouts(
    completions: Any,
    references: Any = None,
    prompts: Any = None,
    groups: Any = None,
    completion_ids: Any = None,
    *,
    step: Step | None = None,
    tolerant: bool = False,
) -> Rollouts:
    """Read the arguments of a call.

    Args:
        completions: n completions, each a str, a list of messages, or token ids; or ids [n, T] or [n, K, T].
        references: One entry per completion, or None.
        prompts: One entry per completion, or None.
        groups: A label for each completion, or the number of consecutive completions of each group. None: for ids
            [n, K, T] the K samples of each prompt, otherwise unknown.
        completion_ids: The policy's token ids of each completion, or None.
        step: A function from a text to its scored part; None: the whole text is scored.
        tolerant: Whether a malformed completion counts as empty instead of raising an error.

    Raises:
        TypeError, ValueError: A completion or a label has the wrong type, numbers differ, or `step` is given for ids.

    Example:
        >>> rollouts = read_rollouts(["a b", "c d", "c"], groups=["x", "y", "x"])
        >>> rollouts.scored, rollouts.groups.tolist()
        (['a b', 'c d', 'c'], [0, 1, 0])
    """
    clipped = cut = 0
    errors: list[Exception] = []
    width = 1
    if are_ids(completions, references):
        if step is not None:
            raise ArgumentTypeError(
                "completions",
                "are token ids, from which no answer, reasoning or special tokens can be cut; decode them first",
            )
        width = samples_of_each(completions)
        rows = on_host(completions)
        if width > 1 or len(getattr(rows, "shape", ())) == 3:
            rows = rows.joined() if isinstance(rows, TokenIds) else rows.reshape(-1, rows.shape[-1])
        if not isinstance(rows, TokenIds):
            try:
                rows = as_token_ids(rows, "completions", ignore_id=None)
                if tolerant:
                    rows.read(0, len(rows), is_reference=False, name=Place("completions"))
            except ArgumentError:
                if not tolerant:
                    raise
                rows = as_token_ids([*_valid_rows(rows, errors)], "completions", ignore_id=None)
        whole: Any = rows
        scored: Any = whole
    else:
        (given,) = aligned(completions=completions)
        whole = list(_texts(given, tolerant, errors))
        scored = whole
        if step is not None:
            parts = list(_parts(whole, step, tolerant, errors))
            scored = [text for text, _, _ in parts]
            clipped = sum([is_clipped for _, is_clipped, _ in parts])
            cut = sum([is_cut for _, _, is_cut in parts])
    number = len(whole)
    if references is not None:
        aligned(number // width, references=references)
    if prompts is not None:
        aligned(number // width, prompts=prompts)
    ids = whole if isinstance(whole, TokenIds) else None
    if completion_ids is not None:
        (rows,) = aligned(number, completion_ids=on_host(completion_ids, "completion_ids"))
        ids = rows if isinstance(rows, TokenIds) else as_token_ids(rows, "completion_ids", ignore_id=None)
    if groups is None and len(getattr(completions, "shape", ())) == 3:
        groups = max(1, width)
    numbers = None if groups is None else group_numbers(groups, number)
    return Rollouts(
        completions, whole, scored, references, prompts, numbers, ids, clipped, cut, tuple(errors), tolerant
    )


def _valid_rows(rows: Any, errors: list[Exception]) -> Iterator[Any]:
    """Yield each row of ids; [] for a malformed one, whose error is appended."""
    for i in range(len(rows)):
        try:
            TokenIds([rows[i]], ignore_id=None).read(0, 1, is_reference=False, name=Place("ids"))
            yield rows[i]
        except ArgumentError as error:
            errors.append(error.at(Place("completions")[(i, *error.indices[1:])]))
            yield []


def _texts(completions: Any, tolerant: bool, errors: list[Exception]) -> Iterator[str]:
    """Yield the text of each completion; if errors are tolerated, "" for a malformed one, whose error is appended."""
    for i, completion in enumerate(completions):
        if type(completion) is str:
            yield completion
            continue
        try:
            yield text_of(completion, "completions", i)
        except ArgumentError as error:
            if not tolerant:
                raise
            errors.append(error)
            yield ""


def _parts(
    texts: Sequence[str], step: Step, tolerant: bool, errors: list[Exception]
) -> Iterator[tuple[str, bool, bool]]:
    """Yield the result of `step` for each text; if errors are tolerated, "" if it fails."""
    for text in texts:
        try:
            yield step(text)
        except Exception as error:  # noqa: PERF203  # any error of a function given as `extract`
            if not tolerant:
                raise
            errors.append(error)
            yield "", False, False


class Component:
    """A reward that can be a component of a `CombinedReward`, or be called by itself.

    Attributes:
        options: The arguments of the subclass by name, with which it is pickled; "name" is its name in logs.
    """

    #: Whether the reward of a completion depends on the others of its group.
    needs_groups = False
    #: Whether it is None for all completions if there are no references.
    needs_references = False

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.__name__: str = options["name"]
        check_name("name", self.__name__)

    def __reduce__(self) -> tuple[Callable[[], Component], tuple[()]]:
        return partial(type(self), **self.options), ()

    @overload
    def __call__(
        self,
        completions: list[Any] | tuple[Any, ...],
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> list[float | None]: ...

    @overload
    def __call__(
        self,
        completions: NDArray[Any],
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> NDArray[float64]: ...

    @overload
    def __call__(
        self,
        completions: Any,
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> Any: ...

    def __call__(
        self,
        completions: Any,
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> Any:
        """Reward completions. The whole text is scored, except in a `CombinedReward` with options such as `extract`.

        Args:
            completions: n completions, each a str, a list of messages, or token ids; or ids [n, T] or [n, K, T].
            references: One entry per completion, as `BLEUReward` takes them; None: no references.
            prompts: One entry per completion, used only by your own functions in a `CombinedReward`.
            groups: A label for each completion, equal for completions of the same prompt; or the number of
                consecutive completions of each prompt. Ids [n, K, T] have groups of K.
            completion_ids: The policy's token ids of each completion, if completions are text.

        Returns:
            n rewards: a list of float, None where this reward does not apply; for an array, an array of the same kind
            on the same device, with NaN instead of None. A `CombinedReward` excludes components that do not apply from
            its sum.

        Raises:
            TypeError, ValueError: An argument has the wrong type or length, one that this reward needs is missing, or a
                function returned something other than a number or None for each completion.
        """
        rollouts = self.read(
            completions, references, prompts=prompts, groups=groups, completion_ids=completion_ids
        )
        return in_form_of(self.rewards_of(rollouts), completions)

    def read(self, completions: Any, references: Any = None, **context: Any) -> Rollouts:
        """Read the arguments of a call; `context` are `prompts`, `groups` and `completion_ids`."""
        return read_rollouts(completions, references, **context)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Reward each of n rollouts; None where this reward does not apply."""
        raise NotImplementedError

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({options})"


def members_of(rollouts: Rollouts, by: str) -> list[list[int]]:
    """Return the indices of the completions of each group; `by` names the reward that compares them, for errors.

    Raises:
        ValueError: The groups are unknown.
    """
    if rollouts.groups is None:
        raise ArgumentValueError("groups", f"must be given, since {by} compares the samples of a group")
    members: list[list[int]] = []
    for i, group in enumerate(rollouts.groups.tolist()):
        if group == len(members):
            members.append([])
        members[group].append(i)
    return members
