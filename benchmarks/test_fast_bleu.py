"""fast-bleu's classes over one set of references, one thread, each workload beside fast-bleu itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks import data
from fastbleu.compat import fast_bleu as ours

theirs = pytest.importorskip("fast_bleu", reason="fast-bleu is not installed", exc_type=ImportError)

Compare = Callable[..., None]


def tokens() -> tuple[list[list[str]], list[list[str]]]:
    """One system's output, and the references of all segments, which fast-bleu takes as one pool."""
    return [line.split() for line in data.system("en-de")], [
        line.split() for line in data.references("en-de")[0]
    ]


def test_bleu(compare: Compare) -> None:
    hypotheses, references = tokens()
    compare(
        f"compat.fast_bleu.BLEU, {len(hypotheses)} hypotheses against {len(references)} references",
        lambda: ours.BLEU(references).get_score(hypotheses),
        "fast-bleu",
        lambda: theirs.BLEU(references).get_score(hypotheses),
        5,
        20,
        rounds=4,
    )


def test_self_bleu(compare: Compare) -> None:
    _, texts = tokens()
    compare(
        f"compat.fast_bleu.SelfBLEU, {len(texts)} texts",
        lambda: ours.SelfBLEU(texts).get_score(),
        "fast-bleu",
        lambda: theirs.SelfBLEU(texts).get_score(),
        5,
        20,
        rounds=3,
    )
