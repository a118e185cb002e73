"""Moses n-best lists and plain text, in blocks of any size, with broken lines, against a plain reading."""

from __future__ import annotations

import gzip
import io
import re
import sys
import zlib
from math import isfinite
from typing import Any

import numpy as np

from fastbleu.inputs import files
from fastbleu.inputs._text import text_column
from fastbleu.rerank.nbest._fields import join_lines
from fastbleu.rerank.nbest.moses import Moses, Text
from fastbleu.rerank.nbest.options import Options
from tests.support.fuzzed_data import FuzzedData
from tests.support.nbest_blocks import Source, check_strict, lines_of, read_blocks

#: What lines are put together from.
_PIECES = (
    b"0", b"1", b"2", b"9", b"a", b"b c", b" ", b"\t", b" ||| ", b"\t|||\t", b"|||", b"||| ", b" |||", b"||",
    b"\n", b"\r\n", b"\r", b"-0.5", b"1e5", b".5", b"5.", b"+1", b"nan", b"-inf", b"1e999", b"1_0", b"0x1",
    b"\xff", b"\xc3", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\0", b"\x1f", b"\x0b",
    b"\xe2\x80\xa8", b"\xc2\x85", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"123456789012345678",
    b"1234567890123456789", b"0" * 64,
)  # fmt: skip
_SCORES = (0.0, 1.0, -0.1, 1 / 3, 1e22, 1e300, 5e-324, 0.5, 100.0, float("inf"), float("nan"), -0.0)
#: Of a list that is put together: several blocks, and not so many lines that each input takes long.
_MOST_BYTES = 1200
_NUMBER = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE
)
_ID = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+\|\|\|(?:[ \t]|$)")


def check(data: bytes) -> None:
    """Compares a strict reading with a plain one, readings in blocks of several sizes, and what is left out."""
    fuzzed = FuzzedData(data)
    per_source = fuzzed.choice((0, 0, 0, 1, 2, 3))
    field = fuzzed.choice((None, 4, 3, 5))
    sizes = (1 << 20, fuzzed.integer(1, 400))
    most = fuzzed.integer(1, 4)
    what = fuzzed.byte()
    if what % 8 == 7:
        _check_compressed(fuzzed)
        return
    if what % 16 == 6:
        _check_writer(fuzzed)
        return
    is_strict = bool(what & 16)
    content = _content(fuzzed)

    def form(skip_bad: bool) -> Any:
        options = Options(candidates_per_source=per_source, skip_bad=skip_bad)
        return Text(options) if per_source else Moses(options, None if field is None else str(field))

    sources, wrong = _plain_text(content, per_source) if per_source else _plain_moses(content, field)
    for size in sizes if is_strict else ():
        check_strict(read_blocks(form(False), content, size, most), sources, wrong)
    if is_strict:
        return

    lenient = [read_blocks(form(True), content, size, most) for size in sizes]
    assert lenient[0].error is None
    assert lenient[1] == lenient[0]
    if not wrong:
        assert lenient[0].sources == sources
    lines = lines_of(content)
    kept = [line for source in lenient[0].sources for line in source.lines]
    if not per_source:
        assert len(kept) + lenient[0].lines == len(lines)
    left = iter(lines)
    assert all(line in left for line in kept)
    for source in lenient[0].sources:
        for k, line in enumerate(source.lines):
            text, score, problem = _parsed(line, -1 if per_source else 1, None if per_source else field)
            assert not problem
            assert source.texts[k] == text
            assert source.scores is None or source.scores[k] == score
        assert source.places == sorted(set(source.places))


def _content(fuzzed: FuzzedData) -> bytes:
    """A list: as the bytes stand, or of lines that are mostly right."""
    if fuzzed.flag():
        return fuzzed.rest()
    found = bytearray()
    source = fuzzed.byte() % 3
    while fuzzed.left and len(found) < _MOST_BYTES:
        byte = fuzzed.byte()
        if byte < 140:
            source += byte >> 6 & 1
            word = _PIECES[byte % len(_PIECES)].replace(b"\n", b"")
            found += b"%d ||| %s a ||| f= %d ||| -%d.5\n" % (source, word, byte & 3, byte & 7)
        elif byte < 250:
            found += _PIECES[byte % len(_PIECES)]
        else:
            found += fuzzed.raw(8)
    return bytes(found)


