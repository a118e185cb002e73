"""`fastbleu.compat.codebleu` against the formulas of CodeXGLUE, CodeT5 and CodeBERT."""

from __future__ import annotations

import contextlib
import io
import math
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from fastbleu.compat.codebleu import (
    bleu,
    calc_codebleu,
    get_codebleu,
    ngram_match,
    smooth_bleu,
    weighted_ngram_match,
)
from tests.support import nmt_oracle, oracle
from tests.support.refusals import argument_error
from tests.support.strategies import texts

PIECES = [*"abcdeé漢", "a.b", "1.5", "x,", "(y)", "-", "3-4", ".,.", "1.,.5", "É", "AB", "ΑΣ", "İ", "\u3000"]
REWRITTEN = [*"&<\n\ud800", "-\n", "&lt;", "&amp;lt;", "&QUOT;", "&quot;", "<skipped>", "<SKIPPED>"]
PROGRAMS = (
    "public int add ( int a , int b ) { return a + b ; }",
    "public int add ( int x , int b ) { return b ; }",
)
X, Y = (program.split() for program in PROGRAMS)
KEYWORDS = ("public", "int", "return")


def random_text(generator: random.Random, pieces: list[str]) -> str:
    joint = generator.choice([" ", " ", ""])
    return joint.join(generator.choices(pieces, k=generator.choice([0, 1, 2, 3, 5, 8, 12, 40])))


@pytest.fixture
def _settings() -> Iterator[None]:
    """Puts the settings of `smooth_bleu` back."""
    kept = smooth_bleu.nonorm, smooth_bleu.preserve_case, smooth_bleu.eff_ref_len
    yield
    smooth_bleu.nonorm, smooth_bleu.preserve_case, smooth_bleu.eff_ref_len = kept


#
# Compared with smooth_bleu.py of CodeT5 (7de7f69) itself on more than 100,000 random corpora with every option.

