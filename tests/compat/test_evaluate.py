"""`fastbleu.compat.evaluate` without any peer: its three functions, its tokenizer, and what it hands on."""

import itertools
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu.compat import evaluate, nltk
from fastbleu.compat.evaluate import (
    Tokenizer13a,
    compute,
    compute_chrf,
    compute_google_bleu,
    compute_sacrebleu,
)
from tests.support import nmt_oracle, oracle
from tests.support.alphabet import SPACES
from tests.support.evaluate_corpora import BAD_CORPORA, P, R, tokens_of
from tests.support.evaluate_modules import bleu_module
from tests.support.processes import printed_by
from tests.support.refusals import argument_error


@pytest.mark.parametrize("space", SPACES)
def test_tokens_around_white_space(space: str) -> None:
    for text in (f"{space}a-{space}", f"a-{space}\n", f"a-\n{space}", f"1{space}-\n", f"a.{space},b"):
        assert Tokenizer13a()(text) == oracle.TOKENIZERS["13a"](text)
        one = {"predictions": [text], "references": [[f"a{space}b", text]], "max_order": 2}
        assert compute(**one) == bleu_module([text], one["references"], 2)


def test_a_tokenizer_has_a_signature_and_takes_text() -> None:
    assert Tokenizer13a().signature() == "13a"
    with pytest.raises(TypeError, match="line must be a str, not int: 3"):
        Tokenizer13a()(3)


def test_inputs_of_other_kinds() -> None:
    expected = bleu_module(P, R)
    assert compute(predictions=P, references=R) == expected
    assert compute(predictions=tuple(P), references=tuple(map(tuple, R))) == expected
    arrays: Any = [np.array(texts_) for texts_ in R]
    assert compute(predictions=np.array(P), references=arrays) == expected
    assert compute(predictions=np.array(P, dtype=object), references=R) == expected
    square = [texts_[:1] * 2 for texts_ in R]
    assert compute(predictions=P, references=np.array(square)) == bleu_module(P, square)
    flat = [texts_[0] for texts_ in R]
    assert compute(predictions=P, references=flat) == bleu_module(P, [[text] for text in flat])
    assert compute(predictions=P, references=np.array(flat)) == bleu_module(P, [[text] for text in flat])


@pytest.mark.slow
def test_lone_surrogates_and_line_breaks_far_apart() -> None:
    assert compute(predictions=["\ud800 a"], references=["\udc00 a"], max_order=1)["bleu"] == 0.5
    predictions = ["a b c d"] * 9_999 + ["a b c d-\n"]
    references = [["a b c e"]] * 5_000 + [["a b c d-\n", "x"]] + [["a b c e"]] * 4_999
    assert compute(predictions=predictions, references=references) == bleu_module(predictions, references)


def test_no_tokens_are_a_division_by_zero() -> None:
    corpora: list[tuple[list[str], Any]] = [([" \n", ""], ["a b", "c"]), (["a"], [["a", "<skipped>"]])]
    for (predictions, references), smooth in itertools.product(corpora, (False, True)):
        with pytest.raises(ZeroDivisionError) as original:
            bleu_module(predictions, references, smooth=smooth)
        with pytest.raises(ZeroDivisionError, match=f"^{original.value}$"):
            compute(predictions=predictions, references=references, smooth=smooth)
    with pytest.raises(ZeroDivisionError):
        compute(predictions=[" "], references=["a"], tokenizer=str.split)
    assert compute(predictions=["", "a"], references=["b", "a"], max_order=1)["brevity_penalty"] == 1 / math.e


class Lowercasing(Tokenizer13a):
    def __call__(self, line: str) -> list[str]:
        return super().__call__(line.lower())


def test_a_tokenizer_of_ones_own() -> None:
    lowered = [text.lower() for text in P], [[text.lower() for text in texts_] for texts_ in R]
    assert compute(predictions=P, references=R, tokenizer=Lowercasing()) == bleu_module(*lowered)
    assert compute(predictions=P, references=R, tokenizer=Tokenizer13a().__call__) == bleu_module(P, R)
    for tokenizer in (list, lambda text: [ord(character) for character in text], str.splitlines):
        lists = [[tokenizer(text) for text in texts_] for texts_ in R]
        expected = nmt_oracle.compute_bleu(lists, [tokenizer(text) for text in P], 2)
        result = compute(predictions=P, references=R, tokenizer=tokenizer, max_order=2)
        assert result == nmt_oracle.named(expected)


