"""The worked examples of Papineni et al. 2002 (https://aclanthology.org/P02-1040) and of textbooks, in full."""

import math

import pytest

from fastbleu import BLEU
from fastbleu.compat import nltk
from fastbleu.explain import Explanation, Ngram, explain
from tests.support.papineni import GUIDE, GUIDE_REFERENCES

SEGMENT = BLEU(effective_order=True, lowercase=True)

# Example 2 of the paper.
CAT_REFERENCES = ["The cat is on the mat", "There is a cat on the mat"]
CAT_TWICE = "the cat the cat on the mat"

GUIDEBOOK = "It is to insure the troops forever hearing the activity guidebook that party direct"


def plain(explanation: Explanation) -> list[str]:
    return [f"{order.matched}/{order.total}" for order in explanation.orders]


def modified(explanation: Explanation) -> list[str]:
    return [f"{order.correct}/{order.total}" for order in explanation.orders]


def counts(explanation: Explanation, *tokens: str) -> tuple[int, int, int | None, int]:
    """Count, largest count in a reference, which one, clipped count."""
    found: dict[tuple[object, ...], Ngram] = {
        ngram.tokens: ngram for order in explanation.orders for ngram in order.ngrams
    }
    ngram = found[tokens]
    return ngram.count, ngram.reference_count, ngram.reference, ngram.clipped_count


def test_the_guide_to_action() -> None:
    good, bad = (explain(SEGMENT, candidate, GUIDE_REFERENCES) for candidate in (GUIDE, GUIDEBOOK))
    assert modified(good) == ["17/18", "10/17", "7/16", "4/15"]
    assert modified(bad) == ["8/14", "1/13", "0/12", "0/11"]
    assert plain(good) == ["17/18", "10/17", "7/16", "4/15"]
    assert plain(bad) == ["8/14", "1/13", "0/12", "0/11"]
    # The table of counts: "the" stands three times here, and at most four times in one reference, the second.
    assert counts(good, "the") == (3, 4, 1, 3)
    assert counts(good, "obeys") == (1, 0, None, 0)
    assert counts(good, "that") == (1, 2, 0, 1)
    assert counts(good, "the", "military") == (1, 1, 0, 1)
    assert counts(bad, "the") == (2, 4, 1, 2)
    assert [ngram.tokens for ngram in bad.orders[1].ngrams if ngram.clipped_count] == [("it", "is")]
    assert [good.ref_len, bad.ref_len] == [18, 16]
    assert [good.brevity_penalty, bad.brevity_penalty] == [1.0, math.exp(1 - 16 / 14)]
    assert good.score.score == pytest.approx(50.45666840058485, rel=1e-12)
    assert good.score.score == pytest.approx(100 * good.modified_geometric_mean, rel=1e-12)


def test_the_cat_twice() -> None:
    found = explain(SEGMENT, CAT_TWICE, CAT_REFERENCES)
    assert modified(found) == ["5/7", "4/6", "2/5", "1/4"]
    assert plain(found) == ["7/7", "5/6", "2/5", "1/4"]
    assert found.brevity_penalty == 1.0
    assert found.score.score == pytest.approx(46.71379777282001, rel=1e-12)
    assert found.modified_arithmetic_mean == pytest.approx((5 / 7 + 4 / 6 + 2 / 5 + 1 / 4) / 4, rel=1e-12)
    assert found.plain_arithmetic_mean == pytest.approx((1 + 5 / 6 + 2 / 5 + 1 / 4) / 4, rel=1e-12)
    assert found.modified_geometric_mean == pytest.approx(0.4671379777282001, rel=1e-12)
    assert found.plain_geometric_mean == pytest.approx((5 / 6 * 2 / 5 / 4) ** 0.25, rel=1e-12)
    hypothesis, *references = (text.lower().split() for text in (CAT_TWICE, *CAT_REFERENCES))
    assert nltk.sentence_bleu(references, hypothesis) == 0.4671379777282001


def words(number: int) -> str:
    return " ".join(f"w{i}" for i in range(number))


@pytest.mark.parametrize(
    ("length", "references", "closest", "shortest"),
    [
        (12, [12, 15, 17], 12, 12),
        (13, [12, 14, 17], 12, 12),
        (13, [17, 14, 12], 12, 12),
        (14, [15, 17], 15, 15),
    ],
)
def test_the_closest_reference_and_the_shorter_of_two(
    length: int, references: list[int], closest: int, shortest: int
) -> None:
    found = explain(SEGMENT, words(length), [words(number) for number in references])
    assert (found.ref_len, found.closest_ref_len, found.shortest_ref_len) == (closest, closest, shortest)
    assert found.brevity_penalty == (1.0 if length >= closest else math.exp(1 - closest / length))
