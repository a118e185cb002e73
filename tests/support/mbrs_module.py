"""mbrs' module of BLEU without the packages of its other metrics, and a pool of processes in this process."""

import sys
import warnings
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch as replaced


class Nothing(ModuleType):
    """Has every name that is asked for: mbrs' other metrics need large packages."""

    __file__ = "nothing"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


OTHERS = [
    f"mbrs.metrics.{name}"
    for name in ["bertscore", "bleurt", "chrf", "comet", "cometkiwi", "metricx", "ter", "xcomet"]
]
with warnings.catch_warnings(), replaced.dict(sys.modules):
    warnings.simplefilter("ignore")  # what it imports warns of its own age
    sys.modules.update({name: Nothing(name) for name in OTHERS})
    module: Any = import_module("mbrs.metrics.bleu")
    kept = {name: each for name, each in sys.modules.items() if name not in OTHERS}
sys.modules.update(kept)


class OneProcess(nullcontext[Any]):
    """In the place of a pool of processes: the same work in this process, which starts at once."""

    def __init__(self, max_workers: int, initializer: Any, initargs: Any) -> None:
        super().__init__(self)
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        initializer(*initargs)

    def map(self, function: Any, *values: Any, chunksize: int) -> Any:
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return map(function, *values)


#: In the place of the module's `concurrent`.
IN_ONE_PROCESS = SimpleNamespace(futures=SimpleNamespace(ProcessPoolExecutor=OneProcess))
