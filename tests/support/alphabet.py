"""Pieces of text chosen to hurt tokenizers, and random strings of them."""

import random
import sys

from tests.support.oracle import ZH_RANGES

ASCII_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

# Every character that `str.split()` splits at, as this interpreter sees it.
SPACES = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())

# Next to a space in code or in look, but none: zero-width space and joiners, Mongolian vowel separator, word joiner,
# byte order mark, Braille blank, Hangul filler, backspace, U+0084 and U+0086 around U+0085.
ALMOST_SPACES = "\u200b\u200c\u200d\u180e\u2060\ufeff\u2800\u3164\x08\x1b\x7f\x84\x86\xad"

# The first and the last characters of the ranges that the Chinese tokenizer separates, and their neighbors.
ZH_EDGES = "".join(chr(code) for first, last in ZH_RANGES for code in (first - 1, first, last, last + 1))

# Unicode punctuation, symbols and numbers: what the international tokenizer looks at.
PUNCTUATION = (
    "\u00a1\u00a7\u00b6\u00b7\u00bf\u2013\u2014\u2018\u2019\u201c\u201d\u2026"
    "\u3001\u3002\u300c\u300d\uff01\uff0c\uff0e\u0964\u05be\U00010100"
)
SYMBOLS = (
    "\u00a2\u00a3\u00a5\u00a9\u00ac\u00ae\u00b0\u00b4\u00d7\u20ac"
    "\u2122\u2190\u221e\u25a0\u2603\u309b\uffe5\U0001f600\U0001d6c1"
)
NUMBERS = "\u00b2\u00bd\u0660\u0966\u2160\u2460\u3007\uff10\uff19\U0001d7ce\U00010140"

# Lowercasing that changes the length or depends on the neighbours.
CASED = "\u0130\u0131\u03a3\u1e9e\u00df\u01c5\u0345\u212a\u2126\ua7ae\U00010400\u00c0\u0410\u0531"
MARKS = "\u0300\u0301\u0308\u0345\u0903\u20dd\u3099\ufe0f\u200d\U0001f3fb"
LETTERS = (
    "abcXYZ\u00e9\u00f1\u0436\u05d0\u0623\u0905\u0e01\u3042\u30ab\uac00\u4e2d\U00020000\U0002a6d6\U0002f800"
)

# One byte, two, three and four of UTF-8: both ends of each, the surrogates (which have no UTF-8), the last code point.
ENCODING_EDGES = "\x00\x01\x7f\x80\u07ff\u0800\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff\U00010000\U0010ffff"

WORDS = (
    "<skipped>", "<skipped", "skipped>", "<<skipped>>", "<skip<skipped>ped>",
    "&quot;", "&amp;", "&lt;", "&gt;", "&amp;quot;", "&amp;lt;", "&amp;amp;", "&apos;", "&quot", "quot;", "&#39;",
    "&<skipped>quot;", "<skipped&gt;", "-\n", "-\n\n", "\n-", "\r\n", "-\r\n", "a-\nb", "...", "..", ",,", ".,", ",.",
    "1.5", "1,000", "1.", ".1", "-1", "1-", "a.", ".a", "a,", ",a", "1.,-", "a..5", "5..a", "1-2-3", "3.-", "--",
    "1--2", "U.S.", "e.g.,", "Mr.", "don't", "it's", "the", "The", "THE", "of", "x", "I",
)  # fmt: skip

# Runs in which the outcome hangs on parity, drawn more often than the rest.
DENSE = tuple("01259..,,--  aab")

PIECES: tuple[str, ...] = (
    *DENSE * 12,
    *WORDS * 3,
    *ASCII_PUNCTUATION * 3,
    *(" \n\t" * 10),
    *SPACES,
    *ALMOST_SPACES,
    *ZH_EDGES,
    *PUNCTUATION * 2,
    *SYMBOLS * 2,
    *NUMBERS * 2,
    *CASED * 2,
    *MARKS * 2,
    *LETTERS * 3,
    *ENCODING_EDGES * 2,
)

# Segments for the tokenizers that call MeCab.
JAPANESE = ["本日は晴天なり。", "すもももももももものうち", " 東京 都に住む\u3000。 ", "", "ABC 123"]
KOREAN = ["안녕하세요 세계.", "아버지가방에들어가신다", " 서울 ", "", "ABC 123"]


def random_text(generator: random.Random, max_pieces: int = 24) -> str:
    """A random string: of every piece, or of the dense ones alone; seldom a long one."""
    kind = generator.random()
    pieces = DENSE if kind < 0.25 else PIECES
    length = generator.randint(0, max_pieces)
    if kind > 0.998:
        length *= 40
    return "".join(generator.choices(pieces, k=length))
