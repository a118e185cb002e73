"""Find the scripts of a text, and the tokenizers that fit it.

The script of a letter is that of its Unicode block. This is coarse, but enough to notice a text in the wrong script.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cache
from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: The first code point of each block, and the script of most of its letters; "" for a block without letters of these
#: scripts. The blocks are from Unicode's Blocks.txt. The last entry only marks the end of the previous block.
_BLOCKS = (
    (0x0000, ""), (0x0041, "Latin"), (0x005B, ""), (0x0061, "Latin"), (0x007B, ""), (0x00C0, "Latin"), (0x02B0, ""),
    (0x0370, "Greek"), (0x0400, "Cyrillic"), (0x0530, "Armenian"), (0x0590, "Hebrew"), (0x0600, "Arabic"),
    (0x0700, ""), (0x0750, "Arabic"), (0x0780, ""), (0x0870, "Arabic"), (0x0900, "Devanagari"), (0x0980, "Bengali"),
    (0x0A00, "Gurmukhi"), (0x0A80, "Gujarati"), (0x0B00, "Oriya"), (0x0B80, "Tamil"), (0x0C00, "Telugu"),
    (0x0C80, "Kannada"), (0x0D00, "Malayalam"), (0x0D80, "Sinhala"), (0x0E00, "Thai"), (0x0E80, "Lao"),
    (0x0F00, "Tibetan"), (0x1000, "Myanmar"), (0x10A0, "Georgian"), (0x1100, "Hangul"), (0x1200, "Ethiopic"),
    (0x13A0, ""), (0x1780, "Khmer"), (0x1800, ""), (0x1C80, "Cyrillic"), (0x1C90, "Georgian"), (0x1CC0, ""),
    (0x1D00, "Latin"), (0x1DC0, ""), (0x1E00, "Latin"), (0x1F00, "Greek"), (0x2000, ""), (0x2C60, "Latin"),
    (0x2C80, ""), (0x2D00, "Georgian"), (0x2D30, ""), (0x2D80, "Ethiopic"), (0x2DE0, "Cyrillic"), (0x2E00, ""),
    (0x3005, "Han"), (0x3008, ""), (0x3041, "Kana"), (0x3100, ""), (0x3130, "Hangul"), (0x3190, ""),
    (0x31F0, "Kana"), (0x3200, ""), (0x3400, "Han"), (0x4DC0, ""), (0x4E00, "Han"), (0xA000, ""),
    (0xA640, "Cyrillic"), (0xA6A0, ""), (0xA720, "Latin"), (0xA800, ""), (0xA960, "Hangul"), (0xA980, ""),
    (0xAB00, "Ethiopic"), (0xAB30, "Latin"), (0xAB70, ""), (0xAC00, "Hangul"), (0xD800, ""), (0xF900, "Han"),
    (0xFB00, "Latin"), (0xFB13, ""), (0xFB1D, "Hebrew"), (0xFB50, "Arabic"), (0xFE00, ""), (0xFE70, "Arabic"),
    (0xFF00, ""), (0xFF21, "Latin"), (0xFF3B, ""), (0xFF41, "Latin"), (0xFF5B, ""), (0xFF66, "Kana"), (0xFFA0, ""),
    (0x20000, "Han"), (0x323B0, ""), (0x323B1, ""),
)  # fmt: skip

#: Scripts without spaces between words.
UNSPACED = frozenset({"Han", "Kana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})

#: A text is taken to have no spaces between words if at least this share of its letters is in scripts of `UNSPACED`.
UNSPACED_SHARE = 0.5

#: A text is Japanese if at least this share of its Han and Kana letters is Kana.
_JAPANESE = 0.05

#: All scripts in `_BLOCKS`.
_SCRIPTS = tuple(dict.fromkeys(script for _, script in _BLOCKS if script))

#: The main script of a text is unknown if it has fewer letters than this.
_FEWEST_LETTERS = 4

#: `misfit` reads about `_TEXTS` texts of a call, and at most `_CHARACTERS` characters of each text.
_TEXTS, _CHARACTERS = 8, 100

#: The lowest character of a script without spaces between words.
_FIRST_UNSPACED = "\u0e00"

#: The ASCII characters that are not letters.
_NOT_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())

#: If a sample has fewer letters of unspaced scripts than `_LETTERS_OF_A_NAME`, and the call has fewer texts than
#: `_FEW_TEXTS`, these letters may be a name in a foreign script.
_LETTERS_OF_A_NAME, _FEW_TEXTS = 10, 8


@cache
def _script_of(character: str) -> str:
    """Return the script of a character, or "" if it is not a letter of a script in `_BLOCKS`."""
    return _BLOCKS[bisect_right(_BLOCKS, ord(character), key=itemgetter(0)) - 1][1]


def letters_by_script(text: str) -> dict[str, int]:
    """Count the letters of each script in a text, without letters of scripts that are not in `_BLOCKS`.

    Example:
        >>> letters_by_script("Der Film 電影 и 2 more")
        {'Latin': 11, 'Cyrillic': 1, 'Han': 2}
    """
    counts: Counter[str] = Counter()
    for character, number in Counter(text).items():
        counts[_script_of(character)] += number
    return {script: counts[script] for script in _SCRIPTS if script in counts}


def unspaced_share(letters: dict[str, int]) -> float:
    """Return the share, 0..1, of letters in scripts without spaces between words.

    Args:
        letters: The number of letters of each script, from `letters_by_script`.
    """
    total = sum(letters.values())
    return sum(letters.get(script, 0) for script in UNSPACED) / total if total else 0.0


def fitting_tokenizer(letters: dict[str, int]) -> str:
    """Return the tokenizers that fit a text without spaces between words.

    Args:
        letters: The number of letters of each script in the text, from `letters_by_script`.

    Returns:
        The quoted names of the tokenizers, for a message; "" if the text has spaces between words.

    Example:
        >>> [fitting_tokenizer(letters_by_script(text)) for text in ("我看了電影", "映画を見た", "ดูหนัง")]
        ["'zh'", "'ja-mecab'", "'flores200' or 'char'"]
        >>> fitting_tokenizer(letters_by_script("Der Film heißt 電影"))
        ''
    """
    if unspaced_share(letters) < UNSPACED_SHARE:
        return ""
    kana, han = letters.get("Kana", 0), letters.get("Han", 0)
    if 2 * (kana + han) < sum(letters.get(script, 0) for script in UNSPACED):
        return "'flores200' or 'char'"
    return "'ja-mecab'" if kana >= _JAPANESE * (kana + han) else "'zh'"


def misfit(texts: Any) -> str:
    """Return the tokenizers that fit some texts better than one that splits at spaces.

    Args:
        texts: The texts of a call. A sample of them is read; None is skipped.

    Returns:
        The quoted names of the tokenizers, for a message. "" if the sample has spaces between words, or has so few
        letters of unspaced scripts that they may be a name.

    Example:
        >>> misfit(["我們昨天看了電影。", None, "我看了很多電影。"]), misfit(["電影"])
        ("'zh'", '')
    """
    sampled = (texts[i] for i in range(0, len(texts), max(1, len(texts) // _TEXTS)))
    sample = "".join(text[:_CHARACTERS] for text in sampled if isinstance(text, str))
    if sample.isascii():
        return ""
    # Most samples have more ASCII letters than non-ASCII characters. Skip the slow count of letters by script for them.
    ascii_only = sample.encode("ascii", "ignore")
    if (
        len(sample) - len(ascii_only) < len(ascii_only.translate(None, _NOT_LETTERS))
        or max(sample) < _FIRST_UNSPACED
    ):
        return ""
    letters = letters_by_script(sample)
    is_a_name = sum(letters.get(script, 0) for script in UNSPACED) < _LETTERS_OF_A_NAME
    return "" if is_a_name and len(texts) < _FEW_TEXTS else fitting_tokenizer(letters)


def has_only_latin(texts: Iterable[str]) -> bool:
    """Return whether the texts have no letters of any script in `_BLOCKS` other than Latin."""
    text = "".join(texts)
    return text.isascii() or set(map(_script_of, set(text))) <= {"", "Latin"}


def main_scripts(texts: Iterable[str]) -> list[str]:
    """Return the most frequent script of each text, with Han and Kana combined as "Han or Kana".

    The script is "" for a text with fewer than `_FEWEST_LETTERS` letters of scripts in `_BLOCKS`.

    Example:
        >>> main_scripts(["Фильм (film)", "電影を見た", "12 : 3"])
        ['Cyrillic', 'Han or Kana', '']
    """
    counts = map(_compared_letters, texts)
    return [
        max(letters, key=letters.__getitem__) if sum(letters.values()) >= _FEWEST_LETTERS else ""
        for letters in counts
    ]


def letters_of(script: str, texts: Iterable[str]) -> list[int]:
    """Count the letters of a script in each text; `script` is a name that `main_scripts` returns.

    Example:
        >>> letters_of("Latin", ["Фильм (film)", "12 : 3"])
        [4, 0]
    """
    return [_compared_letters(text).get(script, 0) for text in texts]


def _compared_letters(text: str) -> dict[str, int]:
    """Count the letters of each script in a text, with Han and Kana as one script, because Japanese uses both."""
    letters: Counter[str] = Counter()
    for script, number in letters_by_script(text).items():
        letters["Han or Kana" if script in ("Han", "Kana") else script] += number
    return letters
