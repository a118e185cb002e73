"""A slow, simple implementation of Moses' scripts, by regular expressions and Counters.

`fastbleu.compat.moses` was compared with the scripts at commit 3445289 of https://github.com/moses-smt/mosesdecoder,
under Perl 5.36, over the counts of 1.2 million random lines. The tests compare it with this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from tests.support import oracle

Words = Sequence[Any]


def matches(hypothesis: Words, references: Sequence[Words], n: int) -> int:
    return (oracle.ngrams(hypothesis, n) & oracle.clipped(references, n)[-1]).total()


def closest(hypothesis: int, references: Sequence[int]) -> int:
    difference = length = 9999
    for reference in references:
        if abs(hypothesis - reference) < difference:
            difference, length = abs(hypothesis - reference), reference
        elif abs(hypothesis - reference) == difference:
            length = min(length, reference)
    return length


def row(hypotheses: Sequence[Words], streams: Sequence[Sequence[Words]]) -> list[int]:
    """Return 10 counts over all hypotheses; a segment lacks the references of streams that are too short."""
    sums = [0] * 10
    for hypothesis, *references in list(zip_longest(hypotheses, *streams))[: len(hypotheses)]:
        present = [reference for reference in references if reference is not None]
        sums[0] += len(hypothesis)
        sums[1] += closest(len(hypothesis), list(map(len, present)))
        for n in range(1, 5):
            sums[1 + n] += matches(hypothesis, present, n)
            sums[5 + n] += max(0, len(hypothesis) - n + 1)
    return sums


def line(counts: Sequence[int]) -> str:
    """Return the scripts' output for the counts."""
    hyp_len, ref_len = counts[:2]
    if not ref_len:
        return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
    shares = [counts[1 + n] / counts[5 + n] if counts[5 + n] else 0 for n in range(1, 5)]
    penalty = math.exp(1 - ref_len / hyp_len) if hyp_len < ref_len else 1
    logs = [math.log(share) if share else -9999999999 for share in shares]
    score = penalty * math.exp((logs[0] + logs[1] + logs[2] + logs[3]) / 4)
    precisions = "/".join(f"{100 * share:.1f}" for share in shares)
    ratio = hyp_len / ref_len
    lengths = f"BP={penalty:.3f}, ratio={ratio:.3f}, hyp_len={hyp_len}, ref_len={ref_len}"
    return f"BLEU = {100 * score:.2f}, {precisions} ({lengths})"


def words_of_bytes(data: bytes, lowercase: bool) -> list[bytes]:
    return (data.lower() if lowercase else data).split()


def lower(text: str) -> str:
    """Character by character: Perl knows no final sigma."""
    return "".join(character.lower() for character in text)


def perl_split(text: str) -> list[str]:
    """Like str.split, but U+001C to U+001F are not white space."""
    return [word for word in re.split(r"[^\S\x1c-\x1f]+", text) if word]


def detokenized_words(text: str, lowercase: bool, is_reference: bool) -> list[str]:
    if lowercase and not is_reference:
        text = lower(text)
    text = tokenize_13a(text)
    return perl_split(lower(text) if lowercase and is_reference else text)


def tokenize_13a(text: str) -> str:
    for old, new in (("<skipped>", ""), ("-\n", ""), ("\n", " ")):
        text = text.replace(old, new)
    for old, new in oracle.V13A_ENTITIES:
        text = text.replace(old, new)
    text = f" {text} "
    for pattern, replacement in oracle.V13A_RULES:
        text = pattern.sub(replacement, text)
    return text
