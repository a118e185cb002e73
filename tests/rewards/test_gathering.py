"""Single calls gathered into batches: values, errors, cancelled tasks, loops, threads, processes and exits."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward
from fastbleu.rewards.gathering import MOST_CALLS, Gatherer

WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "."]


class Scores:
    """Scores that are seen through: a completion's number, with what was called written down."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.threads: set[str] = set()
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.has_begun = threading.Event()
        self.gatherer = Gatherer(self.many, self.one)

    def many(self, completions: list[Any], references: list[Any], prompts: list[Any]) -> list[float]:
        self.batches.append(completions)
        self.threads.add(threading.current_thread().name)
        self.has_begun.set()
        self.may_go_on.wait(20)
        return [self.score(*call) for call in zip(completions, references, prompts, strict=True)]

    def one(self, completion: Any, references: Any, prompt: Any) -> float:
        return self.many([completion], [references], [prompt])[0]

    @staticmethod
    def score(completion: Any, references: Any, prompt: Any) -> float:
        if isinstance(completion, BaseException):
            raise completion
        return float(completion + references / 10 + (prompt or 0) / 100)

    def aio(self, completion: Any, references: float = 0, prompt: Any = None) -> Coroutine[Any, Any, float]:
        return self.gatherer.aio(completion, references, prompt)


@pytest.fixture
def scores() -> Iterator[Scores]:
    found = Scores()
    yield found
    found.may_go_on.set()


async def all_of(*calls: Coroutine[Any, Any, float]) -> list[Any]:
    found: list[Any] = await asyncio.gather(*calls, return_exceptions=True)
    return found


def samples(n: int, seed: int = 1) -> list[tuple[str, Any]]:
    draw = random.Random(seed)

    def text() -> str:
        return " ".join(draw.choices(WORDS, k=draw.randrange(20)))

    return [(text(), [text(), text()] if draw.random() < 0.3 else text()) for _ in range(n)]


# --- Values and batches ---------------------------------------------------------------------------------------------


def test_a_thousand_at_once_are_one_batch(scores: Scores) -> None:
    found = asyncio.run(all_of(*(scores.aio(i, i % 3, i % 7) for i in range(1000))))
    assert found == [scores.score(i, i % 3, i % 7) for i in range(1000)]
    assert scores.batches == [[*range(1000)]]
    assert all(name.startswith("fastbleu_rewards") for name in scores.threads)


def test_batches_have_a_largest_size(scores: Scores) -> None:
    assert asyncio.run(all_of(*(scores.aio(i) for i in range(3000)))) == [*range(3000)]
    assert [len(batch) for batch in scores.batches] == [MOST_CALLS, MOST_CALLS, 3000 - 2 * MOST_CALLS]


