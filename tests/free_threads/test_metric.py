"""One metric in many threads: every door gives what it gives to one thread."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, BLEUScore, TokenIds, corpus_bleu, sentence_bleu
from fastbleu.scoring.formula import Formula
from fastbleu.tokenizers.names import get_tokenizer
from tests.support.threads import HYPOTHESES, STREAMS, THREADS, at_once, hammer, plain, run_together

REFERENCES = [[stream[i] for stream in STREAMS if stream[i] is not None] for i in range(len(HYPOTHESES))]


def explained(bleu: BLEU, hypothesis: str, references: list[Any]) -> str:
    return str(bleu.explain(hypothesis, references))


def doors(bleu: BLEU, times: int = 20) -> dict[str, Callable[[], Any]]:
    """Calls of every door with text; `times` as many segments in those that take many."""
    hypotheses, streams = HYPOTHESES * times, [stream * times for stream in STREAMS]
    prepared = bleu.prepare(streams)
    per_segment = bleu.prepare_segments(REFERENCES)
    numbers = np.arange(len(HYPOTHESES))[::-1]
    backwards = HYPOTHESES[::-1]
    accumulator = bleu.accumulator()
    accumulator.update(HYPOTHESES, STREAMS)
    rows = bleu.statistics(HYPOTHESES, STREAMS)
    calls: dict[str, Callable[[], Any]] = {
        "corpus_score": lambda: bleu.corpus_score(hypotheses, streams),
        "corpus_score of one": lambda: bleu.corpus_score(HYPOTHESES[:1], [["a cat sat"]]),
        "corpus_score, prepared": lambda: bleu.corpus_score(hypotheses, prepared),
        "corpus_score, sliced": lambda: bleu.corpus_score(backwards, per_segment[numbers]),
        "corpus_score, resampled": lambda: bleu.corpus_score(HYPOTHESES, STREAMS, n_bootstrap=20),
        "sentence_scores": lambda: bleu.sentence_scores(hypotheses, streams),
        "prefix_scores": lambda: bleu.prefix_scores(HYPOTHESES, STREAMS),
        "statistics": lambda: bleu.statistics(hypotheses, streams),
        "statistics, prepared": lambda: bleu.statistics(HYPOTHESES, per_segment),
        "score_statistics": lambda: bleu.score_statistics(rows),
        "jackknife": lambda: bleu.jackknife(rows),
        "languages": lambda: bleu.statistics(
            HYPOTHESES[:4], [STREAMS[0][:4]], languages=["de", "zh", None, "fr"]
        ),
        "prepare": lambda: bleu.corpus_score(HYPOTHESES, bleu.prepare(STREAMS)),
        "prepare_segments": lambda: bleu.corpus_score(HYPOTHESES, bleu.prepare_segments(REFERENCES)),
        "tokenize": lambda: [bleu.tokenize(text) for text in HYPOTHESES],
        "accumulator": accumulator.compute,
        "pickle": lambda: pickle.loads(pickle.dumps(bleu)).corpus_score(HYPOTHESES, STREAMS),
        "signature": lambda: bleu.signature_for(2),
    }
    for i, hypothesis in enumerate(HYPOTHESES):
        calls[f"sentence_score {i}"] = partial(bleu.sentence_score, hypothesis, REFERENCES[i])
        calls[f"explain {i}"] = partial(explained, bleu, hypothesis, REFERENCES[i])
    return calls


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
def test_every_door_with_text(options: dict[str, Any]) -> None:
    # With threads of its own, a metric needs enough segments to use them.
    hammer(doors(BLEU(**options), 200 if "threads" in options else 20))


def test_tokens_and_ids() -> None:
    bleu = BLEU(tokenize="none", effective_order=True)
    generator = np.random.default_rng(5)
    ids = generator.integers(1, 50, (40, 30))
    references = generator.integers(1, 50, (40, 3, 25))
    samples = generator.integers(1, 50, (40, 4, 20))
    large = ids + (1 << 40)
    tokens, streams = [row.tolist() for row in ids], [[row.tolist() for row in references[:, 0]]]
    words = [[f"w{each}" for each in row] for row in tokens]
    word_streams = [[[f"w{each}" for each in row] for row in stream] for stream in streams]
    prepared_words, prepared_ids = bleu.prepare(word_streams), bleu.prepare(TokenIds(references[:, 0]))
    hammer(
        {
            "ids": lambda: bleu.sentence_scores(TokenIds(ids, pad_id=1), TokenIds(references, pad_id=1)),
            "large ids": lambda: bleu.sentence_scores(TokenIds(large), TokenIds(large[::-1].copy())),
            "samples": lambda: bleu.sentence_scores(TokenIds(samples), TokenIds(references[:, 0])),
            "samples, prepared": lambda: bleu.statistics(TokenIds(samples), prepared_ids),
            "prefixes": lambda: bleu.prefix_scores(TokenIds(samples, eos_id=3), TokenIds(references[:, 0])),
            "tokens": lambda: bleu.corpus_score(tokens, streams),
            "words": lambda: bleu.corpus_score(words, word_streams),
            "words, prepared": lambda: bleu.sentence_scores(words, prepared_words),
            "one": lambda: bleu.sentence_score(words[0], [words[1], words[2]]),
            "one prefix": lambda: bleu.sentence_prefix_scores(words[0], [words[1]]),
        }
    )


def test_a_metric_that_no_thread_has_used() -> None:
    """All that is made when it is first needed is asked for by all threads at once."""
    wanted = plain(BLEU(tokenize="13a").corpus_score(HYPOTHESES, STREAMS))
    for _ in range(20):
        bleu = BLEU(tokenize="13a")
        scores = at_once(partial(bleu.corpus_score, HYPOTHESES, STREAMS))
        assert [plain(each) for each in scores] == [wanted] * THREADS
        texts, references = ["我看了電影", "a b"], [["我看電影", "a c"]]
        rows = at_once(partial(bleu.statistics, texts, references, languages=["zh", "en"]))
        assert all(each.tolist() == rows[0].tolist() for each in rows)
        formula = Formula()
        compiled = at_once(partial(getattr, formula, "compiled"))
        assert formula.compiled in compiled


def test_one_score_in_many_threads() -> None:
    """What a score says is made when it is asked for."""
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


@pytest.mark.parametrize("kind", ["order", "padding", "script", "functions", "language"])
def test_a_warning_is_given_once(
    kind: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    chinese = "我看了電影，我们都喜欢这部电影"
    padded = np.random.default_rng(1).integers(1, 100, (64, 40))
    for i in range(64):
        padded[i, 3 + i % 37 :] = 0
    tokenize = "none" if kind == "padding" else "13a"
    call: dict[str, Callable[[BLEU], Any]] = {
        "order": lambda bleu: bleu.sentence_score("a b c d", ["a b c d"]),
        "padding": lambda bleu: bleu.corpus_score(padded, padded),
        "script": lambda bleu: bleu.corpus_score([chinese] * 20, [[chinese] * 20]),
        "functions": lambda bleu: corpus_bleu([chinese] * 20, [[chinese] * 20], tokenize=bleu.tokenizer.name),
        "language": lambda bleu: bleu.statistics(["ข้อความ"], [["ข้อความ"]], languages=["th"]),
    }
    for _ in range(20):
        monkeypatch.setattr("fastbleu.functions._Warnings.has_advised", False)
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
