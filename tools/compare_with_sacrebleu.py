"""Compare every score of the WMT 2021 news data with sacreBLEU's, exhaustively.

For every direction, system, non-empty subset of the reference streams, tokenizer and case, sacreBLEU's own code gives
the statistics once, at order 6; the smaller orders are cuts of them. Over these rows sacreBLEU's formula gives the
scores of every smoothing method, order 1 to 6, effective order on and off. Then fastbleu scores the same lists of
strings, and the two must agree:

    rows        `statistics()` at every order, all integers equal
    corpus      `corpus_score()` and `score_statistics()`: score, counts, totals, precisions, BP, lengths, all ==
    segment     `compute_bleu()` of every row: the same fields, all ==
    sentence    `sentence_score()` from the strings, default smoothing at order 4: the same fields, all ==
    batch       `sentence_scores()`: ==

Exits with 1 if anything differs.

    python tools/compare_with_sacrebleu.py                    # everything, about an hour on two cores
    python tools/compare_with_sacrebleu.py --pairs en-zh --tokenizers zh char --systems 2 --orders 4
"""

from __future__ import annotations

import argparse
import itertools
import logging
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from fastbleu import BLEU
from tests.support import newstest, oracle, sacrebleu_peer
from tests.support.oracle import fields

KINDS = ("rows", "corpus", "segment", "sentence", "batch")
EXAMPLES_KEPT = 5

# It recommends effective_order for sentences; here it is off on purpose, half of the time.
logging.getLogger("fastbleu").setLevel(logging.ERROR)

# Beside the defaults, one value that is not.
SMOOTHING: tuple[tuple[str, float | None], ...] = (
    ("none", None),
    ("exp", None),
    ("floor", None),
    ("floor", 0.25),
    ("add-k", None),
    ("add-k", 2.5),
)


def tokenizers_of(pair: str) -> tuple[str, ...]:
    """Those that apply: every tokenizer that knows no language, and the one of the target language."""
    return ("13a", "none", "char", "intl", *{"en-zh": ("zh",), "en-ja": ("ja-mecab",)}.get(pair, ()))


class Task(NamedTuple):
    """Every system of one direction against one subset of its streams."""

    pair: str
    streams: tuple[str, ...]
    tokenize: str
    lowercase: bool
    systems: int | None
    orders: tuple[int, ...]


class Outcome(NamedTuple):
    task: Task
    compared: Counter[str]
    different: Counter[str]
    examples: list[str]


class Comparison:
    """Counts what was compared and keeps the first differences."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.different: Counter[str] = Counter()
        self.examples: list[str] = []

    def equal(self, kind: str, ours: Any, theirs: Any, *where: Any) -> None:
        self.compared[kind] += 1
        if ours != theirs:
            self.differs(kind, ours, theirs, *where)

    def differs(self, kind: str, ours: Any, theirs: Any, *where: Any) -> None:
        self.different[kind] += 1
        if len(self.examples) < EXAMPLES_KEPT:
            self.examples.append(f"{kind} {' '.join(map(str, where))}: {ours!r} != {theirs!r}")


def compare_system(
    task: Task,
    name: str,
    hypotheses: list[str],
    streams: list[list[str]],
    rows: list[list[int]],
    found: Comparison,
) -> None:
    """One system against one subset of the streams, given sacreBLEU's rows of order 6."""
    tokens: dict[str, Any] = {"tokenize": task.tokenize, "lowercase": task.lowercase}
    for order in task.orders:
        cut = [oracle.cut(row, order) for row in rows]
        total = [sum(column) for column in zip(*cut, strict=True)]
        ours = BLEU(max_ngram_order=order, **tokens).statistics(hypotheses, streams)
        found.compared["rows"] += len(cut)
        for i in np.flatnonzero((ours != np.array(cut)).any(axis=1)).tolist():
            found.differs("rows", ours[i].tolist(), cut[i], *task, name, order, i)

        for (method, value), effective_order in itertools.product(SMOOTHING, (False, True)):
            formula: dict[str, Any] = {
                "smooth_method": method,
                "smooth_value": value,
                "effective_order": effective_order,
            }
            where = (*task[:4], name, order, method, value, effective_order)
            metric = BLEU(max_ngram_order=order, **tokens, **formula)
            corpus = fields(sacrebleu_peer.score(total, **formula))
            found.equal("corpus", fields(metric.corpus_score(hypotheses, streams)), corpus, *where)
            found.equal("corpus", fields(metric.score_statistics(ours)), corpus, *where)
            expected = [sacrebleu_peer.score(row, **formula) for row in cut]
            for i, (row, theirs) in enumerate(zip(cut, expected, strict=True)):
                score = BLEU.compute_bleu(
                    row[2 : 2 + order], row[2 + order :], row[0], row[1], max_ngram_order=order, **formula
                )
                found.equal("segment", fields(score), fields(theirs), *where, i)

            if order == 4 and method == "exp":
                for i, (hypothesis, theirs) in enumerate(zip(hypotheses, expected, strict=True)):
                    score = metric.sentence_score(hypothesis, [stream[i] for stream in streams])
                    found.equal("sentence", fields(score), fields(theirs), *where, i)

            batch = metric.sentence_scores(hypotheses, streams)
            scores = np.array([theirs.score for theirs in expected])
            found.compared["batch"] += len(scores)
            for i in np.flatnonzero(batch != scores).tolist():
                found.differs("batch", batch[i], scores[i], *where, i)


