"""pycocoevalcap with and without the patch: the same floats, and the same printed lines."""

from random import Random
from types import ModuleType
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer
from fastbleu.patch.pycocoevalcap import replacements_in
from fastbleu.patch.replacing import Replacement


class Slow:
    def __init__(self, n: int = 4) -> None:
        self._n = n

    def compute_score(self, gts: Any, res: Any, verbose: int = 1) -> Any:
        return "by itself", self._n, len(gts) + len(res), verbose


def test_which_calls_are_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("fastbleu.tests")
    vars(module).update(Bleu=Slow, BleuScorer=BleuScorer)
    ((function, *replaced),) = replacements_in(module)
    replacement = Replacement(function, *replaced)
    replacement.install()
    try:
        scores, of_images = Slow(1).compute_score({1: ["a b"]}, {1: ["a c"]})
        assert capsys.readouterr().out.startswith("{'testlen': 2, 'reflen': 2, 'guess': [2], 'correct': [1]}")
        assert (round(scores[0], 6), len(of_images)) == (0.5, 1)
        assert Slow(5).compute_score({}, {}) == ("by itself", 5, 0, 1)
        assert Slow(2).compute_score({1: ["a"]}, {2: ["a"]}, verbose=0) == ("by itself", 2, 2, 0)
    finally:
        replacement.uninstall()
    assert (replacement.taken, replacement.left) == (1, 2)


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_random_captions(verbose: int, capsys: pytest.CaptureFixture[str]) -> None:
    bleu = pytest.importorskip("pycocoevalcap.bleu.bleu", exc_type=ImportError).Bleu
    random = Random(verbose)

    def text() -> str:
        return " ".join(random.choices("abcd", k=random.choice([0, 1, 3, 6])))

    for n in (1, 2, 3, 4):
        images = range(random.choice([1, 3, 20]))
        gts = {image: [text() for _ in range(random.choice([1, 2, 5]))] for image in images}
        res = {image: [text()] for image in images}
        try:
            without = bleu(n).compute_score(gts, res, verbose), capsys.readouterr().out
        except ZeroDivisionError:
            continue
        with patch.install("pycocoevalcap"):
            assert (bleu(n).compute_score(gts, res, verbose), capsys.readouterr().out) == without


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cook_refs", lambda *_, **__: ([1], {("a",): 2})),
        ("precook", lambda *_, **__: (2, {("a",): 1})),
        ("BleuScorer._single_reflen", lambda *_: 9),
        ("BleuScorer.compute_score", lambda *_, **__: (1, 2)),
    ],
)
def test_what_a_program_changes_counts(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip("pycocoevalcap.bleu.bleu", exc_type=ImportError)

    def score() -> Any:
        return module.Bleu(2).compute_score({1: ["a b", "a c d"]}, {1: ["a b c"]}, 0)

    own = score()
    with patch.install("pycocoevalcap"):
        assert score() == own
        monkeypatch.setattr(f"pycocoevalcap.bleu.bleu_scorer.{name}", value)
        changed = score()
    assert changed == score() != own
