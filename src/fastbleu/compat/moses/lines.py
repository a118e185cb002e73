"""Count and score lines as multi-bleu.perl and multi-bleu-detok.perl do."""

from __future__ import annotations

from ...counting.corpus import read_corpus
from ...counting.matcher import Matcher
from ...errors import ArgumentTypeError, ArgumentValueError, Place
from ...inputs._lines import column_of_lines, find_invalid_utf8
from ...inputs.reading import STREAMS, as_list
from ...options import check_flag
from ...scoring.multi_bleu import ORDER, MultiBLEUScore
from ...tokenizers.names import get_tokenizer
from .texts import hide_separators, lc, lines_of, rewrite_13a, words_in_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from typing import Any

    from ...inputs._text import TextColumn

#: The initial values of both the closest length and its difference in the scripts. If no reference is closer, this is
#: the reference length.
FARTHEST = 9999

# Bytes in the UTF-8 of all characters that Unicode reserves for internal use: U+FDD0 to U+FDEF, and the last two of
# each plane.
_PARTS_OF_RESERVED = (b"\xef\xb7", b"\xbf\xbe", b"\xbf\xbf")
# These characters, and bytes that are not UTF-8, as Python decodes them.
_NOT_TEXT = (
    "[\udc80-\udcff\ufdd0-\ufdef"
    + "".join(chr(0x10000 * i + 0xFFFE) + chr(0x10000 * i + 0xFFFF) for i in range(17))
    + "]"
)


def multi_bleu(
    hypotheses: Iterable[str | bytes], references: Iterable[Iterable[str | bytes]], lowercase: bool = False
) -> MultiBLEUScore:
    """Score tokenized text as multi-bleu.perl does.

    Words are separated by ASCII white space, and only ASCII letters are lowercased: a no-break space is a part of a
    word, and "É" is not lowercased.

    Args:
        hypotheses: Any number of segments, str or bytes (str counts as its UTF-8).
        references: Streams, `references[stream][segment]`, at least one. A stream may be shorter than the hypotheses,
            or longer. A segment without references counts as if its reference had 9999 words.
        lowercase: Whether case is ignored (`-lc`).

    Returns:
        The score. `print` shows the output line of the script.

    Raises:
        TypeError: Something is not a sequence of text, or a bare str.
        ValueError: There is no reference at all, or the hypotheses have no words and the references some.

    Example:
        >>> print(multi_bleu(["the cat sat on a mat"], [["the cat sat on the mat"], ["a cat sat on the mat"]]))
        BLEU = 56.23, 100.0/60.0/50.0/33.3 (BP=1.000, ratio=1.000, hyp_len=6, ref_len=6)
    """
    return score_words(*_files(hypotheses, references, _joined), check_flag("lowercase", lowercase))


def multi_bleu_detok(
    hypotheses: Iterable[str | bytes], references: Iterable[Iterable[str | bytes]], lowercase: bool = False
) -> MultiBLEUScore:
    r"""Score text as multi-bleu-detok.perl does, with the tokens of mteval-v13a.pl.

    Args:
        hypotheses: Any number of segments, str or UTF-8 in bytes.
        references: Streams of references, as for `multi_bleu`. In bytes, what is not UTF-8 becomes text such as
            `\xE9`.
        lowercase: Whether case is ignored (`-lc`): in hypotheses before they are tokenized, in references afterwards.

    Returns:
        The score. `print` shows the script's line.

    Raises:
        TypeError: Something is not a sequence of text, or a bare str.
        ValueError: As `multi_bleu`, or a hypothesis is not UTF-8.

    Example:
        >>> print(multi_bleu_detok(["It rained, 1.5 inches."], [["It rained: 1.5 inches."]]))
        BLEU = 0.00, 83.3/60.0/25.0/0.0 (BP=1.000, ratio=1.000, hyp_len=6, ref_len=6)
    """
    return score_detokenized(*_files(hypotheses, references, _joined_13a), check_flag("lowercase", lowercase))


def _files(hypotheses: Any, references: Any, on_one_line: Any) -> tuple[bytes, list[bytes]]:
    place = Place("references")
    streams = as_list(references, place, STREAMS)
    if not len(streams):
        raise ArgumentValueError(place, "must hold at least one stream of references, but it is empty")
    for s, stream in enumerate(streams):
        if isinstance(stream, (str, bytes)):
            raise ArgumentTypeError(place[s], "must be a stream of references, not text", value=stream)
    return (
        lines_of(hypotheses, Place("hypotheses"), on_one_line),
        [lines_of(stream, place[s], on_one_line) for s, stream in enumerate(streams)],
    )


def _joined(text: str) -> str:
    return text.replace("\n", " ")


