"""`fastbleu.compat.torchmetrics`: its scores, its tokens, and what it takes and refuses."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for host in ("torch", "torchmetrics"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

import torch

from fastbleu.compat.torchmetrics import BLEUScore, SacreBLEUScore, bleu_score, sacre_bleu_score
from fastbleu.compat.torchmetrics.counting import CASE_MATTERS, TOKENIZERS, CorpusCounter, SacreBLEUTokenizer
from fastbleu.tokenizers._characters import character_class, is_space, is_zh
from tests.support.refusals import argument_error
from tests.support.torchmetrics_corpora import (
    ROW,
    SCORE,
    SMOOTHED,
    P,
    T,
    near,
    row_of,
    updated,
)


def test_values() -> None:
    score = sacre_bleu_score(P, T)
    assert (score.dtype, score.shape, score.device.type) == (torch.float32, (), "cpu")
    assert score.item() == near(SCORE)
    assert sacre_bleu_score(P, T, smooth=True).item() == near(SMOOTHED)
    assert sacre_bleu_score(P, T, 1).item() == near(10 / 12)
    assert sacre_bleu_score(P, T, 2, weights=[0.25, 0.5]).item() == near((10 / 12) ** 0.25 * 0.7**0.5)
    assert sacre_bleu_score(P, T, 2, weights=(0, 0)).item() == 1.0
    assert sacre_bleu_score(P, T, 2, weights=torch.tensor([0.0, -1.0])).item() == near(10 / 7)
    assert bleu_score(P, T, 1).item() == near(9 / 11)
    assert bleu_score(["a b", "c"], ["a b d", ["c", "c"]], 1).item() == near(math.exp(1 - 4 / 3))
    assert bleu_score("a b", ["a c"], 1).item() == 0.5
    assert bleu_score(["a b a"], [["a b"]], 2, weights=[0.0, -100_000.0]).item() == math.inf


def test_the_first_of_two_closest_references() -> None:
    assert bleu_score(["a a a"], [["a a", "a a a a"]], 1).item() == near(2 / 3 + 1 / 3)
    assert bleu_score(["a a a"], [["a a a a", "a a"]], 1).item() == near(math.exp(1 - 4 / 3))


def test_an_order_without_a_match_is_zero_even_with_smoothing() -> None:
    for smooth in (False, True):
        assert bleu_score(["a b c e"], [["a b c d"]], smooth=smooth).item() == 0.0
        assert bleu_score(["a b c"], [["a b c"]], smooth=smooth).item() == 0.0
        assert bleu_score([], [], smooth=smooth).item() == 0.0


@pytest.mark.parametrize(
    ("name", "line", "lowercase", "tokens"),
    [
        ("13a", "A-\n", False, ["A"]),
        ("13a", "A-\nB", False, ["AB"]),
        ("13a", "&quot;A&QUOT;", True, ['"', "a", "&", "quot", ";"]),
        ("13a", "<SKIPPED>", True, ["<", "skipped", ">"]),
        ("13a", "ΑΣ.Α", True, ["ας", ".", "α"]),
        ("intl", "In 2021.", False, ["In", "2021."]),
        ("intl", "In 2021. ", False, ["In", "2021", "."]),
        ("char", "ΑΣ İ", True, ["α", "σ", "i\u0307"]),
        ("zh", "\u212a\u2126 \u212b", True, ["k", "ω", "å"]),
        ("zh", "5. ", False, ["5."]),
        ("none", " It's\n\u3000A. ", True, ["it's", "a."]),
    ],
)
def test_tokenizers(name: str, line: str, lowercase: bool, tokens: list[str]) -> None:
    tokenizer = SacreBLEUTokenizer(name, lowercase)
    assert tokenizer(line) == tokens
    assert repr(tokenizer) == f"SacreBLEUTokenizer({name!r}, lowercase={lowercase})"
    counter = CorpusCounter(tokenizer, 1)
    for preds, target in (
        ([line], [[line, ""]]),
        (["x", line], [["y"], [line]]),
        (["x", line], [["y", ""], [line]]),
    ):
        assert counter.count(preds, target)[2] == len(tokens)


@pytest.mark.slow
def test_lowercasing_changes_the_class_of_no_other_character() -> None:
    """Check what `CASE_MATTERS` rests on, with this interpreter's tables."""

    def is_ascii_mark(code: int) -> bool:
        return code < 128 and not chr(code).isalpha()

    functions: dict[str, Callable[[int], object]] = {"zh": is_zh, "intl": character_class}
    functions |= {"space": is_space, "ascii": is_ascii_mark}
    expanding, zh = set(), set()
    for character in map(chr, range(sys.maxunicode + 1)):
        lowered = character.lower()
        if len(lowered) > 1:
            expanding.add(character)
        elif lowered != character:
            changed = {name for name, of in functions.items() if of(ord(character)) != of(ord(lowered))}
            assert changed <= {"zh"}
            if changed:
                zh.add(character)
    assert expanding == {"\u0130"}
    assert zh == set("\u2126\u212a\u212b")
    assert expanding | zh | {"\u03a3"} == set(CASE_MATTERS["zh"])


