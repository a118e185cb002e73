"""A reward for TRL's trainers: the sentence BLEU of each completion, on the compiled counting pass.

    from fastbleu.compat.trl import bleu_reward

    trainer = GRPOTrainer(model, reward_funcs=bleu_reward("reference"), train_dataset=dataset, args=config)

The dataset's column `reference` holds the references of each completion. A whole batch is counted in one pass, and
each reward is `BLEU.sentence_score` of its completion on the scale 0..1. The function has the arguments that the
trainers of TRL (GRPO, RLOO, online DPO) pass to every reward function. It can be pickled, which asynchronous GRPO needs
because it computes rewards in another process. This module imports no TRL; `pip install "fastbleu-metric[trl]"` brings
it. Tested with its release 1.16.0.

The text of a list of messages is that of the assistant's last message: its `content`, or the parts of type "text" in
it, joined. Earlier messages, tool calls, answers of tools and `reasoning_content` are ignored.
"""

from __future__ import annotations

from itertools import zip_longest

from ..errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ..inputs.segments import as_list
from ..metric import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    #: A str, or a conversation: dictionaries with "role" and "content".
    Text: TypeAlias = str | Sequence[dict[str, Any]]


def bleu_reward(
    reference_column: str = "reference", *, metric: BLEU | None = None, name: str = "bleu_reward"
) -> BLEUReward:
    """Make a reward function of sentence BLEU.

    Args:
        reference_column: The column of the dataset that holds the references. Of each sample a str, a list of messages,
            a list of several references (each of them a str or a list of messages), or None if BLEU does not apply.
        metric: The BLEU to score with; None for `BLEU(effective_order=True)`.
        name: The name of the reward in the trainer's logs ("rewards/bleu_reward/mean").

    Returns:
        A `BLEUReward`: a function of prompts, completions and the dataset's columns that gives one reward (0..1) per
        completion.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `reference_column` or `name` is empty.

    Example:
        >>> reward = bleu_reward()
        >>> reward.__name__
        'bleu_reward'
        >>> rewards = reward(
        ...     prompts=["Say it.", "Say it.", "Compute."],
        ...     completions=["the cat sat", "the mat sat", "42"],
        ...     reference=["the cat sat down", ["a mat sat", "the dog"], None],
        ... )
        >>> [reward if reward is None else round(reward, 4) for reward in rewards]
        [0.7165, 0.63, None]
    """
    return BLEUReward(reference_column, metric, name)


class BLEUReward:
    """Sentence BLEU as a reward function with TRL's signature; see `bleu_reward`."""

    def __init__(self, reference_column: str, metric: BLEU | None, name: str) -> None:
        for argument, value in (("reference_column", reference_column), ("name", name)):
            if not isinstance(value, str):
                raise wrong_type(argument, "a str", value)
            if not value:
                raise ArgumentValueError(argument, "must not be empty")
        if not isinstance(metric, (BLEU, type(None))):
            raise wrong_type("metric", "a BLEU", metric)
        self.reference_column = reference_column
        self.metric = BLEU(effective_order=True) if metric is None else metric
        self.__name__ = name

    def __repr__(self) -> str:
        return f"bleu_reward({self.reference_column!r}, metric={self.metric!r}, name={self.__name__!r})"

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,  # noqa: ARG002  # TRL's signature; BLEU needs neither prompts nor ids
        completions: Sequence[Text] = (),
        completion_ids: Sequence[Any] | None = None,  # noqa: ARG002  # likewise
        **columns: Any,
    ) -> list[float | None]:
        """Score completions.

        Args:
            prompts: Ignored.
            completions: n texts, each a str or a list of messages.
            completion_ids: Ignored.
            columns: The dataset's columns, of n values each. All but the references are ignored.

        Returns:
            n rewards, 0..1; None where the reference is None, which tells TRL that this reward does not apply.

        Raises:
            TypeError: A completion or reference is neither a str nor a list of the kinds named.
            ValueError: The column of references is missing or of another length, or a sample has a list without any
                reference, or a list of messages without any of the assistant.
        """
        column = self.reference_column
        if column not in columns:
            raise ValueError(f"there is no column {column!r} with references; there are {sorted(columns)}")
        references = as_list(columns[column], column, "a sequence with the references of each completion")
        texts = as_list(completions, "completions", "a sequence of texts")
        if len(references) != len(texts):
            raise ValueError(
                f"{column} holds references of {len(references)} samples, but completions has {len(texts)}"
            )
        rewards: list[float | None] = [None] * len(texts)
        scored = [i for i, of_sample in enumerate(references) if of_sample is not None]
        if not scored:
            return rewards
        hypotheses = [text_of(texts[i], "completions", i) for i in scored]
        streams = list(zip_longest(*[references_of(references[i], column, i) for i in scored]))
        scores = self.metric.sentence_scores(hypotheses, streams, scale=1).tolist()
        for i, score in zip(scored, scores, strict=True):
            rewards[i] = score
        return rewards


