"""`fastbleu.compat.pycocoevalcap` beside pycocoevalcap itself."""

import contextlib
import io
import random
from collections.abc import Callable
from typing import Any

import pytest

peer = pytest.importorskip("pycocoevalcap.bleu.bleu")
peer_scorer = pytest.importorskip("pycocoevalcap.bleu.bleu_scorer")

from fastbleu.compat.pycocoevalcap import Bleu, BleuScorer
from tests.support.compared import compared


def run(call: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            result = call(*arguments)
        except (AssertionError, ValueError, ZeroDivisionError) as error:
            result = type(error)
    compared("pycocoevalcap 1.2")
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
        arguments = *random_images(generator), generator.randint(0, 1)
        n = generator.randint(0, 4)
        assert run(Bleu(n).compute_score, *arguments) == run(peer.Bleu(n).compute_score, *arguments)


@pytest.mark.parametrize("option", [None, "closest", "shortest", "average"])
def test_random_scorers(option: str | None) -> None:
    generator = random.Random(option)
    for _ in range(150):
        gts, res = random_images(generator)
        n, verbose = generator.randint(0, 4), generator.randint(0, 1)
        scorers = BleuScorer(n=n), peer_scorer.BleuScorer(n=n)
        for image in gts:
            for scorer in scorers:
                scorer.cook_append(res[image][0], gts[image])
        both = BleuScorer(n=n), peer_scorer.BleuScorer(n=n)
        for _ in range(2):  # the second call returns what was remembered
            ours, theirs = (run(scorer.compute_score, option, verbose) for scorer in scorers)
            assert ours == theirs
        assert scorers[0].size() == scorers[1].size()
        for total, scorer in zip(both, scorers, strict=True):
            total += scorer  # noqa: PLW2901  # it changes itself
        ours, theirs = (run(total.compute_score, option) for total in both)
        assert ours == theirs
