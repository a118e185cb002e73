"""Modules, as `load` returns them: they collect predictions and references, batch by batch, and then score them.

Where Hugging Face `evaluate` is installed they are its own `Metric`s, those of `metrics`. Elsewhere they are plain
objects that keep what they collect in memory.
"""

from __future__ import annotations

import sys

from .scores import check_texts, compute, compute_google_bleu, compute_sacrebleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The modules' functions.
_MODULES: dict[str, Callable[..., dict[str, Any]]] = {
    "bleu": compute,
    "sacrebleu": compute_sacrebleu,
    "google_bleu": compute_google_bleu,
}

#: Arguments of `evaluate.load` that only help to find a module.
_FINDING = ("download_config", "download_mode", "revision", "trust_remote_code")


def find_evaluate() -> Any:
    """The package `evaluate`; None if it is not installed."""
    try:
        import evaluate
    except ModuleNotFoundError as error:
        if error.name not in ("datasets", "evaluate"):
            raise
        return None
    return evaluate


def installed_evaluate(complaint: str) -> Any:
    """The package `evaluate`. A program may have replaced its `load` and `combine`, but not where it defines them.

    Args:
        complaint: What the error says without it.

    Raises:
        ValueError: It is not installed.
    """
    peer = find_evaluate()
    if peer is None:
        raise ValueError(f"{complaint} (the package evaluate is not installed)")
    return peer


def load(
    path: str,
    config_name: str | None = None,
    module_type: str | None = None,
    process_id: int = 0,
    num_process: int = 1,
    cache_dir: str | None = None,
    experiment_id: str | None = None,
    keep_in_memory: bool = False,
    **options: Any,
) -> Any:
    """Load a module as `evaluate.load`, from this package instead of the hub.

    Args:
        path: "bleu", "sacrebleu" or "google_bleu"; anything else is left to `evaluate.load` itself.
        config_name: A name for the directory of the Arrow files.
        module_type: Ignored for these three.
        process_id: Which of the processes this is.
        num_process: How many processes collect together, each with a `process_id` of its own. More than one needs
            `evaluate`.
        cache_dir: Where the Arrow files go, as for `evaluate.load`.
        experiment_id: Tells the files of one run from those of another.
        keep_in_memory: Collect in memory instead.
        options: Further arguments of `evaluate.load`. Those that tell where to find a module are ignored; the others go
            to the `evaluate.Metric`.

    Returns:
        An `evaluate.Metric` where that package is installed, otherwise a `Module`. Its `add(prediction=,
        reference=)`, `add_batch(predictions=, references=)` and `compute(predictions=, references=, **options)` take
        references in lists, or one for each prediction; `compute` takes the options of the function that it stands
        for, scores all that was collected, and forgets it.

    Raises:
        TypeError: `path` is not a str.
        ValueError: It is another name, or several processes are asked for, without `evaluate`.

    Example:
        >>> load("google_bleu").compute(predictions=["it rained all day"], references=["it rained all night"])
        {'google_bleu': 0.6}
    """
    if not isinstance(path, str):
        raise TypeError(f"path must be a str, not {type(path).__name__}: {path!r}")
    kept = {
        "config_name": config_name,
        "process_id": process_id,
        "num_process": num_process,
        "cache_dir": cache_dir,
        "experiment_id": experiment_id,
        "keep_in_memory": keep_in_memory,
    }
    if path not in _MODULES:
        installed_evaluate(f"unknown path {path!r}; choose one of {', '.join(_MODULES)}")
        return sys.modules["evaluate.loading"].load(path, module_type=module_type, **kept, **options)
    for name in _FINDING:
        options.pop(name, None)
    if find_evaluate() is not None:
        from .metrics import METRICS

        return METRICS[path](**kept, **options)
    if num_process != 1:
        raise ValueError(
            f"num_process must be 1 where the package evaluate is not installed, got {num_process!r}"
        )
    return Module(path)


def combine(evaluations: Any, force_prefix: bool = False) -> Any:
    """Combine modules as `evaluate.combine`, which it needs; names stand for what `load` gives.

    Args:
        evaluations: A list of modules and names, or a dictionary of them by prefix.
        force_prefix: Whether every score has its module's name before its own.

    Returns:
        An `evaluate.CombinedEvaluations`.

    Raises:
        ValueError: `evaluate` is not installed.
    """

    def loaded(module: Any) -> Any:
        return load(module) if isinstance(module, str) else module

    installed_evaluate("modules cannot be combined")
    if isinstance(evaluations, dict):
        evaluations = {name: loaded(module) for name, module in evaluations.items()}
    else:
        evaluations = [loaded(module) for module in evaluations]
    return sys.modules["evaluate.module"].combine(evaluations, force_prefix=force_prefix)


class Module:
    """Collects predictions and references in memory, and scores them: what `load` returns without `evaluate`.

    Args:
        name: A module's name.

    Example:
        >>> bleu = Module("bleu")
        >>> bleu.add(prediction="it rained all day", reference="it rained all day")
        >>> bleu.add_batch(predictions=["it snowed"], references=[["it snowed", "snow fell"]])
        >>> len(bleu), bleu.compute()["bleu"], len(bleu)
        (2, 1.0, 0)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._predictions: list[str] = []
        self._references: list[list[str]] = []

    def __len__(self) -> int:
        return len(self._predictions)

    def __repr__(self) -> str:
        return f"Module({self.name!r}, stored examples: {len(self)})"

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Collect one prediction and its reference or references; `predictions=` and `references=` will do as names."""
        batch = {"predictions": prediction, "references": reference, **inputs}
        unknown = set(batch) - {"predictions", "references"}
        if unknown:
            raise TypeError(f"add takes prediction and reference, not {min(unknown)}")
        self.add_batch(predictions=[batch["predictions"]], references=[batch["references"]])

    def add_batch(self, *, predictions: Any, references: Any) -> None:
        """Collect predictions and the reference or references of each. Raises what `compute` raises of them."""
        texts, lists, _ = check_texts(predictions, references, absent=True)
        self._predictions += texts
        self._references += lists

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any]:
        """Score all that was collected, and these; then forget it.

        Args:
            predictions: As for `add_batch`, or None.
            references: Likewise.
            options: Those of the module's function.

        Raises:
            ValueError: There is nothing to score, or what the module's function raises.
        """
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        if not self._predictions:
            raise ValueError(
                "there is nothing to score: call add or add_batch before compute, or give it predictions"
            )
        collected = {"predictions": self._predictions, "references": self._references}
        self._predictions, self._references = [], []
        return _MODULES[self.name](**collected, **options)
