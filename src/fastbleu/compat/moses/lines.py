"""Count and score lines as multi-bleu.perl and multi-bleu-detok.perl do."""

from __future__ import annotations

from ...counting.corpus import read_corpus
from ...counting.matcher import Matcher
from ...errors import ArgumentTypeError, ArgumentValueError, Location
from ...inputs._lines import column_of_lines, find_invalid_utf8
from ...inputs.reading import STREAMS, as_list
from ...options import check_flag
from ...scoring.moses_formula import ORDER, MultiBLEUScore
from ...tokenizers.names import get_tokenizer
from .texts import hide_separators, lc, lines_of, rewrite_13a, words_in_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ...inputs._text import TextColumn

#: The reference length of a segment without references, in words.
WITHOUT_REFERENCE = 9999


def multi_bleu(
    hypotheses: Iterable[str | bytes], references: Iterable[Iterable[str | bytes]], lowercase: bool = False
) -> MultiBLEUScore:
    """Score tokenized text as multi-bleu.perl does.

    The script reads bytes. ASCII white space separates words, so a no-break space is part of a word. Only ASCII letters
    are lowercased, so "É" is not.

    Args:
        hypotheses: Any number of segments, str or bytes; a str is encoded in UTF-8.
        references: Streams of references, `references[stream][segment]`, at least one stream. A stream may be shorter
            or longer than the hypotheses. A segment without references counts as if its reference had 9999 words.
        lowercase: Ignore case (`-lc`).

    Returns:
        The score, 0..100. Its `str` is the script's line of output.

    Raises:
        TypeError: An argument is not a sequence of text, or is a bare str.
        ValueError: There are no references, or the references have words but the hypotheses have none.

    Example:
        >>> print(multi_bleu(["the cat sat on a mat"], [["the cat sat on the mat"], ["a cat sat on the mat"]]))
        BLEU = 56.23, 100.0/60.0/50.0/33.3 (BP=1.000, ratio=1.000, hyp_len=6, ref_len=6)
    """
    return score_words(
        *_files(hypotheses, references, lambda text: text.replace("\n", " ")),
        check_flag("lowercase", lowercase),
    )


def multi_bleu_detok(
    hypotheses: Iterable[str | bytes], references: Iterable[Iterable[str | bytes]], lowercase: bool = False
) -> MultiBLEUScore:
    """Score text as multi-bleu-detok.perl does, with the tokens of mteval-v13a.pl.

    Args:
        hypotheses: Any number of segments, str or UTF-8 in bytes.
        references: Streams of references, as for `multi_bleu`.
        lowercase: Ignore case (`-lc`). Hypotheses are lowercased before they are tokenized, references afterwards.

    Returns:
        The score, 0..100. Its `str` is the script's line of output.

    Raises:
        TypeError: An argument is not a sequence of text, or is a bare str.
        ValueError: There are no references, the references have words but the hypotheses have none, or a text is not
            UTF-8.

    Example:
        >>> print(multi_bleu_detok(["It rained, 1.5 inches."], [["It rained: 1.5 inches."]]))
        BLEU = 0.00, 83.3/60.0/25.0/0.0 (BP=1.000, ratio=1.000, hyp_len=6, ref_len=6)
    """
    return score_detokenized(*_files(hypotheses, references, _joined_13a), check_flag("lowercase", lowercase))


def _files(hypotheses: Any, references: Any, on_one_line: Any) -> tuple[bytes, list[bytes]]:
    """Check the arguments, and return the contents of the files that the script would read."""
    location = Location("references")
    streams = as_list(references, location, STREAMS)
    if not len(streams):
        raise ArgumentValueError(location, "must hold at least one stream of references, but it is empty")
    for s, stream in enumerate(streams):
        if isinstance(stream, (str, bytes)):
            raise ArgumentTypeError(location[s], "must be a stream of references, not text", value=stream)
    return (
        lines_of(hypotheses, Location("hypotheses"), on_one_line),
        [lines_of(stream, location[s], on_one_line) for s, stream in enumerate(streams)],
    )


