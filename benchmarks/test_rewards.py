"""Rewards: one sample with an answer in it, as reward loops call them; a batch of chats; two threads."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu import BLEU
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


def mt_r1_zero(peer: Any, text: str, reference: str) -> float:
    """The reward of MT-R1-Zero (fzp0424/MT-R1-Zero, commit a2e38c47) without what it prints."""
    processed = text.split("<|im_start|>assistant", 1)[1]
    answer = list(re.finditer(r"<translate>(.*?)</translate>", processed, re.DOTALL))[-1].group(1).strip()
    tags = ("<think>", "</think>", "<translate>", "</translate>")
    is_right = all(processed.count(tag) == 1 for tag in tags)
    places = [processed.find(tag) for tag in tags]
    is_right = is_right and places == sorted(places)
    score = str(peer.corpus_bleu([answer], [[reference]], tokenize="13a"))
    found = re.search(r"BLEU = (\d+\.\d+)", score)
    assert found is not None
    return (1 if is_right else -1) + float(found.group(1)) / 100


@pytest.mark.parametrize("strips", [False, True])
def test_one_sample(compare: Compare, table: Table, strips: bool) -> None:
    sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)
    peer = pytest.importorskip("tests.support.sacrebleu_peer", exc_type=ImportError)
    samples = [
        (f"<|im_start|>assistant\n<think>{reference}</think>\n<translate>{text}</translate>", reference)
        for text, reference in pairs(64)
    ]
    reward = BLEUReward(metric=BLEU(force=True), extract="translate", strip_reasoning=strips)
    assert mt_r1_zero(sacrebleu, *samples[0]) == 1 + round(100 * reward.score_one(*samples[0]), 2) / 100

    def ours() -> None:
        for text, reference in samples:
            reward.score_one(text, reference)

    workload = f"one sample of 60 words, extraction{', reasoning' if strips else ''}"
    (took,) = least(ours, rounds=200)
    table.add(workload, "a time", took / 64 * 1e6, 12, 6, show="{:.3g} us".format)
    compare(
        workload,
        ours,
        "MT-R1-Zero's function, 64 times",
        lambda: [mt_r1_zero(sacrebleu, *sample) for sample in samples],
        20,
        40,
        before_theirs=peer.clear_caches,
        rounds=8,
        ours_per_round=40,
    )


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


def test_two_threads(table: Table) -> None:
    samples = pairs(500) * 16
    completions, references = map(list, zip(*samples, strict=True))
    calls = [partial(BLEUReward(threads=n), completions, references) for n in (1, 2)]
    assert calls[0]() == calls[1]()
    one, two = least(*calls, rounds=7)
    table.add("8,000 completions, two threads", "one thread", one / two, 1.8, 1.95)
    alone, twice = least(*independent_loops(200), rounds=7)
    table.note("two loops that share nothing", "one loop", f"{2 * alone / twice:.3g}x")
