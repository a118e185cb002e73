"""chrF: rows against an oracle, scores against the definition of the formula, entry points, and errors."""

import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, CHRF, CHRFScore
from fastbleu.counting._chrf_counter import ChrfCounter
from fastbleu.inputs._text import text_column
from fastbleu.scoring._formula import score_chrf_rows

#: Texts with words, punctuation, every kind of white space, several bytes for a character, and lone surrogates.
TEXTS = st.text(st.sampled_from("abc.,()! \t\u3000\xa0\x85\x1ché東\u0301\ud800\U0001f600"), max_size=40)
LONG = st.tuples(TEXTS, st.integers(1, 40)).map(lambda pair: pair[0] * pair[1])
NO_TEXT: Any = ["a"], [["a"]]
NO_STR: Any = ["a", 3]

PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def words_of(text: str) -> list[str]:
    found = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def row_of(hypothesis: str, reference: str, char_order: int, word_order: int, whitespace: bool) -> list[int]:
    row = []
    for order, split in ((char_order, None), (word_order, words_of)):
        sides = []
        for text in (hypothesis, reference):
            plain = text if whitespace else "".join(text.split())
            symbols = list(plain) if split is None else split(text)
            sides.append(
                [Counter(zip(*(symbols[k:] for k in range(n)), strict=False)) for n in range(1, order + 1)]
            )
        for ours, theirs in zip(*sides, strict=True):
            total = theirs.total()
            row += [ours.total() if total else 0, total, (ours & theirs).total()]
    return row


