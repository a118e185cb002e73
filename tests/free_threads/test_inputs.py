"""Data that other threads change while it is read: old or new is counted, or an error says so, and nothing crashes."""

from __future__ import annotations

import ctypes
import gc
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.counting._counter import NgramCounter
from fastbleu.errors import ArgumentError
from fastbleu.inputs._lines import split_lines
from fastbleu.inputs.arrow_columns import read_arrow
from fastbleu.tokenizers._tokenize import TOKENIZE_V11
from fastbleu.tokenizers.names import COMPILED
from tests.support.arrow_arrays import (
    HandMade,
    dictionary_array,
    integer_array,
    list_array,
    new_capsule,
    text_array,
)
from tests.support.threads import SECONDS, at_once, frequent_switches

# Far beyond what any step takes: only a thread that never ends runs into it.
PATIENCE = 120

# More before a release, and under ThreadSanitizer.
ROUNDS = max(1, int(125 * SECONDS))
SEGMENTS = 60
WORDS = ["the", "cat,", "sat", "1,000.5", "(mat)", "東京", "é", "a-b", *(f"word{i}" for i in range(40))]


def texts(seed: int, longest: int = 25) -> list[str]:
    choose = random.Random(seed)
    return [" ".join(choose.choices(WORDS, k=choose.randint(1, longest))) for _ in range(SEGMENTS)]


OLD, NEW, REFERENCES, OTHERS = (texts(seed) for seed in range(4))
TEXT, TOKENS = BLEU(), BLEU(tokenize="none")


def fresh(text: str) -> str:
    """Copy text into a str that nobody else holds: it is freed once it is replaced."""
    return text.encode().decode()


def tokens(text: str) -> list[str]:
    return fresh(text).split()


def rows(metric: BLEU, hypotheses: Any, references: Any) -> list[list[int]]:
    found: list[list[int]] = metric.statistics(hypotheses, references).tolist()
    return found


def check_bounds(found: list[list[int]]) -> None:
    """Check what holds for the rows of any segments."""
    for row in found:
        assert min(row) >= 0
        assert all(correct <= total for correct, total in zip(row[2:6], row[6:], strict=True))


def rows_or_refusal(metric: BLEU, hypotheses: Any, references: Any) -> tuple[list[list[int]], str]:
    """The rows, or no row and what the error says."""
    try:
        return rows(metric, hypotheses, references), ""
    except (ArgumentError, RuntimeError) as error:
        return [], str(error)


