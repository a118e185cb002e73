"""Compare the statistics of token ids with those of the same ids written as text, on random rows.

Matrices of every integer type and byte order, strided, ragged, [B, R, T] and prepared; padded on either side, cut, with
stray padding, ignored and unknown ids. The rule by which rows are read is written once more in tests/id_rows.py. Exits
with 1 if anything differs.

    python tools/compare_token_ids.py                        # two million rows, about three minutes
    python tools/compare_token_ids.py --rows 100000 --seed 7
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fastbleu import BLEU, TokenIds
from tests.support.id_rows import RULES, Rule, lines_of, random_matrix

ROWS = 200
WIDTHS = (0, 1, 2, 5, 20, 60, 63, 64, 65, 100, 128, 129, 300)
TYPES = ("<i2", ">i2", "<i4", ">i4", "<i8", ">i8")


def form_of(rows: list[list[int]], rule: Rule, generator: random.Random) -> TokenIds:
    """The rows in one of the forms that ids may have."""
    options = rule._asdict()
    form = generator.randrange(4)
    if form == 0:
        return TokenIds(rows, **options)
    ids = np.array(rows, dtype=generator.choice(TYPES)).reshape(len(rows), -1)
    if form == 1:
        return TokenIds(list(ids), **options)
    if form == 2:
        wide = np.full((2 * ids.shape[0], 3 * ids.shape[1]), 9, dtype=ids.dtype)
        wide[::2, ::3] = ids
        ids = wide[::2, ::3]
    return TokenIds(ids, **options)


def compare(generator: random.Random) -> int:
    """Compare one batch; return how many rows differ."""
    rule = generator.choice(RULES)
    order, width = generator.choice((1, 2, 4, 4, 4, 6)), generator.choice(WIDTHS)
    bleu = BLEU(tokenize="none", max_ngram_order=order)
    hypotheses = random_matrix(generator, rule, ROWS, generator.choice(WIDTHS))
    samples = form_of(hypotheses, rule, generator)
    number = generator.choice((1, 1, 2, 3))
    streams = [random_matrix(generator, rule, ROWS, width) for _ in range(number)]
    references: Any = [form_of(stream, rule, generator) for stream in streams]
    absent = np.zeros((ROWS, number), dtype=bool)
    if generator.random() < 0.4:
        references = TokenIds(
            np.array(streams, dtype=np.int64).reshape(number, ROWS, -1).swapaxes(0, 1), **rule._asdict()
        )
        absent = np.array(
            [[set(row) <= {rule.pad_id, rule.ignore_id} for row in stream] for stream in streams]
        ).T
        absent &= ~absent.all(axis=1, keepdims=True)
    texts = [lines_of(stream, rule, "r") for stream in streams]
    segments = [
        [text[i] for text, is_absent in zip(texts, absent[i], strict=True) if not is_absent]
        for i in range(ROWS)
    ]
    wanted = bleu.statistics(lines_of(hypotheses, rule, "h"), bleu.prepare_segments(segments))
    if generator.random() < 0.3:
        references = bleu.prepare(references)
    return int((bleu.statistics(samples, references) != wanted).any(axis=1).sum())


def main() -> int:
    """Compare random batches until there are as many rows as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=2_000_000, help="hypotheses to compare")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    different = compared = 0
    while compared < arguments.rows:
        different += compare(generator)
        compared += ROWS
    print(f"{compared:,} rows compared, {different:,} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
