"""Explanations: the counts against the oracle and the kernel, the table, and the page."""

import html
import logging
import pickle
import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.explain import explain, html_page
from fastbleu.explain.html_pages import base_style
from fastbleu.explain.ngram_marks import Mark, hypothesis_marks, reference_marks
from fastbleu.explain.terminal import columns, cut, cut_names, escaped, shown, wrapped
from tests.support import oracle
from tests.support.contrast import contrast, schemes
from tests.support.pages import Page
from tests.support.refusals import refusal
from tests.support.strategies import Corpus, corpora, orders, smoothings, texts

HYPOTHESIS = "the cat the cat on the mat"
REFERENCES = ["the cat is on the mat", "there is a cat on the mat"]
SEGMENT = BLEU(effective_order=True)
NONE = BLEU(tokenize="none", effective_order=True)


def check(metric: BLEU, hypothesis: Any, references: list[Any], tokens: list[Any], lists: list[Any]) -> None:
    """Compares an explanation with the oracle, and with what the metric itself counts and scores."""
    found = explain(metric, hypothesis, references)
    assert found.hypothesis == tuple(tokens)
    assert found.references == tuple(None if one is None else tuple(one) for one in lists)
    assert [order.n for order in found.orders] == list(range(1, metric.max_ngram_order + 1))
    for order in found.orders:
        ours = oracle.ngrams(tokens, order.n)
        theirs = [Counter() if one is None else oracle.ngrams(one, order.n) for one in lists]
        assert [ngram.tokens for ngram in order.ngrams] == list(ours)
        for ngram in order.ngrams:
            most = max(counts[ngram.tokens] for counts in theirs)
            first = next((i for i, counts in enumerate(theirs) if counts[ngram.tokens] == most), None)
            assert (ngram.count, ngram.reference_count) == (ours[ngram.tokens], most)
            assert ngram.reference == (first if most else None)
            assert ngram.clipped_count == min(ngram.count, most)
            assert ngram.status == (
                "not found" if not most else "clipped" if most < ngram.count else "counted"
            )
        assert order.total == ours.total()
        assert order.matched == sum(n for g, n in ours.items() if any(counts[g] for counts in theirs))
        assert order.plain_precision == Fraction(order.matched, order.total or 1)
        assert order.modified_precision == Fraction(order.correct, order.total or 1)
    streams = [[one] for one in references]
    row = metric.statistics([hypothesis], streams)[0].tolist()
    assert row == [
        found.sys_len,
        found.ref_len,
        *(order.correct for order in found.orders),
        *(order.total for order in found.orders),
    ]
    assert found.ref_lens == [len(one) for one in lists if one is not None]
    assert found.score.score == metric.sentence_score(hypothesis, references).score
    assert (found.brevity_penalty, found.reference_length) == (found.score.bp, metric.reference_length)
    if metric.smooth_method == "none":
        product = 100 * found.brevity_penalty * found.modified_geometric_mean
        assert found.score.score == pytest.approx(product, rel=1e-12)
    same = {"closest": found.closest_brevity_penalty, "shortest": found.shortest_brevity_penalty}
    assert found.brevity_penalty == same.get(metric.reference_length, found.brevity_penalty)


def segments(corpus: Corpus) -> list[tuple[str, list[str | None]]]:
    return [(hypothesis, [s[i] for s in corpus.streams]) for i, hypothesis in enumerate(corpus.hypotheses)]


@pytest.mark.slow
@given(
    corpora(max_segments=2),
    orders,
    st.booleans(),
    smoothings,
    st.sampled_from(("closest", "closest-first", "shortest")),
    st.sampled_from(oracle.AVAILABLE),
)
def test_random_text(
    corpus: Corpus,
    order: int,
    lowercase: bool,
    smoothing: tuple[str, float | None],
    rule: str,
    tokenizer: str,
) -> None:
    metric = BLEU(
        lowercase,
        tokenize=tokenizer,
        smooth_method=smoothing[0],
        smooth_value=smoothing[1],
        max_ngram_order=order,
        effective_order=True,
        reference_length=rule,
    )
    for hypothesis, references in segments(corpus):
        tokens = oracle.tokenize(hypothesis, tokenizer, lowercase)
        lists = [None if one is None else oracle.tokenize(one, tokenizer, lowercase) for one in references]
        check(metric, hypothesis, references, tokens, lists)


