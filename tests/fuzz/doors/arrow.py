"""Arrow arrays of every layout: what is valid equals plain lists, and what is not is an error or is scored, unread.

The interface does not tell how large a buffer is. Its last offset is trusted, and all other numbers may lie.
"""

from __future__ import annotations

from array import array
from typing import Any

from fastbleu import BLEU
from tests.support import oracle
from tests.support.arrow_arrays import HandMade, HandMadeStream, bits, text_array
from tests.support.fuzzed_data import FuzzedData

_TEXT, _PLAIN = BLEU(tokenize="13a", force=True, max_ngram_order=2), BLEU(tokenize="none", max_ngram_order=2)
_INTEGERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q"}
_LISTS = ("+l", "+L", "+vl", "+vL", "+w")


def check(data: bytes) -> None:
    """Counts hypotheses that are Arrow arrays, or references that are."""
    fuzzed = FuzzedData(data)
    flags = fuzzed.byte()
    lies = flags % 4 == 3
    kind = fuzzed.choice(("text", "tokens", "ids", "references"))
    number = fuzzed.integer(0, 6)
    pieces: list[HandMade] = []
    values: list[Any] = []
    layout = _Layout(fuzzed, kind, lies)
    for _ in range(fuzzed.integer(1, 3)):
        piece, plain = layout.array(number)
        pieces.append(piece)
        values += plain
    made: Any = pieces[0]
    if len(pieces) > 1 or fuzzed.flag():
        # A stream may fail in the place of its last array, or after it.
        fails_at = len(pieces) - (flags & 1) if lies and flags & 32 else None
        made = HandMadeStream(pieces, fails_at, b"no more" if flags & 64 else None)
    if kind == "references":
        _check_references(made, values, lies)
    elif kind == "tokens" and flags & 16:
        _check_tokens(fuzzed, made, values, lies)
    else:
        _check_hypotheses(made, values, kind, lies)
    for piece in pieces:
        # The one of a stream that was refused before it was reached stays with its producer.
        assert piece.released == 1 or (lies and piece.released == 0)


def _check_tokens(fuzzed: FuzzedData, made: Any, values: list[Any], lies: bool) -> None:
    """Tokens whose references are arrays, too: they are numbered as bytes."""
    streams = [_Layout(fuzzed, "tokens", lies).array_of(len(values)) for _ in range(fuzzed.integer(1, 2))]
    plain = [stream for _, stream in streams]
    try:
        found = _PLAIN.statistics(made, [array for array, _ in streams]).tolist()
    except (ValueError, TypeError) as error:
        # In the first stream no reference may be absent.
        whole = [*values, *plain[0]]
        has_none = None in whole or any(
            each is None
            for some in (*values, *(each for stream in plain for each in stream))
            for each in some or ()
        )
        assert lies or has_none, error  # noqa: PT017  # right only then
        error.__traceback__ = None
        return
    assert all(array.released == 1 for array, _ in streams)
    if lies:
        assert len(found) == len(values)
        return
    assert found == [
        oracle.statistics(some, [stream[i] for stream in plain if stream[i] is not None], 2)
        for i, some in enumerate(values)
    ]


def _check_hypotheses(made: Any, values: list[Any], kind: str, lies: bool) -> None:
    if kind == "ids":
        # Ignored wherever it stands.
        values = [some and [each for each in some if each != -100] for some in values]
    metric, one = {"text": (_TEXT, "a b c."), "tokens": (_PLAIN, ["a", "b"]), "ids": (_PLAIN, [1, 2])}[kind]
    references = [[one] * len(values)]
    try:
        found = metric.statistics(made, references).tolist()
    except (ValueError, TypeError) as error:
        assert lies or None in values or _is_wrong(values, kind), error  # noqa: PT017  # right only then
        assert str(error).startswith("hypotheses")  # noqa: PT017
        error.__traceback__ = None
        return
    if lies:
        assert len(found) == len(values)
        return
    assert found == oracle.corpus_statistics(
        values, references, tokenize="13a" if kind == "text" else None, max_ngram_order=2
    )


