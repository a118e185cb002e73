"""`fastbleu.compat.tensor2tensor` against tensor2tensor's formula and tokens, and flax' `bleu.py`."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu.compat.tensor2tensor import bleu_hook, flax_bleu
from fastbleu.tokenizers import _tokenize
from tests.support import tensor2tensor_oracle as oracle
from tests.support.refusals import argument_error

A, B = ["the", "cat", "sat", "on", "the", "mat", "."], ["the", "cat", "sat", "on", "a", "mat", "."]
LINES = ['The cat sat on the "mat" in 2011. ', "It cost €1,000.50 (½)."]
TRANSLATIONS = ['the cat sat on a "mat" in 2011.', "It cost 1,000.50 € (1/2)."]


def same(found: Any, expected: Any) -> bool:
    return type(found) is type(expected) and bool(found == expected)


@pytest.mark.parametrize("vocabulary", [list("abcdé"), [1, 1.0, True, 2], [(1,), "x", b"x", 0]])
@pytest.mark.parametrize("use_bp", [True, False])
def test_random_corpora(vocabulary: list[Hashable], use_bp: bool) -> None:
    generator = random.Random(f"{vocabulary} {use_bp}")

    def segment() -> list[Hashable]:
        return generator.choices(vocabulary, k=generator.choice([0, 1, 2, 3, 4, 5, 8, 12, 70]))

    for _ in range(200):
        references = [segment() for _ in range(generator.choice([0, 1, 1, 2, 5]))]
        translations = [generator.choice([reference, segment()]) for reference in references]
        for order in (1, 2, 4, 6):
            expected = oracle.compute_bleu(references, translations, order, use_bp)
            assert same(bleu_hook.compute_bleu(references, translations, order, use_bp), expected)
            found = flax_bleu.compute_bleu_matches(references, translations, order)
            row = oracle.row(references, translations, order)
            parts = row[2 : 2 + order], row[2 + order :], row[1], row[0]
            assert [part.tolist() for part in found] == list(parts)
            assert {part.dtype for part in found} == {np.dtype(np.int64)}
            score = float(oracle.formula(row)) * 100.0
            assert same(flax_bleu.complete_bleu(*found, max_order=order), score)


def test_golden_values(tmp_path: Path) -> None:
    """Printed by bleu_hook.py and by flax' bleu.py."""
    references, translations = [A, ["it", "rained"]], [B, ["it", "poured"]]
    assert [
        float(bleu_hook.compute_bleu(references[:k], translations[:k], order))
        for k in (1, 2)
        for order in (2, 4)
    ] == [0.7559289336204529, 0.48892301321029663, 0.6666666865348816, 0.4591497778892517]
    assert str(bleu_hook.compute_bleu(references[1:], translations[1:])) == "0.70710677"
    # The last digit depends on the interpreter, whose `sum` is compensated from Python 3.12 on.
    cased = flax_bleu.bleu_local(LINES, TRANSLATIONS, case_sensitive=True)
    assert flax_bleu.bleu_local(LINES, TRANSLATIONS) == pytest.approx(3550.2987102121033, rel=1e-15)
    assert cased == pytest.approx(2687.0436711629422, rel=1e-15)
    files = tmp_path / "references", tmp_path / "translations"
    for file, lines in zip(files, (LINES, TRANSLATIONS), strict=True):
        file.write_bytes("\n".join(lines).encode())
    assert same(bleu_hook.bleu_wrapper(*files), np.float32(0.3550298710212103))
    assert same(bleu_hook.bleu_wrapper(*files, case_sensitive=True), np.float32(0.2687043671162942))


def test_arithmetic_is_that_of_the_arrays() -> None:
    counts = flax_bleu.compute_bleu_matches([A], [B])
    exact = flax_bleu.complete_bleu(*counts)
    rounded = flax_bleu.complete_bleu(*(np.asarray(part, dtype=np.float32) for part in counts))
    assert rounded != exact
    assert rounded == pytest.approx(exact, rel=1e-6)
    assert flax_bleu.complete_bleu([1, 0], [2, 1], 3, 2, max_order=2, use_bp=False) == 50.0


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1, 2])
def test_tokens_of_random_texts(level: int) -> None:
    generator = random.Random(level)
    pieces = [*"ab.,-'\"!$12½²٣  \n\t\r\\[]^_&<>;|~`\u3000\x1c。€…é\ud800𝟗🙂"]
    _tokenize.use_instructions(level)
    try:
        for _ in range(300):
            text = "".join(generator.choices(pieces, k=generator.choice([1, 2, 3, 5, 8, 13, 30, 70, 130])))
            assert bleu_hook.bleu_tokenize(text) == oracle.tokenize(text)
    finally:
        _tokenize.use_instructions(2)


@pytest.mark.slow
def test_tokens_with_every_character() -> None:
    """Between a letter and a digit, between a digit and a letter, and after punctuation."""
    # All with a class, and some of the others.
    characters = [
        chr(code)
        for code in range(0x20000)
        if unicodedata.category(chr(code))[0] in "PSN" or code < 0x300 or code % 97 == 0
    ]
    for first, last in (("a", "1"), ("1", "a"), (".", "1")):
        for start in range(0, len(characters), 1000):
            some = characters[start : start + 1000]
            text = " ".join(first + character + last for character in some)
            assert bleu_hook.bleu_tokenize(text) == oracle.tokenize(text)


def test_the_end_of_a_line_matters() -> None:
    assert bleu_hook.bleu_tokenize("a\\b 2011.") == ["a\\b", "2011."]
    assert bleu_hook.bleu_tokenize("a\\b 2011. ") == ["a\\b", "2011", "."]
    assert bleu_hook.bleu_tokenize("2011.\r") == ["2011", "."]


def test_corpora_of_unequal_length_are_cut() -> None:
    expected = bleu_hook.compute_bleu([A], [B])
    with pytest.warns(
        UserWarning, match="translation_corpus has 1 segments, reference_corpus 2; the first 1"
    ):
        assert bleu_hook.compute_bleu([A, B], [B]) == expected
    assert bleu_hook.compute_bleu(iter([A]), (tokens for tokens in [B])) == expected


def test_characters_of_a_str() -> None:
    with pytest.warns(UserWarning, match=r"reference_corpus\[0\] is str: 'abc', of which each character"):
        found = bleu_hook.compute_bleu(["abc"], [list("abx")])
    assert found == bleu_hook.compute_bleu([list("abc")], [list("abx")])


def test_errors(tmp_path: Path) -> None:
    with argument_error(TypeError, "translation_corpus[1]"):
        bleu_hook.compute_bleu([A, A], [B, None])  # type: ignore[list-item]
    with argument_error(TypeError, "reference_corpus[0][0]"):
        bleu_hook.compute_bleu([[["a"]]], [B])  # type: ignore[list-item]
    with argument_error(ValueError, "max_order"):
        bleu_hook.compute_bleu([A], [B], max_order=0)
    with argument_error(ValueError, "hyp_lines"):
        flax_bleu.bleu_partial(["a"], ["a", "b"])
    with argument_error(TypeError, "hyp_lines[0]"):
        flax_bleu.bleu_partial(["a"], [["a"]])  # type: ignore[list-item]
    for name, text in (("one", "a\n"), ("two", "a")):
        (tmp_path / name).write_text(text)
    with pytest.raises(AssertionError, match="2 != 1"):
        bleu_hook.bleu_wrapper(tmp_path / "one", tmp_path / "two")
