"""Combine several rewards of the same completions into a weighted sum, and report each reward by name."""

from __future__ import annotations

from functools import partial
from inspect import signature
from logging import getLogger
from math import fsum, inf, isfinite

from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    Location,
    counted,
    show,
    suggests_options,
    wrong_type,
    wrong_value,
)
from ..inputs.reading import as_list
from ..metric import BLEU
from ..options import check_choice, check_flag, check_name, check_number
from .completions.call_arguments import WANTED
from .completions.chat_templates import MAX_SEARCHED, TemplateWarning, checked_tokens
from .completions.extraction import described, make_extractor
from .completions.ids import checked_id_options
from .completions.text import from_fields
from .components import Component, like_completions, read_rollouts
from .counts import ComponentCounts
from .group_rewards import RepetitionShare
from .repetition_penalty import RepetitionPenalty, count_tokens_of
from .reward import ERRORS, BLEUReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from ..inputs.id_options import Ids
    from .checking import CheckedSample
    from .completions.chat_templates import SpecialTokens
    from .completions.extraction import Extract
    from .components import Rollouts
    from .reward import Errors

    #: A function from n rollouts to n rewards; a reward is None where the component does not apply.
    RewardFunction: TypeAlias = Callable[[Rollouts], "list[float | None]"]

#: Names that a component must not have, because results use them for the sum: "total" in the result of
#: `CombinedReward.components`, "score" in the results for training stacks.
RESERVED_NAMES = ("total", "score")

#: The options of `BLEUReward` that are set for a whole `CombinedReward`, not for one of its components.
_SHARED_OPTIONS = ("extract", "strip_reasoning", "special_tokens", "reference_field", "pad_id", "eos_id")


