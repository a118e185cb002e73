"""Text as Perl sees it: what is white space to it, what it lowercases, and lines of bytes as columns.

Perl reads the files of multi-bleu.perl as bytes. White space is then ASCII's alone: no-break and ideographic spaces are
parts of words, and so is any byte that is not UTF-8. In decoded text, white space is Unicode's. In neither are the
characters from U+001C to U+001F white space, which they are to Python and to the compiled tokenizers.
"""

from __future__ import annotations

from ...errors import ArgumentTypeError, describe
from ...inputs._lines import column_of_lines
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...errors import Place
    from ...inputs._text import TextColumn

#: White space to Python, and not to Perl.
SEPARATORS = "\x1c\x1d\x1e\x1f"

# Lone surrogates stand for the separators: they are not white space, and decoded text has none.
_STAND_INS = {ord(each): 0xDC00 + ord(each) for each in SEPARATORS}
_SEPARATOR_BYTES = SEPARATORS.encode()

# A character for each byte: Latin-1, but for the six bytes that would be white space of Python's.
_OF_BYTES = "".join(chr(0x100 + i) if i in b"\x1c\x1d\x1e\x1f\x85\xa0" else chr(i) for i in range(256))


def lines_of(segments: Any, where: Place, on_one_line: Callable[[str], str]) -> bytes:
    """Write segments as a file would hold them, one a line.

    Args:
        segments: A sequence of str and bytes.
        where: What errors call it.
        on_one_line: Replaces the line breaks in a segment that has some.

    Returns:
        UTF-8, lone surrogates as three bytes; bytes as they are. Each line ends with a newline.

    Raises:
        TypeError: It is not a sequence of text, or a bare str.
    """
    listed = as_list(segments, where)
    try:
        text = "\n".join(listed)  # a TypeError says so
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
    """Read files whose words are bytes between ASCII white space.

    Args:
        files: The contents of each. Words of different files are compared, so that all are read in the same way.

    Returns:
        A column of lines for each, of valid UTF-8 in which white space is where Perl sees it.
    """
    if not all(data.isascii() and not _has_separator(data) for data in files):
        from codecs import charmap_decode

        files = [charmap_decode(data, "strict", _OF_BYTES)[0].encode() for data in files]
    return [column_of_lines(data) for data in files]


def _has_separator(data: bytes) -> bool:
    return any(separator in data for separator in _SEPARATOR_BYTES)


def hide_separators(text: str) -> str:
    r"""Replace the characters that are white space to the tokenizers, but not to Perl.

    Example:
        >>> hide_separators("a" + chr(0x1C) + "b").split(), hide_separators("a b")
        (['a\udc1cb'], 'a b')
    """
    if any(separator in text for separator in SEPARATORS):
        return text.translate(_STAND_INS)
    return text


def lc(text: str) -> str:
    """Lowercase decoded text as Perl does, which has no final form of sigma.

    Example:
        >>> lc("ΟΔΟΣ"), "ΟΔΟΣ".lower()
        ('οδοσ', 'οδος')
    """
    return text.replace("Σ", "σ").lower()


def rewrite_13a(text: str) -> str:
    """Do the first part of mteval-v13a.pl's tokenization, so that the compiled tokenizer leaves the rest unchanged.

    That is to strip "<skipped>" and to resolve four entities, once. A space is put after each "&" and "<" that is
    left; they are tokens of their own anyway. So nothing can be stripped or resolved a second time, even if it is
    lowercased first.

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
