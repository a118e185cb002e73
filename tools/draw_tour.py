"""Draw the pictures of `docs/how-it-works.md`: docs/images/tour-*.svg.

    python tools/draw_tour.py

Every bit, number and count is computed here, and the counts are compared with fastbleu's. The page includes the
pictures as they are, so that they have its font and its colours, in the light and in the dark scheme. Opened alone they
are light.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from fastbleu import BLEU
from fastbleu.rerank import pairwise

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"

#: Units of a picture, which become pixels on a telephone.
WIDTH = 400

#: Colours of the theme furo, and what they are where it is not there.
STYLE = """
.tour { display: block; width: 100%; max-width: 560px; height: auto; margin: 1.2em 0; }
.tour text { font: 12px var(--font-stack, sans-serif); fill: var(--color-foreground-primary, #202020); }
.tour .mono { font-family: var(--font-stack--monospace, monospace); }
.tour .middle { text-anchor: middle; }
.tour .end { text-anchor: end; }
.tour .bold { font-weight: 600; }
.tour .faint { fill: var(--color-foreground-muted, #5a5a5a); }
.tour .on { fill: var(--color-background-primary, #ffffff); font-weight: 600; }
.tour rect, .tour line, .tour path { stroke: var(--color-foreground-border, #878787); stroke-width: 1; fill: none; }
.tour .soft { fill: var(--color-background-secondary, #f8f9fb); stroke: var(--color-background-border, #dddddd); }
.tour .in { stroke: var(--color-brand-primary, #0a4bff); stroke-width: 1.5; }
.tour .taken { fill: var(--color-brand-primary, #0a4bff); stroke: none; }
.tour .used { stroke: #d55e00; stroke-width: 1.5; stroke-dasharray: 3 2; }
"""


class Picture:
    """An SVG, from the top down."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.parts: list[str] = []

    def text(self, x: float, y: float, text: object, classes: str = "", size: float = 12) -> None:
        style = "" if size == 12 else f' style="font-size: {size:g}px"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{classes}"{style}>{escape(str(text))}</text>')

    def box(self, x: float, y: float, width: float, height: float, classes: str = "soft") -> None:
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" class="{classes}"/>'
        )

    def cell(self, x: float, y: float, size: float, text: object, classes: str, height: float = 0) -> None:
        """A square of a grid, or a wider one, with its text in the middle: `classes` is in, taken, used or nothing."""
        height = height or size
        if classes:
            self.box(x + 1, y + 1, size - 2, height - 2, classes)
        text_classes = {"taken": "on", "": "faint"}.get(classes, "")
        self.text(x + size / 2, y + height / 2 + 4, text, f"mono middle {text_classes}", 11)

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')

    def arrow(self, x: float, y1: float, y2: float, text: str) -> None:
        """An arrow that points down, and what happens on its way."""
        self.line(x, y1, x, y2 - 1)
        self.parts.append(f'<path d="M{x - 4:g} {y2 - 6:g} L{x:g} {y2:g} L{x + 4:g} {y2 - 6:g}"/>')
        self.text(x + 10, (y1 + y2) / 2 + 4, text, "faint")

    def save(self, name: str, height: float) -> None:
        body = "\n".join(self.parts)
        (IMAGES / f"tour-{name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" class="tour" role="img" '
            f'aria-label="{escape(self.label)}">\n<style>{STYLE}</style>\n{body}\n</svg>\n',
            encoding="utf-8",
        )


def check(drawn: object, counted: object) -> None:
    if drawn != counted:
        raise SystemExit(f"the picture says {drawn}, fastbleu {counted}")


# The path of the data


def draw_path() -> None:
    hypotheses, references = ["to be", "or not to be"], ["to see", "or not to be"]
    bleu = BLEU(max_ngram_order=2)
    rows = bleu.statistics(hypotheses, [references])
    score = bleu.corpus_score(hypotheses, [references]).score
    check(bleu.score_statistics(rows.sum(axis=0)).score, score)
    picture = Picture(
        "Two strings become a column of bytes, then two rows of integers, then their sum, then a score."
    )

    picture.text(0, 14, "What users hold", "bold")
    x = 0.0
    for hypothesis in hypotheses:
        width = 8 * (len(hypothesis) + 2) + 12
        picture.box(x, 24, width, 24)
        picture.text(x + width / 2, 40, f'"{hypothesis}"', "mono middle")
        x += width + 10
    picture.text(x, 40, "or tokens, ids, files", "faint", 11)
    picture.arrow(20, 54, 84, "read once")

    picture.text(0, 102, "A column: bytes and offsets", "bold")
    data, offsets = "".join(hypotheses), [0]
    for hypothesis in hypotheses:
        offsets.append(offsets[-1] + len(hypothesis))
    size = 21
    for place, character in enumerate(data):
        picture.cell(10 + place * size, 112, size, "␣" if character == " " else character, "soft")
    for offset in offsets:
        picture.line(10 + offset * size, 112, 10 + offset * size, 140)
        picture.text(10 + offset * size, 153, offset, "mono middle", 11)
    picture.arrow(20, 162, 192, "tokenize, number, match, clip")

    picture.text(0, 210, "Rows of statistics: int64", "bold")
    heads = ["sys_len", "ref_len", "correct₁", "correct₂", "total₁", "total₂"]
    for place, head in enumerate(heads):
        picture.text(66 + place * 60, 228, head, "middle faint", 11)
    for line, row in enumerate([*rows.tolist(), rows.sum(axis=0).tolist()]):
        y = 234 + line * 24 + (6 if line == 2 else 0)
        picture.text(4, y + 16, "sum" if line == 2 else f"{line + 1}", "faint", 11)
        for place, count in enumerate(row):
            picture.cell(38 + place * 60, y, 56, count, "in" if line == 2 else "soft", 22)
    picture.arrow(20, 318, 348, "one formula")

    picture.text(0, 366, "Score", "bold")
    picture.text(48, 366, f"{score:.2f}", "mono")
    picture.save("path", 374)


# Block scanners


def bits_of(text: str, characters: str) -> int:
    return sum(1 << place for place, character in enumerate(text) if character in characters)


def draw_blocks() -> None:
    text = "Up 1,500 m, or 3.5-4 (ca.)"
    space = bits_of(text, " ") | -1 << len(text)
    joint, digit, dash = bits_of(text, ".,"), bits_of(text, "0123456789"), bits_of(text, "-")
    alone = bits_of(text, "()")
    apart = alone | joint & ~(digit << 1 & digit >> 1) | dash & digit << 1
    start = ~space & (apart | apart << 1 | space << 1 | 1)
    end = (space | start) & ~space << 1
    starts, ends = ([i for i in range(len(text) + 1) if word >> i & 1] for word in (start, end))
    tokens = [text[i:j] for i, j in zip(starts, ends, strict=True)]
    check(tokens, BLEU().tokenize(text))

    picture = Picture(
        "The text of the example below, and a word of bits for each class of bytes, one bit below each byte."
    )
    left, size = 52, 12.8
    rows: list[tuple[str, int, str]] = [
        ("space", space, "soft"),
        ("alone", alone, "soft"),
        ("joint", joint, "soft"),
        ("digit", digit, "soft"),
        ("dash", dash, "soft"),
        ("apart", apart, "in"),
        ("start", start, "taken"),
        ("end", end, "taken"),
    ]
    for place, character in enumerate(text):
        picture.text(
            left + (place + 0.5) * size, 14, "␣" if character == " " else character, "mono middle bold"
        )
    y = 22.0
    for line, (name, word, classes) in enumerate(rows):
        y += 8 if line in (5, 6) else 0
        picture.text(0, y + 11, name, "bold" if line > 4 else "")
        for place in range(len(text) + 1):
            x = left + place * size
            if word >> place & 1:
                picture.box(x + 1, y + 1, size - 2, 12, classes)
                picture.text(x + size / 2, y + 11, 1, "mono middle" + " on" * (classes == "taken"), 10)
            else:
                picture.text(x + size / 2, y + 10, "·", "mono middle faint", 10)
        y += 16
    y += 10
    picture.text(0, y + 12, "tokens")
    for i, j in zip(starts, ends, strict=True):
        picture.box(left + i * size + 0.5, y, (j - i) * size - 1, 17)
        for place in range(i, j):
            picture.text(left + (place + 0.5) * size, y + 12.5, text[place], "mono middle", 11.5)
    picture.save("blocks", y + 20)


# Position sets and classes of n-grams

REFERENCE = ["to", "be", "or", "not", "to", "be"]
HYPOTHESIS = ["or", "not", "to", "be", "to", "do", "to"]


def walk(
    reference: Sequence[str], hypothesis: Sequence[str], order: int
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """For each token of the hypothesis: its sets P1 to Pn, what of them is unused, and what each order takes."""
    positions: dict[str, int] = {}
    for position, token in enumerate(reference):
        positions[token] = positions.get(token, 0) | 1 << position
    sets, unused = [0] * order, [-1] * order
    for token in hypothesis:
        sets = [positions.get(token, 0) & shifted for shifted in [-1, *(found << 1 for found in sets[:-1])]]
        free = [found & left for found, left in zip(sets, unused, strict=True)]
        taken = [found & -found for found in free]
        unused = [left ^ bit for left, bit in zip(unused, taken, strict=True)]
        yield sets, free, taken


def draw_position_sets() -> None:
    steps = list(walk(REFERENCE, HYPOTHESIS, 4))
    correct = [sum(taken[n] != 0 for _, _, taken in steps) for n in range(4)]
    total = [len(HYPOTHESIS) - n for n in range(4)]
    row = BLEU(tokenize="none").statistics([" ".join(HYPOTHESIS)], [[" ".join(REFERENCE)]])[0].tolist()
    check([*correct, *total], row[2:])

    picture = Picture("The position sets of a reference, and the four sets of each token of a hypothesis.")
    size = 22
    picture.text(0, 14, "The sets of the reference", "bold")
    for position, token in enumerate(REFERENCE):
        picture.text(60 + (position + 0.5) * size, 34, token, "middle", 11)
        picture.text(60 + (position + 0.5) * size, 48, position, "mono middle faint", 10)
    y = 54
    for token in dict.fromkeys(REFERENCE):
        picture.text(0, y + 15, f"M[{token}]", "mono")
        for position, other in enumerate(REFERENCE):
            picture.cell(60 + position * size, y, size, *((1, "in") if other == token else ("·", "")))
        y += size

    y += 36
    picture.text(0, y - 10, "Along the hypothesis", "bold")
    size = 21
    heads = ["P₁ = M", "P₂ = M & (P₁ << 1)", "P₃ = M & (P₂ << 1)", "P₄ = M & (P₃ << 1)"]
    for n, head in enumerate(heads):
        left, top = 206 * (n % 2), y + (n // 2) * (len(HYPOTHESIS) * size + 52)
        picture.text(left, top + 12, head, "mono")
        for line, (token, (sets, free, taken)) in enumerate(zip(HYPOTHESIS, steps, strict=True)):
            place = top + 18 + line * size
            picture.text(left, place + 15, token)
            for position in range(len(REFERENCE)):
                bit = 1 << position
                shown = (1, "used") if sets[n] & ~free[n] & bit else (1, "in") if free[n] & bit else ("·", "")
                shown = (1, "taken") if taken[n] & bit else shown
                picture.cell(left + 32 + position * size, place, size, *shown)
            if taken[n]:
                picture.text(left + 32 + len(REFERENCE) * size + 5, place + 15, "✓")
        picture.text(
            left + 32, top + 18 + len(HYPOTHESIS) * size + 14, f"{correct[n]} of {total[n]} match", "bold", 11
        )
    y += 2 * (len(HYPOTHESIS) * size + 52) + 2
    keys = [(0, "taken", "taken: the lowest free"), (170, "in", "free"), (240, "used", "used before")]
    for left, classes, meaning in keys:
        picture.cell(left, y, 20, 1, classes)
        picture.text(left + 26, y + 14, meaning, "", 11)
    picture.save("position-sets", y + 24)


class Listed(NamedTuple):
    """An n-gram that can match, or a token."""

    end: int  # the token where it ends
    # The classes of its first and its last n - 1 tokens; at order 1 the token itself.
    key: tuple[int, int] | str
    number: int  # its class: the first place of its key among those of the reference, or 0


class Order(NamedTuple):
    """The n-grams of one order that are listed, and how often each class stands in a text."""

    reference: list[Listed]
    hypothesis: list[Listed]
    counts: Counter[int]
    wanted: Counter[int]


def classed(keys: list[tuple[int, Any]], first: dict[Any, int]) -> list[Listed]:
    return [Listed(end, key, first.get(key, 0)) for end, key in keys]


def longer(listed: list[Listed], other: Counter[int]) -> list[tuple[int, tuple[int, int]]]:
    """The n-grams of the next order whose two parts the other text has: where each ends, and its key."""
    return [
        (after.end, (before.number, after.number))
        for before, after in itertools.pairwise(listed)
        if after.end == before.end + 1 and other[before.number] and other[after.number]
    ]


def number_classes() -> list[Order]:
    orders: list[Order] = []
    ours: list[tuple[int, Any]] = list(enumerate(REFERENCE))
    theirs: list[tuple[int, Any]] = list(enumerate(HYPOTHESIS))
    for _ in range(4):
        first: dict[Any, int] = {}
        for place, (_, key) in enumerate(ours, 1):
            first.setdefault(key, place)
        reference, hypothesis = classed(ours, first), classed(theirs, first)
        counts = Counter(ngram.number for ngram in reference)
        wanted = Counter(ngram.number for ngram in hypothesis if ngram.number)
        orders.append(Order(reference, hypothesis, counts, wanted))
        ours, theirs = longer(reference, wanted), longer(hypothesis, counts)
    return orders


def draw_classes() -> None:
    orders = number_classes()
    correct = [(order.counts & order.wanted).total() for order in orders]
    total = [len(HYPOTHESIS) - n for n in range(4)]
    row = BLEU(tokenize="none").statistics([" ".join(HYPOTHESIS)], [[" ".join(REFERENCE)]])[0].tolist()
    check([*correct, *total], row[2:])

    picture = Picture(
        "The n-grams of a reference and of a hypothesis that are listed at each order, with their keys and classes."
    )
    size, left = 26, 44
    second = left + len(REFERENCE) * size + 16
    for x, name, words in ((left, "The reference", REFERENCE), (second, "The hypothesis", HYPOTHESIS)):
        picture.text(x, 14, name, "bold")
        for place, word in enumerate(words):
            picture.text(x + (place + 0.5) * size, 34, word, "middle")
    y = 42.0
    for n, order in enumerate(orders):
        if n:
            for x, side in ((left, order.reference), (second, order.hypothesis)):
                for ngram in side:
                    key = ",".join(map(str, ngram.key))
                    picture.text(x + (ngram.end + 0.5) * size, y + 10, key, "mono middle faint", 10)
            picture.text(0, y + 10, "key", "faint", 10)
            y += 14
        picture.text(0, y + 15, f"order {n + 1}", "", 11)
        for ngram in order.reference:
            shown = "in" if order.wanted[ngram.number] else ""
            picture.cell(left + ngram.end * size, y, size, ngram.number, shown, 22)
        free = Counter(order.counts)
        for ngram in order.hypothesis:
            shown = "" if not ngram.number else "taken" if free[ngram.number] > 0 else "used"
            free[ngram.number] -= 1
            picture.cell(second + ngram.end * size, y, size, ngram.number, shown, 22)
        counts = "  ".join(f"{number}×{count}" for number, count in order.counts.items())
        picture.text(0, y + 36, "counts", "faint", 10)
        picture.text(left, y + 36, counts, "mono", 10)
        picture.text(second, y + 36, f"{correct[n]} of {total[n]} match", "bold", 11)
        y += 54
    keys = [(0, "taken", "a match"), (92, "used", "used up"), (184, "in", "also in the other text")]
    for x, classes, meaning in keys:
        picture.cell(x, y, 22, 1, classes, 20)
        picture.text(x + 28, y + 14, meaning, "", 11)
    y += 24
    picture.cell(0, y, 22, 2, "", 20)
    picture.text(28, y + 14, "not in the other text: no longer n-gram with it is listed", "", 11)
    picture.save("classes", y + 24)


# Pools

CANDIDATE = ["row", "row", "row", "your", "boat"]
TEXTS = [
    text.split()
    for text in ("row row your boat gently", "row your row boat", "your boat row row row row", "row gently")
]


def elements(tokens: Sequence[str], n: int) -> dict[tuple[str, int], None]:
    """The n-grams of a text, each with which of its occurrences it is."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], None] = {}
    for start in range(len(tokens) - n + 1):
        ngram = " ".join(tokens[start : start + n])
        seen[ngram] += 1
        found[ngram, seen[ngram]] = None
    return found


def draw_pools() -> None:
    metric = BLEU(tokenize="none", max_ngram_order=2, effective_order=True)
    scores = pairwise([" ".join(CANDIDATE)], [" ".join(text) for text in TEXTS], metric=metric)[0].tolist()
    picture = Picture(
        "The elements of a candidate, which references have them, and the sums of these rows of bytes."
    )
    names = "ABCD"
    subscript = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    picture.text(0, 14, "The candidate", "bold")
    picture.text(100, 14, " ".join(CANDIDATE), "mono")
    picture.text(0, 38, "References", "bold")
    for line, text in enumerate(TEXTS):
        picture.text(100, 38 + line * 17, names[line], "bold")
        picture.text(118, 38 + line * 17, " ".join(text), "mono")
    y = 124.0
    counts = []
    for n in (1, 2):
        left = (n - 1) * 206
        label = 72 if n == 1 else 82
        size = 26
        picture.text(left, y, f"order {n}", "bold")
        for place, name in enumerate(names):
            picture.text(left + label + (place + 0.5) * size, y, name, "middle bold")
        own = elements(CANDIDATE, n)
        theirs = [elements(text, n) for text in TEXTS]
        for line, (ngram, k) in enumerate(own):
            top = y + 8 + line * 23
            picture.text(left, top + 15, ngram + str(k).translate(subscript), "", 11.5)
            for place, having in enumerate(theirs):
                shown = (1, "in") if (ngram, k) in having else (0, "")
                picture.cell(left + label + place * size, top, size, *shown, 23)
        top = y + 8 + 5 * 23 + 5
        picture.line(left, top, left + label + 4 * size, top)
        counts.append([sum(element in having for element in own) for having in theirs])
        picture.text(left, top + 20, "sum", "bold", 11.5)
        for place, count in enumerate(counts[-1]):
            picture.cell(left + label + place * size, top + 5, size, count, "taken", 23)
    rows = metric.statistics([" ".join(CANDIDATE)] * 4, [[" ".join(text) for text in TEXTS]]).tolist()
    check(list(map(list, zip(*counts, strict=True))), [row[2:4] for row in rows])

    y += 8 + 5 * 23 + 64
    length = len(CANDIDATE)
    picture.text(0, y, f"Looked up for a candidate of {length} tokens", "bold")
    for n in (1, 2):
        total = length + 1 - n
        top = y + 10 + (n - 1) * 40
        picture.text(0, top + 28, f"order {n}", "", 11.5)
        for matches in range(1, total + 1):
            x = 62 + (matches - 1) * 62
            picture.text(x + 29, top + 10, matches, "mono middle faint", 10)
            precision = log(100 * matches / total)
            picture.cell(
                x, top + 13, 60, f"{precision:.3f}", "taken" if matches == counts[n - 1][2] else "soft", 22
            )
    y += 110
    mean = (log(100 * counts[0][2] / 5) + log(100 * counts[1][2] / 4)) / 2
    penalty = exp(1 - len(TEXTS[2]) / length)
    check(round(penalty * exp(mean), 10), round(scores[2], 10))
    picture.text(
        0,
        y,
        f"with C:  {penalty:.3f} × exp(({log(100 * counts[0][2] / 5):.3f} + "
        f"{log(100 * counts[1][2] / 4):.3f}) / 2) = {scores[2]:.2f}",
        "mono",
        11,
    )
    picture.save("pools", y + 8)


def main() -> int:
    """Draw all of them."""
    draw_path()
    draw_blocks()
    draw_position_sets()
    draw_classes()
    draw_pools()
    return 0


if __name__ == "__main__":
    sys.exit(main())
