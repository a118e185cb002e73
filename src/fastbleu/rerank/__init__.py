"""Reranking at volume: choose the best candidates of pools by reference or by agreement, and compare candidates.

Functions that score take their options from a `BLEU`, some also from a `CHRF`. The metric's own scores are 0..100.
"""

from .mbr import Selection, expected, mbr, pairwise
from .nbest.pools_from_file import NBestBlock, read
from .nearest import NearDuplicates, Nearest, near_duplicates, nearest
from .oracle import OracleSelection, oracle
from .pools import Pools
from .ranking import Ranking, Rankings, rank
from .self_bleu import SelfBLEU, self_bleu, set_bleu

__all__ = [
    "NBestBlock",
    "NearDuplicates",
    "Nearest",
    "OracleSelection",
    "Pools",
    "Ranking",
    "Rankings",
    "Selection",
    "SelfBLEU",
    "expected",
    "mbr",
    "near_duplicates",
    "nearest",
    "oracle",
    "pairwise",
    "rank",
    "read",
    "self_bleu",
    "set_bleu",
]
