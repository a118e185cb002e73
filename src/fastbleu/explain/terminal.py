"""Text for a terminal: tokens that can be printed anywhere, and text measured, cut and wrapped by columns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

#: Format characters that belong to words: the zero-width non-joiner and joiner, of Persian or of emoji.
_JOINERS = "\u200c\u200d"


def shown(token: Hashable) -> str:
    r"""A token as text that can be printed anywhere.

    Control characters, lone surrogates, marks that turn the direction of writing and the like become backslash
    escapes; an empty token, one with white space in it, and one that is not a str become their repr.

    Example:
        >>> shown("mat"), shown("\ud800"), shown("New York"), shown(7)
        ('mat', '\\ud800', "'New York'", '7')
    """
    text = token if isinstance(token, str) and token and not any(map(str.isspace, token)) else repr(token)
    return escaped(text)


def escaped(text: str) -> str:
    """Text in which characters that cannot be printed are backslash escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in _JOINERS else ascii(character)[1:-1]
        for character in text
    )


def shown_ngram(tokens: Iterable[Hashable]) -> str:
    """An n-gram as text, its tokens joined by spaces."""
    return " ".join(map(shown, tokens))


def columns(text: str) -> int:
    """Count the columns of a terminal that a text takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(character) in ("Mn", "Me", "Cf") else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(text: str, width: int) -> str:
    """The text; if it is wider, as much of it as fits into `width` columns with an ellipsis."""
    if columns(text) <= width:
        return text
    used = 1
    for position, character in enumerate(text):
        used += columns(character)
        if used > width:
            return f"{text[:position]}…"
    return text


def padded(text: str, width: int) -> str:
    """The text with spaces after it, `width` columns wide."""
    return text + " " * max(0, width - columns(text))


def wrapped(words: Iterable[str], width: int) -> list[str]:
    """Words joined by spaces, on lines of at most `width` columns; a longer word is cut."""
    lines: list[str] = []
    line = ""
    for word in (cut(word, width) for word in words):
        longer = f"{line} {word}" if line else word
        if columns(longer) > width:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]
