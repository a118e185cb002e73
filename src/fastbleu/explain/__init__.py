"""Explain the score of one segment, as an object, a text table or an HTML page."""

from .explanation import Explanation, Ngram, Order, explain
from .explanation_page import html_page

__all__ = ["Explanation", "Ngram", "Order", "explain", "html_page"]
