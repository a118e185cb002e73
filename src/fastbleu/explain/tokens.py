"""Tokens as HTML, coloured by the n-grams that they matched: what every page shows of a segment."""

from __future__ import annotations

from .text import escaped, shown_ngram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .explanation import Explanation, Tokens
    from .marks import Mark

#: The characters that mean something in HTML text or in quoted attributes, escaped.
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})

#: With more orders than these, the legend shows only those that occur.
_LEGEND_ORDERS = 8


def html_text(text: str) -> str:
    """Text escaped for HTML; characters that cannot be shown become backslash escapes."""
    return escaped(text).translate(ENTITIES)


def shown_orders(most: int, marked: Iterable[int]) -> list[int]:
    """The orders that a page has colours for: all, or only those that occur where there are many.

    Args:
        most: The longest order.
        marked: The orders that occur on the page.
    """
    return list(range(1, most + 1)) if most <= _LEGEND_ORDERS else sorted(set(marked) - {0})


def legend(orders: Iterable[int], with_also: bool = True) -> str:
    """What each colour means, as a list with a sample of each.

    Args:
        orders: The orders that the page has colours for.
        with_also: Whether tokens are marked that are clipped by themselves, but not in a longer n-gram.
    """
    samples = [(f"match n{n}", f"in a {n}-gram that counts") for n in orders]
    samples.append(("clipped", "clipped: in a reference, but not this often"))
    if with_also:
        samples.append(("also", "clipped by itself, but in a longer n-gram that counts"))
    items = "".join(f'<li><span class="{kind}">word</span>{meaning}</li>' for kind, meaning in samples)
    return f'<ul class="legend" aria-label="Legend">{items}<li><span>word</span>in no reference</li></ul>\n'


def marked_words(
    words: Iterable[str], orders: Iterable[int], joined: Iterable[bool], notes: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Each token as HTML; those of one match stand in one frame.

    Args:
        words: The tokens as they are to be read, not yet escaped for HTML.
        orders: The order of the n-gram that each is part of, 0 if there is none.
        joined: Whether the next token is part of the same match.
        notes: The CSS class of each token and its title, both "" where there is nothing to say.
    """
    framed = False
    for i, (word, order, stays, (kind, title)) in enumerate(zip(words, orders, joined, notes, strict=True)):
        if i:
            yield " "
        if order and not framed:
            yield f'<span class="match n{order}">'
        attributes = f' class="{kind}"' if kind else ""
        if title:
            attributes += f' title="{title.translate(ENTITIES)}"'
        text = word.translate(ENTITIES)
        yield f"<span{attributes}>{text}</span>" if attributes else text
        framed = stays
        if order and not framed:
            yield "</span>"


# Notes: the CSS class of a token, and its title, with tokens as `shown` gives them.


def hypothesis_notes(explanation: Explanation, marks: list[Mark]) -> Iterator[tuple[str, str]]:
    """What to say of each token of the hypothesis."""
    found = [{ngram.tokens: ngram for ngram in order.ngrams} for order in explanation.orders]
    for token, mark in zip(explanation.hypothesis, marks, strict=True):
        single = found[0][(token,)]
        if single.reference is None:
            yield "", "in no reference"
            continue
        clipped = (
            f"clipped: {single.count} times in the hypothesis, at most {single.reference_count} in a reference"
            f" ({single.reference + 1})"
        )
        if not mark.order:
            yield "clipped", clipped
            continue
        tokens = explanation.hypothesis[mark.start : mark.start + mark.order]
        where = found[mark.order - 1][tokens].reference or 0
        title = f"{mark.order}-gram {_quoted(tokens)} counts: in reference {where + 1}"
        yield ("", title) if mark.single else ("also", f"{title}; as a 1-gram {clipped}")


def reference_notes(
    explanation: Explanation, reference: Tokens, marks: list[Mark]
) -> Iterator[tuple[str, str]]:
    """What to say of each token of a reference."""
    ours = set(explanation.hypothesis)
    for i, mark in enumerate(marks):
        if mark.order:
            tokens = reference[mark.start : mark.start + mark.order]
            yield "", f"{mark.order}-gram {_quoted(tokens)} in the hypothesis"
        else:
            yield "", "less often in the hypothesis" if reference[i] in ours else "not in the hypothesis"


def _quoted(tokens: Tokens) -> str:
    """An n-gram in quotation marks; its direction of writing does not affect the text around it."""
    text = shown_ngram(tokens)
    return f"“{text}”" if text.isascii() else f"“\u2068{text}\u2069”"
