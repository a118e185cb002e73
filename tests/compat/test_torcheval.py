"""`fastbleu.compat.torcheval`: values worked out by hand, and what it refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.processes import python
from tests.support.refusals import argument_error


@pytest.mark.slow
@pytest.mark.parametrize("name", ["torcheval", "torchmetrics"])
def test_without_its_host(name: str) -> None:
    for missing in ("torch", name):
        program = f"import sys; sys.modules[{missing!r}] = None; import fastbleu.compat.{name}"
        found = python("-c", program)
        assert found.returncode == 1
        needed = rf"{name} needs the module ({missing}|torch): pip install .fastbleu-metric\[{name}\]"
        assert re.search(needed, found.stderr)


@pytest.fixture
def torcheval() -> Any:
    for host in ("torch", "torcheval"):
        pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)
    from fastbleu.compat import torcheval as module

    return module


@pytest.mark.parametrize(
    ("texts", "target", "error", "place"),
    [
        (["a", 3], ["a", "b"], TypeError, "input[1]"),
        (["a"], [["a", None]], TypeError, "target[0][1]"),
        (["a"], "a", TypeError, "target"),
        (["a"], [3], TypeError, "target[0]"),
        (["a"], [[]], ValueError, "target[0]"),
        (None, ["a"], TypeError, "input"),
    ],
)
def test_errors(torcheval: Any, texts: Any, target: Any, error: type[Exception], place: str) -> None:
    metric = torcheval.BLEUScore(n_gram=1).update("a b", ["a b"])
    for call in (lambda *corpus: torcheval.bleu_score(*corpus, n_gram=1), metric.update):
        with argument_error(error, place):
            call(texts, target)
    assert metric.input_len.item() == 2
