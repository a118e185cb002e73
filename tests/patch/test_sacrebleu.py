"""sacreBLEU with and without the patch: the same results of random calls, and the types are its own."""

from __future__ import annotations

import logging
import pickle
from random import Random

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

import sacrebleu
from sacrebleu.metrics.bleu import BLEU, BLEUScore
from sacrebleu.significance import PairedTest

from fastbleu import patch
from tests.support.sacrebleu_calls import outcome, random_call

HYPOTHESES = ["the cat sat on the mat", "it rained all day"]
STREAMS = [["the cat is on the mat", "it rained all night"], ["a cat sat on the mat", "it poured"]]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "sacrebleu")


def calls() -> dict[str, tuple[int, int]]:
    return {
        line.function.rpartition(".")[2]: (line.taken, line.left)
        for line in patch.report()
        if line.peer == "sacrebleu"
    }


@pytest.mark.parametrize("seed", range(6))
def test_random_calls(seed: int) -> None:
    random = Random(1000 + seed)
    called = [random_call(random) for _ in range(400)]
    without = [outcome(BLEU, call) for call in called]
    with patch.install("sacrebleu"):
        before = sum(taken for taken, _ in calls().values())
        with_patch = [outcome(BLEU, call) for call in called]
        assert sum(taken for taken, _ in calls().values()) - before > 300
    for call, theirs, ours in zip(called, without, with_patch, strict=True):
        assert ours[:2] == theirs[:2], call


def test_types_are_its_own() -> None:
    with patch.install("sacrebleu"):
        score = BLEU(references=STREAMS).corpus_score(HYPOTHESES, None)
        assert type(score) is BLEUScore
        assert score.counts == [9, 7, 4, 2]
        assert type(sacrebleu.sentence_bleu("a b", ["a b"])) is BLEUScore
        data = pickle.dumps(BLEU(references=STREAMS))
    assert b"fastbleu" not in data


def test_a_subclass_keeps_its_own_way() -> None:
    class Upper(BLEU):
        def _preprocess_segment(self, sent: str) -> str:
            return sent.upper()

    class Other(BLEU):
        def corpus_score(self, *_: object, **__: object) -> str:
            return "other"

    with patch.install("sacrebleu"):
        before = calls()["corpus_score"]
        assert Upper().corpus_score(["a b c d"], [["A b C d"]]).score == 100.00000000000004
        assert Other().corpus_score() == "other"
        assert calls()["corpus_score"] == (before[0], before[1] + 1)


def test_other_metrics_are_not_concerned() -> None:
    without = (
        sacrebleu.corpus_chrf(HYPOTHESES, STREAMS).score,
        sacrebleu.corpus_ter(HYPOTHESES, STREAMS).score,
    )
    with patch.install("sacrebleu"):
        before = calls()
        assert (
            sacrebleu.corpus_chrf(HYPOTHESES, STREAMS).score,
            sacrebleu.corpus_ter(HYPOTHESES, STREAMS).score,
        ) == without
        assert calls() == before


def test_significance() -> None:
    def compared() -> object:
        systems = [("a", HYPOTHESES * 20), ("b", [line[0] for line in zip(STREAMS[0] * 20, strict=True)])]
        metrics = {"BLEU": BLEU(references=[stream * 20 for stream in STREAMS])}
        signatures, scores = PairedTest(systems, metrics, None, "bs", n_samples=50)()
        return str(signatures), str(scores)

    without = compared()
    with patch.install("sacrebleu"):
        assert compared() == without
        assert calls()["_extract_corpus_statistics"][0] >= 2


def test_misshapen_input_has_a_warning() -> None:
    with patch.install("sacrebleu"), pytest.warns(UserWarning, match="only the first segment was scored"):
        assert sacrebleu.corpus_bleu(["a", "b"], [["a"], ["b"]]).sys_len == 1


def test_looks_tokenized(caplog: pytest.LogCaptureFixture) -> None:
    with patch.install("sacrebleu"), caplog.at_level(logging.WARNING, "sacrebleu"):
        sacrebleu.corpus_bleu(["a ."] * 100, [["a ."] * 100])
        sacrebleu.corpus_bleu(["a ."] * 100, [["a ."] * 100], force=True)
        BLEU().sentence_score("a", ["a"])
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 4
    assert messages[0].startswith("That's 100 lines")
    assert messages[3].startswith("It is recommended")
