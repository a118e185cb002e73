"""What looks wrong in the data: things that change scores without anybody meaning to."""

from __future__ import annotations

from itertools import zip_longest

from ..tokenizers.names import SPLIT_AT_SPACES
from ..tokenizers.scripts import (
    UNSPACED_SHARE,
    fitting_tokenizer,
    has_only_latin,
    letters_of,
    main_scripts,
    unspaced_share,
)
from .results import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..scoring.score import BLEUScore
    from .results import System
    from .texts import Texts

#: Numbers of segments that a finding lists.
MOST_SEGMENTS = 20

#: Length ratios outside of these look wrong: at 0.9 the brevity penalty takes a tenth of the score.
_SHORTEST, _LONGEST = 0.9, 1.1

#: A shorter segment may well be repeated, or left as it is in the source.
_FEWEST_TOKENS = 4

#: From this share of segments on, repeated output is no accident; two are needed in any case.
_REPEATED = 0.01

#: From this share of segments on, text looks tokenized, or cut into subwords.
_MANY = 0.2

#: How tokenized text ends.
_TOKENIZED_ENDS = (" .", " \u3002", " ?", " !")


class Findings:
    """Collects what looks wrong.

    Args:
        metric: How text becomes tokens.

    Attributes:
        found: What has been found.
    """

    def __init__(self, metric: BLEU) -> None:
        self._metric = metric
        self.found: list[Finding] = []

    def _add(
        self, kind: str, where: str, is_system: bool, message: str, segments: Sequence[int] = ()
    ) -> None:
        shown = tuple(segments[:MOST_SEGMENTS])
        self.found.append(Finding(kind, where, is_system, message, len(segments), shown))

    def check_score(self, name: str, score: BLEUScore) -> None:
        """Look at the lengths of a system."""
        if score.ref_len and not _SHORTEST <= score.ratio <= _LONGEST:
            how = "shorter" if score.ratio < 1 else "longer"
            effect = (
                f"the brevity penalty multiplies its score by {score.bp:.2f}"
                if score.bp < 1
                else "extra words lower its precisions"
            )
            percent = abs(100 * (1 - score.ratio))
            lengths = f"{percent:.0f} % {how} than the references (length ratio {score.ratio:.2f})"
            message = f"the output is {lengths}: {effect}."
            self._add("length", name, True, message)

    def check_lengths(
        self,
        name: str,
        statistics: NDArray[int64],
        segments: Sequence[Any],
        expected: Sequence[Any],
        has_sources: bool,
    ) -> None:
        """Look for empty and repeated segments of a system, which may be text or tokens.

        Args:
            name: The system's name.
            statistics: int64 [n, 2 + 2N].
            segments: What it wrote.
            expected: What tells segments apart that should have different outputs: sources, or references.
            has_sources: Whether these are sources.
        """
        empty = ((statistics[:, 0] == 0) & (statistics[:, 1] > 0)).nonzero()[0].tolist()
        if empty:
            self._add("empty", name, True, f"{_segments(empty)} empty, where the reference is not.", empty)
        long = statistics[:, 0] >= _FEWEST_TOKENS
        first: dict[Any, int] = {}
        repeated = []
        for i in long.nonzero()[0].tolist():
            segment = segments[i] if isinstance(segments[i], str) else tuple(segments[i])
            k = first.setdefault(segment, i)
            if k != i and expected[k] != expected[i]:
                repeated.append(i)
        if len(repeated) >= max(2, _REPEATED * len(segments)):
            whose = "whose source" if has_sources else "whose reference"
            what = f"{_segments(repeated, 'repeat', 'repeats')} the output of an earlier segment, {whose} differs."
            self._add("duplicate", name, True, what, repeated)

    def check_copies(
        self, name: str, segments: Sequence[str], sources: Sequence[Any], references: Sequence[Sequence[Any]]
    ) -> None:
        """Look for segments that were left as they are in the source, though no reference is.

        Args:
            name: The system's name.
            segments: What it wrote.
            sources: The source of each segment.
            references: The references of each segment.
        """
        copied = []
        for i, (segment, source) in enumerate(zip(segments, sources, strict=True)):
            if not isinstance(source, str):
                continue
            text = segment.strip()
            if (
                text
                and text == source.strip()
                and not any((one or "").strip() == text for one in references[i])
            ):
                copied.append(i)
        if copied:
            what = f"{_segments(copied)} a copy of the source; no reference is."
            self._add("copied", name, True, what, copied)

    def check_tabs(self, where: str, is_system: bool, texts: Sequence[str | None]) -> None:
        """Look for tabs inside of lines."""
        tabs = [
            i for i, text in enumerate(texts) if text is not None and "\t" in text and "\t" in text.rstrip()
        ]
        if tabs:
            what = (
                f"{_segments(tabs, 'hold', 'holds')} tabs: was a file with several columns read as one text?"
            )
            self._add("tabs", where, is_system, what, tabs)

    def check_text(self, where: str, is_system: bool, texts: Sequence[str | None]) -> None:
        """Look for text that is tokenized, cut into subwords, or holds tabs."""
        self.check_tabs(where, is_system, texts)
        there = [(i, text) for i, text in enumerate(texts) if text is not None]
        subwords = [i for i, text in there if "@@ " in text or "\u2581" in text]
        if subwords and len(subwords) >= _MANY * len(there):
            what = (
                f"{_segments(subwords, 'look', 'looks')} cut into subwords (@@ or \u2581): join them first."
            )
            self._add("subwords", where, is_system, what, subwords)
        if self._metric.tokenizer.name in ("none", "char"):
            return
        tokenized = [i for i, text in there if text.rstrip().endswith(_TOKENIZED_ENDS) or "&apos;" in text]
        if tokenized and len(tokenized) >= _MANY * len(there):
            what = (
                f"{_segments(tokenized, 'look', 'looks')} tokenized already, with a space before the last period: "
                "detokenize the text first, since BLEU tokenizes it again."
            )
            self._add("tokenized", where, is_system, what, tokenized)

    def check_tokenizer(self, references: Iterable[str]) -> None:
        """Look whether the tokenizer fits the script of the references."""
        name = self._metric.tokenizer.name
        text = "".join(references)
        fitting = fitting_tokenizer(text) if name in (*SPLIT_AT_SPACES, "none") else ""
        if fitting:
            what = (
                f"the text is in a script without spaces between words, but the tokenizer {name} splits words at "
                f"spaces: use {fitting}."
            )
            self._add("tokenizer", "references", False, what)
        elif name in ("zh", "ja-mecab") and unspaced_share(text) < 1 - UNSPACED_SHARE:
            what = f"the text is mostly in another script than the tokenizer {name} is for."
            self._add("tokenizer", "references", False, what)

    def check_scripts(
        self, names: Sequence[str], systems: Sequence[Sequence[str]], references: Sequence[str]
    ) -> None:
        """Look for output in another script than its reference.

        Args:
            names: The names of the systems.
            systems: What each wrote.
            references: One reference of each segment.
        """
        if has_only_latin(references) and all(map(has_only_latin, systems)):
            return
        (script,) = main_scripts(["".join(references)])
        if not script:
            return  # numbers, or next to no letters
        expected = [each == script for each in main_scripts(references)]
        for name, texts in zip(names, systems, strict=True):
            found = main_scripts(texts)
            shares = letters_of(script, texts)
            other = [
                i
                for i, (is_expected, there, letters) in enumerate(zip(expected, found, shares, strict=True))
                if is_expected and there and not letters
            ]
            if other:
                what = (
                    f"{_segments(other, 'have', 'has')} no letter of the script of the reference ({found[other[0]]} "
                    f"instead of {script}): left untranslated?"
                )
                self._add("script", name, True, what, other)