TOKENS = st.one_of(
    st.integers(-1, 3),
    st.booleans(),
    st.text("ab", max_size=1),
    st.tuples(st.integers(0, 1)),
    st.none(),
    st.just(1.0),
)


@given(st.lists(TOKENS, max_size=12), st.lists(st.lists(TOKENS, max_size=12), min_size=1, max_size=3))
def test_random_tokens(hypothesis: list[Any], references: list[list[Any]]) -> None:
    check(NONE, hypothesis, references, hypothesis, references)


def test_missing_references_keep_their_index() -> None:
    found = explain(SEGMENT, "a b", [None, "", "c", "b a"])
    assert found.references == (None, (), ("c",), ("b", "a"))
    assert found.ref_lens == [0, 1, 2]
    assert [ngram.reference for ngram in found.orders[0].ngrams] == [3, 3]
    assert found.compared_reference == 3


def test_any_kind_of_sequence() -> None:
    own = BLEU(tokenize=lambda text: [len(word) for word in text.split()], effective_order=True)
    assert explain(own, "to be or not", ["so is it all", "I"]).hypothesis == (2, 2, 2, 3)
    arrays = explain(NONE, np.array([1, 2, 3]), (np.array([1, 2]), np.array([3])))
    assert arrays.orders == explain(NONE, [1, 2, 3], [[1, 2], [3]]).orders
    assert type(arrays.hypothesis[0]) is int
    names = np.array(REFERENCES, dtype=object)
    assert str(explain(SEGMENT, HYPOTHESIS, names)) == str(explain(SEGMENT, HYPOTHESIS, REFERENCES))


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, (0.25, 0.25, 0.25, 0.25)),
        ({"effective_order": True}, (1 / 3, 1 / 3, 1 / 3, 0.0)),
        ({"effective_order": True, "smooth_method": "add-k"}, (0.25, 0.25, 0.25, 0.25)),
        ({"weights": (3, 1, 0, 0)}, (0.75, 0.25, 0.0, 0.0)),
        ({"weights": (1, 1, 0, 2), "effective_order": True}, (0.5, 0.5, 0.0, 0.0)),
        ({"weights": (0, 0, 0, 2), "effective_order": True}, (0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_weights(options: dict[str, Any], weights: tuple[float, ...]) -> None:
    assert explain(BLEU(**options), "a b c", ["a b d"]).weights == weights


def test_means_by_weight() -> None:
    found = explain(BLEU(weights=(3, 1, 0, 0)), "a b c b", ["a b c"])
    assert [(order.matched, order.correct, order.total) for order in found.orders[:2]] == [
        (4, 3, 4),
        (2, 2, 3),
    ]
    assert found.plain_arithmetic_mean == pytest.approx(0.75 + 0.25 * 2 / 3, rel=1e-12)
    assert found.modified_arithmetic_mean == pytest.approx(0.75 * 0.75 + 0.25 * 2 / 3, rel=1e-12)
    assert found.plain_geometric_mean == pytest.approx((2 / 3) ** 0.25, rel=1e-12)
    assert found.modified_geometric_mean == pytest.approx(0.75**0.75 * (2 / 3) ** 0.25, rel=1e-12)
    assert found.score.score == pytest.approx(100 * found.modified_geometric_mean, rel=1e-12)


def test_nothing_to_explain() -> None:
    check(SEGMENT, "", ["a b"], [], [["a", "b"]])
    found, empty = explain(SEGMENT, "", ["a b"]), explain(SEGMENT, "", [""])
    assert (found.brevity_penalty, found.score.score) == (0.0, 0.0)
    assert (found.plain_arithmetic_mean, found.modified_geometric_mean) == (0.0, 0.0)
    assert (empty.brevity_penalty, empty.closest_brevity_penalty) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [("a", "a"), ("a", []), ("a", [None]), (None, ["a"]), (["a"], [["a"]]), ("a", [1]), (1, ["a"])],
)
def test_errors_are_those_of_sentence_score(arguments: tuple[Any, Any]) -> None:
    assert refusal(explain, SEGMENT, *arguments) == refusal(SEGMENT.sentence_score, *arguments) != ""


def test_the_metric_warns_as_for_any_segment(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fastbleu"):
        explain(BLEU(), "a", ["a"])
    assert caplog.messages == ["It is recommended to enable `effective_order` for sentence-level BLEU."]


def test_copies_are_equal() -> None:
    for arguments in ((HYPOTHESIS, REFERENCES), ("\ud800 a", [None, "\ud800 \udfff a"]), ("", [""])):
        found = explain(SEGMENT, *arguments)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(found, protocol))
            assert (again.orders, again.references) == (found.orders, found.references)
            assert str(again) == str(found)


def test_table() -> None:
    expected = """\
BLEU = 69.01 71.4/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
SIGNATURE

hypothesis   the cat the cat on the mat
reference 1  the cat is on the mat
reference 2  there is a cat on the mat

precision        plain       %  modified      %  smoothed %
1-grams            7/7  100.00       5/7  71.43       71.43
2-grams            5/6   83.33       4/6  66.67       66.67
arithmetic mean          91.67            69.05
geometric mean           91.29            69.01

length           7; references 6, 7; compared with 7 (closest)
brevity penalty  1.0000; with the closest length (7) 1.0000, with the shortest (6) 1.0000

1-grams: 7, of which 7 in some reference, 5 counted
  count  largest  reference  clipped count           n-gram
      3        2          1              2  clipped  the
      2        1          1              1  clipped  cat
      1        1          1              1  counted  on
      1        1          1              1  counted  mat

2-grams: 6, of which 5 in some reference, 4 counted
  count  largest  reference  clipped count             n-gram
      2        1          1              1    clipped  the cat
      1        1          2              1    counted  cat on
      1        1          1              1    counted  on the
      1        1          1              1    counted  the mat
      1        0          -              0  not found  cat the"""
    found = explain(BLEU(max_ngram_order=2, effective_order=True), HYPOTHESIS, REFERENCES)
    assert str(found) == found.to_text() == expected.replace("SIGNATURE", str(found.score.signature))


def test_long_tables_count_unlisted_ngrams() -> None:
    hypothesis = " ".join([*(f"a{i}" for i in range(3)), "b", "b", *(f"c{i}" for i in range(300))])
    metric = BLEU(max_ngram_order=1, effective_order=True)
    found = explain(metric, hypothesis, [" ".join(["b", *(f"c{i}" for i in range(297))])])
    lines = found.to_text(limit=3).splitlines()
    assert [line.split()[-1] for line in lines[-4:-1]] == ["b", "c0", "c1"]
    assert lines[-1] == "  and 301 more: 295 counted, 6 not found"
    assert str(found).count("clipped  b\n") == 1
    assert str(found).count("  counted  ") == 19
    assert len(found.to_text(limit=None).splitlines()) > 304
    assert found.to_text(limit=0).endswith("\n  and 304 more: 1 clipped, 297 counted, 6 not found")
    assert all(len(line) <= 70 for line in found.to_text(width=70).splitlines()[2:])


def test_an_empty_and_a_missing_segment() -> None:
    text = explain(SEGMENT, "", [None, "a"]).to_text()
    assert "\nhypothesis\nreference 1  (missing)\nreference 2  a\n" in text
    assert "\n1-grams            0/0     -       0/0     -        0.00\n" in text
    assert text.endswith("\n4-grams: none")


@pytest.mark.slow
@given(corpora(max_segments=1), st.integers(70, 120))
def test_tables_keep_to_their_width(corpus: Corpus, width: int) -> None:
    ((hypothesis, references),) = segments(corpus)
    text = explain(NONE, hypothesis, references).to_text(width, None)
    text.encode("utf-8")
    assert all(columns(line) <= width for line in text.split("\n")[2:])


def test_wrong_arguments_of_the_table() -> None:
    found = explain(SEGMENT, "a", ["a"])
    assert refusal(found.to_text, width=69) == "ValueError: width must be at least 70, got 69"
    assert refusal(found.to_text, limit=-1) == "ValueError: limit must be at least 0, got -1"


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("Straße", "Straße"),
        ("猫", "猫"),
        ("\ud83d", "\\ud83d"),
        ("a\0b", "a\\x00b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202egnp", "\\u202egnp"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("", "''"),
        ("New York", "'New York'"),
        ("a\u3000b", "'a\\u3000b'"),
        (7, "7"),
        (("a", None), "('a', None)"),
    ],
)
def test_tokens_as_they_are_shown(token: Any, expected: str) -> None:
    assert shown(token) == expected


