"""The BLEU class, end to end against the oracle, and everything that it refuses."""

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastbleu
from fastbleu import BLEU, corpus_bleu, raw_corpus_bleu, sentence_bleu
from fastbleu.inputs._lines import column_of_lines
from tests.support import oracle
from tests.support.oracle import fields
from tests.support.strategies import Corpus, corpora, orders, smoothings, texts

HYPOTHESES = [
    "The cat sat on the mat.",
    "It costs 1,000.50 dollars - or 5-6 euros?",
    "",
    "yes",
    "a b c d e f g",
]
STREAMS: list[list[str | None]] = [
    ["The cat sat on a mat.", "It cost 1,000.50 dollars, or 5-6 euros.", "Nothing.", "yes", "a b c x e f g"],
    ["On the mat sat the cat!", None, "", "no", None],
]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(corpora(), orders, smoothings, st.booleans())
def test_every_method_gives_the_oracles_score(
    corpus: Corpus, order: int, smoothing: tuple[str, float | None], effective_order: bool
) -> None:
    hypotheses, streams = corpus
    formula: dict[str, Any] = {"smooth_method": smoothing[0], "smooth_value": smoothing[1]}
    formula["effective_order"] = effective_order
    metric = BLEU(tokenize="none", max_ngram_order=order, **formula)
    rows = oracle.corpus_statistics(hypotheses, streams, tokenize="none", max_ngram_order=order)
    expected = fields(oracle.score(oracle.add_up(rows), **formula))

    found = metric.statistics(hypotheses, streams)
    assert found.dtype == np.int64
    assert found.tolist() == rows
    assert fields(metric.corpus_score(hypotheses, streams)) == expected
    assert fields(metric.score_statistics(found)) == expected
    assert fields(metric.corpus_score(hypotheses, metric.prepare(streams))) == expected

    scores = metric.sentence_scores(hypotheses, streams)
    assert (scores.dtype, scores.shape) == (np.float64, (len(hypotheses),))
    per_segment = [[stream[i] for stream in streams] for i in range(len(hypotheses))]
    for i, (hypothesis, references) in enumerate(zip(hypotheses, per_segment, strict=True)):
        one = oracle.score(rows[i], **formula)
        assert fields(metric.sentence_score(hypothesis, references)) == fields(one)
        assert fields(metric.score_statistics(found[i])) == fields(one)
        assert scores[i] == pytest.approx(one.score, rel=1e-12, abs=0)
    present = [[text for text in references if text is not None] for references in per_segment]
    assert metric.statistics(hypotheses, metric.prepare_segments(present)).tolist() == rows


@pytest.mark.slow
@pytest.mark.parametrize("name", oracle.AVAILABLE)
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(texts(15), texts(15), st.one_of(texts(15), st.none())), min_size=1, max_size=5),
    st.booleans(),
)
def test_hurting_text(name: str, data: list[tuple[str, str, str | None]], lowercase: bool) -> None:
    columns: list[list[Any]] = [list(column) for column in zip(*data, strict=True)]
    hypotheses, *streams = columns
    options: dict[str, Any] = {"tokenize": name, "lowercase": lowercase}
    metric = BLEU(**options)
    assert metric.statistics(hypotheses, streams).tolist() == oracle.corpus_statistics(
        hypotheses, streams, **options
    )
    assert fields(metric.corpus_score(hypotheses, streams)) == fields(
        oracle.corpus_score(hypotheses, streams, **options)
    )


def test_tokens_are_taken_as_they_are() -> None:
    """White space inside a token splits nothing, and tokens of any hashable kind are told apart by equality."""
    metric = BLEU(tokenize="none")
    assert metric.statistics([["a b", "c"]], [[["a", "b", "c"]]])[0, :3].tolist() == [2, 3, 1]
    odd: list[Any] = [("x", 1), None, frozenset({2}), 1.0, "1", b"1"]
    assert metric.statistics([odd], [[odd]])[0, 2] == 6
    assert metric.statistics([[1, True, 1.0]], [[[1.0, 1, 1]]])[0, 2] == 3


def test_a_callable_tokenizes() -> None:
    def letters(text: str) -> list[str]:
        return list(text)

    metric = BLEU(tokenize=letters)
    assert metric.tokenize("ab c") == ["a", "b", " ", "c"]
    assert metric.statistics(["ab"], [["abc"]])[0].tolist() == [2, 3, 2, 1, 0, 0, 2, 1, 0, 0]
    assert "letters" in str(metric.corpus_score(["ab"], [["abc"]]).signature)


