"""Compare reranking with the live sacreBLEU on real pools of the WMT 2021 news data, and on random texts.

sacreBLEU's own code gives the statistics of every pair, and its formula the score of every row under all smoothing
methods, effective order on and off. Against these, to 1e-12 relative:

    pairwise    every pair of a pool
    expected    weighted means of its rows, with and without the candidate itself as evidence
    mbr         the best of those means, and its place
    self-bleu   each text against all the others, both formulas (where NLTK is installed)

Exits with 1 if anything differs.

    python tools/compare_reranking.py             # 200 pools of 256, 2,000 random ones: half an hour on two cores
    python tools/compare_reranking.py --pools 50 --size 64 --random 100 --seed 7
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import numpy.typing as npt

from fastbleu import BLEU
from fastbleu.options import NLTK_SMOOTHINGS
from fastbleu.rerank import expected, mbr, pairwise, self_bleu
from tests.support import newstest, pair_statistics, rerank_pools, sacrebleu_peer

Scores = npt.NDArray[np.float64]

KINDS = ("pairwise", "expected", "mbr", "self-bleu", "self-bleu, NLTK")
CLOSE = 1e-12
EXAMPLES_KEPT = 3

#: A peer takes time for every pair and every order in Self-BLEU, so only this many texts of a pool are taken.
SELF_BLEU_SIZE = 64

#: The tokenizers that apply to a direction.
TOKENIZERS = {
    "en-de": ("13a", "none"),
    "de-en": ("13a", "intl"),
    "en-ru": ("13a", "intl"),
    "zh-en": ("13a", "char"),
    "en-zh": ("zh", "13a"),
    "en-ja": ("char", "13a"),
}

# Both recommend effective_order for sentences; here it is off on purpose, half of the time.
logging.getLogger("fastbleu").setLevel(logging.ERROR)
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


class Task(NamedTuple):
    """One pool, and how it is tokenized."""

    name: str
    pool: list[str]
    tokens: dict[str, Any]


class Comparison:
    """Counts what was compared, and keeps the first differences."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.different: Counter[str] = Counter()
        self.examples: list[str] = []

    def close(self, kind: str, ours: Any, theirs: Any, *where: Any) -> None:
        ours, theirs = np.atleast_1d(ours), np.atleast_1d(theirs)
        self.compared[kind] += theirs.size
        far = ~(np.abs(ours - theirs) <= CLOSE * np.abs(theirs))  # NaN is far from everything
        self.different[kind] += int(far.sum())
        for place in np.argwhere(far)[: EXAMPLES_KEPT - len(self.examples)].tolist():
            at = tuple(place)
            self.examples.append(f"{kind} {where} {place}: {ours[at]!r} is not {theirs[at]!r}")


def random_pool(generator: random.Random) -> list[str]:
    """Texts of few words, so that they match often, short and long, empty and repeated."""
    words = generator.choice(
        ("a b", "the cat sat on mat . ,", " ".join(map(str, range(40))), "é 猫 Ж 😀 a.b 1,2")
    ).split()
    longest = generator.choice((3, 10, 40, 70, 200))
    pool = [
        " ".join(generator.choices(words, k=generator.randint(0, longest)))
        for _ in range(generator.randint(1, 24))
    ]
    return pool + generator.choices(pool, k=generator.randrange(4))


def compare_weighted(metric: BLEU, pool: list[str], matrix: Scores, where: Any, found: Comparison) -> None:
    """Expected utilities by weights that repeat with the pool, and the best of them."""
    weights = np.random.default_rng(len(pool)).random(len(pool)) + 1e-3
    for exclude_self in (False, True) if len(pool) > 1 else (False,):
        for given in (None, weights):
            shares = np.tile(np.ones(len(pool)) if given is None else given, (len(pool), 1))
            if exclude_self:
                np.fill_diagonal(shares, 0)
            wanted = (matrix * shares).sum(axis=1) / shares.sum(axis=1)
            options: dict[str, Any] = {"exclude_self": exclude_self, "metric": metric}
            if given is not None:
                options |= {"weights": [given], "weights_as": "counts"}
            utilities = expected([pool], **options)[0]
            found.close("expected", utilities, wanted, *where, exclude_self, given is not None)
            picked = mbr([pool], **options)
            found.close("mbr", picked.utilities[0], wanted.max(), *where)
            found.close("mbr", wanted[picked.indices[0]], wanted.max(), *where)
            found.close("mbr", picked.indices[0], np.argmax(utilities), *where)