def test_text_as_it_is_shown() -> None:
    for text in ("", "a b", "a\u00a0b\u3000c\u2009d", "می\u200cخواهم", "<b>&"):
        assert escaped(text) == text
    assert escaped("a\0b\tc\nd\ud800\u2028\u2029\U000e0001") == r"a\x00b\tc\nd\ud800\u2028\u2029\U000e0001"


def test_widths() -> None:
    assert [columns(text) for text in ("cat", "猫", "e\u0301", "Ａ", "")] == [3, 2, 1, 2, 0]
    assert [cut("猫猫猫", width) for width in (6, 5, 4, 3)] == ["猫猫猫", "猫猫…", "猫…", "猫…"]
    assert wrapped(["one", "two", "three"], 7) == ["one two", "three"]
    assert wrapped(["a", "abcdefgh", "i"], 5) == ["a", "abcde", "fgh i"]
    assert wrapped([], 5) == [""]


LONG = [f"transformer-{'x' * 60}-seed{k}-averaged" for k in (1, 2)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "Machine_Translation", "a"], ["a", "Machine_T…nslation", "a"]),
        (LONG, ["trans…1-averaged", "trans…2-averaged"]),
        (["x" * 80, "x" * 81], ["xxxxx…", "xxxxx…x"]),
        (["機" * 40, "機" * 39 + "械"], ["機機機機…機機機機", "機機機機…機機機械"]),
        (
            [f"model-lr{a}-bs{b}-averaged-checkpoints" for a in "12" for b in "12"],
            ["model…1-bs1-avera…", "model…1-bs2-avera…", "model…2-bs1-avera…", "model…2-bs2-avera…"],
        ),
        # They differ in too many places.
        ([f"{a}{'x' * 60}".join("__") + f"{b}{'y' * 40}" for a in "12" for b in "12"], 4),
    ],
)
def test_names_that_are_cut_stay_different(names: list[str], expected: Any) -> None:
    shown_names = cut_names(names, 18)
    assert len(set(shown_names)) == len(set(names))
    assert all(columns(name) <= 18 for name in shown_names)
    assert expected in (shown_names, len(names))


