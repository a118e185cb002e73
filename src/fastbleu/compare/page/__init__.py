"""The HTML page of a comparison: its template, style sheet, script and plots."""

from .comparison_page import render_page

__all__ = ["render_page"]
