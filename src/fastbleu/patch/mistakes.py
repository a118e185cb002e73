"""Likely mistakes of the program: what its calls give a number for, and hardly mean. No number is changed by this."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from .. import errors
from ..errors import notice
from ..tokenizers.names import SPLIT_AT_SPACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Places that are remembered, and calls that are looked at; a program may make the same mistake a million times.
_MOST_PLACES, _MOST_CALLS = 100, 10_000

#: Blocks of Unicode from here on hold the scripts without spaces between words.
_THAI = "\u0e00"

SINGLE = "a single segment without effective order: with fewer than four tokens, or no match of four, BLEU is near 0"
SCRIPT = "text in a script without spaces between words, but tokenize={name!r} splits at spaces; {fitting} would fit"

_calls: Counter[Mistake] = Counter()


class Mistake(NamedTuple):
    """A likely mistake.

    Attributes:
        message: What is likely to be wrong.
        file: The file of the program that made the call.
        line: The line, from 1 on.
    """

    message: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def watch(is_on: bool) -> None:
    """Keep likely mistakes from now on, or no longer."""
    if is_on and _keep not in errors.observers:
        errors.observers.append(_keep)
    elif not is_on and _keep in errors.observers:
        errors.observers.remove(_keep)


def mistakes() -> tuple[Mistake, ...]:
    """Return the likely mistakes so far, each place once, in the order in which they were first made."""
    return tuple(_calls)


def _keep(message: str, file: str, line: int) -> None:
    mistake = Mistake(message, file, line)
    if mistake in _calls or len(_calls) < _MOST_PLACES:
        _calls[mistake] += 1
        if _calls[mistake] > _MOST_CALLS:
            watch(False)


def look(metric: Any, hypotheses: Any) -> None:
    """Look whether a sacreBLEU metric fits what it scores.

    Args:
        metric: A `sacrebleu.BLEU`.
        hypotheses: The texts; one is looked at.
    """
    if not errors.observers:
        return
    if len(hypotheses) == 1 and not metric.effective_order:
        notice(SINGLE)
    text = hypotheses[len(hypotheses) // 2]
    if text[len(text) // 2 :][:1] >= _THAI:
        from ..tokenizers.scripts import fitting_tokenizer

        name = metric.tokenizer.signature()
        fitting = fitting_tokenizer(text[:1000]) if name in SPLIT_AT_SPACES else ""
        if fitting:
            notice(SCRIPT.format(name=name, fitting=fitting))
