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
    "-\n",
    "-\n ",
    "--\n\n",
    "-\n-\n",
    "-<skipped>\n",
    "<skipped>-\n",
    "-\n<skipped>",
    "-\x1c\n",
    "- \n",
)
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

BAD_CORPORA: list[tuple[Any, Any, type[Exception], str]] = [
    ([], [], ValueError, "predictions is empty"),
    (["a"], ["a", "b"], ValueError, "predictions and references must be of the same length, not 1 and 2"),
    (["a", "b"], [["a"]], ValueError, "predictions and references must be of the same length, not 2 and 1"),
    ("a", ["a"], TypeError, "predictions must be a sequence of segments, not a bare str: 'a'"),
    (["a"], "a", TypeError, "references must be .* not a bare str: 'a'"),
    (None, ["a"], TypeError, "predictions must be a sequence of segments, not NoneType"),
    (["a"], None, TypeError, "references must be .* not NoneType"),
    (iter(["a"]), ["a"], TypeError, "predictions must be a sequence of segments, not a list_iterator"),
    (["a"], iter(["a"]), TypeError, "references must be .* not a list_iterator"),
    ({"a": 1}, ["a"], TypeError, "predictions must be a sequence of segments, not dict"),
    ({"a"}, ["a"], TypeError, "predictions must be a sequence of segments, not set"),
    (["a", None], ["a", "b"], TypeError, r"predictions\[1\] must be a str, not NoneType: None"),
    (["a", 3], ["a", "b"], TypeError, r"predictions\[1\] must be a str, not int: 3"),
    ([["a", "b"]], [["a"]], TypeError, r"predictions\[0\] must be a str, not list"),
    ([b"a"], ["a"], TypeError, r"predictions\[0\] must be a str, not bytes"),
    (
        ["a", "b"],
        ["a", None],
        TypeError,
        r"references\[1\] must be a str, as references\[0\] is, not NoneType",
    ),
    (["a", "b"], ["a", ["b"]], TypeError, r"references\[1\] must be a str, as references\[0\] is, not list"),
    (
        ["a", "b"],
        [["a"], "b"],
        TypeError,
        r"references\[1\] must be a sequence of str, as references\[0\] is, not",
    ),
    (
        ["a\n", "b"],
        [["a\n"], "b"],
        TypeError,
        r"references\[1\] must be a sequence of str, as references\[0\] is",
    ),
    (["a", "b"], [["a"], None], TypeError, r"references\[1\] must be a sequence"),
    (["a"], [None], TypeError, r"references\[0\] must be a sequence"),
    (["a"], [iter(["a"])], TypeError, r"references\[0\] must be a sequence"),
    (["a"], [{"a": 1}], TypeError, r"references\[0\] must be a sequence"),
    (["a"], [["a", 3]], TypeError, r"references\[0\]\[1\] must be a str, not int: 3"),
    (["a"], [[["a"]]], TypeError, r"references\[0\]\[0\] must be a str, not list"),
    (["a"], [[]], ValueError, r"references\[0\] must hold at least one reference"),
    (["a", "b"], [["a"], []], ValueError, r"references\[1\] must hold at least one reference"),
]
