"""Ids that have been there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rerank.nbest import json_lines as module
from fastbleu.rerank.nbest.json_lines import KnownIds


@given(st.lists(st.lists(st.binary(max_size=4), unique=True), max_size=8), st.integers(0, 9))
def test_ids_that_have_been_there(blocks: list[list[bytes]], recent: int) -> None:
    seen = KnownIds()
    expected: set[bytes] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_RECENT_IDS", recent)
        for block in blocks:
            for name in block:
                assert (name in seen) == (name in expected)
            new = [name for name in block if name not in expected]
            seen.add(new)
            expected.update(new)
            assert all(name in seen for name in expected)
