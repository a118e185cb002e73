"""Search the data for likely mistakes that change scores unintentionally."""

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

#: The largest number of segments that a finding lists.
MOST_SEGMENTS = 20

#: Output is reported if its length, divided by the references' length, is outside these limits. At 0.9, the brevity
#: penalty lowers the score by a tenth.
_SHORTEST, _LONGEST = 0.9, 1.1

#: Repeated segments with fewer tokens are not reported, because short answers such as "Yes." are often the same.
_FEWEST_TOKENS = 4

#: Repeated output is reported if at least this share of the segments, and at least two of them, repeat an earlier one.
_REPEATED = 0.01

#: Text is reported as tokenized, or as split into subwords, if at least this share of its segments look so.
_MANY = 0.2

#: Endings of lines that were tokenized: a space before the final punctuation mark.
_TOKENIZED_ENDS = (" .", " \u3002", " ?", " !")


def find_all(systems: Sequence[System], outputs: Outputs, sources: Sequence[str] | None) -> Iterator[Finding]:
    """Yield all findings, those about the references first.

    Args:
        systems: The systems, in the order of `outputs.names`.
        outputs: The outputs of the systems, and the references.
        sources: The source of each segment; None if sources were not given.
    """
    get_references = outputs.references if outputs.is_text else outputs.reference_tokens
    references: list[Any] = list(map(get_references, range(len(outputs))))
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
    """Return a sentence that names the checks that `find_all` cannot make, and why; "" if it makes all of them."""
    if not outputs.is_text:
        return (
            "The segments are tokens, so they were not checked for copies of the source, tokenized text or wrong "
            "scripts."
        )
    if sources is None:
        return "The output was not checked for copies of the source, because no sources were given."
    return ""


def _of_segments(
    kind: str, where: str, indices: Sequence[int], plural: str, singular: str, rest: str
) -> Iterator[Finding]:
    """Yield a finding about the segments with these indices, if there are any.

    Args:
        kind: The kind of the finding.
        where: The data that has the problem.
        indices: The indices of the segments, from 0.
        plural: The verb of the message if there are several segments.
        singular: The verb of the message if there is one segment.
        rest: The message after the verb.
    """
    number = len(indices)
    if number:
        message = f"{counted(number, 'segment', ',')} {singular if number == 1 else plural} {rest}"
        yield Finding(kind, where, message, number, tuple(indices[:MOST_SEGMENTS]))


# Checks of the output of a system


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
    """Find empty segments with a non-empty reference, given a system's sufficient statistics, int64 [n, 2 + 2N]."""
    empty = ((rows[:, 0] == 0) & (rows[:, 1] > 0)).nonzero()[0].tolist()
    return _of_segments("empty", name, empty, "are", "is", "empty although the reference is not.")


def _repeated(
    name: str,
    rows: NDArray[int64],
    segments: Sequence[Any],
    references: Sequence[Any],
    sources: Sequence[str] | None,
) -> Iterator[Finding]:
    """Find segments whose output equals that of an earlier segment with another source.

    Args:
        name: The name of the system.
        rows: The system's sufficient statistics, int64 [n, 2 + 2N].
        segments: The output of the system, as text or tokens.
        references: The references of each segment, which are compared if there are no sources.
        sources: The source of each segment, or None.
    """
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
    rest = f"the output of an earlier segment that has a different {whose}."
    return _of_segments("duplicate", name, repeated, "repeat", "repeats", rest)


def _copies(
    name: str, segments: Sequence[str], sources: Sequence[str], references: Sequence[Sequence[str | None]]
) -> Iterator[Finding]:
    """Find segments that equal their source although no reference does."""
    copied = []
    for i, (segment, source) in enumerate(zip(segments, sources, strict=True)):
        text = segment.strip()
        if text and text == source.strip() and text not in [(one or "").strip() for one in references[i]]:
            copied.append(i)
    return _of_segments("copied", name, copied, "equal", "equals", "the source, although no reference does.")


# Checks of output, references and sources


def _tabs(where: str, texts: Sequence[str | None]) -> Iterator[Finding]:
    """Find tabs inside lines."""
    tabs = [i for i, text in enumerate(texts) if text is not None and "\t" in text.rstrip()]
    rest = "tabs: if they come from a file with several columns, read only the column of the text."
    return _of_segments("tabs", where, tabs, "contain", "contains", rest)


def _odd_text(where: str, texts: Sequence[str | None], tokenizer: str) -> Iterator[Finding]:
    """Find text that contains tabs, is split into subwords, or is already tokenized."""
    yield from _tabs(where, texts)
    present = [(i, text) for i, text in enumerate(texts) if text is not None]
    subwords = [i for i, text in present if "@@ " in text or "\u2581" in text]
    tokenized = [i for i, text in present if text.rstrip().endswith(_TOKENIZED_ENDS) or "&apos;" in text]
    if len(subwords) >= _MANY * len(present):
        rest = "split into subwords (@@ or \u2581): join the subwords first."
        yield from _of_segments("subwords", where, subwords, "look", "looks", rest)
    if len(tokenized) >= _MANY * len(present) and tokenizer not in ("none", "char"):
        rest = (
            "tokenized (spaces before punctuation, or &apos;): detokenize the text first, because BLEU tokenizes it "
            "again."
        )
        yield from _of_segments("tokenized", where, tokenized, "look", "looks", rest)


# Checks of scripts


def _wrong_tokenizer(references: Sequence[str], name: str) -> Iterator[Finding]:
    """Find a tokenizer that does not fit the script of the references."""
    letters = letters_by_script("".join(references))
    fitting = fitting_tokenizer(letters) if name in (*SPLIT_AT_SPACES, "none") else ""
    if fitting:
        message = (
            f"the text is in a script without spaces between words, but the tokenizer {name} splits text at spaces: "
            f"use the tokenizer {fitting}."
        )
        yield Finding("tokenizer", "references", message)
    elif name in ("zh", "ja-mecab") and unspaced_share(letters) < 1 - UNSPACED_SHARE:
        message = f"the tokenizer {name} is not for the script of this text: use that of the language."
        yield Finding("tokenizer", "references", message)


def _other_scripts(
    names: Sequence[str], systems: Sequence[Sequence[str]], references: Sequence[str]
) -> Iterator[Finding]:
    """Find output that has no letter of the reference's script; `references` has one reference per segment."""
    if has_only_latin(references) and all(map(has_only_latin, systems)):
        return
    (script,) = main_scripts(["".join(references)])
    if not script:
        return  # The references have too few letters to tell their script, for example because they are numbers.
    in_script = [each == script for each in main_scripts(references)]
    for name, texts in zip(names, systems, strict=True):
        scripts = main_scripts(texts)
        shares = letters_of(script, texts)
        other = [
            i
            for i, (is_expected, written, letters) in enumerate(zip(in_script, scripts, shares, strict=True))
            if is_expected and written and not letters
        ]
        instead = scripts[other[0]] if other else ""
        rest = f"no letter of the reference's script ({instead} instead of {script}): check whether it is translated."
        yield from _of_segments("script", name, other, "have", "has", rest)
