"""A slow, simple BLEU, with which every compiled part of fastbleu is compared.

Nothing is shared with the package. Tokens are lists of Python strings, n-grams are tuples in a `Counter`,
and the formulas are written as Papineni et al. (2002, "BLEU: a Method for Automatic Evaluation of Machine Translation")
and Chen and Cherry (2014, for the smoothing) print them. The tokenizers are the published definitions: the four
regular expressions of NIST's mteval-v13a.pl, the three of mteval-v14.pl ("international"), and the code ranges of
the Chinese one.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

try:
    import regex
except ImportError:  # Only the international tokenizer needs Unicode categories.
    regex = None

Tokens = Sequence[Hashable]

# --- Tokenizers ---------------------------------------------------------------------------------------------------

# mteval-v13a.pl, "language-dependent part (assuming Western languages)": four substitutions, one after another.
V13A_RULES = (
    # Every ASCII punctuation mark but ' , - . and the space itself.
    (re.compile(r"([ -&(-+/:-@\[-`{-~])"), r" \1 "),
    # A period or comma that no digit precedes.
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    # A period or comma that no digit follows.
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    # A dash after a digit.
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)

V13A_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# The characters that the Chinese tokenizer separates, both ends included. Two ranges were meant as U+20000..U+2A6D6 and
# U+2F800..U+2FA1D but were written with four hexadecimal digits too few, so that they compare as two characters:
# the ranges that scores were published with are the ones below.
ZH_RANGES = (
    (0x2001, 0x2A6D), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3000, 0x303F), (0x3100, 0x312F),
    (0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF),
)  # fmt: skip
ZH_APART = frozenset(chr(code) for first, last in ZH_RANGES for code in range(first, last + 1))


def _apply_rules(text: str, rules: Sequence[tuple[Any, str]]) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def separate_13a(text: str) -> str:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in V13A_ENTITIES:
        text = text.replace(entity, character)
    return _apply_rules(f" {text} ", V13A_RULES)


def tokenize_zh(text: str) -> list[str]:
    apart = "".join(f" {character} " if character in ZH_APART else character for character in text.strip())
    return _apply_rules(apart, V13A_RULES).split()


def tokenize_intl(text: str) -> list[str]:
    if regex is None:
        raise ModuleNotFoundError("the international tokenizer needs the regex package")
    rules = (
        (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
        (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
        (regex.compile(r"(\p{S})"), r" \1 "),
    )
    return _apply_rules(text, rules).split()


TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "none": str.split,
    "13a": lambda text: separate_13a(text).split(),
    "zh": tokenize_zh,
    "char": lambda text: [character for character in text if not character.isspace()],
    "intl": tokenize_intl,
}
AVAILABLE = tuple(name for name in TOKENIZERS if name != "intl" or regex is not None)


def tokenize(text: str, name: str = "13a", lowercase: bool = False) -> list[str]:
    """Return the tokens of a segment: lowercase it if asked, strip it on the right, tokenize, split at white space."""
    if lowercase:
        text = text.lower()
    return TOKENIZERS[name](text.rstrip())


def ngrams(tokens: Tokens, order: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def reference_length(rule: str, length: int, lengths: Sequence[int]) -> int:
    """Return the reference length for a hypothesis of `length` tokens."""
    if rule == "shortest":
        return min(lengths)
    if rule == "closest-first":
        return min(lengths, key=lambda n: abs(n - length))
    return min(lengths, key=lambda n: (abs(n - length), n))


def clipped(references: Sequence[Tokens], max_ngram_order: int) -> list[Counter[tuple[Hashable, ...]]]:
    """Return the largest count of each n-gram in any reference, for each order."""
    most: list[Counter[tuple[Hashable, ...]]] = [Counter() for _ in range(max_ngram_order)]
    for reference in references:
        for order in range(1, max_ngram_order + 1):
            most[order - 1] |= ngrams(reference, order)
    return most


def statistics(
    hypothesis: Tokens, references: Sequence[Tokens], max_ngram_order: int = 4, rule: str = "closest"
) -> list[int]:
    """Return one row: sys_len, ref_len, correct_1..N, total_1..N, with clipped counts."""
    counts = [ngrams(hypothesis, order) for order in range(1, max_ngram_order + 1)]
    correct = [
        (ours & most).total() for ours, most in zip(counts, clipped(references, max_ngram_order), strict=True)
    ]
    length = reference_length(rule, len(hypothesis), [len(reference) for reference in references])
    return [len(hypothesis), length, *correct, *(ours.total() for ours in counts)]


def nltk_statistics(hypothesis: Tokens, references: Sequence[Tokens], max_ngram_order: int) -> list[int]:
    """Return a row as NLTK counts it: it divides by at least one n-gram of each order."""
    row = statistics(hypothesis, references, max_ngram_order)
    return [*row[: 2 + max_ngram_order], *(max(1, total) for total in row[2 + max_ngram_order :])]


def corpus_statistics(
    hypotheses: Sequence[Any],
    streams: Sequence[Sequence[Any]],
    *,
    tokenize: str | None = "13a",
    lowercase: bool = False,
    max_ngram_order: int = 4,
) -> list[list[int]]:
    """Return one row per segment. `streams` is `references[stream][segment]`; `None` is a missing reference.

    With `tokenize=None` the segments are taken as sequences of tokens.
    """
    split = (
        (lambda segment: segment)
        if tokenize is None
        else partial(_tokenize, name=tokenize, lowercase=lowercase)
    )
    return [
        statistics(
            split(hypothesis),
            [split(stream[i]) for stream in streams if stream[i] is not None],
            max_ngram_order,
        )
        for i, hypothesis in enumerate(hypotheses)
    ]


_tokenize = tokenize  # `corpus_statistics` has an option of the same name.


def add_up(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def cut(row: Sequence[int], max_ngram_order: int) -> list[int]:
    """Return the row of a smaller order, from one of a larger order."""
    largest = (len(row) - 2) // 2
    return [*row[: 2 + max_ngram_order], *row[2 + largest : 2 + largest + max_ngram_order]]


class Score(NamedTuple):
    score: float
    counts: list[float]
    totals: list[float]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int


SMOOTHING_VALUES: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}


def score(
    row: Sequence[int],
    *,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
) -> Score:
    """Return the score of one row of statistics, 0..100.

    The logarithm of a precision of 0 is taken as -9999999999, so that such a score is 0.0 (or next to it when the
    brevity penalty and the order say so) and no exception.
    """
    sys_len, ref_len, *rest = row
    max_ngram_order = len(rest) // 2
    counts: list[float] = list(rest[:max_ngram_order])
    totals: list[float] = list(rest[max_ngram_order:])
    value = SMOOTHING_VALUES[smooth_method] if smooth_value is None else smooth_value

    if sys_len >= ref_len:
        bp = 1.0
    elif sys_len == 0:
        bp = 0.0
    else:
        bp = math.exp(1 - ref_len / sys_len)

    precisions = [0.0] * max_ngram_order
    if not any(counts):
        return Score(0.0, counts, totals, precisions, bp, sys_len, ref_len)

    used_orders = max_ngram_order
    zero_orders = 0
    for n in range(max_ngram_order):
        if smooth_method == "add-k" and n > 0:
            assert value is not None
            counts[n] += value
            totals[n] += value
        if totals[n] == 0:
            break
        if effective_order:
            used_orders = n + 1
        if counts[n] > 0:
            precisions[n] = 100.0 * counts[n] / totals[n]
        elif smooth_method == "exp":
            zero_orders += 1
            precisions[n] = 100.0 / (2.0**zero_orders * totals[n])
        elif smooth_method == "floor":
            assert value is not None
            precisions[n] = 100.0 * value / totals[n]

    logarithms = [math.log(p) if p > 0 else -9999999999 for p in precisions[:used_orders]]
    return Score(
        bp * math.exp(sum(logarithms) / used_orders), counts, totals, precisions, bp, sys_len, ref_len
    )


def fields(score: Any) -> tuple[Any, ...]:
    """Return the fields of a score, of any implementation, that must be equal to the last bit."""
    lists = (list(score.counts), list(score.totals), list(score.precisions))
    return (score.score, *lists, score.bp, score.sys_len, score.ref_len)


def corpus_score(hypotheses: Sequence[Any], streams: Sequence[Sequence[Any]], **options: Any) -> Score:
    """Return `BLEU(**options).corpus_score(hypotheses, streams)`, computed slowly."""
    formula = {
        name: options.pop(name)
        for name in ("smooth_method", "smooth_value", "effective_order")
        if name in options
    }
    return score(add_up(corpus_statistics(hypotheses, streams, **options)), **formula)
