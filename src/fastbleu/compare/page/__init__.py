"""A comparison as an HTML page: its template, style, script and plots. `Comparison.to_html` calls `render_page`."""

from .comparison_page import render_page

__all__ = ["render_page"]
