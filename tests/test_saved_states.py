"""States of accumulators that earlier versions wrote are loaded, and give the same score.

Never change a state here. When the format changes, add a state of the new one, and keep loading the old ones.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from fastbleu import BLEU

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
WEIGHTED = {"lowercase": True, "smooth_method": "add-k", "smooth_value": 2, "weights": [0.1, 0.2, 0.3, 0.4]}


@pytest.mark.parametrize(
    ("options", "state", "score"),
    [
        (
            WEIGHTED,
            FIRST,
            "BLEU = 53.89 88.9/77.8/57.1/50.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
        (
            {},
            WITH_ROWS,
            "BLEU = 44.92 88.9/71.4/40.0/25.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
    ],
)
def test_a_state_of_an_earlier_version_is_loaded(options: dict[str, Any], state: str, score: str) -> None:
    accumulator = BLEU(**options).accumulator(keep_rows="rows" in state)
    accumulator.load_state_dict(json.loads(state))
    assert str(accumulator.compute()) == score
    assert accumulator.state_dict() == json.loads(state)