FUNCTIONS: dict[str, Any] = {
    "bleu": compute,
    "sacrebleu": compute_sacrebleu,
    "google_bleu": compute_google_bleu,
    "chrf": compute_chrf,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("case", range(len(BAD_CORPORA)))
def test_errors(name: str, case: int) -> None:
    predictions, references, error, place = BAD_CORPORA[case]
    with argument_error(error, place):
        FUNCTIONS[name](predictions=predictions, references=references)
    if name in ("bleu", "google_bleu"):
        with argument_error(TypeError, "references[1][1]"):
            FUNCTIONS[name](predictions=["a", "b"], references=[["a"], ["b", None]])


BAD_TOKENIZERS: list[tuple[Any, str]] = [
    (lambda text: text, "tokenizer must return a sequence of tokens, but returned str: 'a' for str: 'a'"),
    (iter, "tokenizer must return a sequence of tokens, but returned"),
    (lambda text: [[text]], r"predictions\[0\]\[0\] must be a hashable token, not list"),
    ("13a", "tokenizer must be a callable from str to a sequence of tokens, not str: '13a'"),
]


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        *(("bleu", {"tokenizer": each}, TypeError, message) for each, message in BAD_TOKENIZERS),
        *(("google_bleu", {"tokenizer": each}, TypeError, message) for each, message in BAD_TOKENIZERS),
        ("bleu", {"max_order": 0}, ValueError, "max_order must be at least 1, got 0"),
        ("bleu", {"smooth": "no"}, TypeError, "smooth must be True or False, not str: 'no'"),
        ("google_bleu", {"max_len": -2}, ValueError, "max_len must be at least -1, got -2"),
        ("sacrebleu", {"smooth_method": "extra"}, ValueError, "smooth_method 'extra' is unknown"),
        ("sacrebleu", {"tokenize": "14a"}, ValueError, "tokenize '14a' is unknown"),
    ],
)
def test_errors_in_options(name: str, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        FUNCTIONS[name](predictions=["a"], references=["a"], **options)


def test_sacrebleu_leaves_out_references_that_are_none() -> None:
    with_none = compute_sacrebleu(predictions=["a b", "c"], references=[["a b", None], ["c", "c d"]])
    assert with_none["ref_len"] == 3
    with pytest.raises(ValueError, match="segment 1"):
        compute_sacrebleu(predictions=["a b", "c"], references=[["a b", None], [None, None]])
    with pytest.raises(ValueError, match=r"but references\[1\] has 2 and references\[0\] has 1"):
        compute_sacrebleu(predictions=["a", "b"], references=[["a"], ["b", "c"]])


def test_google_bleu_of_all_n_grams_and_of_none() -> None:
    for min_len in (1, 3):
        found = compute_google_bleu(predictions=P, references=R, min_len=min_len, max_len=-1)
        lists = [tokens_of(texts_) for texts_ in R]
        assert found == {"google_bleu": nltk.corpus_gleu(lists, tokens_of(P), min_len, 99)}
    bad: Any = [3]
    for min_len, max_len in ((2, 1), (1, 0), (9, 4), (50, 60)):
        options = {"min_len": min_len, "max_len": max_len}
        assert compute_google_bleu(predictions=P, references=R, **options) == {"google_bleu": 0.0}
        with argument_error(TypeError, "predictions[0]"):
            compute_google_bleu(predictions=bad, references=["a"], **options)


def test_what_needs_the_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="path must be a str, not int: 3"):
        evaluate.load(3)
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with pytest.raises(ImportError, match=r'pip install "fastbleu-metric\[evaluate\]"'):
        evaluate.load("bleu")
    with pytest.raises(ImportError, match="needs the module evaluate"):
        evaluate.combine(["bleu"])
    with pytest.raises(AttributeError, match="has no attribute 'list_evaluation_modules'"):
        _ = evaluate.list_evaluation_modules
    monkeypatch.setitem(sys.modules, "evaluate", evaluate)
    with pytest.raises(ImportError, match="which needs the package evaluate itself"):
        evaluate.load("bleu")


@pytest.mark.slow
def test_what_is_evaluates_own_is_handed_on(tmp_path: Path) -> None:
    host = pytest.importorskip("evaluate", reason="Hugging Face evaluate is not installed")
    assert evaluate.EvaluationModule is host.EvaluationModule
    google = evaluate.load("google_bleu", cache_dir=str(tmp_path))
    assert isinstance(google, evaluate.EvaluationModule)
    both = evaluate.combine({"one": "bleu", "two": google})
    found = both.compute(predictions=["it rained all day"], references=[["it rained all night"]])
    assert found["google_bleu"] == 0.6
    assert found["precisions"] == [0.75, 2 / 3, 0.5, 0.0]
    with pytest.raises(AttributeError):
        _ = evaluate._nothing_of_that_name


def test_importing_stays_cheap() -> None:
    program = (
        "import sys; before = set(sys.modules); import fastbleu.compat.evaluate, fastbleu.compat.nmt, "
        "fastbleu.compat.nlgmetricverse, fastbleu.compat.nltk; print(*sorted(set(sys.modules) - before))"
    )
    heavy = "numpy typing dataclasses re json logging evaluate datasets string fractions decimal"
    assert set(heavy.split()).isdisjoint(printed_by(program).split())
