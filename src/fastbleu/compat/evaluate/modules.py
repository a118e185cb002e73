"""`load` and `combine`, as `evaluate` has them: with four modules from here, and everything else from the package."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The modules that `metrics` has.
_NAMES = ("bleu", "sacrebleu", "google_bleu", "chrf")

#: Arguments of `evaluate.load` that only help to find a module.
_FINDING = ("download_config", "download_mode", "revision", "trust_remote_code")


def installed_evaluate() -> Any:
    """Import the package `evaluate`, to have `load` from `evaluate.loading`, which a program has not replaced.

    Raises:
        ImportError: It is not installed, or `sys.modules` has this module in its place.
    """
    from ...system.extras import imports_of

    with imports_of("evaluate", "fastbleu.compat.evaluate.load"):
        import evaluate
    if evaluate is sys.modules[__package__]:
        raise ImportError(
            f"sys.modules['evaluate'] is {__package__}, which needs the package evaluate itself"
        )
    return evaluate


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
        path: "bleu", "sacrebleu", "google_bleu" or "chrf"; anything else is left to `evaluate.load` itself.
        config_name: A name for the directory of the Arrow files.
        module_type: Ignored for these.
        process_id: Which of the processes this is.
        num_process: How many processes collect together, each with a `process_id` of its own.
        cache_dir: Where the Arrow files go, as for `evaluate.load`.
        experiment_id: Tells the files of one run from those of another.
        keep_in_memory: Collect in memory instead.
        options: Further arguments of `evaluate.load`. Those that tell where to find a module are ignored; the others go
            to the `evaluate.Metric`.

    Returns:
        An `evaluate.Metric`. Its `add(prediction=, reference=)`, `add_batch(predictions=, references=)` and
        `compute(predictions=, references=, **options)` take references in lists, or one for each prediction; `compute`
        takes the options of the function of that name, scores all that was collected, and forgets it.

    Raises:
        ImportError: The package `evaluate` is not installed.
        TypeError: `path` is not a str.

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
    installed_evaluate()
    if path not in _NAMES:
        return sys.modules["evaluate.loading"].load(path, module_type=module_type, **kept, **options)
    from .metrics import METRICS

    return METRICS[path](**kept, **{name: option for name, option in options.items() if name not in _FINDING})


def combine(evaluations: Any, force_prefix: bool = False) -> Any:
    """Combine modules as `evaluate.combine`; a name becomes the module that `load` returns.

    Args:
        evaluations: A list of modules and names, or a dictionary of them by prefix.
        force_prefix: Whether every score has its module's name before its own.

    Returns:
        An `evaluate.CombinedEvaluations`.

    Raises:
        ImportError: The package `evaluate` is not installed.
    """

    def loaded(module: Any) -> Any:
        return load(module) if isinstance(module, str) else module

    installed_evaluate()
    if isinstance(evaluations, dict):
        evaluations = {name: loaded(module) for name, module in evaluations.items()}
    else:
        evaluations = [loaded(module) for module in evaluations]
    return sys.modules["evaluate.module"].combine(evaluations, force_prefix=force_prefix)
