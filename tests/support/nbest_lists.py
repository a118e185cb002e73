"""N-best lists of five sources in every form, and the command line that reads them in this process."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.cli.rerank import rerank_command as cli
from tests.support import commands

POOLS = [
    ["the cat sat on the mat", "a cat sat on the mat", "the cat sat down there"],
    ["it rained all day long", "it rained"],
    ["dogs bark", "dogs bark at night, loudly", "a dog barks at night, loudly", "dogs bark"],
    ["yes yes yes", "oh yes, yes yes"],
    ["Grüße aus Köln am Rhein", "Grüße von Köln am Rhein", "Gruß aus Köln"],
]
REFERENCES = [
    "the cat sat on a mat",
    "it rained all night long",
    "dogs bark at night, loudly",
    "oh yes yes",
    "Grüße aus Köln am Rhein",
]
SCORES = [[-0.5, -1.25, -2.0], [-1.0, -0.75], [-3.0, -2.0, -1.0, -0.5], [-1.0, -1.5], [-0.25, -0.5, -0.125]]
WIDTH = 4

#: Command lines that write something different each.
COMMANDS = (
    "mbr moses",
    "mbr moses --top-k 2",
    "mbr moses --all",
    "mbr lists --top-k 2",
    "mbr each --all -r ref",
    "oracle moses -r ref",
    "score moses -r ref",
    "self-bleu moses",
    "self-bleu each --all",
    "oracle lists -r ref --metric chrf --top-k 2",
)


def sentence_scores() -> list[float]:
    """The score of each candidate against the reference of its source."""
    metric = BLEU(effective_order=True)
    return [
        metric.sentence_score(text, [reference]).score
        for pool, reference in zip(POOLS, REFERENCES, strict=True)
        for text in pool
    ]


def blocks(*sizes: int) -> pytest.MarkDecorator:
    """Run a test once for each of these sizes of blocks that files are read in."""
    return pytest.mark.parametrize("block_bytes", sizes, indirect=True)


def write_files(folder: Path) -> None:
    """Writes the pools in every form, and references, into a folder."""
    (folder / "moses").write_bytes(moses(POOLS).encode())
    (folder / "lists").write_bytes("".join(lists(POOLS)).encode())
    (folder / "each").write_bytes("".join(each(POOLS)).encode())
    (folder / "ref").write_bytes("".join(f"{text}\n" for text in REFERENCES).encode())


def moses(pools: Sequence[Sequence[str]], first: int = 0) -> str:
    return "".join(moses_lines(pools, first))


def moses_lines(pools: Sequence[Sequence[str]], first: int = 0) -> list[str]:
    return [
        f"{i + first} ||| {text} ||| lm= {k} ||| {SCORES[i % 5][k % 2]} ||| 1-1  2-2\n"
        for i, pool in enumerate(pools)
        for k, text in enumerate(pool)
    ]


def lists(pools: Sequence[Sequence[str]]) -> list[str]:
    return [
        dumped({"id": f"s{i}", "candidates": list(pool), "score": SCORES[i], "kept": {"x": [1, 2]}})
        for i, pool in enumerate(pools)
    ]


def each(pools: Sequence[Sequence[str]]) -> list[str]:
    return [
        dumped({"text": text, "id": i, "score": SCORES[i][k]})
        for i, pool in enumerate(pools)
        for k, text in enumerate(pool)
    ]


def dumped(record: object) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def run(arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """The command in this process: exit code, what it wrote, and what it said."""
    status, output, said = commands.run(arguments, stdin, cli.main)
    return status, output.encode("utf-8", "surrogateescape"), said


def written(arguments: str, stdin: bytes = b"") -> str:
    status, output, said = run(f"{arguments} -q", stdin)
    assert (status, said) == (0, "")
    return output.decode()


def refused(arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    """Exit code and message, which must be one line."""
    status, _, said = run(f"{arguments} -q", stdin)
    assert said.startswith("fastbleu-rerank: ")
    assert said.count("\n") == 1
    return status, said.removeprefix("fastbleu-rerank: ").rstrip("\n")


def figures(said: str) -> dict[str, str]:
    """The figures of a summary by their headings, and its signature."""
    head, row, signature = said.splitlines()
    return dict(zip(re.split("  +", head), re.split("  +", row), strict=True)) | {"signature": signature}


def flat(values: Sequence[Sequence[float]]) -> list[float]:
    return [float(value) for part in values for value in part]


def appended(lines: Sequence[str], values: Sequence[float]) -> str:
    return "".join(f"{line[:-1]} ||| {value:.{WIDTH}f}\n" for line, value in zip(lines, values, strict=True))


def won(lines: Sequence[str], values: Sequence[float], ranks: Sequence[int] | None = None) -> str:
    """Lines of `moses_lines` as oracle and mbr write them: with their place, their rank if given, and their score."""
    found = []
    for i, (line, value) in enumerate(zip(lines, values, strict=True)):
        rank = "" if ranks is None else f" ||| rank= {ranks[i]}"
        features = line.split(" ||| ")[2]
        place = features.removeprefix("lm= ")
        found.append(f"{line[:-1]} ||| index= {place}{rank} ||| {value:.{WIDTH}f}\n")
    return "".join(found)


def starts() -> list[int]:
    return [0, *np.cumsum([len(pool) for pool in POOLS]).tolist()]


def command(arguments: str) -> list[str]:
    return [sys.executable, "-m", "fastbleu.cli.rerank.rerank_command", *arguments.split()]


def many_pools(folder: Path, sources: int = 4000) -> None:
    pools = [POOLS[i % len(POOLS)] for i in range(sources)]
    (folder / "many").write_bytes(moses(pools).encode())
