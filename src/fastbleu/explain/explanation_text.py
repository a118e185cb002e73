"""An explanation as a table for a terminal."""

from __future__ import annotations

from itertools import chain

from ..options import check_integer
from .terminal import shown, table_lines, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .explanation import Explanation, Ngram, Order

#: The columns of numbers need this width.
_LEAST_WIDTH = 70

#: The order of n-grams in a table: clipped ones first.
STATUSES = ("clipped", "counted", "not found")


def text_table(
    explanation: Explanation, width: int, limit: int | None, decimals: int = 2, short: bool = False
) -> str:
    """Format an explanation as text.

    Args:
        explanation: The explanation.
        width: Columns of the terminal, at least 70.
        limit: The number of n-grams of each order to list; None for all.
        decimals: The number of decimals of the score.
        short: Whether to print the short signature.

    Raises:
        TypeError: `width` or `limit` is not an integer.
        ValueError: `width` or `limit` is too small.
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
    """Return the n-grams of an order: clipped ones, then fully counted ones, then those found in no reference."""
    return sorted(order.ngrams, key=lambda ngram: STATUSES.index(ngram.status))


def summary(order: Order) -> str:
    """Describe the number of n-grams of an order, of those in some reference, and of those that count."""
    if not order.ngrams:
        return "none"
    return f"{order.total}, of which {order.matched} in some reference, {order.correct} counted"


def percent(part: float, whole: float = 1) -> str:
    """Return a percentage with two decimals, without the percent sign; a dash if `whole` is 0."""
    return f"{100 * part / whole:.2f}" if whole else "-"


def means(explanation: Explanation) -> list[tuple[str, str, str]]:
    """Return the name of each mean, with the means of the plain and of the modified precisions as percentages."""
    named = (
        ("arithmetic mean", explanation.plain_arithmetic_mean, explanation.modified_arithmetic_mean),
        ("geometric mean", explanation.plain_geometric_mean, explanation.modified_geometric_mean),
    )
    return [(name, percent(plain), percent(modified)) for name, plain, modified in named]


def reference_lengths(explanation: Explanation) -> str:
    """Describe the lengths of the references, and the one that the score compares with."""
    lengths = ", ".join(map(str, explanation.ref_lens))
    return f"references {lengths}; compared with {explanation.ref_len} ({explanation.reference_length})"


def other_penalties(explanation: Explanation) -> str:
    """Describe the brevity penalty under the closest and under the shortest length."""
    closest, shortest = explanation.closest_ref_len, explanation.shortest_ref_len
    return (
        f"with the closest length ({closest}) {explanation.closest_brevity_penalty:.4f}, "
        f"with the shortest ({shortest}) {explanation.shortest_brevity_penalty:.4f}"
    )


def _segments(explanation: Explanation, width: int) -> list[str]:
    """Return the tokens of the hypothesis and of its references, wrapped beside their names."""
    names = ["hypothesis", *(f"reference {i}" for i in range(1, len(explanation.references) + 1))]
    margin = max(map(len, names)) + 2
    lines = []
    for name, tokens in zip(names, (explanation.hypothesis, *explanation.references), strict=True):
        words = ["(missing)"] if tokens is None else map(shown, tokens)
        lines += _beside(name, words, margin, width)
    return lines


def _precisions(explanation: Explanation) -> list[str]:
    """Return one line per order with the plain, the modified and the smoothed precision; then the means."""
    rows = [["precision", "plain", "%", "modified", "%", "smoothed %"]]
    for order, smoothed in zip(explanation.orders, explanation.score.precisions, strict=True):
        plain = [f"{order.matched}/{order.total}", percent(order.matched, order.total)]
        modified = [f"{order.correct}/{order.total}", percent(order.correct, order.total)]
        rows.append([f"{order.n}-grams", *plain, *modified, f"{smoothed:.2f}"])
    rows += [[name, "", plain, "", modified, ""] for name, plain, modified in means(explanation)]
    return list(table_lines([(head, cells) for head, *cells in zip(*rows, strict=True)], _LEAST_WIDTH))


def _lengths(explanation: Explanation, width: int) -> list[str]:
    """Return the lines of the lengths and of the brevity penalties."""
    length = f"{explanation.sys_len}; {reference_lengths(explanation)}"
    penalty = f"{explanation.brevity_penalty:.4f}; {other_penalties(explanation)}"
    rows = (("length", length.split()), ("brevity penalty", penalty.split()))
    return [line for name, words in rows for line in _beside(name, words, 17, width)]


def _beside(name: str, words: Iterable[str], margin: int, width: int) -> list[str]:
    """Return lines of words beside their name, wrapped; the name takes `margin` columns."""
    lines = wrapped(words, width - margin)
    return [f"{'' if i else name:{margin}}{line}".rstrip() for i, line in enumerate(lines)]


def _ngrams(order: Order, width: int, limit: int | None) -> list[str]:
    """Return the table of an order's n-grams. Their text is last, so its width and direction move no column."""
    title = f"{order.n}-grams: {summary(order)}"
    if not order.ngrams:
        return [title]
    ngrams = by_status(order)
    listed = ngrams[:limit]
    references = ["-" if ngram.reference is None else str(ngram.reference + 1) for ngram in listed]
    columns = [
        # Aligned to the right, like the other columns.
        ("  count", [f"{ngram.count:7}" for ngram in listed]),
        ("largest", [str(ngram.reference_count) for ngram in listed]),
        ("reference", references),
        ("clipped count", [str(ngram.clipped_count) for ngram in listed]),
        ("", [ngram.status for ngram in listed]),
    ]
    table = list(table_lines(columns, width))
    margin = max(map(len, table)) + 2
    texts = [["n-gram"], *(map(shown, ngram.tokens) for ngram in listed)]
    beside = (_beside(line, words, margin, width) for line, words in zip(table, texts, strict=True))
    lines = [title, *chain.from_iterable(beside)]
    unlisted = [ngram.status for ngram in ngrams[len(listed) :]]
    if unlisted:
        kinds = ", ".join(f"{unlisted.count(kind)} {kind}" for kind in STATUSES if kind in unlisted)
        lines.append(f"  and {len(unlisted)} more: {kinds}")
    return lines
