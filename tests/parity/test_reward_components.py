"""Each component of a reward beside a plain restatement over the live peer, on random batches.

The repetition penalty and the soft overlong punishment are compared with TRL's own functions, agreement and diversity
with loops over sacreBLEU's sentence scores, and rewards by token with sacreBLEU's scores of every prefix.
"""

import random
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import pytest

sacrebleu = pytest.importorskip("sacrebleu", exc_type=ImportError)

from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.rerank import expected
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
    diversity_adjusted,
)
from tests.support.compared import COMPARED, SCALE

WORDS = ["the", "The", "cat", "sat", "on", "a", "mat", "mats.", "(dogs)", "1,5", "東京", "&amp;"]
WORDS += ["no", "no", "İ", "É"]
BLEU_OPTIONS: dict[str, Any] = {"effective_order": True}


def text(draw: random.Random, longest: int = 12) -> str:
    separators = [" ", " ", "  ", "\n", "\u3000"]
    return "".join(
        draw.choice(WORDS) + draw.choice(separators) for _ in range(draw.choice([0, 1, 3, longest, longest]))
    )


def batch(draw: random.Random) -> tuple[list[str], list[Any], list[int]]:
    """Completions of groups of 1 to 16 in any order, with empty and equal texts; references, some None; labels."""
    texts: list[str] = []
    labels: list[int] = []
    for group in range(draw.randint(1, 4)):
        kinds = [text(draw) for _ in range(draw.randint(1, 6))]
        size = draw.randint(1, 16)
        texts += draw.choices(kinds, k=size)
        labels += [group] * size
    order = draw.sample(range(len(texts)), len(texts)) if draw.random() < 0.5 else range(len(texts))
    texts, labels = [texts[i] for i in order], [labels[i] for i in order]
    references = [draw.choice([None, text(draw), [text(draw), text(draw)]]) for _ in texts]
    return texts, references, labels


def batches(count: int, seed: int) -> Any:
    draw = random.Random(seed)
    return (batch(draw) for _ in range(count * SCALE))


def utility(metric: Any, hypothesis: str, reference: str) -> float:
    score: float = metric.sentence_score(hypothesis, [reference]).score
    return score


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_repetition_of_ids_is_that_of_trl(n: int) -> None:
    rewards = pytest.importorskip("trl.rewards", exc_type=ImportError)
    draw = random.Random(n)
    for _ in range(100 * SCALE):
        kinds = draw.choice([1, 2, 5, 100, 1 << 40])
        rows = [[draw.randrange(kinds) for _ in range(draw.choice([0, 1, n, 40, 300]))] for _ in range(8)]
        worst = draw.choice([-1.0, -0.3, 0.0, -7])
        expected_rewards = rewards.get_repetition_penalty_reward(n, worst)(completion_ids=rows)
        assert RepetitionPenalty(n, worst)(rows) == expected_rewards
        assert RepetitionPenalty(n, worst)(["x"] * 8, completion_ids=rows) == expected_rewards
        COMPARED["TRL 1.16, repetition penalty"] += len(rows)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_repetition_of_text_is_that_of_open_r1(n: int) -> None:
    def penalty(completion: str, worst: float) -> float:
        words = completion.lower().split()
        ngrams = [*zip(*[words[i:] for i in range(n)], strict=False)]
        if not completion or len(words) < n:
            return 0.0
        return (1 - len({*ngrams}) / len(ngrams)) * worst

    for texts, _, _ in batches(50, n):
        assert RepetitionPenalty(n, -0.7)(texts) == [penalty(each, -0.7) for each in texts]


def test_overlong_punishment_is_that_of_trl() -> None:
    rewards = pytest.importorskip("trl.rewards", exc_type=ImportError)
    for most, cache in [(10, 3), (10, 0), (10, 10), (7, 5), (1, 1)]:
        rows = [[1] * length for length in range(2 * most)]
        assert LengthReward.soft_overlong(most, cache)(rows) == rewards.get_soft_overlong_punishment(
            most, cache
        )(rows)


def test_dapo_is_that_of_verl() -> None:
    # The operations of verl/workers/reward_manager/dapo.py.
    for most, buffer, factor in [(10, 3, 1.0), (10, 10, 0.3), (7, 5, 2.0)]:
        lengths = range(3 * most)
        by_hand = [min(-(length - (most - buffer)) / buffer * factor, 0) for length in lengths]
        assert LengthReward.dapo(most, buffer, factor)([[1] * length for length in lengths]) == by_hand


