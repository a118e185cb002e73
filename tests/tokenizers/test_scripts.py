"""Scripts of texts, against the Unicode property where `regex` is installed."""

from __future__ import annotations

import pytest

from fastbleu.tokenizers.scripts import (
    has_only_latin,
    letters_by_script,
    letters_of,
    main_scripts,
    unspaced_share,
)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Grüße aus Köln", "Latin"),
        ("Привет, мир", "Cyrillic"),
        ("Καλημέρα", "Greek"),
        ("مرحبا بالعالم", "Arabic"),
        ("שלום עולם", "Hebrew"),
        ("नमस्ते दुनिया", "Devanagari"),
        ("สวัสดีชาวโลก", "Thai"),
        ("안녕하세요", "Hangul"),
        ("你好世界", "Han or Kana"),
        ("こんにちは世界", "Han or Kana"),
        ("カタカナです", "Han or Kana"),
        ("Ա բարեւ", "Armenian"),
        ("გამარჯობა", "Georgian"),
        ("1, 2, 3!", ""),
        ("Ok", ""),
        ("", ""),
        ("\U00020000\U00020001\U00020002\U00020003", "Han or Kana"),
        ("\U0010ffff" * 9, ""),
        ("\ud800" * 9, ""),
    ],
)
def test_main_script(text: str, script: str) -> None:
    assert main_scripts(["x", text, "Latin text"]) == ["", script, "Latin"]
    assert has_only_latin([text]) == (script in ("Latin", ""))


def test_letters() -> None:
    assert letters_by_script("Der Film 電影を и 2 more") == {"Latin": 11, "Cyrillic": 1, "Han": 2, "Kana": 1}
    assert letters_by_script("") == {}
    assert main_scripts([]) == letters_of("Latin", []) == []
    assert letters_of("Han or Kana", ["Der Film 電影を", "", "の"]) == [3, 0, 1]


def test_scripts_without_spaces() -> None:
    assert unspaced_share("電影 film") == 2 / 6
    assert unspaced_share("1") == 0
    assert unspaced_share("한국어") == 0


@pytest.mark.parametrize(
    ("script", "property_"),
    [("Han", "Han"), ("Cyrillic", "Cyrillic"), ("Arabic", "Arabic"), ("Thai", "Thai"), ("Greek", "Greek"),
     ("Hebrew", "Hebrew"), ("Hangul", "Hangul"), ("Latin", "Latin"), ("Devanagari", "Devanagari"),
     ("Georgian", "Georgian"), ("Armenian", "Armenian"), ("Tamil", "Tamil"), ("Ethiopic", "Ethiopic")],
)  # fmt: skip
def test_letters_of_a_script_are_in_its_blocks(script: str, property_: str) -> None:
    """Blocks are coarse: nearly all letters of the Basic Multilingual Plane must be told, in common use all."""
    regex = pytest.importorskip("regex")
    letters = regex.findall(
        rf"[\p{{Script={property_}}}&&\p{{L}}]", "".join(map(chr, range(0x10000))), flags=regex.V1
    )
    told = sum(letters_by_script(letter).get(script, 0) for letter in letters)
    assert told >= 0.9 * len(letters)
