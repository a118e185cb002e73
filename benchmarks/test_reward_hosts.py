"""The calls of a trainer's step: the reward functions for TRL and verl, beside the loops that people write."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import data
from benchmarks.measures import Table, independent_loops, least
from fastbleu.rewards.trl import bleu_reward
from fastbleu.rewards.verl import compute_score

Compare = Callable[..., None]

COMPLETIONS, WORDS, LENGTH, EOS = 64, 60, 1024, 2


def sixty_words(lines: list[str], n: int) -> list[str]:
    """Running text in pieces of 60 words."""
    words = [word for line in lines * (1 + n // 200) for word in line.split()]
    return [" ".join(words[i * WORDS : (i + 1) * WORDS]) for i in range(n)]


def pieces(n: int) -> tuple[list[str], list[str]]:
    """Return a system's text and a reference that shares most of its words, 60 words each."""
    generator = random.Random(1)
    references = sixty_words(data.references("en-de")[0], n)
    others = [word for line in data.system("en-de") for word in line.split()]
    hypotheses = [
        " ".join(word if generator.random() < 0.8 else generator.choice(others) for word in text.split())
        for text in references
    ]
    return hypotheses, references


def rows_of_ids(n: int) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of 1,024 ids, the last of which ends them: real text as ids of words, a fifth of it exchanged."""
    generator = random.Random(2)
    vocabulary: dict[str, int] = {}
    words = [word for line in data.references("en-de")[0] for word in line.split()]
    ids = [vocabulary.setdefault(word, len(vocabulary) + 3) for word in words]
    ids *= 1 + n * LENGTH // len(ids)
    references = [[*ids[i * LENGTH : (i + 1) * LENGTH - 1], EOS] for i in range(n)]
    hypotheses = [
        [*(each if generator.random() < 0.8 else generator.choice(ids) for each in row[:-1]), EOS]
        for row in references
    ]
    return hypotheses, references


def test_trl_chats_against_a_loop_over_sacrebleu(compare: Compare) -> None:
    sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)
    hypotheses, references = pieces(COMPLETIONS)
    chats = [[{"role": "assistant", "content": text}] for text in hypotheses]
    prompts = [[{"role": "user", "content": "?"}]] * COMPLETIONS
    reward = bleu_reward()

    def loop() -> list[float]:
        return [
            sacrebleu.sentence_bleu(chat[0]["content"], [reference]).score / 100
            for chat, reference in zip(chats, references, strict=True)
        ]

    assert reward(prompts, chats, reference=references) == pytest.approx(loop(), rel=1e-12)
    compare(
        "rewards.trl, 64 completions of 60 words, chat form",
        lambda: reward(prompts=prompts, completions=chats, reference=references, log_metric=lambda *_: None),
        "a loop over sacrebleu.sentence_bleu",
        loop,
        100,
        180,
        before_theirs=clear_sacrebleu,
        ours_per_round=40,
    )


def clear_sacrebleu() -> None:
    """Samples are new in each step, so nothing of them is in sacreBLEU's caches."""
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re

    tokenizer_13a.Tokenizer13a.__call__.cache_clear()
    tokenizer_re.TokenizerRegexp.__call__.cache_clear()


def test_trl_ids_against_a_loop_over_nltk(compare: Compare) -> None:
    nltk = pytest.importorskip(
        "nltk.translate.bleu_score", reason="NLTK is not installed", exc_type=ImportError
    )
    hypotheses, references = rows_of_ids(COMPLETIONS)
    smoothing = nltk.SmoothingFunction().method3
    reward = bleu_reward(eos_id=EOS)
    texts = [""] * COMPLETIONS

    def loop() -> list[float]:
        return [
            nltk.sentence_bleu([reference[:-1]], hypothesis[:-1], smoothing_function=smoothing)
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]

    assert reward(None, texts, hypotheses, reference=references) == pytest.approx(loop(), rel=1e-9)
    compare(
        "rewards.trl, 64 completions of 1,024 ids",
        lambda: reward(
            completions=texts, completion_ids=hypotheses, reference=references, log_metric=lambda *_: None
        ),
        "a loop over nltk sentence_bleu",
        loop,
        150,
        300,
        rounds=3,
        ours_per_round=40,
    )


_HEADER = "<|im_start|>assistant"


def mt_r1_zero(solution_str: str, ground_truth: str) -> float:
    """Do what MT-R1-Zero's compute_score does with one sample, without its prints.

    Restated from verl/utils/reward_score/mt_score.py of github.com/fzp0424/MT-R1-Zero at a2e38c4.
    """
    import sacrebleu

    text = solution_str.split(_HEADER, 1)[1]
    matches = list(re.finditer(r"<translate>(.*?)</translate>", text, re.DOTALL))
    answer = matches[-1].group(1).strip()
    for tag in ("<think>", "</think>", "<translate>", "</translate>"):
        text.count(tag)
        text.find(tag)
    score = str(sacrebleu.corpus_bleu([answer], [[ground_truth]], tokenize="13a"))
    found = re.search(r"BLEU = (\d+\.\d+)", score)
    assert found
    return float(found[1])


def test_verl_one_sample_against_mt_r1_zero(compare: Compare, table: Table) -> None:
    pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)
    hypotheses, references = pieces(256)
    solutions = [
        f"{_HEADER}\n<think> Words. </think>\n<translate> {text} </translate>" for text in hypotheses
    ]
    options = {"extract": "translate", "scale": 100.0}
    samples = list(zip(solutions, references, strict=True))

    def ours() -> list[Any]:
        return [compute_score("wmt", *sample, None, **options) for sample in samples]

    def theirs() -> list[float]:
        return [mt_r1_zero(*sample) for sample in samples]

    assert [round(score, 2) for score in ours()] == pytest.approx(theirs(), abs=0.0101)
    compare(
        "rewards.verl, one sample of 60 words with extraction",
        ours,
        "MT-R1-Zero's function",
        theirs,
        20,
        40,
        before_theirs=clear_sacrebleu,
    )
    alone = least(ours, rounds=40, timer=time.thread_time)[0] / len(samples)
    table.add(
        "rewards.verl, one sample of 60 words with extraction",
        "time of its processor",
        alone * 1e6,
        12,
        6,
        show="{:.3g} us".format,
    )


def test_two_threads(table: Table) -> None:
    hypotheses, references = rows_of_ids(512)
    one, two = (bleu_reward(eos_id=EOS, threads=threads) for threads in (1, 2))
    calls = [
        lambda reward=reward: reward(completion_ids=hypotheses, reference=references) for reward in (one, two)
    ]
    loop, twice = independent_loops(64)
    alone, both, single, double = least(*calls, loop, twice, rounds=9)
    machine = 2 * single / double
    table.add(
        "rewards.trl, 512 completions of 1,024 ids, 2 threads",
        f"1 thread; two loops that share nothing: {machine:.2f}x",
        alone / both,
        1.8,
        1.95,
        show="{:.2f}x".format,
    )
    texts, truths = pieces(4096)
    calls = [lambda reward=reward: reward(completions=texts, reference=truths) for reward in (one, two)]
    alone, both, single, double = least(*calls, loop, twice, rounds=9)
    table.add(
        "rewards.trl, 4,096 completions of 60 words, 2 threads",
        f"1 thread; two loops that share nothing: {2 * single / double:.2f}x",
        alone / both,
        1.8,
        1.95,
        show="{:.2f}x".format,
    )
    per_sample = alone / len(texts) * 1e6
    table.note("rewards.trl, 4,096 completions of 60 words", "1 thread", f"{per_sample:.3g} us each")
