"""BLEU of texts against one set of references, compared with scoring each by itself."""

import random
from typing import Any

import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.compat.nltk import SmoothingFunction, sentence_bleu
from fastbleu.rerank import set_bleu
from tests.support.refusals import refusal


def texts(seed: int, number: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices("abcdef", k=draw.randrange(9))) for _ in range(number)]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "options", [{"effective_order": True}, {"max_ngram_order": 2, "smooth_method": "add-k"}]
)
def test_each_text_is_scored_against_the_whole_set(options: dict[str, Any], threads: int) -> None:
    metric = BLEU(**options)
    metric.warnings.of_order.is_over = True
    generated, references = texts(1, 60), texts(2, 30)
    expected = [metric.sentence_score(text, references).score for text in generated]
    assert set_bleu(generated, references, metric=metric, threads=threads).tolist() == expected


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 7])
def test_nltks_formula_is_nltks(number: int) -> None:
    generated, references = texts(3, 60), texts(4, 30)
    smooth = getattr(SmoothingFunction(), f"method{number}")
    tokens = [text.split() for text in references]
    expected = [sentence_bleu(tokens, text.split(), smoothing_function=smooth) for text in generated]
    assert set_bleu(generated, references, "nltk", smoothing=f"method{number}").tolist() == expected


def test_tokens_and_ids_are_texts_too() -> None:
    metric = BLEU(tokenize="none", effective_order=True)
    expected = set_bleu(["a b c"], ["a b", "b c"], metric=metric).tolist()
    assert set_bleu([["a", "b", "c"]], [["a", "b"], ["b", "c"]], metric=metric).tolist() == expected
    assert set_bleu(TokenIds([[1, 2, 3]]), [[1, 2], [2, 3]], metric=metric).tolist() == expected
    assert set_bleu([], ["a"]).tolist() == []


def test_what_is_wrong_is_named() -> None:
    assert refusal(set_bleu, ["a"], []) == (
        "ValueError: references must hold at least one reference, but it is empty"
    )
    assert refusal(set_bleu, "a", ["a"]).startswith(
        "TypeError: texts must be a sequence of segments, not a bare"
    )
    assert refusal(set_bleu, ["a"], ["a", 3]).startswith("TypeError: references[1] must be a str")
    assert refusal(set_bleu, ["a", None], ["a"]).startswith("TypeError: texts[1] must be a str")
    assert refusal(set_bleu, ["a b c d"], ["a x"], "nltk", smoothing="method6") == (
        "ValueError: texts[0] has no trigram in common with the references, which smoothing='method6' needs"
    )
