"""Rewards: a batch of chats, and a large one of text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest

from benchmarks import data
from fastbleu.rewards import BLEUReward

Compare = Callable[..., None]

WORDS = 60


def pairs(number: int) -> list[tuple[str, str]]:
    """Texts of 60 words of a system, each beside 60 words of a reference: sentences joined, and cut."""
    found: list[tuple[str, str]] = []
    sentences = cycle(zip(data.system("en-de"), data.references("en-de")[0], strict=True))
    while len(found) < number:
        sides: tuple[list[str], list[str]] = ([], [])
        while min(map(len, sides)) < WORDS:
            for side, sentence in zip(sides, next(sentences), strict=True):
                side.extend(sentence.split())
        found.append((" ".join(sides[0][:WORDS]), " ".join(sides[1][:WORDS])))
    return found


@pytest.mark.parametrize(
    ("number", "form", "must", "reach"), [(64, "chat", 100, 180), (2048, "text", 100, 160)]
)
def test_batches(compare: Compare, number: int, form: str, must: float, reach: float) -> None:
    sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)
    peer = pytest.importorskip("tests.support.sacrebleu_peer", exc_type=ImportError)
    texts, references = map(list, zip(*pairs(number), strict=True))
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    completions: list[Any] = texts if form == "text" else chats
    reward = BLEUReward()

    def loop() -> list[float]:
        return [
            sacrebleu.sentence_bleu(chat[-1]["content"], [reference]).score / 100
            for chat, reference in zip(chats, references, strict=True)
        ]

    assert reward(completions, references) == [min(each, 1.0) for each in loop()]
    compare(
        f"{number} completions of 60 words, {form} form",
        lambda: reward(completions, references),
        "a loop over sacreBLEU, cold",
        loop,
        must,
        reach,
        before_theirs=peer.clear_caches,
        rounds=8,
        ours_per_round=40,
    )