def _joined_13a(text: str) -> str:
    return text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def score_words(hypotheses: bytes, references: list[bytes], lowercase: bool) -> MultiBLEUScore:
    """Score the contents of files as multi-bleu.perl does.

    Args:
        hypotheses: The content of the file of hypotheses, one per line.
        references: The content of each file of references.
        lowercase: Whether case is ignored.
    """
    files = [hypotheses, *references]
    if lowercase:
        files = [data.lower() for data in files]
    columns = words_in_bytes(files)
    return _score("none", columns, files)


def score_detokenized(hypotheses: bytes, references: list[bytes], lowercase: bool) -> MultiBLEUScore:
    """Score the contents of files as multi-bleu-detok.perl does; arguments as `score_words`.

    A last line without a newline loses its last character, as in the script.

    Raises:
        ValueError: The hypotheses are not UTF-8.
    """
    offset = find_invalid_utf8(hypotheses)
    if offset >= 0:
        line = hypotheses.count(b"\n", 0, offset) + 1
        raise ArgumentValueError(
            "hypotheses", f"must be UTF-8; line {line} has a byte that is not valid there"
        )
    text = _chopped(hypotheses.decode())
    texts = [lc(text) if lowercase else text]
    for data in references:
        text = _chopped(decoded(data))
        texts.append(lc(_rewrite_lines(text)) if lowercase else text)
    files = [hide_separators(text).encode("utf-8", "surrogatepass") for text in texts]
    return _score("13a", [column_of_lines(data) for data in files], files)


def _chopped(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text[:-1]}\n"


def _rewrite_lines(text: str) -> str:
    if "&" not in text and "<" not in text:
        return text
    return "\n".join(map(rewrite_13a, text.split("\n")))


def decoded(data: bytes) -> str:
    r"""Decode references as Perl's layer `:encoding(UTF-8)` does.

    Returns:
        The text. Each invalid byte, and each byte of a character that Unicode reserves, becomes an escape of four
        characters. An incomplete character at the end is dropped.

    Example:
        >>> decoded(b"caf\xe9 \xef\xbf\xbf")
        'caf\\xE9 \\xEF\\xBF\\xBF'
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        from codecs import getincrementaldecoder

        text = getincrementaldecoder("utf-8")("surrogateescape").decode(data)
    else:
        if not any(part in data for part in _PARTS_OF_RESERVED):
            return text
    from re import sub

    return sub(_NOT_TEXT, _as_escapes, text)


def _as_escapes(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))


def _score(tokenizer: str, columns: list[TextColumn], files: list[bytes]) -> MultiBLEUScore:
    """Count and score columns of lines, of which the first has the hypotheses.

    Args:
        tokenizer: The name of the tokenizer.
        columns: The hypotheses, then each stream of references.
        files: The content of the files from which the columns were read.

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
            f"{segments} hypotheses, and {', '.join(map(str, lengths))} references: a hypothesis without any counts as "
            f"if it had one of {FARTHEST} words; references after the last hypothesis are ignored",
            UserWarning,
            stacklevel=4,
        )
    matcher = Matcher(get_tokenizer(tokenizer), max_ngram_order=ORDER)
    references = [_fitted(stream, segments, covered, s == 0) for s, stream in enumerate(streams)]
    corpus = read_corpus(matcher, hypotheses, references)
    if max(len(line) for data in files for line in data.split(b"\n")) < FARTHEST:
        row = corpus.count().row if segments else [0] * (2 + 2 * ORDER)
        # A segment without a reference was counted with an empty one.
        row[1] += FARTHEST * (segments - covered)
        return MultiBLEUScore(row)
    sums = [0] * (2 + 2 * ORDER)
    for i, (row, _) in enumerate(corpus.rows()):
        row[1] = _reference_length(row[0], row[1]) if i < covered else FARTHEST
        sums = [total + count for total, count in zip(sums, row, strict=True)]
    return MultiBLEUScore(sums)


def _reference_length(hypothesis: int, closest: int) -> int:
    """Return the closest length that the scripts find; their search starts from length 9999 and difference 9999."""
    difference = abs(hypothesis - closest)
    if difference == FARTHEST:
        return min(closest, FARTHEST)
    return closest if difference < FARTHEST else FARTHEST


def _fitted(stream: TextColumn, segments: int, covered: int, is_first: bool) -> Any:
    """Truncate or extend a stream to one reference per segment; the first has "" where all streams lack one."""
    if len(stream) == segments:
        return stream
    if len(stream) > segments:
        return stream.slice(0, segments)
    present: list[str | None] = list(stream)
    absent = covered if is_first else segments
    present += [None] * (absent - len(stream))
    return present + [""] * (segments - absent)
