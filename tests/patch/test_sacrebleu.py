"""sacreBLEU with and without the patch: the same results of random calls and tokenizers, and the types are its own."""

import logging
import pickle
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

import sacrebleu
from sacrebleu.metrics.bleu import BLEU, BLEUScore
from sacrebleu.metrics.chrf import CHRF, CHRFScore
from sacrebleu.significance import PairedTest

from fastbleu import patch
from fastbleu.compat import sacrebleu as stand_in
from fastbleu.scoring.sacrebleu_statistics import BLEU_METHODS
from tests.support.patched_calls import calls_of
from tests.support.sacrebleu_calls import options_of_bleu, options_of_chrf, outcome, random_call

calls = partial(calls_of, "sacrebleu")

HYPOTHESES = ["the cat sat on the mat", "it rained all day"]
STREAMS = [["the cat is on the mat", "it rained all night"], ["a cat sat on the mat", "it poured"]]
LINES = [
    "It cost 1. ",
    "a-\nb<skipped>c",
    "&amp;lt;1,5&quot;",
    " \u3000中文，1.5。 x\n",
    "tokens  already . ",
    "",
]
MARKS = "ab1 2.,-&\n\t'<>!{[~`%$+@中。，Ä١\u00a0\u3000\u2028\x1c€½\ud800\U0001f600"
PIECES = [*MARKS, "<skipped>", "&quot;", "&amp;lt;", "1-a"]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "sacrebleu")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kind", "options_of"), [(BLEU, options_of_bleu), (CHRF, options_of_chrf)])
def test_random_calls(kind: Any, options_of: Any, seed: int) -> None:
    random = Random(1000 + seed)
    called = [random_call(random, options_of) for _ in range(400)]
    without = [outcome(kind, call) for call in called]
    with patch.install("sacrebleu"):
        before = calls()[0]
        with_patch = [outcome(kind, call) for call in called]
        assert calls()[0] - before > 300
    for call, theirs, ours in zip(called, without, with_patch, strict=True):
        assert ours[:2] == theirs[:2], call


def test_types_are_its_own() -> None:
    with patch.install("sacrebleu"):
        score = BLEU(references=STREAMS).corpus_score(HYPOTHESES, None)
        assert type(score) is BLEUScore
        assert score.counts == [9, 7, 4, 2]
        assert type(sacrebleu.sentence_bleu("a b", ["a b"])) is BLEUScore
        assert type(sacrebleu.sentence_chrf("a b", ["a b"])) is CHRFScore
        data = pickle.dumps((BLEU(references=STREAMS), CHRF(references=STREAMS)))
    assert b"fastbleu" not in data


def test_what_is_left_to_it() -> None:
    class Upper(BLEU):
        def _preprocess_segment(self, sent: str) -> str:
            return sent.upper()

    class Other(BLEU):
        def corpus_score(self, *_: object, **__: object) -> str:
            return "other"

    with patch.install("sacrebleu"):
        taken, left = calls(".corpus_score")
        assert Upper().corpus_score(["a b c d"], [["A b C d"]]).score == 100.00000000000004
        assert calls(".corpus_score") == (taken, left + 1)
        before = calls()
        assert Other().corpus_score() == "other"
        assert calls() == before


