"""GLEU over rows of counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.counting.matcher import Matcher
from fastbleu.scoring.gleu import corpus_gleu
from fastbleu.tokenizers.names import get_tokenizer
from tests.support import nltk_oracle


def matcher(max_len: int) -> Matcher:
    return Matcher(get_tokenizer("none"), max_ngram_order=max_len)


segments = st.lists(st.sampled_from("abc"), max_size=12)


@pytest.mark.slow
@given(
    corpus=st.lists(st.tuples(segments, st.lists(segments, max_size=4)), max_size=5),
    min_len=st.integers(1, 5),
    max_len=st.integers(1, 6),
)
def test_any_corpus_equals_the_oracle(
    corpus: list[tuple[list[str], list[list[str]]]], min_len: int, max_len: int
) -> None:
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    references = [some for _, some in corpus]
    found = corpus_gleu(matcher(max_len), references, hypotheses, min_len)
    assert found == nltk_oracle.corpus_gleu(references, hypotheses, min_len, max_len)
    assert isinstance(found, float)


def test_the_reference_with_the_highest_score_counts() -> None:
    hypothesis, short, long = list("abcd"), list("ab"), list("abcdefgh")
    # 3 of max(10, 3) n-grams; 10 of max(10, 26).
    assert corpus_gleu(matcher(4), [[short]], [hypothesis]) == 3 / 10
    assert corpus_gleu(matcher(4), [[long]], [hypothesis]) == 10 / 26
    assert corpus_gleu(matcher(4), [[short, long]], [hypothesis]) == 10 / 26
    # Of two that are equal, 1 of 1 and 2 of 2, the first gives its numbers to the sum.
    sum_of_first = corpus_gleu(matcher(1), [[["a"], ["a"]], [["x"] * 3]], [["a"], ["y"]])
    assert sum_of_first == 1 / 4
