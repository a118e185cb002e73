"""Texts and lists of subclasses: where their own methods answer, the peer's own code does."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from fastbleu import patch
from fastbleu.compat import sacrebleu as stand_in
from tests.support.attacks import Backwards, Cut

TEXTS = ["Tom &amp; Jerry &quot;sat&quot; on the mat", "the cat sat on the mat"]
OTHERS = ['Tom & Jerry "sat" on a mat', "a cat sat on the mat"]
TOKENS = [text.split() for text in TEXTS]


class Plain(str):
    __slots__ = ()

    def words(self) -> list[str]:
        return self.split()


class Escaped(str):
    """Text that stays of its kind, as markupsafe's does."""

    __slots__ = ()

    def rstrip(self, characters: str | None = None) -> Escaped:
        return Escaped(super().rstrip(characters))

    def replace(self, old: str, new: str, count: Any = -1) -> Escaped:
        return Escaped(super().replace(old.replace("&", "&amp;"), new, count))


class Named(list[Any]):
    name = "a list with an attribute"


class Empty(dict[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        return [""]


TEXT_KINDS = [str, Plain, np.str_, Cut, Escaped]
LIST_KINDS = [list, Named, Backwards]


def of_metric(metric: Any, texts: Any, others: list[str]) -> list[Any]:
    mixed: Any = [[*others[:1], *texts[1:]], texts]
    scores = [
        metric.corpus_score(texts, [OTHERS]),
        metric.corpus_score(TEXTS, mixed),
        metric.corpus_score(texts, type(texts)([OTHERS, TEXTS])),
        metric.corpus_score(texts, [OTHERS], n_bootstrap=3),
        metric.sentence_score(texts[0], OTHERS),
        metric.sentence_score(TEXTS[0], texts),
        type(metric)(references=mixed).corpus_score(TEXTS, None),
    ]
    return [score.score for score in scores]


def of_sacrebleu(texts: Any) -> Any:
    peer = import_module("sacrebleu")
    others = [peer.corpus_bleu(texts, [OTHERS]), peer.corpus_chrf(texts, [OTHERS])]
    return of_metric(peer.BLEU(), texts, OTHERS), [score.score for score in others]


def of_nltk(texts: Any) -> Any:
    bleu, gleu = map(import_module, ("nltk.translate.bleu_score", "nltk.translate.gleu_score"))
    segments = [type(texts)(text.split()) if type(text) is str else text for text in texts]
    smooth = bleu.SmoothingFunction().method1
    references: Any = type(texts)([TOKENS, segments])
    # From Python 3.12 on, two of NLTK's fractions that are not in their lowest terms are never equal.
    precision = bleu.modified_precision(segments, TOKENS[0], 1)
    return [
        bleu.sentence_bleu(segments, TOKENS[0], smoothing_function=smooth),
        bleu.sentence_bleu(TOKENS, segments[0], smoothing_function=smooth),
        bleu.corpus_bleu(references, segments, smoothing_function=smooth),
        (precision.numerator, precision.denominator),
        gleu.sentence_gleu(segments, TOKENS[0]),
        gleu.corpus_gleu(references, segments),
    ]


def of_pycocoevalcap(texts: Any) -> Any:
    captions = {k: [text] for k, text in enumerate(texts)}
    references = {k: [other] for k, other in enumerate(OTHERS)}
    scorer = import_module("pycocoevalcap.bleu.bleu").Bleu()
    kinds = [dict, Empty] if type(texts) is list else [dict]
    return [scorer.compute_score(kind(references), kind(captions), 0) for kind in kinds]


def of_fast_bleu(texts: Any) -> Any:
    lines = type(texts)(list(map(type(texts[0]), text.split())) for text in TEXTS)
    bleu = import_module("fast_bleu").BLEU(lines, {2: (0.5, 0.5)})
    return bleu.get_score(lines), bleu.get_score(texts)


@pytest.mark.parametrize("score", [of_sacrebleu, of_nltk, of_pycocoevalcap, of_fast_bleu])
@pytest.mark.parametrize(
    ("of_text", "of_list"),
    [*((each, list) for each in TEXT_KINDS), *((str, each) for each in LIST_KINDS[1:])],
)
def test_the_peer_answers_for_methods_of_a_subclass(
    score: Callable[[Any], Any], of_text: Any, of_list: Any
) -> None:
    peer = score.__name__.removeprefix("of_")
    pytest.importorskip(peer, reason=f"{peer} is not installed")
    texts = of_list(map(of_text, TEXTS))
    theirs = score(texts)
    with patch.install(peer):
        taken = sum(line.taken for line in patch.report())
        assert score(texts) == theirs
        taken = sum(line.taken for line in patch.report()) - taken
    if peer == "sacrebleu" and of_text in (str, Plain, np.str_) and of_list is not Backwards:
        assert taken >= 10


@pytest.mark.parametrize("kind", [*TEXT_KINDS[:-1], *LIST_KINDS[1:]])
def test_the_stand_in_calls_methods_of_a_subclass(kind: Any) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    texts: Any = kind(TEXTS) if issubclass(kind, list) else list(map(kind, TEXTS))
    theirs, ours = (of_metric(module.BLEU(), texts, OTHERS) for module in (sacrebleu, stand_in))
    assert ours == theirs