@pytest.mark.parametrize("kind", [BLEU, stand_in.BLEU])
@pytest.mark.parametrize("step", [step for step in BLEU_METHODS if not step.startswith("_check")])
def test_a_step_that_is_replaced_after_a_score_counts(
    kind: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the class, on a subclass and on an object."""
    replaced = {
        "_preprocess_segment": lambda *given: given[-1][:1],
        "_get_closest_ref_len": lambda *_: 7,
        "_compute_segment_statistics": lambda *_: [4, 4, 4, 3, 2, 1, 4, 3, 2, 1],
        "_extract_reference_info": lambda *_: {"ref_ngrams": {("a",): 1}, "ref_lens": [9]},
        "_extract_corpus_statistics": lambda *_: [[4, 9, 4, 3, 2, 1, 4, 3, 2, 1]],
        "_cache_references": lambda *_: [{"ref_ngrams": {("b",): 1}, "ref_lens": [3]}],
        "_aggregate_and_compute": lambda *_: BLEU.compute_bleu([4, 3, 2, 1], [4, 3, 2, 1], 4, 5),
        "_compute_score_from_stats": lambda *_: BLEU.compute_bleu([4, 3, 2, 1], [4, 3, 2, 1], 4, 6),
        "compute_bleu": staticmethod(lambda **_: SimpleNamespace(score=3.5)),
    }[step]
    hypotheses, streams = ["a b c d"], [["a b d e"]]

    def scores() -> list[float]:
        class Own(kind):  # type: ignore[misc]
            pass

        one, own, base = kind(), Own(), kind()
        found = [each.corpus_score(hypotheses, streams).score for each in (one, own, base)]
        with monkeypatch.context() as context:
            vars(one)[step] = getattr(replaced, "__func__", replaced)
            setattr(Own, step, replaced)
            found += [each.corpus_score(hypotheses, streams).score for each in (one, own, base)]
            context.setattr(kind, step, replaced)
            return [*found, base.corpus_score(hypotheses, streams).score]

    with patch.install("sacrebleu"):
        ours = scores()
    kind = BLEU
    assert ours == scores()
    assert ours[5] != ours[6]


@pytest.mark.parametrize("kind", [BLEU, stand_in.BLEU])
@pytest.mark.parametrize(
    "change",
    [
        lambda metric: metric._ref_cache.reverse(),
        lambda metric: metric._ref_cache.append(metric._ref_cache.pop(0)),
        lambda metric: metric._ref_cache.__setitem__(slice(1, None), []),
        lambda metric: metric._ref_cache[0].update(ref_lens=[9]),
        lambda metric: metric._ref_cache[0]["ref_ngrams"].clear(),
        lambda metric: setattr(metric, "lowercase", True),
        lambda metric: setattr(metric, "max_ngram_order", 2),
        lambda metric: setattr(metric, "tokenizer", type(metric)(tokenize="char").tokenizer),
    ],
)
def test_kept_references_that_are_changed_count(kind: Any, change: Any) -> None:
    def score(kind: Any) -> float:
        metric = kind(references=[["The cat sat on the mat.", "it rained all day long."]])
        hypotheses = ["the Cat sat on the mat", "It rained all day"]
        before = metric.corpus_score(hypotheses, None).score
        change(metric)
        score: float = metric.corpus_score(hypotheses, None).score
        assert before != score
        return score

    theirs = score(BLEU)
    with patch.install("sacrebleu"):
        assert score(kind) == theirs


@pytest.mark.parametrize("kind", [BLEU, stand_in.BLEU])
def test_a_resample_that_fails(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own, seen = kind._compute_score_from_stats, []

    def score(metric: Any, stats: list[int]) -> Any:
        seen.append(stats)
        return own(metric, stats) if len(seen) == 1 else 1 / 0

    monkeypatch.setattr(kind, "_compute_score_from_stats", score)
    metric = kind()
    with patch.install("sacrebleu"), pytest.raises(ZeroDivisionError):
        metric.corpus_score(HYPOTHESES, STREAMS, 5)
    assert (metric.n_bootstrap, metric.seed) == (5, None)


def test_significance() -> None:
    def compared() -> object:
        systems = [("a", HYPOTHESES * 20), ("b", [line[0] for line in zip(STREAMS[0] * 20, strict=True)])]
        streams = [stream * 20 for stream in STREAMS]
        metrics = {"BLEU": BLEU(references=streams), "CHRF": CHRF(references=streams)}
        signatures, scores = PairedTest(systems, metrics, None, "bs", n_samples=50)()
        return str(signatures), str(scores)

    without = compared()
    with patch.install("sacrebleu"):
        assert compared() == without
        assert calls("_extract_corpus_statistics")[0] >= 2


def test_misshapen_input_has_a_warning() -> None:
    with patch.install("sacrebleu"), pytest.warns(UserWarning, match="only the first segment was scored"):
        assert sacrebleu.corpus_bleu(["a", "b"], [["a"], ["b"]]).sys_len == 1


def tokenizer(name: str) -> Any:
    made: Any = BLEU(tokenize=name).tokenizer
    return type(made)()


@pytest.mark.parametrize("name", ["13a", "intl", "zh"])
def test_lines(name: str) -> None:
    random = Random(name)
    lines = LINES + [
        "".join(random.choices(PIECES, k=random.choice([1, 2, 3, 5, 9, 20]))) for _ in range(2000)
    ]
    without = list(map(tokenizer(name), lines))
    with patch.install("sacrebleu"):
        taken, left = calls(".__call__")
        assert list(map(tokenizer(name), lines)) == without
        assert calls(".__call__") == (taken + len(set(lines)), left)


def test_tokenizers_that_are_left_alone() -> None:
    changed, remembers = tokenizer("13a"), tokenizer("13a")
    changed.other = None
    assert remembers("a.b!") == "a . b !"
    with patch.install("sacrebleu"):
        taken, left = calls(".__call__")
        assert (changed(LINES[0]), remembers("a.b!")) == ("It cost 1 .", "a . b !")
        with pytest.raises(AttributeError):
            tokenizer("13a")(None)
        assert calls(".__call__") == (taken, left + 2)
