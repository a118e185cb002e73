"""Find likely mistakes in calls of peers: calls whose score is probably unintended. No score is changed.

Calls are checked only if a report was requested by `--report` or FASTBLEU_PATCH_REPORT.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import errors
from ..tokenizers.names import SPLIT_AT_SPACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_MISTAKES = 100  # Generated code may make a mistake in a million lines.

_THAI = "\u0e00"  # All scripts without spaces between words have code points from here on.

SINGLE = "a single segment is scored without effective order, so BLEU is almost 0 if no 4-gram matches"
SCRIPT = "tokenize={name!r} splits at spaces, but the text has no spaces between words; use {fitting}"


class Mistake(NamedTuple):
    """A likely mistake.

    Attributes:
        message: The description of the mistake.
        file: The file of the call.
        line: The line of the call, from 1 on.
    """

    message: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


#: The distinct mistakes, in the order of their first occurrence.
mistakes: dict[Mistake, None] = {}


def keep(message: str, file: str, line: int) -> None:
    """Store a likely mistake for the report."""
    if len(mistakes) < _MAX_MISTAKES:
        mistakes[Mistake(message, file, line)] = None


def look(metric: Any, hypotheses: Any) -> None:
    """Check whether a sacreBLEU metric fits the texts that it scores, if a report was requested.

    Args:
        metric: A `sacrebleu.BLEU`. A `CHRF` fits all texts and is not checked.
        hypotheses: The texts, of which only the middle one is checked.
    """
    if errors.observer is None or not hasattr(metric, "effective_order"):
        return
    if len(hypotheses) == 1 and not metric.effective_order:
        errors.notice(SINGLE)
    text = hypotheses[len(hypotheses) // 2]
    if text[len(text) // 2 :][:1] >= _THAI:
        from ..tokenizers.scripts import fitting_tokenizer, letters_by_script

        name = metric.tokenizer.signature()
        fitting = fitting_tokenizer(letters_by_script(text[:1000])) if name in SPLIT_AT_SPACES else ""
        if fitting:
            errors.notice(SCRIPT.format(name=name, fitting=fitting))
