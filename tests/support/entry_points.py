"""Calls of every entry point, by name, for tests that repeat them in threads or let each allocation fail.

The objects that a call needs are made beforehand, so that each repetition does the same.
"""

import pickle
from array import array
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from fastbleu import BLEU, BLEUScore, TokenIds, approximate_randomization, paired_bootstrap
from fastbleu.rerank import Pools, expected, mbr, oracle, pairwise, rank, self_bleu
from fastbleu.rewards import BLEUReward
from fastbleu.scoring.signature import Signature
from tests.support.refusals import refusal

Call = Callable[[], Any]

#: Segments of many shapes: short, empty, beyond one and two words of a position set, by classes, not ASCII, no text.
HYPOTHESES = [
    "The cat sat on the mat.",
    "",
    "It rained all day, 1.5 inches.",
    "Der Überfluß – „größer“ als 100 %, sagt er.",
    "a b a b a b a c",
    "\ud800 x \x00 y \U0001f600",
    " ".join(f"w{k % 23}" for k in range(90)),
    " ".join(f"v{k * k % 37}" for k in range(200)),
    "yes",
]
STREAMS: list[list[str | None]] = [
    [
        "The cat is sitting on the mat.",
        "Nothing.",
        "It rained all day: 1.5 inches.",
        "Der Überfluss ist „größer“ als 100 %, sagt sie.",
        "b a b a c",
        "\ud800 x \x00 z \U0001f600",
        " ".join(f"w{k % 19}" for k in range(80)),
        " ".join(f"v{k * k % 31}" for k in range(190)),
        "no",
    ],
    [
        "On the mat sat the cat!",
        "",
        None,
        "Er sagt: größer als 100 %.",
        "a b",
        None,
        " ".join(f"w{k % 29}" for k in range(100)),
        "short",
        "yes",
    ],
]
REFERENCES = [[stream[i] for stream in STREAMS if stream[i] is not None] for i in range(len(HYPOTHESES))]
POOLS = [HYPOTHESES, HYPOTHESES[::-1] + HYPOTHESES[:3], ["a b c", "a b d", "a c d"], ["one", "one", "two"]]


def plain(value: Any) -> Any:
    """Return a result as built-in values, which `==` compares as a whole."""
    if isinstance(value, BLEUScore):
        fields = (value.score, value.counts, value.totals, value.precisions, value.bp)
        return (*fields, value.sys_len, value.ref_len, str(value.signature))
    if isinstance(value, Signature):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (str, bytes, bytearray, float, int, type, type(None))):
        return value
    return list(value) if hasattr(value, "__len__") else repr(type(value))


def explained(bleu: BLEU, hypothesis: str, references: list[Any]) -> str:
    return str(bleu.explain(hypothesis, references))