def test_calls_that_come_while_a_batch_is_counted_are_the_next_one(scores: Scores) -> None:
    """Counting does not block the loop, or they could not come."""

    async def trickle() -> list[Any]:
        scores.may_go_on.clear()
        tasks = [asyncio.ensure_future(scores.aio(0))]
        while not scores.has_begun.is_set():
            await asyncio.sleep(0)
        for i in range(1, 6):
            tasks.append(asyncio.ensure_future(scores.aio(i)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        scores.may_go_on.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(trickle()) == [0, 1, 2, 3, 4, 5]
    assert scores.batches == [[0], [1, 2, 3, 4, 5]]


def outcome(function: Any, *call: Any) -> Any:
    """The reward of a call, or the type and the message of its error."""
    try:
        return function(*call)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "options",
    [{"eos_id": 2}, {"extract": "answer", "empty": -0.5}, {"scale": 3.0, "strip_reasoning": True}],
)
def test_rewards_and_errors_are_those_of_score_one(options: Any) -> None:
    reward = BLEUReward(**options)
    calls: list[Any] = [
        (f"<think>x</think><answer>{text}</answer>", references, None) for text, references in samples(300)
    ]
    calls += [
        ("Q: a cat", "a cat", "Q: "),
        (7, "a cat"),
        ("a cat", 7),
        ("a cat", None),
        ("a cat", []),
        (None, "a"),
    ]
    calls += [([{"role": "user", "content": "x"}], "a"), ("the cat", ["the cat", "a"])]
    if "eos_id" in options:
        calls.append(([5, 6, 7, 2], [[5, 6, 8]]))
    expected = [outcome(reward.score_one, *call) for call in calls]
    loaded = pickle.loads(pickle.dumps(reward))

    async def gathered() -> list[Any]:
        return await all_of(*(loaded.aio(*call) for call in calls))

    for _ in range(2):  # one loop after another
        found = [
            each if isinstance(each, float) else (type(each), str(each)) for each in asyncio.run(gathered())
        ]
        assert found == expected
    assert loaded.counts.samples == 2 * reward.counts.samples > 600
    assert asyncio.run(pickle.loads(pickle.dumps(loaded)).aio(*calls[0])) == expected[0]
    with pytest.raises(RuntimeError, match="no running event loop"):
        loaded.aio("a", "a").send(None)


# --- Errors ---------------------------------------------------------------------------------------------------------


def test_an_error_is_of_its_own_call_alone(scores: Scores) -> None:
    broken = {3: ValueError("three"), 700: TypeError("seven hundred"), 701: KeyError("next")}
    found = asyncio.run(all_of(*(scores.aio(broken.get(i, i)) for i in range(1000))))
    assert found == [broken.get(i, i) for i in range(1000)]
    assert scores.batches[1:] == [[broken.get(i, i)] for i in range(1000)]


def test_broken_samples_are_empty_where_that_was_asked_for() -> None:
    reward = BLEUReward(errors="empty", empty=-1.0)

    async def gathered() -> list[Any]:
        return await all_of(reward.aio("a cat", "a cat"), reward.aio(7, "a"), reward.aio("a cat", "a dog"))

    assert asyncio.run(gathered()) == [1.0, -1.0, reward.score_one("a cat", "a dog")]
    assert reward.counts.errors == 1


def test_no_reward_is_an_error_in_a_batch_as_it_is_alone() -> None:
    """`score_many` gives None for a call that it leaves out."""

    def one(completion: float | None, *_: Any) -> float:
        if completion is None:
            raise TypeError("references must be there")
        return completion

    gatherer = Gatherer(lambda completions, *_: completions, one)

    async def gathered() -> list[Any]:
        return await all_of(*(gatherer.aio(each, None) for each in (0.5, None, 0.25)))

    found = asyncio.run(gathered())
    assert [found[0], str(found[1]), found[2]] == [0.5, "references must be there", 0.25]


def test_stop_iteration_is_a_runtime_error_as_in_every_coroutine(scores: Scores) -> None:
    found = asyncio.run(all_of(scores.aio(1), scores.aio(StopIteration(7)), scores.aio(2)))
    assert [found[0], found[2]] == [1, 2]
    assert type(found[1]) is RuntimeError
    assert isinstance(found[1].__cause__, StopIteration)


# --- Cancelled tasks ------------------------------------------------------------------------------------------------


def test_tasks_cancelled_before_they_are_counted_are_left_out(scores: Scores) -> None:
    async def cancel() -> list[Any]:
        tasks = [asyncio.ensure_future(scores.aio(i)) for i in range(6)]
        asyncio.get_running_loop().call_soon(tasks[1].cancel)
        tasks[4].cancel()  # before it begins
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(cancel())
    assert [each for each in found if not isinstance(each, asyncio.CancelledError)] == [0, 2, 3, 5]
    assert 4 not in scores.batches[0]
    assert len(scores.batches) == 1


def test_tasks_cancelled_while_they_are_counted_disturb_no_other(scores: Scores) -> None:
    async def cancel() -> tuple[list[Any], float]:
        scores.may_go_on.clear()
        tasks = [asyncio.ensure_future(scores.aio(i)) for i in range(6)]
        while not scores.has_begun.is_set():
            await asyncio.sleep(0)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(tasks[0]), 0.001)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(tasks[3], 0.001)
        scores.may_go_on.set()
        return await asyncio.gather(*tasks, return_exceptions=True), await scores.aio(7)

    found, later = asyncio.run(cancel())
    assert isinstance(found.pop(3), asyncio.CancelledError)
    assert (found, later) == ([0, 1, 2, 4, 5], 7)


