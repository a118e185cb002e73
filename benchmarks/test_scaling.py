"""The growth of work: with threads, with the length of a segment, and with tokens chosen to collide."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu import BLEU
from fastbleu.inputs import text_files

TIMES_THE_DATA = 5
"""Twenty systems are over in the time that it takes to start threads; this many times as much is a real run."""

ROUNDS = 12


@pytest.mark.parametrize("source", ["lists", "files", "prepared columns"])
def test_two_threads(benchmark: Any, table: Table, tmp_path: Path, source: str) -> None:
    hypotheses, streams = data.all_systems("en-de", 1)
    hypotheses, streams = hypotheses * TIMES_THE_DATA, [stream * TIMES_THE_DATA for stream in streams]
    one, two = BLEU(), BLEU(threads=2)
    sides: list[Any] = [hypotheses, *streams]
    if source != "lists":
        for i, side in enumerate(sides):
            path = tmp_path / str(i)
            path.write_text("".join(f"{line}\n" for line in side), encoding="utf-8", newline="\n")
            sides[i] = text_files.read_lines(path)
    if source == "prepared columns":
        sides[1:] = [one.prepare(sides[1:])]

    def score(metric: BLEU) -> object:
        return metric.corpus_score(sides[0], sides[1] if source == "prepared columns" else sides[1:])

    assert score(one).score == score(two).score  # type: ignore[attr-defined]

    single, double, loop_once, loop_twice = least(
        lambda: score(one), lambda: score(two), *independent_loops(100), rounds=ROUNDS
    )
    benchmark.pedantic(lambda: score(two), rounds=3)
    must, reach = (1.5, 1.8) if source == "lists" else (1.7, 1.95)
    table.add(
        f"two threads, from {source}, {len(hypotheses):,} segments",
        f"one thread; two independent loops {2 * loop_once / loop_twice:.2f}x",
        single / double,
        must,
        reach,
        show="{:.2f}x".format,
    )


def long_and_short(count: int, shorter: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return tokens as one segment a side, and cut into `shorter` segments: hypotheses, references each."""
    sides = data.tokens(count)
    size = count // shorter
    whole = [[" ".join(side)] for side in sides]
    parts = [[" ".join(side[i : i + size]) for i in range(0, count, size)] for side in sides]
    return whole, parts


def test_time_of_a_long_segment(benchmark: Any, table: Table) -> None:
    whole, parts = long_and_short(1_000_000, 1_000)
    metric = BLEU(tokenize="none")
    long_time, short_time = least(
        lambda: metric.statistics(whole[0], whole[1:]),
        lambda: metric.statistics(parts[0], parts[1:]),
        rounds=5,
    )
    benchmark.pedantic(lambda: metric.statistics(whole[0], whole[1:]), rounds=3)
    table.add(
        "time, one segment of 1,000,000 tokens",
        f"1,000 segments of 1,000: {short_time * 1e3:.0f} ms to {long_time * 1e3:.0f} ms",
        long_time / short_time,
        4,
        1.1,
        show="{:.2f}x".format,
    )


# Scores the lines of two files as many times as asked: none, to learn what all the rest takes.
CALLGRIND_PROGRAM = """
import sys
from fastbleu import BLEU
hypotheses, references = (open(path, encoding="utf-8").read().split("\\n") for path in sys.argv[2:])
metric = BLEU(tokenize=sys.argv[1].partition(":")[2])
metric.statistics(["a b c d"], [["a b c e"]])
for _ in range(int(sys.argv[1].partition(":")[0])):
    metric.statistics(hypotheses, [references])
"""


def instructions(tokenize: str, repeats: int, sides: list[list[str]], folder: Path) -> int:
    """Instructions that the whole process takes, by callgrind."""
    paths = [folder / name for name in ("hypotheses", "references")]
    for path, side in zip(paths, sides, strict=True):
        path.write_text("\n".join(side), encoding="utf-8", newline="\n")
    finished = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder / 'callgrind.out'}",
            sys.executable,
            "-c",
            CALLGRIND_PROGRAM,
            f"{repeats}:{tokenize}",
            *map(str, paths),
        ],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "0", "PYTHONPATH": ":".join(filter(None, sys.path))},
    )
    collected = re.search(r"Collected : (\d+)", finished.stderr)
    assert collected is not None, finished.stderr
    return int(collected[1])


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("tokenize", ["none", "13a"])
def test_instructions_of_a_long_segment(benchmark: Any, table: Table, tmp_path: Path, tokenize: str) -> None:
    count = 1_000_000
    per_token = []
    for sides in long_and_short(count, 1_000):
        without = instructions(tokenize, 0, sides, tmp_path)
        per_token.append((instructions(tokenize, 1, sides, tmp_path) - without) / (2 * count))
    benchmark.pedantic(lambda: None, rounds=1)
    table.add(
        f"instructions per token ({tokenize}), one segment of 1,000,000 tokens",
        f"1,000 segments of 1,000: {per_token[1]:.0f} to {per_token[0]:.0f}",
        per_token[0] / per_token[1],
        1.3,
        1.1,
        show="{:.2f}x".format,
    )


def collision_families(count: int) -> dict[str, list[str]]:
    """Distinct words, `count` each, that weak hashes send to the same place: whatever the seed, if it is only added."""
    width = max(2, (count - 1).bit_length())

    def blocks(pair: tuple[str, str]) -> list[str]:
        """Words of two blocks whose multiplicative hash (by 33, or 31) is the same."""
        return ["".join(pair[i >> k & 1] for k in range(width)) for i in range(count)]

    return {
        "equal under hash * 33": blocks(("Ez", "FY")),
        "equal under hash * 31": blocks(("Aa", "BB")),
        "differ in their last bytes": [f"aaaa{i:08x}" for i in range(count)],
        "differ in their first bytes": [f"{i:08x}aaaa" for i in range(count)],
        "differ in their high bits": [f"aaaaa{chr(0x10000 + i)}" for i in range(count)],
        "differ in the middle of many bytes": [f"{'a' * 40}{i:08x}{'a' * 40}" for i in range(count)],
        "anagrams of eight-byte blocks": [
            "".join(("abcdefgh", "hgfedcba")[i >> k & 1] for k in range(width)) for i in range(count)
        ],
        "runs of one letter": [chr(0x4E00 + i % 5000) * (1 + i // 5000) for i in range(count)],
    }


def test_colliding_tokens(benchmark: Any, table: Table) -> None:
    """Eight times the distinct tokens in one segment: time per token beside that of random words."""
    small, large = 4_000, 32_000
    generator = random.Random(6)
    metric = BLEU(tokenize="none")

    def growth(words: list[str]) -> float:
        """Return how much longer a token takes among many than among few."""
        calls = []
        for n in (small, large):
            shuffled = generator.sample(words[:n], n)
            calls.append(partial(metric.statistics, [" ".join(words[:n])], [[" ".join(shuffled)]]))
        few, many = least(*calls, rounds=5)
        return many / few * small / large

    random_words = [f"{generator.getrandbits(60):015x}" for _ in range(large)]
    plain = growth(random_words)
    found = {name: growth(words) for name, words in collision_families(large).items()}
    benchmark.pedantic(lambda: None, rounds=1)
    worst = max(found, key=found.__getitem__)
    table.add(
        "time per token, 32,000 colliding tokens to 4,000",
        f"random words {plain:.2f}x; worst of {len(found)}: {worst}",
        found[worst],
        4,
        2,
        show="{:.2f}x".format,
    )
