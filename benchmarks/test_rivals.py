"""Scores of one corpus on one thread, beside other packages made for speed: a Mojo kernel, and torch's own metrics.

`pip install --no-deps --ignore-requires-python sacrebleu-mojo` installs the first one before Python 3.12.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from benchmarks import data
from fastbleu import BLEU, CHRF

Compare = Callable[..., None]


@pytest.mark.parametrize(("metric", "must", "reach"), [(BLEU, 40, 100), (CHRF, 5, 10)])
def test_mojo(compare: Compare, metric: type[BLEU | CHRF], must: float, reach: float) -> None:
    mojo = pytest.importorskip("sacrebleu_mojo", reason="sacrebleu-mojo is not installed")
    name = metric.__name__
    theirs = partial(
        getattr(mojo, f"corpus_{name.lower()}"), data.system("en-de"), data.references("en-de")[:1]
    )
    ours = partial(metric().corpus_score, data.system("en-de"), data.references("en-de")[:1])
    assert ours().score == pytest.approx(theirs().score, abs=1e-9)
    compare(
        f"{name}().corpus_score, en-de, one system, 1 reference", ours, "sacrebleu-mojo", theirs, must, reach
    )


def test_torcheval(compare: Compare) -> None:
    bleu_score = pytest.importorskip("torcheval.metrics.functional", exc_type=ImportError).bleu_score
    hypotheses, references = data.system("en-de"), data.references("en-de")[0]
    ours = BLEU(tokenize="none", smooth_method="none", reference_length="shortest")
    per_segment = [[reference] for reference in references]
    assert ours.corpus_score(hypotheses, [references]).score == pytest.approx(
        100 * float(bleu_score(hypotheses, per_segment)), rel=1e-5
    )
    compare(
        "corpus_score as torcheval's, en-de, one system, 1 reference",
        lambda: ours.corpus_score(hypotheses, [references]),
        "torcheval",
        lambda: bleu_score(hypotheses, per_segment),
        100,
        200,
    )
