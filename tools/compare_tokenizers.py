"""Compare the compiled tokenizers with sacreBLEU's, token for token.

Takes every line of the WMT 2021 news data (where FASTBLEU_DATA names it) and random strings over the alphabet of
tests/alphabet.py, which is chosen to hurt. sacreBLEU's own code runs with its caches stepped around. Exits with 1 if
anything differs.

    python tools/compare_tokenizers.py                       # ten million strings per tokenizer, about 15 minutes
    python tools/compare_tokenizers.py --strings 100000 --tokenizers 13a intl --seed 7
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fastbleu.tokenizers import _tokenize
from fastbleu.tokenizers.names import COMPILED
from tests.support import newstest, sacrebleu_peer
from tests.support.alphabet import random_text

BATCH = 100_000
EXAMPLES_KEPT = 5


class Task(NamedTuple):
    tokenizer: str
    source: str
    """A path of the data, or "random"."""
    seed: int
    strings: int
    """Random ones to draw; of no meaning for a file."""


class Outcome(NamedTuple):
    task: Task
    strings: int
    tokens: int
    differences: list[str]


def texts_of(task: Task) -> Iterator[str]:
    if task.source == "random":
        generator = random.Random(task.seed)
        for _ in range(task.strings):
            yield random_text(generator)
    else:
        yield from Path(task.source).read_bytes().decode("utf-8").split("\n")


def run(task: Task) -> Outcome:
    """Compare one batch, as it stands and lowercased (random strings: one or the other by turns)."""
    theirs = sacrebleu_peer.tokenizer(task.tokenizer)
    code = COMPILED[task.tokenizer]
    strings = tokens = 0
    differences: list[str] = []
    for i, text in enumerate(texts_of(task)):
        for lowercase in (i % 4 == 0,) if task.source == "random" else (False, True):
            strings += 1
            expected = theirs(text, lowercase)
            tokens += len(expected)
            found = _tokenize.tokenize(text, code, lowercase)
            if found != expected and len(differences) < EXAMPLES_KEPT:
                differences.append(
                    f"{task.tokenizer} lowercase={lowercase} {text!r}: {found!r} != {expected!r}"
                )
    return Outcome(task, strings, tokens, differences)


def tasks(names: Iterable[str], strings: int, seed: int, with_data: bool) -> Iterator[Task]:
    for name in names:
        if with_data:
            for pair in newstest.PAIRS:
                for path in (*newstest.reference_files(pair).values(), *newstest.system_files(pair).values()):
                    yield Task(name, str(path), 0, 0)
        for number, start in enumerate(range(0, strings, BATCH)):
            yield Task(name, "random", seed + number, min(BATCH, strings - start))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strings", type=int, default=10_000_000, help="random strings per tokenizer")
    parser.add_argument("--tokenizers", nargs="+", default=list(COMPILED), choices=list(COMPILED))
    parser.add_argument("--seed", type=int, default=1, help="seed of the first batch; the others count up")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()

    with_data = newstest.folder() is not None
    if not with_data:
        print("FASTBLEU_DATA does not name the data's folder: random strings only", file=sys.stderr)
    started = time.monotonic()
    counted = {(name, kind): [0, 0, 0] for name in options.tokenizers for kind in ("random", "data")}
    work = tasks(options.tokenizers, options.strings, options.seed, with_data)
    with multiprocessing.Pool(options.processes) as pool:
        for outcome in pool.imap_unordered(run, work):
            row = counted[outcome.task.tokenizer, "random" if outcome.task.source == "random" else "data"]
            for i, number in enumerate((outcome.strings, outcome.tokens, len(outcome.differences))):
                row[i] += number
            for difference in outcome.differences:
                print(difference, flush=True)

    print(
        f"sacreBLEU {sacrebleu_peer.VERSION}, seeds from {options.seed}, {time.monotonic() - started:.0f} s"
    )
    print(f"{'tokenizer':10}{'strings':8}{'compared':>14}{'tokens':>16}{'different':>11}")
    for (name, kind), (strings, tokens, different) in counted.items():
        print(f"{name:10}{kind:8}{strings:>14,}{tokens:>16,}{different:>11,}")
    return int(any(different for _, _, different in counted.values()))


if __name__ == "__main__":
    sys.exit(main())
