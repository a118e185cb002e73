"""Pools give the same scores whatever type they are passed in; wrong pools raise errors."""

import pickle
import random
import re
import sys
from collections.abc import ValuesView
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.counting.matcher import Matcher
from fastbleu.inputs._text import text_column
from fastbleu.rerank import Pools, expected, mbr, oracle, pairwise, pool_chunks, self_bleu
from fastbleu.rerank.pool_sources import as_pools
from fastbleu.tokenizers.names import Tokenizer
from tests.support.rerank_oracle import flattened

POOLS = [["the cat sat", "a cat sat down"], ["rain falls", "the rain fell, 1.5 inches"], ["", "yes"]]
FLAT = [text for pool in POOLS for text in pool]
NONE = BLEU(tokenize="none", effective_order=True)


def values(items: list[Any]) -> ValuesView[Any]:
    """Return a view, which has a length and can be iterated over, but is not a list."""
    return dict(enumerate(items)).values()


def test_attributes_of_pools() -> None:
    pools = Pools(FLAT, size=2)
    assert (len(pools), pools.size, pools.bounds.tolist()) == (3, 2, [0, 2, 4, 6])
    assert repr(pools) == "<Pools of 3 sources, 6 candidates, size=2>"
    assert [pools[0], pools[-1], *pools] == [POOLS[0], POOLS[2], *POOLS]
    ragged = Pools(text_column(FLAT), offsets=np.array([0, 1, 1, 6]))
    assert (len(ragged), ragged.size, ragged[0], ragged[1], ragged[2]) == (3, None, FLAT[:1], [], FLAT[1:])
    assert repr(ragged) == "<Pools of 3 sources, 6 candidates, offsets>"
    ids = Pools(np.array([[5, 6, -100], [7, -100, -100]]), size=1)
    assert list(ids) == [[[5, 6]], [[7]]]
    assert len(Pools([], size=3)) == 0
    assert len(Pools([], offsets=[0])) == 0
    assert list(Pools([], offsets=[0, 0])) == [[]]
    for form in (pools, ragged, ids):
        assert list(pickle.loads(pickle.dumps(form))) == list(form)
    for index in (3, -4):
        with pytest.raises(IndexError, match=f"index {index} is out of range for 3 pools"):
            pools[index]


