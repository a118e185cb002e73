"""Calls one by one, gathered into batches: a batch is read and counted in one pass, without the interpreter's lock."""

from __future__ import annotations

import os
import signal
from asyncio import get_running_loop
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    Outcome: TypeAlias = float | BaseException

#: Calls in a batch, at most: the first results need not wait until all are there.
MOST_CALLS = 1024

#: As many as forks led to this process. A child has no thread of its parent; to ask for its id takes longer.
_forks: list[None] = []
with suppress(AttributeError):  # Windows does not fork
    os.register_at_fork(after_in_child=lambda: _forks.append(None))


def _survive_closed_loops() -> None:
    """Block SIGPIPE in the thread that counts: it may wake a loop that was closed meanwhile, whose pipe has no reader.

    Python ignores the signal, but sacreBLEU, once imported, has it end the process.
    """
    with suppress(AttributeError):  # Windows has no such signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})


class _Queue:
    """The calls of one loop that wait to be counted. Only the thread of the loop touches it, so it needs no lock."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self.forks = len(_forks)
        self.calls: list[tuple[tuple[Any, ...], Future[float]]] = []
        self.is_busy = False
        self.executor = ThreadPoolExecutor(1, "fastbleu_rewards", _survive_closed_loops)


class Gatherer:
    """Scores single calls in batches, for each event loop in a thread of its own.

    No call waits for others to come. The calls of all tasks that a loop has ready make one batch, and so do all calls
    that come while a batch is counted. So a lone call costs the way to the other thread and back, which is many times
    its counting, and a thousand at once share it.

    Args:
        score_many: Scores n calls, given a list for each argument; gives n rewards, None for a call to score alone.
        score_one: Scores one call, to the same reward or an error.

    Example:
        >>> import asyncio
        >>> from fastbleu.rewards import BLEUReward
        >>> reward = BLEUReward()
        >>> gatherer = Gatherer(reward.score_many, reward.score_one)
        >>> async def score() -> list[float]:
        ...     return await asyncio.gather(*(gatherer.aio(text, "a cat sat") for text in ["a dog sat", "a cat sat"]))
        >>> [round(each, 4) for each in asyncio.run(score())]
        [0.3467, 1.0]
    """

    def __init__(self, score_many: Callable[..., list[Any]], score_one: Callable[..., float]) -> None:
        self._score_many = score_many
        self._score_one = score_one
        self._here = local()

    async def aio(self, *call: Any) -> float:
        """Score one call, gathered with others.

        Args:
            call: The arguments of `score_one`.

        Returns:
            The reward, the same float as that of `score_one`.

        Raises:
            Exception: What `score_one` raises. An error concerns the call whose data are broken, and no other.
            RuntimeError: The interpreter is shutting down, or no event loop runs.
        """
        loop = get_running_loop()
        queue: _Queue | None = getattr(self._here, "queue", None)
        if queue is None or queue.loop is not loop or queue.forks != len(_forks):
            queue = self._here.queue = _Queue(loop)
        if not queue.is_busy:
            queue.is_busy = True
            # The loop runs all tasks that are ready now before this: their calls are in the same batch.
            loop.call_soon(self._hand_over, queue)
        future: Future[float] = loop.create_future()
        queue.calls.append((call, future))
        return await future

    def _hand_over(self, queue: _Queue) -> None:
        """Give the calls that wait to the thread that counts."""
        waiting = queue.calls[:MOST_CALLS]
        del queue.calls[:MOST_CALLS]
        queue.is_busy = bool(waiting)
        if waiting:
            calls, futures = zip(*waiting, strict=True)
            try:
                queue.executor.submit(self._count, queue, calls, futures)
            except RuntimeError as error:  # the interpreter is shutting down
                self._deliver(queue, futures, [error] * len(futures))

    def _count(self, queue: _Queue, calls: tuple[Any, ...], futures: tuple[Future[float], ...]) -> None:
        """Score a batch, in the thread that counts."""
        outcomes: list[Any] = [None]
        if len(calls) > 1:
            with suppress(BaseException):  # raised below, by the calls that it concerns
                outcomes = self._score_many(*map(list, zip(*calls, strict=True)))
        if None in outcomes:  # of a call that a batch leaves out: alone it is an error
            outcomes = [*map(self._outcome, calls)]
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            queue.loop.call_soon_threadsafe(self._deliver, queue, futures, outcomes)

    def _deliver(self, queue: _Queue, futures: Sequence[Future[float]], outcomes: Sequence[Outcome]) -> None:
        """Set the results of futures, while the next batch is counted."""
        self._hand_over(queue)
        for future, outcome in zip(futures, outcomes, strict=True):
            if future.done():  # cancelled
                continue
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    def _outcome(self, call: tuple[Any, ...]) -> Outcome:
        """The reward or the error of one call."""
        try:
            return self._score_one(*call)
        except StopIteration as error:  # no future takes it; a coroutine that raises it raises this
            stopped = RuntimeError("coroutine raised StopIteration")
            stopped.__cause__ = error
            return stopped
        except BaseException as error:  # noqa: BLE001  # raised where the call is awaited
            return error
