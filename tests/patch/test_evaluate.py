"""Hugging Face evaluate with the patch: its modules come from fastbleu, and are its own kind of object."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.patch.evaluate import replacements_in
from fastbleu.patch.peers import PEERS
from fastbleu.patch.replacing import Replacement

TEXTS = {"predictions": ["it rained all day"], "references": [["it rained all day", "rain"]]}


def load(path: str, config_name: str | None = None, **options: Any) -> Any:
    """In the place of evaluate's function."""
    return path, config_name, options


@pytest.mark.slow
def test_what_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((function, replaced),) = replacements_in(SimpleNamespace(load=load))
    replacement = Replacement(function, replaced)
    replacement.install()
    try:
        assert load("meteor", "x", num_process=2) == ("meteor", "x", {"num_process": 2})
        assert load("google_bleu").compute(**TEXTS) == {"google_bleu": 1.0}
        (tmp_path / "bleu").mkdir()
        (tmp_path / "bleu" / "bleu.py").touch()
        monkeypatch.chdir(tmp_path)
        assert load("bleu") == ("bleu", None, {})  # a script of one's own
    finally:
        replacement.uninstall()
    assert load("google_bleu") == ("google_bleu", None, {})
    assert (replacement.taken, replacement.left) == (1, 0)


@pytest.mark.slow
def test_modules() -> None:
    evaluate = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
    if not PEERS["evaluate"].is_equal:
        pytest.skip("another release")
    with patch.install("evaluate"):
        bleu = evaluate.load("bleu", keep_in_memory=True)
        assert isinstance(bleu, evaluate.Metric)
        assert bleu.compute(**TEXTS)["bleu"] == 1.0
        assert evaluate.load(path="sacrebleu").compute(**TEXTS)["score"] == 100.00000000000004
        assert evaluate.load("google_bleu").compute(**TEXTS) == {"google_bleu": 1.0}
        with pytest.raises(FileNotFoundError):
            evaluate.load("./no_such_module")
    (line,) = (line for line in patch.report() if line.peer == "evaluate")
    assert (line.taken, line.left) == (3, 0)
