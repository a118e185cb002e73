"""Search the data for likely mistakes, which change scores unintentionally."""

from __future__ import annotations

from itertools import zip_longest

from ..errors import counted
from ..tokenizers.names import SPLIT_AT_SPACES
from ..tokenizers.scripts import (
    UNSPACED_SHARE,
    fitting_tokenizer,
    has_only_latin,
    letters_by_script,
    letters_of,
    main_scripts,
    unspaced_share,
)
from .results import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from .outputs import Outputs
    from .results import System

#: The number of segments that a finding lists.
MOST_SEGMENTS = 20

#: Length ratios outside these limits are reported. At 0.9 the brevity penalty takes a tenth of the score.
_SHORTEST, _LONGEST = 0.9, 1.1

#: Shorter segments are ignored, because they are often repeated on purpose.
_FEWEST_TOKENS = 4

#: Repeated output is reported if at least this share of the segments, and at least two of them, repeat an earlier one.
_REPEATED = 0.01

#: Text is reported as tokenized, or as cut into subwords, if at least this share of the segments is.
_MANY = 0.2

#: Endings of tokenized text.
_TOKENIZED_ENDS = (" .", " \u3002", " ?", " !")


def find_all(systems: Sequence[System], outputs: Outputs, sources: Sequence[str] | None) -> Iterator[Finding]:
    """Yield all findings, those about the references first.

    Args:
        systems: The systems.
        outputs: Their outputs and the references.
        sources: The source of each segment; None if sources were not given.
    """
    read = outputs.references if outputs.is_text else outputs.reference_tokens
    references: list[Any] = list(map(read, range(len(outputs))))
    written = [[segments[i] for i in range(len(outputs))] for segments in outputs.systems]
    tokenizer = outputs.metric.tokenizer.name
    if outputs.is_text:
        streams = list(zip_longest(*references))
        for k, stream in enumerate(streams):
            where = "references" if len(streams) == 1 else f"references[{k}]"
            yield from _odd_text(where, stream, tokenizer)
        first = [next(one for one in each if one is not None) for each in references]
        yield from _wrong_tokenizer(first, tokenizer)
        yield from _other_scripts([system.name for system in systems], written, first)
        if sources is not None:
            yield from _tabs("sources", sources)
    for system, rows, segments in zip(systems, outputs.statistics, written, strict=True):
        yield from _wrong_length(system)
        yield from _empty(system.name, rows)
        yield from _repeated(system.name, rows, segments, references, sources)
        if outputs.is_text:
            yield from _odd_text(system.name, segments, tokenizer)
            if sources is not None:
                yield from _copies(system.name, segments, sources, references)


def unchecked(outputs: Outputs, sources: Sequence[str] | None) -> str:
    """Name the checks that `find_all` cannot make, and the reason, as a sentence; "" if it makes all."""
    if not outputs.is_text:
        return (
            "Not checked, because the segments are tokens: copies of the source, tokenized text, and scripts."
        )
    return "" if sources is not None else "Not checked, because no sources were given: copies of the source."


def _of_segments(
    kind: str, where: str, numbers: Sequence[int], many: str, one: str, rest: str
) -> Iterator[Finding]:
    """Yield a finding about these segments, if there are any; `many` and `one` are the verb in plural and singular."""
    number = len(numbers)
    if number:
        what = f"{counted(number, 'segment', ',')} {one if number == 1 else many}"
        yield Finding(kind, where, f"{what} {rest}", number, tuple(numbers[:MOST_SEGMENTS]))


# A system


def _wrong_length(system: System) -> Iterator[Finding]:
    """Find output that is much shorter or longer than the references."""
    score = system.score
    if score.ref_len and not _SHORTEST <= score.ratio <= _LONGEST:
        how = "shorter" if score.ratio < 1 else "longer"
        effect = "extra words lower its precisions"
        if score.bp < 1:
            effect = f"the brevity penalty multiplies its score by {score.bp:.2f}"
        percent = abs(100 * (1 - score.ratio))
        lengths = f"{percent:.0f} % {how} than the references (length ratio {score.ratio:.2f})"
        yield Finding("length", system.name, f"the output is {lengths}: {effect}.")


def _empty(name: str, rows: NDArray[int64]) -> Iterator[Finding]:
    """Find empty segments of a system with these rows, int64 [n, 2 + 2N], where the reference is not empty."""
    empty = ((rows[:, 0] == 0) & (rows[:, 1] > 0)).nonzero()[0].tolist()
    return _of_segments("empty", name, empty, "are", "is", "empty, where the reference is not.")