@pytest.mark.parametrize("name", ["bleu", "chrf"])
@pytest.mark.parametrize("exclude_self", [True, False])
def test_consensus(name: str, exclude_self: bool) -> None:
    peer = sacrebleu.BLEU(**BLEU_OPTIONS) if name == "bleu" else sacrebleu.CHRF()
    metric: Any = BLEU(**BLEU_OPTIONS) if name == "bleu" else CHRF()
    reward = ConsensusReward(metric, exclude_self=exclude_self)
    for texts, _, labels in batches(5, 10 + exclude_self):
        wanted: list[Any] = []
        for i, (hypothesis, label) in enumerate(zip(texts, labels, strict=True)):
            others = [j for j, other in enumerate(labels) if other == label and not (exclude_self and i == j)]
            scores = [utility(peer, hypothesis, texts[j]) for j in others]
            wanted.append(fsum(scores) / len(scores) / 100 if scores else None)
        got = reward(texts, groups=labels)
        assert [each is None for each in got] == [each is None for each in wanted]
        for score, by_peer in zip(got, wanted, strict=True):
            assert score is None or score == pytest.approx(by_peer, abs=1e-14)
        COMPARED[f"sacrebleu {sacrebleu.__version__}, agreement in a group"] += len(texts)


def test_consensus_is_expected_utility() -> None:
    draw = random.Random(5)
    pools = [[text(draw) for _ in range(draw.randint(2, 16))] for _ in range(50 * SCALE)]
    flat = [each for pool in pools for each in pool]
    labels = [i for i, pool in enumerate(pools) for _ in pool]
    utilities = np.concatenate(expected(pools, exclude_self=True)) / 100
    assert ConsensusReward()(flat, groups=labels) == utilities.tolist()


@pytest.mark.parametrize("kind", ["self-bleu", "pairwise"])
def test_diversity(kind: Any) -> None:
    peer = sacrebleu.BLEU(**BLEU_OPTIONS)
    reward = DiversityReward(kind)
    for texts, _, labels in batches(5, 20):
        got = reward(texts, groups=labels)
        for i, label in enumerate(labels):
            others = [texts[j] for j, other in enumerate(labels) if other == label and i != j]
            if not others:
                assert got[i] is None
            elif not texts[i].split():
                assert got[i] == 0
            elif kind == "self-bleu":
                assert got[i] == max(0.0, 1 - peer.sentence_score(texts[i], others).score / 100)
            else:
                both = [
                    (utility(peer, texts[i], each) + utility(peer, each, texts[i])) / 200 for each in others
                ]
                assert got[i] == pytest.approx(1 - fsum(both) / len(both), abs=1e-14)
        COMPARED[f"sacrebleu {sacrebleu.__version__}, diversity in a group"] += len(texts)


def test_diversity_adjusted() -> None:
    peer = sacrebleu.BLEU(**BLEU_OPTIONS)
    draw = random.Random(6)
    for texts, _, labels in batches(3, 30):
        rewards = [draw.choice([None, 0, 0.5, 1.0, 3]) for _ in texts]
        got = diversity_adjusted(rewards, texts, labels)
        for i, given in enumerate(rewards):
            others = [texts[j] for j, other in enumerate(labels) if other == labels[i] and i != j]
            both = [(utility(peer, texts[i], each) + utility(peer, each, texts[i])) / 200 for each in others]
            assert got[i] == (None if given is None else pytest.approx(given / (1 + fsum(both)), abs=1e-14))


def test_a_combination_is_the_weighted_sum_of_its_components() -> None:
    def letters(completions: Any, references: Any, *, prompts: Any, groups: Any) -> list[float | None]:
        assert len(groups) == len(prompts) == len(completions) == len(references)
        return [None if "cat" in each else len(each) / 100 for each in completions]

    parts: dict[str, tuple[float, Any]] = {
        "bleu": (0.7, BLEUReward()),
        "chrf": (0.85, BLEUReward(metric=CHRF(word_order=2))),
        "consensus": (0.1, ConsensusReward()),
        "diversity": (-0.2, DiversityReward()),
        "repetition": (1.0, RepetitionPenalty(2)),
        "length": (0.05, LengthReward()),
        "letters": (0.5, letters),
    }
    reward = CombinedReward(parts)
    for texts, references, labels in batches(10, 40):
        call: dict[str, Any] = {"prompts": texts, "groups": labels}
        found = reward.components(texts, references, **call)
        assert found["bleu"] == BLEUReward()(texts, references)
        assert found["chrf"] == BLEUReward(metric=CHRF(word_order=2))(texts, references)
        assert found["consensus"] == ConsensusReward()(texts, groups=labels)
        assert found["diversity"] == DiversityReward()(texts, groups=labels)
        assert found["repetition"] == RepetitionPenalty(2)(texts)
        assert found["length"] == LengthReward()(texts, references)
        for i, total in enumerate(found["total"]):
            terms = [
                weight * found[name][i] for name, (weight, _) in parts.items() if found[name][i] is not None
            ]
            assert total == fsum(terms)
        assert reward(texts, references, **call) == found["total"]


