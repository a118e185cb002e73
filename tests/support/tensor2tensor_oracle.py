"""tensor2tensor's BLEU and its tokens, written once more, slowly.

Compared with bleu_hook.py of tensor2tensor (bafdc1b) and bleu.py of flax' example wmt (18f8f31) themselves: tokens on
more than 100,000 random texts, scores on as many random corpora, with every option.
"""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections.abc import Hashable, Sequence
from functools import cache

import numpy as np

from tests.support import oracle

Tokens = Sequence[Hashable]


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    """mteval-v14's three rules for words."""
    categories = {chr(code): unicodedata.category(chr(code)) for code in range(sys.maxunicode)}
    marks = "".join(re.escape(char) for char, name in categories.items() if name[0] == "P" and char != "\\")
    symbols = "".join(re.escape(char) for char, name in categories.items() if name[0] == "S")
    return [
        (re.compile(f"([^\\d])([{marks}])"), r"\1 \2 "),
        (re.compile(f"([{marks}])([^\\d])"), r" \1 \2"),
        (re.compile(f"([{symbols}])"), r" \1 "),
    ]


def tokenize(text: str) -> list[str]:
    for pattern, replacement in _rules():
        text = pattern.sub(replacement, text)
    return text.split()


def row(references: Sequence[Tokens], translations: Sequence[Tokens], orders: int) -> list[int]:
    """Both lengths, matches and candidates by order."""
    pairs = zip(references, translations, strict=False)
    rows = [oracle.statistics(translation, [reference], orders) for reference, translation in pairs]
    counted = oracle.add_up([[0] * (2 + 2 * orders), *rows])
    return [sum(map(len, translations)), sum(map(len, references)), *counted[2:]]


def formula(row: Sequence[int], use_bp: bool = True) -> float:
    """The score of a row, 0..1."""
    orders = len(row) // 2 - 1
    matches, candidates = row[2 : 2 + orders], row[2 + orders :]
    logarithms, unmatched = [], 0
    for matched, possible in zip(matches, candidates, strict=True):
        if possible and not matched:
            unmatched += 1
        if possible:
            precision = matched / possible if matched else 1.0 / (2.0**unmatched * possible)
            logarithms.append(math.log(precision))
    if not logarithms:
        return 0.0
    mean = math.exp(sum(logarithms) / orders)
    if not use_bp or not row[1] or row[0] >= row[1]:
        return mean
    return mean * math.exp(1 - 1.0 / (row[0] / row[1])) if row[0] else 0.0


def compute_bleu(
    references: Sequence[Tokens], translations: Sequence[Tokens], orders: int = 4, use_bp: bool = True
) -> np.float32:
    number = min(len(references), len(translations))
    return np.float32(formula(row(references[:number], translations[:number], orders), use_bp))
