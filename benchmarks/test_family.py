"""The drop-in replacements for captions and code, each beside its peer.

pycocoevalcap is a package. `FASTBLEU_PEERS` names a folder that holds CodeT5's `smooth_bleu.py`.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from benchmarks import data
from fastbleu.compat import codexglue
from fastbleu.compat.pycocoevalcap import Bleu

Compare = Callable[..., None]


def program(name: str) -> Any:
    """A peer's program; skips without it."""
    folder = os.environ.get("FASTBLEU_PEERS", "")
    if not os.path.exists(os.path.join(folder, f"{name}.py")):
        pytest.skip(f"FASTBLEU_PEERS names no folder with {name}.py")
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module(name)


def captions(images: int) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Captions of about ten words with five references each: pieces of real text."""
    words, others = data.tokens(40_000)
    generator = random.Random(1)

    def piece(source: list[str], start: int) -> str:
        return " ".join(source[start : start + generator.randint(8, 13)]).lower()

    gts, res = {}, {}
    for image in range(images):
        start = generator.randrange(len(words) - 20)
        gts[image] = [piece(others, start + k % 3) for k in range(5)]
        res[image] = [piece(words, start)]
    return gts, res


@pytest.mark.parametrize(("images", "must"), [(5000, 35), (250, 40)])
def test_captions(compare: Compare, images: int, must: float) -> None:
    peer = pytest.importorskip("pycocoevalcap.bleu.bleu")
    gts, res = captions(images)
    compare(
        f"compat.pycocoevalcap.Bleu, {images} images, 5 references",
        lambda: Bleu(4).compute_score(gts, res, verbose=0),
        "pycocoevalcap",
        lambda: peer.Bleu(4).compute_score(gts, res, verbose=0),
        must,
        2 * must,
        rounds=3,
    )


@pytest.mark.parametrize("words", [12, 1000])
def test_smooth_bleu(compare: Compare, words: int) -> None:
    peer = program("smooth_bleu")

    def prepared(lines: list[str]) -> dict[str, list[str]]:
        return {
            str(i): [codexglue.splitPuncts(" ".join(line.lower().split()[:words]))]
            for i, line in enumerate(lines)
        }

    hypotheses, (references,) = data.all_systems("en-de", 1)
    gold, predictions = prepared(references[:4000]), prepared(hypotheses[:4000])
    assert codexglue.bleuFromMaps(gold, predictions) == peer.bleuFromMaps(gold, predictions)
    compare(
        f"compat.codexglue.bleuFromMaps, {len(gold)} texts of at most {words} words",
        lambda: codexglue.bleuFromMaps(gold, predictions),
        "smooth_bleu.py",
        lambda: peer.bleuFromMaps(gold, predictions),
        200,
        300,
        rounds=2,
        ours_per_round=20,
    )