@contextmanager
def frequent_collections() -> Iterator[None]:
    """Lets other threads run where memory is taken: a callback of the garbage collector is Python code."""
    before = gc.get_threshold()

    def pause(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(pause)
    gc.set_threshold(20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(pause)


@contextmanager
def changing(*changes: Callable[[random.Random], object]) -> Iterator[None]:
    """Makes changes over and over, each in a thread of its own, for as long as the `with` block runs."""
    stop = threading.Event()
    errors: list[BaseException] = []
    started = threading.Barrier(len(changes) + 1)

    def run(change: Callable[[random.Random], object], seed: int) -> None:
        choose = random.Random(seed)
        started.wait(PATIENCE)
        try:
            while not stop.is_set():
                change(choose)
        except BaseException as error:  # noqa: BLE001  # raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(change, k)) for k, change in enumerate(changes)]
    with frequent_switches(), frequent_collections():
        try:
            for thread in threads:
                thread.start()
            started.wait(PATIENCE)
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join(PATIENCE)
    assert not errors, errors


# --- Lists --------------------------------------------------------------------------------------------------------


def ids_from(first: int) -> Callable[[str], list[int]]:
    return lambda text: [first + 7 * WORDS.index(word) for word in text.split()]


#: What a segment is made into.
KINDS: dict[str, Callable[[str], Any]] = {
    "text": fresh,
    "tokens": tokens,
    "other tokens": lambda text: [(word,) for word in text.split()],
    "ids": ids_from(0),
    "large ids": ids_from(1 << 40),
    "ids beyond 64 bits": ids_from(1 << 70),
}


@pytest.mark.parametrize(("streams", "threads"), [(1, 2), (3, 1)])
@pytest.mark.parametrize("kind", KINDS)
def test_segments_replaced(kind: str, streams: int, threads: int) -> None:
    """A text, or all tokens of a list at once. Three lists or more cannot be locked together."""
    make, is_text = KINDS[kind], kind == "text"
    metric = BLEU(tokenize="13a" if is_text else "none", threads=threads)
    others = [list(map(make, texts(10 + s))) for s in range(streams - 1)]
    hypotheses, references = list(map(make, OLD)), list(map(make, REFERENCES))
    possible = [
        rows(metric, list(map(make, hypothesis)), [list(map(make, reference)), *others])
        for hypothesis in (OLD, NEW)
        for reference in (REFERENCES, OTHERS)
    ]
    whole = 0

    def change(choose: random.Random) -> None:
        i = choose.randrange(SEGMENTS)
        for held, contents in ((hypotheses, (OLD, NEW)), (references, (REFERENCES, OTHERS))):
            made = make(choose.choice(contents)[i])
            if is_text:
                held[i] = made
            else:
                held[i][:] = made

    with changing(change, change):
        for k in range(ROUNDS):
            for part in (slice(None), *(slice(i, i + 1) for i in range(k % 4, SEGMENTS, 4))):
                sources = [stream[part] for stream in (references, *others)]
                given: Any = hypotheses[part]
                if kind in ("ids", "large ids") and k % 2:
                    given = TokenIds(given)
                found, refusal = rows_or_refusal(metric, given, sources)
                if refusal:
                    assert not is_text
                    assert refusal.endswith("changed its length while it was read")
                for row, *allowed in zip(found, *(each[part] for each in possible), strict=False):
                    assert row in allowed
                whole += not refusal
    assert whole
    for i in range(SEGMENTS):
        hypotheses[i], references[i] = make(OLD[i]), make(REFERENCES[i])
    assert rows(metric, hypotheses, [references, *others]) == possible[0]


@pytest.mark.parametrize("kind", ["text", "tokens", "ids"])
@pytest.mark.parametrize("victim", ["hypotheses", "stream", "streams", "segment"])
def test_lists_emptied(kind: str, victim: str) -> None:
    """A list that is empty at times, and never partly filled, gives all rows or a clear error."""
    metric, make = TEXT if kind == "text" else TOKENS, KINDS[kind]
    hypotheses, stream = list(map(make, OLD)), list(map(make, REFERENCES))
    streams = [stream]
    expected = rows(metric, hypotheses, streams)
    target: Any = {"hypotheses": hypotheses, "stream": stream, "streams": streams, "segment": hypotheses[0]}[
        victim
    ]
    if isinstance(target, str):
        pytest.skip("a str does not change")
    full = list(target)

    def change(_: random.Random) -> None:
        target.clear()
        target[:] = full

    with changing(change):
        for _ in range(4 * ROUNDS):
            found, refusal = rows_or_refusal(metric, hypotheses, streams)
            if refusal:
                continue
            if victim == "segment":
                assert found[1:] == expected[1:]
                assert found[0][0] in (0, expected[0][0])
            else:
                assert found in ([], expected)
    target[:] = full
    assert rows(metric, hypotheses, streams) == expected


# --- Arrays -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("span", [100, 200_000, 1 << 40], ids=["small", "many", "large"])
@pytest.mark.parametrize("width", [12, 90, 400])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_matrix_overwritten(span: int, width: int, dtype: str) -> None:
    """Ids that grow beyond the largest one seen, become negative, or the id that ends a row."""
    generator = np.random.default_rng(5)
    old = generator.integers(1, min(span, 1 << 30), (SEGMENTS, width)).astype(dtype)
    new = np.where(generator.random(old.shape) < 0.2, -7, 1 << (62 if dtype == "int64" else 30)).astype(dtype)
    held, reference = old.copy(), old[::-1].copy()
    prepared = TOKENS.prepare([reference])
    expected = rows(TOKENS, old, [old[::-1]])

    def change(choose: random.Random) -> None:
        for each, before in ((held, old), (reference, old[::-1])):
            i = choose.randrange(SEGMENTS)
            each[i] = new[i] if choose.random() < 0.7 else before[i]

    with changing(change):
        for k in range(ROUNDS):
            rule = {"eos_id": 1 << 30, "ignore_id": -7} if k % 2 else {}
            references: Any = prepared if k % 5 == 4 else [TokenIds(reference, **rule)]
            found, refusal = rows_or_refusal(TOKENS, TokenIds(held, **rule), references)
            if refusal:
                assert "token id must not be negative" in refusal
            check_bounds(found)
            assert all(max(row[:2]) <= width for row in found)
    held[:], reference[:] = old, old[::-1]
    assert rows(TOKENS, held, [reference]) == expected


# --- Arrow columns ------------------------------------------------------------------------------------------------


def memory_of(array: HandMade, buffer: int) -> Any:
    """A buffer of an array made by hand, to be written to."""
    return memoryview(array._memory[buffer]).cast("B")


def check_overwritten(
    metric: BLEU,
    column: HandMade,
    memory: Any,
    hypotheses: Any,
    references: Any,
    *garbage: bytes,
    says: str = "",
) -> None:
    """Overwrites a buffer of a column, whole or in part, while it is read; put back, it equals plain hypotheses."""
    before = bytes(memory)
    size = len(garbage[0])
    contents = (before[:size], before[:size], *garbage)
    expected = rows(metric, hypotheses, references)

    def change(choose: random.Random) -> None:
        content = choose.choice(contents)
        first = 0 if choose.random() < 0.5 else choose.randrange(len(content))
        memory[first : len(content)] = content[first:]

    def unread() -> HandMade:
        for part in (column, *column._children):
            part.schema.release, part.array.release = part._release_schema, part._release_array
        return column

    with changing(change):
        for _ in range(2 * ROUNDS):
            found, refusal = rows_or_refusal(metric, unread(), references)
            assert says in refusal if refusal else len(found) == SEGMENTS
            check_bounds(found)
    memory[:] = before
    assert rows(metric, unread(), references) == expected


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
@pytest.mark.parametrize("form", ["u", "U", "vu", "dictionary"])
def test_arrow_text_overwritten(tokenize: str, form: str) -> None:
    """Bytes that stop to be UTF-8 between being checked and being tokenized."""
    made: list[str | None] = [f"{text} 1.5, {text}" for text in OLD]
    column = dictionary_array(made) if form == "dictionary" else text_array(made, form)
    held = column._dictionary if form == "dictionary" else column
    assert held is not None
    memory = memory_of(held, 2)
    size = len(memory)
    garbage = (
        random.Random(1).randbytes(size),
        b"\x80 " * (size // 2),  # each ends a token that began nowhere
        b"\xf0\x9f.1" * (size // 4),
    )
    check_overwritten(
        BLEU(tokenize=tokenize), column, memory, made, [REFERENCES], *garbage, says="is not valid UTF-8"
    )


@pytest.mark.parametrize("form", ["u", "U", "vu", "b", "H", "i", "q", "+l", "+L", "ids"])
def test_arrow_places_overwritten(form: str) -> None:
    """Offsets, views and indices that point elsewhere between being checked and being used."""
    made: list[str | None] = [f"a longer word {i} {text}" for i, text in enumerate(OLD)]
    references: Any = [REFERENCES]
    metric, hypotheses = TEXT, made
    if form == "ids":
        flat: list[int | None] = list(range(5 * SEGMENTS))
        values = integer_array(flat)
        column = list_array([flat[5 * i : 5 * i + 5] for i in range(SEGMENTS)], values)
        metric, hypotheses = TOKENS, [flat[5 * i : 5 * i + 5] for i in range(SEGMENTS)]  # type: ignore[misc]
        references = [hypotheses[::-1]]
    elif form in ("+l", "+L"):
        lists = [[text, text[::-1]][: 1 + i % 2] for i, text in enumerate(OLD)]
        column = list_array(lists, text_array([text for each in lists for text in each]), form)
        metric, hypotheses, references = TOKENS, lists, [list(map(tokens, REFERENCES))]  # type: ignore[assignment]
    else:
        column = text_array(made, form) if form in ("u", "U", "vu") else dictionary_array(made, form)
    memory = memory_of(column, 1)
    # The last offset says how large the data is, which nothing else does.
    size = len(memory) - (16 if form in ("U", "+L") else 8 if form in ("u", "+l", "ids") else 0)
    garbage = random.Random(2).randbytes(size)
    check_overwritten(metric, column, memory, hypotheses, references, garbage, b"\xff" * size)


def read_or_refusal(column: Any) -> list[str | None] | ArgumentError:
    try:
        return list(read_arrow(column, "column"))
    except ArgumentError as error:
        return error


def test_one_capsule_in_many_threads() -> None:
    """The contents of a capsule are moved once; the second call gets an error, and nothing is released twice."""

    class Same:
        """Gives the same capsules to all."""

        def __init__(self, made: HandMade) -> None:
            self.made = made
            self.capsules = (
                new_capsule(ctypes.addressof(made.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(made.array), b"arrow_array", None),
            )

        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
            return self.capsules

    for _ in range(ROUNDS):
        given = Same(text_array(list(OLD)))
        found = at_once(partial(read_or_refusal, given), 4)
        taken = [each for each in found if not isinstance(each, Exception)]
        assert taken in ([OLD], [])  # [] if one has moved the schema, and another one the array
        for each in found:
            assert each == OLD or "released or moved" in str(each)
        del found, taken
        assert given.made.released <= 1
        assert given.made.schemas_released == 1


# --- Tokenizers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokenizer", [*COMPILED.values(), TOKENIZE_V11])
def test_bytes_that_are_no_text(tokenizer: int) -> None:
    """Every token that ends has begun, whatever the bytes are: they may change after they were checked."""
    counter: Any = NgramCounter(tokenizer, 4)
    choose = random.Random(3)
    pieces = [
        b"\x80", b" ", b"\xe3\x80", b"\x80\x80", b".", b"1", b"\xc2", b"\xa0", b"\xf0\x9f", b"a", b"\xc2\xab",
        b"-",
    ]  # fmt: skip
    lines = [b"\x80 " * 400, b"\xf0" * 300, b" \xc2" * 200, b"1\x80." * 100, b".\x80" * 200]
    lines += [b"".join(choose.choices(pieces, k=choose.randrange(400))) for _ in range(300)]
    column = split_lines(b"\n".join(lines), True)[0]
    table = np.empty((len(lines), 10), np.int64)
    counter.count(column, [column], 0, table)
    # A text has all n-grams of itself.
    assert (table[:, 0] == table[:, 1]).all()
    assert (table[:, 2:6] == table[:, 6:]).all()
    assert (table[:, 0] <= [len(line) for line in lines]).all()
