"""Compute BLEU of a corpus, of each of its systems and of each row with Hugging Face datasets, in two processes.

To run it:

    python on_datasets.py sample/pairs scored
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from datasets import Dataset

from fastbleu import arrow

count = partial(arrow.statistics, hypothesis="mt", references=["ref_a", "ref_b"])
score = partial(arrow.score, hypothesis="mt", references=["ref_a", "ref_b"])


def main(pairs: str, scored: str) -> None:
    """Print the score of the corpus and of each system, and save the scores of the rows."""
    files = sorted(str(path) for path in Path(pairs).glob("*.parquet"))
    # In this format, functions are called with tables and return tables; nothing becomes a Python object.
    rows = Dataset.from_parquet(files).with_format("arrow")
    counted = rows.map(count, batched=True, num_proc=2)
    print("corpus", arrow.total(counted[:]).score)
    for row in arrow.total_by(counted[:], "system").sort_by("system").to_pylist():
        print(row["system"], row["bleu"])
    rows.map(score, batched=True, num_proc=2).save_to_disk(scored)


if __name__ == "__main__":
    main(*sys.argv[1:])
