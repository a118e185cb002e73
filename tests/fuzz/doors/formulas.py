"""The parts of other packages' BLEU: their formulas, tokens, hashes of ids and lines of lists, in plain Python."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np

from fastbleu import BLEU, rerank
from fastbleu.compat.bestbleu._lists import parse_lines
from fastbleu.compat.bestbleu.lists import joined_pieces
from fastbleu.compat.fairseq._ngram_matches import count_matches
from fastbleu.compat.tensor2tensor.bleu_hook import bleu_tokenize
from fastbleu.inputs._lines import split_lines
from fastbleu.options import NLTK_SMOOTHINGS
from fastbleu.scoring.nmt import sentence_scores
from fastbleu.scoring.pycocoevalcap import scores_of
from fastbleu.scoring.smooth_bleu import sum_scores
from tests.support import bestbleu, fairseq_oracle, nltk_oracle, pycocoevalcap_oracle, tensor2tensor_oracle
from tests.support.fuzzed_data import FuzzedData

_PIECES = (
    b"0", b"1", b"42", b" ||| ", b" |||", b"||| ", b"|||", b" || ", b"a b", b"@@ ", b"@@", b"@", b" ", b"  ",
    b"\n", b"\r\n", b"\r", b"\t", b"\xc2\x85", b"\xe3\x80\x80", b"\xff", b"\xc3", b"\0", b"-1", b"1_0",
    b"\x1c", b"123456789012345678", b"1234567890123456789", b"\xd9\xa1", b"@@  x",
)  # fmt: skip
#: Of a prediction or a reference: the oracle hashes in Python.
_MOST_IDS = 30


def check(data: bytes) -> None:
    """Tries one of them."""
    fuzzed = FuzzedData(data)
    checks = (
        _check_lines,
        _check_ids,
        _check_captions,
        _check_best,
        _check_smooth,
        _check_words,
        _check_nltk,
    )
    fuzzed.choice(checks)(fuzzed)


def _check_lines(fuzzed: FuzzedData) -> None:
    """Lines of an n-best list, and byte-pair encoding undone."""
    content = b"".join(
        fuzzed.raw(6) if byte > 240 else _PIECES[byte % len(_PIECES)] for byte in fuzzed.raw_of(60)
    )
    content += fuzzed.rest()
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    column, size = split_lines(content, True)
    assert size == len(content)
    numbers, texts, good = parse_lines(column)
    parsed: list[tuple[int, str]] = []
    for line in lines:
        try:
            fields = line.decode().rstrip().split(" ||| ")
        except UnicodeDecodeError:
            break
        if len(fields) == 1 or not re.fullmatch("[0-9]{1,18}", fields[0]):
            break
        parsed.append((int(fields[0]), fields[1]))
    assert list(zip(numbers[:good], list(texts)[:good], strict=True)) == parsed
    fine = texts.slice(0, good)
    assert list(joined_pieces(fine)) == [bestbleu.undo(text) for _, text in parsed]


def _check_ids(fuzzed: FuzzedData) -> None:
    """Matches of n-grams whose hashes are the same."""
    order = fuzzed.integer(1, 6)

    def ids() -> list[int]:
        near = fuzzed.tokens(_MOST_IDS)[:_MOST_IDS]
        return [fuzzed.number() if byte > 200 else 126 + byte % 4 for byte in near] if fuzzed.flag() else near

    ours, others = ids(), ids()
    fit = all(-(1 << 31) <= each < 1 << 31 for each in (*ours, *others))
    try:
        found = count_matches(ours, others, order)
    except OverflowError:
        assert not fit
        return
    assert fit
    assert found == [
        sum(
            (
                Counter(fairseq_oracle.fnv(ours[i : i + n]) for i in range(len(ours) - n + 1))
                & Counter(fairseq_oracle.fnv(others[i : i + n]) for i in range(len(others) - n + 1))
            ).values()
        )
        for n in range(1, order + 1)
    ]


def _rows(fuzzed: FuzzedData, order: int) -> list[list[int]]:
    """Rows as counting might give them; none has an empty reference."""
    found = []
    for _ in range(fuzzed.integer(0, 5)):
        length = fuzzed.integer(0, fuzzed.choice((5, 40, 300, 1 << 40)))
        totals = [max(0, length - n) for n in range(order)]
        correct = [fuzzed.integer(0, total) for total in totals]
        found.append([length, max(1, length + fuzzed.byte() % 9 - 4), *correct, *totals])
    return found


def _array(rows: list[list[int]], order: int) -> Any:
    return np.array(rows, dtype=np.int64).reshape(-1, 2 + 2 * order)


def _check_captions(fuzzed: FuzzedData) -> None:
    """pycocoevalcap's scores of each order."""
    order = fuzzed.integer(1, 6)
    wanted, rows = fuzzed.integer(0, order), _rows(fuzzed, order)
    lengths = [fuzzed.byte() / 2 for _ in rows] if fuzzed.flag() else None
    found = scores_of(_array(rows, order), wanted, lengths)
    expected = [
        pycocoevalcap_oracle.formula(
            row[0], row[1] if lengths is None else lengths[i], row[2 : 2 + order], row[2 + order :], wanted
        )[0]
        for i, row in enumerate(rows)
    ]
    assert found == [[scores[n] for scores in expected] for n in range(wanted)]