@pytest.mark.slow
@pytest.mark.parametrize("name", oracle.AVAILABLE)
@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(texts(12), texts(12)), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from((0, 1, 40, 600)),
)
def test_columns_of_files_score_as_lists_do(
    name: str, data: list[tuple[str, str]], lowercase: bool, padding: int
) -> None:
    """Their memory is borrowed: a kernel that reads ahead must not read beyond the last byte."""
    pairs = [
        (
            left.encode("utf-8", "replace").decode().replace("\n", " "),
            right.encode("utf-8", "replace").decode(),
        )
        for left, right in [("x" * padding, "y" * padding), *data]
    ]
    hypotheses = [left for left, _ in pairs]
    stream = [right.replace("\n", " ") for _, right in pairs]
    metric = BLEU(tokenize=name, lowercase=lowercase)
    columns = [
        column_of_lines("\n".join(side).encode() + b"\n" * (padding % 2)) for side in (hypotheses, stream)
    ]
    for i, side in enumerate((hypotheses, stream)):
        # A last line that is empty and has no newline is not a line.
        while len(columns[i]) < len(side):
            columns[i] = column_of_lines("\n".join(side).encode() + b"\n")
    expected = metric.statistics(hypotheses, [stream]).tolist()
    assert metric.statistics(columns[0], [columns[1]]).tolist() == expected
    assert metric.statistics(hypotheses, [columns[1]]).tolist() == expected
    assert metric.statistics(columns[0], metric.prepare([columns[1]])).tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_and_chunks_change_nothing(threads: int) -> None:
    generator = random.Random(threads)
    words = [f"word{i}" for i in range(50)]

    def segment() -> str:
        return " ".join(generator.choices(words, k=generator.choice((0, 1, 5, 20, 20, 20, 70, 300)))) + "."

    n = 5_000
    hypotheses = [segment() for _ in range(n)]
    streams = [[segment() for _ in range(n)] for _ in range(2)]
    one, many = BLEU(), BLEU(threads=threads)
    rows = one.statistics(hypotheses, streams)
    references = many.prepare(streams)
    assert (many.statistics(hypotheses, streams) == rows).all()
    assert (many.statistics(hypotheses, references) == rows).all()
    assert fields(many.corpus_score(hypotheses, streams)) == fields(one.corpus_score(hypotheses, streams))
    assert (many.sentence_scores(hypotheses, references) == one.sentence_scores(hypotheses, streams)).all()
    assert one.score_statistics(rows[::-1]).score == one.score_statistics(rows).score
    # Batches of any size.
    for size in (1, 7, 1024, 4999):
        parts = [
            one.statistics(hypotheses[i : i + size], [s[i : i + size] for s in streams])
            for i in range(0, n, size)
        ]
        assert (np.concatenate(parts) == rows).all()


@pytest.mark.slow
def test_very_large_segments_among_small_ones() -> None:
    generator = random.Random(3)
    large = " ".join(generator.choices("abcdefgh", k=200_000))
    hypotheses = ["a b c", large, "d", large[:1000], ""]
    streams = [["a b", large[::-1], "d e", large[:900], ""]]
    for threads in (1, 2):
        rows = BLEU(tokenize="none", threads=threads).statistics(hypotheses, streams)
        assert rows.tolist() == oracle.corpus_statistics(hypotheses, streams, tokenize="none")


@pytest.mark.parametrize("name", oracle.AVAILABLE)
def test_tokenize_shows_the_tokens(name: str) -> None:
    text = 'Tom said: "1,000.5 euros - 東京"… '
    for lowercase in (False, True):
        assert BLEU(tokenize=name, lowercase=lowercase).tokenize(text) == oracle.tokenize(
            text, name, lowercase
        )


def test_functions() -> None:
    assert fields(corpus_bleu(HYPOTHESES, STREAMS)) == fields(oracle.corpus_score(HYPOTHESES, STREAMS))
    assert fields(raw_corpus_bleu(HYPOTHESES, STREAMS)) == fields(
        oracle.corpus_score(HYPOTHESES, STREAMS, tokenize="none", smooth_method="floor", effective_order=True)
    )
    assert fields(sentence_bleu("a b", ["a b c", "b"])) == fields(
        oracle.corpus_score(["a b"], [["a b c"], ["b"]], effective_order=True)
    )


def test_nothing_of_the_callers_is_changed() -> None:
    hypotheses, streams = HYPOTHESES[:], [stream[:] for stream in STREAMS]
    for method in ("exp", "floor", "add-k", "none"):
        metric = BLEU(smooth_method=method)
        rows = metric.statistics(hypotheses, streams)
        before = rows.copy()
        metric.score_statistics(rows)
        metric.score_statistics(rows[0])
        assert (rows == before).all()
        metric.corpus_score(hypotheses, streams, n_bootstrap=20)
        correct, total = [3, 2, 1, 0], [4, 3, 2, 1]
        BLEU.compute_bleu(correct, total, 4, 4, smooth_method=method)
        assert (correct, total) == ([3, 2, 1, 0], [4, 3, 2, 1])
    assert (hypotheses, streams) == (HYPOTHESES, STREAMS)


