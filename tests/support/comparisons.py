"""Results of comparisons made by hand, for what draws and writes them."""

from __future__ import annotations

from collections.abc import Sequence

from fastbleu import BLEU
from fastbleu.compare import Pair, System

#: References, a system, and one that is better.
REFERENCES = ["the cat sat on the mat today", "it rained all day long here", "a dog barks at night"] * 8
BASE = ["the cat sat on a mat today", "it rained all day in here", "one dog barks at nights"] * 8
NEW = ["the cat sat on the mat today", "it rained all day in here", "a dog barked at night"] * 8

#: Texts that would do harm, or break a page, if anything took them for more than text.
HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "</style></title></table></svg><img src=x onerror=\"document.title='taken'\">",
    "\"><svg onload=document.title='taken'>",
    "' onmouseover='document.title=1' autofocus onfocus='document.title=1' x='",
    "javascript:document.title='taken'",
    "{{ 7 * 7 }}{% raw %}{# #}",
    "]]><!-- --> <![CDATA[",
    "$x^2$ \\frac{ % # _ ~",
    "&lt;b&gt; &amp; &#0;",
    "\u2028\u2029\u202e\u2066",
    "\0\x01\x1b[31m\x7f",
    "\ud800 \udfff",
    "a\nb\tc\rd",
)


def system(name: str, bleu: float, rank: int = 1, cluster: int | None = 1) -> System:
    """A system of that score, with an interval of one point to each side."""
    score = BLEU().corpus_score(["a b c d"], [["a b c d"]])
    score.score = bleu
    return System(name=name, score=score, low=bleu - 1, high=bleu + 1, rank=rank, cluster=cluster)


def pair(system: str, other: str, difference: float, is_significant: bool = True) -> Pair:
    """A pair of that difference."""
    return Pair(
        system=system,
        other=other,
        difference=difference,
        low=difference - 1,
        high=difference + 1,
        p=0.01,
        corrected_p=0.02,
        is_significant=is_significant,
        agreement=None,
        detectable=0.5,
        wins=3,
        ties=1,
        losses=2,
        is_bound=False,
    )


def ranking(names: Sequence[str]) -> list[System]:
    """Systems of these names, each one point below the one before, in clusters of two."""
    return [system(name, 60.0 - k, k + 1, 1 + k // 2) for k, name in enumerate(names)]
