"""Likely mistakes in calls of peers, whose score is probably not the intended one. No score is changed by this.

Calls are checked only if a report was requested by `--report` or FASTBLEU_PATCH_REPORT.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import errors
from ..tokenizers.names import SPLIT_AT_SPACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_PLACES = 100  # A program may make the same mistake in a million generated lines.

_THAI = "\u0e00"  # Scripts without spaces between words begin at this code point.

SINGLE = "a single segment without effective order: with fewer than four tokens, or no match of four, BLEU is near 0"
SCRIPT = "text in a script without spaces between words, but tokenize={name!r} splits at spaces; {fitting} would fit"


class Mistake(NamedTuple):
    """A likely mistake.

    Attributes:
        message: The likely mistake.
        file: The file of the calling program.
        line: The line, from 1 on.
    """

    message: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


#: Each distinct mistake, in the order of first occurrence.
found_mistakes: dict[Mistake, None] = {}


def keep(message: str, file: str, line: int) -> None:
    """Keep a likely mistake for the report."""
    if len(found_mistakes) < _MAX_PLACES:
        found_mistakes[Mistake(message, file, line)] = None


def look(metric: Any, hypotheses: Any) -> None:
    """Check whether a sacreBLEU metric fits the texts that it scores, if a report was requested.

    Args:
        metric: A `sacrebleu.BLEU`, or a `CHRF`, which fits all texts.
        hypotheses: The texts; only the middle one is checked.
    """
    if errors.observer is None or not hasattr(metric, "effective_order"):
        return
    if len(hypotheses) == 1 and not metric.effective_order:
        errors.notice(SINGLE)
    text = hypotheses[len(hypotheses) // 2]
    if text[len(text) // 2 :][:1] >= _THAI:
        from ..tokenizers.scripts import fitting_tokenizer

        name = metric.tokenizer.signature()
        fitting = fitting_tokenizer(text[:1000]) if name in SPLIT_AT_SPACES else ""
        if fitting:
            errors.notice(SCRIPT.format(name=name, fitting=fitting))
