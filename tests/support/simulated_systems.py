"""Statistics of systems whose true quality is known, and texts of others, for tests of tests of significance."""

import random
from typing import Any

import numpy as np

_LONGEST = 45

Systems = list[tuple[str, list[str]]]


def statistics_rows(
    generator: np.random.Generator, segments: int, systems: int = 2, better: float = 0.0, order: int = 4
) -> Any:
    """Rows of some systems' translations of the same segments, int64 [systems, segments, 2 + 2N].

    A segment has a length and a difficulty. Each token of a translation matches with a probability that depends on the
    difficulty alone, so that the systems are equally good; but that of the last system is larger by `better`. An n-gram
    matches if its tokens do.
    """
    ref_len = generator.integers(4, _LONGEST - 4, segments)
    difficulty = generator.beta(6, 4, segments)
    rows = []
    for system in range(systems):
        sys_len = np.clip(ref_len + generator.integers(-2, 3, segments), 1, _LONGEST)
        chance = difficulty + better * (system == systems - 1)
        there = np.arange(_LONGEST) < sys_len[:, np.newaxis]
        matched = (generator.random((segments, _LONGEST)) < chance[:, np.newaxis]) & there
        correct = []
        ngrams = matched
        for n in range(order):
            correct.append(ngrams.sum(axis=1))
            ngrams = ngrams[:, 1:] & matched[:, : _LONGEST - n - 1]
        total = [np.maximum(sys_len - n, 0) for n in range(order)]
        rows.append(np.column_stack([sys_len, ref_len, *correct, *total]))
    return np.stack(rows)


def random_systems(generator: random.Random, segments: int) -> tuple[Systems, list[list[str]]]:
    """Texts of systems of unlike quality, of which two are equal, and references; some are short or empty."""
    words = [*"abcdefgh", "The", "cat", ",", "sat."]
    longest = generator.choice([3, 8, 25])

    def sentence() -> list[str]:
        return generator.choices(words, k=generator.randint(0, longest))

    def changed(sentence: list[str], kept: float) -> list[str]:
        text = [word if generator.random() < kept else generator.choice(words) for word in sentence]
        return text[: generator.randint(len(text) // 2, len(text) + 5)]

    first = [sentence() for _ in range(segments)]
    kept = generator.random()
    systems: Systems = []
    for name in ("system_a", "system_b", "system_c", "system_d"):
        kept = min(1.0, max(0.1, kept + generator.uniform(-0.2, 0.2)))
        systems.append((name, [" ".join(changed(each, kept)) for each in first]))
    systems.append(("again", systems[0][1]))
    references = [[" ".join(each) for each in first]]
    if generator.random() < 0.5:
        references.append([" ".join(changed(each, 0.7)) for each in first])
    return systems, references
