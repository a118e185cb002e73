"""Reranking at volume: the best candidates of pools by reference and by agreement, and how similar candidates are.

Every function takes its options from a `BLEU` and scores on the scale 0..100.
"""

from .mbr import Selection, expected, mbr, pairwise
from .oracle import OracleSelection, oracle
from .pools import Pools
from .ranking import Ranking, Rankings, rank
from .self_bleu import SelfBLEU, self_bleu

__all__ = [
    "OracleSelection",
    "Pools",
    "Ranking",
    "Rankings",
    "Selection",
    "SelfBLEU",
    "expected",
    "mbr",
    "oracle",
    "pairwise",
    "rank",
    "self_bleu",
]
