"""Code that all components of a reward share: the rollouts that they score, and their calls."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, overload

from ..errors import ArgumentError, ArgumentTypeError, Location
from ..inputs.devices import as_like
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds, as_token_ids
from ..options import check_name
from .completions.ids import count_unended, on_host
from .completions.kinds import aligned, are_ids, samples_of_each
from .completions.text import plain_texts, text_of
from .groups import group_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypedDict, TypeVar

    from numpy import float64
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .completions.extraction import Step

    Item = TypeVar("Item")
    Result = TypeVar("Result")

    class Context(TypedDict, total=False):
        """The arguments of a call other than completions and references."""

        prompts: Any
        groups: Any
        completion_ids: Any


class Rollouts(NamedTuple):
    """The completions of one call, read once for all components.

    Attributes:
        given: The n completions as they were given, or ids [n / K, K, T].
        whole: n texts, or `TokenIds` of n rows.
        scored: The scored part of each completion: n texts, or the same `TokenIds`.
        references: The references as they were given, one entry per completion or per K completions; None: no
            references.
        prompts: The prompts as they were given, or None.
        groups: The number of the group of each completion, from 0; None: the groups are unknown.
        ids: The policy's token ids of each completion, n rows; None: unknown.
        clipped: The number of truncated completions: reasoning or a tag was opened and never closed.
        cut: The number of completions from which special tokens or a prompt were removed.
        errors: The error of each malformed completion, which counts as "" or as no ids.
        tolerant: Whether malformed completions and references are tolerated.
        rule: The token-id options of all ids that are not `TokenIds`; None: there are none.
    """

    given: Any
    whole: Sequence[str] | TokenIds
    scored: Sequence[str] | TokenIds
    references: Any
    prompts: Any
    groups: list[int] | None
    ids: TokenIds | None
    clipped: int = 0
    cut: int = 0
    errors: tuple[Exception, ...] = ()
    tolerant: bool = False
    rule: Mapping[str, Any] | None = None

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
    rule: Mapping[str, Any] | None = None,
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
        rule: The token-id options of ids that are not `TokenIds`, as `id_rule` returns them.

    Raises:
        TypeError, ValueError: A completion or a label has the wrong type, numbers differ, or `step` is given for ids.

    Example:
        >>> rollouts = read_rollouts(["a b", "c d", "c"], groups=["x", "y", "x"])
        >>> rollouts.scored, rollouts.groups
        (['a b', 'c d', 'c'], [0, 1, 0])
    """
    clipped = cut = 0
    errors: list[Exception] = []
    width = 1
    own_rule = rule or {"ignore_id": None}
    whole: Any
    scored: Any
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
        clipped = count_unended(rows, own_rule)
        if tolerant and not isinstance(rows, TokenIds):
            rows = [*_converted(rows, partial(_valid_row, own_rule), [], errors)]
        whole = scored = rows if isinstance(rows, TokenIds) else as_token_ids(rows, "completions", **own_rule)
    else:
        (given,) = aligned(completions=completions)
        whole = scored = plain_texts(given)
        kept = errors if tolerant else None
        if whole is None:
            whole = scored = [*_converted(given, lambda i, each: text_of(each, "completions", i), "", kept)]
        if step is not None:
            parts = [*_converted(whole, lambda _, text: step(text), ("", False, False), kept)]
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
        ids = rows if isinstance(rows, TokenIds) else as_token_ids(rows, "completion_ids", **own_rule)
    if groups is None and len(getattr(completions, "shape", ())) == 3:
        groups = max(1, width)
    numbers = None if groups is None else group_numbers(groups, number)
    return Rollouts(
        completions,
        whole,
        scored,
        references,
        prompts,
        numbers,
        ids,
        clipped,
        cut,
        tuple(errors),
        tolerant,
        rule,
    )


def _converted(
    items: Iterable[Item],
    convert: Callable[[int, Item], Result],
    broken: Result,
    errors: list[Exception] | None,
) -> Iterator[Result]:
    """Yield each item after conversion.

    Args:
        items: The items.
        convert: A function from the index of an item, and the item.
        broken: The result for an item that `convert` fails for.
        errors: A list to which the errors are appended; None: they are raised.
    """
    for i, item in enumerate(items):
        try:
            yield convert(i, item)
        except Exception as error:  # noqa: PERF203  # any error of a function given as `extract`
            if errors is None:
                raise
            errors.append(error)
            yield broken


def _valid_row(rule: Mapping[str, Any], i: int, row: Any) -> Any:
    """Return a row of ids unchanged if it can be read."""
    try:
        TokenIds([row], **rule).read(0, 1, is_reference=False, name=Location("ids"))
    except ArgumentError as error:
        raise error.at(Location("completions")[(i, *error.indices[1:])]) from None
    return row


def in_form_of(rewards: list[float | None], completions: Any) -> Any:
    """Return rewards as a list for a list, as an array of the same kind for an array of ids, else as a NumPy array."""
    if isinstance(completions, (list, tuple)):
        return rewards
    import numpy as np

    shape: Any = getattr(completions, "shape", ())
    array = np.array(rewards, dtype=np.float64)
    if not isinstance(completions, TokenIds) and not is_number_array(completions, (2, 3)):
        return array
    return as_like(array.reshape(shape[:2]) if len(shape) == 3 else array, completions)


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
        self, completions: list[Any] | tuple[Any, ...], references: Any = None, **context: Unpack[Context]
    ) -> list[float | None]: ...

    @overload
    def __call__(
        self, completions: NDArray[Any], references: Any = None, **context: Unpack[Context]
    ) -> NDArray[float64]: ...

    @overload
    def __call__(self, completions: Any, references: Any = None, **context: Unpack[Context]) -> Any: ...

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
