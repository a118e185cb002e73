"""An explanation as a table for a terminal."""

from __future__ import annotations

from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from .explanation import Explanation, Ngram, Order

#: The columns of numbers need as much.
_LEAST_WIDTH = 70

#: Format characters that belong to words: the zero-width non-joiner and joiner, of Persian or of emoji.
_JOINERS = "\u200c\u200d"

#: The order of n-grams in a table: first those that were clipped.
STATUSES = ("clipped", "counted", "not found")


def text_table(
    explanation: Explanation, width: int, limit: int | None, decimals: int = 2, short: bool = False
) -> str:
    """Write an explanation out.

    Args:
        explanation: What to write.
        width: Columns of the terminal, at least 70.
        limit: How many n-grams of each order to list; None for all.
        decimals: How many decimals the score has.
        short: Whether the signature is short.

    Raises:
        TypeError: `width` or `limit` is not an integer.
        ValueError: One of them is too small.
    """
    width = check_integer("width", width, _LEAST_WIDTH)
    limit = None if limit is None else check_integer("limit", limit, 0)
    score = explanation.score
    lines = [score.format(decimals)]
    if score.signature is not None:
        lines.append(score.signature.format(short))
    lines += [
        "",
        *_segments(explanation, width),
        "",
        *_precisions(explanation),
        "",
        *_lengths(explanation, width),
    ]
    for order in explanation.orders:
        lines += ["", *_ngrams(order, width, limit)]
    return "\n".join(lines)


def by_status(order: Order) -> list[Ngram]:
    """The n-grams of an order: the clipped ones, those counted as they stand, those in no reference."""
    return sorted(order.ngrams, key=lambda ngram: STATUSES.index(ngram.status))


def ratio(numerator: int, denominator: int) -> str:
    """A precision as a fraction, 2/7 for example."""
    return f"{numerator}/{denominator}"


def percent(part: float, whole: float = 1) -> str:
    """A percentage with two decimals, without the percent sign; a dash if `whole` is 0."""
    return f"{100 * part / whole:.2f}" if whole else "-"


def _segments(explanation: Explanation, width: int) -> list[str]:
    """The tokens of the hypothesis and of its references, wrapped beside their names."""
    names = ["hypothesis", *(f"reference {i}" for i in range(1, len(explanation.references) + 1))]
    margin = max(map(len, names)) + 2
    lines = []
    for name, tokens in zip(names, (explanation.hypothesis, *explanation.references), strict=True):
        words = ["(absent)"] if tokens is None else map(shown, tokens)
        lines += _beside(name, words, margin, width)
    return lines


def _precisions(explanation: Explanation) -> list[str]:
    """One line per order: the plain, the modified and the smoothed precision; then the means."""
    rows = [["precision", "plain", "%", "modified", "%", "smoothed %"]]
    for order, smoothed in zip(explanation.orders, explanation.score.precisions, strict=True):
        plain = [ratio(order.matched, order.total), percent(order.matched, order.total)]
        modified = [ratio(order.correct, order.total), percent(order.correct, order.total)]
        rows.append([f"{order.n}-grams", *plain, *modified, f"{smoothed:.2f}"])
    for name, plain_mean, modified_mean in (
        ("arithmetic mean", explanation.plain_arithmetic_mean, explanation.modified_arithmetic_mean),
        ("geometric mean", explanation.plain_geometric_mean, explanation.modified_geometric_mean),
    ):
        rows.append([name, "", percent(plain_mean), "", percent(modified_mean), ""])
    return _aligned(rows, names=True)


def _lengths(explanation: Explanation, width: int) -> list[str]:
    lengths = ", ".join(map(str, explanation.ref_lens))
    closest, shortest = explanation.closest_ref_len, explanation.shortest_ref_len
    length = (
        f"{explanation.sys_len}; references {lengths}; "
        f"compared with {explanation.ref_len} ({explanation.reference_length})"
    )
    penalty = (
        f"{explanation.brevity_penalty:.4f}; "
        f"with the closest length ({closest}) {explanation.closest_brevity_penalty:.4f}, "
        f"with the shortest ({shortest}) {explanation.shortest_brevity_penalty:.4f}"
    )
    rows = (("length", length.split()), ("brevity penalty", penalty.split()))
    return [line for name, words in rows for line in _beside(name, words, 17, width)]


def _beside(name: str, words: Iterable[str], margin: int, width: int) -> list[str]:
    """Words beside their name, wrapped."""
    lines = wrapped(words, width - margin)
    return [f"{'' if i else name:{margin}}{line}".rstrip() for i, line in enumerate(lines)]


def _ngrams(order: Order, width: int, limit: int | None) -> list[str]:
    """An order's n-grams; the text comes last, so that its width and direction of writing move no column."""
    title = (
        f"{order.n}-grams: {order.total}, of which {order.matched} in some reference, {order.correct} counted"
    )
    if not order.ngrams:
        return [f"{order.n}-grams: none"]
    ngrams = by_status(order)
    listed = ngrams[:limit]
    rows = [["  count", "largest", "reference", "clipped count", ""]]
    for ngram in listed:
        where = "-" if ngram.reference is None else str(ngram.reference + 1)
        rows.append(
            [str(ngram.count), str(ngram.reference_count), where, str(ngram.clipped_count), ngram.status]
        )
    table = _aligned(rows)
    margin = max(map(len, table)) + 2
    texts = ["n-gram", *(cut(shown_ngram(ngram.tokens), max(width - margin, 6)) for ngram in listed)]
    lines = [title, *(f"{line:{margin}}{text}" for line, text in zip(table, texts, strict=True))]
    left_out = [ngram.status for ngram in ngrams[len(listed) :]]
    if left_out:
        kinds = ", ".join(f"{left_out.count(kind)} {kind}" for kind in STATUSES if kind in left_out)
        lines.append(f"  and {len(left_out)} more: {kinds}")
    return lines


def _aligned(rows: list[list[str]], names: bool = False) -> list[str]:
    """Cells in columns, to the right; names in the first one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        if names:
            cells[0] = row[0].ljust(widths[0])
        lines.append("  ".join(cells).rstrip())
    return lines


# Tokens for a terminal


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


def counted(number: int, noun: str) -> str:
    """A number of things in words, with commas between thousands.

    Example:
        >>> counted(1, "segment"), counted(1002, "segment")
        ('1 segment', '1,002 segments')
    """
    return f"{number:,} {noun}{'s'[: number != 1]}"


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
