"""`fastbleu.compat.evaluate` against the live peers: `evaluate` itself, bleuscore, sacreBLEU and NLTK."""

import itertools
import multiprocessing
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastbleu.compat import evaluate
from fastbleu.compat.evaluate import compute, compute_chrf, compute_google_bleu, compute_sacrebleu
from tests.support.compared import compared
from tests.support.evaluate_corpora import ORDERS, P, R
from tests.support.evaluate_modules import PEERS, google_bleu_module, peer_module, sacrebleu_module
from tests.support.nmt_oracle import outcome
from tests.support.random_corpora import random_texts
from tests.support.refusals import argument_error

# --- bleuscore ----------------------------------------------------------------------------------------------------

bleuscore = pytest.importorskip("bleuscore", reason="bleuscore is not installed")

# Where bleuscore 0.2.0 leaves the published formula:
# - it does not split at U+001C..U+001F, which Python takes for white space;
# - where the references have no token, its ratio is infinite or NaN, its penalty 1.0, and its score may be 1.0;
# - it adds logarithms up before it divides by the order, so that the last digit may be another one.
NO_SPACE = str.maketrans(dict.fromkeys("\x1c\x1d\x1e\x1f", " "))


def utf8(text: str) -> bool:
    """Return whether a Rust program can read it: no lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def test_bleuscore_on_random_corpora() -> None:
    generator = random.Random(20)
    for _ in range(500):
        predictions, references = random_texts(generator)
        if not all(map(utf8, itertools.chain(predictions, *references))):
            continue
        predictions = [text.translate(NO_SPACE) for text in predictions]
        references = [[text.translate(NO_SPACE) for text in texts] for texts in references]
        for order, smooth in itertools.product(ORDERS, (False, True)):
            options = {"max_order": order, "smooth": smooth}
            result = outcome(compute, predictions=predictions, references=references, **options)
            theirs = bleuscore.compute(references, predictions, **options)
            compared("bleuscore 0.2.0")
            if result is ZeroDivisionError:
                # bleuscore divides floats as Rust does.
                assert theirs["translation_length"] == 0 or theirs["reference_length"] == 0
            else:
                assert theirs == {**result, "bleu": theirs["bleu"]}
                assert theirs["bleu"] == pytest.approx(result["bleu"], rel=1e-12, abs=0)


@pytest.mark.parametrize("tokenize", [None, "13a", "none", "char", "zh", "intl"])
@pytest.mark.parametrize(
    ("method", "value"),
    [("exp", None), ("none", None), ("floor", None), ("floor", 0.25), ("add-k", None), ("add-k", 2)],
)
def test_sacrebleu(tokenize: str | None, method: str, value: float | None) -> None:
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    generator = random.Random(21)
    for lowercase, effective, _ in itertools.product((False, True), (False, True), range(8)):
        options = {"smooth_method": method, "smooth_value": value, "tokenize": tokenize, "force": True}
        options |= {"lowercase": lowercase, "use_effective_order": effective}
        predictions, references = random_texts(generator)
        references = [texts[: min(map(len, references))] for texts in references]
        for given in (references, [texts[0] for texts in references]):
            result = compute_sacrebleu(predictions=predictions, references=given, **options)
            assert result == sacrebleu_module(predictions, given, **options)


def test_google_bleu() -> None:
    pytest.importorskip("nltk", reason="NLTK is not installed")
    generator = random.Random(22)
    for _ in range(75):
        predictions, references = random_texts(generator)
        for min_len, max_len in itertools.combinations_with_replacement(range(1, 7), 2):
            options = {"min_len": min_len, "max_len": max_len}
            result = compute_google_bleu(predictions=predictions, references=references, **options)
            assert result == google_bleu_module(predictions, references, **options)


FUNCTIONS: dict[str, Any] = {
    "bleu": compute,
    "sacrebleu": compute_sacrebleu,
    "google_bleu": compute_google_bleu,
    "chrf": compute_chrf,
}
PAIRS = [[texts[0], texts[-1]] for texts in R]


@pytest.fixture(scope="module")
def peer() -> Any:
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
def test_modules(load: Callable[[str], Any], tmp_path: Path, name: str) -> None:
    modules = ours, theirs = load(name), peer_module(name, tmp_path)
    # `evaluate` derives the name from that of the class, `ChrF`.
    expected_name = "chr_f" if name == "chrf" else name
    assert (ours.name, ours.module_type) == (theirs.name, "metric") == (expected_name, "metric")
    assert ours.features == theirs.features
    assert len(ours) == len(theirs) == 0
    expected = FUNCTIONS[name](predictions=P, references=PAIRS)
    flat = [texts[0] for texts in R]
    expected_flat = FUNCTIONS[name](predictions=P, references=flat)
    for module in modules:
        assert module.compute(predictions=P, references=PAIRS) == expected
        assert module.compute(predictions=P, references=flat) == expected_flat
        for prediction, texts in zip(P, PAIRS, strict=True):
            module.add(prediction=prediction, reference=texts)
        assert len(module) == 3
        assert module.compute() == expected
        module.add_batch(predictions=P[:1], references=PAIRS[:1])
        module.add_batch(predictions=P[1:], references=PAIRS[1:])
        assert module.compute() == expected
        module.add(predictions=P[0], references=PAIRS[0])
        assert module.compute(predictions=P[1:], references=PAIRS[1:]) == expected
    ours.add(prediction=P[0], reference=flat[0])  # both forms of references, one after the other
    with argument_error(TypeError, "predictions[1]"):
        ours.add_batch(predictions=["a", None], references=["a", "b"])
    ours.add_batch(predictions=P[1:], references=[[text] for text in flat[1:]])
    assert ours.compute() == expected_flat


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
        "chrf": [
            {"word_order": 2},
            {"lowercase": True, "beta": 3},
            {"whitespace": True, "eps_smoothing": True},
        ],
    }
    for _ in range(8):
        predictions, references = random_texts(generator)
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
    names = {"bleu", "bleu_precisions", "sacrebleu_score", "sacrebleu_precisions", "google_bleu"}
    assert names <= set(result)
    for combined in (ours, theirs):
        for prediction, texts in zip(P, PAIRS, strict=True):
            combined.add(prediction, texts)
        combined.add_batch(P, PAIRS)
    assert ours.compute() == theirs.compute()
    mixed = peer.combine({"a": load("bleu"), "b": peer_module("bleu", tmp_path)}, force_prefix=True)
    result = mixed.compute(**given)
    assert result["a_bleu"] == result["b_bleu"] == compute(**given)["bleu"]


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


def test_load_in_the_place_of_theirs(
    peer: Any, load: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluate.load = fastbleu.compat.evaluate.load`, and then a metric that is theirs."""
    script = tmp_path / "constant.py"
    script.write_text("import evaluate\n\nclass Constant(evaluate.Metric):\n    _info = None\n", "utf-8")
    monkeypatch.setattr(peer, "load", evaluate.load)
    monkeypatch.setattr(peer, "combine", evaluate.combine)
    with pytest.raises(TypeError, match="NoneType"):
        peer.load(str(script), cache_dir=str(tmp_path))
    assert scored(peer.combine([load("bleu")]))["bleu"] == scored(load("bleu"))["bleu"]
    assert isinstance(load("google_bleu"), evaluate.EvaluationModule)
