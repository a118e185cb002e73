"""Compute BLEU of a corpus, of each of its systems and of each row with pandas.

To run it:

    python on_pandas.py sample/pairs
"""

from __future__ import annotations

import sys

import pandas as pd

from fastbleu import arrow


def main(pairs: str) -> None:
    """Print the score of the corpus and of each system, and the mean score of each system's rows."""
    frame = pd.read_parquet(pairs, columns=["system", "mt", "ref_a", "ref_b"])
    counted = arrow.statistics(frame, hypothesis="mt", references=["ref_a", "ref_b"])
    print("corpus", arrow.total(counted).score)
    for row in arrow.total_by(counted, "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])
    frame["bleu"] = arrow.score(frame, "mt", ["ref_a", "ref_b"])["bleu"].to_numpy()
    for system, mean in frame.groupby("system")["bleu"].mean().items():
        print(f"mean of the rows of {system}: {mean}")


if __name__ == "__main__":
    main(*sys.argv[1:])