def _repeated(
    name: str,
    rows: NDArray[int64],
    segments: Sequence[Any],
    references: Sequence[Any],
    sources: Sequence[str] | None,
) -> Iterator[Finding]:
    """Find segments, text or tokens, equal to an earlier one whose source, or else reference, differs."""
    expected, whose = (references, "reference") if sources is None else (sources, "source")
    first: dict[Any, int] = {}
    repeated = []
    for i in (rows[:, 0] >= _FEWEST_TOKENS).nonzero()[0].tolist():
        segment = segments[i] if isinstance(segments[i], str) else tuple(segments[i])
        k = first.setdefault(segment, i)
        if k != i and expected[k] != expected[i]:
            repeated.append(i)
    if len(repeated) < max(2, _REPEATED * len(segments)):
        repeated = []
    what = f"the output of an earlier segment, whose {whose} differs."
    return _of_segments("duplicate", name, repeated, "repeat", "repeats", what)


def _copies(
    name: str, segments: Sequence[str], sources: Sequence[str], references: Sequence[Sequence[str | None]]
) -> Iterator[Finding]:
    """Find segments that equal their source while no reference does."""
    copied = []
    for i, (segment, source) in enumerate(zip(segments, sources, strict=True)):
        text = segment.strip()
        if text and text == source.strip() and text not in [(one or "").strip() for one in references[i]]:
            copied.append(i)
    return _of_segments("copied", name, copied, "are", "is", "a copy of the source; no reference is.")


# Any text


def _tabs(where: str, texts: Sequence[str | None]) -> Iterator[Finding]:
    """Find tabs inside lines."""
    tabs = [i for i, text in enumerate(texts) if text is not None and "\t" in text.rstrip()]
    what = "tabs: was a file with several columns read as one text?"
    return _of_segments("tabs", where, tabs, "hold", "holds", what)


def _odd_text(where: str, texts: Sequence[str | None], tokenizer: str) -> Iterator[Finding]:
    """Find text that contains tabs, is cut into subwords, or is already tokenized."""
    yield from _tabs(where, texts)
    present = [(i, text) for i, text in enumerate(texts) if text is not None]
    subwords = [i for i, text in present if "@@ " in text or "\u2581" in text]
    tokenized = [i for i, text in present if text.rstrip().endswith(_TOKENIZED_ENDS) or "&apos;" in text]
    cut = "cut into subwords (@@ or \u2581): join them first."
    already = (
        "tokenized already, with a space before the last period: detokenize the text first, since BLEU tokenizes it "
        "again."
    )
    for kind, segments, what in (("subwords", subwords, cut), ("tokenized", tokenized, already)):
        is_intended = kind == "tokenized" and tokenizer in ("none", "char")
        if len(segments) >= _MANY * len(present) and not is_intended:
            yield from _of_segments(kind, where, segments, "look", "looks", what)


# Languages


def _wrong_tokenizer(references: Sequence[str], name: str) -> Iterator[Finding]:
    """Find a tokenizer that does not fit the script of the references."""
    letters = letters_by_script("".join(references))
    fitting = fitting_tokenizer(letters) if name in (*SPLIT_AT_SPACES, "none") else ""
    if fitting:
        what = (
            f"the text is in a script without spaces between words, but the tokenizer {name} splits words at "
            f"spaces: use {fitting}."
        )
        yield Finding("tokenizer", "references", what)
    elif name in ("zh", "ja-mecab") and unspaced_share(letters) < 1 - UNSPACED_SHARE:
        what = f"the text is mostly in another script than the tokenizer {name} is for."
        yield Finding("tokenizer", "references", what)


def _other_scripts(
    names: Sequence[str], systems: Sequence[Sequence[str]], references: Sequence[str]
) -> Iterator[Finding]:
    """Find output of systems in another script than the reference; `references` has one per segment."""
    if has_only_latin(references) and all(map(has_only_latin, systems)):
        return
    (script,) = main_scripts(["".join(references)])
    if not script:
        return  # The references are numbers, or have next to no letters.
    expected = [each == script for each in main_scripts(references)]
    for name, texts in zip(names, systems, strict=True):
        scripts = main_scripts(texts)
        shares = letters_of(script, texts)
        other = [
            i
            for i, (is_expected, written, letters) in enumerate(zip(expected, scripts, shares, strict=True))
            if is_expected and written and not letters
        ]
        instead = scripts[other[0]] if other else ""
        what = f"no letter of the script of the reference ({instead} instead of {script}): left untranslated?"
        yield from _of_segments("script", name, other, "have", "has", what)
