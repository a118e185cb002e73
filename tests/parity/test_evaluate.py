"""`fastbleu.compat.evaluate` against the live peers: `evaluate` itself, bleuscore, sacreBLEU and NLTK."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastbleu.compat import evaluate
from fastbleu.compat.evaluate import Tokenizer13a, compute, compute_google_bleu, compute_sacrebleu
from tests.support import oracle
from tests.support.compared import compared
from tests.support.evaluate_corpora import BAD_CORPORA, ORDERS, P, R, random_corpus
from tests.support.evaluate_modules import PEERS, google_bleu_module, peer_module, sacrebleu_module
from tests.support.nmt_oracle import outcome
from tests.support.refusals import argument_error

# --- bleuscore ----------------------------------------------------------------------------------------------------

bleuscore = pytest.importorskip("bleuscore", reason="bleuscore is not installed")

# Where bleuscore 0.2.0 leaves the published formula:
# - it does not split at U+001C..U+001F, which Python takes for white space;
# - where the references have no token, its ratio is infinite or NaN, its penalty 1.0, and its score may be 1.0;
# - it adds logarithms up before it divides by the order, so that the last digit may be another one.
NO_SPACE = str.maketrans(dict.fromkeys("\x1c\x1d\x1e\x1f", " "))


def same_as_bleuscore(
    predictions: list[str], references: list[list[str]], result: Any, **options: Any
) -> None:
    theirs = bleuscore.compute(references, predictions, **options)
    compared("bleuscore 0.2.0")
    if result is ZeroDivisionError:
        # bleuscore divides floats as Rust does.
        assert theirs["translation_length"] == 0 or theirs["reference_length"] == 0
    else:
        assert theirs == {**result, "bleu": theirs["bleu"]}
        assert theirs["bleu"] == pytest.approx(result["bleu"], rel=1e-12, abs=0)


def utf8(text: str) -> bool:
    """Return whether a Rust program can read it: no lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def test_bleuscore_on_random_corpora() -> None:
    generator = random.Random(20)
    for _ in range(2_000):
        predictions, references = random_corpus(generator)
        if not all(map(utf8, itertools.chain(predictions, *references))):
            continue
        predictions = [text.translate(NO_SPACE) for text in predictions]
        references = [[text.translate(NO_SPACE) for text in texts] for texts in references]
        for order, smooth in itertools.product(ORDERS, (False, True)):
            options = {"max_order": order, "smooth": smooth}
            result = outcome(compute, predictions=predictions, references=references, **options)
            same_as_bleuscore(predictions, references, result, **options)


def test_bleuscore_on_newstest(newstest: ModuleType) -> None:
    for pair in ("en-de", "de-en", "en-ru"):
        streams = list(newstest.references(pair).values())
        for number, predictions in itertools.product(
            range(1, len(streams) + 1), list(newstest.systems(pair).values())[:1]
        ):
            references = [list(texts) for texts in zip(*streams[:number], strict=True)]
            for order, smooth in ((4, False), (4, True), (1, False), (6, True)):
                result = compute(
                    predictions=predictions, references=references, max_order=order, smooth=smooth
                )
                same_as_bleuscore(predictions, references, result, max_order=order, smooth=smooth)


def test_where_bleuscore_leaves_the_formula() -> None:
    assert bleuscore.tokenizer_13a("a\x1cb") == ["a\x1cb"]
    assert Tokenizer13a()("a\x1cb") == oracle.tokenize_13a("a\x1cb") == ["a", "b"]
    assert bleuscore.compute([[""]], [""], smooth=True)["bleu"] == 1.0
    assert outcome(compute, predictions=[""], references=[[""]], smooth=True) is ZeroDivisionError
    assert bleuscore.compute([["a", ""]], ["a"], max_order=1)["bleu"] == 1.0
    assert outcome(compute, predictions=["a"], references=[["a", ""]], max_order=1) is ZeroDivisionError