def of_text(bleu: BLEU, times: int = 1) -> dict[str, Call]:
    """Return calls of a metric with text; those of a corpus get `times` as many segments."""
    hypotheses, streams = HYPOTHESES * times, [stream * times for stream in STREAMS]
    prepared = bleu.prepare(streams)
    per_segment = bleu.prepare_segments(REFERENCES)
    backwards, numbers = HYPOTHESES[::-1], np.arange(len(HYPOTHESES))[::-1]
    accumulator = bleu.accumulator()
    accumulator.update(HYPOTHESES, STREAMS)
    rows = bleu.statistics(HYPOTHESES, STREAMS)
    calls: dict[str, Call] = {
        "corpus_score": lambda: bleu.corpus_score(hypotheses, streams),
        "corpus_score of one": lambda: bleu.corpus_score(HYPOTHESES[:1], [["a cat sat"]]),
        "corpus_score, prepared": lambda: bleu.corpus_score(hypotheses, prepared),
        "corpus_score, sliced": lambda: bleu.corpus_score(backwards, per_segment[numbers]),
        "sentence_scores": lambda: bleu.sentence_scores(hypotheses, streams),
        "prefix_scores": lambda: bleu.prefix_scores(HYPOTHESES, STREAMS),
        "statistics": lambda: bleu.statistics(hypotheses, streams),
        "statistics, prepared": lambda: bleu.statistics(HYPOTHESES, per_segment),
        "score_statistics": lambda: bleu.score_statistics(rows),
        "jackknife": lambda: bleu.jackknife(rows),
        "prepare": lambda: bleu.corpus_score(HYPOTHESES, bleu.prepare(STREAMS)),
        "prepare_segments": lambda: bleu.corpus_score(HYPOTHESES, bleu.prepare_segments(REFERENCES)),
        "tokenize": lambda: [bleu.tokenize(text) for text in HYPOTHESES],
        "accumulator": accumulator.compute,
        "pickle": lambda: pickle.loads(pickle.dumps(bleu)).corpus_score(HYPOTHESES, STREAMS),
        "signature": lambda: bleu.signature_for(2),
        "bootstrap": lambda: bleu.corpus_score(HYPOTHESES, STREAMS, n_bootstrap=20),
        "rows are kept": lambda: bleu.accumulator(keep_rows=True).update(HYPOTHESES, STREAMS),
    }
    for i, hypothesis in enumerate(HYPOTHESES):
        calls[f"sentence_score {i}"] = partial(bleu.sentence_score, hypothesis, REFERENCES[i])
        calls[f"explain {i}"] = partial(explained, bleu, hypothesis, REFERENCES[i])
    return calls


def of_tokens_and_ids() -> dict[str, Call]:
    """Return calls of a metric with tokens, lists of ids and matrices of ids."""
    bleu = BLEU(tokenize="none", effective_order=True)
    generator = np.random.default_rng(5)
    ids = generator.integers(1, 50, (40, 30))
    references = generator.integers(1, 50, (40, 3, 25))
    samples = generator.integers(1, 50, (40, 4, 20))
    large = ids + (1 << 40)
    tokens, streams = [row.tolist() for row in ids], [[row.tolist() for row in references[:, 0]]]
    words = [[f"w{each}" for each in row] for row in tokens]
    word_streams = [[[f"w{each}" for each in row] for row in stream] for stream in streams]
    prepared_words, prepared_ids = bleu.prepare(word_streams), bleu.prepare(TokenIds(references[:, 0]))
    rule: dict[str, Any] = {"pad_id": [0, 40], "eos_id": [12, 41]}
    return {
        "ids": lambda: bleu.sentence_scores(TokenIds(ids, pad_id=1), TokenIds(references, pad_id=1)),
        "ids, several that end a row": lambda: bleu.statistics(
            TokenIds(ids, **rule), TokenIds(ids[::-1], **rule)
        ),
        "large ids": lambda: bleu.sentence_scores(TokenIds(large), TokenIds(large[::-1].copy())),
        "samples": lambda: bleu.sentence_scores(TokenIds(samples), TokenIds(references[:, 0])),
        "samples, prepared": lambda: bleu.statistics(TokenIds(samples), prepared_ids),
        "prefixes": lambda: bleu.prefix_scores(TokenIds(samples, eos_id=3), TokenIds(references[:, 0])),
        "tokens": lambda: bleu.corpus_score(tokens, streams),
        "words": lambda: bleu.corpus_score(words, word_streams),
        "words, prepared": lambda: bleu.sentence_scores(words, prepared_words),
        "one": lambda: bleu.sentence_score(words[0], [words[1], words[2]]),
        "one prefix": lambda: bleu.sentence_prefix_scores(words[0], [words[1]]),
        "ids that are copied": lambda: bleu.statistics(TokenIds(ids.T, pad_id=1), TokenIds(list(ids.T))),
        "tokens of several types": lambda: bleu.sentence_score(["the", 1], [[2.5, ("a",)], ["the"]]),
    }


