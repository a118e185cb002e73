"""BLEU as OpenRLHF's reward function.

    # reward.py
    from fastbleu.rewards.openrlhf import bleu_reward

    reward_func = bleu_reward(language="de", extract="answer")

    python -m openrlhf.cli.train_ppo_ray --reward.remote_url reward.py --data.label_key reference ...

OpenRLHF loads a file by its path and calls its `reward_func(queries, prompts, labels)` in a thread, one sample at a
time (openrlhf/utils/agent.py, `SingleTurnAgentExecutor`). This module's own file can be that file: its `reward_func`
has the default options. A query is the prompt and the response as the tokenizer decodes them, with special tokens, so
both the prompt and the tokens at the response's end are removed. Tested with OpenRLHF 0.11.2. This module does not
import OpenRLHF; the first call imports torch.
"""

from __future__ import annotations

# OpenRLHF runs this file under another module name, under which relative imports fail.
from fastbleu.errors import ArgumentValueError, Location, wrong_type
from fastbleu.rewards.completions.kinds import aligned
from fastbleu.rewards.hosts import HostReward, Samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: A prompt that was truncated at its start must have at least this much of its end in the query: less may occur by
#: chance.
SHORTEST_PROMPT_END = 16


class OpenRLHFReward(HostReward):
    """Sentence BLEU as OpenRLHF's reward function.

    OpenRLHF leaves special tokens in the text of a response, so they are removed.

    Args:
        language: The language of the responses; see `BLEUReward`.
        options: The other options of `BLEUReward`. Or only `reward`: a `BLEUReward`, a `CombinedReward`, or one of its
            components; it may not compare samples, since OpenRLHF passes one sample at a time.

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

    HOST = "OpenRLHF"
    STRIPS = True

    def __init__(self, language: str | None = None, **options: Any) -> None:
        super().__init__({"language": language, **options})

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **others: Any
    ) -> dict[str, Any]:
        """Reward responses.

        Args:
            queries: n texts, each a prompt and its response, with special tokens.
            prompts: n prompts. In the queries, OpenRLHF may have truncated long ones at their start.
            labels: n labels, each a reference or a list of several.
            others: Ignored.

        Returns:
            The results that OpenRLHF expects: "rewards", tensors of float32 [n] on the scale 0..`scale`; "scores", the
            same on the scale 0..1, for its dynamic filtering; "extra_logs", the scores under the reward's name and the
            shares of `counts.shares()` so far, for its log, and the components of a `CombinedReward`, 0.0 if one
            does not apply.

        Raises:
            TypeError: A query, prompt or label has the wrong type.
            ValueError: The numbers of queries, prompts and labels differ, a query does not begin with its prompt, or
                a label has no reference.
        """
        samples = self._samples(queries, prompts, labels, **others)
        parts = self._components(samples) if self.is_combined else {"total": self._rewards(samples)}
        rewards = parts.pop("total")
        import torch

        scores = torch.tensor([self.share_of_scale(each) for each in rewards])
        components = {f"{self.__name__}_{name}": torch.tensor(each) for name, each in parts.items()}
        logged = {self.__name__: scores, **components, **self.shares()}
        return {"rewards": torch.tensor(rewards), "scores": scores, "extra_logs": logged}

    def _samples(self, queries: Any, prompts: Any, labels: Any, **others: Any) -> Samples:
        """Remove the prompts; a query that does not begin with its prompt becomes None, which counts as malformed."""
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
    """Return a query after its prompt, whose beginning may be missing in the query.

    Raises:
        TypeError: The query or the prompt is not a str.
        ValueError: The query does not begin with the prompt or enough of its end.

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
    text = text.lstrip("\ufffd")  # A cut within a character leaves half of it.
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

#: The reward with its default options, for `--reward.remote_url` with the path of this file.
reward_func = bleu_reward()

if __name__ == "reward_func":  # The name that OpenRLHF gives to a file it loads.
    from fastbleu.rewards.openrlhf import reward_func  # noqa: F401  # this one can be pickled
