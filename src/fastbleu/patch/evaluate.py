"""Hugging Face evaluate: `load` gives `compat.evaluate`'s modules, which are evaluate's own `Metric` objects."""

from __future__ import annotations

from inspect import signature

from ..compat import evaluate as ours
from .replacing import NOT_CONCERNED, Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: The modules that fastbleu has.
_NAMES = ("bleu", "sacrebleu", "google_bleu")


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacement in `evaluate.loading`."""
    names = tuple(signature(module.load).parameters)

    def load(*arguments: Any, **options: Any) -> Any:
        given = dict(zip(names, arguments, strict=False))
        return ours.load(**given, **options) if given["path"] in _NAMES else NOT_CONCERNED

    return [Replacement(module.load, load)]
