"""Provide BLEU as a reward function for OpenRLHF.

    # reward.py
    from fastbleu.rewards.openrlhf import bleu_reward

    reward_func = bleu_reward(language="de", extract="answer")

    python -m openrlhf.cli.train_ppo_ray --reward.remote_url reward.py --data.label_key reference ...

OpenRLHF loads a file by its path and calls its `reward_func(queries, prompts, labels)` in a thread, one sample at a
time (openrlhf/utils/agent.py, `SingleTurnAgentExecutor`). For the default options, pass the path of this module, which
has a `reward_func`. A query is the decoded text of a prompt and a response, including special tokens. The prompt and
the special tokens are removed before scoring. Tested with OpenRLHF 0.11.2. This module does not import OpenRLHF; the
first call imports torch.
"""

from __future__ import annotations

# Relative imports would fail here, because OpenRLHF loads this file by its path, outside its package.
from fastbleu.errors import ArgumentValueError, Location, wrong_type
from fastbleu.rewards.completions.call_arguments import aligned
from fastbleu.rewards.training_stacks import Samples, StackReward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: If the prompt in a query was truncated at its start, at least this many characters of its end must remain: a shorter
#: match may be accidental.
SHORTEST_PROMPT_END = 16


class OpenRLHFReward(StackReward):
    """Sentence BLEU as OpenRLHF's reward function.

    Special tokens are removed by default, since OpenRLHF leaves them in the text of a response.

    Args:
        language: The language of the responses; see `BLEUReward`.
        options: The other options of `BLEUReward`; or only `reward`: a `BLEUReward`, a `CombinedReward`, or another
            reward of this package. The reward must not compare samples, since OpenRLHF passes one sample at a time.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward_func = bleu_reward(extract="answer")
        >>> query = "Translate: Es regnete. <think>Rain.</think><answer>It rained today.</answer><|im_end|>"
        >>> returned = reward_func([query], ["Translate: Es regnete. "], ["It rained today ."])
        >>> returned["rewards"], returned["extra_logs"]["bleu_reward_perfect"]
        (tensor([1.]), 1.0)
    """

    STACK = "OpenRLHF"
    STRIPS = True

    def __init__(self, language: str | None = None, **options: Any) -> None:
        super().__init__({"language": language, **options})

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **others: Any
    ) -> dict[str, Any]:
        """Reward responses.

        Args:
            queries: n texts, each a prompt followed by its response, with special tokens.
            prompts: n prompts. Each query begins with its prompt, or with the end of the prompt if OpenRLHF truncated
                the prompt.
            labels: n labels, each a reference or a list of several references.
            others: Other arguments of OpenRLHF, which are ignored.

        Returns:
            The dict that OpenRLHF expects: "rewards", a float32 tensor [n] on the scale 0..`scale`; "scores", the same
            rewards on the scale 0..1, for dynamic filtering; and "extra_logs", a dict to log, which has the
            scores under the reward's name, the shares of `counts.shares()`, and for a `CombinedReward` the rewards of
            each component, with 0.0 where the component does not apply.

        Raises:
            TypeError: A query, prompt or label has the wrong type.
            ValueError: The numbers of queries, prompts and labels differ, a query does not begin with its prompt, or
                a label has no reference.
        """
        components = self._components(self._samples(queries, prompts, labels, **others))
        rewards = components.pop("total")
        import torch

        scores = torch.tensor([self.share_of_scale(reward) for reward in rewards])
        by_name = {f"{self.__name__}_{name}": torch.tensor(column) for name, column in components.items()}
        logged = {self.__name__: scores, **by_name, **self.shares()}
        return {"rewards": torch.tensor(rewards), "scores": scores, "extra_logs": logged}

    def _samples(self, queries: Any, prompts: Any, labels: Any, **others: Any) -> Samples:
        """Remove the prompts from the queries.

        If `tolerant` is true, a query that does not begin with its prompt becomes None, which counts as malformed.

        Raises:
            TypeError, ValueError: A query is malformed and `tolerant` is false, or the columns have different lengths.
        """
        del others
        columns = aligned(queries=queries, prompts=prompts, labels=labels)
        responses: list[str | None] = []
        for i, (query, prompt, _) in enumerate(zip(*columns, strict=True)):
            response = None
            try:
                response = response_of(query, prompt, i)
            except (TypeError, ValueError):
                if not self.tolerant:
                    raise
            responses.append(response)
        return Samples(responses, labels, ("queries", "labels"))


def response_of(query: Any, prompt: Any, i: int) -> str:
    """Return the response of query i: the text after the prompt.

    The start of the prompt may be missing in the query.

    Raises:
        TypeError: The query or the prompt is not a str.
        ValueError: The query begins neither with the prompt nor with at least 16 characters of the prompt's end.

    Example:
        >>> response_of("the number 7 in a word: Seven.", "Here is the task. Write the number 7 in a word: ", 0)
        'Seven.'
    """
    for name, value in ("queries", query), ("prompts", prompt):
        if not isinstance(value, str):
            raise wrong_type(Location(name, (i,)), "a str", value)
    text: str = query
    if text.startswith(prompt):
        return text[len(prompt) :]
    text = text.lstrip("\ufffd")  # Truncation within a character leaves a replacement character.
    beginning = text[:SHORTEST_PROMPT_END]
    start = prompt.find(beginning)
    while start >= 0 and not text.startswith(prompt[start:]):
        start = prompt.find(beginning, start + 1)
    overlap = len(prompt) - start
    if start < 0 or overlap < SHORTEST_PROMPT_END:
        raise ArgumentValueError(
            Location("queries", (i,)), f"must begin with prompts[{i}], got {text[:80]!r}", value=query
        )
    return text[overlap:]


bleu_reward = OpenRLHFReward

#: A reward with the default options, for OpenRLHF's option `--reward.remote_url` with the path of this file.
reward_func = bleu_reward()

if __name__ == "reward_func":  # OpenRLHF gives this name to a file that it loads by path.
    from fastbleu.rewards.openrlhf import reward_func  # noqa: F401  # can be pickled, since its module can be imported
