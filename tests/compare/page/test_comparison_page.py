"""The page of a comparison: what it says, that nothing in it comes to life, and what a browser makes of it."""

import base64
import hashlib
import html
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import fastbleu.compare.page.comparison_page as page_module
from fastbleu import BLEU, CHRF
from fastbleu.compare import Comparison, compare
from fastbleu.compare.human import as_percent
from fastbleu.compare.page import render_page
from fastbleu.explain.html_pages import base_style
from fastbleu.explain.terminal import escaped
from tests.support.comparisons import HOSTILE
from tests.support.contrast import contrast, schemes
from tests.support.pages import Page, browse, chromium_works, served
from tests.support.refusals import refusal

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


@pytest.fixture
def chromium() -> None:
    if not chromium_works():
        pytest.skip("there is no Chromium that loads a page")


needs_chromium = pytest.mark.usefixtures("chromium")

FOLDER = Path(page_module.__file__).parent
SCRIPT = (FOLDER / "page.js").read_text(encoding="utf-8")

REFERENCE = [
    "the cat sat on the mat today",
    "it rained all day long in the old town",
    "she said that the train would be late again",
    "we have never seen so many birds in one tree",
    "prices rose by two per cent in the last year",
    "nobody knew what had happened to the letter",
] * 4


def changed(step: int, word: str = "something") -> list[str]:
    """The references with words replaced at even distances."""
    return [
        " ".join(word if (i + k) % step == 0 else one for k, one in enumerate(segment.split()))
        for i, segment in enumerate(REFERENCE)
    ]


@cache
def sample() -> Comparison:
    """Four systems with everything that a page can show."""
    number = len(REFERENCE)
    return compare(
        {"good": changed(9), "base": changed(5), "poor": changed(3), "gaps": ["", "", *changed(5)[2:]]},
        [REFERENCE],
        trials=500,
        resamples=100,
        sources=[f"source {i}" for i in range(number)],
        documents=[f"document {i // 2}" for i in range(number)],
        domains=["news" if i % 2 else "talk" for i in range(number)],
        languages=["de" if i % 3 else "fr" for i in range(number)],
        training=REFERENCE[:10],
        segments=10,
    )


def of_pairs(rows: list[list[str]]) -> list[list[str]]:
    return [row for row in rows if len(row) > 8 and row[4][:1] in ("●", "○", "=")]


@cache
def sample_page() -> str:
    return render_page(sample())


@cache
def hostile() -> Comparison:
    number = 2 * len(HOSTILE)
    texts = [f"{HOSTILE[i % len(HOSTILE)]} and {i} more words of it" for i in range(number)]
    systems = {
        name: [f"{name} {text}" if (i + k) % 3 else text for i, text in enumerate(texts)]
        for k, name in enumerate(HOSTILE)
    }
    return compare(
        systems,
        [texts, texts[::-1]],
        BLEU(tokenize="none"),
        trials=50,
        resamples=20,
        sources=texts[::-1],
        documents=texts,
        domains=[HOSTILE[i % 5] for i in range(number)],
        languages=[HOSTILE[5 + i % 5] for i in range(number)],
        training=texts,
        segments=20,
    )


@cache
def hostile_page() -> str:
    return render_page(hostile())


@pytest.mark.slow
def test_the_verdict_comes_first_and_then_the_systems_and_the_findings() -> None:
    page = Page(sample_page())
    text = page.text[page.text.index("Which system to choose") :]
    for sentence in sample().verdict:
        assert sentence in text
        text = text[text.index(sentence) :]
    assert text.index("The systems") > 0
    for system in sample().systems:
        figures = (f"{system.bleu:.2f}", f"{system.low:.1f} to {system.high:.1f}", str(system.cluster))
        precisions = (f"{precision:.1f}" for precision in system.score.precisions)
        lengths = (f"{system.score.bp:.3f}", f"{system.score.ratio:.3f}")
        assert [system.name, str(system.rank), *figures, *precisions, *lengths] in page.rows
    assert sample().findings
    for finding in sample().findings:
        segments = ", ".join(f"{index + 1:,}" for index in finding.segments)
        count = f"{finding.count:,}" if finding.count else "–"
        assert [finding.where, finding.message, count, segments] in page.rows


