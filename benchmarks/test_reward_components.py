"""Components of rewards beside the loops over peers that people write, by the processor's time."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate
from time import process_time
from typing import Any

import numpy as np
import pytest

from benchmarks.measures import Table, least, seconds
from benchmarks.test_reward_hosts import clear_sacrebleu, pieces
from fastbleu import BLEU, CHRF
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
)

GROUPS, SAMPLES, WORDS = 64, 16, 30

sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)


def beside(
    table: Table,
    workload: str,
    ours: Callable[[], Any],
    peer: str,
    theirs: Callable[[], Any],
    must: float,
    reach: float,
    *,
    share: float = 1.0,
    rounds: int = 10,
) -> None:
    """Add the ratio of the peer's time, of which `theirs` takes a share, to ours."""
    ours()
    our_time, their_time = least(ours, theirs, rounds=rounds, timer=process_time)
    their_time /= share
    how = peer if share == 1 else f"{peer}, {share:.2g} of it timed"
    table.add(
        workload, f"{how}: {seconds(their_time)} to {seconds(our_time)}", their_time / our_time, must, reach
    )


def groups() -> list[str]:
    """Samples of each group: the same text of 30 words, of which a fifth is exchanged."""
    draw = random.Random(1)
    texts = [text.split()[:WORDS] for text in pieces(GROUPS)[1]]
    words = [word for text in texts for word in text]
    return [
        " ".join(word if draw.random() < 0.8 else draw.choice(words) for word in text)
        for text in texts
        for _ in range(SAMPLES)
    ]


@pytest.mark.parametrize("form", ["matrix", "lists"])
def test_repetition_penalty_on_ids(table: Table, form: str) -> None:
    rewards = pytest.importorskip("trl.rewards", reason="TRL is not installed", exc_type=ImportError)
    ranks = np.array([*accumulate(1 / np.arange(3, 32_003) ** 1.15)])
    ids = np.searchsorted(ranks / ranks[-1], np.random.default_rng(1).random((512, 2048)))
    rows = ids.tolist()
    reward, peer = RepetitionPenalty(n=4), rewards.get_repetition_penalty_reward(4, -1.0)
    completions: Any = ids if form == "matrix" else rows
    assert [*reward(completions)] == peer(completion_ids=rows)
    beside(
        table,
        f"RepetitionPenalty(n=4), ids [512, 2048], {form}",
        lambda: reward(completions),
        "TRL's function on lists",
        lambda: peer(completion_ids=rows),
        40,
        100,
        rounds=5,
    )


def test_consensus(table: Table) -> None:
    texts, reward, peer = groups(), ConsensusReward(), sacrebleu.BLEU(effective_order=True)
    ours = reward(texts, groups=SAMPLES)

    def loop() -> list[float]:
        clear_sacrebleu()
        sums = []
        for i in range(SAMPLES):
            others = [texts[j] for j in range(SAMPLES) if j != i]
            scores = [peer.sentence_score(texts[i], [other]).score for other in others]
            sums.append(sum(scores) / len(scores) / 100)
        return sums

    assert loop() == pytest.approx(ours[:SAMPLES], abs=1e-14)
    beside(
        table,
        f"ConsensusReward, {GROUPS} groups of {SAMPLES} texts of {WORDS} words",
        lambda: reward(texts, groups=SAMPLES),
        "a double loop over sacreBLEU, cold",
        loop,
        500,
        1500,
        share=1 / GROUPS,
    )


def test_diversity(table: Table) -> None:
    nltk = pytest.importorskip(
        "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
    )
    texts, metric = groups(), BLEU(tokenize="none", effective_order=True)
    reward, smoothing = DiversityReward(metric=metric), nltk.SmoothingFunction().method1

    def loop() -> list[float]:
        split = [text.split() for text in texts[:SAMPLES]]
        return [
            1
            - nltk.sentence_bleu(
                [other for j, other in enumerate(split) if j != i], words, smoothing_function=smoothing
            )
            for i, words in enumerate(split)
        ]

    assert loop() == pytest.approx(reward(texts, groups=SAMPLES)[:SAMPLES], abs=1e-9)
    beside(
        table,
        f"DiversityReward, {GROUPS} groups of {SAMPLES} texts of {WORDS} words",
        lambda: reward(texts, groups=SAMPLES),
        "NLTK's Self-BLEU in a loop",
        loop,
        150,
        300,
        share=1 / GROUPS,
    )


def test_several_components(table: Table) -> None:
    texts, references = pieces(2048)
    bleu, chrf = BLEUReward(), BLEUReward(metric=CHRF(word_order=2))
    reward = CombinedReward(
        {
            "bleu": (1, bleu),
            "chrf": (1, chrf),
            "repetition": (1, RepetitionPenalty()),
            "length": (0.1, LengthReward()),
        }
    )
    reward(texts, references)
    calls = [lambda each=each: each(texts, references) for each in (reward, bleu, chrf)]
    together, *alone = least(*calls, rounds=20, timer=process_time)
    table.add(
        "BLEU, chrF++, repetition and length of 2,048 texts",
        f"the sum of BLEU and chrF++ alone: {seconds(sum(alone))} to {seconds(together)}",
        together / sum(alone),
        1.2,
        1.1,
        show="{:.2f} of the time".format,
    )


@pytest.mark.parametrize(("name", "must", "reach"), [("BLEU", 300, 1000), ("chrF", 100, 500)])
def test_rewards_of_tokens(table: Table, name: str, must: float, reach: float) -> None:
    """Every prefix is scored that ends with a token of the policy, one for each word; for chrF as many."""
    texts, references = (
        [" ".join(" ".join(lines[i * 5 : i * 5 + 5]).split()[:300]) for i in range(256)]
        for lines in pieces(1280)
    )
    peer = sacrebleu.BLEU(effective_order=True) if name == "BLEU" else sacrebleu.CHRF()
    reward = BLEUReward() if name == "BLEU" else BLEUReward(metric=CHRF())
    ends = [[*accumulate(len(word) + 1 for word in text.split())] for text in texts]
    offsets = [[*zip([0, *stops[:-1]], stops, strict=True)] for stops in ends]
    timed = range(0, 300, 10)

    def loop() -> list[float]:
        clear_sacrebleu()
        return [peer.sentence_score(texts[0][: ends[0][k]], [references[0]]).score / 100 for k in timed]

    gains = reward.token_rewards(texts, references, offsets)
    if name == "chrF":
        assert loop() == pytest.approx(np.cumsum(gains[0])[timed].tolist(), abs=1e-12)
    beside(
        table,
        f"token_rewards, {name}, 256 texts of 300 tokens",
        lambda: reward.token_rewards(texts, references, offsets),
        "sacreBLEU's score of each prefix, cold",
        loop,
        must,
        reach,
        share=len(timed) / (256 * 300),
        rounds=5,
    )
