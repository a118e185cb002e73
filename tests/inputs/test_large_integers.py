"""Large numbers have keys whose hashes nobody can make equal, and equal numbers have equal keys."""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.inputs.large_integers import key_of_number

MODULUS = (1 << 61) - 1
LARGE = 1 << 70

METRIC = BLEU(tokenize="none")


@pytest.mark.parametrize(
    "same", [LARGE, float(LARGE), Decimal(LARGE), Fraction(LARGE), complex(LARGE), np.float64(LARGE)]
)
def test_equal_numbers_are_equal_tokens(same: object) -> None:
    assert key_of_number(same) == key_of_number(LARGE)
    row = METRIC.statistics([["a", same, -LARGE]], [[["a", LARGE, LARGE]]])[0]
    assert row[2:4].tolist() == [2, 1]
    prepared = METRIC.prepare([[["a", LARGE, LARGE]]])
    assert METRIC.statistics([["a", same, -LARGE]], prepared)[0].tolist() == row.tolist()
    assert (
        METRIC.statistics([["a", same, -LARGE]], pickle.loads(pickle.dumps(prepared)))[0].tolist()
        == row.tolist()
    )


@pytest.mark.parametrize(
    "token",
    [
        0,
        True,
        (1 << 63) - 1,
        -(1 << 63),
        0.5,
        float("inf"),
        1j,
        LARGE + 1j,
        Fraction(1, 3),
        Fraction(2 * LARGE + 1, 2),
        Decimal("0.1"),
        Decimal("1E+5000"),
        *(float("nan"), Decimal("NaN"), complex("nan")),
    ],
)
def test_other_tokens_are_their_own_keys(token: object) -> None:
    assert key_of_number(token) is token


@pytest.mark.parametrize("first", [1 << 64, -(1 << 80)])
def test_hashes_differ(first: int) -> None:
    tokens = [first + i * MODULUS for i in range(1000)]
    assert len(set(map(hash, tokens))) == 1
    assert len({hash(key_of_number(token)) for token in tokens}) == 1000


def test_references_that_hold_large_numbers() -> None:
    """Prepared references give back the numbers for comparisons."""
    from fastbleu.compare import compare

    tokens = [["a", LARGE, LARGE + 1], ["b", "c", LARGE]]
    found = compare(
        {"one": tokens, "two": [["a", LARGE], ["b", "d", LARGE]]}, [tokens], METRIC, trials=16, ngrams=5
    )
    assert found.to_json().count(str(LARGE)) > 0
    assert "LargeNumber" not in found.to_json()
