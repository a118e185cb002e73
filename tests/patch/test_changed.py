"""A program's changes of a peer count, under the patch and in sacreBLEU's stand-in: the peer's own numbers come out.

The same random changes are made in processes of their own: beside the peer alone, and under the patch or beside the
stand-in.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")


def outcomes(*arguments: str) -> list[Any]:
    command = [sys.executable, "-m", "tests.support.attacks", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("peer", "way", "number"),
    [
        ("sacrebleu", "patch", 150),
        ("sacrebleu", "stand-in", 150),
        ("sacrebleu.compat", "patch", 150),
        ("sacrebleu.metrics.chrf", "patch", 150),
        ("sacrebleu.metrics.chrf", "stand-in", 150),
        ("nltk", "patch", 150),
        ("torchmetrics", "patch", 25),
    ],
)
def test_random_sequences_of_operations(peer: str, way: str, number: int) -> None:
    pytest.importorskip(peer)
    theirs, ours = (outcomes(peer, each, "0", str(number)) for each in ("peer", way))
    assert len(theirs) == number
    assert ours == theirs


CHANGED_BEFORE = """
import sacrebleu.tokenizers.tokenizer_13a as early
early.Tokenizer13a.__call__ = lambda self, line: "a b c d"
import fastbleu.patch
fastbleu.patch.install()
import sacrebleu
print(sacrebleu.BLEU(references=[["x"]]).corpus_score(["y"], None).score)
"""


@pytest.mark.slow
def test_a_tokenizer_that_was_changed_before() -> None:
    command = [sys.executable, "-c", CHANGED_BEFORE]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout == "100.00000000000004\n"
    )
