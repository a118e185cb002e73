"""Threads, processes, signals, memory, and data that changes under way."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.counting.corpus import read_corpus_per_segment
from fastbleu.rerank.pool_sources import one_pool
from fastbleu.rerank.self_bleu import rows_against_others
from tests.support.memory import resident_bytes

# Far beyond what any step takes: only a call that never comes back runs into it.
PATIENCE = 120

GENERATOR = random.Random(4)
WORDS = ["the", "cat,", "sat", "1,000.5", "(mat)", "東京", "é", "a-b", *(f"word{i}" for i in range(40))]


def segments(n: int, longest: int = 40) -> list[str]:
    return [" ".join(GENERATOR.choices(WORDS, k=GENERATOR.randint(0, longest))) for _ in range(n)]


HYPOTHESES = segments(400)
STREAMS = [segments(400), segments(400)]
ROWS = BLEU().statistics(HYPOTHESES, STREAMS).tolist()


# --- Threads ------------------------------------------------------------------------------------------------------


# --- Processes ----------------------------------------------------------------------------------------------------


def score_in_worker(argument: tuple[Any, Any, slice]) -> list[list[int]]:
    metric, references, part = argument
    rows: list[list[int]] = metric.statistics(HYPOTHESES[part], references).tolist()
    return rows


def rows_of_a_new_metric(threads: int) -> list[list[int]]:
    rows: list[list[int]] = BLEU(threads=threads).statistics(HYPOTHESES, STREAMS).tolist()
    return rows


# Python 3.12 warns of any fork while threads run; that it works is what is tested here.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("start_method", multiprocessing.get_all_start_methods())
@pytest.mark.parametrize("threads", [1, 2])
def test_workers(start_method: str, threads: int) -> None:
    metric = BLEU(threads=threads)
    metric.statistics(HYPOTHESES, STREAMS)  # The threads of the parent have worked before the fork.
    references = metric.prepare(STREAMS)
    parts = [slice(i, i + 100) for i in range(0, 400, 100)]
    context = multiprocessing.get_context(start_method)
    with context.Pool(2) as pool:
        found = pool.map_async(score_in_worker, [(metric, references[part], part) for part in parts]).get(
            PATIENCE
        )
        assert [row for rows in found for row in rows] == rows_of_a_new_metric(1)
        fresh = pool.map_async(rows_of_a_new_metric, [1, 2]).get(PATIENCE)
    assert fresh[0] == fresh[1] == rows_of_a_new_metric(threads)


@pytest.mark.unsanitized  # a child may find the locks of its allocator held
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fork_while_other_threads_score() -> None:
    metric = BLEU(threads=2)
    references = metric.prepare(STREAMS)
    stop = threading.Event()

    def keep_scoring() -> None:
        while not stop.is_set():
            metric.statistics(HYPOTHESES, references)

    thread = threading.Thread(target=keep_scoring)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(PATIENCE)
                same = metric.statistics(HYPOTHESES, references).tolist() == ROWS
                os._exit(0 if same else 3)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join(PATIENCE)


# --- Signals ------------------------------------------------------------------------------------------------------

ENDLESS = {
    # Tens of gigabytes of text after a short list: hours, were it not interrupted.
    "corpus_score": "BLEU().corpus_score([text] * 2_000_000, [[text] * 2_000_000])",
    "two threads": "BLEU(threads=2).corpus_score([text] * 2_000_000, [[text] * 2_000_000])",
    "prepare": "BLEU().prepare([[text] * 2_000_000])",
    "prepared": "BLEU().corpus_score([text] * 2_000_000, BLEU().prepare([[text]])[[0] * 2_000_000])",
    "sentence_scores": "BLEU().sentence_scores([text] * 2_000_000, [[text] * 2_000_000])",
    "n_bootstrap": "BLEU().corpus_score(['a b'] * 20_000, [['a b'] * 20_000], n_bootstrap=10_000_000)",
    "tokens": "BLEU(tokenize='none').corpus_score([text.split()] * 2_000_000, [[text.split()] * 2_000_000])",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize("name", ENDLESS)
def test_control_c_stops_a_long_run(name: str) -> None:
    program = textwrap.dedent(
        f"""
        from fastbleu import BLEU
        text = "Some words, and 1,000.5 more of them. " * 600
        print("started", flush=True)
        {ENDLESS[name]}
        print("finished", flush=True)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert output == ""
    assert errors.rstrip().splitlines()[-1] == "KeyboardInterrupt"


# --- Memory -------------------------------------------------------------------------------------------------------


def raises(kind: Any, function: Callable[..., Any], *arguments: Any) -> None:
    try:
        function(*arguments)
    except kind:
        return
    raise AssertionError(f"{function} raised no {kind}")


METRIC = BLEU()
NONE = BLEU(tokenize="none")
PLAIN = BLEU(tokenize="none", effective_order=True)
EFFECTIVE = BLEU(effective_order=True)
REFERENCES = METRIC.prepare(STREAMS)
TOKENS = [text.split() for text in HYPOTHESES[:50]]
FEW = HYPOTHESES[:50]
FEW_STREAMS = [stream[:50] for stream in STREAMS]
LONG = " ".join(WORDS * 60)
IDS = np.random.default_rng(1).integers(0, 9, (40, 15))

