"""BLEU as OpenRLHF's reward function, and as its remote reward model.

    # reward.py
    from fastbleu.rewards.openrlhf import bleu_reward

    reward_func = bleu_reward(language="de", extract="answer")

    python -m openrlhf.cli.train_ppo_ray --reward.remote_url reward.py --data.label_key reference ...

OpenRLHF loads a file by its path and calls its `reward_func(queries, prompts, labels)` in a thread, one sample at a
time (openrlhf/utils/agent.py, `SingleTurnAgentExecutor`). This module's own file can be that file: its `reward_func`
has the default options. A query is the prompt and the response as the tokenizer decodes them, with special tokens, so
both the prompt and the tokens at the response's end are cut off. Tested with OpenRLHF 0.11.2. No OpenRLHF is imported;
tensors come from torch, which is imported by the first call.
"""

from __future__ import annotations

# OpenRLHF runs this file under a name of its own, where relative imports fail.
from fastbleu.errors import ArgumentValueError, Place, wrong_type
from fastbleu.rewards.completions.kinds import aligned
from fastbleu.rewards.hosts import HostReward, item_of
from fastbleu.rewards.stacks import STACKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from fastbleu.rewards.hosts import LabelsAs, Stack

#: A prompt that was cut off at its left must have this much of its end in the query: less may stand there by chance.
SHORTEST_PROMPT_END = 16


class OpenRLHFReward(HostReward):
    """Sentence BLEU as OpenRLHF's reward function.

    OpenRLHF leaves special tokens in the text of a response, so they are cut off.

    Args:
        language: The language of the responses; see `BLEUReward`.
        labels_as: "json" if labels are JSON: of a string, or of a list of references.
        options: The other options of `BLEUReward`, without `baseline` and `stepwise`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a bad value.

    Example:
        >>> reward_func = bleu_reward(extract="answer")
        >>> query = "Translate: Es regnete. <think>Rain.</think><answer>It rained today.</answer><|im_end|>"
        >>> request = {"query": [query], "prompts": ["Translate: Es regnete. "], "labels": ["It rained today ."]}
        >>> returned = reward_func.answer(request)  # a call returns the same as tensors
        >>> returned["rewards"], returned["scores"]
        ([1.0], [1.0])
        >>> returned["extra_logs"]["bleu_reward_perfect"]  # and `bleu_reward`, and the other counts
        [1.0]
    """

    HOST = STACKS["openrlhf"]

    def __init__(self, language: str | None = None, *, labels_as: LabelsAs = "text", **options: Any) -> None:
        super().__init__({"language": language, **options}, labels_as=labels_as)

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **others: Any
    ) -> dict[str, Any]:
        """Reward responses.

        Args:
            queries: n texts, each a prompt and its response, with special tokens.
            prompts: n prompts. OpenRLHF cuts the left of long ones off in queries; that is allowed for.
            labels: n labels, each a reference or a list of several.
            others: Ignored.

        Returns:
            What OpenRLHF takes: "rewards", tensors of float32 [n] on the scale 0..`scale`; "scores", the same on the
            scale 0..1, for its dynamic filtering; "extra_logs", the scores under the reward's name and the shares of
            `counts.shares()` so far, for its log.

        Raises:
            TypeError: A query, prompt or label has the wrong type.
            ValueError: The numbers of queries, prompts and labels differ, a query does not begin with its prompt, or
                a label has no reference.
        """
        del others
        return self._rewarded_after(self.HOST, queries, prompts, labels)

    def answer(self, request: Any) -> dict[str, Any]:
        """Answer a request of OpenRLHF to a remote reward model, for `fastbleu.rewards.serving.serve`.

        Args:
            request: The request's JSON: a dict with lists "query", "prompts" and "labels".

        Returns:
            A dict as from a call, with lists for tensors.

        Raises:
            TypeError: The request is not a dict; or as in a call.
            ValueError: It lacks one of these lists; or as in a call.

        Example:
            >>> request = {"query": ["Rain? No rain.</s>"], "prompts": ["Rain? "], "labels": ["No rain ."]}
            >>> bleu_reward(scale=2).answer(request)["rewards"]
            [2.0]
        """
        columns = [item_of(request, key, "request") for key in ("query", "prompts", "labels")]
        return self._rewarded_after(STACKS["openrlhf.remote"], *columns)

    def _rewarded_after(self, row: Stack, queries: Any, prompts: Any, labels: Any) -> dict[str, Any]:
        """Reward queries after their prompts; one that does not begin with it is None, which counts as broken."""
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
        found: dict[str, Any] = self._rewarded(row, responses, labels)
        return found


def response_of(query: Any, prompt: Any, i: int) -> str:
    """A query after its prompt, of which the beginning may be missing in the query.

    Raises:
        TypeError: One of them is not a str.
        ValueError: The query does not begin with the prompt or enough of its end.

    Example:
        >>> response_of("the number 7 in a word: Seven.", "Here is the task. Write the number 7 in a word: ", 0)
        'Seven.'
    """
    for name, value in ("queries", query), ("prompts", prompt):
        if not isinstance(value, str):
            raise wrong_type(Place(name, (i,)), "a str", value)
    text: str = query
    if text.startswith(prompt):
        return text[len(prompt) :]
    text = text.lstrip("\ufffd")  # half a character, where the cut was within one
    overlap = longest_overlap(prompt, text)
    if overlap < SHORTEST_PROMPT_END:
        raise ArgumentValueError(
            Place("queries", (i,)), f"must begin with prompts[{i}], got {text[:80]!r}", value=query
        )
    return text[overlap:]


def longest_overlap(left: str, right: str) -> int:
    """Return how many characters at most are both the end of one text and the beginning of another, in linear time.

    Knuth, Morris and Pratt (1977).

    Example:
        >>> longest_overlap("in the rain", "rain and wind")
        4
    """
    right = right[: len(left)]
    joined = [*right, None, *left[-len(right) :]]
    borders = [0] * len(joined)  # of each beginning of `joined`, its longest end that is a beginning, too
    for i in range(1, len(joined)):
        border = borders[i - 1]
        while border and joined[i] != joined[border]:
            border = borders[border - 1]
        borders[i] = border + (joined[i] == joined[border])
    return borders[-1]


bleu_reward = OpenRLHFReward

#: The reward with its default options, for `--reward.remote_url` with the path of this file.
reward_func = bleu_reward()

if __name__ == "reward_func":  # as OpenRLHF calls this file
    from fastbleu.rewards.openrlhf import reward_func  # noqa: F401  # this one can be pickled
