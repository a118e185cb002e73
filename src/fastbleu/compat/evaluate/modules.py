"""`load` and `combine` of `evaluate`: fastbleu provides four modules, the installed `evaluate` loads all others."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The names of the modules that fastbleu provides.
_NAMES = ("bleu", "sacrebleu", "google_bleu", "chrf")

#: Arguments of `evaluate.load` that only affect where a module is loaded from.
_DOWNLOAD_OPTIONS = ("download_config", "download_mode", "revision", "trust_remote_code")


def installed_evaluate() -> Any:
    """Import and return the package `evaluate`.

    Raises:
        ImportError: `evaluate` is not installed, or `sys.modules["evaluate"]` is `fastbleu.compat.evaluate`.
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
    """Load a module like `evaluate.load`, but take four modules from fastbleu instead of the hub.

    Args:
        path: "bleu", "sacrebleu", "google_bleu" or "chrf"; or the name of another module, which `evaluate.load` loads.
        config_name: A name for the directory of the Arrow files.
        module_type: The type of the module. It is ignored for fastbleu's four modules.
        process_id: The index of this process, 0..num_process - 1.
        num_process: The number of processes that collect texts together.
        cache_dir: The directory of the Arrow files, as for `evaluate.load`.
        experiment_id: A name that distinguishes the files of this run from those of other runs.
        keep_in_memory: Collect texts in memory instead of in files.
        options: Further arguments of `evaluate.load`. For fastbleu's modules, arguments that only affect where a module
            is loaded from are ignored, and all others are passed to `evaluate.Metric`.

    Returns:
        An `evaluate.Metric`. Its `add(prediction=, reference=)` and `add_batch(predictions=, references=)` collect
        texts. Its `compute(predictions=, references=, **options)` scores the collected texts and its arguments, and
        discards the collected texts. References are lists, or one str per prediction. The options are those of this
        package's `compute`, `compute_sacrebleu`, `compute_google_bleu` or `compute_chrf`.

    Raises:
        ImportError: The package `evaluate` is not installed.
        TypeError: `path` is not a str.

    Example:
        >>> load("google_bleu").compute(predictions=["it rained all day"], references=["it rained all night"])
        {'google_bleu': 0.6}
    """
    if not isinstance(path, str):
        raise TypeError(f"path must be a str, not {type(path).__name__}: {path!r}")
    metric_options = {
        "config_name": config_name,
        "process_id": process_id,
        "num_process": num_process,
        "cache_dir": cache_dir,
        "experiment_id": experiment_id,
        "keep_in_memory": keep_in_memory,
    }
    installed_evaluate()
    # `evaluate.loading` still has the original `load` if a program has replaced `evaluate.load` by this function.
    if path not in _NAMES:
        return sys.modules["evaluate.loading"].load(
            path, module_type=module_type, **metric_options, **options
        )
    from .metrics import METRICS

    metric_options |= {name: option for name, option in options.items() if name not in _DOWNLOAD_OPTIONS}
    return METRICS[path](**metric_options)


def combine(evaluations: Any, force_prefix: bool = False) -> Any:
    """Combine modules like `evaluate.combine`. Modules that are given by name are loaded by `load`.

    Args:
        evaluations: A list of modules and names, or a dictionary from prefixes to modules and names.
        force_prefix: Prefix the name of every score with the name of its module.

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