CALLS: dict[str, tuple[int, Callable[[], object]]] = {
    # How many calls make one round.
    "sentence_score": (
        4_000,
        lambda: EFFECTIVE.sentence_score("the cat, sat on (mat)", ["the cat sat", "a mat"]),
    ),
    "tokenize": (4_000, lambda: METRIC.tokenize("the cat, sat on 1,000.5 (mats)")),
    "statistics": (300, lambda: METRIC.statistics(FEW, FEW_STREAMS)),
    "threads": (100, lambda: BLEU(threads=2).statistics(FEW, FEW_STREAMS)),
    "lowercase": (300, lambda: BLEU(lowercase=True).corpus_score(FEW, FEW_STREAMS)),
    "prepare": (200, lambda: METRIC.prepare(FEW_STREAMS)),
    "prepared": (200, lambda: METRIC.statistics(HYPOTHESES, REFERENCES)),
    "parts": (1_000, lambda: REFERENCES[10:50][[1, 2, 3]]),
    "tokens": (200, lambda: NONE.statistics(TOKENS, [TOKENS])),
    "one segment of tokens": (4_000, lambda: PLAIN.sentence_score(["the", "cat"], [["a", "cat"], ["the"]])),
    "mixed tokens": (2_000, lambda: PLAIN.sentence_score(["the", 1], [[2.5, ("a",)], ["the"]])),
    "bad tokens": (2_000, lambda: raises(TypeError, PLAIN.sentence_score, ["a", []], [["a"]])),
    "ids": (300, lambda: NONE.statistics(TokenIds(IDS, pad_id=0), TokenIds(IDS[::-1], pad_id=0))),
    "ids that are copied": (300, lambda: NONE.statistics(TokenIds(IDS.T, pad_id=0), TokenIds(list(IDS.T)))),
    "bad ids": (500, lambda: raises(ValueError, NONE.statistics, -1 - IDS, IDS)),
    "prepared ids": (
        200,
        lambda: NONE.statistics(IDS, NONE.prepare(IDS.reshape(20, 2, 15)[:, :, :9].repeat(2, 0)[:40])),
    ),
    "prefixes": (200, lambda: NONE.prefix_scores(IDS, IDS[::-1])),
    "prefixes of text": (200, lambda: METRIC.prefix_scores(FEW, FEW_STREAMS)),
    "accumulator": (300, lambda: METRIC.accumulator(keep_rows=True).update(FEW, FEW_STREAMS)),
    "pool": (200, lambda: rows_against_others(NONE.matcher, one_pool(FEW, "pool"), 4)),
    "per segment": (200, lambda: read_corpus_per_segment(METRIC.matcher, FEW, [FEW[:2]] * 50).count()),
    "explain": (100, lambda: EFFECTIVE.explain("the cat, sat", ["the cat sat", "a cat"]).to_text()),
    "sentence_scores": (300, lambda: METRIC.sentence_scores(FEW, FEW_STREAMS)),
    "bootstrap": (50, lambda: METRIC.corpus_score(FEW, FEW_STREAMS, n_bootstrap=50)),
    "long segments": (30, lambda: METRIC.statistics([LONG], [[LONG]])),
    "a bad hypothesis": (500, lambda: raises(TypeError, METRIC.statistics, [*FEW[1:], 5], FEW_STREAMS)),
    "a bad reference": (500, lambda: raises(TypeError, METRIC.statistics, FEW, [[*FEW[1:], 5]])),
    "no reference": (500, lambda: raises(ValueError, METRIC.prepare, [[*FEW[1:], None]])),
    "unequal lengths": (500, lambda: raises(ValueError, METRIC.corpus_score, FEW, [FEW[1:]])),
}


def one_round(name: str) -> None:
    calls, call = CALLS[name]
    for _ in range(calls):
        call()


def traced_after(name: str) -> int:
    one_round(name)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name: str) -> None:
    """Python's own allocations stay flat over a round of calls; another thread's may rise in some of the rounds."""
    one_round(name)
    tracemalloc.start()
    try:
        traced = traced_after(name)
        assert any(traced_after(name) - traced < 20_000 * rounds for rounds in (1, 2, 3))
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.unsanitized
@pytest.mark.parametrize("name", CALLS)
def test_the_process_does_not_grow(name: str) -> None:
    for _ in range(2):
        one_round(name)
    before = resident_bytes()
    for _ in range(6):
        one_round(name)
    # Six rounds of any call above touch more than this many times over, were it never freed.
    assert resident_bytes() - before < 2_000_000


@pytest.mark.slow
def test_strings_are_released() -> None:
    """Columns hold copies: no reference to the caller's strings outlives the call."""
    text = f"a string of this process {os.getpid()} that nothing else holds"
    before = sys.getrefcount(text)
    references = METRIC.prepare([[text] * 10])
    METRIC.statistics([text] * 10, references)
    METRIC.statistics([text] * 10, [[text] * 10])
    NONE.statistics([[text]], [[[text]]])
    EFFECTIVE.sentence_score(text, [text])
    gc.collect()
    assert sys.getrefcount(text) == before


def test_hosts_are_not_imported() -> None:
    """The core and what serves trainers need none of them; NumPy comes when an array is asked for."""
    code = (
        "import sys, fastbleu, fastbleu.compat.transformers, fastbleu.rewards.trl\n"
        "hosts = {'torch', 'torchmetrics', 'transformers', 'trl', 'accelerate', 'datasets', 'jax'}\n"
        "print(sorted({*hosts, 'numpy'} & set(sys.modules)))\n"
        "bleu = fastbleu.BLEU(tokenize='none', effective_order=True)\n"
        "bleu.sentence_scores(fastbleu.TokenIds([[5, 6]]), [[[5, 6]]])\n"
        "bleu.accumulator().update(['a'], [['a']])\n"
        "fastbleu.rewards.trl.bleu_reward()(completions=['a'], reference=['a'])\n"
        "print(sorted(hosts & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert printed.stdout == "[]\n[]\n"
