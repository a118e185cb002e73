"""Each drop-in replacement beside its original, with calls of every size: it may take at most 1.1 times as long.

The table has a line for each call, with the smallest ratio of all sizes, and its size. Both sides have scored the same
text before, so that sacreBLEU's caches of tokenized lines are filled. New calls are added to `CALLS`.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from benchmarks.measures import Call, Table, clock, seconds
from tests.support import nmt_oracle

#: Segments of a call, tokens of a segment, references of a segment; no call has more tokens in all than this.
SEGMENTS = (1, 2, 10, 100, 1_000, 10_000)
TOKENS = (0, 1, 2, 5, 30, 300, 2_000)
REFERENCES = (1, 3)
MOST_TOKENS = 60_000

#: The least ratio: 1.1 times the peer's time.
LEAST = 1 / 1.1

#: Seconds that a measurement takes at most, unless a few rounds take longer; and how few.
SPENT = 0.15
FEWEST_ROUNDS = 3


class Corpus(NamedTuple):
    """The arguments of a call: hypotheses, and references by stream and by segment, as text and as tokens."""

    hypotheses: list[str]
    streams: list[list[str]]
    lists: list[list[str]]
    tokens: list[list[str]]
    token_lists: list[list[list[str]]]


def corpus(segments: int, tokens: int, references: int) -> Corpus:
    generator = random.Random(f"{segments} {tokens} {references}")
    words = ["the", "of", ",", ".", *("".join(generator.choices("abcdefgh", k=6)) for _ in range(5_000))]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    first = [generator.choices(words, weights, k=tokens) for _ in range(segments)]

    def changed() -> list[list[str]]:
        other = generator.choices(words, weights, k=max(1, tokens))
        return [
            [word if generator.random() < 0.8 else other[i] for i, word in enumerate(line)] for line in first
        ]

    hypotheses, streams = changed(), [first, *(changed() for _ in range(references - 1))]
    token_lists = [list(some) for some in zip(*streams, strict=True)]
    text = [[" ".join(line) for line in stream] for stream in (hypotheses, *streams)]
    return Corpus(
        text[0], text[1:], [list(some) for some in zip(*text[1:], strict=True)], hypotheses, token_lists
    )


#: Makes, of what a call is given, the two sides: ours, and the peer's.
Sides = Callable[[Corpus], tuple[Call, Call]]


def sacrebleu(name: str = "fastbleu") -> Iterator[tuple[str, Sides]]:
    """sacreBLEU beside the package itself, or beside its drop-in replacement."""
    theirs: Any = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    ours: Any = import_module(name)

    for tokenize in ("13a", "none", "intl"):
        held = ours.BLEU(tokenize=tokenize, force=True), theirs.BLEU(tokenize=tokenize, force=True)
        yield (
            f"corpus_bleu, {tokenize}",
            lambda c, t=tokenize: two(  # type: ignore[misc]
                (ours, theirs), lambda m: m.corpus_bleu(c.hypotheses, c.streams, tokenize=t, force=True)
            ),
        )
        yield (
            f"BLEU.corpus_score, {tokenize}",
            lambda c, held=held: two(  # type: ignore[misc]
                held, lambda m: m.corpus_score(c.hypotheses, c.streams)
            ),
        )
    effective = ours.BLEU(effective_order=True), theirs.BLEU(effective_order=True)
    yield ("BLEU.sentence_score", lambda c: two(effective, each(c, lambda m, h, r: m.sentence_score(h, r))))
    yield "sentence_bleu", lambda c: two((ours, theirs), each(c, lambda m, h, r: m.sentence_bleu(h, r)))
    yield "BLEU()", lambda _: two((ours, theirs), lambda m: m.BLEU())


def nltk() -> Iterator[tuple[str, Sides]]:
    bleu: Any = pytest.importorskip("nltk.translate.bleu_score", reason="NLTK is not installed")
    gleu: Any = pytest.importorskip("nltk.translate.gleu_score")
    from fastbleu.compat import nltk as ours

    for name in ("method0", "method1", "method3", "method4", "method5", "method7"):
        methods = {module: getattr(module.SmoothingFunction(), name) for module in (ours, bleu)}
        yield (
            f"corpus_bleu, {name}",
            lambda c, methods=methods: two(  # type: ignore[misc]
                (ours, bleu), lambda m: m.corpus_bleu(c.token_lists, c.tokens, smoothing_function=methods[m])
            ),
        )
        yield (
            f"sentence_bleu, {name}",
            lambda c, methods=methods: two(  # type: ignore[misc]
                (ours, bleu),
                each_tokens(c, lambda m, r, h: m.sentence_bleu(r, h, smoothing_function=methods[m])),
            ),
        )
    yield "corpus_gleu", lambda c: two((ours, gleu), lambda m: m.corpus_gleu(c.token_lists, c.tokens))
    yield (
        "sentence_gleu",
        lambda c: two((ours, gleu), each_tokens(c, lambda m, r, h: m.sentence_gleu(r, h))),
    )
    yield (
        "modified_precision",
        lambda c: two((ours, bleu), each_tokens(c, lambda m, r, h: m.modified_precision(r, h, 2))),
    )
    yield (
        "closest_ref_length",
        lambda c: two((ours, bleu), each_tokens(c, lambda m, r, h: m.closest_ref_length(r, len(h)))),
    )


def evaluate() -> Iterator[tuple[str, Sides]]:
    """Modules as `evaluate` would have loaded them: its own `Metric`, and what the published scripts compute."""
    for needed in ("datasets", "evaluate", "nltk", "sacrebleu"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    from fastbleu.compat import evaluate as ours
    from tests.support.evaluate_modules import peer_module

    for name in ("bleu", "google_bleu", "sacrebleu"):
        both = ours.load(name), peer_module(name)
        yield (
            f'load("{name}").compute',
            lambda c, both=both: two(  # type: ignore[misc]
                both, lambda m: m.compute(predictions=c.hypotheses, references=c.lists)
            ),
        )
        yield (
            f"{name}, add_batch and compute",
            lambda c, both=both: two(  # type: ignore[misc]
                both, lambda m: (m.add_batch(predictions=c.hypotheses, references=c.lists), m.compute())
            ),
        )


def torchmetrics() -> Iterator[tuple[str, Sides]]:
    for needed in ("torch", "torchmetrics"):
        pytest.importorskip(needed, reason=f"{needed} is not installed", exc_type=ImportError)
    import torch
    from torchmetrics import text
    from torchmetrics.functional import text as functions

    from fastbleu.compat import torchmetrics as ours

    torch.set_num_threads(1)
    yield "bleu_score", lambda c: two((ours, functions), lambda m: m.bleu_score(c.hypotheses, c.lists))
    yield (
        "sacre_bleu_score",
        lambda c: two((ours, functions), lambda m: m.sacre_bleu_score(c.hypotheses, c.lists)),
    )
    for name in ("BLEUScore", "SacreBLEUScore"):
        both = getattr(ours, name)(), getattr(text, name)()
        yield (
            f"{name}.update",
            lambda c, both=both: two(  # type: ignore[misc]
                both, lambda m: m.update(c.hypotheses, c.lists)
            ),
        )
        yield (
            f"{name}.forward",
            lambda c, both=both: two(  # type: ignore[misc]
                both, lambda m: m(c.hypotheses, c.lists)
            ),
        )
        yield (
            f"{name}.update, compute, reset",
            lambda c, both=both: two(  # type: ignore[misc]
                both, lambda m: (m.update(c.hypotheses, c.lists), m.compute(), m.reset())
            ),
        )
        yield f"{name}()", lambda _, n=name: two((ours, text), lambda m: getattr(m, n)())  # type: ignore[misc]


def nmt() -> Iterator[tuple[str, Sides]]:
    """tensorflow/nmt is on no index; a copy of its algorithm, with Counters of n-grams, represents it."""
    from fastbleu.compat import nmt as ours

    for smooth in (False, True):
        yield (
            f"compute_bleu, smooth={smooth}",
            lambda c, s=smooth: two(  # type: ignore[misc]
                (ours, nmt_oracle), lambda m: m.compute_bleu(c.token_lists, c.tokens, smooth=s)
            ),
        )


def fast_bleu() -> Iterator[tuple[str, Sides]]:
    theirs: Any = pytest.importorskip("fast_bleu", reason="fast-bleu is not installed", exc_type=ImportError)
    from fastbleu.compat import fast_bleu as ours

    def references(c: Corpus) -> list[list[str]]:
        return [line for some in c.token_lists for line in some]

    yield (
        "BLEU(...).get_score",
        lambda c: two((ours, theirs), lambda m: m.BLEU(references(c)).get_score(c.tokens)),
    )

    def held(c: Corpus) -> tuple[Call, Call]:
        kept = {module: module.BLEU(references(c)) for module in (ours, theirs)}
        return two((ours, theirs), lambda m: kept[m].get_score(c.tokens))

    yield "BLEU.get_score", held
    yield (
        "SelfBLEU(...).get_score",
        lambda c: two((ours, theirs), lambda m: m.SelfBLEU([*c.tokens, *references(c)]).get_score()),
    )


#: Each peer's calls by its name.
CALLS: dict[str, Callable[[], Iterator[tuple[str, Sides]]]] = {
    "fastbleu": sacrebleu,
    "compat.sacrebleu": lambda: sacrebleu("fastbleu.compat.sacrebleu"),
    "compat.nltk": nltk,
    "compat.evaluate": evaluate,
    "compat.torchmetrics": torchmetrics,
    "compat.nmt": nmt,
    "compat.fast_bleu": fast_bleu,
}

#: The sizes of peers that need quadratic time, or read memory that is not theirs where a text is short.
LARGEST = {"compat.fast_bleu": 1_000}
SHORTEST = {"compat.fast_bleu": 5}


def two(sides: tuple[Any, Any], call: Callable[[Any], object]) -> tuple[Call, Call]:
    """Return two calls of one function, with our arguments and with the peer's."""
    ours, theirs = sides
    return lambda: call(ours), lambda: call(theirs)


