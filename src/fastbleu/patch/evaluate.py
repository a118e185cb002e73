"""Replace Hugging Face evaluate's `load` by a function that returns the metrics of `fastbleu.compat.evaluate`."""

from __future__ import annotations

from inspect import signature
from os.path import isfile, join

from ..compat import evaluate as ours
from ..compat.evaluate.compute_functions import score_by
from ._calls import RUN_UNCOUNTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: The names of the `evaluate` modules that fastbleu replaces.
_NAMES = ("bleu", "sacrebleu", "google_bleu")


def replacements_in(module: ModuleType) -> Pairs:
    """Return the function to replace in `evaluate.loading`, with its replacement."""
    names = tuple(signature(module.load).parameters)

    def load(*arguments: Any, **options: Any) -> Any:
        given = dict(zip(names, arguments, strict=False))
        path = given["path"]
        # If the working directory has a script of this name, the original `load` runs that script.
        if path not in _NAMES or isfile(join(path, f"{path}.py")):
            return RUN_UNCOUNTED
        metric = ours.load(**given, **options)
        if path == "sacrebleu":
            metric.function = compute_by_sacrebleu
        return metric

    return [(module.load, load)]


def compute_by_sacrebleu(**given: Any) -> dict[str, Any]:
    """Score by calling the installed sacreBLEU, like evaluate's script, so that monkeypatches of sacreBLEU have effect.

    Args:
        given: The arguments of `fastbleu.compat.evaluate.compute_sacrebleu`.
    """
    import sacrebleu

    return score_by(sacrebleu.corpus_bleu, **{**(ours.compute_sacrebleu.__kwdefaults__ or {}), **given})