def of_arrow() -> dict[str, Call]:
    """Return calls with columns of text, tokens and ids, and with a table. Needs pyarrow."""
    import pyarrow as pa

    from fastbleu import arrow

    text, words = BLEU(), BLEU(tokenize="none")
    texts, lists = (
        pa.array(["The cat sat.", "", "dogs ran far away"]),
        pa.array([["The cat sat on."], ["x", None], ["dogs", "away"]]),
    )
    tokens = pa.array([["The", "cat"], [], ["averyveryverylongtokenindeed", "ran", "far"]])
    ids, id_references = pa.array([[1, 2], [], [3, 4, 5]]), [pa.array([[1, 2, 3], [1], [3, 4]])]
    table = pa.table({"hypothesis": HYPOTHESES[:3], "reference": STREAMS[0][:3]})
    return {
        "text": lambda: text.statistics(texts, lists),
        "tokens": lambda: words.statistics(tokens, [tokens.take([0, 2, 1])]),
        "ids": lambda: words.statistics(ids, id_references),
        "table": lambda: arrow.statistics(table, "hypothesis", ["reference"]).to_pydict(),
    }


def of_pools(bleu: BLEU) -> dict[str, Call]:
    weights = [[1.0 + k % 3 for k in range(len(pool))] for pool in POOLS]
    references = [[STREAMS[0][i], "the cat"] for i in range(len(POOLS))]
    flat = Pools(HYPOTHESES * 10, size=3)
    words = [text.split() for text in HYPOTHESES]
    return {
        "mbr": lambda: list(mbr(POOLS, metric=bleu)),
        "mbr, flat": lambda: list(mbr(flat, metric=bleu)),
        "mbr, aggregate": lambda: list(mbr(POOLS, method="aggregate", metric=bleu)),
        "expected": lambda: expected(POOLS, weights=weights, weights_as="counts", metric=bleu),
        "expected of others": lambda: expected(POOLS, exclude_self=True, metric=bleu),
        "nltk": lambda: expected(POOLS, formula="nltk", smoothing="method3", metric=bleu),
        "nltk in Python": lambda: expected(POOLS, formula="nltk", smoothing="method7", metric=bleu),
        "pairwise": lambda: pairwise(HYPOTHESES, metric=bleu),
        "pairwise with references": lambda: pairwise(HYPOTHESES, HYPOTHESES[::2], metric=bleu),
        "pairwise, nltk": lambda: pairwise(HYPOTHESES, formula="nltk", smoothing="method1", metric=bleu),
        "oracle": lambda: list(oracle(POOLS, references, metric=bleu)),
        "corpus oracle": lambda: list(oracle(POOLS, references, "corpus", metric=bleu)),
        "self_bleu": lambda: [self_bleu(pool, metric=bleu).scores for pool in POOLS],
        "self_bleu of tokens": lambda: (
            self_bleu(words, metric=BLEU(tokenize="none", effective_order=True)).mean
        ),
        "self_bleu, nltk": lambda: self_bleu(HYPOTHESES, "nltk", smoothing="method1").mean,
        "rank": lambda: list(rank(expected(POOLS, metric=bleu))),
    }


def of_refusals() -> dict[str, Call]:
    """Return calls with wrong arguments, each of which returns the error message."""
    text, tokens = BLEU(), BLEU(tokenize="none")
    ids = np.ones((4, 5), dtype=np.int64)
    return {
        "a bad token": partial(refusal, tokens.sentence_score, ["a", []], [["a"]]),
        "bad ids": partial(refusal, tokens.statistics, -ids, ids),
        "a bad hypothesis": partial(refusal, text.statistics, [*HYPOTHESES[1:], 5], STREAMS),
        "a bad reference": partial(refusal, text.statistics, HYPOTHESES, [[*HYPOTHESES[1:], 5]]),
        "no reference": partial(refusal, text.prepare, [[*HYPOTHESES[1:], None]]),
        "unequal lengths": partial(refusal, text.corpus_score, HYPOTHESES, [HYPOTHESES[1:]]),
    }


