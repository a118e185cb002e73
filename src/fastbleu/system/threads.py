"""Distribute work over threads."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

#: The maximum number of segments in a chunk. With this many, the work in Python takes a negligible share of the time,
#: and Ctrl-C still has an effect soon.
CHUNK_SEGMENTS = 1024
#: The maximum number of counts in the statistics of a chunk. It limits memory if n-grams of many orders are counted.
CHUNK_COUNTS = 1 << 18
#: The number of chunks per thread if there are several threads. With many small chunks, all threads end at about the
#: same time.
CHUNKS_PER_THREAD = 16
#: The minimum number of segments in a chunk, unless `CHUNK_COUNTS` requires fewer or the segments are long.
FEWEST_SEGMENTS = 64
#: A chunk of long segments may have fewer than `FEWEST_SEGMENTS` segments if it has at least this many tokens, because
#: counting that many tokens takes longer than starting a thread.
FEWEST_TOKENS = 1 << 14


def for_each(
    items: Iterator[Item],
    work: Callable[[Item], Result],
    done: Callable[[Result], object],
    threads: int,
    ordered: bool = False,
) -> None:
    """Process items in threads; each thread takes the next item until none is left.

    Args:
        items: The items. If `ordered`, only the caller's thread advances this iterator, and it waits while there are
            2 * threads items whose results have not yet been passed to `done`.
        work: A function that is called with an item, in several threads at the same time.
        done: A function that is called with the results of `work`, one at a time.
        threads: The number of threads, including the caller's.
        ordered: Whether `done` receives the results in the order of the items. If so, only the caller's thread calls
            `done`, and Ctrl-C ends the loop even while `items` waits for input or `done` waits for a reader.

    Raises:
        Exception: The error that `items`, `work` or `done` raised; if there are several, the error of the earliest
            item. If `ordered`, `done` has received the results of all items before that one.

    Example:
        >>> for_each(iter("abc"), str.upper, print, threads=2, ordered=True)
        A
        B
        C
    """
    if threads == 1:
        for item in items:
            done(work(item))
        return
    from collections import deque
    from threading import Condition, Thread

    # A thread holds the lock while it takes an item, stores a result, or calls `done`.
    changed = Condition()
    ready: deque[tuple[int, Item]] = deque()
    # Fetch this many items before the caller's thread processes one itself.
    ahead = threads if ordered else 1
    # If `ordered`: the results that `done` has not yet received, by item number.
    results: dict[int, Result] = {}
    errors: dict[int, BaseException] = {}
    taken = given = 0
    ended = False

    def next_item(is_caller: bool) -> tuple[int, Item] | None:
        """Return the next item and its number, or None if no item is left."""
        nonlocal taken, given, ended
        with changed:
            while True:
                while is_caller and given in results:
                    done(results.pop(given))
                    given += 1
                while (is_caller or not ordered) and not ended and len(ready) < ahead:
                    if taken - given == 2 * threads:
                        break
                    try:
                        ready.append((taken, next(items)))
                        taken += 1
                    except StopIteration:
                        ended = True
                    except BaseException as error:  # noqa: BLE001  # Raised by `for_each` at the end.
                        errors[taken] = error
                        ended = True
                    changed.notify_all()
                if ready:
                    return ready.popleft()
                if ended and not (is_caller and ordered and given < min(errors, default=taken)):
                    return None
                changed.wait()

    def fail(number: int, error: BaseException) -> None:
        nonlocal ended
        errors[number] = error
        ended = True
        ready.clear()
        changed.notify_all()

    def run(is_caller: bool) -> None:
        nonlocal given
        while (job := next_item(is_caller)) is not None:
            number, item = job
            try:
                result = work(item)
                with changed:
                    if ordered:
                        results[number] = result
                        changed.notify_all()
                    else:
                        done(result)
                        given += 1
            except BaseException as error:  # noqa: BLE001  # Raised by `for_each` at the end.
                with changed:
                    fail(number, error)

    others: list[Thread] = []
    try:
        for k in range(1, threads):
            other = Thread(target=run, args=(False,), name=f"fastbleu_{k}", daemon=True)
            try:
                other.start()
            except RuntimeError:  # The system allows no more threads; those that have started share the work.
                break
            others.append(other)
        run(is_caller=True)
    except BaseException as error:  # noqa: BLE001  # An error of `done`, or Ctrl-C between two instructions.
        with changed:
            fail(-1, error)
    for other in others:
        other.join()
    if errors:
        raise errors[min(errors)]


def chunk_size(segments: int, width: int, threads: int, tokens: int = 0) -> int:
    """Return the number of segments per chunk.

    Args:
        segments: The number of segments in total.
        width: The number of counts in the statistics of a segment.
        threads: The number of threads that share the chunks.
        tokens: The approximate number of tokens per segment; 0 if unknown.

    Example:
        >>> chunk_size(1_000_000, 10, 1), chunk_size(2_000, 10, 2), chunk_size(10, 1 << 20, 1)
        (1024, 64, 1)
        >>> chunk_size(64, 10, 2), chunk_size(64, 10, 2, tokens=1024)
        (64, 16)
    """
    size = min(CHUNK_SEGMENTS, CHUNK_COUNTS // width)
    if threads > 1:
        fewest = min(FEWEST_SEGMENTS, max(1, FEWEST_TOKENS // max(1, tokens))) if tokens else FEWEST_SEGMENTS
        size = min(size, max(fewest, segments // (threads * CHUNKS_PER_THREAD)))
    return max(1, size)


def for_each_chunk(
    read: Callable[[int, int], tuple[Any, int]],
    work: Callable[[Any, int, int], tuple[Any, ...]],
    done: Callable[..., object],
    first: int,
    stop: int,
    step: int,
    threads: int,
    concurrent_reads: bool = False,
) -> None:
    """Process the segments first..stop - 1 in chunks; each thread takes the next chunk until none is left.

    Args:
        read: A function that reads a chunk. Its arguments are the index of the chunk's first segment, and the largest
            index at which the chunk may end. It returns the data for `work`, and the index at which the chunk ends.
            Unless `concurrent_reads`, it is called for one chunk at a time, in order.
        work: A function that is called with the data of a chunk, its first segment and its end, in several threads.
        done: A function that is called with the results of `work`, one chunk at a time, in any order.
        first: The index of the first segment.
        stop: One after the index of the last segment.
        step: The maximum number of segments in a chunk.
        threads: The number of threads, including the caller's.
        concurrent_reads: Whether several threads may call `read` at the same time. If so, each thread reads the chunks
            that it processes.

    Raises:
        Exception: The error that `read`, `work` or `done` raised; if there are several, the error of the earliest
            chunk.
    """
    if threads > 1:
        threads = max(1, min(threads, -(-(stop - first) // step)))
    if threads == 1:
        while first < stop:
            batch, end = read(first, min(first + step, stop))
            done(*work(batch, first, end))
            first = end
        return

    def work_through(start: int) -> list[tuple[Any, ...]]:
        results, stop_here = [], min(start + step, stop)
        while start < stop_here:
            batch, end = read(start, stop_here)
            results.append(work(batch, start, end))
            start = end
        return results

    def all_done(results: list[tuple[Any, ...]]) -> None:
        for result in results:
            done(*result)

    if concurrent_reads:
        for_each(iter(range(first, stop, step)), work_through, all_done, threads)
        return

    def chunks() -> Iterator[tuple[Any, int, int]]:
        start = first
        while start < stop:
            batch, end = read(start, min(start + step, stop))
            yield batch, start, end
            start = end

    for_each(chunks(), lambda chunk: work(*chunk), lambda result: done(*result), threads)