# --- Loops, threads, processes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ticks", [1, 3])
def test_a_loop_closed_while_its_calls_wait(scores: Scores, ticks: int) -> None:
    """After one tick the calls have not been handed over, after three they are counted."""
    scores.may_go_on.clear()
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(scores.aio(i)) for i in range(3)]
    for _ in range(ticks):
        loop.call_soon(loop.stop)
        loop.run_forever()
    assert scores.has_begun.wait(0.05 if ticks == 1 else 20) is (ticks > 1)
    loop.close()
    scores.may_go_on.set()
    assert asyncio.run(all_of(scores.aio(8), scores.aio(9))) == [8, 9]
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # they are meant to be lost


def test_each_loop_has_calls_of_its_own() -> None:
    """Loops of several threads use one reward, and each gets its own values and errors."""
    reward = BLEUReward()

    def run(seed: int) -> None:
        calls = [*samples(150, seed), (7, "broken")] * 3
        expected = [outcome(reward.score_one, *call) for call in calls]

        async def gathered() -> list[Any]:
            return await all_of(*(reward.aio(*call) for call in calls))

        found = asyncio.run(gathered())
        assert [each if isinstance(each, float) else (type(each), str(each)) for each in found] == expected

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(run, range(4), timeout=60)] == [None] * 4


@pytest.mark.slow
def test_the_thread_ends_with_its_gatherer() -> None:
    scores = Scores()
    before = {*threading.enumerate()}
    assert asyncio.run(all_of(scores.aio(1))) == [1]
    started = {*threading.enumerate()} - before
    assert len(started) == 1
    del scores
    for thread in started:
        for _ in range(200):
            gc.collect()  # the thread may hold the gatherer for a moment after the last result
            thread.join(0.1)
            if not thread.is_alive():
                break
        assert not thread.is_alive()


def run_program(program: str) -> str:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


PROGRAM = """
import asyncio, os, sys, threading
from fastbleu.rewards import BLEUReward

reward = BLEUReward(extract=lambda text: slow(text))
slow = str
text = " ".join(["a cat"] * 300)

async def score(n=3):
    return await asyncio.gather(*(reward.aio(text, text) for _ in range(n)))

assert asyncio.run(score()) == [1.0] * 3
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork() -> None:
    """In a child the thread is not there: it makes its own, even in a loop of the parent, which may be counting."""
    program = """
loop = asyncio.new_event_loop()
for is_counting in (False, True):
    loop.run_until_complete(score())
    began, go_on = threading.Event(), threading.Event()
    if is_counting:
        def slow(text):
            began.set(), go_on.wait()
            return text
        waiting = threading.Thread(target=lambda: asyncio.run(score()))
        waiting.start(), began.wait()
    child = os.fork()
    slow = str
    if child == 0:
        os._exit(not asyncio.run(score()) == loop.run_until_complete(score()) == [1.0] * 3)
    go_on.set()
    assert asyncio.run(score()) == [1.0] * 3
    assert os.waitpid(child, 0)[1] == 0
waiting.join(), loop.close()
print("done")
"""
    assert run_program(PROGRAM + program) == "done\n"


ENDINGS = {
    "print('done'); sys.exit()": "done\n",
    # Calls that nobody awaits any more.
    """
async def leave():
    asyncio.ensure_future(score(2000))
    await asyncio.sleep(0.01)
    print("done")
asyncio.run(leave())
""": "done\n",
    # A thread that calls on and on; it may complain when the end of the program interrupts it.
    """
import time
def forever():
    while True:
        asyncio.run(score(100))
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
print("done")
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
""": "done\n",
    # Handlers that run when the interpreter ends come after the thread has ended.
    """
import atexit
def late():
    try:
        asyncio.run(score())
    except RuntimeError as error:
        print(type(error).__name__, "shutdown" in str(error))
atexit.register(late)
""": "RuntimeError True\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_end_of_a_program(ending: str) -> None:
    assert run_program(PROGRAM + ending) == ENDINGS[ending]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE")
def test_a_loop_that_is_closed_while_it_is_woken_ends_no_process() -> None:
    """sacreBLEU lets a write to a closed pipe end the process, and a loop is woken by a pipe of its own."""
    program = """
import signal, socket
from fastbleu.rewards import gathering
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
class Loop:
    def call_soon_threadsafe(self, *_):
        ours, theirs = socket.socketpair()
        theirs.close()
        try:
            ours.send(b"a")
        except OSError:
            print("an error")
queue = gathering._Queue(Loop())
gatherer = gathering.Gatherer(None, lambda text: 1.0)
queue.executor.submit(gatherer._count, queue, (("a",),), ()).result()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "an error\n"), done.stderr