@pytest.mark.parametrize(
    ("candidates", "arguments", "kind", "words"),
    [
        (FLAT, {}, ValueError, "size or offsets must be given, but not both, got size=None and offsets=None"),
        (FLAT, {"size": 2, "offsets": [0, 6]}, ValueError, r"size or offsets must.*offsets=\[0, 6\]"),
        (FLAT, {"size": 0}, ValueError, "size must be at least 1, got 0"),
        (FLAT, {"size": 2.0}, TypeError, "size must be an int, not float: 2.0"),
        (FLAT, {"size": 4}, ValueError, "candidates has 6 segments, which is not a multiple of size=4"),
        (FLAT, {"offsets": [1, 6]}, ValueError, "offsets must begin with 0"),
        (FLAT, {"offsets": [0, 4, 3, 6]}, ValueError, r"offsets\[2\] must be at least 4, the offset before it, got 3"),
        (FLAT, {"offsets": [0, 5]}, ValueError, "offsets must end with 6, the number of candidates, got 5"),
        (FLAT, {"offsets": [0, 6.0]}, TypeError, "offsets must be a sequence of integers"),
        (FLAT, {"offsets": 6}, TypeError, "offsets must be a sequence of integers, not int: 6"),
        ("a b", {"size": 1}, TypeError, "candidates must be a sequence of candidates, not a bare str: 'a b'"),
        (iter(["a"]), {"size": 1}, TypeError, r"candidates must be .*; convert it to a list: list\(candidates\)"),
        (np.zeros((2, 3, 4), int), {"size": 1}, ValueError, r"candidates must have the shape \[candidates, tokens\]"),
        (np.zeros((2, 3)), {"size": 1}, TypeError, "candidates must be an array of integers, not of float64"),
    ],
)  # fmt: skip
def test_what_makes_no_pools(candidates: Any, arguments: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        Pools(candidates, **arguments)


@pytest.mark.parametrize(
    "pools",
    [
        tuple(map(tuple, POOLS)),
        [text_column(pool) for pool in POOLS],
        [np.array(pool, dtype=object) for pool in POOLS],
        np.array(POOLS, dtype=object),
        values([values(pool) for pool in POOLS]),
        Pools(FLAT, size=2),
        Pools(tuple(FLAT), offsets=[0, 2, 4, 6]),
        Pools(text_column(FLAT), size=2),
        Pools(values(FLAT), size=2),
    ],
)
@pytest.mark.parametrize(
    "metric", [BLEU(effective_order=True), BLEU(effective_order=True, lowercase=True, tokenize="char")]
)
def test_forms_of_text(pools: Any, metric: BLEU) -> None:
    found = expected(pools, metric=metric)
    assert flattened(found) == flattened(expected(POOLS, metric=metric))
    is_matrix = isinstance(pools, Pools) and pools.size is not None
    assert isinstance(found, np.ndarray if is_matrix else list)
    assert np.asarray(found).shape == (3, 2)


ID_POOLS = [[[5, 6, 7, 8], [5, 6, 9]], [[7, 7], [300, 7, 7]], [[], [5]]]
MATRIX = np.array([[5, 6, 7, 8], [5, 6, 9, 0], [7, 7, 0, 0], [300, 7, 7, 0], [0, 0, 0, 0], [5, 0, 0, 0]])
PADDED = np.where(MATRIX == 0, -100, MATRIX)
ROWS = [row for pool in ID_POOLS for row in pool]


@pytest.mark.parametrize(
    "pools",
    [
        ID_POOLS,
        Pools(ROWS, size=2),
        [[tuple(row) for row in pool] for pool in ID_POOLS],
        [[np.array(row, dtype=int) for row in pool] for pool in ID_POOLS],
        [PADDED[:2], PADDED[2:4], PADDED[4:]],
        [TokenIds(MATRIX[i : i + 2], pad_id=0) for i in (0, 2, 4)],
        [TokenIds(MATRIX[:2], pad_id=0), ID_POOLS[1], PADDED[4:]],
        Pools(PADDED, size=2),
        Pools(TokenIds(MATRIX.astype(np.int32), pad_id=0), offsets=[0, 2, 4, 6]),
        Pools([np.array(row, dtype=int) for row in ROWS], size=2),
        [[[str(token) for token in row] for row in pool] for pool in ID_POOLS],
        [[" ".join(map(str, row)) for row in pool] for pool in ID_POOLS],
    ],
)
def test_forms_of_tokens(pools: Any) -> None:
    metric = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
    found = expected(pools, metric=metric)
    assert flattened(found) == flattened(expected(ID_POOLS, metric=metric))
    assert mbr(pools, metric=metric).indices.tolist() == mbr(ID_POOLS, metric=metric).indices.tolist()


def test_evidence_in_another_form() -> None:
    metric = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)
    evidence = [[[5, 6, 7]], [[7, 8]], [[5], [6]]]
    whole = flattened(expected(ID_POOLS, evidence, metric=metric))
    flat = [row for pool in evidence for row in pool]
    ids = TokenIds(np.array([[5, 6, 7], [7, 8, 0], [5, 0, 0], [6, 0, 0]]), pad_id=0)
    for pools in (ID_POOLS, Pools(ROWS, size=2), Pools(TokenIds(MATRIX, pad_id=0), size=2)):
        for others in (evidence, Pools(flat, offsets=[0, 1, 2, 4]), Pools(ids, offsets=[0, 1, 2, 4])):
            assert flattened(expected(pools, others, metric=metric)) == whole


def test_exclude_self_is_refused_beside_unknown_ids() -> None:
    with pytest.raises(ValueError, match="exclude_self cannot be used with ids that have an unk_id"):
        expected([TokenIds(np.array([[3, 5], [3, 5]]), unk_id=3)], exclude_self=True, metric=NONE)


def test_tokenizers_of_ones_own() -> None:
    calls: list[str] = []

    def letters(text: str) -> list[str]:
        calls.append(text)
        return list(text)

    metric = BLEU(tokenize=letters, effective_order=True)
    found = expected(POOLS, metric=metric)
    assert sorted(calls) == sorted(FLAT)  # Each text is tokenized once.
    spaced = [[" ".join(text.replace(" ", "_")) for text in pool] for pool in POOLS]
    assert flattened(found) == flattened(expected(spaced, metric=NONE))
    assert flattened(expected(Pools(FLAT, size=2), POOLS, metric=metric)) == flattened(found)


