"""Find calls of patched packages that probably compute an unintended score. No score is changed.

Calls are checked only if a report was requested by `--report` or FASTBLEU_PATCH_REPORT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import errors
from ..tokenizers.names import SPLIT_AT_SPACES

_MAX_MISTAKES = 100  # The report is limited, because generated code may repeat a mistake in a million lines.

_THAI = "\u0e00"  # The lowest code point of the scripts that have no spaces between words.

SINGLE = "a single segment is scored without effective order, so BLEU is almost 0 if no 4-gram matches"
SCRIPT = "tokenize={name!r} splits at spaces, but the text has no spaces between words; use {fitting}"


class Mistake(NamedTuple):
    """A likely mistake in a call.

    Attributes:
        message: The description of the mistake.
        file: The file that contains the call.
        line: The line of the call, from 1 on.
    """

    message: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


#: The likely mistakes that were found, in the order of their first occurrence. The values are not used.
mistakes: dict[Mistake, None] = {}


def add_mistake(message: str, file: str, line: int) -> None:
    """Add a likely mistake to the report, unless the report is full."""
    if len(mistakes) < _MAX_MISTAKES:
        mistakes[Mistake(message, file, line)] = None


def check_metric(metric: Any, hypotheses: Any) -> None:
    """If a report was requested, check whether the options of a sacreBLEU metric are suitable for the texts it scores.

    Args:
        metric: A `sacrebleu.BLEU`. A `CHRF` is suitable for all texts and is not checked.
        hypotheses: The texts. Only the middle one is checked for a script, such as Thai, without spaces between words.
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
