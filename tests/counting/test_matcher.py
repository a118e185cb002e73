"""The options that decide tokens and lengths: single segments, and what tokens they leave alone."""

import pickle
from typing import Any

import pytest

from fastbleu import TokenIds
from fastbleu.counting.corpus import read_corpus
from fastbleu.counting.matcher import Matcher
from fastbleu.tokenizers.names import get_tokenizer
from tests.support.matchers import matcher


def test_a_matcher_pickles() -> None:
    copy = pickle.loads(pickle.dumps(matcher(2, "shortest")))
    assert copy.count_one("a b", ["a b", "b"]) == ([2, 1, 2, 1, 2, 1], 0, 2)


@pytest.mark.parametrize("options", [("13a", False), ("none", True), (str.split, False)])
def test_tokens_and_ids_are_left_alone_or_refused(options: tuple[Any, bool]) -> None:
    counting = Matcher(get_tokenizer(options[0]), options[1])
    needed = r"need tokenize='none' and lowercase=False, not tokenize='.*' and lowercase=(True|False)$"
    text = r"is list: \['a'\], where a str is expected; sequences of tokens"
    ids = TokenIds([[1]])
    for use, words in (
        (lambda: counting.count_one(["a"], [["a"]]), f"^hypothesis {text} {needed}"),
        (lambda: read_corpus(counting, [["a"]], [[["a"]]]), rf"^hypotheses\[0\] {text} {needed}"),
        (lambda: counting.prepare([[None, ["a"]]]), rf"^references\[0\]\[1\] {text} {needed}"),
        (lambda: counting.prepare_segments([[["a"]]]), rf"^references\[0\]\[0\] {text} {needed}"),
        (
            lambda: read_corpus(counting, [["a b"]], [["a b"]]),
            r"^hypotheses\[0\] is a list of one text, 'a b'; pass the text itself$",
        ),
        (lambda: counting.prepare(ids), f"^references are token ids, which {needed}"),
        (lambda: read_corpus(counting, ids, [[[1]]]), f"^hypotheses are token ids, which {needed}"),
        (lambda: read_corpus(counting, ["a"], ids), f"^references are token ids, which {needed}"),
    ):
        with pytest.raises(ValueError, match=words):
            use()


@pytest.mark.parametrize("name", ["none", "13a", str.split])
def test_one_segment(name: Any) -> None:
    counting = matcher(1, name=name)
    assert counting.count_one("a b", ["a", None, "b c d"]) == ([2, 1, 2, 2], 0, 2)
    for hypothesis, references, words in (
        (7, ["a"], "^hypothesis must be a str, not int: 7$"),
        (None, ["a"], "^hypothesis must be a str, not NoneType: None$"),
        (TokenIds([[1]]), ["a"], r"^hypothesis must be one segment, such as ids\[0\], not TokenIds"),
        ("a", ["a", 7], r"^references\[1\] must be a str, not int: 7$"),
        ("a", "a", "^references must be a sequence of references, not a bare str: 'a'; pass .references.$"),
        ("a", [None], r"^references must hold at least one reference, got \[None\]$"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            counting.count_one(hypothesis, references)
