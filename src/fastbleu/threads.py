"""The one loop that spreads chunks of work over threads."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Segments in a chunk, at most: enough that the work in Python hardly counts, few enough that Ctrl-C is soon heard.
CHUNK_SEGMENTS = 1024
#: Numbers in the rows of a chunk, at most: a row has two for each order, and there may be many orders.
CHUNK_COUNTS = 1 << 18
#: With several threads chunks are smaller, so that the threads end together.
CHUNKS_PER_THREAD = 8
#: Segments in a chunk, at least, unless their rows are too wide.
FEWEST_SEGMENTS = 64


def chunk_size(segments: int, width: int, threads: int) -> int:
    """How many segments to put into a chunk.

    Args:
        segments: How many there are in all.
        width: Numbers in the row of one.
        threads: How many share the chunks.

    Example:
        >>> chunk_size(1_000_000, 10, 1), chunk_size(2_000, 10, 2), chunk_size(10, 1 << 20, 1)
        (1024, 125, 1)
    """
    most = min(CHUNK_SEGMENTS, CHUNK_COUNTS // width)
    if threads > 1:
        most = min(most, max(FEWEST_SEGMENTS, segments // (threads * CHUNKS_PER_THREAD)))
    return max(1, most)


def for_each_chunk(
    read: Callable[[int, int], tuple[Any, int]],
    work: Callable[[Any, int, int], tuple[Any, ...]],
    done: Callable[..., object],
    first: int,
    stop: int,
    step: int,
    threads: int,
) -> None:
    """Works through the segments first..stop - 1, chunk by chunk. Each thread takes the next chunk until there is none.

    Args:
        read: Told where a chunk begins and where it may end at the latest; returns what to work on, and where it ended.
            Called for one chunk at a time, in their order.
        work: Told what was read, the first segment and one behind the last; called in several threads at a time.
        done: Told what `work` returned, one chunk at a time, in any order.
        first: The first segment.
        stop: One behind the last.
        step: Segments in a chunk, at most.
        threads: How many threads work at the same time; the caller's is one of them.

    Raises:
        Exception: What `read`, `work` or `done` raises; of several errors, that of the earliest chunk.
    """
    threads = min(threads, -(-(stop - first) // step))
    if threads <= 1:
        start = first
        while start < stop:
            found, end = read(start, min(start + step, stop))
            done(*work(found, start, end))
            start = end
        return
    from concurrent.futures import ThreadPoolExecutor
    from threading import Lock

    lock = Lock()
    cursor = first
    errors: dict[int, BaseException] = {}

    def take_chunks() -> None:
        nonlocal cursor
        while True:
            # Reading needs the GIL in any case; under the lock, chunks are handed out in order.
            with lock:
                start = cursor
                if errors or start >= stop:
                    return
                try:
                    found, end = read(start, min(start + step, stop))
                except BaseException as error:  # noqa: BLE001  # raised below, in the caller's thread
                    errors[start] = error
                    return
                cursor = end
            try:
                result = work(found, start, end)
            except BaseException as error:  # noqa: BLE001  # likewise
                with lock:
                    errors[start] = error
                return
            with lock:
                done(*result)

    with ThreadPoolExecutor(threads - 1, thread_name_prefix="fastbleu") as pool:
        try:
            others = [pool.submit(take_chunks) for _ in range(threads - 1)]
            take_chunks()
            for other in others:
                other.result()
        except BaseException as error:  # noqa: BLE001  # Ctrl-C between two instructions of this thread
            errors[-1] = error
    if errors:
        raise errors[min(errors)]
