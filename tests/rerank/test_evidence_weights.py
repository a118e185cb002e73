"""Weights of evidence: their forms, their normalization, and the errors of wrong ones."""

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.options import WEIGHTS_AS
from fastbleu.rerank import Pools, expected, mbr
from fastbleu.rerank.evidence_weights import as_weights
from tests.support import oracle, rerank_oracle
from tests.support.refusals import refusal
from tests.support.rerank_oracle import flattened

POOLS = [["a b c", "a b", "c a b"], [], ["b", "c b"]]
EVIDENCE = [["a b", "c"], ["a"], ["c b a"]]
METRIC = BLEU(tokenize="none", effective_order=True)
COUNTS = [[3, 0, 1], [], [1, 1]]
INF = math.inf


def by_oracle(weights: list[list[float]]) -> list[Any]:
    found: list[Any] = []
    for pool, shares in zip(POOLS, weights, strict=True):
        rows = [
            [
                oracle.corpus_score([text], [[other]], tokenize="none", effective_order=True).score
                for other in pool
            ]
            for text in pool
        ]
        found += rerank_oracle.exact_means(rows, shares)
    return found


def test_the_three_kinds_are_equivalent() -> None:
    whole = by_oracle(COUNTS)
    probabilities = [[0.75, 0.0, 0.25], [], [0.5, 0.5]]
    logarithms = [rerank_oracle.logarithms(some) for some in probabilities]
    forms: tuple[Any, ...] = (probabilities, logarithms, COUNTS)
    for weights, kind in zip(forms, WEIGHTS_AS, strict=True):
        scores = expected(POOLS, None, weights, weights_as=kind, metric=METRIC)
        assert flattened(scores) == pytest.approx(whole, rel=1e-12)
        found = mbr([POOLS[0], POOLS[2]], None, [weights[0], weights[2]], weights_as=kind, metric=METRIC)
        assert found.utilities.tolist() == pytest.approx([max(whole[:3]), max(whole[3:])], rel=1e-12)


@pytest.mark.parametrize("temperature", [1, 0.5, 2.0, 1e-6, 1e9, np.float32(3)])
def test_softmax(temperature: Any) -> None:
    scores = [[-1000.0, -1001.3, -INF], [], [-0.7, 4.1]]
    shares = [rerank_oracle.softmax(some, float(temperature)) if some else [] for some in scores]
    found = expected(
        POOLS, None, scores, weights_as="log-probabilities", temperature=temperature, metric=METRIC
    )
    assert flattened(found) == pytest.approx(by_oracle(shares), rel=1e-12)


def test_nothing_underflows() -> None:
    assert as_weights([-1e5, -1e5 - 1], "log-probabilities", 1.0, "weights[0]") == [1.0, math.exp(-1)]
    assert as_weights([1e308, -1e308], "log-probabilities", 1.0, "weights[0]") == [1.0, 0.0]
    for scale in (1e308, 5e-324):
        shares = as_weights([scale, 0.0, scale / 2, scale], "counts", None, "weights[0]")
        assert shares == [shares[0], 0.0, scale / 2 / scale * shares[0], shares[0]]
        assert 0.5 <= shares[0] < 1
    assert as_weights([-INF, 0.0], "log-probabilities", None, "weights[0]") == [0.0, 1.0]


@pytest.mark.parametrize(
    "form",
    [
        COUNTS,
        tuple(map(tuple, COUNTS)),
        [np.array(some, dtype=np.float32) for some in COUNTS],
        [np.array(some, dtype=np.int64) for some in COUNTS],
        np.array([np.array(some) for some in COUNTS], dtype=object),
    ],
)
def test_forms_of_lists(form: Any) -> None:
    found = expected(POOLS, None, form, weights_as="counts", metric=METRIC)
    assert flattened(found) == pytest.approx(by_oracle(COUNTS), rel=1e-12)


def test_forms_of_flat_weights() -> None:
    flat = [text for pool in POOLS for text in pool]
    counts = [count for some in COUNTS for count in some]
    pools = Pools(flat, offsets=[0, 3, 3, 5])
    for weights in (counts, np.array(counts), np.array(counts, dtype=np.float16), COUNTS):
        found = expected(pools, None, weights, weights_as="counts", metric=METRIC)
        assert [len(scores) for scores in found] == [3, 0, 2]
        assert flattened(found) == pytest.approx(by_oracle(COUNTS), rel=1e-12)
    square = Pools(flat[:3] * 2, size=3)
    for matrix in ([COUNTS[0], COUNTS[0]], np.array([COUNTS[0], COUNTS[0]])):
        scores = expected(square, None, matrix, weights_as="counts", metric=METRIC)
        assert scores.shape == (2, 3)
        assert scores.tolist() == [pytest.approx(by_oracle(COUNTS)[:3], rel=1e-12)] * 2
    assert expected(Pools([], size=3), None, [], weights_as="counts").shape == (0, 3)


def test_a_candidate_that_has_all_weight_has_no_evidence_but_itself() -> None:
    with pytest.raises(ValueError, match=r"^pools\[1\]\[2\] has no evidence: the weights of all other"):
        expected([POOLS[0]] * 2, None, [[1, 1, 0], [0, 0, 1]], True, weights_as="counts", metric=METRIC)


