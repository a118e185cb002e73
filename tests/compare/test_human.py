"""Human agreement: the figures of the published table."""

import pytest

from fastbleu import BLEU
from fastbleu.compare.human import agreement, why_not

# Kocmi et al. 2024, table of thresholds (appendix/main_thresholds.tex of their repository), for shares of 0.50 to 0.85.
BLEU_DIFFERENCES = (0.27, 0.52, 0.78, 1.06, 1.39, 1.79, 2.34, 3.35)
SPBLEU_DIFFERENCES = (0.25, 0.52, 0.82, 1.13, 1.49, 1.91, 2.46, 3.28)


@pytest.mark.parametrize(
    ("tokenizer", "differences"),
    [("13a", BLEU_DIFFERENCES), ("zh", BLEU_DIFFERENCES), ("flores200", SPBLEU_DIFFERENCES)],
)
def test_the_published_table(tokenizer: str, differences: tuple[float, ...]) -> None:
    for k, difference in enumerate(differences):
        assert agreement(difference, tokenizer) == pytest.approx(0.50 + 0.05 * k, abs=0.0015)
        assert agreement(-difference, tokenizer) == agreement(difference, tokenizer)


def test_single_figures() -> None:
    assert round(agreement(1.0), 5) == 0.63989  # the tool's README: `mt-thresholds bleu 1.00`
    assert agreement(1e6) < 0.8834
    assert agreement(0) < 0.5


@pytest.mark.parametrize(
    ("options", "references", "is_text", "reason"),
    [
        ({}, 1, True, ""),
        ({"tokenize": "zh"}, 1, True, ""),
        ({"smooth_method": "floor"}, 1, True, ""),
        ({}, 2, True, "it was measured with one reference per segment"),
        ({}, -1, True, "it was measured with one reference per segment"),
        ({"tokenize": "none"}, 1, False, "it was measured on text only"),
        ({"tokenize": "char"}, 1, True, "it was measured with other tokenizers than char"),
        ({"lowercase": True}, 1, True, "it was measured with upper and lower case distinguished"),
        ({"max_ngram_order": 2}, 1, True, "it was measured with n-grams of the orders 1 to 4"),
        ({"weights": [1, 1, 1, 2]}, 1, True, "it was measured with n-grams of the orders 1 to 4"),
        ({"reference_length": "shortest"}, 1, True, "it was measured with n-grams of the orders 1 to 4"),
    ],
)
def test_where_it_does_not_apply(
    options: dict[str, object], references: int, is_text: bool, reason: str
) -> None:
    found = why_not(BLEU(**options), references, is_text)
    assert found.startswith(reason)
    assert bool(found) == bool(reason)