def test_groups_may_come_in_any_order_and_split() -> None:
    for texts, _, labels in batches(20, 50):
        whole = ConsensusReward()(texts, groups=labels)
        for label in {*labels}:
            members = [i for i, other in enumerate(labels) if other == label]
            apart = ConsensusReward()([texts[i] for i in members], groups=[label] * len(members))
            assert apart == [whole[i] for i in members]


def test_ids_of_groups() -> None:
    draw = random.Random(7)
    for _ in range(20 * SCALE):
        rows = [[draw.randint(3, 9) for _ in range(draw.randint(1, 8))] for _ in range(12)]
        padded = np.zeros((12, 9), dtype=np.int64)
        for row, values in zip(padded, rows, strict=True):
            row[: len(values)] = values
            row[len(values)] = 2
        words = [" ".join(map(str, row)) for row in rows]
        wanted = ConsensusReward(BLEU(tokenize="none", effective_order=True))(words, groups=4)
        ids = TokenIds(padded, pad_id=0, eos_id=2)
        assert ConsensusReward()(rows, groups=4) == wanted
        assert ConsensusReward()(ids, groups=4).tolist() == wanted
        shaped = TokenIds(padded.reshape(3, 4, 9), pad_id=0, eos_id=2)
        assert ConsensusReward()(shaped).tolist() == np.array(wanted).reshape(3, 4).tolist()
        diverse = DiversityReward(metric=BLEU(tokenize="none", effective_order=True))(words, groups=4)
        assert DiversityReward()(rows, groups=4) == diverse


def offsets_of(draw: random.Random, completion: str) -> list[tuple[int, int]]:
    """Cut a text into tokens of a policy, with special ones of no characters."""
    cuts = sorted({0, len(completion), *(draw.randint(0, len(completion)) for _ in range(6))})
    return [(0, 0), *pairwise(cuts), (0, 0)]


METRICS: list[Any] = [
    BLEU(tokenize=name, lowercase=lowercase, effective_order=True)
    for name in ("13a", "none", "intl", "zh", "char")
    for lowercase in (False, True)
]


@pytest.mark.parametrize("metric", [*METRICS, CHRF(word_order=2, lowercase=True)], ids=repr)
def test_rewards_by_token_add_up(metric: Any) -> None:
    draw = random.Random(8)
    reward = BLEUReward(metric=metric, empty=-1)
    pieces = ["<skipped>", "&quot;", "&lt;b&gt;", "-\n", "İstanbul"]
    for _ in range(30 * SCALE):
        completions = [text(draw) + draw.choice(pieces) + text(draw) for _ in range(6)]
        references = [draw.choice([text(draw, 20), [text(draw), text(draw)]]) for _ in completions]
        offsets = [offsets_of(draw, completion) for completion in completions]
        whole = reward(completions, references)
        by_token = reward.token_rewards(completions, references, offsets)
        assert [len(each) for each in by_token] == [len(each) for each in offsets]
        for total, parts in zip(whole, by_token, strict=True):
            assert fsum(parts) == pytest.approx(total, abs=1e-12)


def test_a_token_gets_the_gain_of_words_that_end_in_it() -> None:
    peer = sacrebleu.BLEU(**BLEU_OPTIONS)
    draw = random.Random(9)
    for _ in range(20 * SCALE):
        words = [draw.choice(["the", "cat", "sat", "mats"]) for _ in range(draw.randint(1, 9))]
        completion = " ".join(words)
        references = ["the cat sat on the mats", text(draw)]
        ends = [len(" ".join(words[: k + 1])) for k in range(len(words))]
        offsets = [*zip([0, *ends[:-1]], ends, strict=True)]
        (gains,) = BLEUReward().token_rewards([completion], [references], [offsets])
        prefixes = [peer.sentence_score(completion[:end], references).score / 100 for end in ends]
        assert np.cumsum(gains).tolist() == pytest.approx(prefixes, abs=1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"whitespace": True}, {"lowercase": True}, {"char_order": 3, "beta": 1}]
)
def test_chrf_of_every_prefix(options: dict[str, Any]) -> None:
    peer = sacrebleu.CHRF(**options)
    draw = random.Random(10)
    reward = BLEUReward(metric=CHRF(**options))
    for _ in range(6 * SCALE):
        completion = text(draw).replace("İ", "I").strip() or "a"
        references = [each for each in (text(draw), text(draw)) if each.strip()] or ["a"]
        offsets = [(i, i + 1) for i in range(len(completion))]
        (gains,) = reward.token_rewards([completion], [references], [offsets])
        prefixes = [
            peer.sentence_score(completion[: i + 1], references).score / 100 for i in range(len(completion))
        ]
        inner = [i for i in range(len(completion)) if not completion[i].isspace()]
        assert np.cumsum(gains)[inner].tolist() == pytest.approx([prefixes[i] for i in inner], abs=1e-12)
        COMPARED[f"sacrebleu {sacrebleu.__version__}, chrF of prefixes"] += len(inner)