@pytest.mark.slow
def test_pairs_in_a_list_and_in_a_matrix() -> None:
    rows = Page(sample_page()).rows
    listed = of_pairs(rows)
    assert [(row[0], row[1]) for row in listed] == [(pair.system, pair.other) for pair in sample().pairs]
    for pair, row in zip(sample().pairs, listed, strict=True):
        sign = "+" if round(pair.difference, 2) > 0 else ""
        assert row[2] == f"{sign}{pair.difference:.2f}"
        assert row[4].split() == (["●", "yes"] if pair.is_significant else ["○", "no"])
        assert row[6] == as_percent(pair.agreement, "–")
        assert row[8:] == [f"{pair.wins}", f"{pair.ties}", f"{pair.losses}"]
    assert {pair.is_significant for pair in sample().pairs} == {True, False}
    # The matrix.
    names = [system.name for system in sample().systems]
    for i, name in enumerate(names[:-1]):
        (row,) = (row for row in rows if row[0] == f"{i + 1} {name}")
        found = {pair.other: pair for pair in sample().pairs if pair.system == name}
        for other, cell in zip(names[1:], row[1:], strict=True):
            if other in found:
                pair = found[other]
                assert cell.startswith(f"{pair.difference:.1f}")
                assert cell.endswith("not significant" if not pair.is_significant else "● significant")
            else:
                assert cell == ""


@pytest.mark.slow
def test_breakdowns() -> None:
    page = Page(sample_page())
    kinds = {breakdown.kind for breakdown in sample().breakdowns}
    assert kinds == {"length", "domain", "document", "language", "frequency"}
    for breakdown in sample().breakdowns:
        sizes = [f"{size:,}" for size in breakdown.sizes]
        shown = [[f"{value:.1f}".replace("nan", "–") for value in row] for row in breakdown.values]
        rows: list[tuple[str, ...]] = [(breakdown.counted, *sizes)]
        rows += [(system.name, *row) for system, row in zip(sample().systems, shown, strict=True)]
        if len(breakdown.groups) >= 4:
            rows = list(zip(breakdown.groups, sizes, *shown, strict=True))
        assert all(list(row) in page.rows for row in rows)


@pytest.mark.slow
def test_ngrams_and_segments_of_a_pair() -> None:
    page = Page(sample_page())
    details = [pair.detail for pair in sample().pairs if pair.detail is not None]
    assert details
    for detail in details:
        for ngrams, step in zip(detail.ngrams, (1, -1), strict=True):
            for each in ngrams:
                counts = (*(each.system_count, each.other_count)[::step], each.reference_count)
                assert [" ".join(each.tokens), *map(str, counts)] in page.rows
    targets = [name for name in page.attributes("id") if re.fullmatch(r"segment-\d+", name)]
    assert targets == [f"segment-{segment.index + 1}" for segment in sample().segments]
    for segment in sample().segments:
        for text in (segment.source, segment.document, *segment.reference_texts):
            assert text is not None
            assert text in page.text


@pytest.mark.slow
def test_tokens_are_coloured_by_their_matches() -> None:
    systems = {"a": ["the cat the dog"], "b": ["a b c d"]}
    page = render_page(compare(systems, [["the cat x y"]], trials=10))
    assert '<span class="match n2">the cat</span> <span class="clipped">the</span> dog' in page


FEW: dict[str, Any] = {"trials": 20, "resamples": 10}

