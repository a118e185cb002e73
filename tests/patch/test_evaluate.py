"""Hugging Face evaluate with the patch: its modules come from fastbleu, and are its own kind of object."""

from __future__ import annotations

import pytest

pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")

from fastbleu import patch
from fastbleu.patch.peers import PEERS


@pytest.mark.slow
def test_modules() -> None:
    import evaluate

    if not PEERS["evaluate"].is_equal:
        pytest.skip("another release")
    texts = {"predictions": ["it rained all day"], "references": [["it rained all day", "rain"]]}
    with patch.install("evaluate"):
        bleu = evaluate.load("bleu", keep_in_memory=True)
        assert isinstance(bleu, evaluate.Metric)
        assert bleu.compute(**texts)["bleu"] == 1.0
        assert evaluate.load(path="sacrebleu").compute(**texts)["score"] == 100.00000000000004
        assert evaluate.load("google_bleu").compute(**texts) == {"google_bleu": 1.0}
        with pytest.raises(FileNotFoundError):
            evaluate.load("./no_such_module")
    (line,) = (line for line in patch.report() if line.peer == "evaluate")
    assert (line.taken, line.left) == (3, 0)
