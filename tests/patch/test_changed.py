"""A program's changes of a peer count, under the patch and in sacreBLEU's stand-in: the peer's own numbers come out.

The same changes are made in three processes: beside the peer alone, under the patch, and beside the stand-in.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")

SETTING = """
import json, sys, warnings
from contextlib import contextmanager
warnings.simplefilter("ignore")
H = ["the cat sat on the mat here", "it rained all day, 1-2."]
R = [["the cat is on the mat here", "it rained all night, 1-3."]]

@contextmanager
def changed(holder, name, value):
    # As a program does it, and back for the next case.
    before = getattr(holder, name) if name == "__code__" else vars(holder)[name]
    setattr(holder, name, value)
    try:
        yield
    finally:
        setattr(holder, name, before)

def outcome(case):
    try:
        return case()
    except Exception as error:
        return type(error).__name__

def report(cases):
    print(json.dumps({name: outcome(case) for name, case in cases.items()}))
"""

OF_SACREBLEU = (
    SETTING
    + """
if sys.argv[1] == "before":
    sys.argv[1] = "patch"
    import sacrebleu.tokenizers.tokenizer_13a as early
    early.Tokenizer13a.__call__ = lambda self, line: "a b c d"
if sys.argv[1] == "patch":
    import fastbleu.patch
    fastbleu.patch.install()
if sys.argv[1] == "stand-in":
    import fastbleu.compat.sacrebleu as sacrebleu
    sys.modules["sacrebleu"] = sacrebleu
import logging
logging.disable(logging.CRITICAL)
import sacrebleu
from sacrebleu.metrics import BLEU
import sacrebleu.metrics.bleu as module
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

def scores(metric):
    return metric.corpus_score(H, R).score, metric.sentence_score(H[0], [R[0][0]]).score

def method(name, value):
    def case():
        metric = BLEU()
        before = scores(metric)
        with changed(BLEU, name, value):
            return before, scores(metric), scores(BLEU())
    return case

def in_subclass(name, value):
    class Own(BLEU):
        pass
    def case():
        metric = Own()
        before = scores(metric)
        setattr(Own, name, value)
        return before, scores(metric)
    return case

def of_tokenizer(change, name="13a", kind=Tokenizer13a):
    def case():
        metric = BLEU(tokenize=name)
        metric.tokenizer = kind()
        change(metric.tokenizer)  # once it has scored, sacreBLEU goes on with the lines that it remembers
        return scores(metric)
    return case

def of_class(kind, name="13a", own=Tokenizer13a):
    def case():
        metric = BLEU(tokenize=name)
        metric.tokenizer = own()
        with changed(kind, "__call__", lambda self, line: "a b c d e"):
            return scores(metric)
    return case

class Upper:
    def __call__(self, line):
        return line.upper()

    def signature(self):
        return "upper"

def tokenizer_after_references(kind):
    def case():
        metric = BLEU()
        metric.tokenizer = kind()
        metric._ref_cache = metric._cache_references(R)
        with changed(kind, "__call__", lambda self, line: "the cat c d e"):
            return metric.corpus_score(H, None).score, metric._ref_cache[0]["ref_lens"]
    return case

def chinese():
    metric = BLEU(tokenize="zh")
    metric.tokenizer = TokenizerZh()
    with changed(TokenizerZh, "_is_chinese_char", staticmethod(lambda character: character in "abc")):
        return scores(metric)

def helper():
    with changed(module, "extract_all_word_ngrams", lambda line, least, most: (module_counter(x=1), 4)):
        return scores(BLEU())
from collections import Counter as module_counter

def failed_resample():
    def score(metric, stats, seen=[]):
        seen.append(stats)
        return own(metric, stats) if len(seen) == 1 else 1 / 0
    metric, own = BLEU(), BLEU._compute_score_from_stats
    with changed(BLEU, "_compute_score_from_stats", score):
        return outcome(lambda: metric.corpus_score(H, R, 5)), metric.n_bootstrap, metric.seed

def code():
    with changed(BLEU._preprocess_segment, "__code__", (lambda self, sent: "a b c d").__code__):
        return scores(BLEU())

def cache(change):
    def case():
        metric = BLEU(references=R)
        change(metric._ref_cache)
        return metric.corpus_score(H, None).score
    return case

def after_references(name, value):
    def case():
        metric = BLEU(references=R)
        before = metric.corpus_score(H, None).score
        setattr(metric, name, value)
        return before, metric.corpus_score(H, None).score
    return case

same = lambda self, *_: "a b c d"
cases = {
    **{name: method(name, value) for name, value in {
        "_preprocess_segment": same,
        "_compute_segment_statistics": lambda self, *_, **__: [4, 4, 4, 3, 2, 1, 4, 3, 2, 1],
        "_extract_reference_info": lambda self, refs: {"ref_ngrams": {}, "ref_lens": [3]},
        "_get_closest_ref_len": lambda self, *_: 99,
        "_aggregate_and_compute": lambda self, stats: self._compute_score_from_stats([4, 4, 4, 3, 2, 1, 4, 3, 2, 1]),
    }.items()},
    "subclass": in_subclass("_preprocess_segment", same),
    "closest length in a subclass": in_subclass("_get_closest_ref_len", lambda self, *_: 99),
    "post tokenizer": of_tokenizer(lambda t: setattr(t, "_post_tokenizer", lambda line: "a b c d")),
    "expressions": of_tokenizer(lambda t: t._post_tokenizer._re.clear()),
    "expressions of intl": of_tokenizer(lambda t: t._re.clear(), "intl", TokenizerV14International),
    "the class 13a": of_class(Tokenizer13a),
    "the class intl": of_class(TokenizerV14International, "intl", TokenizerV14International),
    "the class re": of_class(TokenizerRegexp),
    "13a after references": tokenizer_after_references(Tokenizer13a),
    "own tokenizer after references": tokenizer_after_references(Upper),
    "Chinese characters": chinese,
    "reverse": cache(lambda c: c.reverse()),
    "append and pop": cache(lambda c: (c.append(c[0]), c.pop(0))),
    "slice": cache(lambda c: c.__setitem__(slice(0, 1), [c[1]])),
    "lengths": cache(lambda c: c[0].__setitem__("ref_lens", [9])),
    "ngrams": cache(lambda c: c[0]["ref_ngrams"].clear()),
    "lowercase": after_references("lowercase", True),
    "order": after_references("max_ngram_order", 2),
    "tokenizer": after_references("tokenizer", lambda line: "a b c d"),
    "helper": helper,
    "failed resample": failed_resample,
    "code": code,
}
report(cases)
"""
)

OF_TORCHMETRICS = (
    SETTING
    + """
