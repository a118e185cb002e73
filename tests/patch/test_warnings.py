"""Warnings and log records of the original implementations: the same module, line and logger, patched and replaced.

Programs filter by these: `-W ignore::UserWarning:nltk.translate.bleu_score`, `logging.getLogger("sacrebleu")`.
"""

import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import pytest

from fastbleu import patch
from tests.support.processes import python

TOKENIZED = ["a b c d ."] * 100
WORDS, OTHERS = list("abcdef"), list("abgdhf")

#: By peer and call: the module of the peer, its drop-in replacement, the call, and how often it warns.
CALLS: dict[str, tuple[str, str, Callable[[Any], object], int]] = {
    **{
        f"sacrebleu: {name}": ("sacrebleu", "fastbleu.compat.sacrebleu", call, number)
        for name, call, number in (
            ("corpus_bleu", lambda m: m.corpus_bleu(TOKENIZED, [TOKENIZED]), 3),
            ("corpus_score", lambda m: m.BLEU().corpus_score(TOKENIZED, [TOKENIZED]), 3),
            ("resamples", lambda m: m.BLEU().corpus_score(TOKENIZED, [TOKENIZED], n_bootstrap=2), 3),
            ("references", lambda m: m.BLEU(references=[TOKENIZED]).corpus_score(TOKENIZED, None), 3),
            ("sentence_score", lambda m: m.BLEU().sentence_score("a b c d", ["a b c d"]), 1),
            ("Chinese", lambda m: m.BLEU(tokenize="13a", trg_lang="zh"), 1),
            ("Japanese", lambda m: m.BLEU(tokenize="13a", trg_lang="ja"), 1),
            ("Korean", lambda m: m.BLEU(tokenize="13a", trg_lang="ko"), 1),
            ("nothing", lambda m: m.BLEU(force=True).corpus_score(TOKENIZED, [TOKENIZED]), 0),
        )
    },
    **{
        f"nltk: {name}": ("nltk.translate.bleu_score", "fastbleu.compat.nltk", call, number)
        for name, call, number in (
            ("sentence_bleu", lambda m: m.sentence_bleu([WORDS], OTHERS), 2),
            ("corpus_bleu", lambda m: m.corpus_bleu([[WORDS]], [OTHERS]), 2),
            (
                "method0",
                lambda m: m.sentence_bleu([WORDS], OTHERS, smoothing_function=m.SmoothingFunction().method0),
                2,
            ),
            (
                "method1",
                lambda m: m.sentence_bleu([WORDS], OTHERS, smoothing_function=m.SmoothingFunction().method1),
                0,
            ),
        )
    },
    "torchmetrics": (
        "torchmetrics.text",
        "fastbleu.compat.torchmetrics",
        lambda m: m.SacreBLEUScore().compute(),
        1,
    ),
    "fast_bleu": ("fast_bleu", "fastbleu.compat.fast_bleu", lambda m: m.BLEU([WORDS]).get_score([OTHERS]), 0),
    "pycocoevalcap": (
        "pycocoevalcap.bleu.bleu",
        "fastbleu.compat.pycocoevalcap.bleu.bleu",
        lambda m: m.Bleu(4).compute_score({0: ["the cat"]}, {0: ["a dog"]}, 0),
        0,
    ),
}


def said_by(caplog: pytest.LogCaptureFixture, call: Callable[[], object]) -> list[tuple[Any, ...]]:
    """Every log record and warning of a call, with its source."""
    caplog.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    logged = [
        (each.name, each.levelname, each.getMessage(), each.pathname, each.lineno, each.funcName)
        for each in caplog.records
    ]
    return logged + [(each.category, str(each.message), each.filename, each.lineno) for each in caught]


@pytest.mark.parametrize("name", CALLS)
def test_each_warning(name: str, caplog: pytest.LogCaptureFixture) -> None:
    module, replacement, call, number = CALLS[name]
    peer = pytest.importorskip(module, exc_type=ImportError)
    original = said_by(caplog, lambda: call(peer))
    assert len(original) == number
    with patch.install():
        assert said_by(caplog, lambda: call(peer)) == original
    assert said_by(caplog, lambda: call(import_module(replacement))) == original


def test_evaluate(caplog: pytest.LogCaptureFixture) -> None:
    peer = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    from fastbleu.compat import evaluate as ours
    from tests.support.evaluate_modules import peer_module

    def compute(module: Any) -> Callable[[], object]:
        return lambda: module.compute(predictions=TOKENIZED, references=TOKENIZED)

    original = said_by(caplog, compute(peer_module("sacrebleu")))
    assert len(original) == 3
    with patch.install():
        assert said_by(caplog, compute(peer.load("sacrebleu"))) == original
    assert said_by(caplog, compute(ours.load("sacrebleu"))) == original


def test_mbrs(caplog: pytest.LogCaptureFixture) -> None:
    """Its workers log the advice for each pair; fastbleu logs it once."""
    pytest.importorskip("mbrs", reason="mbrs is not installed")
    from unittest.mock import patch as replaced

    from tests.support.mbrs_module import IN_ONE_PROCESS, module

    metric = module.MetricBLEU(module.MetricBLEU.Config(num_workers=1))
    with replaced.object(module, "concurrent", IN_ONE_PROCESS):
        original = said_by(caplog, lambda: metric.scores(["a b c d"] * 2, ["a b c d"] * 2))
    assert len(original) == 2
    with patch.install():
        assert said_by(caplog, lambda: metric.scores(["a b c d"] * 2, ["a b c d"] * 2)) == original[:1]


@pytest.mark.slow
@pytest.mark.parametrize("before", [("-m", "fastbleu.patch"), ()])
@pytest.mark.parametrize("filters", [(), ("-W", "ignore::UserWarning:nltk.translate.bleu_score")])
def test_filters_of_the_command_line(before: Iterable[str], filters: tuple[str, ...]) -> None:
    pytest.importorskip("nltk.translate.bleu_score", exc_type=ImportError)
    program = f"from nltk.translate.bleu_score import *; sentence_bleu([{WORDS}], {OTHERS})"
    done = python(*filters, *before, "-c", program)
    assert done.returncode == 0
    assert ("0 counts of 3-gram overlaps" in done.stderr) == (not filters)
    assert bool(done.stderr) == (not filters)
