"""Explains a score in a browser: Pyodide runs this for the page beside it."""

from __future__ import annotations

from fastbleu import BLEU
from fastbleu.explain import explain, html_page


def explained(hypothesis: str, references: str, tokenize: str, lowercase: bool) -> str:
    """Return a page that explains the score of a segment.

    Args:
        hypothesis: One segment.
        references: One a line; empty lines are left out.
        tokenize: The name of a tokenizer.
        lowercase: Whether case is ignored.
    """
    metric = BLEU(effective_order=True, tokenize=tokenize, lowercase=lowercase)
    lines = [line for line in references.splitlines() if line.strip()]
    if not lines:
        raise ValueError("write at least one reference")
    return html_page([explain(metric, hypothesis, lines)], ["The score, explained"])
