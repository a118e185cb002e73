"""Draw what minimum Bayes risk costs for a pool, from 8 to 1,024 candidates, beside what it costs elsewhere.

Pools are of newstest2021 en-de, 16 sources of middling length: what the systems wrote, filled up with variants that
lack words. fastbleu, one thread, takes all of them in one call; slow peers take fewer of them, and the double loop over
sacreBLEU some rows of the matrix, scaled to all. mbrs is called as its users call it, which starts two worker processes
in every call. Everything is measured in the same run, the shortest time of each; a peer that is not installed is left
out.

    pip install "fastbleu-metric[mbrs,bench,examples]"
    python tools/plot_reranking.py examples/reranking.png          # four minutes
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fastbleu import BLEU
from fastbleu.rerank import mbr
from tests.support import newstest, rerank_pools

SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
POOLS = 16

#: At most this many candidates or pairs go to a peer at a time, but at least one pool.
PEER_UNITS = 20_000

#: A call that took longer is not repeated.
LONG_SECONDS = 2.0
REPEATS = 5

Pools = Sequence[Sequence[str]]


class Contender(NamedTuple):
    """A way to choose the best of a pool."""

    name: str
    #: The time for one of some pools, in seconds.
    cost: Callable[[Pools], float]
    color: str
    marker: str
    is_ours: bool = False


def shortest(call: Callable[[], object]) -> float:
    times: list[float] = []
    while len(times) < REPEATS:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        if times[-1] > LONG_SECONDS:
            break
    return min(times)


def some(pools: Pools, units: int) -> Pools:
    """Return as many of the pools as a peer is given, if each is this many units of work."""
    return pools[: max(1, min(len(pools), PEER_UNITS // units))]


def exact(pools: Pools) -> float:
    return shortest(lambda: mbr(pools)) / len(pools)


def aggregate(pools: Pools) -> float:
    return shortest(lambda: mbr(pools, method="aggregate")) / len(pools)


def by_sacrebleu(pools: Pools) -> float:
    import sacrebleu

    metric = sacrebleu.BLEU(effective_order=True)
    size = len(pools[0])
    step = max(1, size * size // PEER_UNITS)
    chosen = some(pools, size * size // step)

    def loop() -> None:
        for pool in chosen:
            for hypothesis in pool[::step]:
                for reference in pool:
                    metric.sentence_score(hypothesis, [reference])

    rows = sum(len(pool[::step]) for pool in chosen)
    return shortest(loop) / rows * size


def by_mbrs(decoder: str) -> Callable[[Pools], float]:
    def cost(pools: Pools) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it imports warns of its own age
            from mbrs import decoders, metrics
        kind = getattr(decoders, decoder)
        made = kind(kind.Config(), metrics.MetricBLEU(metrics.MetricBLEU.Config(num_workers=2)))
        size = len(pools[0])
        chosen = some(pools, size * size if decoder == "DecoderMBR" else size)
        return shortest(lambda: [made.decode(list(pool), list(pool)) for pool in chosen]) / len(chosen)

    return cost


def by_fastchrf(pools: Pools) -> float:
    import fastchrf

    chosen = some(pools, len(pools[0]))
    return shortest(lambda: fastchrf.aggregate_chrf(chosen, chosen)) / len(chosen)


# Okabe and Ito's colours (2008), which the colour-blind tell apart; every line is named and has its own marker, too.
CONTENDERS = {
    "sacrebleu": Contender("sacreBLEU, double loop", by_sacrebleu, "#E69F00", "s"),
    "mbrs": Contender("mbrs exact, two workers", by_mbrs("DecoderMBR"), "#D55E00", "^"),
    "mbrs.aggregate": Contender("mbrs aggregate", by_mbrs("DecoderAggregateMBR"), "#CC79A7", "v"),
    "fastchrf": Contender("fastchrf aggregate (chrF)", by_fastchrf, "#009E73", "D"),
    "fastbleu": Contender("fastbleu exact", exact, "#0072B2", "o", is_ours=True),
    "fastbleu.aggregate": Contender("fastbleu aggregate", aggregate, "#56B4E9", "o", is_ours=True),
}


def middling_sources() -> list[list[str]]:
    """Return the systems' outputs for the sources whose outputs are nearest to the median length."""
    metric = BLEU()
    sources = rerank_pools.system_pools("en-de")
    lengths = [sum(len(metric.tokenize(text)) for text in pool) / len(pool) for pool in sources]
    median = statistics.median(lengths)
    nearest = sorted(range(len(sources)), key=lambda i: abs(lengths[i] - median))[:POOLS]
    return [sources[i] for i in sorted(nearest)]


def measure(sizes: Sequence[int]) -> dict[str, list[float]]:
    """The cost of each contender that is installed, size by size, so that a slow spell of the machine hits all."""
    sources = middling_sources()
    names = [name for name in CONTENDERS if find_spec(name.partition(".")[0])]
    costs: dict[str, list[float]] = {name: [] for name in names}
    print(f"{'candidates':>10}", *(f"{CONTENDERS[name].name:>26}" for name in names))
    for size in sizes:
        pools = [rerank_pools.grow(source, size, f"en-de {i}") for i, source in enumerate(sources)]
        for name in names:
            costs[name].append(CONTENDERS[name].cost(pools))
        print(f"{size:>10,}", *(f"{costs[name][-1] * 1e3:>23.3f} ms" for name in names), flush=True)
    return costs


def draw(sizes: Sequence[int], costs: dict[str, list[float]], path: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(8.4, 5.2), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    # The legend has the lines in the order of their right ends.
    for name, seconds in sorted(costs.items(), key=lambda item: -item[1][-1]):
        contender = CONTENDERS[name]
        width = 2.6 if contender.is_ours else 1.5
        axes.plot(
            sizes,
            seconds,
            color=contender.color,
            marker=contender.marker,
            linewidth=width,
            label=contender.name,
        )
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.grid(visible=True, color="#E4E4E4")
    axes.set_xlabel("candidates in the pool, each scored against all of them")
    axes.set_ylabel("time for one pool")
    axes.set_title("Minimum Bayes risk by sentence BLEU, newstest2021 en-de", loc="left")
    axes.legend()
    figure.savefig(path, dpi=160)


def main() -> int:
    """Measure, print the table, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, help="the picture to write")
    options = parser.parse_args()
    if newstest.folder() is None:
        parser.error("FASTBLEU_DATA does not name a folder that holds newstest2021")
    draw(SIZES, measure(SIZES), options.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
