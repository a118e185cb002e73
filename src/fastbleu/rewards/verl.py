"""Provide BLEU as a custom reward function for verl. This configuration selects it.

    reward.custom_reward_function.path=pkg://fastbleu.rewards.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.extract=answer

`compute_score` works with all reward managers that call a function once for each sample: those of verl's reward loop,
and `naive`, `dapo` and `prime` of older releases. `reward_kwargs` are the options of `bleu_reward`. This module does
not import verl. Tested with verl 0.9.1, which calls reward functions in
https://github.com/volcengine/verl/tree/b178a3cd56f58b2d502255daba591e92833930a7/verl/workers/reward_manager

Instead of naming a module, the configuration may also give the path of this file.
"""

# Relative imports would fail here, because verl may load this file by its path, outside its package.
from __future__ import annotations

import re
from copy import copy

from fastbleu.errors import ArgumentError, ArgumentValueError, Location, show, wrong_type
from fastbleu.rewards.counts import COUNTED
from fastbleu.rewards.training_stacks import Samples, StackReward, check_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    #: A reward, or a dict with the reward as "score" and further numbers by name.
    Score: TypeAlias = float | dict[str, float]

__all__ = ["VerlReward", "bleu_reward", "compute_score"]

#: verl's names for the response and its references.
_NAMES = "solution_str", "ground_truth"

#: Cache at most this many reward functions, one for each different set of options.
_MAX_CACHED = 64


def compute_score(
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward_router_address: Any = None,  # noqa: ARG001  # verl passes it if there is also a reward model
    reward_model_tokenizer: Any = None,  # noqa: ARG001  # verl passes it if there is also a reward model
    **reward_kwargs: Any,
) -> Score:
    """Reward one response.

    Args:
        data_source: The name of the data set that contains the prompt; ignored.
        solution_str: The response.
        ground_truth: The reference of the response, or a list of several references.
        extra_info: Other fields of the data set for the prompt.
        reward_router_address: The address of a reward model; ignored.
        reward_model_tokenizer: The tokenizer of a reward model; ignored.
        reward_kwargs: The options of `bleu_reward`.

    Returns:
        The reward, 0..`scale`. With `details=True` or a `CombinedReward`, a dict; see `bleu_reward`.

    Raises:
        TypeError, ValueError: An argument has the wrong type or an invalid value.

    Example:
        >>> compute_score("news", "<answer>the cat sat</answer>", "the cat sat down", extract="answer")
        0.7165313105737896
    """
    return _reward_of(reward_kwargs)(data_source, solution_str, ground_truth, extra_info)


class VerlReward(StackReward):
    r"""BLEU as a reward function with verl's arguments.

    Use this class in a module of your own if verl's configuration cannot express an option, such as a metric.

    Args:
        language_key: The key of the sample's language in `extra_info`; None for the language of the reward.
        details: Whether to return a dict, whose values verl averages in validation: the reward as "score", and 1 or 0
            for "perfect", "zero", "empty" and the other counts of `RewardCounts`.
        options: The options of `BLEUReward`. Since a configuration cannot contain a compiled regular expression,
            `extract` may also be a str with a group, such as `"Answer: (.*)"`, in which "." also matches line ends.
            Instead of these options, `reward` may be given: a `BLEUReward`, a `CombinedReward`, or another reward of
            this package. Unless it is a `BLEUReward`, a dict is returned: the sum as "score", and each component by
            name, with 0.0 if it does not apply, since verl accepts only numbers. `reward` must not compare samples,
            since verl passes one sample at a time.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward = bleu_reward(language_key="lang", details=True)
        >>> reward("news", "\u4eca\u5929\u5f88\u51b7", "\u4eca\u5929\u5f88\u51b7\u3002", {"lang": "zh"})["score"]
        0.7788007830714052
    """

    STACK = "verl"

    def __init__(self, *, language_key: str | None = None, details: bool = False, **options: Any) -> None:
        check_language("language_key", language_key, options)
        if not isinstance(details, bool):
            raise wrong_type("details", "a bool", details)
        extract = options.get("extract")
        if isinstance(extract, str) and not extract.isidentifier() and "(" in extract:
            try:
                options["extract"] = re.compile(extract, re.DOTALL)
            except re.error as error:
                message = f"must be a regular expression: {error}, got {show(extract)}"
                raise ArgumentValueError("extract", message, value=extract) from None
        super().__init__(options)
        if details and self.is_combined:
            raise ArgumentValueError(
                "details", "must be False for a CombinedReward, which always returns a dict"
            )
        self.language_key = language_key
        self.details = details

    def __call__(
        self, data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None
    ) -> Score:
        """Reward one response; see `compute_score` for the arguments and the result."""
        if self.is_combined:
            return self.by_sample(self._samples(data_source, solution_str, ground_truth))[0]
        language = None if self.language_key is None else self._language_of(extra_info)
        try:
            reward, flags, _ = self.reward.scoring.one(solution_str, ground_truth, language)
        except ArgumentError as error:
            raise Samples([solution_str], [ground_truth], _NAMES, is_one=True).renamed(error) from None
        if reward is None:
            reward, flags, _ = self._without_reference(Location(_NAMES[1]))
        if not self.details:
            return reward
        return {"score": reward, **dict(zip(COUNTED[1:], map(int, flags), strict=True))}

    def _samples(
        self, data_source: Any, solution_str: Any, ground_truth: Any, extra_info: Any = None
    ) -> Samples:
        del data_source
        languages = None if self.language_key is None else [self._language_of(extra_info)]
        return Samples([solution_str], [ground_truth], _NAMES, languages, is_one=True)

    def _language_of(self, extra_info: Mapping[str, Any] | None) -> str | None:
        """Return the language of a sample, or None for the language of the reward.

        Raises:
            TypeError: `extra_info` is not a mapping.
            ValueError: `extra_info` does not have the key.
        """
        fields: Mapping[Any, Any] = extra_info or {}
        if not hasattr(fields, "keys"):
            raise wrong_type("extra_info", "a mapping", fields)
        if self.language_key not in fields:
            known = show(sorted(map(str, fields)))
            raise ArgumentValueError(
                "extra_info", f"has no key {show(self.language_key)}; its keys are {known}"
            )
        return fields[self.language_key] or None


bleu_reward = VerlReward

#: Cached reward functions with their options, the newest first.
_cache: list[tuple[dict[str, Any], VerlReward]] = []


def _reward_of(options: dict[str, Any]) -> VerlReward:
    """Return the reward with these options from the cache, or make it.

    verl passes the options of its configuration with each sample, usually as the same objects. Comparing dicts with
    `==` is fast in this case, since it first compares the identity of each value. Reading the values of OmegaConf's
    mappings, to make a hashable key, would take longer than scoring a sample.
    """
    for cached_options, reward in _cache:
        if cached_options == options:
            return reward
    reward = bleu_reward(**options)
    copied = {name: copy(value) if type(value) in (dict, list) else value for name, value in options.items()}
    _cache[:] = [(copied, reward), *_cache[: _MAX_CACHED - 1]]
    return reward


if __name__ != "fastbleu.rewards.verl":
    # This file was loaded by its path. Use the objects of the package's module instead, which can be pickled and share
    # the cached rewards.
    from importlib import import_module

    globals().update({name: getattr(import_module("fastbleu.rewards.verl"), name) for name in __all__})
