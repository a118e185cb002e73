"""`fastbleu.compat.torchmetrics`: its scores, its tokens, what it takes and refuses, and what its metrics promise."""

import copy
import math
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for host in ("torch", "torchmetrics"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

import torch
from torchmetrics import Metric, MetricCollection

from fastbleu.compat.torchmetrics import (
    BLEUScore,
    CHRFScore,
    SacreBLEUScore,
    bleu_score,
    chrf_score,
    sacre_bleu_score,
)
from fastbleu.compat.torchmetrics.corpus_counter import CASE_MATTERS, TOKENIZERS
from fastbleu.tokenizers import _tokenize
from fastbleu.tokenizers._characters import character_class
from tests.support.refusals import argument_error

#: A metric's counts.
STATES = ("preds_len", "target_len", "numerator", "denominator")

P = ["The cat is on the mat.", "It rained all day long", ""]
T = [["There is a cat on the mat.", "A cat is on the mat."], ["It rained all night long"], ["Rain?", ""]]
# 13a: lengths 7 + 5 + 0; closest references 7 (of 8 and 7), 5 and 0.
ROW = [12, 12, 6 + 4, 5 + 2, 4 + 1, 3 + 0, 7 + 5, 6 + 4, 5 + 3, 4 + 2]
SCORE = (10 / 12 * 7 / 10 * 5 / 8 * 3 / 6) ** 0.25
SMOOTHED = (10 / 12 * 8 / 11 * 6 / 9 * 4 / 7) ** 0.25


def row_of(metric: Any) -> list[int]:
    for name in STATES:
        assert getattr(metric, name).dtype == torch.int64, name
        assert metric._defaults[name].dtype == torch.int64, name
    lengths = [metric.preds_len.item(), metric.target_len.item()]
    return [*lengths, *metric.numerator.tolist(), *metric.denominator.tolist()]


def updated(metric: Any) -> Any:
    metric.update(P, T)
    return metric


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-6, abs=0)


def test_values() -> None:
    assert sacre_bleu_score(P, T, 2, weights=torch.tensor([0.0, -1.0])).item() == near(10 / 7)
    assert bleu_score(["a b a"], [["a b"]], 2, weights=[0.0, -100_000.0]).item() == math.inf


@pytest.mark.slow
def test_lowercasing_changes_the_class_of_no_other_character() -> None:
    """Check what `CASE_MATTERS` rests on, with this interpreter's tables."""

    def is_ascii_mark(code: int) -> bool:
        return code < 128 and not chr(code).isalpha()

    def is_zh(code: int) -> bool:
        return len(_tokenize.tokenize(f"é{chr(code)}é", _tokenize.TOKENIZE_ZH)) == 3

    functions: dict[str, Callable[[int], object]] = {"zh": is_zh, "intl": character_class}
    functions |= {"space": lambda code: chr(code).isspace(), "ascii": is_ascii_mark}
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
    assert bleu_score(P[0], T[:1], 1) == bleu_score(P[:1], T[:1], 1) > 0


