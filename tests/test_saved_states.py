"""States of accumulators that earlier versions wrote are loaded, and give the same score.

Never change a state here. When the format changes, add a state of the new one, and keep loading the old ones.
"""

from __future__ import annotations

import json

import pytest

from fastbleu import BLEU, CHRF

FIRST = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"tokenizer": "13a", "lowercase": true, '
    '"max_ngram_order": 4, "reference_length": "closest", "smooth_method": "add-k", "smooth_value": 2, '
    '"effective_order": false, "weights": [0.1, 0.2, 0.3, 0.4]}, "segments": 2, "num_references": [[-1, 2]], '
    '"statistics": [9, 10, 8, 5, 2, 1, 9, 7, 5, 4]}'
)
WITH_ROWS = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"tokenizer": "13a", "lowercase": false, '
    '"max_ngram_order": 4, "reference_length": "closest", "smooth_method": "exp", "smooth_value": null, '
    '"effective_order": false, "weights": null}, "segments": 2, "num_references": [[1, 2]], '
    '"statistics": [9, 10, 8, 5, 2, 1, 9, 7, 5, 4], '
    '"rows": [[7, 7, 6, 4, 2, 1, 7, 6, 5, 4], [2, 3, 2, 1, 0, 0, 2, 1, 0, 0]]}'
)
OF_CHRF = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"metric": "CHRF", "lowercase": true, '
    '"whitespace": false, "char_order": 2, "word_order": 1, "beta": 2, "eps_smoothing": false}, "segments": 2, '
    '"num_references": [[1, 2]], "statistics": [11, 12, 9, 9, 10, 5, 4, 4, 1]}'
)
WEIGHTED = {"lowercase": True, "smooth_method": "add-k", "smooth_value": 2, "weights": [0.1, 0.2, 0.3, 0.4]}


@pytest.mark.parametrize(
    ("metric", "state", "score"),
    [
        (
            BLEU(**WEIGHTED),
            FIRST,
            "BLEU = 53.89 88.9/77.8/57.1/50.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
        (
            BLEU(),
            WITH_ROWS,
            "BLEU = 44.92 88.9/71.4/40.0/25.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
        (CHRF(2, 1, lowercase=True), OF_CHRF, "chrF2+ = 50.77"),
    ],
)
def test_a_state_of_an_earlier_version_is_loaded(metric: BLEU | CHRF, state: str, score: str) -> None:
    accumulator = metric.accumulator(keep_rows="rows" in state)
    accumulator.load_state_dict(json.loads(state))
    assert str(accumulator.compute()) == score
    assert accumulator.state_dict() == json.loads(state)
