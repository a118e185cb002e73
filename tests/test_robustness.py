"""Processes, signals and memory."""

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

import pytest

from fastbleu import BLEU
from tests.support.entry_points import GROUPS
from tests.support.memory import resident_bytes
from tests.support.processes import printed_by
from tests.support.tiers import one_of

# Far beyond what any step takes: only a call that never comes back runs into it.
PATIENCE = 120

GENERATOR = random.Random(4)
WORDS = ["the", "cat,", "sat", "1,000.5", "(mat)", "東京", "é", "a-b", *(f"word{i}" for i in range(40))]


def segments(n: int, longest: int = 40) -> list[str]:
    return [" ".join(GENERATOR.choices(WORDS, k=GENERATOR.randint(0, longest))) for _ in range(n)]


HYPOTHESES = segments(400)
STREAMS = [segments(400), segments(400)]
ROWS = BLEU().statistics(HYPOTHESES, STREAMS).tolist()


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


ENDLESS = {
    # Tens of gigabytes of text after a short list: hours, were it not interrupted.
    "corpus_score": "BLEU().corpus_score([text] * 2_000_000, [[text] * 2_000_000])",
    "two threads": "BLEU(threads=2).corpus_score([text] * 2_000_000, [[text] * 2_000_000])",
    "prepare": "BLEU().prepare([[text] * 2_000_000])",
    "prepared": "BLEU().corpus_score([text] * 2_000_000, BLEU().prepare([[text]])[[0] * 2_000_000])",
    "sentence_scores": "BLEU().sentence_scores([text] * 2_000_000, [[text] * 2_000_000])",
    "n_bootstrap": "BLEU().corpus_score(['a b'] * 20_000, [['a b'] * 20_000], n_bootstrap=10_000_000)",
    "nearest": "nearest(['a b c'] * 1_000_000, [f'a b {i}' for i in range(50_000)])",
    "near_duplicates": "near_duplicates([f'a b {i}' for i in range(500_000)], 99)",
    "near_duplicates, two threads": "near_duplicates([f'a b {i}' for i in range(500_000)], 99, threads=2)",
    "tokens": "BLEU(tokenize='none').corpus_score([text.split()] * 2_000_000, [[text.split()] * 2_000_000])",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize("name", ENDLESS)
def test_control_c_stops_a_long_run(name: str) -> None:
    program = textwrap.dedent(
        f"""
        from fastbleu import BLEU
        from fastbleu.rerank import near_duplicates, nearest
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


# Calls with many segments or orders take the same ways as the others.
LEFT_OUT = ("text in threads", "long orders")
CALLS = {
    f"{group}: {name}": call
    for group, make in GROUPS.items()
    if group not in LEFT_OUT
    for name, call in make().items()
}


def round_of(name: str) -> Callable[[], None]:
    """A round of calls that takes ten milliseconds, of thirty calls at least and two thousand at most."""
    call = CALLS[name]
    call()
    start = time.perf_counter()
    call()
    number = min(2000, max(30, int(0.01 / (time.perf_counter() - start))))

    def one_round() -> None:
        for _ in range(number):
            call()

    return one_round


def traced_after(one_round: Callable[[], None]) -> int:
    one_round()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of(8, CALLS))
def test_nothing_leaks(name: str) -> None:
    """Python's own allocations stay flat over a round of calls; another thread's may rise in some of the rounds."""
    one_round = round_of(name)
    one_round()
    tracemalloc.start()
    try:
        traced = traced_after(one_round)
        assert any(traced_after(one_round) - traced < 10_000 * rounds for rounds in (1, 2, 3))
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.unsanitized
@pytest.mark.parametrize("name", one_of(4, CALLS))
def test_the_process_does_not_grow(name: str) -> None:
    one_round = round_of(name)
    for _ in range(2):
        one_round()
    before = resident_bytes()
    for _ in range(6):
        one_round()
    # Six rounds of any call touch more than this many times over, were it never freed.
    assert resident_bytes() - before < 2_000_000


@pytest.mark.slow
def test_strings_are_released() -> None:
    """Columns hold copies: no reference to the caller's strings outlives the call."""
    text = f"a string of this process {os.getpid()} that nothing else holds"
    before = sys.getrefcount(text)
    metric = BLEU(effective_order=True)
    references = metric.prepare([[text] * 10])
    metric.statistics([text] * 10, references)
    metric.statistics([text] * 10, [[text] * 10])
    metric.sentence_score(text, [text])
    BLEU(tokenize="none").statistics([[text]], [[[text]]])
    gc.collect()
    assert sys.getrefcount(text) == before


def test_hosts_are_not_imported() -> None:
    """The core and what serves trainers need none of them; NumPy comes when an array is asked for."""
    code = (
        "import sys, fastbleu, fastbleu.compat.transformers, fastbleu.rerank, fastbleu.rewards.trl\n"
        "hosts = {'torch', 'torchmetrics', 'transformers', 'trl', 'accelerate', 'datasets', 'jax', 'tqdm'}\n"
        "print(sorted({*hosts, 'numpy'} & set(sys.modules)))\n"
        "bleu = fastbleu.BLEU(tokenize='none', effective_order=True)\n"
        "bleu.sentence_scores(fastbleu.TokenIds([[5, 6]]), [[[5, 6]]])\n"
        "bleu.accumulator().update(['a'], [['a']])\n"
        "fastbleu.rewards.trl.bleu_reward()(completions=['a'], reference=['a'])\n"
        "print(sorted(hosts & set(sys.modules)))"
    )
    assert printed_by(code) == "[]\n[]\n"