def each(c: Corpus, call: Callable[[Any, str, list[str]], object]) -> Callable[[Any], object]:
    """A call for each segment of text."""
    return lambda module: [call(module, h, r) for h, r in zip(c.hypotheses, c.lists, strict=True)]


def each_tokens(
    c: Corpus, call: Callable[[Any, list[list[str]], list[str]], object]
) -> Callable[[Any], object]:
    """A call for each segment of tokens."""
    return lambda module: [call(module, r, h) for h, r in zip(c.tokens, c.token_lists, strict=True)]


def times(ours: Call, theirs: Call) -> tuple[float, float]:
    """The shortest time of each, in turns. A corpus without a token, which some peers refuse, is timed to the error."""

    def until(call: Call) -> Call:
        return lambda: nmt_oracle.outcome(call)

    ours, theirs = until(ours), until(theirs)
    best = [clock(ours), clock(theirs)]
    start, rounds = time.perf_counter(), 0
    while rounds < FEWEST_ROUNDS or time.perf_counter() - start < SPENT:
        rounds += 1
        best[1] = min(best[1], clock(theirs))
        # Twice, so that it does not start with what the peer has left in the processor's caches.
        best[0] = min(best[0], clock(ours), clock(ours))
    return best[0], best[1]


@pytest.mark.parametrize("peer", CALLS)
def test_call_sizes(table: Table, peer: str) -> None:
    sizes = [
        (segments, tokens, references)
        for segments in SEGMENTS
        for tokens in TOKENS
        for references in REFERENCES
        if segments * max(1, tokens) * (1 + references) <= MOST_TOKENS
        and segments <= LARGEST.get(peer, segments)
        and tokens >= SHORTEST.get(peer, 0)
    ]
    corpora = {size: corpus(*size) for size in sizes}
    for name, sides in CALLS[peer]():
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of orders without a match
            for size in sizes:
                ours, theirs = times(*sides(corpora[size]))
                found.append((theirs / ours, size, ours, theirs))
        found.sort()
        ratio, (segments, tokens, references), ours, theirs = found[0]
        table.add(
            f"{peer}: {name}, least of {len(sizes)} sizes",
            f"{seconds(theirs)} to {seconds(ours)}; segments: {segments}, tokens: {tokens}, references: {references}",
            ratio,
            LEAST,
            1,
            show="{:.2f}x".format,
        )