_ENTITIES = (("&gt;", ">"), ("&lt;", "<"), ("&quot;", '"'), ("&amp;", "&"))
# mteval-v11a.pl: punctuation, full stops and commas by the digits around them, dashes after digits.
_RULES = (
    (r"([{-~\[-` -&(-+:-@/])", r" \1 "),
    (r"([^0-9])([.,])", r"\1 \2 "),
    (r"([.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)


def slow_tokens(text: str, lowercase: bool = True) -> list[str]:
    for old, new in (("<skipped>", ""), ("-\n", ""), ("\n", " "), *_ENTITIES):
        text = text.replace(old, new)
    text = f" {text} "
    if lowercase:
        text = text.lower()
    for pattern, replacement in _RULES:
        text = re.sub(pattern, replacement, text)
    return text.split()


def slow_smooth_bleu(references: Sequence[str], text: str, smooth: bool = True) -> list[float]:
    """The score and the four precisions of one text."""
    words, others = slow_tokens(text), [slow_tokens(reference) for reference in references]
    tiny = sys.float_info.min
    mean, precisions = 0.0, []
    length, shortest, *counts = oracle.statistics(words, others, rule="shortest")
    for n in range(1, 5):
        matches, candidates = counts[n - 1], counts[n + 3]
        added = 1 if smooth and n > 1 else 0
        mean += math.log(matches + added + tiny) - math.log(candidates + added + tiny)
        precisions.append(math.exp(math.log(matches + tiny) - math.log(candidates)) if candidates else 0.0)
    mean /= 4.0
    penalty = min(0, 1 - float(shortest + 1) / (length + 1))
    return [math.exp(mean + penalty), *precisions]


def mean_of_maps(m1: Mapping[Any, Sequence[str]], m2: Mapping[Any, Sequence[str]]) -> list[float]:
    sums, number = [0.0] * 5, 0
    for name in m1:
        if name in m2:
            scores = slow_smooth_bleu(m1[name], m2[name][0])
            sums = [total + score for total, score in zip(sums, scores, strict=True)]
            number += 1
    return [total * 100.0 / float(number) for total in sums]


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("pieces", [PIECES, PIECES + REWRITTEN], ids=["plain", "rewritten"])
def test_maps(most: int, pieces: list[str]) -> None:
    generator = random.Random(most)
    for _ in range(250):
        names = generator.sample(range(9), generator.randint(1, 6))
        m1, m2 = {77: ["only there"]}, {99: ["only here"]}
        for name in names:
            m1[name] = [random_text(generator, pieces) for _ in range(generator.randint(1, most))]
            m2[name] = [generator.choice([*m1[name], random_text(generator, pieces)]), "more"]
        assert smooth_bleu.bleuFromMaps(m1, m2) == mean_of_maps(m1, m2)
        texts = m1[names[0]], m2[names[0]][0]
        for smooth in (0, 1):
            assert smooth_bleu.bleu(*texts, smooth=smooth) == slow_smooth_bleu(*texts, smooth == 1)


@pytest.mark.slow
@given(texts())
def test_tokens(text: str) -> None:
    assert smooth_bleu.normalize(text) == slow_tokens(text)


@pytest.mark.slow
def test_lowercase_twice_is_lowercase_once() -> None:
    """The kernel lowercases texts that were rewritten first."""
    for code in range(0x110000):
        assert chr(code).lower().lower() == chr(code).lower()


def test_golden_values_of_smooth_bleu() -> None:
    """Printed by smooth_bleu.py of CodeT5."""
    digits = [0.2602634082353057, 0.625, 0.2857142857142857, 0.16666666666666669, 4.450147717014323e-309]
    found = smooth_bleu.bleu(["Returns the sum of &lt;x&gt; and y."], "return the Sum of x, and 1.5")
    assert found == digits
    m1 = {"a": ["returns the sum of a list"], "b": ["x"]}
    m2 = {"a": ["return the sum of a list"], "b": ["returns x"]}
    digits = [75.52676000655997, 66.66666666666666, 40.0, 37.50000000000001, 33.33333333333333]
    assert smooth_bleu.bleuFromMaps(m1, m2) == digits


@pytest.mark.usefixtures("_settings")
def test_settings() -> None:
    m1, m2 = {0: ["A.b c", "a", "a b c d e"]}, {0: ["a.b C d"]}
    smooth_bleu.preserve_case = True
    assert smooth_bleu.normalize("A.b") == ["A", ".", "b"]
    smooth_bleu.nonorm = 1
    assert smooth_bleu.normalize("A.b c") == ["A.b", "c"]
    assert smooth_bleu.bleuFromMaps(m1, m2)[1] == pytest.approx(100 / 3)
    lengths = {}
    for rule in ("shortest", "closest", "average"):
        smooth_bleu.eff_ref_len = rule
        lengths[rule] = smooth_bleu.cook_test(m2[0][0], smooth_bleu.cook_refs(m1[0]))["reflen"]
        scores = smooth_bleu.bleu(m1[0], m2[0][0])
        assert smooth_bleu.bleuFromMaps(m1, m2) == [score * 100.0 / 1.0 for score in scores]
    assert lengths == {"shortest": 1, "closest": 2, "average": 8 / 3}
    smooth_bleu.eff_ref_len = "longest"
    with argument_error(ValueError, "eff_ref_len"):
        smooth_bleu.bleuFromMaps(m1, m2)


def test_maps_from_a_file(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_bytes(b"0\tReturns x.\r\n1\tGets foo_bar(x)\n0\tReturn X\n2\tnot predicted\n")
    with contextlib.redirect_stderr(io.StringIO()) as messages:
        found = smooth_bleu.computeMaps(["0\tReturn  x.\n", "1\n", "3\ta\tb"], gold)
    assert found == (
        {"0": ["returns x .", "return x"], "1": ["gets foo_bar ( x )"]},
        {"0": ["return x ."], "1": [""], "3": ["a"]},
    )
    assert messages.getvalue() == "Total: 2\n"
    gold.write_text("no tab\n")
    with argument_error(ValueError, "goldfile"):
        smooth_bleu.computeMaps([], gold)
    gold.write_text("")
    assert smooth_bleu.computeMaps([], str(gold)) == ({}, {})


def test_misshapen_maps() -> None:
    with pytest.warns(UserWarning, match=r"m1\[0\] is str: 'ab', the characters of which are taken"):
        found = smooth_bleu.bleuFromMaps({0: "ab"}, {0: ["a"]})
    assert found == smooth_bleu.bleuFromMaps({0: ["a", "b"]}, {0: ["a"]})
    with pytest.warns(UserWarning, match=r"m2\[0\] is str"):
        assert smooth_bleu.bleuFromMaps({0: ["a"]}, {0: "ab"})[0] == 100.0
    words: Any = {0: [["a", "b."]]}
    assert smooth_bleu.bleuFromMaps({0: ["a b."]}, words) == smooth_bleu.bleuFromMaps(
        {0: ["a b."]}, {0: ["a b."]}
    )
    with argument_error(ValueError, "m2"):
        smooth_bleu.bleuFromMaps({0: ["a"]}, {})
    with argument_error(ValueError, "m1[0]"):
        smooth_bleu.bleuFromMaps({0: []}, {0: ["a"]})


def test_bleu_of_files(tmp_path: Path) -> None:
    ref_file, trans_file = tmp_path / "ref", tmp_path / "trans"
    ref_file.write_bytes("int x = 0 ;\r\nfoo ( é )\rreturn\u3000x ;\n".encode())
    trans_file.write_bytes("int y = 0 ;\nfoo ( é )  \nreturn x ;".encode())
    references = [[line.split()] for line in ("int x = 0 ;", "foo ( é )", "return x ;")]
    translations = [line.split() for line in ("int y = 0 ;", "foo ( é )", "return x ;")]
    expected = round(100 * nmt_oracle.compute_bleu(references, translations, 4, True)[0], 2)
    assert bleu._bleu(ref_file, trans_file) == expected
    ref_file.write_text("")
    with argument_error(ValueError, "trans_file"), pytest.warns(UserWarning, match="the first 0"):
        bleu._bleu(ref_file, trans_file)


def test_golden_values_of_matches() -> None:
    """Printed by CodeXGLUE's CodeBLEU."""
    weights = weighted_ngram_match.make_weights(X, KEYWORDS)
    assert ngram_match.sentence_bleu([X], Y) == 0.5763061761516304
    assert weighted_ngram_match.sentence_bleu([[X, weights]], Y) == 0.5889760675386734
    # Weights of another number of tokens count for nothing.
    ones, more = weighted_ngram_match.make_weights(X, X), {**weights, "more": 2.0}
    found = [weighted_ngram_match.sentence_bleu([[X, each]], Y) for each in (ones, more)]
    assert found[0] == found[1] != 0.5889760675386734


def test_errors_in_matches() -> None:
    for module in (ngram_match, weighted_ngram_match):
        with pytest.raises(AssertionError, match="must be of the same length, not 1 and 2"):
            module.corpus_bleu([[X], [X]], [Y])
        with argument_error(ValueError, "list_of_references[0]"):
            module.corpus_bleu([[]], [Y])
        assert module.corpus_bleu([], []) == 0
    with pytest.raises(TypeError, match="smoothing_function must be None"):
        weighted_ngram_match.corpus_bleu([[(X, {})]], [Y], smoothing_function=len)
    with pytest.warns(UserWarning, match=r"list_of_references\[0\]\[0\] is str: 'abc'"):
        assert weighted_ngram_match.corpus_bleu([[("abc", {})]], [list("abc")], (1.0,)) == 1.0


def test_codebleu_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refs, hyp = tmp_path / "refs", tmp_path / "hyp"
    refs.write_text(" ".join(X) + "\n")
    hyp.write_text(" ".join(Y) + "\n")
    seen: list[Any] = []

    def dataflow(references: Any, hypotheses: Any, lang: str) -> float:
        seen.append((references, hypotheses, lang))
        return 0.5

    options: Any = {"syntax_match": 0.75, "dataflow_match": dataflow, "keywords": KEYWORDS}
    found = get_codebleu(str(refs), hyp, "java", "0.1,0.2,0.3,0.4", **options)
    ngrams, weighted = 0.5763061761516304, 0.5889760675386734
    assert found == 0.1 * ngrams + 0.2 * weighted + 0.3 * 0.75 + 0.4 * 0.5
    assert seen == [([[" ".join(X)]], [" ".join(Y)], "java")]
    assert capsys.readouterr().out == (
        f"ngram match: {ngrams}, weighted ngram match: {weighted}, syntax_match: 0.75, dataflow_match: 0.5\n"
    )
    refs.write_text("")
    with pytest.raises(AssertionError, match="has 1 lines, but a file of refs 0"):
        get_codebleu([refs], hyp, "java", syntax_match=1, dataflow_match=1, keywords=())


def test_codebleu_of_texts(tmp_path: Path) -> None:
    (tmp_path / "java.txt").write_text("\n".join(KEYWORDS))
    scores = calc_codebleu(
        [[" ".join(X)]], [" ".join(Y)], "java", keywords_dir=tmp_path, syntax_match=0.75, dataflow_match=0
    )
    parts = ("ngram_match_score", "weighted_ngram_match_score", "syntax_match_score", "dataflow_match_score")
    assert tuple(scores) == ("codebleu", *parts)
    ngrams, weighted = 0.5763061761516304, 0.5889760675386734
    assert scores["codebleu"] == 0.25 * ngrams + 0.25 * weighted + 0.25 * 0.75 + 0.25 * 1
    with pytest.raises(AssertionError, match="there are 2 predictions"):
        calc_codebleu(["a"], ["a", "b"], "java")
    with pytest.raises(AssertionError, match="weights must be four numbers"):
        calc_codebleu(["a"], ["a"], "java", (1, 0, 0))