def _joined_13a(text: str) -> str:
    """Join the lines of a segment as mteval-v13a.pl does."""
    return text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def score_words(hypotheses: bytes, references: list[bytes], lowercase: bool) -> MultiBLEUScore:
    """Score the contents of files as multi-bleu.perl does.

    Args:
        hypotheses: The content of the file of hypotheses, one per line.
        references: The content of each file of references.
        lowercase: Ignore case.
    """
    files = [hypotheses, *references]
    return _score("none", words_in_bytes([data.lower() for data in files] if lowercase else files))


def score_detokenized(hypotheses: bytes, references: list[bytes], lowercase: bool) -> MultiBLEUScore:
    """Score the contents of files as multi-bleu-detok.perl does.

    If the last line of a file does not end with a newline, it loses its last character, as in the script.

    Args:
        hypotheses: The content of the file of hypotheses, one per line.
        references: The content of each file of references.
        lowercase: Ignore case.

    Raises:
        ValueError: A file is not UTF-8.
    """
    locations = [Location("hypotheses"), *map(Location("references").__getitem__, range(len(references)))]
    columns = []
    for i, (where, data) in enumerate(zip(locations, [hypotheses, *references], strict=True)):
        offset = find_invalid_utf8(data)
        if offset >= 0:
            line = data.count(b"\n", 0, offset) + 1
            raise ArgumentValueError(where, f"must be UTF-8; line {line} has a byte that is not valid")
        text = _chopped(data.decode())
        if lowercase:
            text = lc(_rewrite_lines(text) if i else text)
        columns.append(column_of_lines(hide_separators(text).encode("utf-8", "surrogatepass")))
    return _score("13a", columns)


def _chopped(text: str) -> str:
    """Replace the last character by a newline, unless it is a newline, as the script does."""
    return text if not text or text.endswith("\n") else f"{text[:-1]}\n"


def _rewrite_lines(text: str) -> str:
    """Apply `rewrite_13a` to each line."""
    if "&" not in text and "<" not in text:
        return text
    return "\n".join(map(rewrite_13a, text.split("\n")))


def _score(tokenizer: str, columns: list[TextColumn]) -> MultiBLEUScore:
    """Count and score columns of lines.

    Args:
        tokenizer: The name of the tokenizer.
        columns: The hypotheses, followed by the streams of references.

    Raises:
        ValueError: The references have no line.
    """
    hypotheses, *streams = columns
    segments = len(hypotheses)
    longest = max(map(len, streams), default=0)
    if not longest:
        raise ValueError("the references have no line")
    covered = min(segments, longest)
    lengths = [len(stream) for stream in streams]
    if set(lengths) != {segments}:
        import warnings

        warnings.warn(
            f"{segments} hypotheses, and {', '.join(map(str, lengths))} references: a hypothesis without references "
            f"counts as if it had one of {WITHOUT_REFERENCE} words; references after the last hypothesis are ignored",
            UserWarning,
            stacklevel=4,
        )
    matcher = Matcher(get_tokenizer(tokenizer), max_ngram_order=ORDER)
    references = [_fitted(stream, segments, covered, s == 0) for s, stream in enumerate(streams)]
    row = read_corpus(matcher, hypotheses, references).count().row if segments else [0] * (2 + 2 * ORDER)
    # A segment without references was counted with an empty reference, whose length of 0 is corrected here.
    row[1] += WITHOUT_REFERENCE * (segments - covered)
    return MultiBLEUScore(row)


def _fitted(stream: TextColumn, segments: int, covered: int, is_first: bool) -> Any:
    """Truncate or extend a stream to one reference per segment.

    Args:
        stream: A stream of references.
        segments: The number of hypotheses.
        covered: The number of hypotheses for which some stream has a reference.
        is_first: Whether this is the first stream. For a hypothesis without any reference, the first stream has "", and
            all other streams have None.
    """
    if len(stream) == segments:
        return stream
    if len(stream) > segments:
        return stream.slice(0, segments)
    references: list[str | None] = list(stream)
    first_empty = covered if is_first else segments
    references += [None] * (first_empty - len(stream))
    return references + [""] * (segments - first_empty)
