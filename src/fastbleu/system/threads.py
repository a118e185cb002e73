"""Spread work over threads: the only loop that does so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

#: Maximum segments of a chunk: enough to make the work in Python negligible, few enough to react to Ctrl-C soon.
CHUNK_SEGMENTS = 1024
#: Maximum counts in the rows of a chunk: a row has two for each order, and there may be many orders.
CHUNK_COUNTS = 1 << 18
#: Chunks for each of several threads: smaller chunks let the threads end together.
CHUNKS_PER_THREAD = 16
#: Minimum segments of a chunk, unless their rows are too wide or the segments are long.
FEWEST_SEGMENTS = 64
#: Minimum tokens of a chunk with fewer segments: counting them takes longer than starting a thread.
FEWEST_TOKENS = 1 << 14


def for_each(
    items: Iterator[Item],
    work: Callable[[Item], Result],
    done: Callable[[Result], object],
    threads: int,
    ordered: bool = False,
) -> None:
    """Work on items in threads; each takes the next item until there is none.

    Args:
        items: Taken one at a time, by the thread that is free. If `ordered`, the caller's thread alone takes them, up
            to 2 * threads ahead of the results.
        work: Called in several threads at a time.
        done: Called with the results of `work`, one at a time.
        threads: How many threads work at the same time; the caller's is one of them.
        ordered: Whether `done` gets the results in the order of the items. The caller's thread alone then calls
            it, so that Ctrl-C ends the loop even while `items` waits for input or `done` for a reader.

    Raises:
        Exception: What `items`, `work` or `done` raises; of several errors, that of the earliest item. If `ordered`,
            `done` has received the results of all items before it.

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
    ahead = threads if ordered else 1  # Items to fetch before the caller's thread works on one itself.
    results: dict[int, Result] = {}  # Not yet passed to `done`, if `ordered`.
    errors: dict[int, BaseException] = {}
    taken = given = 0
    ended = False

    def next_item(is_caller: bool) -> tuple[int, Item] | None:
        """Return an item with its number; None if there are no more."""
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
                    except BaseException as error:  # noqa: BLE001  # raised below, in the caller's thread
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
            except BaseException as error:  # noqa: BLE001  # raised below, in the caller's thread
                with changed:
                    fail(number, error)

    others: list[Thread] = []
    try:
        for k in range(1, threads):
            other = Thread(target=run, args=(False,), name=f"fastbleu_{k}", daemon=True)
            try:
                other.start()
            except RuntimeError:  # the system allows no more: those that run, and this one, do the work
                break
            others.append(other)
        run(is_caller=True)
    except BaseException as error:  # noqa: BLE001  # what `done` raises, or Ctrl-C between two instructions
        with changed:
            fail(-1, error)
    for other in others:
        other.join()
    if errors:
        raise errors[min(errors)]


def chunk_size(segments: int, width: int, threads: int, tokens: int = 0) -> int:
    """Return the number of segments of a chunk.

    Args:
        segments: The number of all segments.
        width: Counts in the row of a segment.
        threads: The number of threads that share the chunks.
        tokens: Approximate tokens of a segment; 0 if unknown.

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
    at_once: bool = False,
) -> None:
    """Work through the segments first..stop - 1 in chunks; each thread takes the next chunk until there is none.

    Args:
        read: Called with the start of a chunk and its latest end; returns the input of `work`, and the actual end.
            Called for one chunk at a time, in their order, unless `at_once`.
        work: Called with the input, the first segment and one after the last; in several threads at a time.
        done: Called with the results of `work`, one chunk at a time, in any order.
        first: The first segment.
        stop: One after the last.
        step: Segments in a chunk, at most.
        threads: How many threads work at the same time; the caller's is one of them.
        at_once: Whether `read` may be called in several threads at a time. Each then reads what it works on.

    Raises:
        Exception: What `read`, `work` or `done` raises; of several errors, that of the earliest chunk.
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

    if at_once:
        for_each(iter(range(first, stop, step)), work_through, all_done, threads)
        return

    def chunks() -> Iterator[tuple[Any, int, int]]:
        start = first
        while start < stop:
            batch, end = read(start, min(start + step, stop))
            yield batch, start, end
            start = end

    for_each(chunks(), lambda chunk: work(*chunk), lambda result: done(*result), threads)