def run(task: Task) -> Outcome:
    available = newstest.references(task.pair)
    streams = [available[name] for name in task.streams]
    prepared = sacrebleu_peer.metric(
        streams, tokenize=task.tokenize, lowercase=task.lowercase, max_ngram_order=6
    )
    found = Comparison()
    for name, hypotheses in itertools.islice(newstest.systems(task.pair).items(), task.systems):
        rows = sacrebleu_peer.statistics(prepared, hypotheses)
        compare_system(task, name, hypotheses, streams, rows, found)
    return Outcome(task, found.compared, found.different, found.examples)


def tasks(options: argparse.Namespace) -> Iterator[Task]:
    for pair in options.pairs:
        for subset in newstest.subsets(list(newstest.reference_files(pair))):
            for name in tokenizers_of(pair):
                if options.tokenizers is None or name in options.tokenizers:
                    for lowercase in (False, True):
                        yield Task(pair, subset, name, lowercase, options.systems, tuple(options.orders))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", nargs="+", default=newstest.PAIRS, choices=newstest.PAIRS)
    parser.add_argument("--tokenizers", nargs="+", help="default: all that apply to the direction")
    parser.add_argument("--systems", type=int, help="only the first N systems of a direction")
    parser.add_argument("--orders", nargs="+", type=int, default=range(1, 7), choices=range(1, 7))
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if newstest.folder() is None:
        parser.error("FASTBLEU_DATA does not name a folder that holds newstest2021")

    started = time.monotonic()
    compared: Counter[str] = Counter()
    different: Counter[str] = Counter()
    work = list(tasks(options))
    with multiprocessing.Pool(options.processes) as pool:
        for number, outcome in enumerate(pool.imap_unordered(run, work), 1):
            compared += outcome.compared
            different += outcome.different
            for example in outcome.examples:
                print(example, flush=True)
            task = outcome.task
            print(
                f"[{number}/{len(work)}] {time.monotonic() - started:.0f} s  {task.pair} {'+'.join(task.streams)} "
                f"{task.tokenize}{' lowercase' if task.lowercase else ''}: "
                f"{outcome.compared.total():,} compared, {outcome.different.total():,} different",
                file=sys.stderr,
                flush=True,
            )

    print(f"sacreBLEU {sacrebleu_peer.VERSION}, {time.monotonic() - started:.0f} s")
    print(f"{'':10}{'compared':>14}{'different':>11}")
    for kind in KINDS:
        print(f"{kind:10}{compared[kind]:>14,}{different[kind]:>11,}")
    print(f"{'all':10}{compared.total():>14,}{different.total():>11,}")
    return int(different.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
