"""Prepare text so that the compiled tokenizers split and lowercase it as Perl does.

multi-bleu.perl reads bytes, and only ASCII white space separates words. No-break spaces, ideographic spaces and bytes
that are not UTF-8 are parts of words. multi-bleu-detok.perl decodes its files, and Unicode white space separates words.
In neither script are U+001C to U+001F white space, although they are white space to Python and the compiled tokenizers.
"""

from __future__ import annotations

from ...errors import ArgumentTypeError, describe
from ...inputs._lines import column_of_lines
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...errors import Location
    from ...inputs._text import TextColumn

#: The characters that are white space to Python, but not to Perl.
SEPARATORS = "\x1c\x1d\x1e\x1f"

# A translation table from the separators to lone surrogates, which are not white space and never in decoded text.
_HIDDEN = {ord(each): 0xDC00 + ord(each) for each in SEPARATORS}
_SEPARATOR_BYTES = SEPARATORS.encode()

# A decoding table with one character per byte, as in Latin-1, except for six bytes that are white space only to Python.
_BYTE_CHARACTERS = "".join(chr(0x100 + i) if i in b"\x1c\x1d\x1e\x1f\x85\xa0" else chr(i) for i in range(256))


def lines_of(segments: Any, where: Location, on_one_line: Callable[[str], str]) -> bytes:
    """Return the content of a file that has one segment per line.

    Args:
        segments: A sequence of str and bytes.
        where: The name of the argument, for error messages.
        on_one_line: A function that replaces the line breaks in a segment.

    Returns:
        UTF-8, with lone surrogates as three bytes. Segments of bytes are copied. Each line ends with a newline.

    Raises:
        TypeError: `segments` is a bare str, or not a sequence of text.
    """
    listed = as_list(segments, where)
    try:
        text = "\n".join(listed)  # Raises a TypeError if a segment is not a str.
        if text.count("\n") == len(listed) - 1:
            return (text + "\n").encode("utf-8", "surrogatepass")
    except TypeError:
        pass
    lines = []
    for i, segment in enumerate(listed):
        if not isinstance(segment, (str, bytes)):
            raise ArgumentTypeError(
                where[i], f"must be a str or bytes, not {describe(segment)}", value=segment
            )
        text = segment if isinstance(segment, str) else segment.decode("utf-8", "surrogateescape")
        if "\n" in text:
            text = on_one_line(text)
        encoded = text.encode("utf-8", "surrogatepass" if isinstance(segment, str) else "surrogateescape")
        lines.append(encoded + b"\n")
    return b"".join(lines)


def words_in_bytes(files: list[bytes]) -> list[TextColumn]:
    """Read files in which ASCII white space separates words.

    Args:
        files: The content of each file. All are decoded in the same way, because their words are compared.

    Returns:
        A column of lines for each file, in valid UTF-8, with white space exactly where Perl finds it.
    """
    if not all(data.isascii() and not any(each in data for each in _SEPARATOR_BYTES) for data in files):
        from codecs import charmap_decode

        files = [charmap_decode(data, "strict", _BYTE_CHARACTERS)[0].encode() for data in files]
    return [column_of_lines(data) for data in files]


def hide_separators(text: str) -> str:
    r"""Replace the characters that are white space to the tokenizers, but not to Perl.

    Example:
        >>> hide_separators("a" + chr(0x1C) + "b").split(), hide_separators("a b")
        (['a\udc1cb'], 'a b')
    """
    if any(separator in text for separator in SEPARATORS):
        return text.translate(_HIDDEN)
    return text


def lc(text: str) -> str:
    """Lowercase text as Perl does, without the final form of sigma.

    Example:
        >>> lc("ΟΔΟΣ"), "ΟΔΟΣ".lower()
        ('οδοσ', 'οδος')
    """
    return text.replace("Σ", "σ").lower()


def rewrite_13a(text: str) -> str:
    """Apply the first part of mteval-v13a.pl's tokenization: remove "<skipped>", and unescape four entities.

    The compiled tokenizer repeats this part, and must not change the text again, even if it is lowercased in between.
    Therefore a space is inserted after each remaining "&" and "<", which are separate tokens in any case.

    Example:
        >>> rewrite_13a("&amp;lt; &quot;R&D&quot;")
        '< "R& D"'
        >>> rewrite_13a("&LT;")
        '& LT;'
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&", "& ").replace("<", "< ")