# --- sacreBLEU and NLTK -------------------------------------------------------------------------------------------


SMOOTHING: list[dict[str, Any]] = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.25},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 2},
]


def sacrebleu_options() -> list[dict[str, Any]]:
    tokenizers = (None, "13a", "none", "char", "zh", "intl")
    return [
        {
            **smoothing,
            "tokenize": tokenize,
            "lowercase": lowercase,
            "use_effective_order": effective,
            "force": True,
        }
        for smoothing, tokenize, lowercase, effective in itertools.product(
            SMOOTHING, tokenizers, (False, True), (False, True)
        )
    ]


def test_sacrebleu() -> None:
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    generator = random.Random(21)
    for options, _ in itertools.product(sacrebleu_options(), range(8)):
        predictions, references = random_corpus(generator)
        references = [texts[: min(map(len, references))] for texts in references]
        result = compute_sacrebleu(predictions=predictions, references=references, **options)
        assert result == sacrebleu_module(predictions, references, **dict(options))
        flat = [texts[0] for texts in references]
        result = compute_sacrebleu(predictions=predictions, references=flat, **options)
        assert result == sacrebleu_module(predictions, flat, **dict(options))


def test_sacrebleu_on_newstest(newstest: ModuleType) -> None:
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    streams = list(newstest.references("en-de").values())
    predictions = next(iter(newstest.systems("en-de").values()))
    for number, chosen in ((1, SMOOTHING), (3, SMOOTHING[:2])):
        references = [list(texts) for texts in zip(*streams[:number], strict=True)]
        for options in chosen:
            result = compute_sacrebleu(predictions=predictions, references=references, **options)
            assert result == sacrebleu_module(predictions, references, **options)


def test_google_bleu() -> None:
    pytest.importorskip("nltk", reason="NLTK is not installed")
    generator = random.Random(22)
    for _ in range(300):
        predictions, references = random_corpus(generator)
        for min_len, max_len in itertools.combinations_with_replacement(range(1, 7), 2):
            options = {"min_len": min_len, "max_len": max_len}
            result = compute_google_bleu(predictions=predictions, references=references, **options)
            assert result == google_bleu_module(predictions, references, **options)


def test_google_bleu_on_newstest(newstest: ModuleType) -> None:
    pytest.importorskip("nltk", reason="NLTK is not installed")
    streams = list(newstest.references("en-de").values())
    predictions = next(iter(newstest.systems("en-de").values()))
    for number, options in itertools.product((1, 3), ({}, {"min_len": 2, "max_len": 6})):
        references = [list(texts) for texts in zip(*streams[:number], strict=True)]
        result = compute_google_bleu(predictions=predictions, references=references, **options)
        assert result == google_bleu_module(predictions, references, **options)


# --- The package evaluate itself ----------------------------------------------------------------------------------


FUNCTIONS: dict[str, Any] = {
    "bleu": compute,
    "sacrebleu": compute_sacrebleu,
    "google_bleu": compute_google_bleu,
}
PAIRS = [[texts[0], texts[-1]] for texts in R]


