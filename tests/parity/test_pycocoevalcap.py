"""`fastbleu.compat.pycocoevalcap` beside pycocoevalcap itself."""

from __future__ import annotations

import contextlib
import io
import itertools
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

peer = pytest.importorskip("pycocoevalcap.bleu.bleu")
peer_scorer = pytest.importorskip("pycocoevalcap.bleu.bleu_scorer")

from fastbleu.compat.pycocoevalcap import Bleu, BleuScorer
from tests.support.compared import compared

NAME = "pycocoevalcap 1.2"


def run(call: Callable[[], Any]) -> tuple[Any, str]:
    """What a call returns, or the type of its error; and what it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            result = call()
        except (AssertionError, ValueError, ZeroDivisionError) as error:
            result = type(error)
    compared(NAME)
    return result, output.getvalue()


def text(generator: random.Random) -> str:
    space = generator.choice(["\u3000", "\t ", "\x1c"]) if generator.random() < 0.1 else " "
    return space.join(generator.choices("abcdé漢", k=generator.choice([0, 1, 2, 3, 4, 5, 8, 12, 40])))


def random_images(generator: random.Random) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    images = generator.sample(range(100), generator.choice([0, 1, 1, 2, 3, 8]))
    gts = {image: [text(generator) for _ in range(generator.choice([1, 2, 5]))] for image in images}
    res = {image: [generator.choice([*gts[image], text(generator)])] for image in sorted(images)}
    return gts, res


def test_random_images() -> None:
    generator = random.Random(1)
    for _ in range(500):
        gts, res = random_images(generator)
        n, verbose = generator.randint(0, 4), generator.randint(0, 2)
        assert run(lambda: Bleu(n).compute_score(gts, res, verbose)) == run(
            lambda: peer.Bleu(n).compute_score(gts, res, verbose)
        )


@pytest.mark.parametrize("option", [None, "closest", "shortest", "average"])
@pytest.mark.parametrize("special", [None, 0, 3, 2.5])
def test_random_scorers(option: str | None, special: float | None) -> None:
    generator = random.Random(f"{option} {special}")
    for _ in range(60):
        gts, res = random_images(generator)
        n, verbose = generator.randint(0, 4), generator.randint(0, 2)
        scorers = BleuScorer(n=n, special_reflen=special), peer_scorer.BleuScorer(n=n, special_reflen=special)
        for scorer, image in itertools.product(scorers, gts):
            scorer += (res[image][0], gts[image])
        new = [text(generator) for _ in gts]
        calls: list[Callable[[Any], Any]] = [
            lambda scorer: scorer.compute_score(option, verbose),
            lambda scorer: scorer.compute_score("shortest"),
            lambda scorer: (scorer.testlen(), scorer.reflen(), scorer.size(), scorer.ctest),
            lambda scorer: scorer.recompute_score(option, verbose),
            lambda scorer: scorer.rescore(new),
            lambda scorer: scorer.copy().compute_score(option),
            lambda scorer: scorer.retest(new[::-1]).reflen(option),
        ]
        for call in calls:
            ours, theirs = (run(lambda scorer=scorer: call(scorer)) for scorer in scorers)  # type: ignore[misc]
            assert ours == theirs


def test_newstest(newstest: ModuleType) -> None:
    streams = list(newstest.references("en-de").values())
    gts = {i: list(some) for i, some in enumerate(zip(*streams, strict=True))}
    for system in list(newstest.systems("en-de").values())[:2]:
        res = {i: [line] for i, line in enumerate(system)}
        assert run(lambda: Bleu().compute_score(gts, res)) == run(lambda: peer.Bleu().compute_score(gts, res))