@pytest.mark.parametrize(
    ("weights", "kind", "words"),
    [
        ([[1, math.nan, 0], [], [1, 0]], "probabilities", "ValueError: weights[0][1] must be finite and not negative"),
        ([[1, 0, 0], [], [INF, 0]], "counts", "ValueError: weights[2][0] must be finite and not negative, got inf"),
        ([[1, 0, 0], [], [0, 0]], "counts", "ValueError: weights[2] must not all be 0"),
        ([[1, 0, 0], [], [0, 0]], "probabilities", "ValueError: weights[2] must be probabilities that sum to 1, but"),
        ([[0.5, 0.5, 1e-5], [], [1, 0]], "probabilities", "ValueError: weights[0] must be probabilities that sum to 1"),
        ([[0, -INF, 0], [], [0, -INF]], "log-probabilities", "ValueError: weights[0] must be log-probabilities, but"),
        ([[0, -INF, -INF], [], [0.1, 0]], "log-probabilities", "ValueError: weights[2][0] must be a log-probability"),
        ([[0, math.nan, 0], [], [0, 0]], "log-probabilities", "ValueError: weights[0][1] must be finite or -inf, got"),
        ([[-INF] * 3, [], [0, 0]], "log-probabilities", "ValueError: weights[0] must not all be -inf"),
        ([[1, 0], [], [1, 0]], "counts", "ValueError: weights[0] has 2 numbers, but pools[0] has 3"),
        ([[1, 0, 0], [1], [1, 0]], "counts", "ValueError: weights[1] has 1 number, but pools[1] has 0"),
        ([[1, 0, 0]], "counts", "ValueError: weights is for 1 source, but pools has 3"),
        ([[[1, 0, 0]], [], [1, 0]], "counts", "ValueError: weights[0] must have 1 dimension, not the shape [1, 3]"),
        (3, "counts", "TypeError: weights must be a sequence of numbers, in the layout of pools, not int: 3"),
        ([[1, None, 0], [], [1, 0]], "counts", "TypeError: weights[0][1] must be a number, not NoneType"),
        ([[1, 0, True], [], [1, 0]], "counts", "TypeError: weights[0][2] must be a number, not bool"),
        ([[1, 2j, 0], [], [1, 0]], "counts", "TypeError: weights[0][1] must be a number, not complex"),
        ([[1, 0, 0], 1, [1, 0]], "counts", "TypeError: weights[1] must be a sequence of numbers, not int"),
        ([np.ma.array([1, 2, 3], mask=[0, 1, 0]), [], [1, 0]], "counts", "TypeError: weights[0] is a masked array"),
    ],
)  # fmt: skip
def test_bad_weights(weights: Any, kind: str, words: str) -> None:
    for threads in (1, 2):
        options = {"weights_as": kind, "metric": METRIC, "threads": threads}
        assert refusal(expected, POOLS, None, weights, **options).startswith(words)


def test_bad_shapes() -> None:
    square, flat = Pools(["a", "b", "c", "d"], size=2), Pools(["a", "b", "c", "d"], offsets=[0, 1, 4])
    for pools, weights, kind, words in (
        (square, [1, 2, 3, 4], ValueError, "weights must have 2 dimensions, not the shape [4]"),
        (square, np.ones((2, 3)), ValueError, "weights must have the shape [2, 2], as pools, not [2, 3]"),
        (square, [[1, 2], [3]], ValueError, "weights[1] has 1 number, but weights[0] has 2"),
        (square, [[1, 2], [3, None]], TypeError, "weights[1][1] must be a number, not NoneType"),
        (square, [[1, 2], 3], TypeError, "weights[1] must be a sequence of numbers, not int"),
        (square, [], ValueError, "weights must have the shape [2, 2]"),
        (flat, [[1], [2, 3]], ValueError, "weights[1] has 2 numbers, but pools[1] has 3"),
        (flat, [[1]], ValueError, "weights is for 1 source, but pools has 2"),
        (flat, [1, 2, 3], ValueError, "weights must have the shape [4], as pools, not [3]"),
        (flat, [1, 1, 2, -3], ValueError, "weights[1][2] must be finite and not negative, got -3.0"),
    ):
        with pytest.raises(kind, match=f"^{re.escape(words)}"):
            expected(pools, None, weights, weights_as="counts")
    with pytest.raises(ValueError, match=r"weights\[0\] has 3 numbers, but evidence\[0\] has 2"):
        expected(POOLS, EVIDENCE, [[1, 2, 3], [1], [1]], weights_as="counts")


KINDS = ", ".join(WEIGHTS_AS)
LOGS = {"weights": [[-1.0] * 3, [], [-1.0] * 2], "weights_as": "log-probabilities"}


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        (
            {"weights": COUNTS},
            ValueError,
            f"weights_as must say which kind of numbers weights has: {KINDS}; got None",
        ),
        ({"weights": COUNTS, "weights_as": "probability"}, ValueError, "weights_as must say .*got"),
        ({"weights": COUNTS, "weights_as": 1}, TypeError, "weights_as must be a str, not int: 1"),
        ({"weights_as": "counts"}, ValueError, "weights_as is 'counts', but no weights are given"),
        ({"temperature": 2.0}, ValueError, "temperature is 2.0, but no weights are given"),
        (
            LOGS | {"weights_as": "counts", "temperature": 1},
            ValueError,
            "temperature is for weights_as='log-",
        ),
        (LOGS | {"temperature": 0}, ValueError, "temperature must be above 0 and finite, got 0"),
        (LOGS | {"temperature": math.nan}, ValueError, "temperature must be above 0 and finite, got nan"),
        (LOGS | {"temperature": Fraction(1, 10**400)}, ValueError, "temperature must be above 0 and finite"),
        (LOGS | {"temperature": Fraction(10**400)}, ValueError, "temperature must be a number that a float"),
        (LOGS | {"temperature": np.array([1.0])}, TypeError, "temperature must be a number, not ndarray"),
        (LOGS | {"temperature": "1"}, TypeError, "temperature must be a number, not str: '1'"),
    ],
)
def test_bad_options(options: dict[str, Any], kind: Any, words: str) -> None:
    for call in (expected, mbr):
        with pytest.raises(kind, match=words):
            call(POOLS[:1], **options)
