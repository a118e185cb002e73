"""Calls one by one, gathered into batches: a batch is read and counted in one pass, without the interpreter's lock."""

from __future__ import annotations

from asyncio import get_running_loop
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from os import getpid
from threading import Lock, local

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


class _Calls(local):
    """The calls of the loop that runs in this thread, since it was last idle."""

    loop: AbstractEventLoop | None = None
    calls: list[Call]


class _Process:
    """State of one process: a child after a fork has neither the thread nor the waiting calls."""

    def __init__(self) -> None:
        self.number = getpid()
        self.lock = Lock()
        self.waiting: list[Call] = []
        self.is_counting = False
        self.executor = ThreadPoolExecutor(1, "fastbleu_rewards")


class Gatherer:
    """Scores single calls in batches, in a thread of its own.

    No call waits for others to come. The calls of all tasks that a loop has ready make one batch, and so do all calls,
    of any loop in any thread, that come while a batch is counted. So a lone call costs the way to the other thread and
    back, which is many times its counting, and a thousand at once share it.

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
        self._ready = _Calls()
        self._here = _Process()

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
        ready = self._ready
        if ready.loop is not loop:
            ready.loop, ready.calls = loop, []
            # The loop runs all tasks that are ready now before this: their calls are in the same batch.
            loop.call_soon(self._hand_over, ready.calls)
        future: Future[float] = loop.create_future()
        ready.calls.append((call, future))
        return await future

    def _hand_over(self, calls: list[Call]) -> None:
        """Give calls to the thread that counts."""
        here = self._here
        if here.number != getpid():
            # Two threads of a child may both come here: then each hands its calls to what it has made.
            here = self._here = _Process()
        self._ready.loop = None
        with here.lock:
            here.waiting += calls
            if here.is_counting:
                return
            here.is_counting = True
        try:
            here.executor.submit(self._count, here)
        except RuntimeError as error:  # the interpreter is shutting down
            with here.lock:
                here.is_counting = False
                calls, here.waiting = here.waiting, []
            _tell(calls, [error] * len(calls))

    def _count(self, here: _Process) -> None:
        """Score batches until no call waits."""
        while True:
            with here.lock:
                calls, here.waiting = here.waiting[:MOST_CALLS], here.waiting[MOST_CALLS:]
                if not calls:
                    here.is_counting = False
                    return
            calls = [call for call in calls if not call[1].done()]  # cancelled meanwhile
            _tell(calls, self._outcomes(calls))

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


def _tell(calls: list[Call], outcomes: Sequence[Outcome]) -> None:
    """Send each outcome to the loop where its call is awaited."""
    by_loop: dict[AbstractEventLoop, list[tuple[Future[float], Outcome]]] = {}
    for (_, future), outcome in zip(calls, outcomes, strict=True):
        by_loop.setdefault(future.get_loop(), []).append((future, outcome))
    for loop, results in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_deliver, results)


def _deliver(results: list[tuple[Future[float], Outcome]]) -> None:
    """Set the results of futures, in the thread of their loop."""
    for future, outcome in results:
        if future.done():  # cancelled
            continue
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
