"""`fastbleu.compat.nlgmetricverse` against the published way of scoring, as `tests.support.nmt_oracle` has it."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from fastbleu.compat.nlgmetricverse import Bleu, NLGMetricverse, compute, load_metric
from tests.support import nmt_oracle
from tests.support.alphabet import random_text
from tests.support.nmt_oracle import outcome
from tests.support.refusals import argument_error

CARD_PREDICTIONS = [
    ["the cat is on the mat", "There is cat playing on the mat"],
    ["Look! what a wonderful day, today.", "Today is a very wonderful day"],
]
CARD_REFERENCES = [
    ["the cat is playing on the mat.", "The cat plays on the mat."],
    ["Today is a wonderful day", "The weather outside is wonderful."],
]
CARD_SCORES = {
    "score": 0.3378703280802838,
    "precisions": [0.84, 0.5714285714285714, 0.35294117647058826, 0.07692307692307693],
    "brevity_penalty": 1.0,
    "length_ratio": 1.1818181818181819,
    "translation_length": 13,
    "reference_length": 11,
}


def test_the_example_of_the_metric_card() -> None:
    assert compute(predictions=CARD_PREDICTIONS, references=CARD_REFERENCES) == CARD_SCORES
    scorer = NLGMetricverse(metrics=load_metric("bleu"))
    scores = scorer(predictions=CARD_PREDICTIONS, references=CARD_REFERENCES)
    assert scores == {"total_items": 2, "empty_items": 0, "bleu": CARD_SCORES}


def random_items(generator: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """Items with one to three predictions and references of hurting text, in some rounds one of either."""
    most_predictions, most_references = generator.choice([(1, 1), (1, 3), (3, 1), (3, 3)])

    def text() -> str:
        if generator.random() < 0.6:
            return " ".join(
                generator.choices(["The", "the", "cat,", "cat.", "sat!", "A", "a"], k=generator.randint(0, 9))
            )
        return random_text(generator)

    predictions, references = [], []
    for _ in range(generator.randint(1, 4)):
        references.append([text() for _ in range(generator.randint(1, most_references))])
        predictions.append(
            [
                generator.choice([*references[-1], text()])
                for _ in range(generator.randint(1, most_predictions))
            ]
        )
    return predictions, references


@pytest.mark.slow
def test_random_items() -> None:
    generator = random.Random(14)
    for _ in range(1_500):
        predictions, references = random_items(generator)
        for order, smooth in itertools.product(range(1, 7), (False, True)):
            expected = outcome(nmt_oracle.of_items, predictions, references, order, smooth)
            options = {"references": references, "max_order": order, "smooth": smooth}
            assert outcome(compute, predictions=predictions, **options) == expected, (predictions, references)


def test_punctuation_goes_before_capitals_do() -> None:
    # Lowercased first, the sigma would not end a word: an apostrophe does not end one.
    found = compute(predictions=["\u039f\u03a3'\u0391"], references=["\u03bf\u03c2 \u03b1"], max_order=1)
    assert found["score"] == 1.0


def test_one_or_several() -> None:
    predictions, references = ["The cat sat!", "It rained."], ["the cat sat", "it rained all day"]
    expected = nmt_oracle.of_items([[text] for text in predictions], [[text] for text in references])
    for p in (predictions, tuple(predictions), np.array(predictions), [[text] for text in predictions]):
        for r in (references, tuple(references), np.array(references), [(text,) for text in references]):
            assert compute(predictions=p, references=r) == expected


def test_no_tokens_are_a_division_by_zero() -> None:
    for predictions, references in (([""], ["a"]), (["a"], [["a", "..."]]), ([["a", "b"]], [["a", ""]])):
        for smooth in (False, True):
            with pytest.raises(ZeroDivisionError, match="division by zero"):
                compute(predictions=predictions, references=references, smooth=smooth)


@pytest.mark.parametrize(
    ("predictions", "references", "error", "place"),
    [
        ([], [], ValueError, "predictions"),
        (["a"], ["a", "b"], ValueError, "predictions"),
        ("a", "a", TypeError, "predictions"),
        (["a"], "a", TypeError, "references"),
        ([["a"], "b"], ["a", "b"], TypeError, "predictions[1]"),
        (["a", ["b"]], ["a", "b"], TypeError, "predictions[1]"),
        (["a", "b"], ["a", ["b"]], TypeError, "references[1]"),
        (["a", None], ["a", "b"], TypeError, "predictions[1]"),
        ([["a", 3]], ["a"], TypeError, "predictions[0][1]"),
        ([[]], ["a"], ValueError, "predictions[0]"),
        (["a", "b"], [["a"], []], ValueError, "references[1]"),
    ],
)
def test_errors(predictions: Any, references: Any, error: type[Exception], place: str) -> None:
    with argument_error(error, place):
        compute(predictions=predictions, references=references)


def test_loaded_metrics() -> None:
    metric = load_metric("bleu", resulting_name="bleu_2", compute_kwargs={"max_order": 2})
    assert isinstance(metric, Bleu)
    items = {"predictions": CARD_PREDICTIONS, "references": CARD_REFERENCES}
    assert metric.compute(**items) == {"bleu_2": compute(**items, max_order=2)}
    assert metric.compute(**items, max_order=3, reduce_fn="max") == {"bleu_2": compute(**items, max_order=3)}
    with pytest.raises(ValueError, match="unknown path 'meteor'; there is only 'bleu'"):
        load_metric("meteor")


def test_scorers() -> None:
    given_ = {"predictions": CARD_PREDICTIONS, "references": CARD_REFERENCES}
    expected = {"total_items": 2, "empty_items": 0, "bleu": CARD_SCORES}
    assert NLGMetricverse()(**given_) == NLGMetricverse("bleu")(**given_, reduce_fn="max") == expected
    metrics: list[Any] = ["bleu", load_metric("bleu", "bleu_1", {"max_order": 1})]
    for wrong in (5, [{"name": "bleu"}]):
        with pytest.raises(TypeError, match="metrics must be a metric, its name, or a list of them"):
            NLGMetricverse(wrong)
    scores = NLGMetricverse(metrics)(**given_, smooth=True)
    assert scores["bleu"] == compute(**given_, smooth=True)
    assert scores["bleu_1"] == compute(**given_, smooth=True, max_order=1)


def test_scorers_leave_out_empty_items() -> None:
    predictions: list[Any] = ["It rained all day.", "", "b", None, "."]
    references: list[Any] = [["It rained all day!"], ["a"], [], ["c"], ["It"]]
    scores = NLGMetricverse()(predictions=predictions, references=references)
    assert scores == {
        "total_items": 5,
        "empty_items": 3,
        "bleu": compute(predictions=["It rained all day.", "."], references=[["It rained all day!"], ["It"]]),
    }
    assert len(predictions) == len(references) == 5
    with pytest.warns(UserWarning, match="nothing is scored"):
        found = NLGMetricverse()(predictions=[""], references=["a"])
    assert found == {"total_items": 1, "empty_items": 1}


def test_orders_name_the_scores() -> None:
    metrics: list[Any] = [load_metric("bleu", compute_kwargs={"max_order": order}) for order in (1, 2)]
    metrics += ["bleu", {"path": "bleu", "resulting_name": "other"}]
    scores = NLGMetricverse(metrics, run_concurrent=True)(predictions=["a b"], references=["a c"])
    assert list(scores) == ["total_items", "empty_items", "bleu_1", "bleu_2", "bleu", "other"]
    assert (scores["bleu_1"]["precisions"], scores["bleu_2"]["precisions"]) == ([0.5], [0.5, 0.0])
