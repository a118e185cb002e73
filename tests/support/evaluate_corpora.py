"""Small corpora in `evaluate`'s form, good and refused, and texts that end where tokenizers differ."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.support import oracle
from tests.support.alphabet import random_text

ORDERS = (1, 2, 3, 4, 5, 6)

# What may stand at the end of a text, where white space that is not stripped decides.
ENDS: tuple[str, ...] = (
    "-\n", "-\n ", "--\n\n", "-\n-\n", "-<skipped>\n", "<skipped>-\n", "-\n<skipped>", "-\x1c\n", "- \n",
)  # fmt: skip
ENDS += ("-\r\n", "-\n\x85", "-\u2028", "\n", " -\n", "1-\n", ".-\n", "-\n.", "&lt;skipped>-\n", "<skipped")


def tokens_of(texts_: Sequence[str]) -> list[list[str]]:
    """As `evaluate`'s 13a tokenizer makes them: the text is not stripped before."""
    return [oracle.tokenize_13a(text) for text in texts_]


def random_corpus(generator: random.Random) -> tuple[list[str], list[list[str]]]:
    """A few segments of hurting text, with one to four references, some of them the prediction itself."""

    def text() -> str:
        end = generator.choice(ENDS) if generator.random() < 0.3 else ""
        return "" if generator.random() < 0.05 else random_text(generator) + end

    references = [[text() for _ in range(generator.randint(1, 4))] for _ in range(generator.randint(1, 3))]
    return [generator.choice([*texts_, text()]) for texts_ in references], references


P = ["The cat sat on the mat.", "It costs &quot;5&quot; dollars-\n", "Rain!"]
R = [["The cat sat on a mat.", "A cat sat there."], ["It cost 5 dollars"], ["Rain?", "Rain!", "It rains!"]]

# Predictions and references, the error, and the value that it is about.
BAD_CORPORA: list[tuple[Any, Any, type[Exception], str]] = [
    ([], [], ValueError, "predictions"),
    (["a", "b"], [["a"]], ValueError, "predictions"),
    ("a", ["a"], TypeError, "predictions"),
    (["a"], "a", TypeError, "references"),
    (["a"], None, TypeError, "references"),
    (iter(["a"]), ["a"], TypeError, "predictions"),
    ({"a": 1}, ["a"], TypeError, "predictions"),
    (["a", None], ["a", "b"], TypeError, "predictions[1]"),
    ([["a", "b"]], [["a"]], TypeError, "predictions[0]"),
    ([b"a"], ["a"], TypeError, "predictions[0]"),
    (["a", "b"], ["a", None], TypeError, "references[1]"),
    (["a", "b"], ["a", ["b"]], TypeError, "references[1]"),
    (["a", "b"], [["a"], "b"], TypeError, "references[1]"),
    (["a\n", "b"], [["a\n"], "b"], TypeError, "references[1]"),
    (["a", "b"], [["a"], None], TypeError, "references[1]"),
    (["a"], [iter(["a"])], TypeError, "references[0]"),
    (["a"], [{"a": 1}], TypeError, "references[0]"),
    (["a"], [["a", 3]], TypeError, "references[0][1]"),
    (["a"], [[["a"]]], TypeError, "references[0][0]"),
    (["a", "b"], [["a"], []], ValueError, "references[1]"),
]