def test_a_tokenizer_that_returns_text() -> None:
    metric, known = BLEU(effective_order=True), BLEU(effective_order=True)
    # Third-party tokenizers, such as MeCab's, return text.
    made = Tokenizer("spaced", "spaced", source="spaced", to_text=lambda text: " ".join(known.tokenize(text)))
    metric.matcher = Matcher(made)
    assert flattened(expected(POOLS, metric=metric)) == flattened(expected(POOLS))
    references = ["the cat sat.", "the rain, it fell", "yes"]
    assert oracle(POOLS, references, metric=metric).score.score == oracle(POOLS, references).score.score


@pytest.mark.parametrize(("candidates", "volume"), [(1024, 1 << 20), (1, 1 << 20), (7, 1 << 20), (1024, 40)])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_change_nothing(
    candidates: int, volume: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = random.Random(1)
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", ",", ".", "1,000", "é"]
    pools = [
        [
            " ".join(generator.choices(words, k=generator.randrange(9)))
            for _ in range(generator.randint(1, 12))
        ]
        for _ in range(300)
    ]
    flat = Pools([text for pool in pools for text in pool], offsets=np.cumsum([0, *map(len, pools)]))
    references = [pool[0] + " dog" for pool in pools]
    found = mbr(pools), oracle(pools, references), oracle(pools, references, "corpus")
    scores = flattened(expected(pools))
    monkeypatch.setattr(pool_chunks, "MAX_CHUNK_CANDIDATES", candidates)
    monkeypatch.setattr(pool_chunks, "MAX_CHUNK_LENGTH", volume)
    monkeypatch.setattr(pool_chunks, "_MIN_PAIRS", 1)
    for form in (pools, flat):
        assert flattened(expected(form, threads=threads)) == scores
        selection = mbr(form, threads=threads)
        assert [part.tolist() for part in selection] == [part.tolist() for part in found[0]]
        for level, one in zip(("sentence", "corpus"), found[1:], strict=True):
            other = oracle(form, references, level, threads=threads)
            assert [part.tolist() for part in other[:2]] == [part.tolist() for part in one[:2]]
            assert other.score.score == one.score.score
            assert str(other.score.signature) == str(one.score.signature)


def test_chunks_are_bounded() -> None:
    pools = as_pools([["a"] * 300, ["a"] * 700, ["a"] * 24, ["a"], ["b"] * 5000, ["c"]], "pools")
    reading = pool_chunks.PoolColumns(NONE.matcher, [pools])
    assert [reading.stop_after(start, 6) for start in range(6)] == [3, 4, 4, 4, 5, 6]
    long = as_pools([["a" * (1 << 19)] * 2, ["a" * 20], ["b"]], "pools")
    reading = pool_chunks.PoolColumns(NONE.matcher, [long])
    assert [reading.stop_after(start, 3) for start in range(3)] == [1, 3, 3]


def test_flat_columns_are_not_copied() -> None:
    column = text_column(FLAT * 10)
    reading = pool_chunks.PoolColumns(NONE.matcher, [as_pools(Pools(column, size=6), "pools")])
    (part,) = reading.read(1, 3)
    assert len(part) == 12
    assert part.nbytes == 0  # It shares the memory of the whole column.


@pytest.mark.parametrize(
    ("pools", "kind", "words"),
    [
        ("a b", TypeError, "^pools must be a list of pools, one for each source, pools.*, not a bare str"),
        (["a", "b"], TypeError, r"^pools must be a list of pools.*but pools\[0\] is str: 'a'"),
        ((pool for pool in POOLS), TypeError, r"pools must be .*not a generator; convert it to a list"),
        (text_column(["a"]), TypeError, r"not one TextColumn; pass Pools\(pools, size=...\)$"),
        (np.zeros((2, 3), int), TypeError, r"not one ndarray of the shape \[2, 3\]; pass Pools\(pools"),
        (TokenIds([[1]]), TypeError, r"not one TokenIds of the shape \[1\]; pass Pools"),
        ([["a"], ["b", None]], TypeError, r"^pools\[1\]\[1\] must be a str, not NoneType"),
        ([["a"], [], ["b", 3]], TypeError, r"^pools\[2\]\[1\] must be a str, not int: 3"),
        ([["a"], [["b"]]], TypeError, r"^pools\[1\]\[0\] must be a str, not list"),
        ([[["a"]]], ValueError, r"^pools\[0\]\[0\] is list: \['a'\], where a str is"),
        ([np.zeros((2, 3), int)], ValueError, "^pools are token ids, which need tokenize='none'"),
        (Pools(["a", "b", None], size=3), TypeError, r"^pools\[0\]\[2\] must be a str, not NoneType"),
        (Pools(["a", "b", 3], offsets=[0, 2, 2, 3]), TypeError, r"^pools\[2\]\[0\] must be a str, not int"),
    ],
)
def test_bad_pools(pools: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        expected(pools)


@pytest.mark.parametrize(
    ("pools", "kind", "words"),
    [
        ([[["a"]], [["b"], "c"]], TypeError, r"^pools\[1\]\[1\] must be a sequence of tokens, not str: 'c'"),
        ([[["a"]], [["b"], ["c", []]]], TypeError, r"^pools\[1\]\[1\]\[1\] must be a hashable token, not"),
        ([[["a"]], [["b"], None]], TypeError, r"^pools\[1\]\[1\] must be a sequence of tokens, not NoneType"),
        ([np.array([[1]]), np.array([[2], [-3]])], ValueError, r"^pools\[1\]\[1\]\[0\].*-3"),
        ([np.array([[1]]), np.array([1])], Exception, r"^pools\[1\]"),
        ([np.array([[1]]), np.zeros((1, 1, 1), int)], ValueError, r"^pools\[1\] must have the shape"),
        ([np.array([[1]]), ["a"]], TypeError, r"^pools\[1\]\[0\] must be token ids, like the other"),
        ([np.array([[1]]), [[1, "a"]]], TypeError, r"^pools\[1\]\[0\]\[1\].*'a'"),
        (Pools(np.array([[1], [2], [-3]]), offsets=[0, 1, 1, 3]), ValueError, r"^pools\[2\]\[1\]\[0\].*-3"),
    ],
)
def test_bad_tokens(pools: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        expected(pools, metric=NONE)


def test_bad_evidence() -> None:
    for evidence, kind, words in (
        (["a"] * 3, TypeError, r"evidence must be .*but evidence\[0\] is str: 'a'"),
        ([["a"]], ValueError, "evidence is for 1 source, but pools has 3"),
        ([["a"], [], ["b"]], ValueError, r"evidence\[1\] is empty, but pools\[1\] has candidates"),
        ([["a"], ["a", 4], ["b"]], TypeError, r"^evidence\[1\]\[1\] must be a str, not int: 4"),
        (Pools(["a", None], offsets=[0, 1, 1, 2]), ValueError, r"evidence\[1\] is empty"),
    ):
        with pytest.raises(kind, match=words):
            expected(POOLS, evidence)
    with pytest.raises(TypeError, match=r"^evidence\[0\]\[0\] must be token ids"):
        expected([np.array([[1]])], Pools(["a"], size=1), metric=NONE)


def test_options_of_calls() -> None:
    for call in (pairwise, expected, mbr, self_bleu):
        with pytest.raises(TypeError, match=r"metric must be a fastbleu\.BLEU.*, not builtins\.str: '13a'"):
            call(POOLS, metric="13a")
    for option, value in (("threads", 0), ("progress", "yes"), ("exclude_self", "yes")):
        with pytest.raises((TypeError, ValueError), match=f"^{option} must be "):
            mbr(POOLS, **{option: value})


def test_effective_order_is_recommended_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = BLEU()
    mbr(POOLS, metric=metric)
    mbr(POOLS, metric=metric)
    assert caplog.messages == ["It is recommended to enable `effective_order` for sentence-level BLEU."]


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    calls = (mbr, (POOLS,), 3), (pairwise, (FLAT,), 6), (oracle, (POOLS, ["a", "b", "c"]), 3)
    for call, arguments, number in calls:
        call(*arguments, progress=True)
        assert re.search(rf"100%\|.*\| {number}/{number} ", capsys.readouterr().err)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match=r"progress=True needs the module tqdm: pip install"):
        mbr(POOLS, progress=True)