def drawn(marks: list[Mark]) -> str:
    """Orders as digits, with a dash to the next token of the same match, and an exclamation mark if clipped alone."""
    return "".join(
        f"{mark.order}{'' if mark.single or not mark.order else '!'}{'-' if mark.joined else ' '}"
        for mark in marks
    ).rstrip()


@pytest.mark.parametrize(
    ("hypothesis", "references", "ours", "theirs"),
    [
        ("a b c d e", ["a b c d e"], "4-4-4-4-4", ["4-4-4-4-4"]),
        ("a b c d", ["b a d c"], "1 1 1 1", ["1 1 1 1"]),
        ("the the the", ["the"], "1 0 0", ["1"]),
        ("the", ["the the"], "1", ["1 0"]),
        # If two could count, the one inside the longer match does.
        ("the dog the cat", ["a the cat"], "0 0 2-2", ["0 2-2"]),
        ("the cat", ["the dog the cat"], "2-2", ["0 0 2-2"]),
        ("a b c b d", ["c b d", "a b"], "2-2! 3-3-3", ["3-3-3", "2-2"]),
        # Both bigrams count, in two references, but the word between them only once.
        ("x b y b z", ["x b", "b z"], "2-2 0 2!-2", ["2-2", "2-2"]),
        # Two matches of the same order that do not overlap stay apart.
        ("a b c d", ["a b x c d"], "2-2 2-2", ["2-2 0 2-2"]),
        ("a b c x", ["a b x b c"], "2-2-2 1", ["2-2 1 2!-2"]),
    ],
)
def test_marks(hypothesis: str, references: list[str], ours: str, theirs: list[str]) -> None:
    found = explain(SEGMENT, hypothesis, references)
    assert drawn(hypothesis_marks(found)) == ours
    assert [drawn(reference_marks(found, one)) for one in found.references if one is not None] == theirs