# Predictions and references, the error, and the value that it is about.
BAD_CORPORA: list[tuple[Any, Any, type[Exception], str]] = [
    (["a"], "a", TypeError, "target"),
    (None, [["a"]], TypeError, "preds"),
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
        for function in (bleu_score, chrf_score):
            with argument_error(error, place):
                function(preds, target)
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
    with pytest.warns(
        UserWarning, match=r"^preds\[1\] is not text and counts as empty; number of such texts: 1$"
    ):
        metric.update(["a", None, []], [["a"], ["b"], ["c"]])
    with pytest.warns(UserWarning, match=r"^target\[0\]\[1\] is not text .* empty; number of such texts: 2$"):
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


def test_errors_in_tokenizers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for tokenize in ("14a", None, ["13a"]):
        with pytest.raises(ValueError, match=r"^Unsupported tokenizer selected. Please, choose one of"):
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


@pytest.fixture
def metric() -> SacreBLEUScore:
    found = updated(SacreBLEUScore())
    assert row_of(found) == ROW
    assert isinstance(found, SacreBLEUScore)
    return found


def test_forward_that_synchronizes_on_every_step() -> None:
    metric = SacreBLEUScore(dist_sync_on_step=True)
    assert metric(P, T).item() == near(SCORE)
    assert row_of(metric) == ROW
    with pytest.raises(RuntimeError, match="dist_sync_on_step"):
        metric.merge_state(updated(SacreBLEUScore()))


def test_the_counts_of_processes_add_up(metric: SacreBLEUScore) -> None:
    """As `torch.distributed` gathers them from two processes."""

    def gathered(counts: torch.Tensor, group: Any) -> list[torch.Tensor]:  # noqa: ARG001  # torchmetrics' signature
        return [counts, counts]

    metric.sync(dist_sync_fn=gathered, distributed_available=lambda: True)
    assert row_of(metric) == [2 * count for count in ROW]
    metric.unsync()
    assert row_of(metric) == ROW


def test_merge_state(metric: SacreBLEUScore) -> None:
    assert metric.compute().item() == near(SCORE)
    other = SacreBLEUScore(smooth=True)
    other.update(["a b c d"], [["a b c e"]])
    row = row_of(other)
    metric.merge_state(other)
    expected = [a + b for a, b in zip(ROW, row, strict=True)]
    assert row_of(metric) == expected
    assert metric.compute() == sacre_bleu_score([*P, "a b c d"], [*T, ["a b c e"]])
    assert row_of(other) == row
    assert metric.update_count == 2
    words = BLEUScore()
    words.merge_state(SacreBLEUScore(tokenize="none"))
    metric.merge_state(other.metric_state)
    metric.merge_state({name: getattr(other, name).float() for name in STATES})
    assert row_of(metric) == [a + 3 * b for a, b in zip(ROW, row, strict=True)]


def test_merge_state_refuses_other_counts(metric: SacreBLEUScore) -> None:
    others = (SacreBLEUScore(n_gram=3), SacreBLEUScore(tokenize="zh"), SacreBLEUScore(lowercase=True))
    for other in (*others, BLEUScore()):
        with pytest.raises(ValueError, match="state of a metric with n_gram=4, tokenize='13a'"):
            metric.merge_state(other)
    with pytest.raises(ValueError, match="Expected incoming state to be a dict or an instance of Metric"):
        metric.merge_state([1])
    state = metric.metric_state
    for name, bad, message in (
        ("numerator", torch.tensor([1]), r"size mismatch for numerator: expected \[4\], got \[1\]"),
        ("preds_len", torch.tensor(-1), "preds_len must hold counts"),
        ("denominator", torch.tensor([1, 1, 1, math.nan]), "denominator must hold counts"),
        ("numerator", torch.tensor([1, 1, 1, 2.5]), "numerator must hold counts"),
    ):
        with pytest.raises(ValueError, match=message):
            metric.merge_state({**state, name: bad})
    del state["denominator"]
    with pytest.raises(ValueError, match="Expected state variable denominator to be present"):
        metric.merge_state(state)
    assert row_of(metric) == ROW


def test_counts_stay_exact_beyond_float32() -> None:
    """16,777,217 words of which one is missing: float32 cannot hold the difference."""
    metric = BLEUScore(n_gram=1).set_dtype(torch.float64)
    state = {"preds_len": 2**24 + 1, "target_len": 2**24, "numerator": [2**24], "denominator": [2**24 + 1]}
    metric.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    metric.update([], [])
    assert metric.compute().item() == 2**24 / (2**24 + 1)
    metric = BLEUScore(n_gram=1)
    huge = 2**53 + 1
    metric.merge_state({name: torch.tensor([huge] if name.endswith("ator") else huge) for name in STATES})
    for _ in range(3):
        metric(["a"], [["a"]])
    assert row_of(metric) == [huge + 3] * 4
    metric.set_dtype(torch.float16)
    assert row_of(copy.deepcopy(metric)) == [huge + 3] * 4
    assert metric.compute().item() == 1.0


def test_metric_collection() -> None:
    """torchmetrics lets metrics of one n_gram share their counts."""
    metrics = {
        "plain": SacreBLEUScore(),
        "smooth": SacreBLEUScore(smooth=True),
        "bigrams": SacreBLEUScore(n_gram=2),
    }
    collection = MetricCollection(metrics)
    assert collection(P[:1], T[:1])["bigrams"] == sacre_bleu_score(P[:1], T[:1], 2)
    collection.update(P[1:], T[1:])
    expected = {"plain": near(SCORE), "smooth": near(SMOOTHED), "bigrams": near((10 / 12 * 7 / 10) ** 0.5)}
    assert {name: value.item() for name, value in collection.compute().items()} == expected
    assert len(collection.compute_groups) == 2
    assert row_of(collection["smooth"]) == ROW


def test_plot(metric: SacreBLEUScore) -> None:
    matplotlib = pytest.importorskip("matplotlib", exc_type=ImportError)
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = metric.plot()
    assert axes.lines[0].get_ydata()[0] == near(SCORE)
    plt.close(figure)


def test_devices(metric: SacreBLEUScore) -> None:
    assert metric.to("cpu") is metric
    assert row_of(metric) == ROW
    assert metric.compute().device == metric.device == torch.device("cpu")
    empty: Any = SacreBLEUScore().to("meta")
    for name in STATES:
        assert (getattr(empty, name).device.type, empty._defaults[name].device.type) == ("meta", "meta")
        assert getattr(empty, name).dtype == torch.int64
    assert empty.device.type == "meta"


def test_set_dtype_changes_the_dtype_of_the_score(metric: SacreBLEUScore) -> None:
    module = torch.nn.Module()
    module.metric = metric
    for change in ("half", "double", "float", "bfloat16"):
        getattr(module, change)()
        getattr(metric, change)()
    module.to(dtype=torch.float64)
    assert row_of(metric.type(torch.float16)) == ROW
    for dtype in (torch.bfloat16, torch.float64):
        assert metric.set_dtype(dtype) is metric
        assert row_of(metric) == ROW
        assert metric.compute().dtype == metric.dtype == dtype
        metric.reset()
        assert metric(P, T).dtype == dtype
        assert row_of(metric) == ROW
    assert metric.compute().item() == pytest.approx(SCORE, rel=1e-15)
    metric.set_dtype(torch.int32)
    assert metric.compute().dtype == torch.float32
    assert metric.compute().item() == near(SCORE)
    assert row_of(metric) == ROW


@pytest.mark.parametrize("reset", [False, True])
def test_inference_mode(metric: SacreBLEUScore, reset: bool) -> None:
    """Trainers validate in inference_mode; what is made there must not be changed in place elsewhere."""
    with torch.inference_mode():
        if reset:
            metric.reset()
        metric(P, T)
    metric.update(P, T)
    assert metric(P, T).item() == near(SCORE)
    assert row_of(metric) == [(3 if reset else 4) * count for count in ROW]


@pytest.mark.parametrize(
    "copied", [lambda metric: pickle.loads(pickle.dumps(metric)), copy.deepcopy, Metric.clone]
)
def test_copies(copied: Callable[[Any], Any]) -> None:
    metric = updated(SacreBLEUScore(tokenize="intl", lowercase=True, weights=[1, 2, 3, 4]))
    row, other = row_of(metric), copied(metric)
    assert type(other) is type(metric)
    assert row_of(other) == row
    assert other.compute() == metric.compute()
    other(["A b c d e. "], [["a B c d f. "]])
    assert row_of(metric) == row != row_of(other)


def test_checkpoints_that_do_not_fit(metric: SacreBLEUScore) -> None:
    metric.persistent(True)
    state = metric.state_dict()
    with pytest.raises(RuntimeError, match=r"size mismatch for numerator: expected \[2\], got \[4\]"):
        SacreBLEUScore(n_gram=2).load_state_dict(state)
    with pytest.raises(RuntimeError, match="preds_len must hold counts"):
        metric.load_state_dict({**state, "preds_len": torch.tensor(math.inf)})
    metric.load_state_dict({})
    assert row_of(metric) == ROW


def test_a_forward_that_fails_changes_nothing() -> None:
    metric = BLEUScore(n_gram=2)
    metric(["the cat sat"], [["the cat is here"]])
    names = ("metric_state", "update_count", "_to_sync", "_should_unsync")
    before = [metric.compute(), *(getattr(metric, name) for name in names)]
    with pytest.raises(TypeError, match=r"^target\[0\]\[0\] must be a str"):
        metric(["the cat"], [[3]])
    assert [metric.compute(), *(getattr(metric, name) for name in names)] == before
    assert float(metric(["the cat"], [["the cat"]])) == 1


@pytest.mark.slow
def test_scripted_modules() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
        def __init__(self) -> None:
            super().__init__()
            self.metric = SacreBLEUScore()

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            return values + 1

    model, values = Model(), torch.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of torch.jit itself
        scripted = torch.jit.script(model)
        torch.jit.script(SacreBLEUScore())
    assert torch.equal(scripted(values), model(values))
    assert model.metric(P, T) == SacreBLEUScore()(P, T)


def test_chrf_as_a_metric() -> None:
    chrf = CHRFScore(2, 1, return_sentence_level_score=True)
    score, of_each = chrf(["ab cd"], [["ab ce", "x"]])
    chrf.update(["z"], [["ab"]])
    assert score.item() == of_each.item() == near((3 / 4 + 2 / 3 + 1 / 2) / 3)
    assert [getattr(chrf, name).item() for name in chrf._counts()] == [5, 4, 3, 3, 3, 2, 3, 2, 1]
    other = pickle.loads(pickle.dumps(chrf))
    other.merge_state(chrf)
    assert other.total_preds_char_1_grams.dtype == torch.int64
    assert other.total_preds_char_1_grams.item() == 10
    assert len(other.compute()[1]) == 4
    assert other.set_dtype(torch.float64).total_preds_char_1_grams.dtype == torch.int64
    with pytest.raises(ValueError, match=r"n_char_order=2.*n_char_order=6"):
        chrf.merge_state(CHRFScore())
    before = chrf.metric_state
    with pytest.raises(TypeError, match=r"target\[0\]\[1\] must be a str, not int: 3"):
        chrf(["a"], [["b", 3]])
    assert chrf.metric_state == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_char_order": 0}, ValueError, "`n_char_order` to be an integer greater than or equal to 1"),
        ({"n_word_order": -1}, ValueError, "`n_word_order` to be an integer greater than or equal to 0"),
        ({"beta": -1}, ValueError, "`beta` to be greater than 0"),
        ({"beta": "2"}, TypeError, "beta must be"),
        ({"lowercase": "no"}, TypeError, "lowercase must be"),
    ],
)
def test_options_of_chrf_that_are_refused(options: Any, error: type[Exception], message: str) -> None:
    for make in (CHRFScore, lambda **given: chrf_score(["a"], ["a"], **given)):
        with pytest.raises(error, match=message):
            make(**options)