#: Comparisons in which something is missing, or unusual.
COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "one segment, one order": lambda: compare(
        {"a": ["x y z"], "b": ["x y q"]}, [["x y z"]], BLEU(max_ngram_order=1), **FEW
    ),
    "nothing right": lambda: compare({"a": ["", ""], "b": ["x", "y"]}, [["p q", "r s"]], **FEW),
    "no details": lambda: compare(
        {"a": changed(4), "b": changed(4)}, [REFERENCE], segments=0, ngrams=0, **FEW
    ),
    "a baseline": lambda: compare(
        {"base": changed(4), "b": changed(3), "c": changed(5)}, [REFERENCE], pairs="baseline", **FEW
    ),
    "ids, an absent reference": lambda: compare(
        {"a": [[1, 2, 3], [4]], "b": [[1, 2], [5]]},
        [[[1, 2, 3], [4]], [None, [4, 5]]],
        BLEU(tokenize="none"),
        **FEW,
    ),
    "many orders, many documents": lambda: compare(
        {"a": changed(11), "b": changed(12)},
        [REFERENCE],
        BLEU(max_ngram_order=12),
        documents=list(range(len(REFERENCE))),
        **FEW,
    ),
    "chrF": lambda: compare({"a": changed(3), "b": changed(4)}, [REFERENCE], also=[CHRF()], **FEW),
    "twenty systems": lambda: compare({f"s{k}": changed(3 + k) for k in range(20)}, [REFERENCE], **FEW),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPARISONS)
def test_any_comparison(kind: str) -> None:
    comparison = COMPARISONS[kind]()
    rows = check(render_page(comparison), comparison).rows
    for other in comparison.others:
        for system, found in zip(comparison.systems, other.systems, strict=True):
            figures = [f"{found.score:.2f}", f"{found.low:.1f} to {found.high:.1f}"]
            assert any(row[0] == system.name and row[4:6] == figures for row in rows)
        differences = [row[2] for row in rows if row[:2] == ["b", "a"] and len(row) == 10]
        assert differences == [f"{pair.difference:+.2f}" for pair in other.pairs]


def check(text: str, comparison: Comparison) -> Page:
    text.encode("utf-8")
    page = Page(text)
    # Identifiers, and what points to them.
    identifiers = page.attributes("id")
    assert len(set(identifiers)) == len(identifiers)
    targets = [value for value in page.attributes("href") if value != "data:,"]
    assert all(value.startswith("#") for value in targets)
    for value in (*targets, *(f"#{value}" for value in page.attributes("aria-labelledby"))):
        assert value[1:] in identifiers
    # One script, one style, and nothing that would fetch or run anything.
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == tags.count("style") == 1
    assert f"<script>{SCRIPT}</script>" in text
    assert {tag for tag, _ in page.elements} <= set(KNOWN.split())
    names = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")} | (
        names & {"src", "srcset", "action", "data", "srcdoc"}
    )
    assert not any("url(" in value for value in page.attributes("style"))
    # Headings in order, tables with captions and scopes.
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("table") == tags.count("caption")
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.tags("th"))
    assert all(attributes.get("aria-label") for attributes in page.tags("svg"))
    for system in comparison.systems:
        assert escaped(system.name) in page.text
    return page


#: Every element that a page may have.
KNOWN = """html head meta link title style body script main header nav section footer
h1 h2 h3 h4 p a b small span div ol ul li dl dt dd abbr table caption thead tbody tfoot tr th td
figure figcaption details summary svg g defs clippath rect path use text"""


@pytest.mark.nightly
def test_a_large_comparison_is_shown_in_part() -> None:
    systems = {f"system {k}": changed(2 + k) for k in range(50)}
    found = compare(systems, [REFERENCE], **FEW, segments=4)
    page = check(render_page(found), found)
    assert len(found.pairs) == 1225
    assert len(of_pairs(page.rows)) == 49 + 48
    assert "1,128 more pairs are in the JSON report" in page.text
    assert "the best 40 systems" in page.text