def test_a_call_leaves_no_trace_in_the_metric() -> None:
    metric = BLEU(references=STREAMS)
    plain = str(metric.corpus_score(HYPOTHESES, None).signature)
    interval = str(metric.corpus_score(HYPOTHESES, None, n_bootstrap=10).signature)
    assert "bs:10" in interval
    assert "bs:" not in plain
    assert str(metric.corpus_score(HYPOTHESES, None).signature) == plain
    score = metric.corpus_score(HYPOTHESES, None, n_bootstrap=10)
    again = metric.corpus_score(HYPOTHESES, None, n_bootstrap=10)
    assert (score._mean, score._ci) == (again._mean, again._ci)
    assert metric.corpus_score(HYPOTHESES, None)._ci == -1.0


def test_signature() -> None:
    metric = BLEU(lowercase=True, smooth_method="floor", effective_order=True, tokenize="zh")
    score = metric.corpus_score(["a"], [["a"], ["b"]])
    assert str(score.signature) == (
        f"nrefs:2|case:lc|eff:yes|tok:zh|smooth:floor[0.10]|version:2.6.0|fastbleu:{fastbleu.__version__}"
    )
    assert "nrefs:var" in str(metric.corpus_score(["a", "b"], [["a", "b"], ["a", None]]).signature)


@pytest.mark.parametrize(
    "make_copy", [copy.copy, copy.deepcopy, lambda metric: pickle.loads(pickle.dumps(metric))]
)
def test_a_metric_can_be_copied(make_copy: Callable[[BLEU], BLEU]) -> None:
    choices: list[dict[str, Any]] = [{}, {"references": STREAMS, "max_ngram_order": 3}, {"tokenize": "char"}]
    for options in choices:
        metric = BLEU(**options)
        streams = None if "references" in options else STREAMS
        copied = make_copy(metric)
        assert fields(copied.corpus_score(HYPOTHESES, streams)) == fields(
            metric.corpus_score(HYPOTHESES, streams)
        )


def refused(kind: Any, *words: str) -> Any:
    """The error's type, and words that its message holds whatever their order."""
    return pytest.raises(kind, match="".join(f"(?=(?s:.*){word})" for word in words))


GOOD = ["a b", "c d", "e f"]


@pytest.mark.parametrize(
    ("hypotheses", "references", "kind", "words"),
    [
        (["a", 7, "c"], [GOOD], TypeError, (r"hypotheses\[1\]", "7")),
        (["a", b"b", "c"], [GOOD], TypeError, (r"hypotheses\[1\]", "bytes")),
        (GOOD, [GOOD, ["a", b"b", "c"]], TypeError, (r"references\[1\]\[1\]", "bytes")),
        (GOOD, [["a", None, "c"]], ValueError, ("reference", "1")),
        (GOOD, [["a", None, "c"], ["a", None, None]], ValueError, ("reference", "1")),
        ([*GOOD] * 1000, [[*GOOD] * 999 + ["a", None, "c"]], ValueError, ("reference", "2998")),
        ([*GOOD] * 1000, [[*GOOD] * 999 + ["a", 5, "c"]], TypeError, (r"references\[0\]\[2998\]", "int")),
    ],
)
def test_bad_corpora(hypotheses: Any, references: Any, kind: type[Exception], words: tuple[str, ...]) -> None:
    for metric in (BLEU(), BLEU(threads=2, lowercase=True), BLEU(tokenize=str.split)):
        for method in (metric.corpus_score, metric.statistics, metric.sentence_scores):
            with refused(kind, *words):
                method(hypotheses, references)


def test_empty_corpora() -> None:
    """No score of nothing, but no rows and no scores of no segments."""
    metric = BLEU()
    with refused(ValueError, "hypotheses", "empty"):
        metric.corpus_score([], [[]])
    assert metric.statistics([], [[]]).shape == (0, 10)
    assert metric.sentence_scores([], [[]]).shape == (0,)
    references = metric.prepare([[]])
    assert len(references) == 0
    with refused(ValueError, "hypotheses", "empty"):
        metric.corpus_score([], references)
    with refused(ValueError, "statistics"):
        metric.score_statistics(metric.statistics([], references))


@pytest.mark.parametrize(
    ("hypothesis", "references", "kind", "words"),
    [
        (["a b"], ["a b"], (TypeError, ValueError), ("hypothesis",)),
        (None, ["a"], TypeError, ("hypothesis",)),
        ("a", "a", TypeError, ("references", "str")),
        ("a", None, (TypeError, ValueError), ("references",)),
        ("a", [], ValueError, ("references",)),
        ("a", [None], ValueError, ("reference",)),
        ("a", ["b", 3], TypeError, ("references", "1", "3")),
        ("a", [["a"]], (TypeError, ValueError), ("references",)),
    ],
)
def test_bad_sentences(hypothesis: Any, references: Any, kind: Any, words: tuple[str, ...]) -> None:
    for metric in (BLEU(), BLEU(effective_order=True, lowercase=True)):
        with refused(kind, *words):
            metric.sentence_score(hypothesis, references)


