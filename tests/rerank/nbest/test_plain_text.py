"""Plain text whose lines do not fill the last source."""

from __future__ import annotations

import pytest

from fastbleu.inputs import files
from tests.support.nbest_lists import refused, run


def test_plain_text_of_another_number_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (1 << 20, 50):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        message = "text: line 10: expected 4 lines for each source (-n 4), found 2 for the last one"
        assert refused("mbr text -n 4") == (1, message)
        _, output, said = run("mbr text -n 4 --skip-bad")
        assert output.count(b"\n") == 2
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"
