"""Small corpora in `evaluate`'s form, good and refused."""

from collections.abc import Sequence
from typing import Any

from tests.support import oracle

ORDERS = (1, 2, 3, 4, 5, 6)


def tokens_of(texts_: Sequence[str]) -> list[list[str]]:
    """As `evaluate`'s 13a tokenizer makes them: the text is not stripped before."""
    return list(map(oracle.TOKENIZERS["13a"], texts_))


P = ["The cat sat on the mat.", "It costs &quot;5&quot; dollars-\n", "Rain!"]
R = [["The cat sat on a mat.", "A cat sat there."], ["It cost 5 dollars"], ["Rain?", "Rain!", "It rains!"]]

# Predictions and references, the error, and the value that it is about.
BAD_CORPORA: list[tuple[Any, Any, type[Exception], str]] = [
    ([], [], ValueError, "predictions"),
    (["a", "b"], [["a"]], ValueError, "predictions"),
    ("a", ["a"], TypeError, "predictions"),
    (["a"], "a", TypeError, "references"),
    (iter(["a"]), ["a"], TypeError, "predictions"),
    (["a", None], ["a", "b"], TypeError, "predictions[1]"),
    ([["a", "b"]], [["a"]], TypeError, "predictions[0]"),
    (["a", "b"], ["a", None], TypeError, "references[1]"),
    (["a", "b"], ["a", ["b"]], TypeError, "references[1]"),
    (["a", "b"], [["a"], "b"], TypeError, "references[1]"),
    (["a", "b"], [["a"], None], TypeError, "references[1]"),
    (["a"], [iter(["a"])], TypeError, "references[0]"),
    (["a"], [["a", 3]], TypeError, "references[0][1]"),
    (["a"], [[["a"]]], TypeError, "references[0][0]"),
    (["a", "b"], [["a"], []], ValueError, "references[1]"),
]
