"""Format an explanation as a table for a terminal."""

from __future__ import annotations

from itertools import chain

from ..options import check_integer
from .terminal import shown, table_lines, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .explanation import Explanation, Ngram, Order

#: The smallest allowed width in terminal columns. The numbers in the tables need this width.
_MIN_WIDTH = 70

#: The values of `Ngram.status`, in the order in which a table lists n-grams.
STATUSES = ("clipped", "counted", "not found")


def text_table(
    explanation: Explanation, width: int, limit: int | None, decimals: int = 2, short: bool = False
) -> str:
    """Format an explanation as text.

    Args:
        explanation: The explanation.
        width: The number of columns of the terminal, >= 70.
        limit: The maximum number of n-grams to list for each order; None to list all.
        decimals: The number of decimals of the score.
        short: Whether to use the short form of the signature.

    Raises:
        TypeError: `width` or `limit` is not an integer.
        ValueError: `width` is below 70, or `limit` is negative.
    """
    width = check_integer("width", width, _MIN_WIDTH)
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
    """Return the n-grams of an order, sorted by status: "clipped", then "counted", then "not found"."""
    return sorted(order.ngrams, key=lambda ngram: STATUSES.index(ngram.status))


def summary(order: Order) -> str:
    """Describe how many n-grams of an order there are, how many are in some reference, and how many count."""
    if not order.ngrams:
        return "none"
    return f"{order.total}, of which {order.matched} in some reference, {order.correct} counted"


def percent(numerator: float, denominator: float = 1) -> str:
    """Format a fraction as a percentage with two decimals, without "%"; return "-" if `denominator` is 0."""
    return f"{100 * numerator / denominator:.2f}" if denominator else "-"


def means(explanation: Explanation) -> list[tuple[str, str, str]]:
    """Return the arithmetic and the geometric mean of the precisions.

    Returns:
        Two tuples (name, mean of the plain precisions, mean of the modified precisions), whose means are formatted as
        percentages.
    """
    named = (
        ("arithmetic mean", explanation.plain_arithmetic_mean, explanation.modified_arithmetic_mean),
        ("geometric mean", explanation.plain_geometric_mean, explanation.modified_geometric_mean),
    )
    return [(name, percent(plain), percent(modified)) for name, plain, modified in named]


def reference_lengths(explanation: Explanation) -> str:
    """Describe the lengths of the references, and the reference length of the score."""
    lengths = ", ".join(map(str, explanation.ref_lens))
    return f"references {lengths}; compared with {explanation.ref_len} ({explanation.reference_length})"


def other_penalties(explanation: Explanation) -> str:
    """Describe the brevity penalties with the closest and with the shortest reference length."""
    closest, shortest = explanation.closest_ref_len, explanation.shortest_ref_len
    return (
        f"with the closest length ({closest}) {explanation.closest_brevity_penalty:.4f}, "
        f"with the shortest ({shortest}) {explanation.shortest_brevity_penalty:.4f}"
    )


def _segments(explanation: Explanation, width: int) -> list[str]:
    """Return lines with the tokens of each segment, to the right of its name, such as "reference 1"."""
    names = ["hypothesis", *(f"reference {i}" for i in range(1, len(explanation.references) + 1))]
    margin = max(map(len, names)) + 2
    lines = []
    for name, tokens in zip(names, (explanation.hypothesis, *explanation.references), strict=True):
        words = ["(missing)"] if tokens is None else map(shown, tokens)
        lines += _beside(name, words, margin, width)
    return lines


def _precisions(explanation: Explanation) -> list[str]:
    """Return the lines of the table of precisions, which has a line for each order and for each mean."""
    rows = [["precision", "plain", "%", "modified", "%", "smoothed %"]]
    for order, smoothed in zip(explanation.orders, explanation.score.precisions, strict=True):
        plain = [f"{order.matched}/{order.total}", percent(order.matched, order.total)]
        modified = [f"{order.correct}/{order.total}", percent(order.correct, order.total)]
        rows.append([f"{order.n}-grams", *plain, *modified, f"{smoothed:.2f}"])
    rows += [[name, "", plain, "", modified, ""] for name, plain, modified in means(explanation)]
    return list(table_lines([(head, cells) for head, *cells in zip(*rows, strict=True)], _MIN_WIDTH))


def _lengths(explanation: Explanation, width: int) -> list[str]:
    """Return lines that describe the lengths and the brevity penalties."""
    length = f"{explanation.sys_len}; {reference_lengths(explanation)}"
    penalty = f"{explanation.brevity_penalty:.4f}; {other_penalties(explanation)}"
    rows = (("length", length.split()), ("brevity penalty", penalty.split()))
    return [line for name, words in rows for line in _beside(name, words, 17, width)]


def _beside(name: str, words: Iterable[str], margin: int, width: int) -> list[str]:
    """Return words as wrapped lines of at most `width` columns, with a name to the left of them.

    Args:
        name: The name, in front of the first line.
        words: The words.
        margin: The number of columns on the left that are reserved for the name.
        width: The number of columns of a line, including the margin.
    """
    lines = wrapped(words, width - margin)
    return [f"{'' if i else name:{margin}}{line}".rstrip() for i, line in enumerate(lines)]


def _ngrams(order: Order, width: int, limit: int | None) -> list[str]:
    """Return the lines of the table of one order's n-grams.

    The text of an n-gram is in the last column, so that wide or right-to-left text does not shift other columns.
    """
    title = f"{order.n}-grams: {summary(order)}"
    if not order.ngrams:
        return [title]
    ngrams = by_status(order)
    listed = ngrams[:limit]
    references = ["-" if ngram.reference is None else str(ngram.reference + 1) for ngram in listed]
    columns = [
        # Pad the numbers on the left, since `table_lines` aligns the first column to the left.
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
