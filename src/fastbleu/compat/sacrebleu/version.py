"""Replacement for `sacrebleu.version`: the release of sacreBLEU whose scores are reproduced."""

from ...scoring.signature import SACREBLEU_VERSION
from .peer import forward

__getattr__ = forward(__name__, {})

__version__ = version = SACREBLEU_VERSION
__version_tuple__ = version_tuple = tuple(map(int, SACREBLEU_VERSION.split(".")))
