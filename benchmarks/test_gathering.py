"""Rewards awaited one by one and all at once, on one event loop; the bare function in a loop beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from time import process_time
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Call, Table, clock, least, seconds
from fastbleu.rewards import BLEUReward

CALLS = 1000

Score = Coroutine[Any, Any, float]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    found = asyncio.new_event_loop()
    yield found
    found.close()


def test_a_thousand_at_once(table: Table, loop: asyncio.AbstractEventLoop) -> None:
    reward = BLEUReward()
    texts, references = data.system("en-de")[:CALLS], data.references("en-de")[0][:CALLS]
    expected = reward(texts, references)

    async def plain(text: str, reference: str) -> float:
        return reward.score_one(text, reference)

    async def at_once(score: Any) -> list[float]:
        rewards: list[float] = await asyncio.gather(*map(score, texts, references))
        return rewards

    async def one_by_one() -> list[float]:
        return [await reward.aio(text, reference) for text, reference in zip(texts, references, strict=True)]

    async def in_threads() -> list[float]:
        return [
            await asyncio.to_thread(reward.score_one, text, reference)
            for text, reference in zip(texts, references, strict=True)
        ]

    # The loop and the thread that counts work in turns. On a busy machine each waits long for the other, so the ratio
    # is of processor time; that of the clock stands beside it.
    def run(make: Any, *arguments: Any) -> Call:
        def call() -> None:
            assert loop.run_until_complete(make(*arguments)) == expected

        return call

    calls = (
        run(at_once, reward.aio),
        run(one_by_one),
        run(in_threads),
        run(at_once, plain),
        lambda: list(map(reward.score_one, texts, references)),
        lambda: reward(texts, references),
    )
    gathered, single, threads, on_the_loop, bare, batch = least(*calls, rounds=9, timer=process_time)
    what = f"BLEUReward.aio, {CALLS} calls at once"
    before = "the same awaited one by one"
    table.add(what, f"{before}: {seconds(single)} to {seconds(gathered)}", single / gathered, 5, 8)
    at_once_clock, single_clock = least(*calls[:2], rounds=9)
    ratio = single_clock / at_once_clock
    table.note(
        what, f"{before}, by the clock: {seconds(single_clock)} to {seconds(at_once_clock)}", f"{ratio:.3g}x"
    )
    others = {
        "score_one in a thread for each (asyncio.to_thread)": threads,
        "tasks that call score_one on the loop, which waits meanwhile": on_the_loop,
        "score_one in a loop, without asyncio": bare,
        "one call with all of them": batch,
    }
    for other, time in others.items():
        table.note(what, f"{other}: {seconds(time)} to {seconds(gathered)}", f"{time / gathered:.3g}x")


def test_the_loop_goes_on(table: Table, loop: asyncio.AbstractEventLoop) -> None:
    """The longest time that the loop cannot do anything else, while long texts are counted."""
    reward = BLEUReward()
    text = " ".join(data.system("en-de")[:CALLS] * 20)

    async def longest_pause(score: Any) -> float:
        task = asyncio.ensure_future(score(text, text))
        longest = 0.0
        while not task.done():
            longest = max(longest, await pause())
        return longest

    async def pause() -> float:
        before = loop.time()
        await asyncio.sleep(0)
        return loop.time() - before

    async def plain(*call: Any) -> float:
        return reward.score_one(*call)

    pauses = [
        min(loop.run_until_complete(longest_pause(score)) for _ in range(3)) for score in (reward.aio, plain)
    ]
    whole = min(clock(lambda: reward.score_one(text, text)) for _ in range(3))
    table.note(
        f"BLEUReward.aio, one text of {len(text)} characters ({seconds(whole)}), longest pause of the loop",
        f"score_one on the loop: {seconds(pauses[1])} to {seconds(pauses[0])}",
        f"{pauses[1] / pauses[0]:.3g}x",
    )
