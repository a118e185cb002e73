"""Samples that the rewards of all hosts are tested with, and what sacreBLEU's formula gives them."""

from pathlib import Path
from typing import Any

from fastbleu import BLEU

SAMPLES = Path(__file__).parents[2] / "examples"

#: Responses with the answer in a tag, or without one.
RESPONSES = [
    "<think>A cat.</think><answer>the cat sat on a mat</answer>",
    "<answer>a dog lay there</answer>",
    "the cat",
    "<think>Rain</think><answer>it rained all day</answer> Yes.",
]
REFERENCES = [
    "the cat sat on the mat",
    ["a dog lay here", "the dog lay there"],
    "the cat",
    "it rained all day",
]
ANSWERS = ["the cat sat on a mat", "a dog lay there", "", "it rained all day"]


def expected(answer: str, references: Any, metric: BLEU | None = None) -> float:
    """The reward of one answer, on the scale 0..1."""
    metric = metric or BLEU(effective_order=True)
    score = metric.sentence_score(answer, [references] if isinstance(references, str) else references).score
    return min(score / 100, 1.0)


def says(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


def counted(reward: Any) -> list[int]:
    """The counts of a reward: samples, empty ones, clipped ones, too long ones, broken ones."""
    return [getattr(reward.counts, name) for name in ("samples", "empty", "clipped", "too_long", "errors")]


#: The reward of each response with `extract="answer"`.
REWARDS = [expected(answer, of_one) for answer, of_one in zip(ANSWERS, REFERENCES, strict=True)]