def _segments(numbers: Sequence[int], many: str = "are", one: str = "is") -> str:
    """How many segments do something, in words."""
    return f"1 segment {one}" if len(numbers) == 1 else f"{len(numbers):,} segments {many}"


def find_all(
    metric: BLEU,
    systems: Sequence[System],
    statistics: NDArray[int64],
    texts: Texts,
    sources: Sequence[str] | None,
) -> tuple[Finding, ...]:
    """Look for everything that can be looked for.

    Args:
        metric: How text becomes tokens.
        systems: The systems.
        statistics: Their counts, int64 [systems, n, 2 + 2N].
        texts: What they wrote.
        sources: The source of each segment, None if none was given.
    """
    findings = Findings(metric)
    references: list[Any] = [
        texts.references(i) if texts.is_text else tuple(texts.reference_tokens(i)) for i in range(len(texts))
    ]
    written = [texts.hypotheses(s) for s in range(len(systems))]
    if texts.is_text:
        streams = list(zip_longest(*references))
        for k, stream in enumerate(streams):
            findings.check_text("references" if len(streams) == 1 else f"references[{k}]", False, stream)
        first = [next(one for one in each if one is not None) for each in references]
        findings.check_tokenizer(first)
        findings.check_scripts([system.name for system in systems], written, first)
        if sources is not None:
            findings.check_tabs("sources", False, sources)
    for system, rows, segments in zip(systems, statistics, written, strict=True):
        findings.check_score(system.name, system.score)
        expected = references if sources is None else sources
        findings.check_lengths(system.name, rows, segments, expected, sources is not None)
        if texts.is_text:
            findings.check_text(system.name, True, segments)
            if sources is not None:
                findings.check_copies(system.name, segments, sources, references)
    return tuple(findings.found)
