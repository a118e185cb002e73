"""Rerank pools of candidates, by references or by agreement among the candidates, and compare texts in bulk.

A pool is the list of candidates for one source segment. The functions that score texts take their options from a
`BLEU`, and most of them also accept a `CHRF`. Scores by the formula of the metric are 0..100; some functions can use
NLTK's formula instead.
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
