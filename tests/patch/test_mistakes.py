"""Likely mistakes in calls of peers: the report names each with its line, and no number changes."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fastbleu import errors, patch
from fastbleu.patch import mistakes
from tests.support.processes import python

WORDS = ["the", "cat", "sat", "on", "the", "mat"]


@pytest.fixture
def sacrebleu() -> Any:
    return pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")


@pytest.fixture(autouse=True)
def _as_with_a_report(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(errors, "observer", mistakes.add_mistake)
    mistakes.mistakes.clear()
    yield
    mistakes.mistakes.clear()


def found(call: Callable[[], Any]) -> list[str]:
    """The messages of the mistakes in a call, which has its number without the patch, too."""
    mistakes.mistakes.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        without = str(call())
        with patch.install():
            assert str(call()) == without
            made = patch.report().mistakes
    first = call.__code__.co_firstlineno
    for mistake in made:
        assert (mistake.file, mistake.line) == (__file__, first)
        assert str(mistake) == f"{__file__}:{first}: {mistake.message}"
    return [mistake.message for mistake in made]


@pytest.mark.slow
def test_sacrebleu(sacrebleu: Any) -> None:
    texts, more = (
        ["the cat sat on the mat", "it rained all day"],
        ["the cat sat on a mat", "it rained all night"],
    )
    corpus, single = sacrebleu.corpus_bleu, sacrebleu.sentence_bleu
    assert found(lambda: corpus(texts, [more])) == []
    assert found(lambda: single(texts[0], more[:1])) == []
    assert "references[0] is a bare str: " in found(lambda: corpus(texts, more))[0]
    assert "references look transposed" in found(lambda: corpus(texts, [[each] for each in more]))[0]
    assert "there are 2 hypotheses, but references[0] has 1" in found(lambda: corpus(texts, [more[:1]]))[0]
    assert found(lambda: corpus(texts[:1], [more[:1]])) == [mistakes.SINGLE]
    assert found(lambda: single(texts[0], more[:1], use_effective_order=False)) == [mistakes.SINGLE]
    (message,) = found(lambda: single("我昨天看了一部很好的電影", ["我昨天看了一部非常好的電影"]))
    assert message == mistakes.SCRIPT.format(name="13a", fitting="'zh'")
    assert found(lambda: single("我昨天看了電影", ["我昨天看了電影"], tokenize="zh")) == []


@pytest.mark.slow
def test_nltk() -> None:
    module = pytest.importorskip("nltk.translate.bleu_score", reason="NLTK is not installed")
    text = " ".join(WORDS)
    assert found(lambda: module.sentence_bleu([WORDS], WORDS)) == []
    assert "whose characters NLTK scores as tokens" in found(lambda: module.sentence_bleu([text], text))[0]
    assert "hypotheses[0] and its references" in found(lambda: module.corpus_bleu([[text]], [text]))[0]
    assert "references[0] is str: 'the'" in found(lambda: module.sentence_bleu(WORDS, WORDS))[0]


@pytest.mark.slow
def test_torchmetrics() -> None:
    text = pytest.importorskip("torchmetrics.text", reason="torchmetrics is not installed")

    def state(*update: Any) -> Any:
        metric = text.BLEUScore()
        metric.update(*update)
        return metric.numerator.tolist()

    with patch.install("torchmetrics"):
        assert state(["a b", "c"], [["a b"]]) == [2.0, 1.0, 0.0, 0.0]
        assert state("ab", [["a b"], ["b"]])[0] == 2.0
        first, second = (mistake.message for mistake in patch.report().mistakes)
    assert first == "there are 2 preds and 1 targets; torchmetrics truncates the longer list"
    assert second.startswith("preds is a bare str")


@pytest.mark.usefixtures("sacrebleu")
def test_without_a_report_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import sacrebleu as peer

    monkeypatch.setattr(errors, "observer", None)
    monkeypatch.setattr("fastbleu.tokenizers.scripts.fitting_tokenizer", None)
    with patch.install("sacrebleu"):
        peer.sentence_bleu(
            "我昨天看了一部很好的電影", ["我昨天看了一部非常好的電影"], use_effective_order=False
        )
        assert patch.report().mistakes == ()


def test_places_are_bounded() -> None:
    for line in range(200):
        mistakes.add_mistake("a mistake", "program.py", line)
    assert len(mistakes.mistakes) == 100


@pytest.mark.slow
@pytest.mark.usefixtures("sacrebleu")
def test_the_report_of_an_environment_variable() -> None:
    program = (
        "import fastbleu.patch as p; p.install(); import sacrebleu; sacrebleu.corpus_bleu(['a b'], ['a b'])"
    )
    done = python("-W", "ignore", "-c", program, FASTBLEU_PATCH_REPORT="1")
    assert "<string>:1: references[0] is a bare str: 'a b'" in done.stderr