@pytest.mark.slow
def test_a_pair_shows_some_segments_and_links_to_the_others() -> None:
    hypotheses = [f"{segment} {i}" for i, segment in enumerate(REFERENCE)]
    found = compare({"good": hypotheses, "poor": changed(3)}, [hypotheses], **FEW)
    (pair,) = found.pairs
    assert pair.detail is not None
    assert len(pair.detail.better) == len(REFERENCE)
    page = check(render_page(found), found)
    assert len(page.tags("ol")) == 1
    later = [f"#segment-{segment.index + 1}" for segment in pair.detail.better[10:]]
    assert [value for value in page.attributes("href") if value in later] == later
    assert "14 more are in the list of segments below" in page.text


@pytest.mark.slow
def test_page_of_hostile_text() -> None:
    page = check(hostile_page(), hostile())
    for name in HOSTILE:
        assert escaped(name) in page.text
    for segment in hostile().segments:
        assert segment.source is not None
        assert escaped(segment.source) in page.text


class Trusted(str):
    """Text that says of itself that it is HTML, as markupsafe's Markup does, and lazy texts of web frameworks."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self


class Label:
    def __init__(self, text: str) -> None:
        self.text = Trusted(text)

    def __str__(self) -> str:
        return self.text


@pytest.mark.slow
@pytest.mark.parametrize("are_tokens", [False, True])
def test_text_that_says_it_is_html_is_text(are_tokens: bool) -> None:
    bad = f"{HOSTILE[2]}<a href=https://example.org>x</a>"
    given: Any = [[Trusted(f"{bad} {i} and"), Trusted(bad), Trusted("more")] for i in range(8)]
    other: Any = [[*each[:2], Trusted("less")] for each in given]
    if not are_tokens:
        given, other = ([Trusted(" ".join(each)) for each in texts] for texts in (given, other))
    found = compare(
        {Trusted(f"{bad} 1"): given, Trusted(f"{bad} 2"): other},
        [given[:4] + other[4:]],
        BLEU(tokenize="none"),
        trials=20,
        resamples=20,
        sources=[Trusted(bad)] * 8,
        documents=[Label(f"{bad} {i // 2}") for i in range(8)],
        domains=[Trusted(bad)] * 8,
        languages=[Label(bad)] * 8,
        training=given,
    )
    page = check(render_page(found), found)
    assert bad in page.text
    assert not [value for value in page.attributes("href") if value.startswith("http")]
    assert page.tags("img") == []
    segment = found.segments[0]
    assert {type(each) for each in (found.best.name, segment.source, segment.domain)} == {str}


@pytest.mark.slow
def test_policy_allows_the_one_script_alone() -> None:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    (policy,) = (meta["content"] for meta in Page(sample_page()).tags("meta") if "http-equiv" in meta)
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    for outside in ("http:", "https:", "//www", "@import", "url(http"):
        assert outside not in sample_page()


@pytest.mark.slow
@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_without_a_package(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError) as caught:
        sample().to_html()
    assert str(caught.value) == f'the page needs the module {package}: pip install "fastbleu-metric[report]"'


def test_lines_of_plots_can_be_seen() -> None:
    style = (FOLDER / "page.css").read_text(encoding="utf-8")
    lines = [scheme for scheme in schemes(style) if "line1" in scheme]
    for of_page, of_lines in zip(schemes(base_style(4)), lines, strict=True):
        found = [colour for name, colour in of_lines.items() if name.startswith("line")]
        assert len(found) == 6
        assert all(contrast(colour, of_page["card"]) > 4.5 for colour in found)


def without_policy(page: str) -> str:
    """The page without its policy, so that escaping alone protects it, and a test can add a script."""
    return re.sub(r"<meta http-equiv=[^>]*>", "", page)


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("protected", [True, False])
def test_nothing_runs_and_nothing_is_fetched(tmp_path: Path, protected: bool) -> None:
    page = hostile_page() if protected else without_policy(hostile_page())
    page = page.replace("</main>", "</main><script>document.body.dir = 'ltr'</script>")
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    with served(tmp_path) as (address, asked):
        found = browse(address, tmp_path / "profile", f"--host-resolver-rules=MAP * {address[7:-1]}")
    assert asked == ["/"]
    seen = Page(found.removeprefix("<!DOCTYPE html>"))
    (title,) = re.findall("<title>(.*?)</title>", found)
    assert "BLEU" in title
    assert title != "taken"
    tags = [tag for tag, _ in seen.elements]
    assert tags.count("script") == 2
    # The policy keeps a script out that got in all the same.
    assert ([each.get("dir") for each in seen.tags("body")] == ["ltr"]) != protected
    assert not any(name.startswith("on") for _, attributes in seen.elements for name in attributes)
    assert tags.count("img") == 0


USE = """<script>
const table = document.querySelector('#pairs table.sorts');
const heads = table.tHead.rows[0].cells;
const shown = () => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
const column = (k) => shown().map((row) => row.cells[k].textContent.trim());
const click = (k) => heads[k].querySelector('button').click();
const found = {};
click(2); found.descending = column(2);
click(2); found.ascending = column(2);
click(0); found.names = column(0);
click(0); found.reversed = column(0);
found.sorted = Array.from(heads, (cell) => cell.getAttribute('aria-sort'));
const bar = document.querySelector('#pairs .bar');
const search = bar.querySelector('input[type=search]');
const type = (text) => { search.value = text; search.dispatchEvent(new Event('input')); };
type('POOR good');
found.searched = column(0).map((name, k) => [name, column(1)[k]]);
found.output = bar.querySelector('output').textContent;
type('');
bar.querySelector('input[type=checkbox]').click();
found.significant = column(4);
document.title = JSON.stringify(found);
</script></body>"""


@needs_chromium
@pytest.mark.slow
def test_tables_sort_and_filter(tmp_path: Path) -> None:
    page = without_policy(sample_page()).replace("</body>", USE)
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    dom = browse((tmp_path / "page.html").as_uri(), tmp_path / "profile")
    (title,) = re.findall("<title>(.*?)</title>", dom)
    found = json.loads(html.unescape(title))
    differences = [float(text.replace("−", "-")) for text in found["descending"]]
    assert differences == sorted((round(pair.difference, 2) for pair in sample().pairs), reverse=True)
    assert [float(text.replace("−", "-")) for text in found["ascending"]] == sorted(differences)
    names = [pair.system for pair in sample().pairs]
    assert found["names"] == sorted(names)
    assert found["reversed"] == sorted(names, reverse=True)
    assert found["sorted"] == ["descending", *[None] * 10]
    assert found["searched"] == [["good", "poor"]]
    assert found["output"] == "1 of 6 pairs"
    significant = sum(pair.is_significant for pair in sample().pairs)
    assert len(found["significant"]) == significant
    assert all(text.endswith("yes") for text in found["significant"])


@needs_chromium
@pytest.mark.slow
def test_a_link_opens_its_segment(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(sample_page(), encoding="utf-8")
    address = (tmp_path / "page.html").as_uri()
    for k, fragment in enumerate(("", f"#segment-{sample().segments[1].index + 1}")):
        dom = browse(address + fragment, tmp_path / f"profile {k}")
        opened = re.findall(r'<details class="segment"( open="")?>', dom)
        assert opened == ["", ' open=""' if fragment else "", *[""] * (len(sample().segments) - 2)]


#: Shows the page in a frame as wide as a phone, and measures it with everything open.
MEASURE = """<iframe src="page.html" width="400" height="800" onload="
const page = this.contentDocument, root = page.documentElement;
page.querySelectorAll('details').forEach((each) => { each.open = true; });
const box = page.querySelector('.matrix').closest('.scroll');
const right = (element) => element.getBoundingClientRect().right;
const left = (element) => element.getBoundingClientRect().left;
document.title = JSON.stringify({
  page: root.scrollWidth - root.clientWidth,
  matrix: box.scrollWidth - box.clientWidth,
  clipped: Array.from(page.querySelectorAll('figure text'), (text) => [text, text.closest('figure')])
    .filter(([text, figure]) => right(text) > right(figure) || left(text) < left(figure))
    .map(([text]) => text.textContent),
});"></iframe>"""