def of_tests() -> dict[str, Call]:
    """Return calls of significance tests, and others that make new objects."""
    metric = BLEU()
    rows = {
        name: metric.statistics(HYPOTHESES, [[each or "" for each in STREAMS[i]]])
        for i, name in enumerate("ab")
    }
    return {
        "randomization": lambda: (
            approximate_randomization(rows, metric, n_trials=64, seed=1).pair("a", "b").p_value
        ),
        "bootstrap": lambda: paired_bootstrap(rows, metric, n_resamples=16, seed=1).pair("a", "b").p_value,
        "new metric": lambda: BLEU(tokenize="intl", lowercase=True).corpus_score(HYPOTHESES, STREAMS).score,
        "reward": lambda: BLEUReward()(HYPOTHESES[:3], ["a cat", "", "It rained."]),
    }


def compiled() -> dict[str, Call]:
    """Return calls of compiled functions without a Python frame, which Python 3.11 leaks if memory runs out."""
    from fastbleu.counting._counter import NgramCounter
    from fastbleu.inputs._lines import (
        column_of_lines,
        columns_of_fields,
        find_invalid_utf8,
        has_tabs,
        raw,
        split_lines,
    )
    from fastbleu.inputs._text import text_column
    from fastbleu.rerank.nbest._fields import group_by_id, join_lines, parse_fields
    from fastbleu.tokenizers._tokenize import tokenize

    lines = b"0 ||| the cat ||| f=1 ||| -1.5\n0 ||| a cat ||| f=2 ||| x\n1 ||| dogs ||| f=1 ||| -0.5\n" * 9
    column, texts = column_of_lines(lines), text_column(HYPOTHESES)
    references = [text_column([each or "" for each in stream]) for stream in STREAMS]
    text, ids = NgramCounter(0, 4), NgramCounter(-1, 4)
    many = " ".join(f"w{i}" for i in range(300))
    chosen, scores = array("q", [2, 0]), array("d", [0.5, -1.0])
    return {
        "text_column": partial(text_column, HYPOTHESES * 10),
        "tokenize": partial(tokenize, many, 0),
        "count": partial(text.count, texts, references),
        "count_one of text": partial(text.count_one, HYPOTHESES[0], [STREAMS[0][0], None, STREAMS[1][0]]),
        "count_one of tokens": partial(ids.count_one, ["a", "b", "c", 4], [["a", "b"], ["b", "c"]]),
        "split_lines": partial(split_lines, lines, True),
        "column_of_lines": partial(column_of_lines, lines),
        "columns_of_fields": partial(columns_of_fields, b"a\tb\n" * 20, 2),
        "find_invalid_utf8": partial(find_invalid_utf8, lines),
        "has_tabs": partial(has_tabs, column),
        "raw": partial(raw, column, 2),
        "slice": partial(column.slice, 2, 4),
        "lowered": texts.lowered,
        "take": partial(texts.take, chosen),
        "reduce": partial(texts.__reduce_ex__, 4),
        "group_by_id": partial(group_by_id, column, 0, True, True),
        "parse_fields": partial(parse_fields, column, 3),
        "join_lines": partial(join_lines, column, chosen, scores, 4, chosen),
    }


#: The calls of each group, made on demand.
GROUPS: dict[str, Callable[[], dict[str, Call]]] = {
    "text": lambda: of_text(BLEU(effective_order=True)),
    "text in threads": lambda: of_text(BLEU(threads=2), 200),
    "long orders": lambda: of_text(BLEU(tokenize="none", max_ngram_order=6)),
    "tokens and ids": of_tokens_and_ids,
    **({"Arrow": of_arrow} if find_spec("pyarrow") else {}),
    "pools": lambda: of_pools(BLEU(effective_order=True, threads=1)),
    "tests": of_tests,
    "refusals": of_refusals,
    "compiled": compiled,
}