@pytest.mark.slow
@given(corpora(max_segments=1), orders)
def test_marks_agree_with_counts(corpus: Corpus, order: int) -> None:
    ((hypothesis, references),) = segments(corpus)
    found = explain(
        BLEU(tokenize="none", max_ngram_order=order, effective_order=True), hypothesis, references
    )
    marks = hypothesis_marks(found)
    counted = [{g.tokens for g in order.ngrams if g.clipped_count} for order in found.orders]
    assert sum(mark.single for mark in marks) == found.orders[0].correct
    for i, mark in enumerate(marks):
        if mark.order:
            assert mark.start <= i < mark.start + mark.order
            assert found.hypothesis[mark.start : mark.start + mark.order] in counted[mark.order - 1]
    assert all(left.order == right.order for left, right in pairwise(marks) if left.joined)
    # Some n-gram of the longest order that counts at all is marked.
    longest = max((order.n for order in found.orders if order.correct), default=0)
    assert max((mark.order for mark in marks), default=0) == longest
    for reference in found.references:
        if reference is not None:
            shared = Counter(found.hypothesis) & Counter(reference)
            assert sum(mark.single for mark in reference_marks(found, reference)) == shared.total()


def marked_words(page: str) -> list[tuple[str, str]]:
    """The tokens on a page, each with what is said of it."""
    found = re.findall(r'<span(?: class="\w+")? title="([^"]*)">([^<]*)</span>', page)
    return [(html.unescape(word), html.unescape(title)) for title, word in found]


def test_the_content_of_a_page() -> None:
    written = explain(SEGMENT, HYPOTHESIS, REFERENCES).to_html("The <cat> & the mat")
    page, words = Page(written), marked_words(written)
    assert "The <cat> & the mat" in page.text
    cat = "as a 1-gram clipped: 2 times in the hypothesis, at most 1 in a reference (1)"
    assert words[:7] == [
        ("the", "2-gram “the cat” counts: in reference 1"),
        ("cat", f"2-gram “the cat” counts: in reference 1; {cat}"),
        ("the", "clipped: 3 times in the hypothesis, at most 2 in a reference (1)"),
        ("cat", "4-gram “cat on the mat” counts: in reference 2"),
        ("on", "4-gram “cat on the mat” counts: in reference 2"),
        ("the", "4-gram “cat on the mat” counts: in reference 2"),
        ("mat", "4-gram “cat on the mat” counts: in reference 2"),
    ]
    assert words[7:10] == [
        ("the", "2-gram “the cat” in the hypothesis"),
        ("cat", "2-gram “the cat” in the hypothesis"),
        ("is", "not in the hypothesis"),
    ]
    assert ["1-grams", "7/7100.00 %", "5/771.43 %", "71.43 %", ""] in page.rows
    assert ["geometric mean", "53.73 %", "46.71 %", "", ""] in page.rows
    assert ["the cat", "2", "1", "1", "1", "clipped"] in page.rows
    assert ["cat the", "1", "0", "–", "0", "not found"] in page.rows
    for text in (
        "46.71",
        "reference 2 · 7 tokens, the length compared with",
        "references 6, 7; compared with 7",
    ):
        assert text in page.text


