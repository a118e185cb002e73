"""Token ids in every form against the plain rule: matrices of any type and layout, lists, samples, references."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from fastbleu import BLEU, TokenIds
from tests.support import oracle
from tests.support.fuzzed_data import FuzzedData
from tests.support.id_rows import Rule, kept

_METRICS = [BLEU(tokenize="none", max_ngram_order=order, effective_order=True) for order in (1, 2, 4, 6)]
_TYPES = "bBhHiIqQ"
_COMMON = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
_RARE = (
    -100, -1, -2, 60, 300, 127, -128, 255, 65535, 1 << 17, (1 << 18) - 1, 1 << 18, 1 << 40, (1 << 62) + 1,
)  # fmt: skip


class _Unknown:
    """Equals nothing but itself."""


def check(data: bytes) -> None:
    """Compares rows, scores and prefixes, or that there is an error exactly where a token is not allowed."""
    fuzzed = FuzzedData(data)
    metric = fuzzed.choice(_METRICS)
    rule = _rule(fuzzed)
    vocabulary_size = fuzzed.choice((None, None, None, 12, 301, 1 << 18))
    segments = fuzzed.integer(1, 4)
    samples = fuzzed.integer(1, 3) if fuzzed.flag() else 0
    hypotheses = _Matrix(fuzzed, rule, vocabulary_size, segments, samples, samples > 0)
    number = fuzzed.integer(1, 3)
    if fuzzed.flag():
        references = _Matrix(fuzzed, rule, vocabulary_size, segments, number, True)
        given: Any = references.ids
        wanted = references.tokens_of_each()
        # A reference without a token is absent, unless all of its segment are.
        wanted = [
            [each for each, absent in zip(row, absences, strict=True) if not absent or all(absences)]
            for row, absences in zip(wanted, references.absences(), strict=True)
        ]
        wrong = references.wrong
    else:
        streams = [_Matrix(fuzzed, rule, vocabulary_size, segments, 0, False) for _ in range(number)]
        given = [stream.ids for stream in streams]
        if number == 1 and fuzzed.flag():
            given = given[0]
        wanted = [[stream.tokens_of_each()[i][0] for stream in streams] for i in range(segments)]
        wrong = any(stream.wrong for stream in streams)

    try:
        found = metric.statistics(hypotheses.ids, given)
        prepared = metric.prepare(given)
    except ValueError as error:
        assert hypotheses.wrong or wrong, error  # noqa: PT017  # an error is right only then
        return
    assert not hypotheses.wrong
    assert not wrong
    order, shape = metric.max_ngram_order, (segments, samples) if samples else (segments,)
    tokens = hypotheses.tokens_of_each()
    rows = [
        oracle.statistics(each, references, order)
        for some, references in zip(tokens, wanted, strict=True)
        for each in some
    ]
    assert found.reshape(-1, 2 + 2 * order).tolist() == rows
    assert found.shape == (*shape, 2 + 2 * order)
    assert metric.statistics(hypotheses.ids, prepared).tolist() == found.tolist()
    scores = metric.sentence_scores(hypotheses.ids, prepared)
    assert scores.ravel().tolist() == [metric.score_statistics(row).score for row in rows]
    if fuzzed.flag():
        _check_prefixes(metric, hypotheses, given, tokens, wanted)


def _rule(fuzzed: FuzzedData) -> Rule:
    def some() -> Any:
        number = fuzzed.byte() % 8
        ids = tuple(fuzzed.choice((*_COMMON[:4], *_RARE, *_COMMON)) for _ in range(max(0, number - 3)))
        return None if not ids else ids[0] if len(ids) == 1 else ids

    def one(default: int | None) -> int | None:
        return fuzzed.choice((default, default, None, -100, 0, 1, 2, 3, 5, 1 << 40))

    return Rule(some(), some(), one(-100), one(None))


def _check_prefixes(
    metric: BLEU, hypotheses: _Matrix, given: Any, tokens: list[list[list[Any]]], references: Any
) -> None:
    """The score of the tokens up to each place."""
    found = metric.prefix_scores(hypotheses.ids, given)
    order = metric.max_ngram_order
    flat = [(each, some) for of_one, some in zip(tokens, references, strict=True) for each in of_one]
    places = hypotheses.kept_up_to()
    for row, (each, some), up_to in zip(
        found.reshape(len(flat), found.shape[-1]).tolist(), flat, places, strict=True
    ):
        numbers = up_to or [min(t + 1, len(each)) for t in range(len(row))]
        assert row == [
            metric.score_statistics(oracle.statistics(each[:number], some, order)).score for number in numbers
        ]


class _Matrix:
    """Rows of ids as plain lists, and as TokenIds over an array or a list.

    Args:
        several: How many rows of each segment, if the shape is [segments, several, tokens].
    """

    def __init__(
        self,
        fuzzed: FuzzedData,
        rule: Rule,
        vocabulary_size: int | None,
        segments: int,
        several: int,
        is_cube: bool,
    ) -> None:
        self._rule = rule
        self._several = several if is_cube else 1
        number, width = segments * self._several, fuzzed.integer(0, 14)
        width = width * 12 if width == 14 else width
        kind = "array" if is_cube else fuzzed.choice(("array", "list", "tuples", "arrays", "buffers"))
        code = fuzzed.choice(_TYPES) if kind in ("array", "arrays", "buffers") else "q"
        is_ragged = kind != "array"
        sizes = [fuzzed.integer(0, width) if is_ragged else width for _ in range(number)]
        self.rows = [[_id(fuzzed, code) for _ in range(size)] for size in sizes]
        self.width = None if is_ragged else width
        lengths = None
        self._read = self.rows
        if fuzzed.byte() % 4 == 3:
            lengths = [fuzzed.integer(0, size) for size in sizes]
            self._read = [row[:length] for row, length in zip(self.rows, lengths, strict=True)]
        shape = (segments, several, width) if is_cube else (segments, width)
        shaped = None if lengths is None else np.array(lengths).reshape(shape[:-1])
        self.ids = TokenIds(
            _held(fuzzed, kind, code, self.rows, shape),
            lengths=shaped,
            vocabulary_size=vocabulary_size,
            **rule._asdict(),
        )
        self.tokens = [kept(row, rule.pad_id, rule.eos_id, rule.ignore_id) for row in self._read]
        #: Whether a token is not allowed.
        self.wrong = any(
            id_ != rule.unk_id and (id_ < 0 or (vocabulary_size is not None and id_ >= vocabulary_size))
            for row in self.tokens
            for id_ in row
        )

    def tokens_of_each(self) -> list[list[list[Any]]]:
        """The tokens of each row, those of a segment together; an unknown token equals none."""
        rows = [[_Unknown() if id_ == self._rule.unk_id else id_ for id_ in row] for row in self.tokens]
        return [rows[i : i + self._several] for i in range(0, len(rows), self._several)]

    def absences(self) -> list[list[bool]]:
        """Return whether each row holds nothing but padding and ignored ids."""
        flags = [self._rule.is_padding(row) for row in self._read]
        return [flags[i : i + self._several] for i in range(0, len(flags), self._several)]

    def kept_up_to(self) -> list[list[int] | None]:
        """Return how many tokens there are up to each place, or None where places are those of the tokens."""
        if self.width is None:
            return [None] * len(self.rows)
        found: list[list[int] | None] = []
        for row in self._read:
            numbers = self._rule.kept_up_to(row)
            found.append(numbers + [numbers[-1] if numbers else 0] * (self.width - len(row)))
        return found


def _id(fuzzed: FuzzedData, code: str) -> int:
    byte = fuzzed.byte()
    value = _COMMON[byte % 12] if byte < 216 else _RARE[byte % len(_RARE)]
    limits = np.iinfo(np.dtype(code.lower() if code in "bhiq" else code))
    return value if limits.min <= value <= limits.max else value % 100


def _held(fuzzed: FuzzedData, kind: str, code: str, rows: list[list[int]], shape: tuple[int, ...]) -> Any:
    """The ids as a user may hold them."""
    if kind == "list":
        return [list(row) for row in rows]
    if kind == "tuples":
        return tuple(tuple(row) if i % 2 else list(row) for i, row in enumerate(rows))
    dtype = np.dtype(code)
    if fuzzed.flag():
        dtype = dtype.newbyteorder(">")
    if kind == "arrays":
        return [np.array(row, dtype=dtype) for row in rows]
    if kind == "buffers":
        return [array(code, row) for row in rows]
    matrix = np.array(rows, dtype=dtype).reshape(shape)
    layout = fuzzed.choice(("C", "F", "reversed", "strided", "wide", "swapped", "memoryview"))
    if layout == "F":
        return np.asfortranarray(matrix)
    if layout == "reversed":
        return np.ascontiguousarray(matrix[::-1])[::-1]
    if layout in ("strided", "wide"):
        wide = np.full((*shape[:-1], shape[-1] * 2 + 1), 3, dtype=dtype)
        part = wide[..., : shape[-1] * 2 : 2] if layout == "strided" else wide[..., 1 : shape[-1] + 1]
        part[...] = matrix
        return part
    if layout == "swapped":
        return np.ascontiguousarray(matrix.swapaxes(0, -1)).swapaxes(0, -1)
    if layout == "memoryview" and dtype.isnative:
        return memoryview(matrix)
    return matrix
