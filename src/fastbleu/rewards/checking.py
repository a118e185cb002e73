"""Show before training how a reward reads a few samples: as given, as scored, and with likely problems."""

from __future__ import annotations

from typing import NamedTuple

from ..counting.references import References
from ..errors import ArgumentTypeError
from ..explain.terminal import cut_inside, escaped
from ..inputs.ids import TokenIds
from .completions.kinds import aligned, are_ids
from .completions.marks import response_finder
from .completions.text import references_of
from .counts import COUNTED, TOO_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .reward import BLEUReward

#: Columns of a printed line.
_WIDTH = 110

#: Remarks on a sample for which a count is 1. An empty sample gets no remark about its zero score.
_REMARKS = {
    "zero": "the score is 0",
    "empty": "nothing is left to score",
    "clipped": "truncated: the end token is missing, or a tag or reasoning is never closed",
    "cut": "special tokens, or a prompt before them, were removed",
    "too_long": f"more than {TOO_LONG} times as long as the closest reference",
}


class CheckedSample(NamedTuple):
    """One sample as a reward sees it.

    Attributes:
        reward: Its reward, for a combination the sum; None if it has no reference or is malformed.
        completion: The completion as it was given.
        scored: The text or ids that were scored; None if it is malformed.
        references: The texts of its references, or the references as they were given.
        remarks: Likely problems, in words.
        components: For a combination, the reward of each component by name, None if it does not apply; else None.
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
    """Score samples one by one, and collect remarks on each.

    Args:
        reward: The reward that scores them, and raises errors for malformed ones.
        completions: Completions, as in a call of the reward.
        references: References, as in a call, but not prepared ones.
        languages: Languages, as in a call.

    Raises:
        TypeError, ValueError: The call is wrong, not a single sample.
    """
    if isinstance(references, References):
        raise ArgumentTypeError("references", "must be as they were before they were prepared")
    references = reward.scoring.from_fields(completions, references)
    given = [list(each) if isinstance(each, TokenIds) else each for each in (completions, references)]
    columns = aligned(completions=given[0], references=given[1])
    columns.append([None] * len(columns[0]) if languages is None else languages)
    shape: Any = getattr(completions, "shape", ())
    if len(shape) == 3:  # K samples of each prompt
        columns[0] = [row for rows in columns[0] for row in rows]
        columns[1:] = [[each for each in column for _ in range(shape[1])] for column in columns[1:]]
    return [checked_sample(reward, *sample) for sample in zip(*columns, strict=True)]


def checked_sample(
    reward: BLEUReward, completion: Any, references: Any, language: str | None = None
) -> CheckedSample:
    """Score one sample, and collect remarks on it; the arguments are those of `checked_samples` for one sample."""
    if references is None:
        return CheckedSample(None, completion, None, None, ("there is no reference",))
    of_ids = are_ids([completion], [references])
    try:
        score, marks, scored = reward.scoring.one(completion, references, language)
    except Exception as error:  # noqa: BLE001  # any error of a function given as `extract`
        broken_by = f"{type(error).__name__}: {error}"
        return CheckedSample(None, completion, None, [references] if of_ids else references, (broken_by,))
    is_true = dict(zip(COUNTED[1:], marks, strict=True))
    if is_true["empty"]:
        is_true["zero"] = 0
    remarks = [remark for name, remark in _REMARKS.items() if is_true[name]]
    tag = reward.options["extract"]
    if is_true["empty"] and isinstance(tag, str):
        remarks[remarks.index(_REMARKS["empty"])] += f" in the last <{tag}>...</{tag}>"
    if of_ids:
        references, (scored,) = [references], scored
    else:
        references = list(references_of(references, "references"))
        if is_true["zero"] and scored in references:
            remarks[0] += " although the texts are equal: pass effective_order=True to the metric"
        find = response_finder()
        for text, what in (
            (scored, "is scored as text"),
            *((each, "is in a reference") for each in references),
        ):
            _, mark = find(text or "")
            if mark:
                remarks.append(f"{mark!r} of a chat template {what}")
    return CheckedSample(score, completion, scored, references, tuple(remarks))


def as_text(samples: Sequence[CheckedSample]) -> str:
    """Return samples as text for a terminal; for a combination, with the reward of each component."""
    lines = []
    for i, sample in enumerate(samples):
        lines.append(f"sample {i}: reward {_number(sample.reward)}")
        lines.extend(f"  {name:<11} {_number(reward)}" for name, reward in (sample.components or {}).items())
        lines.extend(_rows(sample))
        lines.extend(f"  look here:  {escaped(remark)}" for remark in sample.remarks)
    return "\n".join(lines)


def _number(reward: float | None) -> str:
    return "none" if reward is None else f"{reward:.4f}"


def _rows(sample: CheckedSample) -> Iterator[str]:
    """Yield the lines of the completion, of its scored part, and of the references."""
    given = sample.references
    are_several = isinstance(given, list) and (not given or isinstance(given[0], (str, list, type(None))))
    listed = given if are_several else [given]
    rows = [("completion", sample.completion), ("scored", sample.scored)]
    for name, value in (*rows, *(("reference", each) for each in listed)):
        if value is not None:
            plain = value.tolist() if hasattr(value, "tolist") else value
            text = escaped(plain if isinstance(plain, str) else repr(plain))
            yield cut_inside(f"  {name:<12}{text}", _WIDTH)
