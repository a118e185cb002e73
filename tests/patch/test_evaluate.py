"""Hugging Face evaluate with the patch: its modules come from fastbleu, and are its own kind of object."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.patch import evaluate
from fastbleu.patch.peers import PEERS
from fastbleu.patch.replacing import Replacement
from tests.support.patched_calls import calls_of

TEXTS = {"predictions": ["it rained all day"], "references": [["it rained all day", "rain"]]}


def load(path: str, config_name: str | None = None, **options: Any) -> Any:
    """In the place of evaluate's function."""
    return path, config_name, options


def test_what_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "ours", SimpleNamespace(load=lambda **given: given))
    ((function, replaced),) = evaluate.replacements_in(SimpleNamespace(load=load))
    replacement = Replacement(function, replaced)
    replacement.install()
    try:
        assert load("meteor", "x", num_process=2) == ("meteor", "x", {"num_process": 2})
        assert load("google_bleu", "x") == {"path": "google_bleu", "config_name": "x"}
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
    peer = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
    if not PEERS["evaluate"].is_equal:
        pytest.skip("another release")
    with patch.install("evaluate"):
        bleu = peer.load("bleu", keep_in_memory=True)
        assert isinstance(bleu, peer.Metric)
        assert bleu.compute(**TEXTS)["bleu"] == 1.0
        assert peer.load(path="sacrebleu").compute(**TEXTS)["score"] == 100.00000000000004
        assert peer.load("google_bleu").compute(**TEXTS) == {"google_bleu": 1.0}
        with pytest.raises(FileNotFoundError):
            peer.load("./no_such_module")
    assert calls_of("evaluate") == (3, 0)