class CombinedReward(Component):
    """The weighted sum of several rewards of the same completions, each with a name.

    The options `extract`, `strip_reasoning`, `special_tokens`, `reference_field`, `pad_id` and `eos_id` have the same
    meaning as in `BLEUReward`. They are applied once, for all components, so a `BLEUReward` among the components must
    not set them.

    A `CombinedReward` can be pickled if its functions can be. It computes the same rewards in every process, and
    several threads may call it.

    Args:
        components: Pairs of a weight and a component, by the component's name. A weight is a finite number. A component
            is a `BLEUReward`, another reward of this package except `CombinedReward`, or any function that is called as
            `function(completions, references, prompts=..., groups=...)` and returns a number or None for each
            completion. The names "total" and "score" are reserved.
        extract: The part of a completion that is scored.
        strip_reasoning: Whether reasoning is removed before the scored part is extracted.
        special_tokens: How special tokens of chat templates are handled.
        reference_field: The key of the references, if they are in mappings.
        pad_id: The padding id or ids of all matrices and lists of ids in a call.
        eos_id: The end-of-sequence id or ids.
        scored_text: Whether functions receive the scored texts instead of the completions that the caller passed.
        errors: How malformed completions and references are handled: "raise" raises an error, "empty" counts them as
            empty. With "empty", functions receive malformed completions unchanged, or as "" if `scored_text` is True.
        name: The name of the reward in logs.

    Attributes:
        options: All options by name.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no component, a name is reserved, a weight is not finite, or a component sets an option
            that only the `CombinedReward` may set.

    Example:
        >>> from fastbleu.rewards import RepetitionPenalty
        >>> reward = CombinedReward({"bleu": (0.9, BLEUReward()), "repetition": (0.5, RepetitionPenalty(n=2))})
        >>> reward(["the cat sat", "no no no"], ["the cat sat down", None])
        [0.6448781795164107, -0.25]
        >>> reward.components(["the cat sat", "no no no"], ["the cat sat down", None])["repetition"]
        [0.0, -0.5]
    """

    @suggests_options
    def __init__(
        self,
        components: Mapping[str, tuple[float, Any]],
        *,
        extract: Extract | None = None,
        strip_reasoning: bool = False,
        special_tokens: SpecialTokens = "warn",
        reference_field: str | None = None,
        pad_id: Ids = None,
        eos_id: Ids = None,
        scored_text: bool = False,
        errors: Errors = "raise",
        name: str = "combined_reward",
    ) -> None:
        check_choice("errors", errors, ERRORS)
        check_name("reference_field", reference_field, is_optional=True)
        special_tokens = checked_tokens(special_tokens)
        checked = _checked_components(components)
        super().__init__(
            components=checked,
            extract=extract,
            strip_reasoning=check_flag("strip_reasoning", strip_reasoning),
            special_tokens=special_tokens,
            reference_field=reference_field,
            pad_id=pad_id,
            eos_id=eos_id,
            scored_text=check_flag("scored_text", scored_text),
            errors=errors,
            name=name,
        )
        self._extractor = make_extractor(extract, strip_reasoning, special_tokens=special_tokens)
        self._id_options = checked_id_options(pad_id, eos_id)
        self._warns = TemplateWarning(self._extractor, is_over=special_tokens != "warn")
        self._functions: dict[str, tuple[float, RewardFunction]] = {}
        for key, (weight, component) in checked.items():
            self._functions[key] = weight, self._function_of(key, component)
            for kind, sign, wanted in (RepetitionPenalty, 1, "positive"), (RepetitionShare, -1, "negative"):
                if isinstance(component, kind) and weight * sign < 0:
                    getLogger("fastbleu").warning(
                        "components[%r] rewards repetition, because its weight is %g; use a %s weight.",
                        key,
                        weight,
                        wanted,
                    )
            self.needs_groups |= getattr(component, "needs_groups", False)
            self.needs_references |= getattr(component, "needs_references", isinstance(component, BLEUReward))
        self.counts = {key: ComponentCounts() for key in (*self._functions, "total")}

    def __repr__(self) -> str:
        weights = ", ".join(f"{name}: {weight:g}" for name, weight in self.weights.items())
        return f"<CombinedReward {self.__name__!r} {weights}>"

    @property
    def signature(self) -> str:
        """The signature in one line: the components with their weights, and changed options such as `extract`."""
        fields = []
        for name, (weight, component) in self.options["components"].items():
            signature_of_component = getattr(component, "signature", None) or described(component)
            shown = repr(component) if isinstance(component, Component) else signature_of_component
            fields.append(f"{name}: {weight:g} * {shown}")
        defaults = BLEUReward().options
        for option in _SHARED_OPTIONS:
            value = self.options[option]
            if value != defaults[option]:
                fields.append(f"{option}: {described(value) if option == 'extract' else value}")
        return "; ".join(fields)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each component by name."""
        return {name: weight for name, (weight, _) in self._functions.items()}

    def _function_of(self, name: str, component: Any) -> RewardFunction:
        """Return the function that computes the rewards of a component.

        Raises:
            TypeError: The component is neither a single reward nor a function with the expected parameters.
            ValueError: A `BLEUReward` sets an option that only the `CombinedReward` may set.
        """
        if isinstance(component, BLEUReward):
            return _of_bleu(component, name, self.options)
        if isinstance(component, CombinedReward):
            raise wrong_type(
                Location("components")[name][1], "a single reward, not a CombinedReward", component
            )
        if isinstance(component, Component):
            return component.rewards_of
        if not callable(component) or isinstance(component, type):
            raise wrong_type(Location("components")[name][1], "a reward or a function", component)
        try:
            signature(component).bind(None, None, prompts=None, groups=None)
        except ValueError:  # Some functions in C have no signature.
            pass
        except TypeError as error:
            raise ArgumentTypeError(
                Location("components")[name][1],
                f"must accept a call function(completions, references, prompts=..., groups=...), but {error}",
                value=component,
            ) from None
        return partial(_of_function, component, Location("components")[name], self.options["scored_text"])

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Return the weighted sum of rewards for each of n rollouts, and add all rewards to `counts`.

        A component whose reward is None adds nothing to the sum; the other weights stay the same. If the rewards of
        all components are None, the sum is None.
        """
        return self._counted(rollouts)["total"]

    def components(
        self,
        completions: Any,
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> dict[str, Any]:
        """Reward completions, and return the rewards of each component.

        Args:
            completions: The n completions.
            references: One entry per completion, or None.
            prompts: One entry per completion, or None.
            groups: A label for each completion, or the size of the groups, or None.
            completion_ids: The policy's token ids of each completion, or None.

        Returns:
            The n rewards of each component by name, not multiplied by the weights, and the n weighted sums as "total".
            Each value has the type that a call returns.

        Raises:
            TypeError, ValueError: The arguments are wrong, as for `CombinedReward.__call__`.
        """
        context = {"prompts": prompts, "groups": groups, "completion_ids": completion_ids}
        rewards_by_name = self._counted(self.read(completions, references, **context))
        return {name: like_completions(rewards, completions) for name, rewards in rewards_by_name.items()}

    def check(
        self,
        completions: Any,
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> list[CheckedSample]:
        """Print how a few samples are read, and the reward of each component, for inspection before training.

        Nothing is added to `counts`.

        Args:
            completions: The n completions.
            references: One entry per completion, or None.
            prompts: One entry per completion, or None.
            groups: A label for each completion, or the size of the groups, or None.
            completion_ids: The policy's token ids of each completion, or None.

        Returns:
            The printed samples, with remarks on likely problems, as from `BLEUReward.check`.

        Raises:
            TypeError, ValueError: The arguments are wrong, as for `CombinedReward.__call__`.

        Example:
            >>> reward = CombinedReward({"bleu": (1, BLEUReward())}, extract="answer")
            >>> checked = reward.check(["<answer>the cat sat</answer>"], ["the cat sat"])
            sample 0: reward 1.0000
              bleu        1.0000
              completion  <answer>the cat sat</answer>
              scored      the cat sat
              reference   the cat sat
        """
        from .checking import CheckedSample, as_text, checked_sample

        options = {**self.options, "errors": "raise"}
        if options["special_tokens"] == "warn":
            options["special_tokens"] = "keep"
        quiet = type(self)(**options)
        plain = BLEUReward(**{name: options[name] for name in _SHARED_OPTIONS})
        context = {"prompts": prompts, "groups": groups, "completion_ids": completion_ids}
        rollouts = quiet.read(completions, references, **context)
        rewards_by_name = quiet._rewards(rollouts)
        all_references = [None] * len(rollouts) if references is None else list(references)
        checked = []
        original: Any = rollouts.original if isinstance(rollouts.original, (list, tuple)) else rollouts.full
        if rollouts.are_ids and hasattr(rollouts.original, "reshape"):
            original = rollouts.original.reshape(-1, rollouts.original.shape[-1])
        for i, (completion, scored) in enumerate(zip(list(original), list(rollouts.scored), strict=True)):
            rewards = {name: values[i] for name, values in rewards_by_name.items()}
            sample_references = all_references[i * len(all_references) // len(rollouts)]
            # Without a score against references, get the other remarks by scoring against a placeholder, and remove the
            # remarks on this score below.
            has_score = sample_references is not None and self.needs_references
            placeholder: Any = [0] if rollouts.are_ids else ""
            remarks = checked_sample(
                plain, completion, sample_references if has_score else placeholder
            ).remarks
            removed = "the score is 0" if has_score else ("the score is 0", "more than")
            remarks = tuple(remark for remark in remarks if not remark.startswith(removed))
            total = rewards.pop("total")
            checked.append(CheckedSample(total, completion, scored, sample_references, remarks, rewards))
        print(as_text(checked))  # noqa: T201  # printing is the method's purpose
        return checked

    def read(self, completions: Any, references: Any = None, **context: Any) -> Rollouts:
        """Read the arguments of a call, and extract the scored parts of the completions.

        Args:
            completions: The completions of the call.
            references: The references of the call, or None.
            context: The arguments `prompts`, `groups` and `completion_ids` of the call.
        """
        field = self.options["reference_field"]
        if field is not None and references is not None:
            references = from_fields(as_list(references, "references", WANTED["references"]), field)
        rollouts = read_rollouts(
            completions,
            references,
            **context,
            extractor=self._extractor,
            tolerant=self.options["errors"] == "empty",
            id_options=self._id_options,
        )
        texts: Any = rollouts.full
        if not self._warns.is_over and self.counts["total"].samples < MAX_SEARCHED and not rollouts.are_ids:
            self._warns.search(texts, list(rollouts.scored))
        return rollouts

    def _counted(self, rollouts: Rollouts) -> dict[str, list[float | None]]:
        """Return the rewards of each component, and the sums as "total"; add all of them to `counts`."""
        rewards_by_name = self._rewards(rollouts)
        for name, rewards in rewards_by_name.items():
            self.counts[name].add(rewards)
        lengths = count_tokens_of(rollouts.scored) if rollouts.are_ids else rollouts.scored
        empty = len(rollouts) - sum(map(bool, lengths))
        self.counts["total"].add_texts(empty, rollouts.clipped, rollouts.cut, rollouts.errors)
        return rewards_by_name

    def _rewards(self, rollouts: Rollouts) -> dict[str, list[float | None]]:
        """Return the rewards of each component by name, and the weighted sums as "total"."""
        rewards_by_name = {name: function(rollouts) for name, (_, function) in self._functions.items()}
        columns: list[list[Any]] = [
            [None if reward is None else weight * reward for reward in rewards_by_name[name]]
            for name, weight in self.weights.items()
        ]
        totals = []
        for row in zip(*columns, strict=True):
            terms = [term for term in row if term is not None] if None in row else row
            totals.append(fsum(terms) if terms else None)
        return {**rewards_by_name, "total": totals}


def _checked_components(components: Any) -> dict[str, tuple[float, Any]]:
    """Check the names and weights of components, and return the components with their weights as float.

    Raises:
        TypeError: `components` is not a mapping of names to pairs.
        ValueError: There is no component, a name is reserved, or a weight is not finite.
    """
    if not hasattr(components, "items"):
        raise wrong_type("components", "a dict from names to pairs of a weight and a reward", components)
    if not components:
        raise ArgumentValueError("components", "must have at least one component", value=components)
    checked = {}
    for name, value in components.items():
        location = Location("components")[name]
        if not isinstance(name, str) or not name or name in RESERVED_NAMES:
            raise wrong_value("components", f"a dict whose names are str other than {RESERVED_NAMES}", name)
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise wrong_type(location, "a weight and a reward, such as (0.5, BLEUReward())", value)
        weight, component = value
        checked[name] = check_number(str(location[0]), weight, isfinite, "finite"), component
    return checked


def _of_bleu(reward: BLEUReward, name: str, options: Mapping[str, Any]) -> RewardFunction:
    """Return a function that scores the extracted texts of rollouts by a `BLEUReward`.

    Args:
        reward: The component.
        name: The name of the component, for errors.
        options: The options of the `CombinedReward`.

    Raises:
        ValueError: The component sets an option that only the `CombinedReward` may set.
    """
    defaults = BLEUReward().options
    for option in _SHARED_OPTIONS:
        if reward.options[option] != defaults[option]:
            raise ArgumentValueError(
                f"components[{name!r}]",
                f"must not set {option}={reward.options[option]!r}; pass this option to CombinedReward instead",
                value=reward,
            )
    shared = "errors", *(("pad_id", "eos_id") if isinstance(reward.metric, BLEU) else ())
    changed = {"special_tokens": "keep", **{option: options[option] for option in shared}}
    scoring = BLEUReward(**{**reward.options, **changed}).scoring

    def score(rollouts: Rollouts) -> list[float | None]:
        if rollouts.references is None:
            return [None] * len(rollouts)
        completions = rollouts.original if rollouts.are_ids else rollouts.scored
        return scoring.many(completions, rollouts.references)

    return score


def _of_function(
    function: Callable[..., Any], location: Location, takes_scored: bool, rollouts: Rollouts
) -> list[float | None]:
    """Call a user's function, and check that it returns a number or None for each rollout.

    Args:
        function: The function.
        location: The location of the function in the argument `components`, for errors.
        takes_scored: Whether the function receives the scored texts instead of the original completions.
        rollouts: The rollouts.

    Raises:
        TypeError, ValueError: The result has the wrong type or length, or a reward is not finite.
    """
    rewards = function(
        list(rollouts.scored) if takes_scored else rollouts.original,
        rollouts.references,
        prompts=rollouts.prompts,
        groups=rollouts.groups,
    )
    if hasattr(rewards, "tolist"):  # The function returned an array.
        rewards = rewards.tolist()
    if not isinstance(rewards, (list, tuple)):
        raise wrong_type(location, "a function that returns a list of rewards", rewards)
    if len(rewards) != len(rollouts):
        returned = f"returned {counted(len(rewards), 'reward')} for {counted(len(rollouts), 'completion')}"
        raise ArgumentValueError(location, returned, value=rewards)
    checked: list[float | None] = []
    for i, reward in enumerate(rewards):
        try:
            number = None if reward is None else reward.__float__()  # `float` would also accept a str.
        except OverflowError:
            number = inf
        except (AttributeError, TypeError, ValueError):
            text = f"returned {show(reward)} for completions[{i}], which is neither a number nor None"
            raise ArgumentTypeError(location, text, value=reward) from None
        if number is not None and not isfinite(number):
            raise ArgumentValueError(location, f"returned {show(reward)} for completions[{i}]", value=reward)
        checked.append(number)
    return checked
