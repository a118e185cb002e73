"""Measure how often tests of significance are wrong and right, on simulated systems: the table of docs/significance.md.

python tools/measure_significance.py [--pairs 2000]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np

from fastbleu import BLEU, approximate_randomization, paired_bootstrap
from tests.support.simulated_systems import statistics_rows

SEGMENTS = (100, 300, 1000)
BETTER = (0.0, 0.01, 0.02)
TRIALS = 999
HEADS = (
    "segments",
    "true difference, BLEU",
    "`approximate_randomization`",
    "`paired_bootstrap`",
    "interval of the difference without 0",
)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=2000, help="pairs of systems in a line of the table")
    pairs = parser.parse_args().pairs
    print(f"| {' | '.join(HEADS)} |")
    print("|---|---|---|---|---|")
    for segments in SEGMENTS:
        for better in BETTER:
            # Five times as many where the systems are equally good, to tell 5 % from 6 %.
            print(line(segments, better, pairs if better else 5 * pairs), flush=True)


def line(segments: int, better: float, pairs: int) -> str:
    """Count the pairs of systems that each test calls different at 0.05."""
    generator = np.random.default_rng(2026)
    bleu = BLEU()
    found = np.zeros(3)
    differences = []
    for seed in range(pairs):
        first, second = statistics_rows(generator, segments, better=better)
        systems: dict[str, Any] = {"a": first, "b": second}
        randomized = approximate_randomization(systems, bleu, TRIALS, seed=seed).pairs[0]
        resampled = paired_bootstrap(systems, bleu, TRIALS, seed=seed).pairs[0]
        found += (
            randomized.p_value <= 0.05,
            resampled.p_value <= 0.05,
            (resampled.low or 0) > 0 or (resampled.high or 0) < 0,
        )
        differences.append(-randomized.difference)
    shares = " | ".join(f"{100 * share:.1f} %" for share in found / pairs)
    return f"| {segments:,} | {np.mean(differences) if better else 0:.1f} | {shares} |"


if __name__ == "__main__":
    main()
