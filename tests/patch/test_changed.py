"""Monkeypatches of a package are respected, under the patch and by the drop-in replacement of sacreBLEU.

The same random changes are made in two processes: with the package alone, and under the patch or with the replacement.
"""

import json
from typing import Any

import pytest

from tests.support.modules import REPOSITORY
from tests.support.processes import printed_by, python

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")


def outcomes(*arguments: str) -> list[Any]:
    done = python("-m", "tests.support.attacks", *arguments, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "number"), [(0, 40), pytest.param(40, 360, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("peer", "way"),
    [
        ("sacrebleu", "patch"),
        ("sacrebleu", "replacement"),
        ("sacrebleu.compat", "patch"),
        ("sacrebleu.metrics.chrf", "patch"),
        ("sacrebleu.metrics.chrf", "replacement"),
        ("nltk", "patch"),
        ("torchmetrics", "patch"),
    ],
)
def test_random_sequences_of_operations(peer: str, way: str, first: int, number: int) -> None:
    pytest.importorskip(peer)
    number //= 4 if peer == "torchmetrics" else 1
    theirs, ours = (outcomes(peer, each, str(first), str(number)) for each in ("peer", way))
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
    assert printed_by(CHANGED_BEFORE) == "100.00000000000004\n"
