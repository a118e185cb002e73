"""Programs like public ones, with the patch and without: the same results.

Each program holds names of sacreBLEU and NLTK in its own way: bound before the patch, in closures, or through private
methods. Each returns its results.
"""

import json
import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
pytest.importorskip("nltk", reason="NLTK is not installed")

import nltk
import nltk.translate.chrf_score
import sacrebleu
from nltk.translate.bleu_score import brevity_penalty, closest_ref_length, modified_precision
from sacrebleu import corpus_bleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.helpers import extract_all_word_ngrams

from fastbleu import patch
from tests.support.patched_calls import calls_of
from tests.support.processes import printed_by

SYSTEMS = [
    ["The cat sat on the mat.", "It rained all day, and all night.", "No", "He said: 'Well, 1.5 inches!'"],
    ["A cat sat on a mat.", "It was raining all day and night.", "", "He said 'well, 1.5 inches'."],
    ["The mat is under the cat.", "Rain, rain.", "No, no, no.", "He spoke of 1.5 inches of rain."],
]
REFERENCES = [
    ["The cat is on the mat.", "It rained day and night.", "No.", "He said: 'Well, 1.5 inches.'"],
    [
        "There is a cat on the mat.",
        "All day and all night it rained.",
        "No way",
        "'Well, 1.5 inches', he said.",
    ],
]
TOKENS = [[text.split() for text in system] for system in SYSTEMS]
REFERENCE_TOKENS = [[text.split() for text in stream] for stream in REFERENCES]

Program = Callable[[], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


_partial = partial(sacrebleu.sentence_bleu, smooth_method="add-k")


@program
def a_validation_metric() -> Any:
    """Keyword arguments chosen by the constructor's parameters, and the signature logged."""
    given = {"tokenize": "13a", "lowercase": True, "effective_order": False, "beam": 5}
    taken = BLEU.__init__.__code__.co_varnames
    metric = BLEU(**{name: value for name, value in given.items() if name in taken or name in vars(BLEU(""))})
    score = metric.corpus_score(hypotheses=SYSTEMS[0], references=[REFERENCES[0]])
    chrf = CHRF().corpus_score(SYSTEMS[0], REFERENCES)
    return score.score, str(metric.get_signature()), chrf.score


@program
def a_reranker_with_a_partial() -> Any:
    scores = [[_partial(system[i], [REFERENCES[0][i]]).score for system in SYSTEMS] for i in range(4)]
    return scores, [max(range(3), key=row.__getitem__) for row in scores]


@program
def a_bootstrap_over_cached_statistics() -> Any:
    metric = sacrebleu.BLEU()
    cached = metric._extract_corpus_statistics(SYSTEMS[0], REFERENCES)
    drawn = random.Random(1)
    sums = [[sum(column) for column in zip(*drawn.choices(cached, k=4), strict=True)] for _ in range(20)]
    return cached, [metric._compute_score_from_stats(each).score for each in sums]


@program
def counts_with_something_added() -> Any:
    score = corpus_bleu(SYSTEMS[0], REFERENCES)
    for n in range(1, 4):
        score.counts[n] += 1
        score.totals[n] += 1
    return BLEU.compute_bleu(
        score.counts, score.totals, score.sys_len, score.ref_len, smooth_method="exp"
    ).score


@program
def an_expectation_over_references() -> Any:
    metric = BLEU(effective_order=True)
    info = metric._cache_references([REFERENCES[0]])
    for each in info:
        for ngram in each["ref_ngrams"]:
            each["ref_ngrams"][ngram] *= 0.5
    ngrams, length = extract_all_word_ngrams(metric._preprocess_segment(SYSTEMS[0][0]), 1, 4)
    shared = sum(min(count, info[0]["ref_ngrams"][ngram]) for ngram, count in ngrams.items())
    again = metric._compute_segment_statistics(metric._preprocess_segment(SYSTEMS[0][0]), info[0])
    return shared, length, again[:2]


@program
def the_long_way_to_nltk() -> Any:
    smoothing = nltk.translate.bleu_score.SmoothingFunction()
    found = [
        nltk.translate.bleu_score.sentence_bleu(
            [reference], text, smoothing_function=getattr(smoothing, f"method{i}")
        )
        for i in (1, 2, 3, 4, 7)
        for reference, text in zip(REFERENCE_TOKENS[0], TOKENS[0], strict=True)
    ]
    return found, nltk.translate.bleu([REFERENCE_TOKENS[0][0]], TOKENS[0][0])


@program
def a_corpus_score_of_ones_own() -> Any:
    """Made of NLTK's parts, as programs do that change its formula."""
    matches, candidates, length, closest = [0] * 3, [0] * 3, 0, 0
    for references, text in zip(zip(*REFERENCE_TOKENS, strict=True), TOKENS[0], strict=True):
        for n in range(3):
            precision = modified_precision(references, text, n + 1)
            matches[n] += precision.numerator
            candidates[n] += precision.denominator
        length += len(text)
        closest += closest_ref_length(references, len(text))
    return matches, candidates, brevity_penalty(closest, length)


def run(name: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return repr(PROGRAMS[name]())


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "sacrebleu")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_with_and_without(name: str) -> None:
    without = run(name)
    with patch.install("sacrebleu", "nltk"):
        assert run(name) == without
    assert run(name) == without


def test_next_to_all_calls_are_answered() -> None:
    before = {peer: calls_of(peer) for peer in ("sacrebleu", "nltk")}
    with patch.install(*before):
        for name in PROGRAMS:
            run(name)
    added = [[new - old for new, old in zip(calls_of(peer), before[peer], strict=True)] for peer in before]
    assert sum(taken for taken, _ in added) > 50
    assert sum(left for _, left in added) < 30


SWAPPED = """
import json, logging, sys
from importlib import import_module
import fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
logging.disable(logging.CRITICAL)
programs = import_module("tests.patch.test_programs")
print(json.dumps({name: programs.run(name) for name in programs.PROGRAMS}))
"""


@pytest.mark.slow
def test_the_same_in_the_place_of_sacrebleu() -> None:
    assert json.loads(printed_by(SWAPPED, "-W", "error")) == {name: run(name) for name in PROGRAMS}