WIDE_NAMES = [
    *("Machine_Translation", "W" * 80, "W" * 79 + "M", "Ш" * 80, "機" * 80, "機" * 79 + "械"),
    *(f"transformer-{'x' * 60}-seed{k}-averaged" for k in range(4)),
]


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("names", [WIDE_NAMES, [f"system {k}" for k in range(20)]], ids=["wide", "twenty"])
def test_a_phone_scrolls_the_matrix_and_not_the_page(tmp_path: Path, names: list[str]) -> None:
    systems = {name: changed(3 + k) for k, name in enumerate(names)}
    labels = [f"a long name of group {i % 3}" for i in range(len(REFERENCE))]
    found = compare(
        systems, [REFERENCE], **FEW, title="W" * 80, command="a/b" * 80, domains=labels, segments=4
    )
    (tmp_path / "page.html").write_text(render_page(found), encoding="utf-8")
    (tmp_path / "frame.html").write_text(MEASURE, encoding="utf-8")
    with served(tmp_path) as (address, _):
        dom = browse(f"{address}frame.html", tmp_path / "profile")
    (title,) = re.findall("<title>(.*?)</title>", dom)
    widths = json.loads(html.unescape(title))
    assert widths.pop("matrix") > 0
    assert widths == {"page": 0, "clipped": []}


