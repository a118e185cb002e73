"""`load` and `combine` of `evaluate`: four modules come from this package, all others from `evaluate` itself."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The modules that `metrics` defines.
_NAMES = ("bleu", "sacrebleu", "google_bleu", "chrf")

#: Arguments of `evaluate.load` that only affect where a module is found.
_FINDING = ("download_config", "download_mode", "revision", "trust_remote_code")


def installed_evaluate() -> Any:
    """Import the package `evaluate`, whose `load` callers take from `evaluate.loading`, where no program replaces it.

    Raises:
        ImportError: `evaluate` is not installed, or `sys.modules["evaluate"]` is this package.
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
    """Load a module as `evaluate.load` does, from this package instead of the hub.

    Args:
        path: "bleu", "sacrebleu", "google_bleu" or "chrf"; any other value is passed to `evaluate.load` itself.
        config_name: A name for the directory of the Arrow files.
        module_type: Ignored for the four modules.
        process_id: The index of this process, 0..num_process - 1.
        num_process: The number of processes that collect texts together.
        cache_dir: The directory of the Arrow files, as for `evaluate.load`.
        experiment_id: A name that distinguishes the files of this run from those of others.
        keep_in_memory: Collect texts in memory instead of in files.
        options: Further arguments of `evaluate.load`. Those about where to find a module are ignored; all others are
            passed to the `evaluate.Metric`.

    Returns:
        An `evaluate.Metric`. Its `add(prediction=, reference=)`, `add_batch(predictions=, references=)` and
        `compute(predictions=, references=, **options)` take lists of references, or one str for each prediction.
        `compute` takes the options of the compute function of that module; it scores and forgets all collected texts.

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
    """Combine modules as `evaluate.combine` does, with names loaded by `load`.

    Args:
        evaluations: A list of modules and names, or a dictionary from prefixes to them.
        force_prefix: Whether to prefix the name of every score with that of its module.

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
