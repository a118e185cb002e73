"""Format explanations as an HTML page, which needs neither scripts nor other files."""

from __future__ import annotations

from ..errors import ArgumentValueError, counted
from .explanation_text import by_status, means, other_penalties, percent, reference_lengths, summary
from .html_pages import base_style, file_beside, html_text, legend, marked_words
from .ngram_marks import hypothesis_marks, reference_marks
from .terminal import shown, shown_ngram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .explanation import Explanation, Order, Tokens
    from .ngram_marks import Mark

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
"""

_ROW_CLASSES = {"counted": "", "clipped": ' class="lost"', "not found": ' class="absent"'}


def html_page(explanations: Sequence[Explanation], titles: Sequence[str]) -> str:
    """Format explanations as one HTML page, one below the other.

    Args:
        explanations: The explanations, at least one.
        titles: The heading of each explanation. The first one is also the title of the page.

    Returns:
        An HTML document. It contains no lone surrogates, so it can be encoded as UTF-8.

    Raises:
        ValueError: There is no explanation, or the numbers of explanations and titles differ.

    Example:
        >>> from fastbleu import BLEU
        >>> from fastbleu.explain import explain
        >>> bleu = BLEU(effective_order=True)
        >>> pairs = [("a cat", ["the cat"]), ("it rains", ["it rained"])]
        >>> explanations = [explain(bleu, hypothesis, references) for hypothesis, references in pairs]
        >>> html_page(explanations, ["first", "second"]).count("<article")
        2
    """
    if not explanations:
        raise ArgumentValueError("explanations", "must hold at least one explanation", value=explanations)
    if len(titles) != len(explanations):
        problem = f"must hold one title per explanation, {len(explanations)}, not {len(titles)}"
        raise ArgumentValueError("titles", problem, value=titles)
    max_order = max(len(explanation.orders) for explanation in explanations)
    style = file_beside(__file__, "explanation.css")
    parts = [
        _HEAD,
        f"<title>{html_text(titles[0])}</title>\n<style>\n{base_style(max_order)}{style}",
        "</style>\n</head>\n<body>\n<main>\n",
        *(
            part
            for explanation, title in zip(explanations, titles, strict=True)
            for part in _article(explanation, title, max_order)
        ),
        "</main>\n</body>\n</html>\n",
    ]
    return "".join(parts)


def _article(explanation: Explanation, title: str, max_order: int) -> Iterator[str]:
    """Yield the HTML of one explanation.

    Args:
        explanation: The explanation.
        title: The heading.
        max_order: The largest order of all explanations on the page, up to which the legend explains colors.
    """
    signature = explanation.score.signature
    yield f"<article>\n<header>\n<h1>{html_text(title)}</h1>\n"
    if signature is not None:
        yield f'<p class="signature">{html_text(str(signature))}</p>\n'
    yield f"</header>\n{_tiles(explanation)}{legend(max_order)}"
    yield '<section class="cards segments" aria-label="Segments">\n'
    marks = hypothesis_marks(explanation)
    yield _segment("hypothesis", explanation.hypothesis, marks, hypothesis_notes(explanation, marks))
    yield '<div class="references">\n'
    compared = explanation.compared_reference
    for i, reference in enumerate(explanation.references):
        marks = [] if reference is None else reference_marks(explanation, reference)
        notes = () if reference is None else reference_notes(explanation, reference, marks)
        remark = ", the length compared with" if i == compared else ""
        yield _segment(f"reference {i + 1}", reference, marks, notes, remark)
    yield f"</div>\n{_precisions(explanation)}</section>\n"
    yield '<section class="cards ngrams" aria-label="N-grams">\n'
    yield from map(_ngrams, explanation.orders)
    yield "</section>\n</article>\n"


def _segment(
    name: str, tokens: Tokens | None, marks: list[Mark], notes: Iterable[tuple[str, str]], remark: str = ""
) -> str:
    """Return the HTML section of a segment, in which tokens are colored by matches.

    Args:
        name: The heading, such as "reference 1".
        tokens: The tokens; None for a missing reference.
        marks: The mark of each token.
        notes: The CSS class and the title of each token.
        remark: Text that follows the length in the heading.
    """
    if tokens is None:
        length, words = "missing", '<span class="nothing">no reference</span>'
    else:
        length = counted(len(tokens), "token")
        marked = marked_words(
            map(shown, tokens), (mark.order for mark in marks), (mark.joined for mark in marks), notes
        )
        words = "".join(marked) or '<span class="nothing">empty</span>'
    return (
        f'<section class="card {name.split(maxsplit=1)[0]}">\n<h2><b>{name}</b> · {length}{remark}</h2>\n'
        f'<p class="tokens" dir="auto">{words}</p>\n</section>\n'
    )


def _tiles(explanation: Explanation) -> str:
    """Return the HTML of three figures in large type: the score, the brevity penalty, and the two lengths."""
    score = explanation.score
    unsmoothed = 100 * explanation.brevity_penalty * explanation.modified_geometric_mean
    tiles = [
        ("BLEU", score.format(score_only=True), f"{unsmoothed:.2f} without smoothing"),
        ("brevity penalty", f"{explanation.brevity_penalty:.4f}", other_penalties(explanation)),
        ("length", f"{explanation.sys_len} : {explanation.ref_len}", reference_lengths(explanation)),
    ]
    cells = (
        f'<div class="card"><dt>{name}</dt><dd>{html_text(value)}<small>{html_text(note)}</small></dd></div>\n'
        for name, value, note in tiles
    )
    return f'<dl class="tiles">\n{"".join(cells)}</dl>\n'


def _precisions(explanation: Explanation) -> str:
    """Return the HTML table of precisions, with a bar for the shares of counted and of clipped n-grams."""
    rows = []
    for order, smoothed in zip(explanation.orders, explanation.score.precisions, strict=True):
        counted_share = 100 * order.correct / (order.total or 1)
        clipped_share = 100 * (order.matched - order.correct) / (order.total or 1)
        rows.append(
            f"<tr><th scope=row>{order.n}-grams</th>"
            f"<td>{_precision(order.matched, order.total)}</td><td>{_precision(order.correct, order.total)}</td>"
            f'<td>{smoothed:.2f} %</td><td class="bar"><span aria-hidden="true">'
            f'<b style="width:{counted_share:.2f}%"></b><i style="width:{clipped_share:.2f}%"></i></span></td></tr>\n'
        )
    foot = "".join(
        f"<tr><th scope=row>{name}</th><td>{plain} %</td><td>{modified} %</td><td></td><td></td></tr>\n"
        for name, plain, modified in means(explanation)
    )
    return (
        '<section class="card precisions">\n<div class="scroll" tabindex="0"><table>\n'
        "<thead><tr><th scope=col>precision</th><th scope=col>plain</th><th scope=col>modified (clipped)</th>"
        '<th scope=col>smoothed</th><th class="bar"></th></tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody>\n<tfoot>\n{foot}</tfoot>\n</table></div>\n</section>\n"
    )


def _precision(numerator: int, denominator: int) -> str:
    """Return the HTML of a precision: the fraction and the percentage."""
    share = percent(numerator, denominator)
    unit = " %" if denominator else ""
    return f'<span class="ratio">{numerator}/{denominator}</span>{share}{unit}'


def _ngrams(order: Order) -> str:
    """Return the HTML table of the n-grams of one order, clipped n-grams first."""
    rows = [
        f"<tr{_ROW_CLASSES[ngram.status]}>"
        f'<td class="text"><bdi>{html_text(shown_ngram(ngram.tokens))}</bdi></td><td>{ngram.count}</td>'
        f"<td>{ngram.reference_count}</td><td>{'–' if ngram.reference is None else ngram.reference + 1}</td>"
        f'<td>{ngram.clipped_count}</td><td class="status">{ngram.status}</td></tr>\n'
        for ngram in by_status(order)
    ]
    table = (
        f'<div class="scroll" tabindex="0"><table>\n<thead><tr><th scope=col class="text">n-gram</th>'
        "<th scope=col>count</th><th scope=col>largest in one reference</th><th scope=col>which</th>"
        "<th scope=col>clipped count</th><th></th></tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"
    )
    return (
        f'<section class="card"><h2>{order.n}-grams</h2>\n<p>{summary(order)}</p>\n'
        f"{table if rows else ''}</section>\n"
    )


# A note is a pair of strings for one token: a CSS class, and the text that a browser shows on hovering.


def hypothesis_notes(explanation: Explanation, marks: list[Mark]) -> Iterator[tuple[str, str]]:
    """Yield the note of each token of the hypothesis, which names the matching n-gram and reference."""
    by_tokens = [{ngram.tokens: ngram for ngram in order.ngrams} for order in explanation.orders]
    for token, mark in zip(explanation.hypothesis, marks, strict=True):
        single = by_tokens[0][(token,)]
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
        reference = by_tokens[mark.order - 1][tokens].reference or 0
        title = f"{mark.order}-gram {_quoted(tokens)} counts: in reference {reference + 1}"
        yield ("", title) if mark.single else ("also", f"{title}; as a 1-gram {clipped}")


def reference_notes(
    explanation: Explanation, reference: Tokens, marks: list[Mark]
) -> Iterator[tuple[str, str]]:
    """Yield the note of each token of a reference, which says whether the token occurs in the hypothesis."""
    hypothesis_tokens = set(explanation.hypothesis)
    for i, mark in enumerate(marks):
        if mark.order:
            tokens = reference[mark.start : mark.start + mark.order]
            yield "", f"{mark.order}-gram {_quoted(tokens)} in the hypothesis"
        else:
            is_found = reference[i] in hypothesis_tokens
            yield "", "less often in the hypothesis" if is_found else "not in the hypothesis"


def _quoted(tokens: Tokens) -> str:
    """Return an n-gram in quotation marks, isolated so that right-to-left text does not reorder the text around it."""
    text = shown_ngram(tokens)
    return f"“{text}”" if text.isascii() else f"“\u2068{text}\u2069”"
