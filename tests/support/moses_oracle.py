"""Moses' scripts written once more, slowly: regular expressions one after another, n-grams counted in Python.

`fastbleu.compat.moses` was compared with the scripts at commit 3445289 of https://github.com/moses-smt/mosesdecoder,
under Perl 5.36, and this with `fastbleu.compat.moses` in the tests. Of the scripts were compared each row of counts of
1.2 million random lines by multi-bleu.perl and multi-bleu-detok.perl, and the scores of 25,000 random segments by
mteval-v13a.pl and mteval-v14.pl to 15 digits, over all options here.
"""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from tests.support import oracle

Words = Sequence[Any]


def matches(hypothesis: Words, references: Sequence[Words], n: int) -> int:
    return (oracle.ngrams(hypothesis, n) & oracle.clipped(references, n)[-1]).total()


# --- multi-bleu.perl and multi-bleu-detok.perl --------------------------------------------------------------------


def closest(hypothesis: int, references: Sequence[int]) -> int:
    difference = length = 9999
    for reference in references:
        if abs(hypothesis - reference) < difference:
            difference, length = abs(hypothesis - reference), reference
        elif abs(hypothesis - reference) == difference:
            length = min(length, reference)
    return length


def row(hypotheses: Sequence[Words], streams: Sequence[Sequence[Words]]) -> list[int]:
    """10 counts over all hypotheses; a segment has those references whose streams are long enough."""
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


# --- mteval's tokenizations ---------------------------------------------------------------------------------------


def tokenize_13a(text: str, lowercase: bool = False) -> str:
    for old, new in (("<skipped>", ""), ("-\n", ""), ("\n", " ")):
        text = text.replace(old, new)
    for old, new in oracle.V13A_ENTITIES:
        text = text.replace(old, new)
    text = f" {text} "
    if lowercase:
        text = re.sub("[A-Z]", lambda found: found[0].lower(), text)
    for pattern, replacement in oracle.V13A_RULES:
        text = pattern.sub(replacement, text)
    return text


@cache
def category(letter: str) -> str:
    """The characters of a category, for a class of a regular expression."""
    found = (chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i))[0] == letter)
    return "".join(map(re.escape, found))


def tokenize_intl(text: str, lowercase: bool, split_non_ascii: bool, version: str) -> str:
    number, punctuation, symbol, space = map(category, "NPSZ")
    text = text.replace("<skipped>", "")
    if version == "13a":
        text = text.replace("-\u2028", "")
    text = text.replace("\u2028", " ")
    for name, new in (("quot", '"'), ("amp", "&"), ("lt", "<"), ("gt", ">"), ("apos", "'")):
        text = text.replace(f"&{name};", new)
    if lowercase:
        text = lower(text)
    if split_non_ascii:
        text = re.sub("([^\x00-\x7f])", r" \1 ", text)
    text = re.sub(f"([^{number}])([{punctuation}])", r"\1 \2 ", text)
    text = re.sub(f"([{punctuation}])([^{number}])", r" \1 \2", text)
    text = re.sub(f"([{symbol}])", r" \1 ", text)
    return re.sub(f"[{space}]+", " ", text).strip(" ")


def mteval_words(
    text: str,
    version: str = "14",
    preserve_case: bool = False,
    international_tokenization: bool = False,
    split_non_ascii: bool = False,
) -> list[str]:
    if not international_tokenization:
        return perl_split(tokenize_13a(text, not preserve_case))
    words = re.split(r"[^\S\x1c-\x1f]+", tokenize_intl(text, not preserve_case, split_non_ascii, version))
    # Perl keeps an empty field at the start, and removes those at the end.
    while words and not words[-1]:
        words.pop()
    return words


# --- mteval's scores ----------------------------------------------------------------------------------------------

ORDERS = range(1, 10)


def mteval_row(hypothesis: Words, references: Sequence[Words], rule: str) -> list[int]:
    """20 counts of a segment."""
    row = oracle.statistics(
        hypothesis, references, ORDERS[-1], "shortest" if rule == "shortest" else "closest"
    )
    if hypothesis and not hypothesis[0] and any(reference and not reference[0] for reference in references):
        row[2] -= 1  # the empty word has no order there
    return row


def mteval_bleu(counts: Sequence[int], smoothing: bool) -> tuple[list[float], list[float]]:
    """The individual and the cumulative scores."""
    words, length = counts[:2]
    individual, cumulative, total, smooth = [], [], 0.0, 1
    for n, (found, all_) in enumerate(zip(counts[2:11], counts[11:], strict=True), 1):
        if not smoothing and not found:
            individual.append(0.0)
            cumulative.append(0.0)
            continue
        if all_ == 0:
            value = 0.0
        elif found == 0:
            smooth *= 2
            value = math.log(1 / (smooth * all_))
        else:
            value = math.log(found / all_)
        total += value
        individual.append(math.exp(value))
        short = min(0, 1 - length / words) if words else 0
        if smoothing:
            cumulative.append(math.exp(total / n) * (math.exp(short) if words else 0))
        else:
            cumulative.append(math.exp(total / n + short))
    return individual, cumulative


def information(references: Sequence[Words]) -> Callable[[tuple[Any, ...]], float]:
    counts: Counter[tuple[Any, ...]] = Counter()
    for words in references:
        for n in ORDERS:
            counts += oracle.ngrams(words, n)
    total = sum(map(len, references))

    def value(ngram: tuple[Any, ...]) -> float:
        context = " ".join(ngram[:-1])
        return -math.log2(counts[ngram] / (total if context in ("", "0") else counts[ngram[:-1]]))

    return value


def mteval_nist(
    segments: Sequence[tuple[Words, Sequence[Words]]], value: Callable[[tuple[Any, ...]], float]
) -> list[float]:
    """The cumulative scores of these segments together."""
    gained, totals = [0.0] * 9, [0] * 9
    for hypothesis, references in segments:
        for n in ORDERS:
            most = oracle.clipped(references, n)[-1]
            for ngram, times in (oracle.ngrams(hypothesis, n) & most).items():
                gained[n - 1] += value(ngram) * times if ngram != ("",) else 0
            totals[n - 1] += max(0, len(hypothesis) - n + 1)
    mean = sum(len(each) for _, references in segments for each in references) / len(segments[0][1])
    ratio = totals[0] / mean
    penalty = 0.0 if ratio <= 0 else 1.0
    if 0 < ratio < 1:
        penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(ratio) ** 2)
    sums = [math.fsum(g / max(t, 1) for g, t in zip(gained[:n], totals[:n], strict=True)) for n in ORDERS]
    return [each * penalty for each in sums]
