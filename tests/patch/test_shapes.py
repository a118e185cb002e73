"""Arguments of every shape, also such as can be read once: sacreBLEU's outcome, under the patch and in the stand-in.

The outcome is the score or the type of the error, and what the metric and its signature say afterwards.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.compat import sacrebleu as stand_in

sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
pytestmark = pytest.mark.slow

TEXTS = ["a b c d", "e f g h"]

SHAPES: dict[str, Callable[[], Any]] = {
    "list": lambda: list(TEXTS),
    "tuple": lambda: tuple(TEXTS),
    "own": lambda: type("Own", (list,), {})(TEXTS),
    "iterator": lambda: iter(TEXTS),
    "dict": lambda: dict.fromkeys(TEXTS),
    "bytes": lambda: [b"a b c d", b"e f g h"],
    "some bytes": lambda: ["a b c d", b"e f"],
    "None": lambda: ["a b c d", None],
    "int": lambda: ["a b c d", 3],
    "short": lambda: ["a b c d"],
    "none": list,
    "str": lambda: "ab",
    "one bytes": lambda: b"ab",
    "empty": lambda: ["", ""],
}


def outcome(kind: Any, options: dict[str, Any], score: Callable[[Any], float]) -> list[Any]:
    """Our errors are a TypeError where sacreBLEU's code happens on an AttributeError."""
    metric = kind(**options)
    found: list[Any] = []
    for ask in (score, lambda one: one.num_refs, lambda one: str(one.get_signature()).partition("|")[0]):
        try:
            found.append(ask(metric))
        except Exception as error:  # noqa: BLE001, PERF203  # any is an outcome
            wrong = (TypeError, AttributeError) if ask is score else Exception
            found.append("TypeError" if isinstance(error, wrong) else type(error).__name__)
    return found


def calls(options: dict[str, Any]) -> Iterator[tuple[Any, Callable[[Any], float]]]:
    for hypotheses, first, second in itertools.product(SHAPES, SHAPES, [None, *SHAPES]):

        def corpus(metric: Any, h: str = hypotheses, r: str = first, s: str | None = second) -> float:
            streams = [SHAPES[r](), *([] if s is None else [SHAPES[s]()])]
            return float(metric.corpus_score(SHAPES[h](), streams).score)

        yield (hypotheses, first, second), corpus
    for hypotheses, first in itertools.product(SHAPES, SHAPES):

        def cached(metric: Any, h: str = hypotheses, r: str = first) -> float:
            kept = type(metric)(**options, references=[SHAPES[r]()])
            return float(kept.corpus_score(SHAPES[h](), None).score)

        def resampled(metric: Any, h: str = hypotheses, r: str = first) -> float:
            return float(metric.corpus_score(SHAPES[h](), [SHAPES[r]()], n_bootstrap=2)._mean)

        yield (hypotheses, first, "cached"), cached
        yield (hypotheses, first, "resampled"), resampled
    for text, first in itertools.product(["a b c d", b"a b", None, 3, ["a"], ""], SHAPES):

        def sentence(metric: Any, h: Any = text, r: str = first) -> float:
            return float(metric.sentence_score(h, SHAPES[r]()).score)

        yield (text, first, "sentence"), sentence


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("BLEU", {"tokenize": "13a"}),
        ("BLEU", {"tokenize": "none"}),
        ("CHRF", {"word_order": 2}),
        ("CHRF", {"whitespace": True}),
    ],
)
def test_shapes(name: str, options: dict[str, Any]) -> None:
    of_peer, own = getattr(sacrebleu, name), getattr(stand_in, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = {repr(case): outcome(of_peer, options, call) for case, call in calls(options)}
        with patch.install("sacrebleu"):
            found = {repr(case): outcome(of_peer, options, call) for case, call in calls(options)}
        ours = {repr(case): outcome(own, options, call) for case, call in calls(options)}
    assert {case: each for case, each in found.items() if each != wanted[case]} == {}
    assert {case: each for case, each in ours.items() if each != wanted[case]} == {}
    assert len(wanted) > 3400
