"""Measure how often aggregated minimum Bayes risk picks what the exact one picks, and what it loses where it does not.

Pools are of the WMT 2021 news data: what the systems wrote for a source, filled up with variants of it that lack words.
A pick counts as the same where its text is. The loss is in exact expected utility, on the scale 0..100, averaged over
all pools.

    python tools/measure_aggregate.py
    python tools/measure_aggregate.py --pairs en-de zh-en --pools 1000 --sizes 64
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from fastbleu import BLEU
from fastbleu.rerank import expected, mbr
from tests.support import newstest, rerank_pools

#: The tokenizers of target languages without spaces; all others have 13a.
TOKENIZERS = {"en-zh": "zh", "en-ja": "char"}


class Agreement(NamedTuple):
    """Over the pools of one direction and size."""

    pools: int
    same: int
    loss: float
    exact_seconds: float
    aggregate_seconds: float


def measure(pools: list[list[str]], metric: BLEU) -> Agreement:
    start = time.perf_counter()
    exact = expected(pools, metric=metric)
    between = time.perf_counter()
    picked = mbr(pools, method="aggregate", metric=metric).indices.tolist()
    end = time.perf_counter()
    best = [int(np.argmax(utilities)) for utilities in exact]
    same = sum(pool[i] == pool[j] for pool, i, j in zip(pools, best, picked, strict=True))
    loss = sum(float(u[i] - u[j]) for u, i, j in zip(exact, best, picked, strict=True))
    return Agreement(len(pools), same, loss, between - start, end - between)


def shown(pair: str, size: int, found: list[Agreement]) -> str:
    pools, same, loss, exact, aggregate = (sum(column) for column in zip(*found, strict=True))
    return (
        f"{pair:<12}{size:>6}{pools:>8,.0f}{same / pools:>9.1%}{loss / pools:>9.3f}"
        f"{exact / pools * 1e3:>12.3f}{aggregate / pools * 1e3:>12.3f}"
    )


def main() -> int:
    """Measure every direction and size, then each size over all directions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", nargs="+", default=newstest.PAIRS, choices=newstest.PAIRS)
    parser.add_argument("--sizes", nargs="+", type=int, default=(16, 32, 64, 128, 256))
    parser.add_argument("--pools", type=int, default=200, help="of each direction and size")
    options = parser.parse_args()
    if newstest.folder() is None:
        parser.error("FASTBLEU_DATA does not name a folder that holds newstest2021")
    print(f"{'direction':<12}{'size':>6}{'pools':>8}{'same':>9}{'loss':>9}{'exact, ms':>12}{'aggregate':>12}")
    for size in options.sizes:
        found = []
        for pair in options.pairs:
            metric = BLEU(tokenize=TOKENIZERS.get(pair), effective_order=True)
            found.append(measure(rerank_pools.spread(pair, options.pools, size), metric))
            print(shown(pair, size, found[-1:]), flush=True)
        print(shown("all", size, found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