def compare_with_nltk(pool: list[str], tokens: dict[str, Any], where: Any, found: Comparison) -> None:
    from tests.support import nltk_scores

    metric = BLEU(**tokens)
    texts = [metric.tokenize(text) for text in pool]
    for method in NLTK_SMOOTHINGS:
        theirs = nltk_scores.against_others(texts, method)
        if theirs is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # method0 warns, as NLTK does, of each order without a match
                ours = self_bleu(pool, formula="nltk", smoothing=method, metric=metric).scores
            found.close("self-bleu, NLTK", ours, theirs, *where, method)


def run(task: Task) -> Comparison:
    """Compare everything that is made of one pool."""
    found = Comparison()
    matrices = pair_statistics.matrices(task.pool, task.pool, **task.tokens)
    texts = task.pool[:SELF_BLEU_SIZE]
    rows: list[list[int]] = []
    if len(texts) > 1:
        rows = list(pair_statistics.against_others(texts, **task.tokens))
    for formula, matrix in zip(pair_statistics.FORMULAS, matrices, strict=True):
        where = (task.name, task.tokens, tuple(formula))
        metric = BLEU(**task.tokens, **formula._asdict())
        found.close("pairwise", pairwise(task.pool, metric=metric), matrix, *where)
        compare_weighted(metric, task.pool, matrix, where, found)
        if rows:
            wanted = [sacrebleu_peer.score(row, **formula._asdict()).score for row in rows]
            found.close("self-bleu", self_bleu(texts, metric=metric).scores, wanted, *where)
    if len(texts) > 1 and find_spec("nltk"):
        compare_with_nltk(texts[:24], task.tokens, (task.name, task.tokens), found)
    return found


def tasks(options: argparse.Namespace) -> Iterator[Task]:
    if options.pools:
        for pair, pools in rerank_pools.over_directions(options.pools, options.size):
            for i, pool in enumerate(pools):
                names = TOKENIZERS[pair]
                tokens = {"tokenize": names[i % len(names)], "lowercase": i % 3 == 0}
                yield Task(f"{pair} {i}", pool, tokens)
    generator = random.Random(options.seed)
    for i in range(options.random):
        name = generator.choice(("13a", "none", "char", "intl", "zh"))
        tokens = {"tokenize": name, "lowercase": generator.random() < 0.3}
        yield Task(f"random {i}", random_pool(generator), tokens)


def main() -> int:
    """Compare pools until there are as many as asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pools", type=int, default=200, help="real ones, over all directions")
    parser.add_argument("--size", type=int, default=256, help="candidates in each of them")
    parser.add_argument("--random", type=int, default=2_000, help="pools of random texts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.pools and newstest.folder() is None:
        parser.error("FASTBLEU_DATA does not name a folder that holds newstest2021")

    started = time.monotonic()
    compared: Counter[str] = Counter()
    different: Counter[str] = Counter()
    with multiprocessing.Pool(options.processes) as processes:
        for number, found in enumerate(processes.imap_unordered(run, tasks(options)), 1):
            compared += found.compared
            different += found.different
            for example in found.examples:
                print(example, flush=True)
            if number % 50 == 0:
                print(
                    f"{number} pools, {time.monotonic() - started:.0f} s: {compared.total():,} compared, "
                    f"{different.total():,} different",
                    file=sys.stderr,
                    flush=True,
                )

    print(f"sacreBLEU {sacrebleu_peer.VERSION}, {time.monotonic() - started:.0f} s")
    print(f"{'':18}{'compared':>14}{'different':>11}")
    for kind in KINDS:
        print(f"{kind:18}{compared[kind]:>14,}{different[kind]:>11,}")
    print(f"{'all':18}{compared.total():>14,}{different.total():>11,}")
    return int(different.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
