"""Replace Hugging Face evaluate's `load`: it returns modules of `compat.evaluate`, `evaluate.Metric` objects."""

from __future__ import annotations

from inspect import signature
from os.path import isfile, join

from ..compat import evaluate as ours
from ..compat.evaluate.compute_functions import score_by
from ._calls import NOT_CONCERNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: The modules that fastbleu replaces.
_NAMES = ("bleu", "sacrebleu", "google_bleu")


def replacements_in(module: ModuleType) -> Pairs:
    """Return the function to replace in `evaluate.loading`, with its replacement."""
    names = tuple(signature(module.load).parameters)

    def load(*arguments: Any, **options: Any) -> Any:
        given = dict(zip(names, arguments, strict=False))
        path = given["path"]
        # `load` prefers a script of this name in the working directory.
        if path not in _NAMES or isfile(join(path, f"{path}.py")):
            return NOT_CONCERNED
        metric = ours.load(**given, **options)
        if path == "sacrebleu":
            metric.function = compute_by_sacrebleu
        return metric

    return [(module.load, load)]


def compute_by_sacrebleu(**given: Any) -> dict[str, Any]:
    """Score by the installed sacreBLEU, as evaluate's script does, so that monkeypatches of sacreBLEU are respected."""
    import sacrebleu

    return score_by(sacrebleu.corpus_bleu, **{**(ours.compute_sacrebleu.__kwdefaults__ or {}), **given})