def _check_references(made: Any, values: list[Any], lies: bool) -> None:
    hypotheses = ["a b, a"] * len(values)
    try:
        found = _TEXT.statistics(hypotheses, made).tolist()
    except (ValueError, TypeError) as error:
        has_none = any(not some or all(each is None for each in some) for some in values)
        assert lies or has_none, error  # noqa: PT017  # right only then
        error.__traceback__ = None
        return
    if lies:
        assert len(found) == len(values)
        return
    assert found == [
        oracle.statistics(
            oracle.tokenize("a b, a"), [oracle.tokenize(each) for each in some if each is not None], 2
        )
        for some in values
    ]


def _is_wrong(values: list[Any], kind: str) -> bool:
    """Return whether lists hold a value that is not a token."""
    if kind == "text":
        return False
    return any(
        each is None or (kind == "ids" and not 0 <= each < 1 << 63) for some in values for each in some
    )


class _Layout:
    """The layout of arrays of one type."""

    def __init__(self, fuzzed: FuzzedData, kind: str, lies: bool) -> None:
        self._fuzzed = fuzzed
        self._kind = kind
        self._lies = lies
        self._letters = (
            fuzzed.choice(tuple(_INTEGERS))
            if kind == "ids"
            else fuzzed.choice(("u", "U", "vu", "dictionary"))
        )
        self._index = fuzzed.choice(tuple(_INTEGERS))
        self._of_dictionary = fuzzed.choice(("u", "U", "vu"))
        self._list = fuzzed.choice(_LISTS)
        self._width = fuzzed.integer(0, 3)

    def array(self, number: int) -> tuple[HandMade, list[Any]]:
        """An array of this length or of a little less, and what it holds."""
        return self.array_of(max(0, number - self._fuzzed.byte() % 3))

    def array_of(self, number: int) -> tuple[HandMade, list[Any]]:
        """An array of this length, and what it holds."""
        return self._leaf(number) if self._kind == "text" else self._lists(number)

    def _numbers(self, code: str, values: list[int]) -> bytes:
        """Numbers as a buffer; some are others where there may be lies."""
        if self._lies:
            limit = (1 << 8 * array(code).itemsize - (code in "bhiq")) - 1
            for k in range(len(values)):
                byte = self._fuzzed.byte()
                if byte > 200:
                    other = self._fuzzed.choice(
                        (0, 1, -1, 2, 7, 100, values[k] + 1, -(1 << 31), (1 << 31) - 1, 1 << 62)
                    )
                    values[k] = (
                        other if -limit - 1 <= other <= limit and (other >= 0 or code in "bhiq") else 1
                    )
        return array(code, values).tobytes()

    def _validity(self, flags: list[bool]) -> bytes | None:
        return bits(flags) if not all(flags) or self._fuzzed.flag() else None

    def _leaf(self, number: int) -> tuple[HandMade, list[Any]]:
        """Strings or integers, some of them null, after rows that an offset leaves out."""
        fuzzed = self._fuzzed
        skip, after = fuzzed.integer(0, 9), fuzzed.integer(0, 2)
        rows = skip + number + after
        nulls = fuzzed.byte() % 4 == 0
        flags = [not (nulls and fuzzed.byte() % 4 == 0) for _ in range(rows)]
        if self._kind == "ids":
            return self._integers(number, skip, flags)
        if self._letters == "dictionary":
            return self._dictionary(number, skip, flags)
        texts = [self._text() for _ in range(rows)]
        data = [text.encode() for text in texts]
        held = self._text_buffers(self._letters, data, skip + number)
        plain = [text if flag else None for text, flag in zip(texts, flags, strict=True)]
        buffers = [self._validity(flags), *held]
        return HandMade(self._letters, number, buffers, skip), plain[skip : skip + number]

    def _text(self) -> str:
        found = self._fuzzed.text(20, is_any=False)
        # Tokens by themselves are taken as they are.
        return found if self._kind != "tokens" else "".join(found.split()) or "x"

    def _text_buffers(self, letters: str, data: list[bytes], end: int) -> list[bytes | None]:
        if letters == "vu":
            views, pool = bytearray(), bytearray(b"pool")
            for each in data:
                if len(each) <= 12:
                    views += self._numbers("I", [len(each)]) + each.ljust(12, b"\0")
                else:
                    views += self._numbers("I", [len(each)]) + each[:4] + self._numbers("I", [0, len(pool)])
                    pool += each
            return [bytes(views), bytes(pool), array("q", [len(pool)]).tobytes()]
        code = "i" if letters == "u" else "q"
        first = self._fuzzed.integer(0, 3)
        places = [first]
        for each in data:
            places.append(places[-1] + len(each))
        # The last one that belongs to the array is trusted; others may stand after it.
        offsets = self._numbers(code, places[:end]) + array(code, places[end:]).tobytes()
        return [offsets, b"\xff" * first + b"".join(data)]

    def _dictionary(self, number: int, skip: int, flags: list[bool]) -> tuple[HandMade, list[Any]]:
        fuzzed = self._fuzzed
        words: list[str | None] = [self._text() for _ in range(fuzzed.integer(1, 4))]
        if fuzzed.byte() % 4 == 0:
            words.append(None)
        places = [fuzzed.byte() % len(words) for _ in flags]
        plain = [words[k] if flag else None for k, flag in zip(places, flags, strict=True)]
        indices = self._numbers(_INTEGERS[self._index], places)
        made = HandMade(
            self._index,
            number,
            [self._validity(flags), indices],
            skip,
            dictionary=text_array(words, self._of_dictionary, fuzzed.integer(0, 2)),
        )
        return made, plain[skip : skip + number]

    def _integers(self, number: int, skip: int, flags: list[bool]) -> tuple[HandMade, list[Any]]:
        code = _INTEGERS[self._letters]
        limit = 1 << 8 * array(code).itemsize
        least = -limit // 2 if code in "bhiq" else 0
        values = []
        for _ in flags:
            value = self._fuzzed.number() if self._fuzzed.byte() > 200 else self._fuzzed.byte() % 8
            values.append(value if least <= value < limit + least else value % 8)
        plain = [value if flag else None for value, flag in zip(values, flags, strict=True)]
        made = HandMade(self._letters, number, [self._validity(flags), array(code, values).tobytes()], skip)
        return made, plain[skip : skip + number]

    def _lists(self, number: int) -> tuple[HandMade, list[Any]]:
        """Lists of what `_leaf` gives, after rows that an offset leaves out, with items that belong to none."""
        fuzzed = self._fuzzed
        skip = fuzzed.integer(0, 3)
        rows = skip + number
        is_fixed = self._list == "+w"
        sizes = [self._width if is_fixed else fuzzed.byte() % 5 for _ in range(rows)]
        gap = 0 if is_fixed else fuzzed.integer(0, 2)
        is_view = self._list in ("+vl", "+vL")
        gaps = gap if is_view else 0
        items, values = self._leaf(sum(sizes) + gap + gaps * rows)
        starts = [gap]
        for size in sizes:
            starts.append(starts[-1] + size + gaps)
        nulls = fuzzed.byte() % 4 == 0
        flags = [not (nulls and fuzzed.byte() % 4 == 0) for _ in range(rows)]
        plain = [
            values[start : start + size] if flag else None
            for start, size, flag in zip(starts, sizes, flags, strict=False)
        ]
        code = "q" if self._list in ("+L", "+vL") else "i"
        buffers: list[bytes | None] = [self._validity(flags)]
        if is_view:
            if fuzzed.flag():
                # Lists of a view may lie in any order.
                order = sorted(range(rows), key=lambda i: (i * 7) % 5)
                starts, sizes = [starts[i] for i in order], [sizes[i] for i in order]
                plain = [
                    values[start : start + size] if flag else None
                    for start, size, flag in zip(starts, sizes, flags, strict=False)
                ]
            buffers += [self._numbers(code, starts[:rows]), self._numbers(code, sizes)]
        elif not is_fixed:
            buffers.append(self._numbers(code, starts))
        format_ = f"+w:{self._width}" if is_fixed else self._list
        return HandMade(format_, number, buffers, skip, children=[items]), plain[skip:]
