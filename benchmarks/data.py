"""The text that the benchmarks score: the WMT 2021 news data, or generated text of its size where that is absent."""

from __future__ import annotations

import itertools
import random
from functools import cache

from tests.support import newstest

SEGMENTS = {"en-de": 1002, "en-zh": 1002, "en-ja": 1000, "en-ru": 1002}
SYSTEMS = 20
SEED = 1

# Lengths in tokens, and how long and of which letters words are, roughly as in the real text.
_WORDS_PER_SEGMENT = (6, 45)
_VOCABULARY = 12_000
_LETTERS = {
    "en-de": "abcdefghijklmnopqrstuvwxyzäöü",
    "en-ru": "абвгдежзийклмнопрстуфхцчшщыьэюя",
    "en-zh": "".join(map(chr, range(0x4E00, 0x5600))),
    "en-ja": "".join(map(chr, itertools.chain(range(0x3042, 0x3094), range(0x4E00, 0x5200)))),
}


def describe() -> str:
    """Name the source of the text, for the head of the table."""
    if newstest.folder() is None:
        return "generated text, because FASTBLEU_DATA does not name a folder that holds newstest2021"
    return "newstest2021"


@cache
def _generated(pair: str) -> tuple[list[list[str]], list[list[str]]]:
    """Three streams of references, and systems that keep four words in five of the first."""
    generator = random.Random(f"{SEED} {pair}")
    letters = _LETTERS[pair]
    spaced = pair in ("en-de", "en-ru")
    longest = 12 if spaced else 3
    words = ["".join(generator.choices(letters, k=generator.randint(1, longest))) for _ in range(_VOCABULARY)]
    words += ["1,000", "2.5", "2021", "U.S.", '"quoted"', "(so)", "ten-fold"] * 20
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))

    def sentence() -> list[str]:
        return generator.choices(words, cum_weights=weights, k=generator.randint(*_WORDS_PER_SEGMENT))

    def changed(sentence: list[str]) -> list[str]:
        other = generator.choices(words, cum_weights=weights, k=len(sentence))
        return [a if generator.random() < 0.8 else b for a, b in zip(sentence, other, strict=True)]

    def written(sentence: list[str]) -> str:
        return f"{' '.join(sentence)}." if spaced else f"{''.join(sentence)}。"

    first = [sentence() for _ in range(SEGMENTS[pair])]
    references = [[written(s) for s in first], *([written(changed(s)) for s in first] for _ in range(2))]
    systems = [[written(changed(s)) for s in first] for _ in range(SYSTEMS)]
    return systems, references


def systems(pair: str) -> list[list[str]]:
    """Outputs of the systems, at most twenty."""
    if newstest.folder() is None:
        return _generated(pair)[0]
    return list(newstest.systems(pair).values())[:SYSTEMS]


def references(pair: str) -> list[list[str]]:
    """Streams of references."""
    if newstest.folder() is None:
        return _generated(pair)[1]
    return list(newstest.references(pair).values())


def system(pair: str) -> list[str]:
    """One system's output, always the same."""
    return systems(pair)[1]


def all_systems(pair: str, streams: int) -> tuple[list[str], list[list[str]]]:
    """Every system in one list of hypotheses, and as many streams of references repeated to match."""
    outputs = systems(pair)
    hypotheses = [line for output in outputs for line in output]
    return hypotheses, [stream * len(outputs) for stream in references(pair)[:streams]]


def tokens(count: int) -> tuple[list[str], list[str]]:
    """Two sides of real words, `count` tokens each: what systems wrote, and what they should have written."""
    hypotheses, streams = all_systems("en-de", 1)

    def words(lines: list[str]) -> list[str]:
        return list(itertools.islice(itertools.cycle(word for line in lines for word in line.split()), count))

    return words(hypotheses), words(streams[0])
