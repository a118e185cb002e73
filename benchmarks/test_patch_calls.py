"""One call of each function that `fastbleu.patch` replaces, without the patch and under it: no call may get slower.

One line of the table for each function, kind of text, and whether the texts are the same in each call or new: the time
of the original over that under the patch. It must not be below 1.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib import import_module
from itertools import repeat
from typing import Any, NamedTuple

import pytest

from benchmarks.measures import Table, seconds
from fastbleu import patch
from fastbleu.patch.peers import PEERS as PATCHED

#: Seconds that the calls of one measurement take, about.
SPENT = 0.002
ROUNDS = 7

LETTERS = {
    "ASCII": "abcdefghijklmnopqrstuvwxyz",
    "Chinese": "".join(map(chr, range(0x4E00, 0x5600))),
    "Korean": "".join(map(chr, range(0xAC00, 0xB400))),
}

#: Of each kind of text its letters, its tokens, and the longest of them.
KINDS = {
    "ASCII": ("ASCII", 26, 8),
    "Chinese": ("Chinese", 40, 1),
    "Korean": ("Korean", 20, 3),
    "one token": ("ASCII", 1, 5),
    "1,000 tokens": ("ASCII", 1_000, 8),
}


def tokens_of(text: str) -> list[str]:
    """Split text at spaces, and Chinese into its characters."""
    return text.split() if " " in text or text.isascii() else list(text)


def texts(kind: str, generator: random.Random) -> tuple[str, str]:
    """Make a hypothesis and its reference, four tokens of five of which are equal."""
    letters, number, longest = KINDS[kind]

    def token() -> str:
        return "".join(generator.choices(LETTERS[letters], k=generator.randint(1, longest)))

    hypothesis = [token() for _ in range(number)]
    reference = [token() if generator.random() < 0.2 else each for each in hypothesis]
    space = "" if kind == "Chinese" else " "
    return space.join(hypothesis), space.join(reference)


class Workload(NamedTuple):
    """A function, and how its arguments are made of a hypothesis and a reference."""

    name: str
    call: Callable[..., object]
    arguments: Callable[[str, str], tuple[Any, ...]]


def sacrebleu() -> Iterator[Workload]:
    peer: Any = pytest.importorskip("sacrebleu")
    metrics = {"BLEU": peer.BLEU(effective_order=True), "CHRF": peer.CHRF(), "TER": peer.TER()}
    for name, metric in metrics.items():
        yield Workload(f"{name}.sentence_score", metric.sentence_score, lambda h, r: (h, [r]))
        yield Workload(f"{name}.corpus_score", metric.corpus_score, lambda h, r: ([h], [[r]]))
    for name in ("bleu", "chrf"):
        yield Workload(f"sentence_{name}", getattr(peer, f"sentence_{name}"), lambda h, r: (h, [r]))
        yield Workload(f"corpus_{name}", getattr(peer, f"corpus_{name}"), lambda h, r: ([h], [[r]]))
    yield Workload(
        "BLEU(references=)",
        lambda h, r: peer.BLEU(references=[[r]]).corpus_score([h], None),
        lambda h, r: (h, r),
    )
    for module, name in (
        ("13a", "Tokenizer13a"),
        ("intl", "TokenizerV14International"),
        ("zh", "TokenizerZh"),
    ):
        tokenizer = getattr(import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), name)()
        yield Workload(name, tokenizer, lambda h, _: (h,))


def nltk() -> Iterator[Workload]:
    bleu: Any = pytest.importorskip("nltk.translate.bleu_score", exc_type=ImportError)
    gleu: Any = import_module("nltk.translate.gleu_score")
    chrf: Any = import_module("nltk.translate.chrf_score")

    def one(h: str, r: str) -> tuple[Any, ...]:
        return [tokens_of(r)], tokens_of(h)

    def many(h: str, r: str) -> tuple[Any, ...]:
        return [[tokens_of(r)]], [tokens_of(h)]

    methods = bleu.SmoothingFunction()
    for name in ("method0", "method1", "method4", "method5", "method6"):
        method = getattr(methods, name)
        yield Workload(
            f"sentence_bleu, {name}",
            lambda r, h, m=method: _even_if_refused(bleu.sentence_bleu, r, h, smoothing_function=m),
            one,
        )
    yield Workload("sentence_bleu", bleu.sentence_bleu, one)
    yield Workload("corpus_bleu", bleu.corpus_bleu, many)
    yield Workload("modified_precision", lambda r, h: bleu.modified_precision(r, h, 2), one)
    yield Workload("sentence_gleu", gleu.sentence_gleu, one)
    yield Workload("corpus_gleu", gleu.corpus_gleu, many)
    yield Workload("sentence_chrf", chrf.sentence_chrf, lambda h, r: (r, h))
    yield Workload("corpus_chrf", chrf.corpus_chrf, lambda h, r: ([r], [h]))


def _even_if_refused(call: Callable[..., object], *arguments: Any, **options: Any) -> object:
    """Method 6 raises an AssertionError where no trigram matches."""
    try:
        return call(*arguments, **options)
    except AssertionError as error:
        return error


def evaluate() -> Iterator[Workload]:
    """Modules as `evaluate` would have loaded them: its own `Metric`, and what the published scripts compute."""
    peer: Any = pytest.importorskip("evaluate")
    from tests.support.evaluate_modules import peer_module

    for name in ("bleu", "sacrebleu", "google_bleu"):
        original = peer_module(name)
        with patch.install("evaluate"):
            replaced = peer.load(name)

        def compute(predictions: Any, references: Any, both: Any = (original, replaced)) -> object:
            return both[PATCHED["evaluate"].is_installed].compute(
                predictions=predictions, references=references
            )

        yield Workload(f"{name}.compute", compute, lambda h, r: ([h], [[r]]))


def torchmetrics() -> Iterator[Workload]:
    pytest.importorskip("torch", exc_type=ImportError)
    classes: Any = pytest.importorskip("torchmetrics.text")
    functions: Any = import_module("torchmetrics.functional.text")
    for name in ("bleu_score", "sacre_bleu_score", "chrf_score"):
        yield Workload(name, getattr(functions, name), lambda h, r: ([h], [[r]]))
    for name in ("BLEUScore", "SacreBLEUScore", "CHRFScore"):
        yield Workload(f"{name}.update", getattr(classes, name)().update, lambda h, r: ([h], [[r]]))


def pycocoevalcap() -> Iterator[Workload]:
    peer: Any = pytest.importorskip("pycocoevalcap.bleu.bleu")
    metric = peer.Bleu(4)
    yield Workload(
        "Bleu.compute_score",
        lambda gts, res: metric.compute_score(gts, res, 0),
        lambda h, r: ({0: [r]}, {0: [h]}),
    )


def fast_bleu() -> Iterator[Workload]:
    peer: Any = pytest.importorskip("fast_bleu", exc_type=ImportError)
    yield Workload(
        "BLEU(...).get_score",
        lambda r, h: peer.BLEU(r).get_score(h),
        lambda h, r: ([tokens_of(r)], [tokens_of(h)]),
    )


def mbrs() -> Iterator[Workload]:
    module: Any = pytest.importorskip("tests.support.mbrs_module", exc_type=ImportError).module
    metric = module.MetricBLEU(module.MetricBLEU.Config(num_workers=1))
    yield Workload("MetricBLEU.scores", metric.scores, lambda h, r: ([h], [r]))


PEERS = {
    each.__name__: each for each in (sacrebleu, nltk, evaluate, torchmetrics, pycocoevalcap, fast_bleu, mbrs)
}


def times(peer: str, workload: Workload, kind: str, is_new: bool) -> tuple[float, float]:
    """Return the shortest time of a call without the patch, and of one under it."""
    generator = random.Random(1)
    same = workload.arguments(*texts(kind, generator))
    number, slowest, best = 1, 0.0, [float("inf")] * 2
    for i in range(1 + ROUNDS):
        for is_patched in (False, True):
            given = (
                [workload.arguments(*texts(kind, generator)) for _ in range(number)]
                if is_new
                else list(repeat(same, number))
            )
            with patch.install(peer) if is_patched else nullcontext():
                workload.call(*same)
                start = time.process_time()
                for arguments in given:
                    workload.call(*arguments)
                taken = (time.process_time() - start) / number
            slowest = max(slowest, taken) if is_patched else taken
            if i:  # The first round fills caches.
                best[is_patched] = min(best[is_patched], taken)
        number = max(1, min(200, int(SPENT / slowest)))
    return best[0], best[1]


@pytest.mark.parametrize("peer", PEERS)
def test_no_call_gets_slower(table: Table, peer: str) -> None:
    for workload in PEERS[peer]():
        # TER keeps its own code. It shares its methods with BLEU, so each of its calls takes up to 0.3 us longer.
        least = 0.95 if workload.name.startswith("TER") else 1
        for kind in KINDS:
            for is_new in (False, True):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    original, patched = times(peer, workload, kind, is_new)
                table.add(
                    f"{peer}: {workload.name}, {kind}, {'new' if is_new else 'repeated'}",
                    f"{seconds(original)} to {seconds(patched)}",
                    original / patched,
                    least,
                    least,
                    show="{:.2f}x".format,
                )
