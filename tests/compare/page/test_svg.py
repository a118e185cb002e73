"""Figures as SVG: names that matplotlib never sees, colours of the page, identifiers of their own."""

from typing import Any

import pytest

from fastbleu.compare.page.svg import COLOURS, draw, placeholders
from tests.support.comparisons import HOSTILE
from tests.support.pages import Page

matplotlib = pytest.importorskip("matplotlib")


def sample(names: dict[str, str], identifier: str = "sample") -> str:
    def plot(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.plot(range(3), [1, 3, 2], "o-", color=COLOURS["accent"])
        axes.set_yticks(range(len(names)), list(names))
        axes.set_xlabel("$BLEU$ of a < b")

    return draw(identifier, 'What "it" shows & <why>', 200, names, plot)


def test_placeholders_are_replaced_by_names() -> None:
    page = Page(sample(placeholders(["a<b", "$x$", "語語"])))
    texts = page.text
    for text in ("a<b", "$x$", "語語", "$BLEU$ of a < b"):
        assert text in texts
    assert "\u00b7" not in texts
    ((root),) = page.tags("svg")
    assert root["aria-label"] == 'What "it" shows & <why>'
    assert root["role"] == "img"
    assert root["viewbox"] == "0 0 400 200"
    assert "width" not in root


def test_names_that_mean_something_elsewhere(recwarn: pytest.WarningsRecorder) -> None:
    page = Page(sample(placeholders(HOSTILE, 30)))
    known = "svg g defs clippath rect path use text"
    assert {tag for tag, _ in page.elements} <= set(known.split())
    for name in HOSTILE:
        shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)
        assert shown[:15] in page.text
    assert not list(recwarn)


def test_long_and_equal_names() -> None:
    names = placeholders(["x" * 100, "x" * 100, "", "語" * 100])
    assert list(names.values()) == [f"{'x' * 9}…{'x' * 8}"] * 2 + ["", f"{'語' * 4}…{'語' * 4}"]


def test_colours_are_those_of_the_page() -> None:
    svg = sample(placeholders(["a", "b", "c"]))
    assert "var(--accent)" in svg
    assert not any(colour in svg for colour in COLOURS.values())
    for outside in ("http:", "https:", "<style", "<metadata", "font-family", "xmlns"):
        assert outside not in svg


def test_no_two_figures_share_an_identifier() -> None:
    one, other = (Page(sample(placeholders(["a", "b", "c"]), identifier)) for identifier in ("one", "other"))
    assert one.attributes("id")
    for page in (one, other):
        assert len(set(page.attributes("id"))) == len(page.attributes("id"))
        references = {
            value.partition("#")[2].rstrip(")")
            for name in ("href", "clip-path")
            for value in page.attributes(name)
        }
        assert references <= set(page.attributes("id"))
    assert not set(one.attributes("id")) & set(other.attributes("id"))


def test_the_users_settings_change_nothing_and_are_not_changed() -> None:
    before = sample(placeholders(["a", "b", "c"]))
    changed = {"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path", "svg.hashsalt": "other"}
    with matplotlib.rc_context(changed):
        assert sample(placeholders(["a", "b", "c"])) == before
        assert {key: matplotlib.rcParams[key] for key in changed} == changed
