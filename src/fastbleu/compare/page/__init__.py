"""A comparison as an HTML page: its template, style and script, and its plots; `Comparison.to_html` comes in here."""

from .comparison_page import render_page

__all__ = ["render_page"]