@pytest.mark.parametrize("orders", [(6, 0), (6, 2), (1, 1), (0, 2), (9, 3)])
@given(LONG, LONG, st.booleans())
def test_rows(orders: tuple[int, int], hypothesis: str, reference: str, whitespace: bool) -> None:
    chrf = CHRF(*orders, whitespace=whitespace)
    for text in (hypothesis, reference + hypothesis):
        (row,) = chrf.statistics([text], [[reference]]).tolist()
        assert row == row_of(text, reference, *orders, whitespace)


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 128, 511, 512, 513, 2000])
def test_lengths_at_which_the_route_changes(length: int) -> None:
    reference = "".join(chr(97 + (i * i + i // 7) % 26) for i in range(length))
    for hypothesis in (reference, reference[::-1], reference[1:] + "z", "a" * length):
        assert CHRF().matcher.count_one(hypothesis, [reference])[0] == row_of(
            hypothesis, reference, 6, 0, False
        )


def test_one_counter_serves_texts_of_all_lengths() -> None:
    counter = ChrfCounter(6, 2, False, 4.0, False)
    texts = ["ab " * k + "日本" * (k % 3) for k in range(0, 400, 7)]
    for text in (*texts, *reversed(texts)):
        assert counter.count_one(text, [text[:50]])[0] == row_of(text, text[:50], 6, 2, False)


def test_score() -> None:
    # Two orders: 2 of 2 and 1 of 1 n-grams match, of 3 and 2 in the reference.
    precision, recall = 1.0, (2 / 3 + 1 / 2) / 2
    chrf = CHRF(char_order=2)
    assert chrf.sentence_score("ab", ["abc"]).score == pytest.approx(
        100 * 5 * precision * recall / (4 * precision + recall)
    )
    of_orders = [5 * r / (4 + r) for r in (2 / 3, 1 / 2)]
    smoothed = CHRF(char_order=2, eps_smoothing=True).sentence_score("ab", ["abc"])
    assert smoothed.score == pytest.approx(100 * sum(of_orders) / 2)
    # An order for which a text is too short is excluded, or scores almost 0.
    assert CHRF(char_order=3).sentence_score("ab", ["ab"]).score == 100
    assert CHRF(char_order=4, eps_smoothing=True).sentence_score("ab", ["ab"]).score == pytest.approx(50)
    assert CHRF().sentence_score("", ["abc"]).score == CHRF().sentence_score("abc", [""]).score == 0


def test_the_best_reference_counts_and_the_first_of_equals() -> None:
    chrf = CHRF(char_order=1)
    assert chrf.statistics(["ab"], [["xy"], ["ac"], ["ad"], [None]]).tolist() == [[2, 2, 1]]
    assert chrf.statistics(["ab"], [["acde"], ["bxyz"]]).tolist() == [[2, 4, 1]]
    assert chrf.statistics(["ab"], [["x"], [""]]).tolist() == [[2, 1, 0]]  # both score 0
    assert chrf.statistics(["ab"], [[""], ["x"]]).tolist() == [[0, 0, 0]]
    assert CHRF(char_order=1).sentence_score("ab", ["xy", None, "ab"]).score == 100
    assert chrf.corpus_score(["ab", "a"], [["ab", None], ["x", "a"]]).score == 100
    assert chrf.num_refs == -1


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6), st.sampled_from([0, 2]))
def test_entry_points_agree(samples: list[tuple[str, str, str]], word_order: int) -> None:
    chrf = CHRF(word_order=word_order)
    hypotheses, *streams = map(list, zip(*samples, strict=True))
    rows = chrf.statistics(hypotheses, streams)
    each = [chrf.sentence_score(h, [a, b]).score for h, a, b in samples]
    assert (
        chrf.sentence_scores(hypotheses, streams).tolist()
        == each
        == chrf.score_statistics(rows, each=True).tolist()
    )
    corpus = chrf.corpus_score(hypotheses, streams)
    assert corpus.score == chrf.score_statistics(rows).score == chrf.score_statistics(rows.sum(axis=0)).score
    assert (
        CHRF(word_order=word_order, references=streams).corpus_score(hypotheses, None).score == corpus.score
    )
    assert chrf.jackknife(rows).shape == (len(samples),)
    assert chrf.sentence_scores(hypotheses, streams, scale=1).tolist() == [score / 100 for score in each]


def test_case_white_space_and_inputs() -> None:
    assert CHRF(lowercase=True).sentence_score("THE CAT", ["the cat"]).score == 100
    assert CHRF().sentence_score("thecat", ["the cat"]).score == 100
    assert CHRF(whitespace=True).sentence_score("thecat", ["the cat"]).score < 90
    hypotheses, references = ["a cat", "dogs"], ["the cat", "dog"]
    wanted = CHRF().corpus_score(hypotheses, [references]).score
    columns = (np.array(hypotheses, dtype=object), text_column(hypotheses), tuple(hypotheses))
    assert {CHRF().corpus_score(column, [references]).score for column in columns} == {wanted}


def test_threads_and_pickles() -> None:
    texts = [f"the cat {i} sat on mat {i * i}" for i in range(3000)]
    others = [text[::2] for text in texts]
    one = CHRF(word_order=2).statistics(others, [texts, others[::-1]])
    assert (CHRF(word_order=2, threads=3).statistics(others, [texts, others[::-1]]) == one).all()
    shared = CHRF(word_order=2)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda i: shared.sentence_score(others[i], [texts[i]]).score, range(400))
        assert list(found) == CHRF(word_order=2).sentence_scores(others[:400], [texts[:400]]).tolist()
    copy = pickle.loads(pickle.dumps(CHRF(3, 1, 1, True, True, True, references=[["a"]], threads=2)))
    assert repr(copy) == (
        "CHRF(char_order=3, word_order=1, beta=1, lowercase=True, whitespace=True, eps_smoothing=True, threads=2)"
    )
    assert copy.corpus_score(["A"], None).score == pytest.approx(50)


