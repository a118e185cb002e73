"""Items and chunks of work on one thread and on several."""

import threading
import time
from collections.abc import Iterator

import pytest

from fastbleu.system.threads import chunk_size, for_each, for_each_chunk


def slowest_first(number: int) -> int:
    time.sleep(0.002 * (number % 3 == 0))
    return number * number


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 40])
def test_every_item_is_worked_on_once(size: int, threads: int, ordered: bool) -> None:
    results: list[int] = []
    takers: set[threading.Thread] = set()

    def items() -> Iterator[int]:
        for number in range(size):
            takers.add(threading.current_thread())
            yield number

    for_each(items(), slowest_first, results.append, threads, ordered)
    assert (results if ordered else sorted(results)) == [number * number for number in range(size)]
    assert not ordered or takers <= {threading.current_thread()}


@pytest.mark.parametrize("threads", [2, 3])
def test_items_are_not_taken_far_ahead(threads: int) -> None:
    taken: list[int] = []
    given: list[None] = []

    def items() -> Iterator[int]:
        for number in range(50):
            taken.append(number)
            assert len(taken) - len(given) <= 2 * threads
            yield number

    def work(number: int) -> None:
        if number == 0:
            time.sleep(0.05)

    for_each(items(), work, given.append, threads, ordered=True)
    assert len(given) == 50


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("where", ["items", "work", "done"])
def test_results_before_an_error_come_first(where: str, threads: int) -> None:
    results: list[int] = []

    def fail(place: str, number: int) -> None:
        if place == where and number >= 20:
            raise ValueError(f"{place} {number}")

    def items() -> Iterator[int]:
        for number in range(40):
            fail("items", number)
            yield number

    def work(number: int) -> int:
        time.sleep(0.001 * (number % 2))
        fail("work", number)
        return number

    def done(number: int) -> None:
        fail("done", number)
        results.append(number)

    with pytest.raises(ValueError, match=f"{where} 20"):
        for_each(items(), work, done, threads, ordered=True)
    assert results == list(range(20))


def test_ctrl_c_ends_the_loop() -> None:
    started: list[int] = []
    before = threading.active_count()

    def items() -> Iterator[int]:
        yield from range(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        for_each(items(), started.append, id, 3, ordered=True)
    assert sorted(started) == list(range(10))
    assert threading.active_count() == before


def sums(numbers: list[int], step: int, threads: int, longest: int = 1000) -> tuple[list[int], list[int]]:
    """The numbers squared, and where chunks began, as the loop gives them."""
    results: list[tuple[int, list[int]]] = []
    starts: list[int] = []

    def read(start: int, stop: int) -> tuple[list[int], int]:
        return numbers[start : min(stop, start + longest)], min(stop, start + longest)

    def work(found: list[int], start: int, stop: int) -> tuple[int, list[int]]:
        assert len(found) == stop - start
        return start, [number * number for number in found]

    def done(start: int, squares: list[int]) -> None:
        starts.append(start)
        results.append((start, squares))

    for_each_chunk(read, work, done, 0, len(numbers), step, threads)
    return [square for _, squares in sorted(results) for square in squares], sorted(starts)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("size", "step", "longest", "starts"),
    [(10, 4, 9, [0, 4, 8]), (10, 4, 3, [0, 3, 6, 9]), (10, 99, 99, [0]), (0, 4, 9, [])],
)
def test_every_chunk_is_worked_on_once(
    size: int, threads: int, step: int, longest: int, starts: list[int]
) -> None:
    assert sums(list(range(size)), step, threads, longest) == ([n * n for n in range(size)], starts)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_error_of_the_earliest_chunk_is_raised(threads: int) -> None:
    def read(start: int, stop: int) -> tuple[None, int]:
        if start >= 30:
            raise ValueError(f"read {start}")
        return None, stop

    def work(_: None, start: int, stop: int) -> tuple[int]:
        if start >= 20:
            raise KeyError(start)
        return (stop - start,)

    sizes: list[int] = []
    with pytest.raises(KeyError, match="20"):
        for_each_chunk(read, work, sizes.append, 0, 100, 10, threads)
    assert sum(sizes) == 20


def test_chunk_size_is_bounded_by_rows_and_tokens() -> None:
    assert [chunk_size(10**9, width, 1) for width in (1, 1 << 10, 1 << 20)] == [1024, 256, 1]
    sizes = [chunk_size(64, 10, 2, tokens) for tokens in (0, 1, 256, 257, 1024, 10**6)]
    assert sizes == [64, 64, 64, 63, 16, 2]
    more = [chunk_size(100, 10, 8), chunk_size(10**5, 10, 2, 1024), chunk_size(64, 10, 1, 10**6)]
    assert more == [64, 1024, 1024]


def test_work_is_done_by_the_threads_that_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of the system on threads or memory must not make a call fail."""
    start = threading.Thread.start

    def start_one(thread: threading.Thread) -> None:
        if thread.name != "fastbleu_1":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_one)
    assert sums(list(range(10)), 3, 4) == sums(list(range(10)), 3, 1)
