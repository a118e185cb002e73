"""NLTK with and without the patch: the same floats, exceptions and types, for what fastbleu refuses too."""

from typing import Any

import pytest

pytest.importorskip("nltk", reason="NLTK is not installed")

from nltk.translate import bleu_score
from nltk.translate.bleu_score import modified_precision
from nltk.translate.gleu_score import corpus_gleu

from fastbleu import patch


def test_names_and_types() -> None:
    with patch.install("nltk"):
        found = modified_precision([["a", "b"]], ["a", "a"], 1)
        assert type(found) is bleu_score.Fraction
        assert (found.numerator, found.denominator) == (1, 2)
        taken = {line.function: line.taken for line in patch.report() if line.peer == "nltk"}
    assert taken["nltk.translate.bleu_score.modified_precision"] >= 1


def test_iterators_are_left_to_it() -> None:
    words = ["the", "cat", "sat", "on", "the", "mat"]

    def call(hypothesis: Any) -> Any:
        try:
            return corpus_gleu(iter([[words], [words]]), iter([words[1:], hypothesis]))
        except TypeError as error:
            return str(error)

    without = call(3), call(words)
    with patch.install("nltk"):
        assert (call(3), call(words)) == without