def test_sequences_of_other_kinds() -> None:
    numpy = pytest.importorskip("numpy")
    for preds, target in (
        (tuple(P), tuple(map(tuple, T))),
        (iter(P), (iter(texts) for texts in T)),
        (dict.fromkeys(P).keys(), [dict.fromkeys(texts).keys() for texts in T]),
        (numpy.array(P), [numpy.array(texts) for texts in T]),
        (numpy.array(P, dtype=object), T),
    ):
        metric = SacreBLEUScore()
        metric(preds, target)
        assert row_of(metric) == ROW
    assert sacre_bleu_score(iter(P), (iter(texts) for texts in T)) == sacre_bleu_score(P, T)
    flat = [texts[0] for texts in T]
    assert bleu_score(P, iter(flat), 1) == bleu_score(P, [[text] for text in flat], 1)


# Predictions and references, the error, and the value that it is about.
BAD_CORPORA: list[tuple[Any, Any, type[Exception], str]] = [
    (["a"], "a", TypeError, "target"),
    (None, [["a"]], TypeError, "preds"),
    ({"a": 1}, [["a"]], TypeError, "preds"),
    (["a"], {"a"}, TypeError, "target"),
    (["a", 3], [["a"], ["b"]], TypeError, "preds[1]"),
    ([["a", "b"]], [["a"]], TypeError, "preds[0]"),
    (["a", "b"], [["a"], ["b", 3]], TypeError, "target[1][1]"),
    (["a", "b"], [["a"], {"b": 1}], TypeError, "target[1]"),
    (["a"], [[]], ValueError, "target[0]"),
    (["a", "b"], [["a"], iter(())], ValueError, "target[1]"),
]
BARE_STRINGS: list[tuple[Any, Any, type[Exception], str]] = [
    ("a", [["a"]], TypeError, "preds"),
    (["a"], ["a"], TypeError, "target[0]"),
]


@pytest.mark.parametrize("case", range(len(BAD_CORPORA) + len(BARE_STRINGS)))
def test_errors(case: int) -> None:
    preds, target, error, place = (BAD_CORPORA + BARE_STRINGS)[case]
    if case < len(BAD_CORPORA) and "iter" not in repr(target):
        with argument_error(error, place):
            bleu_score(preds, target)
    for tokenize, lowercase in (("13a", False), ("none", True), ("intl", False), ("char", True)):
        metric = updated(SacreBLEUScore(tokenize=tokenize, lowercase=lowercase))
        before = row_of(metric)
        if "iter" not in repr(target):
            with argument_error(error, place):
                metric(preds, target)
            with argument_error(error, place):
                sacre_bleu_score(preds, target, tokenize=tokenize, lowercase=lowercase)
            metric.reset()
            metric.update(P, T)
        with argument_error(error, place):
            metric.update(preds, target)
        assert row_of(metric) == before


def test_a_text_that_is_missing_counts_as_empty_with_a_warning() -> None:
    metric: Any = BLEUScore(n_gram=1)
    with pytest.warns(UserWarning, match=r"^preds\[1\] is not text and counts as empty$"):
        metric.update(["a", None, []], [["a"], ["b"], ["c"]])
    with pytest.warns(UserWarning, match=r"^target\[0\]\[1\] is not text .* empty, and 1 others do$"):
        metric.update(["a"], [["a", None, 0]])
    metric.update([[]], [["a", []]])  # an empty list is an empty text
    assert row_of(metric) == [2, 4, 2, 2]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_gram": 0}, ValueError, "n_gram must be at least 1, got 0"),
        ({"smooth": "no"}, TypeError, "smooth must be True or False, not str: 'no'"),
        ({"weights": [1.0]}, ValueError, "^List of weights has different weights than `n_gram`: 1 != 4$"),
        ({"weights": 0.25}, TypeError, "weights must be a sequence of numbers, not float"),
        ({"weights": [1, 1, 1, "1"]}, TypeError, r"weights\[3\] must be a number, not str"),
        ({"weights": [1, math.nan, 1, 1]}, ValueError, r"weights\[1\] must be finite, got nan"),
    ],
)
def test_errors_in_options(options: Any, error: type[Exception], message: str) -> None:
    for function in (bleu_score, sacre_bleu_score):
        with pytest.raises(error, match=message):
            function(["a"], [["a"]], **options)
    for metric in (BLEUScore, SacreBLEUScore):
        with pytest.raises(error, match=message):
            metric(**options)


def test_unequal_lengths() -> None:
    for call in (bleu_score, sacre_bleu_score, SacreBLEUScore().update):
        with pytest.raises(ValueError, match=r"^Corpus has different size 2 != 1$"):
            call(["a", "b"], [["a"]])


def test_errors_in_tokenizers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for tokenize in ("14a", None, ["13a"]):
        with pytest.raises(
            ValueError, match=r"^Unsupported tokenizer selected. Please, choose one of \['none'"
        ):
            SacreBLEUScore(tokenize=tokenize)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: `tokenise`"):
        BLEUScore(tokenise="13a")
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="flores200sacrebleuspm"):
        sacre_bleu_score(["a"], [["a"]], tokenize="flores200")
    monkeypatch.setitem(sys.modules, "mecab_ko", None)
    with pytest.raises(ImportError, match=r"fastbleu-metric\[ko\]"):
        SacreBLEUScore(tokenize="ko-mecab")
    assert len(TOKENIZERS) == 9


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["torch", "torchmetrics"])
def test_without_its_host(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; import fastbleu.compat.torchmetrics"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    options: Any = {"capture_output": True, "text": True, "env": environment}
    ran = subprocess.run([sys.executable, "-c", program], check=False, **options)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == (
        f"ImportError: fastbleu.compat.torchmetrics needs the module {missing!r}: "
        'pip install "fastbleu-metric[torchmetrics]"'
    )