@pytest.fixture(scope="module")
def peer() -> Any:
    """The package, or a skip."""
    for needed in ("evaluate", "nltk", "sacrebleu"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    import evaluate as package

    return package


@pytest.fixture
def load(peer: Any, tmp_path: Path) -> Callable[[str], Any]:
    """Loads one of our modules; `evaluate` is installed."""

    def load_metric(name: str) -> Any:
        module = evaluate.load(name, cache_dir=str(tmp_path / "ours"))
        assert isinstance(module, peer.Metric)
        return module

    return load_metric


@pytest.mark.parametrize("name", PEERS)
def test_modules_are_metrics(peer: Any, load: Callable[[str], Any], tmp_path: Path, name: str) -> None:
    ours, theirs = load(name), peer_module(name, tmp_path)
    assert isinstance(ours, peer.Metric)
    assert isinstance(ours, peer.EvaluationModule)
    assert (ours.name, ours.module_type) == (theirs.name, "metric") == (name, "metric")
    assert ours.features == theirs.features
    assert ours._feature_names() == theirs._feature_names() == ["predictions", "references"]
    assert "references" in ours.inputs_description
    assert len(ours) == len(theirs) == 0


@pytest.mark.parametrize("name", PEERS)
def test_modules(load: Callable[[str], Any], tmp_path: Path, name: str) -> None:
    modules = load(name), peer_module(name, tmp_path)
    expected = FUNCTIONS[name](predictions=P, references=PAIRS)
    flat = [texts[0] for texts in R]
    for module in modules:
        assert module.compute(predictions=P, references=PAIRS) == expected
        assert module.compute(predictions=P, references=flat) == FUNCTIONS[name](
            predictions=P, references=flat
        )
        for prediction, texts in zip(P, PAIRS, strict=True):
            module.add(prediction=prediction, reference=texts)
        assert len(module) == 3
        assert module.compute() == expected
        module.add_batch(predictions=P[:1], references=PAIRS[:1])
        module.add_batch(predictions=P[1:], references=PAIRS[1:])
        assert module.compute() == expected
        module.add(predictions=P[0], references=PAIRS[0])
        assert module.compute(predictions=P[1:], references=PAIRS[1:]) == expected
        for prediction, text in zip(P, flat, strict=True):
            module.add(prediction=prediction, reference=text)
        assert module.compute() == FUNCTIONS[name](predictions=P, references=flat)


@pytest.mark.parametrize("name", PEERS)
def test_modules_on_random_corpora(load: Callable[[str], Any], tmp_path: Path, name: str) -> None:
    generator = random.Random(23)
    ours, theirs = load(name), peer_module(name, tmp_path)
    chosen: dict[str, list[dict[str, Any]]] = {
        "bleu": [{"max_order": 2}, {"smooth": True}, {}],
        "sacrebleu": [
            {"lowercase": True},
            {"tokenize": "intl"},
            {"smooth_method": "floor", "smooth_value": 0.5},
        ],
        "google_bleu": [{"min_len": 2}, {"max_len": 2}, {}],
    }
    for _ in range(8):
        predictions, references = random_corpus(generator)
        if not all(map(utf8, itertools.chain(predictions, *references))):
            continue
        references = [texts[: min(map(len, references))] for texts in references]
        for options in chosen[name]:
            given = {"predictions": predictions, "references": references, **options}
            result = outcome(ours.compute, **given)
            assert result == outcome(theirs.compute, **given) == outcome(FUNCTIONS[name], **given)


def test_combined_modules(peer: Any, load: Callable[[str], Any], tmp_path: Path) -> None:
    ours = peer.combine([load(name) for name in PEERS])
    theirs = peer.combine([peer_module(name, tmp_path) for name in PEERS])
    given = {"predictions": P, "references": PAIRS}
    result = ours.compute(**given)
    assert result == theirs.compute(**given)
    assert {"bleu", "bleu_precisions", "score", "sacrebleu_precisions", "google_bleu"} <= set(result)
    for combined in (ours, theirs):
        for prediction, texts in zip(P, PAIRS, strict=True):
            combined.add(prediction, texts)
        combined.add_batch(P, PAIRS)
    assert ours.compute() == theirs.compute()
    mixed = peer.combine({"a": load("bleu"), "b": peer_module("bleu", tmp_path)}, force_prefix=True)
    result = mixed.compute(**given)
    assert result["a_bleu"] == result["b_bleu"] == compute(**given)["bleu"]


@pytest.mark.parametrize("name", PEERS)
def test_two_modules_of_one_name(load: Callable[[str], Any], name: str) -> None:
    one, other = load(name), load(name)
    one.add(prediction="a b c d", reference="a b c d")
    other.add(prediction="a b c d", reference="a b c e")
    assert one.compute() == FUNCTIONS[name](predictions=["a b c d"], references=["a b c d"])
    assert other.compute() == FUNCTIONS[name](predictions=["a b c d"], references=["a b c e"])


def test_both_forms_of_references_one_after_the_other(load: Callable[[str], Any]) -> None:
    module = load("bleu")
    module.add(prediction="a b c d", reference="a b c d")
    module.add(prediction="e f", reference=["e f", "e"])
    module.add_batch(predictions=["g"], references=["g"])
    references = [["a b c d"], ["e f", "e"], ["g"]]
    assert module.compute() == compute(predictions=["a b c d", "e f", "g"], references=references)


def test_in_memory(peer: Any, tmp_path: Path) -> None:
    module = evaluate.load("bleu", cache_dir=str(tmp_path), keep_in_memory=True, revision="main")
    assert isinstance(module, peer.Metric)
    assert module.compute(predictions=P, references=R) == compute(predictions=P, references=R)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("case", range(1, len(BAD_CORPORA)))
def test_errors_of_modules(load: Callable[[str], Any], name: str, case: int) -> None:
    predictions, references, error, place = BAD_CORPORA[case]
    module = load(name)
    module.add(prediction="a b c d", reference="a b c d")
    with argument_error(error, place):
        module.add_batch(predictions=predictions, references=references)
    assert module.compute() == FUNCTIONS[name](predictions=["a b c d"], references=["a b c d"])


def scored(module: Any) -> Any:
    return module.compute(predictions=P, references=PAIRS)


@pytest.mark.parametrize("name", PEERS)
def test_modules_can_be_pickled(load: Callable[[str], Any], name: str) -> None:
    module = load(name)
    copy = pickle.loads(pickle.dumps(module))
    assert type(copy) is type(module)
    assert scored(copy) == scored(module) == scored(pickle.loads(pickle.dumps(copy)))
    copy.add(prediction=P[0], reference=PAIRS[0])
    assert (len(copy), len(module)) == (1, 0)
    assert copy.compute(predictions=P[1:], references=PAIRS[1:]) == scored(module)


@pytest.mark.nightly
@pytest.mark.parametrize("name", PEERS)
def test_modules_in_another_process(load: Callable[[str], Any], name: str) -> None:
    module = load(name)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(scored, [module, load(name)]) == [scored(module)] * 2


@pytest.mark.parametrize("name", PEERS)
def test_what_is_computed_at_once_needs_no_file(
    load: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module = load(name)
    expected = scored(module)
    with monkeypatch.context() as patched:
        patched.setattr(type(module), "_init_writer", None)
        assert scored(module) == expected
    module.add_batch(predictions=P[:2], references=PAIRS[:2])
    assert module.compute(predictions=P[2:], references=PAIRS[2:]) == expected
    assert not [path for path in tmp_path.rglob("*.arrow") if path.is_file()]


def test_load_in_the_place_of_theirs(
    peer: Any, load: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluate.load = fastbleu.compat.evaluate.load`, or the whole package, and then a metric that is theirs."""
    script = tmp_path / "constant.py"
    script.write_text(CONSTANT, encoding="utf-8")
    monkeypatch.setattr(peer, "load", evaluate.load)
    monkeypatch.setattr(peer, "combine", evaluate.combine)
    for _ in range(2):
        assert peer.load(str(script), cache_dir=str(tmp_path)).compute(
            predictions=["a"], references=["a"]
        ) == {"constant": 1}
        assert (
            peer.combine([load("bleu")]).compute(predictions=P, references=PAIRS)["bleu"]
            == scored(load("bleu"))["bleu"]
        )
        monkeypatch.setitem(sys.modules, "evaluate", evaluate)
    assert isinstance(load("google_bleu"), evaluate.EvaluationModule)


CONSTANT = """
import datasets
import evaluate

class Constant(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references):
        return {"constant": 1}
"""
