"""Moses' scripts: multi-bleu.perl, multi-bleu-detok.perl, mteval-v13a.pl and mteval-v14.pl."""

from __future__ import annotations

from .lines import MultiBLEUScore, multi_bleu, multi_bleu_detok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .evaluation import DocumentScores, Mteval, MtevalScores, SystemScores, mteval
    from .reports import report, write_matr_files

__all__ = [
    "DocumentScores",
    "Mteval",
    "MtevalScores",
    "MultiBLEUScore",
    "SystemScores",
    "mteval",
    "multi_bleu",
    "multi_bleu_detok",
    "report",
    "write_matr_files",
]

# What mteval needs is imported when it is asked for: the commands for lines start without it.
_LATER = {
    **dict.fromkeys(("DocumentScores", "Mteval", "MtevalScores", "SystemScores", "mteval"), ".evaluation"),
    **dict.fromkeys(("report", "write_matr_files"), ".reports"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_LATER[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
