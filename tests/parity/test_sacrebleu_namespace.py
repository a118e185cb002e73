"""`compat.sacrebleu` against the installed sacreBLEU: random calls, misshapen ones too, and what stays of them."""

import inspect
import logging
from random import Random
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import _bootstrap_resample

from fastbleu.compat import sacrebleu as stand_in
from fastbleu.scoring.bootstrap import float32_resamples
from fastbleu.scoring.formula import Formula
from tests.support.sacrebleu_calls import options_of_bleu, options_of_chrf, outcome, random_call


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "sacrebleu")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("of_peer", "own", "options_of"),
    [(BLEU, stand_in.BLEU, options_of_bleu), (CHRF, stand_in.CHRF, options_of_chrf)],
)
def test_random_calls(of_peer: Any, own: Any, options_of: Any, seed: int) -> None:
    random = Random(seed)
    for _ in range(400):
        call = random_call(random, options_of)
        theirs, ours = outcome(of_peer, call), outcome(own, call)
        assert ours[:2] == theirs[:2], call
        if call.method == "corpus" and not ours.failed:
            assert ours.warnings == (not call.fits), call


def test_same_arguments_and_methods() -> None:
    functions = ("corpus_bleu", "sentence_bleu", "raw_corpus_bleu", "corpus_chrf", "sentence_chrf")
    for name in ("BLEU", "CHRF", *functions):
        given, expected = (
            [(p.name, p.default) for p in inspect.signature(getattr(module, name)).parameters.values()]
            for module in (stand_in, sacrebleu)
        )
        assert given == expected
    for pair in (stand_in.BLEU(), BLEU()), (stand_in.CHRF(), CHRF()):
        metrics: Any = pair
        scores = [each.corpus_score(["a b"], [["a b"]]) for each in metrics]
        signatures = [each.get_signature() for each in metrics]
        for ours_part, theirs_part in metrics, scores, signatures:
            names = [name for name in dir(theirs_part) if not name.startswith(("_abc", "__"))]
            assert not [name for name in names if not hasattr(ours_part, name)]
        ours_one, theirs_one = map(type, metrics)
        assert list(vars(ours_one())) == list(vars(theirs_one()))
    assert stand_in.BLEU.TOKENIZERS == BLEU.TOKENIZERS
    assert stand_in.BLEU.SMOOTH_DEFAULTS == BLEU.SMOOTH_DEFAULTS
    assert stand_in.__version__ == sacrebleu.__version__


def test_sums_beyond_what_float32_holds() -> None:
    random = Random(3)
    metric = BLEU(max_ngram_order=2)
    rows = [
        [9_999_991, 9_999_973, *random.choices(range(10**6, 10**7), k=2), 10**7, 10**7] for _ in range(40)
    ]
    for part in (rows, rows[:1], [[9, 8, 0, 0, 9, 8], [7, 9, 3, 1, 7, 6]] * 9):
        seed, theirs = _bootstrap_resample(part, metric, 50)
        expected = [score.score for score in theirs]
        found, sums = float32_resamples(part, 50)
        assert (found, [metric._compute_score_from_stats(row).score for row in sums]) == (seed, expected)
        assert Formula(2, "exp").score_float32_rows(sums).tolist() == expected