def _check_best(fuzzed: FuzzedData) -> None:
    """bestbleu.py's score of each sentence."""
    order, has_penalty = fuzzed.integer(1, 6), fuzzed.flag()
    rows = _rows(fuzzed, order)
    found = sentence_scores(_array(rows, order), has_penalty)
    assert found.tolist() == [bestbleu.formula(row, has_penalty) for row in rows]


def _check_smooth(fuzzed: FuzzedData) -> None:
    """CodeBERT's sums of scores and precisions."""
    order, smooth = fuzzed.integer(1, 6), fuzzed.flag()
    rows = _rows(fuzzed, order)
    lengths = [fuzzed.byte() / 2 for _ in rows] if fuzzed.flag() else None
    wanted = [0.0] * (order + 1)
    tiny = sys.float_info.min
    for i, row in enumerate(rows):
        correct, totals = row[2 : 2 + order], row[2 + order :]
        ref_len = row[1] if lengths is None else lengths[i]
        mean = 0.0
        for n in range(order):
            added = int(smooth and n > 0)
            mean += math.log(correct[n] + added + tiny) - math.log(totals[n] + added + tiny)
        mean /= order
        wanted[0] += math.exp(mean + min(0, 1 - (ref_len + 1) / (row[0] + 1)))
        for n in range(order):
            wanted[1 + n] += math.exp(
                math.log(correct[n] + tiny) - math.log(totals[n] + tiny) if totals[n] else -1e7
            )
    assert not rows or sum_scores(_array(rows, order), lengths, smooth) == wanted


def _check_words(fuzzed: FuzzedData) -> None:
    """tensor2tensor's tokens."""
    text = fuzzed.text()
    assert bleu_tokenize(text) == tensor2tensor_oracle.tokenize(text)


def _check_nltk(fuzzed: FuzzedData) -> None:
    """NLTK's scores of the pairs of a pool, with equal weights and with others."""
    method, order = fuzzed.integer(0, 7), fuzzed.integer(1, 6)
    weights = [fuzzed.choice((1.0, 0.5, 0.25, 0.0)) for _ in range(order)]
    # Weights that are all 0 are refused.
    weights[0] = weights[0] or 0.25
    pool = [fuzzed.tokens(10) for _ in range(fuzzed.integer(1, 4))]
    metric = BLEU(tokenize="none", max_ngram_order=order, effective_order=True, weights=weights)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # method0 warns of orders without a match
            found = rerank.pairwise(
                pool, formula="nltk", smoothing=NLTK_SMOOTHINGS[method], metric=metric
            ).tolist()
    except ValueError:
        # It asks for a trigram, as NLTK does.
        assert method == 6
        return
    for ours, scores in zip(pool, found, strict=True):
        for other, score in zip(pool, scores, strict=True):
            wanted = nltk_oracle.corpus_bleu([[other]], [ours], weights, method)
            assert math.isclose(score, wanted, rel_tol=1e-12), (ours, other)
