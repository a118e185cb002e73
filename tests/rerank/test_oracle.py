"""The best candidates by reference, compared with scoring each candidate, and every selection."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._text import text_column
from fastbleu.rerank import OracleSelection, Pools, oracle
from tests.support import rerank_oracle

texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join)
NONE = BLEU(tokenize="none", effective_order=True)

POOLS = [["the cat sat", "a cat sat down"], ["rain fell", "the rain, it fell", "no"], ["yes"]]
REFERENCES = [["the cat sat there"], ["rain falls", "the rain fell"], ["yes"]]


@st.composite
def sources(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    pools = draw(st.lists(st.lists(texts, min_size=1, max_size=4), min_size=1, max_size=4))
    return pools, [draw(st.lists(texts, min_size=1, max_size=3)) for _ in pools]


@pytest.mark.slow
@settings(deadline=None)
@given(sources(), st.sampled_from([1, 3]))
def test_sentence_level(given_sources: tuple[list[list[str]], list[list[str]]], threads: int) -> None:
    pools, references = given_sources
    found = oracle(pools, references, metric=NONE, threads=threads)
    assert isinstance(found, OracleSelection)
    scores = [
        [NONE.sentence_score(text, some).score for text in pool]
        for pool, some in zip(pools, references, strict=True)
    ]
    assert found.indices.tolist() == [rerank_oracle.best(some) for some in scores]
    assert found.utilities.tolist() == [max(some) for some in scores]
    whole = rerank_oracle.corpus_score(pools, references, found.indices.tolist(), tokenize="none")
    assert found.score.score == pytest.approx(whole, rel=1e-12)
    numbers = {len(some) for some in references}
    number = str(numbers.pop()) if len(numbers) == 1 else "var"
    assert str(found.score.signature).startswith(
        f"nrefs:{number}|case:mixed|eff:yes|tok:none|smooth:exp|version:2.6.0"
    )


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(sources())
def test_corpus_level(given_sources: tuple[list[list[str]], list[list[str]]]) -> None:
    pools, references = given_sources
    sentence = oracle(pools, references, metric=NONE)
    found = oracle(pools, references, "corpus", metric=NONE)
    reached = rerank_oracle.corpus_score(pools, references, found.indices.tolist(), tokenize="none")
    assert found.score.score == pytest.approx(reached, rel=1e-12)
    assert str(found.score.signature) == str(sentence.score.signature)
    assert found.score.score >= sentence.score.score
    assert found.utilities.tolist() == [
        pytest.approx(NONE.sentence_score(pool[j], some).score, rel=1e-12)
        for pool, some, j in zip(pools, references, found.indices.tolist(), strict=True)
    ]


@pytest.mark.parametrize("level", ["sentence", "corpus"])
def test_the_score_is_that_of_the_selection(level: str) -> None:
    for metric in (BLEU(lowercase=True, weights=(1, 1, 1, 0)), BLEU(smooth_method="floor")):
        found = oracle(POOLS, REFERENCES, level, metric=metric)
        chosen = [pool[j] for pool, j in zip(POOLS, found.indices.tolist(), strict=True)]
        score = metric.corpus_score(chosen, metric.prepare_segments(REFERENCES))
        for name in ("score", "counts", "totals", "ref_len"):
            assert getattr(found.score, name) == getattr(score, name)
        assert str(found.score.signature) == str(score.signature)
        assert found.utilities.tolist() == [
            metric.sentence_score(text, some).score for text, some in zip(chosen, REFERENCES, strict=True)
        ]


def test_ties_go_to_the_first() -> None:
    assert oracle([["b", "a b", "b a", "a b"]], ["a b"]).indices.tolist() == [1]
    assert oracle([["x", "y"]], ["z"], "corpus").indices.tolist() == [0]
    assert oracle([["a", "a"]], ["a"], "corpus").indices.tolist() == [0]


def assert_equal(found: OracleSelection, whole: OracleSelection) -> None:
    assert found.indices.tolist() == whole.indices.tolist()
    assert found.utilities.tolist() == whole.utilities.tolist()
    assert found.score.score == whole.score.score


@pytest.mark.parametrize("level", ["sentence", "corpus"])
def test_forms_of_references(level: str) -> None:
    whole = oracle(POOLS, REFERENCES, level)
    flat = [text for some in REFERENCES for text in some]
    metric = BLEU(effective_order=True)
    for references in (
        ["the cat sat there", ("rain falls", "the rain fell"), ["yes"]],
        ["the cat sat there", ["rain falls", None, "the rain fell"], np.array(["yes"], dtype=object)],
        [text_column(some) for some in REFERENCES],
        Pools(flat, offsets=[0, 1, 3, 4]),
        Pools(text_column(flat), offsets=[0, 1, 3, 4]),
    ):
        for threads in (1, 2):
            found = oracle(POOLS, references, level, metric=metric, threads=threads)
            assert_equal(found, whole)
            assert str(found.score.signature) == str(whole.score.signature)


ID_POOLS = [[[5, 6, 7], [5, 6, 9, 1]], [[7, 7], [300, 7, 1]]]
ID_REFERENCES = [[[5, 6, 9]], [[7, 300]]]


@pytest.mark.parametrize(
    "pools",
    [
        ID_POOLS,
        Pools([row for pool in ID_POOLS for row in pool], size=2),
        [[np.array(row) for row in pool] for pool in ID_POOLS],
        Pools(TokenIds([[5, 6, 7, 0], [5, 6, 9, 1], [7, 7, 0, 0], [300, 7, 1, 0]], pad_id=0), size=2),
    ],
)
@pytest.mark.parametrize(
    "references",
    [
        ID_REFERENCES,
        [np.array(some) for some in ID_REFERENCES],
        [np.array(some[0]) for some in ID_REFERENCES],
        Pools([some[0] for some in ID_REFERENCES], size=1),
        TokenIds([some[0] for some in ID_REFERENCES]),
        np.array([[5, 6, 9], [7, 300, -100]]),
        np.array([[[5, 6, 9]], [[7, 300, -100]]]),
        Pools(TokenIds([[5, 6, 9], [7, 300, 0]], pad_id=0), offsets=[0, 1, 2]),
    ],
)
def test_tokens_and_ids(pools: Any, references: Any) -> None:
    found = oracle(pools, references, metric=NONE)
    text = [[" ".join(map(str, row)) for row in pool] for pool in ID_POOLS]
    whole = oracle(text, ["5 6 9", "7 300"], metric=NONE)
    assert_equal(found, whole)


@pytest.mark.parametrize(
    ("pools", "references", "kind", "words"),
    [
        ([], [], ValueError, "pools is empty; a corpus score needs at least one source"),
        ([["a"], []], ["a", "b"], ValueError, r"pools\[1\] has no candidates"),
        (POOLS, ["a", "b"], ValueError, "references is for 2 sources, but pools has 3"),
        (POOLS, ["a", [], "b"], ValueError, r"references\[1\] is empty; a source needs at least one"),
        (POOLS, ["a", "b", None], ValueError, r"references\[2\] is empty"),
        (POOLS, ["a", "b", [None, None]], ValueError, r"references\[2\] has only None"),
        (POOLS, Pools(["a", "b"], offsets=[0, 1, 1, 2]), ValueError, r"references\[1\] is empty"),
        (POOLS, "a", TypeError, "references must be a list with the references of each source.*not a bare"),
        (POOLS, ["a", "b", 3], TypeError, r"references\[2\] must be a sequence of segments, not int"),
        (POOLS, ["a", ["b", 3], "c"], TypeError, r"references\[1\]\[1\] must be a str, not int: 3"),
        (POOLS, BLEU().prepare([["a", "b", "c"]]), TypeError, "references must be a list with the"),
        (POOLS, [["a", "b", "c"]] * 2, ValueError, "references is for 2 sources, but pools has 3; they look"),
        (POOLS, [["a", "b"]], ValueError, "references is for 1 source, but pools has 3$"),
        ([["a"], ["b", None]], ["a", "b"], TypeError, r"pools\[1\]\[1\] must be a str, not NoneType"),
    ],
)
def test_bad_input(pools: Any, references: Any, kind: Any, words: str) -> None:
    for level in ("sentence", "corpus"):
        for threads in (1, 2):
            with pytest.raises(kind, match=f"^{words}"):
                oracle(pools, references, level, threads=threads)
    with pytest.raises(ValueError, match="level must be one of sentence, corpus, got 'document'"):
        oracle(POOLS, REFERENCES, "document")
