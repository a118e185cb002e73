"""One metric in many threads: every entry point returns the same as in a single thread."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, BLEUScore, corpus_bleu, sentence_bleu
from fastbleu.scoring.formula import Formula
from fastbleu.tokenizers.names import get_tokenizer
from tests.support.entry_points import HYPOTHESES, STREAMS, of_pools, of_text, of_tokens_and_ids, plain
from tests.support.threads import THREADS, at_once, hammer, run_together


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"effective_order": True, "tokenize": "intl", "lowercase": True},
        {"tokenize": "char", "smooth_method": "add-k", "max_ngram_order": 6},
        {"tokenize": "zh", "weights": [3, 1, 0, 2], "reference_length": "shortest"},
        {"tokenize": str.split, "smooth_method": "floor"},
        {"threads": 2, "effective_order": True},
    ],
    ids=lambda options: "-".join(map(str, options)) or "default",
)
def test_every_entry_point_with_text(options: dict[str, Any]) -> None:
    # With threads of its own, a metric needs enough segments to use them.
    hammer(of_text(BLEU(**options), 200 if "threads" in options else 20))


def test_tokens_and_ids() -> None:
    hammer(of_tokens_and_ids())


def test_a_metric_that_no_thread_has_used() -> None:
    """All that is made when it is first needed is asked for by all threads at once."""
    wanted = plain(BLEU(tokenize="13a").corpus_score(HYPOTHESES, STREAMS))
    for _ in range(20):
        bleu = BLEU(tokenize="13a")
        scores = at_once(partial(bleu.corpus_score, HYPOTHESES, STREAMS))
        assert [plain(each) for each in scores] == [wanted] * THREADS
        formula = Formula()
        compiled = at_once(partial(getattr, formula, "compiled"))
        assert formula.compiled in compiled


def test_one_score_in_many_threads() -> None:
    """The text of a score is made when it is asked for."""
    bleu = BLEU()

    def told(score: BLEUScore) -> Any:
        return str(score.signature), score.prec_str, repr(score), list(vars(score))

    for _ in range(50):
        texts = at_once(partial(told, bleu.corpus_score(HYPOTHESES, STREAMS)))
        assert texts == [texts[0]] * THREADS
        assert texts[0][0].startswith("nrefs:var|")


def test_the_latest_signature_is_that_of_the_thread() -> None:
    bleu = BLEU()
    references = [["a b c d e"]] * 5

    def work(number: int) -> None:
        for _ in range(200):
            bleu.corpus_score(["a b c d e"], references[:number])
            assert bleu.num_refs == number
            assert str(bleu.get_signature()).startswith(f"nrefs:{number}|")

    run_together(*(lambda number=number: work(number) for number in range(1, 6)))


@pytest.mark.parametrize("kind", ["order", "padding", "script"])
def test_a_warning_is_given_once(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    chinese = "我看了電影，我们都喜欢这部电影"
    padded = np.random.default_rng(1).integers(1, 100, (64, 40))
    for i in range(64):
        padded[i, 3 + i % 37 :] = 0
    tokenize = "none" if kind == "padding" else "13a"
    call: dict[str, Callable[[BLEU], Any]] = {
        "order": lambda bleu: bleu.sentence_score("a b c d", ["a b c d"]),
        "padding": lambda bleu: bleu.corpus_score(padded, padded),
        "script": lambda bleu: bleu.corpus_score([chinese] * 20, [[chinese] * 20]),
    }
    for _ in range(20):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "fastbleu"):
            at_once(partial(call[kind], BLEU(tokenize=tokenize)))
        assert len(caplog.messages) == 1, caplog.messages


def test_functions_and_kept_objects() -> None:
    assert len(set(map(id, at_once(lambda: get_tokenizer("intl"))))) == 1
    hammer(
        {
            "corpus_bleu": lambda: corpus_bleu(HYPOTHESES, STREAMS),
            "sentence_bleu": lambda: sentence_bleu(HYPOTHESES[0], [STREAMS[0][0]]),
        }
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_pools(threads: int) -> None:
    hammer(of_pools(BLEU(effective_order=True, threads=threads)))
