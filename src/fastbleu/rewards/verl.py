"""BLEU as the reward function that verl's configuration names.

    reward.custom_reward_function.path=pkg://fastbleu.rewards.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.extract=answer

`compute_score` is for all reward managers that call their function for each sample: those of verl's reward loop, and
`naive`, `dapo` and `prime` of releases before it. It takes the options of `bleu_reward` as `reward_kwargs`. This module
does not import verl. Tested with its release 0.9.1; its callers are in
https://github.com/volcengine/verl/tree/b178a3cd56f58b2d502255daba591e92833930a7/verl/workers/reward_manager

verl also loads a function from a file by its path; this file can also be loaded in this way.
"""

# verl may load this file by its path, outside its package, where relative imports fail.
from __future__ import annotations

import re
from copy import copy

from fastbleu.errors import ArgumentValueError, show, wrong_type
from fastbleu.rewards.counts import COUNTED
from fastbleu.rewards.hosts import HostReward, Samples, check_language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    #: A reward; or with `details`, a dict of the reward ("score") and the counts of the sample.
    Score: TypeAlias = float | dict[str, float]

__all__ = ["VerlReward", "bleu_reward", "compute_score"]

#: The names of a response and its reference.
_NAMES = "solution_str", "ground_truth"

#: The number of sets of options that are cached with their rewards.
_MOST_REWARDS = 64


def compute_score(
    data_source: Any,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    reward_router_address: Any = None,  # noqa: ARG001  # verl passes these two where a reward model runs beside
    reward_model_tokenizer: Any = None,  # noqa: ARG001
    **reward_kwargs: Any,
) -> Score:
    """Reward one response.

    Args:
        data_source: The name of the data set from which the prompt is.
        solution_str: The response.
        ground_truth: Its reference, or a list of several.
        extra_info: The other fields of the data set for the prompt.
        reward_router_address: Ignored.
        reward_model_tokenizer: Ignored.
        reward_kwargs: The options of `bleu_reward`.

    Returns:
        The reward, 0..`scale`; with `details=True` a dict, see `bleu_reward`.

    Raises:
        TypeError, ValueError: An argument has the wrong type or an invalid value.

    Example:
        >>> compute_score("news", "<answer>the cat sat</answer>", "the cat sat down", extract="answer")
        0.7165313105737896
    """
    return _reward_of(reward_kwargs)(data_source, solution_str, ground_truth, extra_info)


class VerlReward(HostReward):
    r"""BLEU as a reward with verl's arguments, for your own module: a configuration cannot contain all options.

    Args:
        language_key: The key of the language in `extra_info`.
        details: Whether to return dicts, whose values verl keeps and averages in its validation: "score", the reward,
            and for each of "perfect", "zero", "empty" and the other counts of `RewardCounts` 1 if the sample has it,
            else 0.
        options: The options of `BLEUReward`. Since a configuration cannot contain a compiled regular expression,
            `extract` may also be a str with a group, such as `"Answer: (.*)"`, in which "." also matches line ends.
            Or only `reward`: a `BLEUReward`, or a `CombinedReward` or one of its components, which return a dict of
            "score", the sum, and each component by name, in every sample: 0.0 if one does not apply, since verl
            accepts only numbers. verl passes one sample at a time, so no component may compare samples.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward = bleu_reward(language_key="lang", details=True)
        >>> reward("news", "\u4eca\u5929\u5f88\u51b7", "\u4eca\u5929\u5f88\u51b7\u3002", {"lang": "zh"})["score"]
        0.7788007830714052
    """

    HOST = "verl"

    def __init__(
        self,
        *,
        language_key: str | None = None,
        details: bool = False,
        **options: Any,
    ) -> None:
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
                "details", "must be False beside a combined reward, which returns a dict"
            )
        self.language_key = language_key
        self.details = details

    def __call__(
        self, data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None
    ) -> Score:
        """Reward one response; see `compute_score`."""
        if self.is_combined:
            return self.by_sample(self._samples(data_source, solution_str, ground_truth))[0]
        language = None if self.language_key is None else self._language_of(extra_info)
        reward, marks, _ = self._score_one(solution_str, ground_truth, _NAMES, language)
        if not self.details:
            return reward
        return {"score": reward, **dict(zip(COUNTED[1:], map(int, marks), strict=True))}

    def _samples(
        self, data_source: Any, solution_str: Any, ground_truth: Any, extra_info: Any = None
    ) -> Samples:
        del data_source
        languages = None if self.language_key is None else [self._language_of(extra_info)]
        return Samples([solution_str], [ground_truth], _NAMES, languages, is_one=True)

    def _language_of(self, extra_info: Mapping[str, Any] | None) -> str | None:
        """Return the language of a sample; None: the language of the reward."""
        fields: Mapping[Any, Any] = extra_info or {}
        if not hasattr(fields, "keys"):
            raise wrong_type("extra_info", "a mapping", fields)
        if self.language_key not in fields:
            known = show(sorted(map(str, fields)))
            raise ArgumentValueError("extra_info", f"has no {show(self.language_key)}, only {known}")
        return fields[self.language_key] or None


bleu_reward = VerlReward

#: The latest sets of options that verl passed, and their rewards.
_made: list[tuple[dict[str, Any], VerlReward]] = []


def _reward_of(options: dict[str, Any]) -> VerlReward:
    """Return the cached reward for these options: verl passes the options of its configuration with each call.

    Their values are mostly the same objects, which are compared by identity: OmegaConf takes longer to read a mapping
    than a sample takes to score.
    """
    for known, reward in _made:
        if known == options:
            return reward
    reward = bleu_reward(**options)
    copied = {name: copy(value) if type(value) in (dict, list) else value for name, value in options.items()}
    _made[:] = [(copied, reward), *_made[: _MOST_REWARDS - 1]]
    return reward


if __name__ != "fastbleu.rewards.verl":
    # Loaded by its path. Use the package's functions, which can be pickled and share the cached rewards.
    from importlib import import_module

    globals().update({name: getattr(import_module("fastbleu.rewards.verl"), name) for name in __all__})
