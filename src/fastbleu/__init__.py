"""Compute BLEU and chrF exactly as their reference implementations do, hundreds of times faster."""

from .counting.references import References
from .inputs.ids import TokenIds
from .metric import BLEU
from .metric.sacrebleu_functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from .scoring.score import BLEUScore
from .scoring.signature import SACREBLEU_VERSION, Signature
from .system.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import arrow, compat, patch, rerank, rewards
    from .compare import compare
    from .explain import Explanation
    from .metric.accumulator import Accumulator
    from .metric.chrf import CHRF
    from .scoring.chrf_formula import CHRFScore
    from .scoring.significance import (
        PairDifference,
        SignificanceTest,
        SystemInterval,
        approximate_randomization,
        paired_bootstrap,
    )

__all__ = [
    "BLEU",
    "CHRF",
    "SACREBLEU_VERSION",
    "Accumulator",
    "BLEUScore",
    "CHRFScore",
    "Explanation",
    "PairDifference",
    "References",
    "Signature",
    "SignificanceTest",
    "SystemInterval",
    "TokenIds",
    "__version__",
    "approximate_randomization",
    "arrow",
    "compare",
    "compat",
    "corpus_bleu",
    "paired_bootstrap",
    "patch",
    "raw_corpus_bleu",
    "rerank",
    "rewards",
    "sentence_bleu",
]

#: The public names that are imported on first use, and their modules.
_LAZY_MODULES = {
    "CHRF": ".metric.chrf",
    "CHRFScore": ".scoring.chrf_formula",
    "Accumulator": ".metric.accumulator",
    "Explanation": ".explain",
    "PairDifference": ".scoring.significance",
    "SignificanceTest": ".scoring.significance",
    "SystemInterval": ".scoring.significance",
    "approximate_randomization": ".scoring.significance",
    "arrow": ".arrow",
    "compare": ".compare",
    "compat": ".compat",
    "paired_bootstrap": ".scoring.significance",
    "patch": ".patch",
    "rerank": ".rerank",
    "rewards": ".rewards",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LAZY_MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module = import_module(_LAZY_MODULES[name], __name__)
        # The attribute `compare` is the module `fastbleu.compare`. Calling the module calls its function `compare`.
        return module if _LAZY_MODULES[name] == f".{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