@pytest.mark.parametrize(
    "options", [{"tokenize": "13a"}, {"tokenize": "none", "lowercase": True}, {"tokenize": "zh"}]
)
def test_tokens_need_a_metric_that_leaves_them_alone(options: dict[str, Any]) -> None:
    with refused(ValueError, "tokenize|lowercase"):
        BLEU(**options).corpus_score([["a", "b"]], [[["a", "b"]]])
    with refused(ValueError, "tokenize|lowercase"):
        BLEU(**options).prepare([[["a", "b"]]])


def test_statistics_beyond_64_bits_when_summed() -> None:
    score = BLEU().score_statistics(np.full((4, 10), 2**62))
    assert (score.counts, score.sys_len) == ([2**64] * 4, 2**64)


@pytest.mark.parametrize("bad", [None, "ab", b"ab", 5, iter("ab")])
def test_a_callable_must_return_tokens(bad: Any) -> None:
    """None stays what it is: an absent reference only where the caller's own list says so."""
    metric = BLEU(tokenize=lambda text: bad if text == "bad" else text.split())
    for hypotheses, streams in ((["bad"], [["a"]]), (["a"], [["b"], ["bad"]])):
        with refused(TypeError, "tokenize|sequence of tokens"):
            metric.statistics(hypotheses, streams)
    with refused(TypeError, "tokenize|sequence of tokens"):
        metric.prepare([["a"], ["bad"]])


@pytest.mark.parametrize("n_bootstrap", [-1, 1.5, "10", None])
def test_bad_bootstrap(n_bootstrap: Any) -> None:
    with refused((TypeError, ValueError), "n_bootstrap"):
        BLEU().corpus_score(["a"], [["a"]], n_bootstrap=n_bootstrap)


def test_a_numpy_number_smooths_as_well() -> None:
    rows = [2, 3, 2, 0, 0, 0, 2, 1, 0, 0]
    expected = BLEU(smooth_method="floor", smooth_value=0.5, effective_order=True).score_statistics(rows)
    score = BLEU(smooth_method="floor", smooth_value=np.float32(0.5), effective_order=True).score_statistics(
        rows
    )
    assert score.score == expected.score
    with refused(ValueError, "smooth_value"):
        BLEU(smooth_method="floor", smooth_value=10**400)


@pytest.mark.parametrize("at_once", [0, 1 << 20])
def test_sentence_scores_over_several_chunks(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastbleu.metric.bleu._COUNTS_PER_BATCH", at_once)
    hypotheses = [f"a b {i} c d e" for i in range(2500)]
    streams = [[f"a b {i % 7} c d" for i in range(2500)]]
    for threads in (1, 3):
        metric = BLEU(effective_order=True, threads=threads)
        rows = metric.statistics(hypotheses, streams)
        scores = metric.sentence_scores(hypotheses, streams)
        assert scores == pytest.approx([metric.score_statistics(row).score for row in rows], rel=1e-12, abs=0)


@pytest.mark.parametrize(
    "options", [{}, {"effective_order": True}, {"max_ngram_order": 2, "smooth_method": "add-k"}]
)
def test_each_row_is_scored_by_itself(options: dict[str, Any]) -> None:
    metric = BLEU(**options)
    rows = metric.statistics(HYPOTHESES, STREAMS)
    scores = metric.score_statistics(rows, each=True)
    assert (scores.dtype, scores.shape) == (np.float64, (len(rows),))
    assert scores.tolist() == metric.sentence_scores(HYPOTHESES, STREAMS).tolist()
    assert scores == pytest.approx([metric.score_statistics(row).score for row in rows], rel=1e-12, abs=0)
    large = rows * 2**50  # a float64 does not hold each of them
    assert metric.score_statistics(large, each=True).tolist() == [
        metric.score_statistics(row).score for row in large
    ]
    assert metric.score_statistics(rows[:0], each=True).shape == (0,)
    assert metric.score_statistics(rows[4], each=True).tolist() == scores[4:].tolist()
    with refused(ValueError, r"statistics\[0\]"):
        metric.score_statistics(-rows - 1, each=True)
    with refused(TypeError, "each"):
        metric.score_statistics(rows, each="yes")


def test_too_many_arguments() -> None:
    with pytest.raises(TypeError, match=r"^BLEU\.__init__\(\) takes from 1 to 10 positional arguments but"):
        BLEU(*[None] * 10)
