"""Combine several rewards of the same completions: their weighted sum, and each reward by name."""

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
from .completions.extraction import described, extraction
from .completions.ids import id_rule
from .completions.kinds import WANTED
from .completions.marks import LOOKED_AT, MarkWarning, checked_tokens
from .completions.text import from_fields
from .components import Component, in_form_of, read_rollouts
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
    from .completions.extraction import Extract
    from .completions.marks import SpecialTokens
    from .components import Rollouts
    from .reward import Errors

    #: Function from rollouts to rewards; None where the component does not apply.
    RewardsOf: TypeAlias = Callable[[Rollouts], "list[float | None]"]

#: Names that a component may not have: those of the sum in the results of `components` and of stacks.
RESERVED_NAMES = ("total", "score")

#: The options of a `BLEUReward` that belong to the combination.
_SHARED_OPTIONS = ("extract", "strip_reasoning", "special_tokens", "reference_field", "pad_id", "eos_id")


class CombinedReward(Component):
    """The weighted sum of named rewards, all computed from the same part of each completion.

    A reward may be pickled if its functions can be, has the same value in every process, and may be used from several
    threads.

    Args:
        components: For each name the weight of a component, finite, and the component: a `BLEUReward`, one of the other
            rewards of this package, or any function that is called as `function(completions, references, prompts=...,
            groups=...)` and returns a number or None for each completion. No name may be "total" or "score".
        extract: As for `BLEUReward`: the part of a completion that is scored. It and the next five are applied once,
            for all components, and may not be given to a `BLEUReward` inside.
        strip_reasoning: As for `BLEUReward`.
        special_tokens: As for `BLEUReward`.
        reference_field: As for `BLEUReward`: the key of the references if they are in mappings.
        pad_id: As for `BLEUReward`: the padding id or ids of all matrices and lists of ids in a call.
        eos_id: As for `BLEUReward`: the end-of-sequence id or ids.
        scored_text: Whether functions receive the scored texts instead of the completions as they were given.
        errors: How malformed completions and references are handled: "raise" an error, or count them as empty
            ("empty"). Functions get them unchanged, or with `scored_text=True` as "".
        name: The name of the reward in logs.

    Attributes:
        options: All options by name.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no component, a name is reserved, a weight is not finite, or a component has an option that
            belongs to the combination.

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
        given = _checked(components)
        super().__init__(
            components=given,
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
        self._step = extraction(extract, strip_reasoning, special_tokens=special_tokens)
        self._rule = id_rule(pad_id, eos_id)
        self._tolerant = errors == "empty"
        self._warns = MarkWarning(self._step, is_over=special_tokens != "warn")
        self._parts: dict[str, tuple[float, RewardsOf]] = {}
        for key, (weight, component) in given.items():
            self._parts[key] = weight, self._rewards_of_part(key, component)
            for kind, sign, wanted in (RepetitionPenalty, 1, "positive"), (RepetitionShare, -1, "negative"):
                if isinstance(component, kind) and weight * sign < 0:
                    getLogger("fastbleu").warning(
                        "components[%r] rewards repetition by its weight %g; use a %s one.",
                        key,
                        weight,
                        wanted,
                    )
            self.needs_groups |= getattr(component, "needs_groups", False)
            self.needs_references |= getattr(component, "needs_references", isinstance(component, BLEUReward))
        self.counts = {each: ComponentCounts() for each in (*self._parts, "total")}

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}: {weight:g}" for name, weight in self.weights.items())
        return f"<CombinedReward {self.__name__!r} {parts}>"

    @property
    def signature(self) -> str:
        """The weight and the signature of each component, and the options of what is scored, in one line."""
        parts = []
        for name, (weight, component) in self.options["components"].items():
            own = getattr(component, "signature", None)
            shown = repr(component) if isinstance(component, Component) else own or described(component)
            parts.append(f"{name}: {weight:g} * {shown}")
        usual = BLEUReward().options
        for option in _SHARED_OPTIONS:
            value = self.options[option]
            if value != usual[option]:
                parts.append(f"{option}: {described(value) if option == 'extract' else value}")
        return "; ".join(parts)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each component by name."""
        return {name: weight for name, (weight, _) in self._parts.items()}

    def _rewards_of_part(self, name: str, component: Any) -> RewardsOf:
        """Return the function that computes the rewards of a component."""
        if isinstance(component, BLEUReward):
            return _of_bleu(component, name, self.options)
        if isinstance(component, CombinedReward):
            raise wrong_type(Location("components")[name][1], "a single reward, not a combination", component)
        if isinstance(component, Component):
            return component.rewards_of
        if not callable(component) or isinstance(component, type):
            raise wrong_type(Location("components")[name][1], "a reward or a function", component)
        try:
            signature(component).bind(None, None, prompts=None, groups=None)
        except ValueError:  # It has no signature.
            pass
        except TypeError as error:
            raise ArgumentTypeError(
                Location("components")[name][1],
                f"is called as function(completions, references, prompts=..., groups=...), but {error}",
                value=component,
            ) from None
        return partial(_of_function, component, Location("components")[name], self.options["scored_text"])

    def rewards_of(self, rollouts: Rollouts) -> list[float | None]:
        """Return the weighted sum of the rewards of each of n rollouts, and count them.

        A component that does not apply is excluded, and the other weights are unchanged; if none applies, the sum is
        None.
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
            completions: As in a call.
            references: As in a call.
            prompts: As in a call.
            groups: As in a call.
            completion_ids: As in a call.

        Returns:
            The rewards by name, without weights, and their weighted sums as "total", each as a call returns them.

        Raises:
            TypeError, ValueError: As a call.
        """
        context = {"prompts": prompts, "groups": groups, "completion_ids": completion_ids}
        parts = self._counted(self.read(completions, references, **context))
        return {name: in_form_of(rewards, completions) for name, rewards in parts.items()}

    def check(
        self,
        completions: Any,
        references: Any = None,
        *,
        prompts: Any = None,
        groups: Any = None,
        completion_ids: Any = None,
    ) -> list[CheckedSample]:
        """Print how a few samples are read, and the reward of each component, to inspect before training.

        Args:
            completions: As in a call.
            references: As in a call.
            prompts: As in a call.
            groups: As in a call.
            completion_ids: As in a call.

        Returns:
            The samples as printed, with likely problems as `BLEUReward.check` gives them. Nothing is added to `counts`.

        Raises:
            TypeError, ValueError: As a call.

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
        parts = quiet._rewards(rollouts)
        listed = [None] * len(rollouts) if references is None else list(references)
        checked = []
        whole: Any = rollouts.given if isinstance(rollouts.given, (list, tuple)) else rollouts.whole
        if rollouts.are_ids and hasattr(rollouts.given, "reshape"):
            whole = rollouts.given.reshape(-1, rollouts.given.shape[-1])
        for i, (given, scored) in enumerate(zip(list(whole), list(rollouts.scored), strict=True)):
            rewards = {name: values[i] for name, values in parts.items()}
            of_one = listed[i * len(listed) // len(rollouts)]
            # Without references only the completion is judged, and no score is.
            is_judged = of_one is not None and self.needs_references
            remarks = checked_sample(
                plain, given, of_one if is_judged else [0] if rollouts.are_ids else ""
            ).remarks
            left_out = "the score is 0" if is_judged else ("the score is 0", "more than")
            remarks = tuple(remark for remark in remarks if not remark.startswith(left_out))
            checked.append(CheckedSample(rewards.pop("total"), given, scored, of_one, remarks, rewards))
        print(as_text(checked))  # noqa: T201  # printing is its purpose
        return checked

    def read(self, completions: Any, references: Any = None, **context: Any) -> Rollouts:
        """Read the arguments of a call, and extract the parts that are scored."""
        field = self.options["reference_field"]
        if field is not None and references is not None:
            references = from_fields(as_list(references, "references", WANTED["references"]), field)
        how: Any = {"step": self._step, "tolerant": self._tolerant, "rule": self._rule}
        rollouts = read_rollouts(completions, references, **context, **how)
        whole: Any = rollouts.whole
        if not self._warns.is_over and self.counts["total"].samples < LOOKED_AT and not rollouts.are_ids:
            self._warns.look(whole, list(rollouts.scored))
        return rollouts

    def _counted(self, rollouts: Rollouts) -> dict[str, list[float | None]]:
        """Return the rewards of each component and the sums, and count them."""
        parts = self._rewards(rollouts)
        for name, rewards in parts.items():
            self.counts[name].add(rewards)
        lengths = count_tokens_of(rollouts.scored) if rollouts.are_ids else rollouts.scored
        empty = len(rollouts) - sum(map(bool, lengths))
        self.counts["total"].add_texts(empty, rollouts.clipped, rollouts.cut, rollouts.errors)
        return parts

    def _rewards(self, rollouts: Rollouts) -> dict[str, list[float | None]]:
        """Return the rewards of each component, and the sums as "total"."""
        parts = {name: rewards_of(rollouts) for name, (_, rewards_of) in self._parts.items()}
        terms: list[list[Any]] = [
            [None if reward is None else weight * reward for reward in parts[name]]
            for name, weight in self.weights.items()
        ]
        totals = []
        for row in zip(*terms, strict=True):
            given = [term for term in row if term is not None] if None in row else row
            totals.append(fsum(given) if given else None)
        return {**parts, "total": totals}


def _checked(components: Any) -> dict[str, tuple[float, Any]]:
    """Check the names and weights of components."""
    if not hasattr(components, "items"):
        raise wrong_type("components", "a dict of a weight and a reward by name", components)
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


def _of_bleu(reward: BLEUReward, name: str, options: Mapping[str, Any]) -> RewardsOf:
    """Return a function that scores the extracted texts of rollouts by a `BLEUReward`.

    Raises:
        ValueError: The reward has an option that belongs to the combination.
    """
    usual = BLEUReward().options
    for option in _SHARED_OPTIONS:
        if reward.options[option] != usual[option]:
            raise ArgumentValueError(
                f"components[{name!r}]",
                f"must not have {option}={reward.options[option]!r}: what is scored is an option of the combination",
                value=reward,
            )
    shared = "errors", *(("pad_id", "eos_id") if isinstance(reward.metric, BLEU) else ())
    own = {**reward.options, "special_tokens": "keep", **{option: options[option] for option in shared}}
    scoring = BLEUReward(**own).scoring

    def score(rollouts: Rollouts) -> list[float | None]:
        if rollouts.references is None:
            return [None] * len(rollouts)
        completions = rollouts.given if rollouts.are_ids else rollouts.scored
        return scoring.many(completions, rollouts.references)

    return score


def _of_function(
    function: Callable[..., Any], location: Location, takes_scored: bool, rollouts: Rollouts
) -> list[float | None]:
    """Call a user's function, and check its result; `location` is its name in errors."""
    rewards = function(
        list(rollouts.scored) if takes_scored else rollouts.given,
        rollouts.references,
        prompts=rollouts.prompts,
        groups=rollouts.groups,
    )
    if hasattr(rewards, "tolist"):
        rewards = rewards.tolist()  # An array on any device.
    if not isinstance(rewards, (list, tuple)):
        raise wrong_type(location, "a function that returns a list of rewards", rewards)
    if len(rewards) != len(rollouts):
        returned = f"returned {counted(len(rewards), 'reward')} for {counted(len(rollouts), 'completion')}"
        raise ArgumentValueError(location, returned, value=rewards)
    checked: list[float | None] = []
    for i, reward in enumerate(rewards):
        try:
            number = None if reward is None else reward.__float__()  # A str has none.
        except OverflowError:
            number = inf
        except (AttributeError, TypeError, ValueError):
            text = f"returned {show(reward)} for completions[{i}], which is neither a number nor None"
            raise ArgumentTypeError(location, text, value=reward) from None
        if number is not None and not isfinite(number):
            raise ArgumentValueError(location, f"returned {show(reward)} for completions[{i}]", value=reward)
        checked.append(number)
    return checked
