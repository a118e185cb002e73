"""Search under BLEU among many texts: the texts nearest to a query, near duplicates, and a list without them.

The scores are those of `rerank.pairwise`, and the results those of scoring all pairs; most pairs are never scored.
"""

from .duplicates import NearDuplicates, deduplicate, near_duplicates
from .index import Found, Index

__all__ = ["Found", "Index", "NearDuplicates", "deduplicate", "near_duplicates"]