def test_ngrams_break_at_tokens() -> None:
    page = explain(SEGMENT, "a b", ["a b"]).to_html()
    assert ".ngrams td.text { overflow-wrap: break-word; word-break: keep-all; }" in page
    text = explain(SEGMENT, f"{'a' * 30} {'b' * 30} c d", ["e"]).to_text(100)
    assert f"  {'a' * 30}\n" in text[text.index("2-grams:") :]


def test_page_needs_nothing_else() -> None:
    page = explain(SEGMENT, HYPOTHESIS, [None, *REFERENCES]).to_html()
    assert "default-src 'none'" in page
    for outside in ("http:", "https:", "//", "src=", "href=", "url(", "@import", "<script", "<link", "<img"):
        assert outside not in page


@pytest.mark.slow
@given(corpora(max_segments=1, max_streams=2), texts(6))
def test_page_of_anything(corpus: Corpus, title: str) -> None:
    ((hypothesis, references),) = segments(corpus)
    found = explain(NONE, hypothesis, references)
    page = found.to_html(title)
    page.encode("utf-8")
    Page(page)
    present = [one for one in (found.hypothesis, *found.references) if one is not None]
    assert [word for word, _ in marked_words(page)] == [
        shown(token) for tokens in present for token in tokens
    ]


def test_page_of_hostile_tokens() -> None:
    tokens = ["<script>", '"', "'", "&lt;", "</style>", "\ud800", "\u202e", "]]>", "-->", "", " "]
    found = explain(NONE, tokens, [tokens[::-1], tokens[:3]])
    page = found.to_html("</title><b>")
    assert "<script" not in page
    assert page.count("</style>") == page.count("</title>") == 1
    assert "\u202e" not in page
    assert "\\ud800" in page
    assert [word for word, _ in marked_words(page)[: len(tokens)]] == [shown(token) for token in tokens]


def test_several_explanations_on_one_page() -> None:
    found = [
        explain(SEGMENT, "a b", ["a"]),
        explain(BLEU(max_ngram_order=2, effective_order=True), "c", ["d"]),
    ]
    page = Page(html_page(found, ["first", "second"]))
    assert len(page.tags("article")) == 2
    assert refusal(html_page, [], []) == "ValueError: explanations must hold at least one explanation"
    problem = "ValueError: titles must hold one title per explanation, 2, not 1"
    assert refusal(html_page, found, ["one"]) == problem


def test_the_page_in_a_file(tmp_path: Path) -> None:
    found = explain(SEGMENT, "\ud800 語", ["語"])
    found.save_html(tmp_path / "page.html", "A page")
    assert (tmp_path / "page.html").read_bytes().decode("utf-8") == found.to_html("A page")
    with pytest.raises(OSError, match="absent"):
        found.save_html(tmp_path / "absent" / "page.html")


@pytest.mark.parametrize("most", range(1, 9))
def test_contrast(most: int) -> None:
    light, dark = schemes(base_style(most))
    assert light.keys() == dark.keys()
    for colours in (light, dark):
        for surface in ("page", "card"):
            assert contrast(colours["text"], colours[surface]) > 7
            for colour in ("muted", "clipped-line"):
                assert contrast(colours[colour], colours[surface]) > 4.5
            assert contrast(colours["accent"], colours[surface]) > 3
        assert contrast(colours["text"], colours["clipped"]) > 7
        assert contrast(colours["clipped-line"], colours["clipped"]) > 4.5
        for k in range(most):
            color, line = (mixed(colours, kind, k / (most - 1 or 1)) for kind in ("", "-line"))
            assert contrast(colours["text"], color) > 4.5
            assert contrast(line, colours["card"]) > 3
            assert contrast(colours["clipped-line"], color) > 3


def mixed(colours: dict[str, str], kind: str, share: float) -> str:
    ends = zip(*(bytes.fromhex(colours[f"{end}{kind}"][1:]) for end in ("single", "longest")), strict=True)
    return "#" + bytes(round(first * (1 - share) + last * share) for first, last in ends).hex()
