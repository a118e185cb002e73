"""Work on one block after another, in several threads, with the results in order; and writing them."""

from __future__ import annotations

import os
import sys
from collections import deque
from contextlib import suppress
from stat import S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from concurrent.futures import Future
    from typing import Any, TypeVar

    from typing_extensions import Self

    Item = TypeVar("Item")
    Result = TypeVar("Result")

#: Blocks that wait for a thread, so that none waits for a block.
_WAITING = 2


def in_order(
    items: Iterator[Item], work: Callable[[Item], Result], threads: int
) -> Generator[Result, None, None]:
    """What `work` makes of each item, in their order.

    Args:
        items: Taken one by one in the caller's thread, and only so many ahead that no thread waits.
        work: Done in other threads if there are to be several.
        threads: How many of them.

    Yields:
        The results. What `items` or `work` raises is raised in its place, after the results before it.

    Example:
        >>> list(in_order(iter("abc"), str.upper, threads=2))
        ['A', 'B', 'C']
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="fastbleu") as pool:
        try:
            failure: Exception | None = None
            while True:
                try:
                    item = next(items)
                except StopIteration:
                    break
                except Exception as error:  # noqa: BLE001  # raised behind the results that come before it
                    failure = error
                    break
                pending.append(pool.submit(work, item))
                while pending and (len(pending) >= threads + _WAITING or pending[0].done()):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
            if failure is not None:
                raise failure
        finally:
            for future in pending:
                future.cancel()


class Writer:
    """Writes whole lines to a file or to standard output.

    Where no more than a part of them can be written, that part is cut back to whole lines, if a file is what they are
    written to.

    Args:
        path: The file; None for standard output.
        append: Keep what the file holds.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard output is closed.
    """

    def __init__(self, path: str | None, append: bool = False) -> None:
        self._path = path
        self._file: Any
        if path is not None:
            self._file = open(path, "ab" if append else "wb", buffering=0)  # noqa: SIM115  # closed by __exit__
            return
        if sys.stdout is None:
            raise ValueError("standard output is closed; the candidates have nowhere to go")
        sys.stdout.flush()
        stream = sys.stdout.buffer
        # Not through a buffer, which would try once more at the end what has failed.
        self._file = getattr(stream, "raw", stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._path is not None:
            self._file.close()

    def write(self, data: bytes) -> None:
        """Writes lines.

        Raises:
            OSError: It cannot be done; names the file.
        """
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            done = len(data) - len(rest)
            self._cut_back(done - (data.rfind(b"\n", 0, done) + 1))
            if self._path is not None and error.filename is None:
                error.filename = self._path
            raise

    def _cut_back(self, size: int) -> None:
        """Takes back the last bytes, if it is a file that they were written to."""
        with suppress(OSError, AttributeError, ValueError):
            descriptor = self._file.fileno()
            if size and S_ISREG(os.fstat(descriptor).st_mode):
                os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR) - size)