def _check_compressed(fuzzed: FuzzedData) -> None:
    """A damaged file of gzip: an error, or what Python reads."""
    content = fuzzed.raw(40)
    compressed = bytearray(gzip.compress(content * fuzzed.integer(1, 300), mtime=0))
    for _ in range(fuzzed.byte() % 4):
        compressed[fuzzed.integer(0, 65535) % len(compressed)] = fuzzed.byte()
    del compressed[len(compressed) - fuzzed.byte() % 12 :]
    packed = bytes(compressed)
    usual, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(packed))
    try:
        with files.Input(None) as source:
            found: bytes | None = source.read_all()
    except ValueError:
        found = None
    finally:
        sys.stdin = usual
    try:
        wanted = gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed
    except (OSError, EOFError, zlib.error):
        wanted = None
    assert found == wanted


def _check_writer(fuzzed: FuzzedData) -> None:
    """Lines of chosen segments, with their numbers and scores; or an error where one is not a segment."""
    texts = [fuzzed.text(12, is_any=False) for _ in range(fuzzed.integer(1, 4))]
    chosen = [fuzzed.byte() % (len(texts) + (fuzzed.byte() > 250)) for _ in range(fuzzed.integer(0, 5))]
    decimals, separator = fuzzed.integer(0, 17), fuzzed.choice((b"\t", b"", b" ||| "))
    scores = [fuzzed.choice(_SCORES) * (fuzzed.byte() + 1) for _ in chosen] if fuzzed.flag() else None
    numbers = [(fuzzed.raw(3), [fuzzed.number() for _ in chosen]) for _ in range(fuzzed.integer(0, 2))]
    given = tuple((prefix, np.array(some, dtype=np.int64)) for prefix, some in numbers)
    try:
        found = join_lines(
            text_column(texts),
            np.array(chosen, dtype=np.int64),
            None if scores is None else np.array(scores, dtype=float),
            separator,
            decimals,
            given,
        )
    except IndexError:
        assert len(texts) in chosen
        return
    assert len(texts) not in chosen
    wanted = b""
    for i, k in enumerate(chosen):
        details = b"".join(b"%s%d" % (prefix, some[i]) for prefix, some in numbers)
        score = b"" if scores is None else separator + f"{scores[i]:.{decimals}f}".encode()
        wanted += texts[k].encode() + details + score + b"\n"
    assert found == wanted


def _parsed(line: bytes, text_field: int, score_field: int | None) -> tuple[str, float | None, bool]:
    """The text of a line, its score, and whether something is wrong."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return "", None, True
    if text_field < 0:
        return line.lstrip(b" \t").decode().rstrip(), None, False
    fields = re.split(rb"(?:(?<=[ \t])|^)\|\|\|(?=[ \t]|$)", line)
    if len(fields) <= max(text_field, (score_field or 1) - 1):
        return "", None, True
    text = fields[text_field].lstrip(b" \t").decode().rstrip()
    if score_field is None:
        return text, None, False
    number = fields[score_field - 1].strip(b" \t")
    if len(number) > 63 or not _NUMBER.fullmatch(number) or not isfinite(float(number)):
        return "", None, True
    return text, float(number), False


def _plain_moses(content: bytes, field: int | None) -> tuple[list[Source], set[int]]:
    """The sources before the first broken line; and which lines may be said to be broken."""
    sources: list[Source] = []
    ids: list[int] = []
    wrong: set[int] = set()
    for number, line in enumerate(lines_of(content), 1):
        found = _ID.match(line)
        id_ = int(found[1]) if found else -1
        if found is None or (ids and id_ not in (ids[-1], ids[-1] + 1)):
            # Of the lines before it, too, all ids of a block are looked at first.
            return _whole(sources, wrong), wrong | {number}
        text, score, is_broken = _parsed(line, 1, field)
        if is_broken and not wrong:
            wrong.add(number)
        if not ids or id_ != ids[-1]:
            ids.append(id_)
            sources.append(Source(len(sources), id_, [], None if field is None else [], [], []))
        if not wrong:
            _add(sources[-1], text, score, line)
    return _whole(sources, wrong), wrong


def _plain_text(content: bytes, per_source: int) -> tuple[list[Source], set[int]]:
    sources: list[Source] = []
    wrong: set[int] = set()
    lines = lines_of(content)
    for number, line in enumerate(lines, 1):
        text, _, is_broken = _parsed(line, -1, None)
        if is_broken and not wrong:
            wrong.add(number)
        if (number - 1) % per_source == 0:
            sources.append(Source(len(sources), len(sources), [], None, [], []))
        if not wrong:
            _add(sources[-1], text, None, line)
    if len(lines) % per_source:
        wrong.add(len(lines))
    return _whole(sources, wrong), wrong


def _whole(sources: list[Source], wrong: set[int]) -> list[Source]:
    return sources if not wrong else [source for source in sources if source.texts]


def _add(source: Source, text: str, score: float | None, line: bytes) -> None:
    source.texts.append(text)
    if source.scores is not None:
        assert score is not None
        source.scores.append(score)
    source.places.append(len(source.places))
    source.lines.append(line)