def test_wide_tables_have_a_box_that_scrolls() -> None:
    style = base_style(4) + (FOLDER / "page.css").read_text(encoding="utf-8")
    assert ".scroll { overflow: auto; }" in style
    # Otherwise words that only a screen reader reads lie outside of the box, and widen the page.
    assert ".scroll { container-type: inline-size; position: relative; }" in style
    assert sample_page().count("<table") == sample_page().count('<div class="scroll')


@pytest.mark.slow
def test_a_page_vouches_only_for_the_checks_that_were_made(tmp_path: Path) -> None:
    found = compare({"a": changed(3), "b": changed(4)}, [REFERENCE], **FEW)
    assert found.unchecked in Page(render_page(found)).text
    assert "copied" not in render_page(found)
    message = f"ValueError: path must end in .html or .htm, not '{tmp_path}/page.pdf'"
    assert refusal(found.save_html, f"{tmp_path}/page.pdf") == message
    found.save_html(tmp_path / "page.HTM")
    assert (tmp_path / "page.HTM").read_text(encoding="utf-8") == render_page(found)


@pytest.mark.slow
def test_equal_systems_tie() -> None:
    found = compare({"a": changed(3), "b": changed(3), "c": changed(2)}, [REFERENCE], **FEW)
    page = Page(render_page(found))
    assert f"Comparison of 3 systems: a and b, {found.best.bleu:.1f} BLEU each" in page.text
    assert of_pairs(page.rows)[0][4] == "= equal"
    assert "tie for the best score" in page.text


@pytest.mark.slow
def test_a_summary_that_is_cut_ends_in_an_ellipsis() -> None:
    long = [f"{'word ' * 40}{i}" for i in range(3)]
    found = compare({"a": long, "b": [each[5:] for each in long]}, [long], **FEW)
    previews = re.findall('<span class="preview" dir="auto">(.*?)</span>', render_page(found))
    assert previews == [f"{'word ' * 18}word…"] * 3


@pytest.mark.slow
def test_a_p_that_more_trials_may_lower_is_a_bound() -> None:
    found = compare({"a": REFERENCE, "b": ["x y", *changed(3)[1:]]}, [REFERENCE], trials=100, resamples=10)
    (pair,) = found.pairs
    assert pair.p == 1 / 101
    (row,) = (row for row in Page(render_page(found)).rows if row[:2] == ["a", "b"] and len(row) == 11)
    assert row[5] == "≤ 0.0099"
    assert "(p ≤ 0.0099)" in found.verdict[1]
