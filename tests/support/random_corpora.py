"""Random hypotheses with references of each, of text that hurts tokenizers or of a test's own segments."""

from collections.abc import Callable
from random import Random
from typing import TypeVar

from tests.support.alphabet import random_text

Segment = TypeVar("Segment")

#: Ends of a text where white space that is not stripped, or case, decides.
ENDS = (
    "", " ", "\n", "-\n", "-\n ", "--\n\n", "-\n-\n", "-<skipped>\n", "<skipped>-\n", "-\n<skipped>", "-\x1c\n", "- \n",
    "-\r\n", "-\n\x85", "-\u2028", " -\n", "1-\n", ".-\n", "-\n.", "&lt;skipped>-\n", "<skipped", "1. ", "1.\u3000",
    "..  ", ".,\t", "!\x1c", "5.", "\u0130.", "\u0391\u03a3.\u0391", "\u03a3 ", "&QUOT;", "&quot;\n",
    "<SKIPPED>", "&amp;LT;", "\u212a\u2126",
)  # fmt: skip


def random_corpus(
    generator: Random, segment: Callable[[], Segment], segments: int = 4, references: int = 4
) -> tuple[list[Segment], list[list[Segment]]]:
    """Draw hypotheses, of which some are one of their references, and one or more references of each."""
    lists = [
        [segment() for _ in range(generator.randint(1, references))]
        for _ in range(generator.randint(1, segments))
    ]
    return [generator.choice([*some, segment()]) for some in lists], lists


def random_texts(generator: Random) -> tuple[list[str], list[list[str]]]:
    """Draw a corpus of text: of few words, so that n-grams match, of hurting pieces, or empty."""

    def text() -> str:
        kind = generator.random()
        if kind < 0.05:
            return ""
        words = generator.choices(("the", "The", "cat", "sat.", "on", "1.5", "mat", "don't"), k=8)
        start = random_text(generator) if kind < 0.4 else " ".join(words[: generator.randint(1, 8)])
        return start + generator.choice(ENDS)

    return random_corpus(generator, text, 3)