def references_of(value: Any, name: str, *indices: int) -> Sequence[str | None]:
    """The references of one sample, as texts.

    Args:
        value: A str, a list of messages, or a list of several of these, where None is an absent one.
        name: What errors call the argument that they are from.
        indices: Where they stand in it.

    Raises:
        TypeError: It is something else.
        ValueError: There is no reference.

    Example:
        >>> references_of([{"role": "assistant", "content": "It rained."}], "reference", 0)
        ['It rained.']
    """
    if isinstance(value, str):
        return [value]
    listed = _listed(value, "a str, a list of messages, or a list of several references", name, *indices)
    if listed and isinstance(listed[0], dict):
        return [text_of(listed, name, *indices)]
    texts: list[str | None] = [
        each if each is None or isinstance(each, str) else text_of(each, name, *indices, k)
        for k, each in enumerate(listed)
    ]
    if not texts or (texts[0] is None and not any(text is not None for text in texts)):
        raise ArgumentValueError(
            Place(name, indices), f"must hold at least one reference, or be None, got {value!r}", value=value
        )
    return texts


def text_of(value: Any, name: str, *indices: int) -> str:
    """The text of a completion or of a reference: a str as it is, or what the assistant says last.

    Args:
        value: A str or a list of messages. A message that names no role is one of the assistant.
        name: What errors call the argument that it is from.
        indices: Where it stands in it.

    Raises:
        TypeError: It is neither, or a content is neither str, list of parts nor None.
        ValueError: No message is one of the assistant.

    Example:
        >>> parts = [{"type": "text", "text": "It rained."}, {"type": "image", "image": None}]
        >>> text_of([{"role": "assistant", "content": parts}, {"role": "tool", "content": "15 mm"}], "completions", 0)
        'It rained.'
    """
    if isinstance(value, str):
        return value
    listed = _listed(value, "a str or a list of messages", name, *indices)
    for k in reversed(range(len(listed))):
        message = listed[k]
        if not isinstance(message, dict):
            raise wrong_type(Place(name, (*indices, k)), "a message, a dict", message)
        if message.get("role", "assistant") == "assistant":
            content = message.get("content")
            return content if isinstance(content, str) else _content(content, name, *indices, k)
    raise ArgumentValueError(
        Place(name, indices), f"must hold a message of the assistant, got {value!r}", value=value
    )


def _content(content: Any, name: str, *indices: int) -> str:
    """The text of a message; "" if the content is None, as when the assistant only calls a tool."""
    if content is None:
        return ""
    texts = []
    for part in _listed(
        content, "a message whose content is a str, a list of parts, or None", name, *indices
    ):
        if not isinstance(part, dict):
            raise ArgumentTypeError(
                Place(name, indices)["content"],
                f"must hold parts, each a dict, not {describe(part)}",
                value=part,
            )
        if part.get("type", "text") == "text":
            text = part.get("text")
            if not isinstance(text, str):
                raise ArgumentTypeError(
                    Place(name, indices)["content"],
                    f"must hold parts whose 'text' is a str, not {describe(text)}",
                    value=text,
                )
            texts.append(text)
    return "".join(texts)


def _listed(value: Any, what: str, name: str, *indices: int) -> Any:
    """A list as it is, arrays and other sequences as a list.

    Raises:
        TypeError: It is no sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if (
        isinstance(value, (bytes, dict, set))
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise wrong_type(Place(name, indices), what, value)
    return list(value)
