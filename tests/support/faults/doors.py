"""Calls that together enter every compiled module: each makes its objects once and returns a call to repeat."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa

from fastbleu import BLEU, TokenIds, rerank

Call = Callable[[], Any]

DOORS: dict[str, Callable[[], Call]] = {}


def door(make: Callable[[], Call]) -> Callable[[], Call]:
    DOORS[make.__name__] = make
    return make


HYPOTHESES = ["The cat sat on the mat.", "", "It rained, all day; 1,000.5 mm", "café 東京 \udc80 x" * 3]
REFERENCES = [
    ["The cat sat on a mat.", "so", "It rained all day: 1,000 mm", "café 東京 \udc80 x" * 2],
    ["A cat was on the mat.", "", "There was rain, all day; mm", "averyveryverylongtokenindeed x " * 4],
]
LONG = [" ".join(f"w{i % 37}{i % 11}" for i in range(300)), "short one"]
LONG_REFERENCES = [[" ".join(f"w{i % 31}{i % 11}" for i in range(280)), "short two"]]


def words(segments: list[str]) -> list[list[str]]:
    return [segment.split() for segment in segments]


@door
def corpus_of_text() -> Call:
    metric = BLEU()
    return lambda: metric.corpus_score(HYPOTHESES, REFERENCES).score


@door
def new_metric() -> Call:
    return lambda: BLEU(tokenize="intl", lowercase=True).corpus_score(HYPOTHESES, REFERENCES).score


@door
def statistics_of_long_text() -> Call:
    metric = BLEU(tokenize="none", max_ngram_order=6)
    return lambda: metric.statistics(LONG, LONG_REFERENCES).tolist()


@door
def statistics_of_tokens() -> Call:
    metric = BLEU(tokenize="none")
    hypotheses, references = words(LONG), [words(LONG_REFERENCES[0])]
    return lambda: metric.statistics(hypotheses, references).tolist()


@door
def statistics_of_lists_of_ids() -> Call:
    metric = BLEU(tokenize="none")
    return lambda: metric.statistics([[1, 2, 3, 4, 70_000], [5]], [[[1, 2, 3, 4], [6, 5]]]).tolist()


@door
def statistics_of_matrices() -> Call:
    metric = BLEU(tokenize="none")
    ids = np.arange(60, dtype=np.int32).reshape(3, 20) % 13
    rule: dict[str, Any] = {"pad_id": [0, 40], "eos_id": [12, 41]}
    return lambda: metric.statistics(TokenIds(ids, **rule), [TokenIds(ids[::-1].copy(), **rule)]).tolist()


@door
def statistics_of_arrow() -> Call:
    metric = BLEU()
    hypotheses = pa.array(["The cat sat.", "", "dogs ran far away"])
    references = pa.array([["The cat sat on."], ["x", None], ["dogs ran far", "away"]])
    return lambda: metric.statistics(hypotheses, references).tolist()


@door
def statistics_of_arrow_tokens() -> Call:
    metric = BLEU(tokenize="none")
    hypotheses = pa.array([["The", "cat"], [], ["averyveryverylongtokenindeed", "ran", "far"]])
    references = pa.array([["The", "cat", "sat"], ["x"], ["averyveryverylongtokenindeed", "ran"]])
    return lambda: metric.statistics(hypotheses, [references]).tolist()


@door
def statistics_of_arrow_ids() -> Call:
    metric = BLEU(tokenize="none")
    hypotheses = pa.array([[1, 2], [], [3, 4, 5]])
    references = [pa.array([[1, 2, 3], [1], [3, 4]])]
    return lambda: metric.statistics(hypotheses, references).tolist()


@door
def sentence_of_text() -> Call:
    metric = BLEU(effective_order=True)
    return lambda: metric.sentence_score(HYPOTHESES[0], [REFERENCES[0][0], REFERENCES[1][0]]).score


@door
def sentence_of_tokens() -> Call:
    metric = BLEU(effective_order=True, tokenize="none")
    lengths = iter(range(1_000_000))

    def call() -> Any:
        # Now with one reference, now with several: the objects of one segment grow and shrink.
        more = next(lengths) % 2
        metric.sentence_score(["a", "b"], [["a"]] * (1 + 2 * more))
        return metric.sentence_score(["a", "b", "c", "d"], [["a", "b", "c"], ["b", "c", "d", "e"]]).score

    return call


@door
def sentence_scores() -> Call:
    metric = BLEU(effective_order=True)
    return lambda: metric.sentence_scores(HYPOTHESES, REFERENCES).tolist()


@door
def sentence_scores_in_threads() -> Call:
    metric = BLEU(effective_order=True, threads=2)
    hypotheses, references = HYPOTHESES * 200, [stream * 200 for stream in REFERENCES]
    return lambda: metric.sentence_scores(hypotheses, references).tolist()


@door
def prepare() -> Call:
    metric = BLEU()
    return lambda: metric.corpus_score(HYPOTHESES, metric.prepare(REFERENCES)).score


@door
def prepare_long() -> Call:
    metric = BLEU(tokenize="none", max_ngram_order=5)
    return lambda: metric.statistics(LONG, metric.prepare(LONG_REFERENCES)).tolist()


@door
def prepared() -> Call:
    metric = BLEU(references=REFERENCES)
    return lambda: metric.corpus_score(HYPOTHESES, None).score


@door
def prefix_scores() -> Call:
    metric = BLEU(tokenize="none")
    hypotheses = [[1, 2, 3, 4], [5, 6]]
    return lambda: [each.tolist() for each in metric.prefix_scores(hypotheses, [[[1, 2, 3], [6, 5]]])]


@door
def explain() -> Call:
    metric = BLEU(effective_order=True)
    return lambda: str(metric.explain(HYPOTHESES[0], [REFERENCES[0][0]]))


@door
def tokenize() -> Call:
    metric = BLEU(tokenize="intl")
    text = " ".join(f"w{i}," for i in range(300))
    return lambda: metric.tokenize(text)


@door
def resample() -> Call:
    metric = BLEU()
    rows = metric.statistics(HYPOTHESES, REFERENCES)
    return lambda: (metric.score_statistics(rows).score, metric.jackknife(rows).tolist())


@door
def accumulate() -> Call:
    metric = BLEU()
    more = metric.statistics(HYPOTHESES, REFERENCES)

    def call() -> Any:
        found = metric.accumulator(keep_rows=True)
        found.update(HYPOTHESES, REFERENCES)
        found.add_statistics(more)
        other = metric.accumulator(keep_rows=True)
        other.load_state_dict(found.state_dict())
        found.merge(other)
        sums = metric.accumulator()
        sums.update(HYPOTHESES, REFERENCES)
        sums.replace(more[:1], more[1:2])
        return found.compute().score, found.rows.tolist(), (sums + sums - sums).compute().score

    return call


@door
def accumulate_all_or_nothing() -> Call:
    metric = BLEU()
    more = metric.statistics(HYPOTHESES, REFERENCES)
    found = metric.accumulator(keep_rows=True)
    found.update(HYPOTHESES, REFERENCES)
    before = found.rows.tolist()

    def call() -> Any:
        # What an earlier call left must be whole: what it added with its rows, or nothing.
        assert found.rows.sum(axis=0).tolist() == found.statistics.tolist()
        assert len(found) == len(found.rows)
        found.reset()
        found.add_statistics(more)
        found.update(HYPOTHESES, REFERENCES)
        return found.rows.tolist() == before * 2

    return call


@door
def pairwise() -> Call:
    return lambda: rerank.pairwise([*HYPOTHESES, *LONG], REFERENCES[0], threads=1).tolist()


@door
def pairwise_by_nltk() -> Call:
    return lambda: rerank.pairwise(
        ["a b c", "b c d"], ["a b c d", "x"], formula="nltk", smoothing="method6", threads=1
    ).tolist()


@door
def pairwise_by_nltk_in_c() -> Call:
    return lambda: rerank.pairwise(HYPOTHESES, formula="nltk", smoothing="method1", threads=1).tolist()


@door
def mbr() -> Call:
    pools = [HYPOTHESES, [*REFERENCES[0], *LONG]]
    return lambda: [each.tolist() for each in rerank.mbr(pools, threads=1)[:2]]


@door
def mbr_weighted() -> Call:
    pools = [["a b", "b a", "a b c"], ["x y", "y", "x"]]
    weights = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]
    return lambda: [
        each.tolist()
        for each in rerank.expected(pools, weights=weights, weights_as="probabilities", threads=1)
    ]


@door
def mbr_aggregate() -> Call:
    pools = [HYPOTHESES, [*REFERENCES[0], *LONG]]
    return lambda: [each.tolist() for each in rerank.mbr(pools, method="aggregate", threads=1)[:2]]


@door
def oracle() -> Call:
    pools = [HYPOTHESES, REFERENCES[0]]
    return lambda: [each.tolist() for each in rerank.oracle(pools, ["The cat", "mat sat"], threads=1)[:2]]


@door
def corpus_oracle() -> Call:
    pools = [HYPOTHESES, REFERENCES[0]]
    return lambda: [
        each.tolist() for each in rerank.oracle(pools, ["The cat", "mat sat"], "corpus", threads=1)[:2]
    ]


@door
def self_bleu() -> Call:
    pool = [*HYPOTHESES, *LONG, *HYPOTHESES]
    return lambda: [
        rerank.self_bleu(pool).mean,
        rerank.self_bleu(words(pool), metric=BLEU(tokenize="none")).mean,
    ]


@door
def self_bleu_by_nltk() -> Call:
    return lambda: rerank.self_bleu([*HYPOTHESES, *LONG], "nltk", smoothing="method1").mean


@door
def ranking() -> Call:
    pools = [["no", "yes", "no"], ["a", "b"]]
    return lambda: [
        [one.tolist() for one in each]
        for each in rerank.rank([[20.0, 50.0, 20.0], [1.0, 2.0]], pools=pools, unique=True)
    ]


@door
def approximate_randomization() -> Call:
    from fastbleu import approximate_randomization

    metric = BLEU()
    rows = {name: metric.statistics(HYPOTHESES, [REFERENCES[i]]) for i, name in enumerate("ab")}
    return lambda: (
        approximate_randomization(rows, metric, n_trials=64, exact=False, seed=1).pair("a", "b").p_value
    )


@door
def paired_bootstrap() -> Call:
    from fastbleu import paired_bootstrap

    metric = BLEU()
    rows = {name: metric.statistics(HYPOTHESES, [REFERENCES[i]]) for i, name in enumerate("ab")}
    return lambda: paired_bootstrap(rows, metric, n_resamples=16, seed=1).pair("a", "b").p_value


@door
def lines() -> Call:
    from fastbleu.inputs._lines import (
        column_of_lines,
        columns_of_fields,
        find_invalid_utf8,
        has_tabs,
        pick,
        raw,
        split_lines,
    )

    data = b"The cat\tsat\non the\tmat\n" * 20

    def call() -> Any:
        column, used = split_lines(data, True)
        picked = pick(column, array("q", [3, 1]))
        fields = columns_of_fields(data, 2)
        return (
            used,
            list(picked),
            raw(column, 2),
            has_tabs(column),
            find_invalid_utf8(data),
            list(fields[1])[:3],
            list(column_of_lines(data))[:3],
            list(column.slice(2, 4).lowered()),
            list(column.take(array("q", [1]))),
        )

    return call


@door
def moses_lines() -> Call:
    from fastbleu.inputs._lines import split_lines
    from fastbleu.rerank.nbest._fields import group_by_id, parse_fields
    from fastbleu.rerank.nbest._writer import join_lines

    data = b"0 ||| the cat ||| f=1 ||| -1.5\n0 ||| a cat ||| f=2 ||| -2.5\n1 ||| dogs ||| f=1 ||| -0.5\n"

    def call() -> Any:
        column, _ = split_lines(data, True)
        groups = group_by_id(column, 0, True, False)
        texts, scores, codes = parse_fields(column, 1, 3)
        chosen = array("q", [0, 2])
        assert scores is not None
        found = array("d", [scores[0], scores[2]])
        written = join_lines(texts, chosen, found, b"\t", 4, ((b"index=", chosen),))
        return (
            [list(each) if isinstance(each, array) else each for each in groups],
            list(texts),
            codes,
            written,
        )

    return call


@door
def equal_texts() -> Call:
    from fastbleu.inputs._text import text_column
    from fastbleu.rerank._equal_texts import count_equal, votes_of

    texts = ["a", "b", "a", "a", "c"] * 20

    def call() -> Any:
        column, found = text_column(texts), array("q", [0, 0])
        votes, firsts = count_equal(column, array("q", [0, 50, 100]))
        votes_of(column, array("q", [0, 50, 100]), array("q", [2, 4]), found)
        return votes.tolist(), firsts.tolist(), found.tolist()

    return call


@door
def bestbleu_lines() -> Call:
    from fastbleu.compat.bestbleu._lists import joined_pieces, parse_lines
    from fastbleu.inputs._lines import column_of_lines

    def call() -> Any:
        numbers, texts, codes = parse_lines(column_of_lines(b"0 ||| do@@ ne ||| x\n1 ||| a b@@ ||| y\n"))
        return numbers.tolist(), list(joined_pieces(texts)), codes

    return call


@door
def fairseq_matches() -> Call:
    from fastbleu.compat.fairseq._ngram_matches import count_matches

    return lambda: count_matches([7, 8, 7, 9] * 10, [7, 8, 9, 9] * 10, 4)


@door
def code_tokens() -> Call:
    from fastbleu.scoring._codebleu import weighted_tokens

    return lambda: weighted_tokens({"int": 1, "x": 2}, ["int", "x", ";"], {"int": 1.0, "x": 0.2, ";": 0.2})


@door
def caption_rows() -> Call:
    from fastbleu.scoring import _bestbleu, _pycocoevalcap, _smooth_bleu

    rows = BLEU(max_ngram_order=4).statistics(HYPOTHESES[:1] * 8, [REFERENCES[0][:1] * 8])
    scores = np.zeros(len(rows))

    def call() -> Any:
        _bestbleu.score_rows(rows, scores)
        texts = _smooth_bleu.plain_texts(["a", "&lt;", "b"] * 10, str.upper)
        pairs = _smooth_bleu.single_pairs({"a": ["x y"], "b": ["&lt;"]}, {"a": ["x"], "b": ["z"]}, str.upper)
        return (
            _pycocoevalcap.score_rows(rows, None, 4),
            _smooth_bleu.sum_scores(rows),
            texts,
            pairs,
            scores.tolist(),
        )

    return call


@door
def pickled() -> Call:
    import pickle

    metric = BLEU(references=REFERENCES)
    return lambda: pickle.loads(pickle.dumps(metric)).corpus_score(HYPOTHESES, None).score


@door
def arrow_table() -> Call:
    from fastbleu import arrow

    table = pa.table({"hypothesis": HYPOTHESES[:3], "reference": REFERENCES[0][:3]})
    return lambda: arrow.statistics(table, "hypothesis", ["reference"]).to_pydict()


@door
def rewards() -> Call:
    from fastbleu.rewards import BLEUReward

    reward = BLEUReward()
    return lambda: list(reward(HYPOTHESES[:3], REFERENCES[0][:3]))


# --- Compiled functions alone, without a frame of Python around them -----------------------------------------------


def compiled_functions() -> dict[str, Call]:
    """Calls of compiled functions. Python 3.11 itself leaks frames and crashes in dict iterators where memory ends."""
    from fastbleu.compat.bestbleu._lists import joined_pieces, parse_lines
    from fastbleu.compat.fairseq._ngram_matches import count_matches
    from fastbleu.counting._counter import NgramCounter
    from fastbleu.inputs._lines import column_of_lines, columns_of_fields, split_lines
    from fastbleu.inputs._text import text_column
    from fastbleu.inputs._tokens import as_sequence
    from fastbleu.rerank._equal_texts import count_equal
    from fastbleu.rerank.nbest._fields import group_by_id, parse_fields
    from fastbleu.rerank.nbest._writer import join_lines
    from fastbleu.scoring import _pycocoevalcap, _smooth_bleu
    from fastbleu.scoring._codebleu import weighted_tokens
    from fastbleu.tokenizers._tokenize import tokenize as tokenize_text

    lines = b"0 ||| the cat ||| f=1 ||| -1.5\n0 ||| a cat ||| f=2 ||| x\n1 ||| dogs ||| f=1 ||| -0.5\n" * 9
    column = column_of_lines(lines)
    texts = text_column(HYPOTHESES)
    rows = BLEU().statistics(HYPOTHESES[:1] * 40, [REFERENCES[0][:1] * 40])
    of_text, of_ids = NgramCounter(0, 4), NgramCounter(-1, 4)
    many = " ".join(f"w{i}" for i in range(300))
    chosen, scores = array("q", [2, 0]), array("d", [0.5, -1.0])
    return {
        "text_column": partial(text_column, HYPOTHESES * 20),
        "as_sequence": partial(as_sequence, ("a", "b"), "tokens"),
        "tokenize": partial(tokenize_text, many, 0),
        "count": partial(of_text.count, texts, [text_column(REFERENCES[0]), text_column(REFERENCES[1])]),
        "count_one_of_text": partial(
            of_text.count_one, HYPOTHESES[0], [REFERENCES[0][0], None, REFERENCES[1][0]]
        ),
        "count_one_of_tokens": partial(of_ids.count_one, ["a", "b", "c", 4], [["a", "b"], ["b", "c"]]),
        "split_lines": partial(split_lines, lines, True),
        "column_of_lines": partial(column_of_lines, lines),
        "columns_of_fields": partial(columns_of_fields, b"a\tb\n" * 20, 2),
        "lowered": texts.lowered,
        "take": partial(texts.take, chosen),
        "reduce": partial(texts.__reduce_ex__, 4),
        "group_by_id": partial(group_by_id, column, 0, True, True),
        "parse_fields": partial(parse_fields, column, 1, 3),
        "join_lines": partial(join_lines, column, chosen, scores, b"\t", 4, ((b"index=", chosen),)),
        "count_equal": partial(count_equal, texts, array("q", [0, 2, len(HYPOTHESES)])),
        "parse_lines": partial(parse_lines, column),
        "joined_pieces": partial(joined_pieces, text_column(["do@@ ne x", "a b@@"])),
        "count_matches": partial(count_matches, [7, 8, 7, 9] * 10, [7, 8, 9, 9] * 10, 4),
        "weighted_tokens": partial(weighted_tokens, {"int": 1, "x": 2}, ["int", "x"], {"int": 1.0, "x": 0.2}),
        "score_rows": partial(_pycocoevalcap.score_rows, rows, None, 4),
        "sum_scores": partial(_smooth_bleu.sum_scores, rows),
        "plain_texts": partial(_smooth_bleu.plain_texts, ["a", "&lt;", "b"] * 10, str.upper),
        "single_pairs": partial(
            _smooth_bleu.single_pairs, {"a": ["x"], "b": ["&"]}, {"a": ["x"], "b": ["z"]}, str.upper
        ),
    }


def plain(result: Any) -> Any:
    """A result as values that can be compared."""
    if isinstance(result, tuple):
        return tuple(plain(each) for each in result)
    if isinstance(result, list | str | bytes | bytearray | float | int | type | NoneType):
        return [plain(each) for each in result] if isinstance(result, list) else result
    return list(result) if hasattr(result, "__len__") else repr(type(result))
