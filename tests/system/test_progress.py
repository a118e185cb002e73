"""The progress bar: shown only on request, and the error if its package is missing."""

import sys

import pytest

from fastbleu.system.progress import progress_bar


def test_a_bar_counts(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    with progress_bar(3, " pools") as bar:
        bar.update(1)
        bar.update(2)
    assert "3/3 [" in capsys.readouterr().err


def test_a_bar_that_is_not_wanted_needs_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with progress_bar(3, " pools", wanted=False) as bar:
        bar.update(3)
    assert capsys.readouterr().err == ""
    with pytest.raises(ImportError, match=r'needs the module tqdm: pip install "fastbleu-metric\[cli\]"'):
        progress_bar(3, " pools")
