"""Data that other threads change while it is read: old or new is counted, or an error says so, and nothing crashes."""

import gc
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.counting._counter import NgramCounter
from fastbleu.errors import ArgumentError
from fastbleu.inputs._lines import split_lines
from fastbleu.tokenizers._tokenize import TOKENIZE_V11
from fastbleu.tokenizers.names import COMPILED
from tests.support.threads import SECONDS, frequent_switches

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


def check_overwritten(memory: Any, column: Any, segments: list[Any], *garbage: bytes) -> None:
    """Overwrite a buffer of a column, whole or in part, while it is read; put back, it equals the segments."""
    before = bytes(memory)
    contents = (before, before, *garbage)
    metric: BLEU = TOKENS if isinstance(segments[0], list) else TEXT
    references = [segments[::-1]]
    expected = rows(metric, segments, references)

    def change(choose: random.Random) -> None:
        content = choose.choice(contents)
        first = 0 if choose.random() < 0.5 else choose.randrange(len(content))
        memory[first : len(content)] = content[first:]

    with changing(change):
        for _ in range(2 * ROUNDS):
            found, refusal = rows_or_refusal(metric, column, references)
            assert "valid" in refusal or "negative" in refusal if refusal else len(found) == SEGMENTS
            check_bounds(found)
    memory[:] = before
    assert rows(metric, column, references) == expected


@pytest.mark.parametrize("buffer", ["offsets", "data"])
def test_arrow_text_overwritten(buffer: str) -> None:
    """Bytes that stop to be UTF-8, and offsets that point elsewhere, between being checked and being used."""
    pa = pytest.importorskip("pyarrow")
    made = [f"{text} 1.5, {text}" for text in OLD]
    _, offsets, data = pa.array(made, pa.large_string()).buffers()
    memory = bytearray(offsets.to_pybytes() if buffer == "offsets" else data.to_pybytes())
    held = pa.py_buffer(memory)
    buffers = [None, held, data] if buffer == "offsets" else [None, offsets, held]
    column = pa.Array.from_buffers(pa.large_string(), SEGMENTS, buffers)
    size = len(memory)
    garbage = random.Random(1).randbytes(size), b"\x80 " * (size // 2), b"\xf0\x9f.1" * (size // 4)
    check_overwritten(memoryview(memory), column, made, *garbage)


def test_arrow_ids_overwritten() -> None:
    pa = pytest.importorskip("pyarrow")
    flat = np.arange(5 * SEGMENTS)
    items = pa.Array.from_buffers(pa.int64(), len(flat), [None, pa.py_buffer(flat)])
    column = pa.ListArray.from_arrays(pa.array(range(0, len(flat) + 1, 5), pa.int32()), items)
    garbage = random.Random(2).randbytes(flat.nbytes), b"\xff" * flat.nbytes
    check_overwritten(memoryview(flat).cast("B"), column, flat.reshape(-1, 5).tolist(), *garbage)


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
