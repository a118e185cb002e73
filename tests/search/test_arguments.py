"""Wrong arguments of search, and the errors about them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.search import Index, deduplicate, near_duplicates
from tests.support.refusals import refusal

INDEX = Index(["a b c", "a b"])
TOKENS = Index([["a"]], BLEU(tokenize="none"))
IDS = Index([[1, 2]], BLEU(tokenize="none"))

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "bare texts": (lambda: Index("a b"), "TypeError: texts must be a sequence of segments, not a bare str"),
    "None": (lambda: Index(None), "TypeError: texts must be a sequence of segments"),
    "None among texts": (lambda: Index(["a", None]), "TypeError: texts[1] must be a str"),
    "tokens that are tokenized": (lambda: Index([["a"]]), "ValueError: texts[0] is list"),
    "no metric": (lambda: Index([], "13a"), "TypeError: metric must be a fastbleu.BLEU"),
    "threads": (lambda: Index([], threads=0), "ValueError: threads must be at least 1"),
    "bare query": (
        lambda: INDEX.nearest("a"),
        "TypeError: queries must be a sequence of segments, not a bare",
    ),
    "wrong query": (lambda: INDEX.nearest(["a", 3]), "TypeError: queries[1] must be a str"),
    "tokens in text": (lambda: INDEX.nearest([["a"]]), "TypeError: queries[0] must be a str, not list"),
    "text in tokens": (lambda: TOKENS.nearest(["a"]), "TypeError: queries[0]"),
    "text in ids": (lambda: IDS.nearest(["a"]), "TypeError: queries[0]"),
    "k": (lambda: INDEX.nearest(["a"], k=0), "ValueError: k must be at least 1, got 0"),
    "k is a float": (lambda: INDEX.nearest(["a"], k=1.0), "TypeError: k must be an int"),
    "below 0": (
        lambda: INDEX.nearest(["a"], at_least=-1),
        "ValueError: at_least must be a score of 0..100, got -1",
    ),
    "NaN": (
        lambda: INDEX.nearest(["a"], at_least=math.nan),
        "ValueError: at_least must be a score of 0..100",
    ),
    "NLTK's scale": (
        lambda: INDEX.nearest(["a"], at_least=50, formula="nltk"),
        "ValueError: at_least must be a score of 0..1, got 50",
    ),
    "direction": (
        lambda: INDEX.nearest(["a"], direction="up"),
        "ValueError: direction must be one of query-as-hypothesis, query-as-reference, max, mean, min, harmonic-mean, ",
    ),
    "smoothing": (
        lambda: INDEX.nearest(["a"], smoothing="method1"),
        "ValueError: smoothing is for formula='nltk'",
    ),
    "method6": (
        lambda: INDEX.nearest(["a"], formula="nltk", smoothing="method6"),
        "ValueError: two texts have tokens in common, but no trigram",
    ),
    "threshold": (
        lambda: near_duplicates(["a"], 101),
        "ValueError: threshold must be a score of 0..100, got 101",
    ),
    "a name": (lambda: near_duplicates(["a"], "70"), "TypeError: threshold must be a number"),
    "combine": (
        lambda: deduplicate(["a"], combine="query-as-hypothesis"),
        "ValueError: combine must be one of max",
    ),
    "bare duplicates": (lambda: deduplicate("a"), "TypeError: texts must be a sequence of segments"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_named(name: str) -> None:
    call, message = REFUSED[name]
    assert refusal(call).startswith(message), refusal(call)


def test_an_index_stays_as_it_was_after_an_error() -> None:
    index = Index(["a b c d"])
    before = index.nearest(["a b c"], 3)
    with pytest.raises(TypeError, match=r"texts\[1\] must be a str"):
        index.add(["x y", 3])
    assert len(index) == 1
    assert index.nearest(["a b c"], 3).indices.tolist() == before.indices.tolist()


def test_an_empty_index_stays_empty_after_an_error() -> None:
    for tokenize, texts, message in (
        ("13a", [["a"]], "where a str is expected"),
        ("none", [["a", [1]]], "hashable"),
    ):
        index = Index([], BLEU(tokenize=tokenize))
        assert message in refusal(index.add, texts)
        index.add(["a b c d"])
        assert index.nearest(["a b c d"], k=1).indices.tolist() == [[0]]
