"""A slow, simple implementation of the BLEU of tensorflow/nmt and of nlg-metricverse.

Floats are computed by the operations of the published code, in the same order. Divisions by 0 are also the same.
"""

import math
import re
import string
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tests.support import oracle

Tokens = Sequence[Hashable]
Result = tuple[float, list[float], float, float, int, int]

KEYS = ("bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length")


def counts(
    references: Sequence[Sequence[Tokens]], translations: Sequence[Tokens], max_order: int
) -> list[int]:
    """Return the row of a corpus: both lengths, the matches of each order, the candidates of each order."""
    rows = [
        oracle.statistics(translation, texts, max_order, "shortest")
        for texts, translation in zip(references, translations, strict=True)
    ]
    return oracle.add_up([[0] * (2 + 2 * max_order), *rows])


def formula(row: Sequence[int], smooth: bool) -> Result:
    translation_length, reference_length, *rest = row
    max_order = len(rest) // 2
    precisions = []
    for matches, candidates in zip(rest[:max_order], rest[max_order:], strict=True):
        if smooth:
            precisions.append((matches + 1.0) / (candidates + 1.0))
        else:
            precisions.append(float(matches) / candidates if candidates > 0 else 0.0)
    mean: float = 0
    if all(precision > 0 for precision in precisions):
        mean = math.exp(sum([(1.0 / max_order) * math.log(precision) for precision in precisions]))
    ratio = float(translation_length) / reference_length
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return mean * penalty, precisions, penalty, ratio, translation_length, reference_length


def compute_bleu(
    references: Sequence[Sequence[Tokens]],
    translations: Sequence[Tokens],
    max_order: int = 4,
    smooth: bool = False,
) -> Result:
    return formula(counts(references, translations, max_order), smooth)


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, or a mark if it divides by 0."""
    try:
        return function(*arguments, **options)
    except ZeroDivisionError:
        return ZeroDivisionError


def named(result: Result, *keys: str) -> dict[str, Any]:
    """Return a result as a dictionary, with the names of Hugging Face's module or others."""
    return dict(zip(keys or KEYS, result, strict=True))


def words(text: str) -> list[str]:
    """Return the tokens of a text, lowercased and without punctuation."""
    spaced = re.sub(f"[{re.escape(string.punctuation)}]", " ", text)
    return " ".join(spaced.split()).lower().split()


def of_items(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Return the score of items, each with its predictions and references."""
    keys = ("score", *KEYS[1:])
    texts = [[words(text) for text in item] for item in references]
    candidates = [[words(text) for text in item] for item in predictions]
    if all(len(item) == 1 for item in candidates):
        return named(compute_bleu(texts, [item[0] for item in candidates], max_order, smooth), *keys)
    flat = [(candidate, refs) for item, refs in zip(candidates, texts, strict=True) for candidate in item]
    result = compute_bleu([refs for _, refs in flat], [candidate for candidate, _ in flat], max_order, smooth)
    score, precisions, penalty, ratio = result[:4]
    longest = sum(max(map(len, item)) for item in candidates)
    shortest = sum(min(map(len, item)) for item in texts)
    adjusted_ratio = longest / shortest
    adjusted_penalty = 1.0
    if ratio <= 1.0:
        adjusted_penalty = math.exp(1 - 1.0 / adjusted_ratio)
        score = score * (adjusted_penalty / penalty)
    return named((score, precisions, adjusted_penalty, adjusted_ratio, longest, shortest), *keys)