if sys.argv[1] == "patch":
    import fastbleu.patch
    fastbleu.patch.install()
import torch
from torchmetrics.text import BLEUScore, SacreBLEUScore
from torchmetrics.functional.text import sacre_bleu_score
from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer as Tokenizer
import torchmetrics.functional.text.bleu as module

def order():
    metric = BLEUScore()
    metric.n_gram = 1
    metric.update(H, [[each] for each in R[0]])
    return metric.compute().item()

def shape():
    metric = BLEUScore(n_gram=3)
    metric.numerator = torch.zeros(3, 2)
    metric.update(H, [[each] for each in R[0]])
    return metric.numerator.tolist(), metric.denominator.tolist()

def counted(metric, texts=H, references=[[each] for each in R[0]]):
    metric.update(texts, references)
    return metric.numerator.tolist(), metric.denominator.tolist(), metric.preds_len.item()

def helper():
    with changed(module, "_count_ngram", lambda tokens, n: module.Counter({("a",): 2})):
        return counted(BLEUScore())

def code():
    with changed(module._tokenize_fn, "__code__", (lambda sentence: ["a"]).__code__):
        return counted(BLEUScore())

def of_class(name, value):
    def case():
        with changed(Tokenizer, name, value):
            return counted(SacreBLEUScore()), sacre_bleu_score(H, [[each] for each in R[0]]).item()
    return case

def of_metric(change, kind=SacreBLEUScore):
    def case():
        metric = kind()
        change(metric)
        return counted(metric)
    return case

def lines():
    yield from H

same = staticmethod(lambda *_: "a b c d")
report({
    "order": order,
    "shape": shape,
    "helper": helper,
    "code": code,
    "expressions": of_class("_REGEX", ()),
    "13a": of_class("_tokenize_13a", same),
    "lower": of_class("_lower", same),
    "call": of_class("__call__", lambda *_: ["a"]),
    "tokenize": of_class("tokenize", classmethod(lambda *_, **__: ["a"])),
    "function of a tokenizer": of_metric(lambda metric: setattr(metric.tokenizer, "tokenize_fn", str.upper)),
    "lowercase of a tokenizer": of_metric(lambda metric: setattr(metric.tokenizer, "lowercase", True)),
    "half": of_metric(lambda metric: metric.set_dtype(torch.float16), BLEUScore),
    "integers": of_metric(lambda metric: setattr(metric, "denominator", metric.denominator.long()), BLEUScore),
    "one tensor": of_metric(lambda metric: setattr(metric, "numerator", metric.denominator), BLEUScore),
    "iterators": lambda: counted(BLEUScore(), lines(), ([each] for each in R[0])),
    "iterators within": lambda: counted(BLEUScore(), H, [iter([each]) for each in R[0]]),
})
"""
)


def outcomes(*arguments: str) -> list[Any]:
    command = [sys.executable, "-m", "tests.support.attacks", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("peer", "way", "number"),
    [
        ("sacrebleu", "patch", 150),
        ("sacrebleu", "stand-in", 150),
        ("sacrebleu.compat", "patch", 150),
        ("sacrebleu.metrics.chrf", "patch", 150),
        ("sacrebleu.metrics.chrf", "stand-in", 150),
        ("sacrebleu.metrics", "patch", 150),
        ("mbrs", "patch", 60),
        ("evaluate", "patch", 20),
        ("nltk", "patch", 150),
        ("torchmetrics", "patch", 25),
        ("pycocoevalcap", "patch", 100),
        ("fast_bleu", "patch", 100),
    ],
)
def test_random_sequences_of_operations(peer: str, way: str, number: int) -> None:
    pytest.importorskip(peer)
    theirs, ours = (outcomes(peer, each, "0", str(number)) for each in ("peer", way))
    assert len(theirs) == number
    assert ours == theirs


def run(program: str, way: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", program, way], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("way", ["patch", "stand-in"])
def test_changes_of_sacrebleu(way: str) -> None:
    theirs, ours = run(OF_SACREBLEU, "peer"), run(OF_SACREBLEU, way)
    assert ours == {name: theirs[name] for name in ours}
    assert len(ours) >= 24


@pytest.mark.slow
def test_a_tokenizer_that_was_changed_before() -> None:
    found = run(OF_SACREBLEU, "before")
    assert found["reverse"] == pytest.approx(100)


@pytest.mark.slow
def test_changes_of_torchmetrics() -> None:
    pytest.importorskip("torchmetrics")
    assert run(OF_TORCHMETRICS, "patch") == run(OF_TORCHMETRICS, "peer")
