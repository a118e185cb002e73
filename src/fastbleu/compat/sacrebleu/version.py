"""The release of sacreBLEU that the numbers equal."""

from ...scoring.signature import SACREBLEU_VERSION
from .peer import hand_on

__getattr__ = hand_on(__name__, {})

__version__ = version = SACREBLEU_VERSION
__version_tuple__ = version_tuple = tuple(map(int, SACREBLEU_VERSION.split(".")))
