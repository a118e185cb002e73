"""Show how a reward reads a few samples, before training: the completion, its scored part, and likely problems."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..counting.references import References
from ..errors import ArgumentTypeError
from ..explain.terminal import cut_inside, escaped
from ..inputs.ids import TokenIds
from .completions.call_arguments import aligned, are_ids
from .completions.chat_templates import response_finder
from .completions.text import references_of
from .counts import COUNTED, TOO_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .reward import BLEUReward

#: The maximum width of a printed line, in characters.
_WIDTH = 110

#: Remarks on samples. The remark applies to each sample that is included in the count of this name in `RewardCounts`.
_REMARKS = {
    "zero": "the score is 0",
    "empty": "nothing is left to score",
    "clipped": "truncated: the end token is missing, or a tag or reasoning is never closed",
    "cut": "special tokens, or a prompt before them, were removed",
    "too_long": f"more than {TOO_LONG} times as long as the closest reference",
}


class CheckedSample(NamedTuple):
    """One sample as a reward reads and scores it.

    Attributes:
        reward: The reward, for a `CombinedReward` the sum; None if the sample has no reference or is malformed.
        completion: The completion as the caller passed it.
        scored: The text or ids that were scored; None if the sample is malformed.
        references: The texts of the references; for ids or a malformed sample, the references as the caller passed
            them.
        remarks: Descriptions of likely problems.
        components: For a `CombinedReward`, the reward of each component by name, or None where the component does not
            apply. For other rewards None.
    """

    reward: float | None
    completion: Any
    scored: Any
    references: Any
    remarks: tuple[str, ...] = ()
    components: dict[str, float | None] | None = None


def checked_samples(
    reward: BLEUReward, completions: Any, references: Any, languages: Any
) -> list[CheckedSample]:
    """Score samples one by one, and describe likely problems of each.

    Args:
        reward: The reward, with `errors="raise"`, so that the error of a malformed sample can be shown.
        completions: The completions, as in a call of the reward.
        references: The references, as in a call of the reward, but not prepared `References`.
        languages: The language of each completion; None for the language of the reward.

    Raises:
        TypeError, ValueError: An argument is wrong as a whole. The error of a single sample becomes a remark.
    """
    if isinstance(references, References):
        raise ArgumentTypeError(
            "references", "must not be prepared, since their text is printed; pass the texts or ids"
        )
    references = reward.scoring.from_fields(completions, references)
    shape: Any = getattr(completions, "shape", ())
    completions, references = [
        list(column) if isinstance(column, TokenIds) else column for column in (completions, references)
    ]
    columns = aligned(completions=completions, references=references)
    columns.append([None] * len(columns[0]) if languages is None else languages)
    if len(shape) == 3:  # There are K samples of each prompt, but one entry of the other columns.
        columns[0] = [row for rows in columns[0] for row in rows]
        columns[1:] = [[value for value in column for _ in range(shape[1])] for column in columns[1:]]
    return [checked_sample(reward, *sample) for sample in zip(*columns, strict=True)]


def checked_sample(
    reward: BLEUReward, completion: Any, references: Any, language: str | None = None
) -> CheckedSample:
    """Score one sample, and describe its likely problems.

    Args:
        reward: The reward, with `errors="raise"`, so that the error of a malformed sample can be shown.
        completion: The completion: text, messages or token ids.
        references: The references of the completion; None if it has none.
        language: The language of the completion; None for the language of the reward.
    """
    if references is None:
        return CheckedSample(None, completion, None, None, ("there is no reference",))
    has_ids = are_ids([completion], [references])
    try:
        score, flags, scored = reward.scoring.one(completion, references, language)
    except Exception as error:  # noqa: BLE001  # the user's `extract` function may raise any error
        message = f"{type(error).__name__}: {error}"
        return CheckedSample(None, completion, None, [references] if has_ids else references, (message,))
    counts = dict(zip(COUNTED[1:], flags, strict=True))
    if counts["empty"]:  # The remark that nothing is left to score also explains the score of 0.
        counts["zero"] = 0
    remarks = [remark for name, remark in _REMARKS.items() if counts[name]]
    tag = reward.options["extract"]
    if counts["empty"] and isinstance(tag, str):
        remarks[remarks.index(_REMARKS["empty"])] += f" in the last <{tag}>...</{tag}>"
    if has_ids:
        references, (scored,) = [references], scored
    else:
        references = list(references_of(references, "references"))
        if counts["zero"] and scored in references:
            remarks[0] += " although the texts are equal: pass effective_order=True to the metric"
        find = response_finder()
        for text, problem in (
            (scored, "is scored as text"),
            *((reference, "is in a reference") for reference in references),
        ):
            _, marker = find(text or "")
            if marker:
                remarks.append(f"{marker!r} of a chat template {problem}")
    return CheckedSample(score, completion, scored, references, tuple(remarks))


def as_text(samples: Sequence[CheckedSample]) -> str:
    """Format samples as text for a terminal; samples of a `CombinedReward` list the reward of each component."""
    lines = []
    for i, sample in enumerate(samples):
        lines.append(f"sample {i}: reward {_number(sample.reward)}")
        lines.extend(f"  {name:<11} {_number(reward)}" for name, reward in (sample.components or {}).items())
        lines.extend(_text_lines(sample))
        lines.extend(f"  look here:  {escaped(remark)}" for remark in sample.remarks)
    return "\n".join(lines)


def _number(reward: float | None) -> str:
    return "none" if reward is None else f"{reward:.4f}"


def _text_lines(sample: CheckedSample) -> Iterator[str]:
    """Yield one line each for the completion, its scored part, and each reference."""
    references = sample.references
    if not isinstance(references, list) or (
        references and not isinstance(references[0], (str, list, type(None)))
    ):
        references = [references]
    named = [("completion", sample.completion), ("scored", sample.scored)]
    for name, value in (*named, *(("reference", reference) for reference in references)):
        if value is not None:
            plain = value.tolist() if hasattr(value, "tolist") else value
            text = escaped(plain if isinstance(plain, str) else repr(plain))
            yield cut_inside(f"  {name:<12}{text}", _WIDTH)
