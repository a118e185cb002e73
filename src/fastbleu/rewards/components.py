"""The base class of all components of a `CombinedReward`, and the rollouts that components score.

A rollout is one completion that the policy, the model being trained, has sampled, with its prompt and references.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, TypedDict, TypeVar, overload

from ..errors import ArgumentError, ArgumentTypeError, Location
from ..inputs.devices import as_like
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds, as_token_ids
from ..options import check_name
from .completions.call_arguments import aligned, are_ids, samples_per_prompt
from .completions.ids import count_unended, on_host
from .completions.text import plain_texts, text_of
from .group_argument import group_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy import float64
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .completions.extraction import Extractor

    Item = TypeVar("Item")
    Result = TypeVar("Result")

    class Context(TypedDict, total=False):
        """The keyword arguments of a call: all arguments except completions and references."""

        prompts: Any
        groups: Any
        completion_ids: Any


class Rollouts(NamedTuple):
    """The completions of one call, read once for all components.

    Attributes:
        original: The n completions as the caller passed them; ids may have the shape [n / K, K, T].
        full: The whole text of each completion, n strings; or `TokenIds` of n rows.
        scored: The scored part of each text, n strings; or the `TokenIds` of `full`.
        references: The references as the caller passed them, one entry per completion or per K completions; None if
            there are no references.
        prompts: The prompts as the caller passed them, or None.
        groups: For each completion the number of its group, from 0; None if the groups are unknown.
        ids: The policy's token ids of each completion, n rows; None if they are unknown.
        clipped: The number of truncated completions: text in which reasoning or a tag is opened and never closed, or
            ids without an `eos_id`.
        cut: The number of completions from which special tokens or a prompt were removed.
        errors: One error for each malformed completion. The text of a malformed completion is "", and its row of ids is
            empty.
        tolerant: Whether malformed completions and references count as empty instead of raising errors.
        id_options: The token-id options of all ids that are not `TokenIds`; None or {} for the defaults.
    """

    original: Any
    full: Sequence[str] | TokenIds
    scored: Sequence[str] | TokenIds
    references: Any
    prompts: Any
    groups: list[int] | None
    ids: TokenIds | None
    clipped: int = 0
    cut: int = 0
    errors: tuple[Exception, ...] = ()
    tolerant: bool = False
    id_options: Mapping[str, Any] | None = None

    def __len__(self) -> int:
        return len(self.full)

    @property
    def name_of_ids(self) -> str:
        """The name of the argument from which `ids` were read, for errors."""
        return "completions" if self.ids is self.full else "completion_ids"

    @property
    def are_ids(self) -> bool:
        """True if the completions are token ids."""
        return isinstance(self.full, TokenIds)


def read_rollouts(
    completions: Any,
    references: Any = None,
    prompts: Any = None,
    groups: Any = None,
    completion_ids: Any = None,
    *,
    extractor: Extractor | None = None,
    tolerant: bool = False,
    id_options: Mapping[str, Any] | None = None,
) -> Rollouts:
    """Read the arguments of a call.

    Args:
        completions: n completions, each a str, a list of messages, or token ids; or ids [n, T] or [n, K, T].
        references: One entry per completion, or None.
        prompts: One entry per completion, or None.
        groups: A label for each completion, or the number of consecutive completions in each group. None: with ids
            [n, K, T] the K samples of a prompt are a group, otherwise the groups are unknown.
        completion_ids: The policy's token ids of each completion, or None.
        extractor: A function that returns the scored part of a text; None if the whole text is scored.
        tolerant: Whether a malformed completion counts as empty instead of raising an error.
        id_options: The token-id options of ids that are not `TokenIds`, as `checked_id_options` returns them.

    Raises:
        TypeError, ValueError: A completion or a label has the wrong type, two arguments have different lengths, or
            completions are ids although an `extractor` is given.

    Example:
        >>> rollouts = read_rollouts(["a b", "c d", "c"], groups=["x", "y", "x"])
        >>> rollouts.scored, rollouts.groups
        (['a b', 'c d', 'c'], [0, 1, 0])
    """
    clipped = cut = 0
    errors: list[Exception] = []
    width = 1
    used_options = id_options or {"ignore_id": None}
    full: Any
    scored: Any
    if are_ids(completions, references):
        if extractor is not None:
            raise ArgumentTypeError(
                "completions",
                "are token ids, from which no answer, reasoning or special tokens can be cut; decode them first",
            )
        width = samples_per_prompt(completions)
        rows = on_host(completions)
        if width > 1 or len(getattr(rows, "shape", ())) == 3:
            rows = rows.joined() if isinstance(rows, TokenIds) else rows.reshape(-1, rows.shape[-1])
        clipped = count_unended(rows, used_options)
        if tolerant and not isinstance(rows, TokenIds):
            rows = [*_converted(rows, partial(_checked_row, used_options), [], errors)]
        full = scored = (
            rows if isinstance(rows, TokenIds) else as_token_ids(rows, "completions", **used_options)
        )
    else:
        (samples,) = aligned(completions=completions)
        full = scored = plain_texts(samples)
        tolerated = errors if tolerant else None
        if full is None:
            full = scored = [
                *_converted(samples, lambda i, sample: text_of(sample, "completions", i), "", tolerated)
            ]
        if extractor is not None:
            extracted = [*_converted(full, lambda _, text: extractor(text), ("", False, False), tolerated)]
            scored = [text for text, _, _ in extracted]
            clipped = sum([is_clipped for _, is_clipped, _ in extracted])
            cut = sum([is_cut for _, _, is_cut in extracted])
    number = len(full)
    if references is not None:
        aligned(number // width, references=references)
    if prompts is not None:
        aligned(number // width, prompts=prompts)
    ids = full if isinstance(full, TokenIds) else None
    if completion_ids is not None:
        (rows,) = aligned(number, completion_ids=on_host(completion_ids, "completion_ids"))
        ids = rows if isinstance(rows, TokenIds) else as_token_ids(rows, "completion_ids", **used_options)
    if groups is None and len(getattr(completions, "shape", ())) == 3:
        groups = max(1, width)
    return Rollouts(
        completions,
        full,
        scored,
        references,
        prompts,
        None if groups is None else group_numbers(groups, number),
        ids,
        clipped,
        cut,
        tuple(errors),
        tolerant,
        id_options,
    )


def _converted(
    items: Iterable[Item],
    convert: Callable[[int, Item], Result],
    default: Result,
    errors: list[Exception] | None,
) -> Iterator[Result]:
    """Yield the result of a function for each item.

    Args:
        items: The items.
        convert: The function, which is called with the index of an item and the item.
        default: The result for an item for which `convert` raises an error.
        errors: A list to which the errors of `convert` are appended; None if these errors are raised.
    """
    for i, item in enumerate(items):
        try:
            yield convert(i, item)
        except Exception as error:  # noqa: PERF203  # the user's `extract` function may raise any error
            if errors is None:
                raise
            errors.append(error)
            yield default


def _checked_row(id_options: Mapping[str, Any], i: int, row: Any) -> Any:
    """Return row i of the completions unchanged, after checking that it can be read as token ids.

    Raises:
        TypeError, ValueError: The row cannot be read; the error names its location in `completions`.
    """
    try:
        TokenIds([row], **id_options).read(0, 1, is_reference=False, name=Location("ids"))
    except ArgumentError as error:
        raise error.at(Location("completions")[(i, *error.indices[1:])]) from None
    return row


def like_completions(rewards: list[float | None], completions: Any) -> Any:
    """Convert rewards to the type of container in which the completions were passed.

    Returns:
        The list unchanged if completions are a list or a tuple; an array of the same library, device and leading
        dimensions if they are an array of ids; otherwise a NumPy array. Arrays have NaN instead of None.
    """
    if isinstance(completions, (list, tuple)):
        return rewards
    import numpy as np

    shape: Any = getattr(completions, "shape", ())
    array = np.array(rewards, dtype=np.float64)
    if not isinstance(completions, TokenIds) and not is_number_array(completions, (2, 3)):
        return array
    return as_like(array.reshape(shape[:2]) if len(shape) == 3 else array, completions)


class Component:
    """A reward that can be called directly or be a component of a `CombinedReward`.

    Attributes:
        options: The keyword arguments that make an equal object, used for pickling. "name" is the name in logs.
    """

    #: Whether the reward of a completion depends on the other completions of its group.
    needs_groups = False
    #: Whether all rewards are None if there are no references.
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
        """Reward completions.

        Whole texts are scored, unless this is a `CombinedReward` with an option such as `extract`.

        Args:
            completions: n completions, each a str, a list of messages, or token ids; or ids [n, T] or [n, K, T].
            references: One entry per completion, in the form that `BLEUReward` accepts; None if there are none.
            prompts: One entry per completion. A `CombinedReward` passes them to the functions among its components;
                other rewards ignore them.
            groups: A label for each completion, equal for completions of the same prompt; or the number of
                consecutive completions of each prompt. For ids [n, K, T], the default is groups of K.
            completion_ids: The policy's token ids of each completion, if completions are text.

        Returns:
            n rewards. For a list, a list of float, with None where this reward does not apply. For an array, an array
            of the same library on the same device, with NaN instead of None. A `CombinedReward` excludes components
            that do not apply from its sum.

        Raises:
            TypeError, ValueError: An argument has the wrong type or length; an argument that this reward needs is
                missing; or a function did not return a number or None for each completion.
        """
        rollouts = self.read(
            completions, references, prompts=prompts, groups=groups, completion_ids=completion_ids
        )
        return like_completions(self.rewards_of(rollouts), completions)

    def read(self, completions: Any, references: Any = None, **context: Any) -> Rollouts:
        """Read the arguments of a call.

        Args:
            completions: The completions of the call.
            references: The references of the call, or None.
            context: The arguments `prompts`, `groups` and `completion_ids` of the call.
        """
        return read_rollouts(completions, references, **context)

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Return the reward of each of n rollouts, or None where this reward does not apply."""
        raise NotImplementedError

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{type(self).__name__}({options})"
