"""The command line of n-best lists: its options, what it says, and how it ends."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF
from fastbleu.cli.rerank import rerank_command as cli
from fastbleu.inputs import decompressed_files
from fastbleu.rerank import mbr, oracle, self_bleu
from tests.support.commands import Terminal
from tests.support.nbest_lists import (
    POOLS,
    REFERENCES,
    figures,
    refused,
    run,
    write_files,
    written,
)
from tests.support.processes import environment


@pytest.fixture(autouse=True)
def lists(folder: Path) -> None:
    write_files(folder)


EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_summary() -> None:
    status, _, said = run("mbr moses -r ref")
    assert status == 0
    utilities = mbr(POOLS).utilities
    best = [pool[k] for pool, k in zip(POOLS, mbr(POOLS).indices, strict=True)]
    score = BLEU(effective_order=True).corpus_score(best, [REFERENCES])
    found = figures(said)
    assert float(found.pop("candidates/s").replace(",", "")) > 1
    assert found == {
        "list": "moses",
        "sources": "5",
        "candidates": "14",
        "mean utility": f"{utilities.mean():.4f}",
        "corpus BLEU": f"{score.score:.4f}",
        "signature": str(score.signature),
    }
    _, _, said = run("score moses -r ref")
    score = BLEU(effective_order=True).corpus_score([pool[0] for pool in POOLS], [REFERENCES])
    assert figures(said)["corpus BLEU of first candidates"] == f"{score.score:.4f}"
    _, _, said = run("self-bleu moses")
    mean = np.mean([self_bleu(pool).mean for pool in POOLS])
    assert figures(said)["mean self-BLEU"] == f"{mean:.4f}"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("", 2, "the following arguments are required: COMMAND"),
        ("chrf moses", 2, "argument COMMAND: invalid choice: 'chrf'"),
        ("oracle moses", 1, "a Moses n-best list has no references: name each file of them with -r/--references"),
        ("oracle lists -r ref --references-field refs", 2,
         "argument --references-field: cannot be used with --references/-r"),
        ("mbr moses --references-field refs", 1, "--references-field is for JSON lines, not for a Moses n-best list"),
        ("mbr moses -m chrf -tok zh", 2, "argument --metric chrf: cannot be used with --tokenize/-tok"),
        ("mbr moses --chrf-word-order 2", 2, "argument --chrf-word-order: requires --metric chrf"),
        ("mbr moses -m chrf --chrf-char-order -1", 2, "argument --chrf-char-order: must be at least 0, got -1"),
        ("self-bleu moses --metric chrf", 2, "unrecognized arguments: --metric"),
        ("mbr moses --top-k 2 --all", 2, "argument --top-k: cannot be used with --all"),
        ("mbr moses -w 18", 2, "argument --width/-w: must be at most 17, not 18"),
        ("mbr moses --resume", 2, "argument --resume: name the file with -o/--output"),
        ("mbr moses -o out.gz", 2,
         "argument --output/-o: output is not compressed, so 'out.gz' must not end in .gz or .zst"),
        ("mbr moses -o ./moses", 2, "argument --output/-o: ./moses is also an input file"),
        ("mbr moses -o no/out", 1, "no/out: No such file or directory"),
        ("mbr moses --interpolate 2", 2, "argument --interpolate: must be within 0..1, not 2"),
        ("oracle moses -r ref --level corpus --all", 2, "argument --level corpus: cannot be used with --all"),
        ("oracle -r ref --level corpus", 2,
         "argument --level corpus: reads its files twice, so they cannot be standard input or a pipe"),
        ("mbr moses -tok 13b", 2, "13b"),
        ("mbr moses --temperature 2", 2, "argument --temperature: requires --weights-as log-probabilities"),
        ("mbr ref", 1, "ref: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; if the"),
    ],
)  # fmt: skip
def test_wrong_options(arguments: str, status: int, message: str) -> None:
    found, said = refused(arguments) if arguments else refused_without_options()
    assert found == status
    assert message in said


def refused_without_options() -> tuple[int, str]:
    status, _, said = run("")
    return status, said.removeprefix("fastbleu-rerank: ")


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ("-m chrf", CHRF()),
        (
            "--metric chrf --chrf-word-order 2 --chrf-beta 3 --chrf-lowercase --chrf-whitespace --chrf-eps-smoothing",
            CHRF(word_order=2, beta=3, lowercase=True, whitespace=True, eps_smoothing=True),
        ),
    ],
    ids=["chrF", "chrF++"],
)
def test_chrf(options: str, metric: CHRF) -> None:
    def found(command: str, *names: str) -> list[list[Any]]:
        lines = written(f"{command} {options} --width 17").splitlines()
        return [[json.loads(line)[name] for line in lines] for name in names]

    best = mbr(POOLS, metric=metric)
    values = [each.tolist() for each in (best.utilities, best.indices)]
    assert found("mbr each", "expected_chrf", "index") == values
    scores = [
        metric.sentence_score(text, [REFERENCES[i]]).score for i, pool in enumerate(POOLS) for text in pool
    ]
    assert found("score each -r ref", "chrf") == [scores]
    for level in ("sentence", "corpus"):
        chosen = oracle(POOLS, REFERENCES, metric=metric, level=level)
        values = [chosen.utilities.tolist(), chosen.indices.tolist()]
        command = f"oracle each -r ref --level {level}"
        assert found(command, "chrf", "index") == values
        _, _, said = run(f"{command} {options}")
        assert figures(said)["mean sentence chrF"] == f"{chosen.utilities.mean():.4f}"
        assert figures(said)["corpus chrF"] == f"{chosen.score.score:.4f}"


def test_output_to_standard_output_by_name(folder: Path) -> None:
    assert written("mbr moses -o -") == written("mbr moses")
    assert not (folder / "-").exists()


@pytest.mark.slow
def test_output_is_not_what_standard_input_comes_from(folder: Path) -> None:
    before = (folder / "moses").read_bytes()
    with open("moses", "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "fastbleu.rerank", "mbr", "-o", "moses"],
            stdin=file,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert "argument --output/-o: moses is also an input file" in done.stderr
    assert (folder / "moses").read_bytes() == before


def test_the_example() -> None:
    references = [f"-r {EXAMPLES / name}" for name in ("reference.A.de", "reference.B.de")]
    best = written(f"oracle {' '.join(references)} {EXAMPLES / 'nbest.de'}").splitlines()
    assert [line.split(" ||| ")[0] for line in best] == [str(i) for i in range(40)]


def test_progress_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    tqdm = pytest.importorskip("tqdm.auto")
    bars: list[int] = []
    counts: list[str] = []

    @contextmanager
    def bar(**options: object) -> Iterator[SimpleNamespace]:
        assert options["total"] == os.path.getsize("moses")
        yield SimpleNamespace(update=bars.append, set_postfix_str=counts.append)

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(tqdm, "tqdm", bar)
    monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", 100)
    assert cli.main(["mbr", "moses", "-o", "out"]) == 0
    assert 0 < sum(bars) <= os.path.getsize("moses")
    assert re.fullmatch(r"5 sources, [0-9,]+ candidates/s", counts[-1])
    assert "candidates/s" in terminal.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert cli.main(["mbr", "moses", "-o", "out"]) == 0
    bars.clear()
    assert cli.main(["mbr", "moses", "-o", "out", "-q"]) == 0
    assert not bars
