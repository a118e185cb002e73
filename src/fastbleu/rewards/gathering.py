"""Calls one by one, gathered into batches: a batch is read and counted in one pass, without the interpreter's lock."""

from __future__ import annotations

from asyncio import get_running_loop
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from os import getpid
from threading import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: The arguments of a call, and the future that waits for its reward.
    Call: TypeAlias = tuple[tuple[Any, ...], Future[float]]
    Outcome: TypeAlias = float | BaseException

#: Calls in a batch, at most: the first results need not wait until all are there.
MOST_CALLS = 1024


class _Queue:
    """The calls of one loop that wait to be counted. Only the thread of the loop touches it, so it needs no lock."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self.process = getpid()  # a child after a fork has no thread of its parent
        self.calls: list[Call] = []
        self.is_busy = False
        self.executor = ThreadPoolExecutor(1, "fastbleu_rewards")


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
        if queue is None or queue.loop is not loop or queue.process != getpid():
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
        calls = [call for call in queue.calls[:MOST_CALLS] if not call[1].done()]  # others are cancelled
        del queue.calls[:MOST_CALLS]
        queue.is_busy = bool(calls or queue.calls)
        if queue.is_busy:
            try:
                queue.executor.submit(self._count, queue, calls)
            except RuntimeError as error:  # the interpreter is shutting down
                self._deliver(queue, calls, [error] * len(calls))

    def _count(self, queue: _Queue, calls: list[Call]) -> None:
        """Score a batch, in the thread that counts."""
        outcomes = self._outcomes(calls)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            queue.loop.call_soon_threadsafe(self._deliver, queue, calls, outcomes)

    def _deliver(self, queue: _Queue, calls: list[Call], outcomes: Sequence[Outcome]) -> None:
        """Set the results of futures, while the next batch is counted."""
        self._hand_over(queue)
        for (_, future), outcome in zip(calls, outcomes, strict=True):
            if future.done():  # cancelled
                continue
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    def _outcomes(self, calls: list[Call]) -> list[Outcome]:
        """The reward or the error of each call."""
        if len(calls) == 1:
            return [self._outcome(calls[0])]
        if not calls:
            return []
        try:
            arguments, _ = zip(*calls, strict=True)
            rewards = self._score_many(*map(list, zip(*arguments, strict=True)))
            # None is of a call that a batch leaves out; alone it is an error.
            return [
                self._outcome(call) if reward is None else reward
                for call, reward in zip(calls, rewards, strict=True)
            ]
        except BaseException:  # noqa: BLE001  # raised again where the calls are awaited that it concerns
            # Few calls are broken: halves of halves find them in a few batches.
            half = len(calls) // 2
            return self._outcomes(calls[:half]) + self._outcomes(calls[half:])

    def _outcome(self, call: Call) -> Outcome:
        """The reward or the error of one call."""
        try:
            return self._score_one(*call[0])
        except StopIteration as error:  # no future takes it; a coroutine that raises it raises this
            stopped = RuntimeError("coroutine raised StopIteration")
            stopped.__cause__ = error
            return stopped
        except BaseException as error:  # noqa: BLE001  # raised where the call is awaited
            return error