def test_the_text_of_a_score() -> None:
    chrf = CHRF(word_order=2)
    score = chrf.corpus_score(["the cat", "a dog"] * 20, [["the cat", "a dig"] * 20], n_bootstrap=100)
    assert isinstance(score, CHRFScore)
    name, _, text = str(score).partition(" = ")
    assert (name, text.partition(" ")[0]) == ("chrF2++", f"{score.score:.2f}")
    assert f"(μ = {score.mean:.2f} ± {score.ci:.2f})" in text
    assert score.format(width=1, score_only=True).startswith(f"{score.score:.1f} (")
    assert str(score.signature).startswith(
        "nrefs:1|bs:100|seed:12345|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0|"
    )
    assert (
        chrf.get_signature()
        .format(short=True)
        .startswith("#:1|bs:100|rs:12345|c:mixed|e:yes|nc:6|nw:2|s:no|v:2.6.0|")
    )
    assert [*vars(score)] == ["beta", "char_order", "word_order", "name", "score", "_mean", "_ci", "_verbose"]
    assert '"name": "chrF2++"' in score.format(is_json=True, signature="nrefs:1|case:mixed")
    copy = pickle.loads(pickle.dumps(score))
    assert (str(copy), str(copy.signature)) == (str(score), str(score.signature))
    assert CHRF(beta=3).score_statistics([[1, 1, 1] * 6]).name == "chrF3"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CHRF(char_order=-1), "^char_order must be at least 0, got -1"),
        (lambda: CHRF(char_order=10**9), "^char_order must be at most"),
        (lambda: CHRF(char_order=0), "^char_order must be at least 1 if word_order is 0, got 0$"),
        (lambda: CHRF(word_order=1.5), "^word_order must be an int, not float"),
        (lambda: CHRF(beta=-1), "^beta must be finite and at least 0, got -1"),
        (lambda: CHRF(beta=float("nan")), "^beta must be finite"),
        (lambda: CHRF(beta=1e200), r"^beta must have a finite square, got 1e\+200$"),
        (lambda: CHRF(lowercase="no"), "^lowercase must be True or False"),
        (lambda: CHRF().corpus_score([], [[]]), "^hypotheses is empty"),
        (
            lambda: CHRF().corpus_score(["a"], None),
            r"^references is None, and none were given to CHRF\(references=\.\.\.\)",
        ),
        (
            lambda: CHRF().corpus_score(["a", "b"], [["a", None]]),
            "^references hold nothing but None for segment 1",
        ),
        (lambda: CHRF().corpus_score(["a", 3], [["a", "b"]]), r"^hypotheses\[1\] must be a str, not int: 3"),
        (lambda: CHRF().corpus_score([["a"]], [[["a"]]]), r"^hypotheses\[0\] is list.* chrF takes text"),
        (
            lambda: CHRF().corpus_score(np.array([[1]]), [[[1]]]),
            "^hypotheses are token ids, which have no characters",
        ),
        (lambda: CHRF().corpus_score(["a"], BLEU().prepare([["a"]])), "^references were prepared"),
        (lambda: CHRF().sentence_score("a", []), "^references must hold at least one reference"),
        (lambda: CHRF().sentence_score(*NO_TEXT), "^hypothesis is list"),
        (lambda: CHRF().sentence_score("a", NO_STR), r"^references\[1\] must be a str, not int: 3"),
        (
            lambda: CHRF().score_statistics([1, 2]),
            r"^statistics must have the shape \[18\] or \[n, 18\], n >= 1, for char",
        ),
        (lambda: CHRF(1).score_statistics([1, 2, -1]), r"^statistics\[0\]\[2\] must not be negative"),
        (
            lambda: CHRF(references=CHRF(lowercase=True).prepare([["a"]])),
            "^references were prepared with the characters of CHRF, lowercase=True",
        ),
        (lambda: score_chrf_rows(np.zeros((2, 3)), 4.0, False, np.zeros(3)), "^scores must have 2 items"),
        (lambda: CHRF().get_signature(), "^the number of references is not known yet"),
        (
            lambda: CHRF().corpus_score(["a"] * 3, [["a", "b"]] * 3),
            r"^references\[0\] has 2 segments, but there are 3",
        ),
        (lambda: CHRF().prepare_segments([[], ["a"]]), r"^references\[0\] must hold at least one reference"),
        (lambda: CHRF(threads=0), "^threads must be at least 1, got 0"),
        (lambda: CHRF().accumulator().compute(), "^nothing has been accumulated"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        call()
    assert "BLEU" not in str(caught.value)


@given(
    st.lists(st.tuples(TEXTS, st.lists(TEXTS | st.none(), min_size=1, max_size=3)), min_size=1, max_size=6),
    st.sampled_from([(6, 0), (3, 2), (0, 1)]),
    st.data(),
)
def test_prepared_references(
    samples: list[tuple[str, list[str | None]]], orders: tuple[int, int], data: st.DataObject
) -> None:
    chrf = CHRF(*orders)
    groups = [[*group, "a b"] for _, group in samples]
    prepared = pickle.loads(pickle.dumps(CHRF().prepare_segments(groups)))
    numbers = data.draw(st.lists(st.integers(0, len(samples) - 1), min_size=1))
    hypotheses = [samples[k][0] for k in numbers]
    wanted = [chrf.matcher.count_one(samples[k][0], groups[k])[0] for k in numbers]
    assert chrf.statistics(hypotheses, prepared[numbers]).tolist() == wanted
    assert chrf.statistics(hypotheses, pickle.loads(pickle.dumps(prepared[numbers]))).tolist() == wanted
    assert CHRF(*orders, references=prepared[numbers]).statistics(hypotheses, None).tolist() == wanted
    there = {sum(each is not None for each in groups[k]) for k in numbers}
    assert prepared[numbers].num_references == (there.pop() if len(there) == 1 else -1)
    assert prepared.nbytes > 0


@pytest.mark.parametrize("length", [10, 700])
def test_one_reference_for_many_hypotheses(length: int) -> None:
    """Its positions are found once, unless it is long; another reference comes between."""
    reference, hypothesis = "ab c" * (length // 4), "b ca" * 5
    prepared = CHRF(word_order=2).prepare([[reference, "other"]])
    rows = CHRF(word_order=2).statistics([hypothesis] * 5, prepared[[0, 0, 1, 0, 0]])
    one, other = (row_of(hypothesis, text, 6, 2, False) for text in (reference, "other"))
    assert rows.tolist() == [one, one, other, one, one]


def test_num_refs_is_known_after_a_score() -> None:
    with pytest.raises(AttributeError, match=r"^num_refs is not known yet"):
        _ = CHRF().num_refs
    assert CHRF(references=[["a", "b"], ["c", "d"]]).num_refs == 2


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), st.integers(0, 6), st.booleans())
def test_batches_add_up_to_the_whole(pairs: list[tuple[str, str]], cut: int, keep_rows: bool) -> None:
    chrf = CHRF(2, 1)
    parts = [chrf.accumulator(keep_rows), chrf.accumulator(keep_rows)]
    for part, of_part in zip(parts, (pairs[:cut], pairs[cut:]), strict=True):
        if of_part:
            hypotheses, references = map(list, zip(*of_part, strict=True))
            part.update(hypotheses, [references])
    whole = chrf.corpus_score([pair[0] for pair in pairs], [[pair[1] for pair in pairs]])
    again = chrf.accumulator(keep_rows)
    again.load_state_dict((parts[0] + parts[1]).state_dict())
    for accumulator in (parts[0] + parts[1], again):
        score = accumulator.compute()
        assert (score.score, str(score.signature)) == (whole.score, str(whole.signature))
        assert len(accumulator) == len(pairs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: BLEU().accumulator().load_state_dict(CHRF().accumulator().state_dict()),
            "^state is of the metric CHRF, but this accumulator is of BLEU",
        ),
        (
            lambda: CHRF().accumulator().merge(BLEU().accumulator()),
            "^other is of the metric BLEU, but this accumulator is of CHRF",
        ),
        (
            lambda: CHRF(2).accumulator().merge(CHRF().accumulator()),
            "^other has char_order=6, but this accumulator has char_order=2",
        ),
    ],
)
def test_errors_of_accumulators(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
