"""Render a comparison as one self-contained HTML page, which needs no network and no other file."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from math import isnan
from os.path import dirname

from ...explain.html_pages import base_style, file_beside, legend, marked_words
from ...explain.terminal import escaped
from ...system.extras import imports_of
from ..glossary import data_size, glossary
from ..human import as_percent
from ..pairs import listed_of, listed_pairs
from ..power import why_none_significant
from ..verdict import corrected_p, named, signed
from .plots import MOST_LINES, breakdown_plot, difference_plot, distribution_plot, pair_plot, score_plot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..comparison import Comparison
    from ..results import MarkedText

#: The largest number of rows in the plot of differences.
_MOST_ROWS = 40

#: A breakdown with more groups than this is not plotted.
_MOST_GROUPS = 16

#: The largest number of pairs in the table of pairs. More rows would make the page slow.
_MOST_PAIRS = 1000


def render_page(comparison: Comparison) -> str:
    """Render the page of a comparison.

    Args:
        comparison: The comparison.

    Returns:
        An HTML document without lone surrogates, so that it can be encoded in UTF-8.

    Raises:
        ImportError: A package of the extra `report` is missing.
    """
    environment = _environment()
    from markupsafe import Markup

    settings = comparison.settings
    max_order = settings.max_ngram_order
    pairs = listed_pairs(comparison, _MOST_PAIRS)
    best_two = {system.name for system in comparison.systems[:2]}
    script = file_beside(__file__, "page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page: str = environment.get_template("page.jinja").render(
        comparison=comparison,
        title=settings.title or f"Comparison of {len(comparison.systems)} systems",
        facts=(settings.test_set, settings.language_pair, data_size(comparison), settings.date),
        indices={system.name: index for index, system in enumerate(comparison.systems)},
        glossary=glossary(comparison),
        lead=next((pair for pair in comparison.pairs if {pair.system, pair.other} == best_two), None),
        limit=why_none_significant(settings, len(comparison.pairs)),
        pairs=pairs,
        others=[(other, listed_of(other, pairs)) for other in comparison.others],
        by_names={(pair.system, pair.other): pair for pair in comparison.pairs},
        plots={name: Markup(plot) for name, plot in _plots(comparison)},  # noqa: S704  # see svg.py
        most_lines=MOST_LINES,
        legend=Markup(legend(max_order, with_also=False)),  # noqa: S704  # contains only orders
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        style=Markup(base_style(max_order) + file_beside(__file__, "page.css")),  # noqa: S704  # files of this package
        script=Markup(script),  # noqa: S704  # a file of this package
    )
    return page


def check_packages() -> None:
    """Import the packages that a page needs, so that a missing package is reported before the computation starts.

    Raises:
        ImportError: A package of the extra `report` is missing.
    """
    _environment()
    with imports_of("report", "the page"):
        import matplotlib.figure  # noqa: F401  # Only checks that it is installed.


def _environment() -> Any:
    """Return a Jinja2 environment that has the template's filters, and escapes HTML and unprintable characters."""
    with imports_of("report", "the page"):
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(dirname(__file__)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # A str may come from the data. `Markup` never does, and must not be escaped.
        finalize=lambda value: escaped(value) if type(value) is str else value,
    )
    environment.filters.update(
        agreement=lambda share: as_percent(share, "–"),
        count="{:,}".format,
        decimals=decimals,
        marked=_marked,
        corrected=corrected_p,
        named=named,
        signed=lambda number, digits=2: signed(number, digits).replace("-", "\u2212"),
    )
    return environment


def _marked(text: MarkedText) -> Any:
    """Return the tokens of a system's output as HTML, colored by their matches."""
    from markupsafe import Markup

    notes = (("clipped", "") if clipped else ("", "") for clipped in text.clipped)
    words = marked_words(map(escaped, text.tokens), text.orders, text.joined, notes)
    return Markup("".join(words))  # noqa: S704  # `marked_words` escapes each token


# Numbers


def decimals(number: float | None, digits: int = 1) -> str:
    r"""Format a number with `digits` decimals and a typographic minus sign, and None and NaN as a dash.

    Example:
        >>> decimals(31.25, 1), decimals(-0.5, 2), decimals(-0.001, 2), decimals(float("nan"))
        ('31.2', '−0.50', '0.00', '–')
    """
    if number is None or isnan(number):
        return "–"
    text = f"{number:.{digits}f}"
    return text.replace("-", "\u2212") if float(text) else text.removeprefix("-")


# Plots


def _plots(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the name by which the template refers to each plot, and the plot as SVG."""
    systems, scores = comparison.systems, comparison.segment_scores
    yield "scores", score_plot("scores", systems)
    yield "distribution", distribution_plot("distribution", systems, scores)
    # With a baseline, it is in every pair. Otherwise, the first pairs are those of the best system and another one.
    pairs = comparison.pairs[: min(_MOST_ROWS, len(systems) - 1)]
    is_baseline = comparison.settings.pairs == "baseline"
    labels = [pair.system if is_baseline else pair.other for pair in pairs]
    yield "differences", difference_plot("differences", pairs, labels)
    for index, breakdown in enumerate(comparison.breakdowns):
        if 1 < len(breakdown.groups) <= _MOST_GROUPS:
            yield f"breakdown{index}", breakdown_plot(f"breakdown{index}", breakdown, systems)
    indices = {system.name: index for index, system in enumerate(systems)}
    for index, pair in enumerate(pair for pair in comparison.pairs if pair.detail is not None):
        names = pair.other, pair.system
        rows = scores[indices[pair.other]], scores[indices[pair.system]]
        yield f"pair{index}", pair_plot(f"pair{index}", names, rows)
