"""Token ids: the rule by which rows are read, every kind of array, and what is refused."""

import ctypes
import pickle
import random
import re
import sysconfig
from array import array
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from tests.support.id_rows import RULES, RULES_OF_SEVERAL, Rule, known, written

METRIC = BLEU(tokenize="none", effective_order=True)

INTEGERS = [order + kind for order in "<>" for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")]


@given(st.data())
def test_any_row(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(RULES))
    ids = st.one_of(
        st.integers(0, 4),
        st.sampled_from([id_ for id_ in rule if id_ is not None] or [0]),
        st.integers(0, 2**63 - 1),
    )
    row = data.draw(st.lists(ids, max_size=70))
    width = len(row) + data.draw(st.integers(0, 5))
    matrix = np.full((2, width), 9)
    matrix[1, : len(row)] = row
    ours = TokenIds(matrix, **rule._asdict(), lengths=[0, len(row)])
    assert list(map(known, ours)) == [[], rule.of(row)]
    assert known(TokenIds([row], **rule._asdict())[0]) == rule.of(row)


def test_unknown_tokens_match_nothing() -> None:
    rows = np.array([[3, 4, 3, 5]])
    bleu = BLEU(tokenize="none", max_ngram_order=2)
    assert bleu.statistics(rows, rows).tolist() == [[4, 4, 4, 3, 4, 3]]
    unknown = TokenIds(rows, unk_id=3)
    assert bleu.statistics(unknown, [unknown, unknown]).tolist() == [[4, 4, 2, 0, 4, 3]]
    negative = TokenIds(np.array([[-1, 4, -1, 5]]), unk_id=-1)
    for references in (negative, bleu.prepare(negative), bleu.prepare([[[3, 4, 3, 5]]])):
        assert bleu.statistics(negative, references).tolist() == [[4, 4, 2, 0, 4, 3]]
    assert repr(negative[0]) == "[<unk -1>, 4, <unk -1>, 5]"
    with pytest.raises(ValueError, match=r"^hypotheses\[0\]\[1\] is -7, and"):
        bleu.statistics(np.array([[5, -7]]), bleu.prepare([[[5]]]))
    # Long references take another route, and large ids another numbering.
    long = np.array([[3, 4] * 800])
    assert bleu.statistics(TokenIds(long, unk_id=3), TokenIds(long, unk_id=3)).tolist() == [
        [1600, 1600, 800, 0, 1600, 1599]
    ]
    large = rows + (1 << 40)
    unknown = TokenIds(large, unk_id=3 + (1 << 40))
    assert bleu.statistics(unknown, unknown).tolist() == [[4, 4, 2, 0, 4, 3]]


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("rule", [RULES[0], *RULES_OF_SEVERAL[:2], Rule(0, (7, 300, 1 << 40))], ids=str)
def test_sizes_signs_byte_orders_and_strides(kind: str, rule: Rule) -> None:
    generator = random.Random(kind)
    wide = np.array([[generator.randint(0, 9) for _ in range(24)] for _ in range(12)], dtype=kind)
    misaligned = np.frombuffer(b"\0" + wide.tobytes(), dtype=np.uint8)[1:].view(kind).reshape(wide.shape)
    for view in (
        wide,
        wide[::2],
        wide[:, ::3],
        wide[::-1, ::-1],
        wide.T,
        wide[1:, 3:20],
        misaligned,
        np.asfortranarray(wide),
    ):
        for ids in (view, list(view)):
            assert list(TokenIds(ids, **rule._asdict())) == [rule.of(row) for row in view.tolist()]
    cube = wide.reshape(12, 4, 6)
    for view in (cube, cube[:, ::-1], cube.transpose(1, 0, 2), cube[:, 1:3, ::2]):
        for i, tokens in enumerate(TokenIds(view)):
            assert tokens == view[i].tolist()


def test_other_buffers() -> None:
    flat = array("i", [5, 6, 2, 7, 2, 0])
    ids = memoryview(flat).cast("B").cast("i", (2, 3))
    assert list(TokenIds(ids, eos_id=2)) == [[5, 6], [7]]
    row = ctypes.c_int32 * 3  # they export no strides, though they are asked for
    rows = (row * 2)(row(5, 6, 2), row(7, 2, 0))
    for held in (rows, [rows[0], rows[1]]):
        assert list(TokenIds(held, eos_id=2)) == [[5, 6], [7]]
    read_only = np.array([[5, 6, 2]])
    read_only.setflags(write=False)
    assert list(TokenIds(read_only, eos_id=2)) == [[5, 6]]
    assert list(TokenIds([flat], eos_id=2)) == [[5, 6]]


class OnlyDLPack:
    """An object with DLPack, and with neither the buffer protocol nor `__array__`."""

    def __init__(self, ids: np.ndarray[Any, Any], device: tuple[int, int] = (1, 0)) -> None:
        self.ids, self.device = ids, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.ids.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_dlpack() -> None:
    ids = TokenIds(OnlyDLPack(np.array([[5, 6, 2, 0], [7, 2, 0, 0]])), pad_id=0, eos_id=2)
    assert list(ids) == [[5, 6], [7]]
    # An array on an accelerator is copied to the host; tests/inputs/test_devices.py has more of them.
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        return  # it cannot copy them
    assert list(TokenIds(OnlyDLPack(np.array([[5, 6]]), device=(2, 0)))) == [[5, 6]]


def test_torch(torch: Any) -> None:
    rows = [[5, 6, 2, 0], [0, 7, 8, 2]]
    for dtype in (torch.int16, torch.int32, torch.int64, torch.uint8, torch.int8):
        ids = torch.tensor(rows, dtype=dtype)
        assert list(TokenIds(ids, pad_id=0, eos_id=2)) == [[5, 6], [7, 8]]
        assert list(TokenIds(ids.T, pad_id=0)) == [[5], [6, 7], [2, 8], [2]]
        assert list(TokenIds(list(ids), pad_id=0, eos_id=2)) == [[5, 6], [7, 8]]
        assert METRIC.sentence_scores(ids, ids).round(9).tolist() == [100, 100]
    inference = torch.tensor(rows)
    with torch.inference_mode():
        assert list(TokenIds(inference + 0, pad_id=0, eos_id=2)) == [[5, 6], [7, 8]]


def test_read_in_place() -> None:
    ids = np.array([[5, 6, 2]])
    seen = TokenIds(ids, eos_id=2)
    prepared = BLEU(tokenize="none").prepare(seen)
    ids[0, 1] = 9
    assert seen[0] == [5, 9]
    # Prepared references are a copy.
    for references in (prepared, pickle.loads(pickle.dumps(prepared))):
        assert BLEU(tokenize="none").statistics([[5, 6]], references)[0, 2] == 2


def test_lengths() -> None:
    ids = np.array([[5, 6, 7], [8, 9, 0], [2, 2, 2]])
    assert list(TokenIds(ids, lengths=[3, 1, 0])) == [[5, 6, 7], [8], []]
    assert list(TokenIds(ids, lengths=np.array([3, 2, 1]), pad_id=0, eos_id=2)) == [[5, 6, 7], [8, 9], []]
    cube = np.arange(12).reshape(2, 2, 3)
    assert list(TokenIds(cube, lengths=[[1, 3], [2, 1]])) == [[[0], [3, 4, 5]], [[6, 7], [9]]]
    assert list(TokenIds([[1, 2, 3], [4]], lengths=[2, 0])) == [[1, 2], []]


def test_sequence_and_pickle() -> None:
    ids = TokenIds(np.array([[5, 6, 2], [7, 2, 0]], dtype=np.int16), pad_id=0, eos_id=2, lengths=[3, 2])
    assert (len(ids), ids[0], ids[-1], ids.shape) == (2, [5, 6], [7], (2, 3))
    assert repr(ids) == "<TokenIds [2, 3], pad_id=0, eos_id=2, ignore_id=-100, with lengths>"
    again = pickle.loads(pickle.dumps(ids))
    assert (list(again), again.rule) == (list(ids), ids.rule)
    cube = TokenIds(np.arange(4).reshape(1, 2, 2), lengths=[[1, 2]])
    assert list(pickle.loads(pickle.dumps(cube))) == [[[0], [2, 3]]]
    assert ids.rule == {"pad_id": 0, "eos_id": 2, "ignore_id": -100, "unk_id": None}
    for index in (2, -3):
        with pytest.raises(IndexError, match=f"index {index} is out of range"):
            ids[index]
    for wrong in ([True, False], np.array([True, False]), (0, slice(None)), True, 1.0):
        with pytest.raises(TypeError, match="index"):
            ids[wrong]  # type: ignore[index]


@pytest.mark.parametrize("index", [slice(None, None, -1), slice(1, 9), [2, 0, -1, 2], []])
def test_some_of_the_segments(index: Any) -> None:
    rows = [[5, 6, 2], [7, 2, 0], [8, 9, 9], [3, 0, 4]]
    chosen = range(4)[index] if isinstance(index, slice) else index
    for held in (
        np.array(rows, np.int32),
        memoryview(np.array(rows)),
        rows,
        np.array([rows, rows]).swapaxes(0, 1),
    ):
        for lengths in (None, [3, 1, 2, 2]):
            rule: dict[str, Any] = {"pad_id": 0, "eos_id": 2}
            if np.ndim(held) < 3:
                rule["lengths"] = lengths
            ids = TokenIds(held, **rule)
            assert list(ids[index]) == [ids[i] for i in chosen]
            assert ids[index].rule == ids.rule
    with pytest.raises(IndexError, match="index 4 is out of range for 4 segments"):
        ids[[0, 4]]


@pytest.mark.parametrize(
    ("references", "lengths"),
    [
        ([[[0, 0], [5, 6]]], [[5, 6]]),
        ([[[2, 0], [5, 6]]], [[], [5, 6]]),
        ([[[0, 0], [0, -100]]], [[], []]),
        ([[[], []]], [[], []]),
    ],
)
def test_absent_or_empty(references: Any, lengths: list[list[int]]) -> None:
    bleu = BLEU(tokenize="none")
    ids = TokenIds(np.array(references, dtype=np.int64), pad_id=0, eos_id=2)
    assert bleu.prepare(ids).num_references == len(lengths)
    row = bleu.statistics(np.zeros((1, 0), dtype=np.int64), ids)[0]
    assert row[1] == min(map(len, lengths))


def test_kinds_of_references() -> None:
    hypotheses = np.array([[5, 6, 7, 0], [8, 9, 0, 0]])
    samples = TokenIds(hypotheses, pad_id=0)
    matrix = np.array([[5, 6, 0], [8, 9, 4]])
    expected = METRIC.sentence_scores([[5, 6, 7], [8, 9]], [[[5, 6], [8, 9, 4]]]).tolist()
    one = TokenIds(matrix, pad_id=0)
    lists = [[5, 6], [8, 9, 4]]
    for references in (
        one,
        [one],
        [lists],
        [[np.array(row) for row in lists]],
        METRIC.prepare(one),
        METRIC.prepare([lists]),
    ):
        assert METRIC.sentence_scores(samples, references).tolist() == expected
    # And hypotheses of other kinds against ids.
    for other in ([[5, 6, 7], [8, 9]], ((5, 6, 7), (8, 9)), [np.array([5, 6, 7]), np.array([8, 9])]):
        for references in (one, [one], METRIC.prepare(one)):
            assert METRIC.sentence_scores(other, references).tolist() == expected
    streams = [one, [[5, 6, 7], None], TokenIds([None, [8]])]
    both = METRIC.statistics(samples, streams).tolist()
    assert both == METRIC.statistics([[5, 6, 7], [8, 9]], [lists, [[5, 6, 7], None], [None, [8]]]).tolist()
    assert METRIC.statistics(samples, METRIC.prepare(streams)).tolist() == both
    # A bare matrix: no padding but -100.
    assert (
        METRIC.statistics(hypotheses, matrix).tolist()
        == METRIC.statistics(hypotheses.tolist(), [matrix.tolist()]).tolist()
    )


def test_prepared_slices_pickles_and_segments() -> None:
    ids = np.random.default_rng(1).integers(0, 9, (20, 12))
    prepared = METRIC.prepare(TokenIds(ids, pad_id=0))
    samples = TokenIds(ids[::2, ::-1], pad_id=0)
    expected = METRIC.sentence_scores(samples, TokenIds(ids[::2], pad_id=0)).tolist()
    assert METRIC.sentence_scores(samples, prepared[::2]).tolist() == expected
    assert METRIC.sentence_scores(samples, pickle.loads(pickle.dumps(prepared[::2]))).tolist() == expected
    ragged = METRIC.prepare_segments([[np.array([5, 6])], [np.array([7]), np.array([8, 9])]])
    assert (ragged.num_references, len(ragged)) == (-1, 2)
    assert METRIC.statistics(np.array([[5, 6], [8, 9]]), ragged)[:, 2].tolist() == [2, 2]


@pytest.mark.parametrize("largest", [9, 1 << 17, (1 << 18) - 1, 1 << 18, 1 << 40, (1 << 63) - 1])
@pytest.mark.parametrize("order", [1, 4, 6])
def test_ids_of_any_size(largest: int, order: int) -> None:
    """Small ids are numbered by an array, larger ones in a hash table."""
    generator = random.Random(largest)
    words = [generator.randint(0, largest) for _ in range(6)] + [largest]
    bleu = BLEU(tokenize="none", max_ngram_order=order)
    for width in (3, 60, 100, 700, 1500):
        hypotheses = [generator.choices(words, k=width) for _ in range(5)]
        references = [generator.choices(words, k=width) for _ in range(5)]
        expected = bleu.statistics(written(hypotheses), [written(references)]).tolist()
        assert bleu.statistics(np.array(hypotheses), np.array(references)).tolist() == expected
        assert bleu.statistics(hypotheses, [references]).tolist() == expected


def test_empty_matrices() -> None:
    for rows, width in ((0, 0), (0, 5), (3, 0)):
        empty = np.empty((rows, width), dtype=np.int64)
        assert METRIC.sentence_scores(empty, empty).tolist() == [0.0] * rows
        assert METRIC.statistics(empty, empty.reshape(rows, 1, width)).tolist() == [[0] * 10] * rows
        assert METRIC.prefix_scores(empty, empty).shape == (rows, width)
    padding = TokenIds(np.zeros((2, 3), dtype=np.int64), pad_id=0)
    assert METRIC.statistics(padding, padding).tolist() == [[0] * 10] * 2
    assert METRIC.statistics(padding, [[[5], [6, 7]]])[:, 1].tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"^hypotheses is empty; a corpus score needs at least one segment$"):
        METRIC.corpus_score(np.empty((0, 4), dtype=np.int64), np.empty((0, 4), dtype=np.int64))


INTEGERS_ONLY = "ids must be an array of integers, not "


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (np.zeros((2, 3)), "not of float64; convert logits to ids, as by logits.argmax(-1)"),
        (np.ma.array([[1, 2]], mask=[[0, 1]]), "fill it first: ids.filled(-100)"),
        (np.zeros((2, 3), dtype=bool), INTEGERS_ONLY + "of bool"),
        (np.zeros((2, 3), dtype=complex), INTEGERS_ONLY + "of complex128"),
        (np.zeros((2, 3), dtype="M8[s]"), INTEGERS_ONLY),
        (np.array([[1, 2]], dtype=object), INTEGERS_ONLY + "of object"),
        (np.array([["a"]]), INTEGERS_ONLY + "of <U1"),
        (np.zeros(3, int), "ids must have the shape [segments, tokens] or [segments, references, tokens],"),
        (np.zeros((1, 1, 1, 1), dtype=int), "not [1, 1, 1, 1]"),
        (np.int64(3), "not []"),
        ("abc", INTEGERS_ONLY + "str: 'abc'"),
        (b"abc", INTEGERS_ONLY + "bytes"),
        (None, INTEGERS_ONLY + "NoneType: None"),
        ([7, 8], "ids[0] must be an array of integers, not int: 7"),
        ([np.zeros((1, 2), dtype=int)], "ids[0] must have one dimension, not the shape [1, 2]"),
        ([[1], np.zeros(2)], "ids[1] must be an array of integers, not of float64"),
    ],
)
def test_what_is_no_ids(ids: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        TokenIds(ids)
    assert words in str(caught.value)


BEYOND = "hypotheses[0][1] is {}, more than the 9223372036854775807 that a token id may be"


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (
            np.array([[5, 6], [7, -3]]),
            (
                "hypotheses[1][1] is -3, and a token id must not be negative; if it is not a token, pass "
                "TokenIds(..., pad_id=-3)"
            ),
        ),
        (np.array([[5, -(2**63)]]), "hypotheses[0][1] is -9223372036854775808, and"),
        (np.array([[5, 2**63]], dtype=np.uint64), BEYOND.format(2**63)),
        (np.array([[5, 2**64 - 100]], dtype=">u8"), BEYOND.format(2**64 - 100)),
        ([[5, -3]], "hypotheses[0][1] is -3, and"),
        ([np.array([5, 2**63], dtype=np.uint64)], BEYOND.format(2**63)),
        ([[5, 2**63]], "hypotheses[0][1] is 9223372036854775808, which does not fit 64 bits"),
        ([[5, 2.0]], "hypotheses[0][1] must be an int, not float: 2.0"),
        ([[5], [None]], "hypotheses[1][0] must be an int, not NoneType: None"),
        ([[5], None], "hypotheses[1] must be a sequence of token ids, not NoneType: None"),
    ],
)
def test_ids_that_are_none(ids: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        BLEU(tokenize="none").statistics(TokenIds(ids), [[[1]] * len(ids)])
    assert str(caught.value).startswith(words)


def test_where_references_are_wrong() -> None:
    bleu = BLEU(tokenize="none")
    good = np.array([[5, 6], [7, 8]])
    bad = np.array([[5, 6], [7, -8]])
    cube = np.stack([good, bad], axis=1)
    for references, place in (
        (bad, "references[1][1]"),
        ([good, bad], "references[1][1][1]"),
        (cube, "references[1][1][1]"),
    ):
        words = f"^{re.escape(place)} is -8, and"
        with pytest.raises(ValueError, match=words):
            bleu.statistics(good, references)
        with pytest.raises(ValueError, match=words):
            bleu.prepare(references)


FLAT, CUBE = np.zeros((2, 3), dtype=int), np.zeros((2, 2, 3), dtype=int)


@pytest.mark.parametrize(
    ("ids", "options", "words"),
    [
        (FLAT, {"unk_id": "3"}, "unk_id must be an int, not str: '3'"),
        (FLAT, {"ignore_id": -(2**63)}, "ignore_id must be at least -9223372036854775807"),
        (FLAT, {"lengths": 3}, "lengths must be a sequence of integers, one for each row, not int: 3"),
        (FLAT, {"lengths": {0: 1, 1: 2}}, "lengths must be a sequence of integers, one for each row, not"),
        (FLAT, {"lengths": [1]}, "lengths has the length 1, but ids has 2 rows"),
        (FLAT, {"lengths": np.array([1, 4])}, "lengths[1] must be at most 3, got 4"),
        (FLAT, {"lengths": [-1, 0]}, "lengths[0] must be at least 0, got -1"),
        (FLAT, {"lengths": [1.0, 2]}, "lengths[0] must be an int, not float: 1.0"),
        (CUBE, {"lengths": [[1, 2]]}, "lengths has the length 1, but ids has 2 rows"),
        (CUBE, {"lengths": [[1, 2], [3]]}, "lengths[1] must be a list of 2 lengths, one for each"),
        (CUBE, {"lengths": [[1, 2], [3, 4]]}, "lengths[1][1] must be at most 3, got 4"),
        (CUBE, {"lengths": [1, 2]}, "lengths[0] must be a list of 2 lengths"),
    ],
)
def test_wrong_rules(ids: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        TokenIds(ids, **options)
    assert str(caught.value).startswith(words)


def test_what_does_not_fit() -> None:
    bleu = BLEU(tokenize="none")
    two, three = np.ones((2, 4), dtype=int), np.ones((3, 4), dtype=int)
    cases: list[tuple[Any, Any, str]] = [
        (two, [two, three], "references[1] has the shape [3, 4], but there are 2 hypotheses"),
        (two, np.ones((3, 2, 4), dtype=int), "references has the shape [3, 2, 4], which is [segments,"),
        (np.ones((2, 3, 4), dtype=int), three, "references has 3 segments, but hypotheses has 3 samples"),
        (two, two.astype(float), "references must be an array of integers, not of float64"),
        (two.astype(float), two, "hypotheses must be an array of integers, not of float64"),
        (two, [["a b", "c"]], "references[0][0] must be token ids, like the other argument, not str:"),
        (["a", "b"], two, "hypotheses[0] must be token ids, like the other argument, not str: 'a'"),
        (two, [[None, None]], "references hold nothing but None for segment 0"),
        (two, bleu.prepare(three), "references were prepared for 3 segments, but hypotheses holds 2"),
        (two, bleu.prepare([["a", "b"]]), "hypotheses are token ids, but references were prepared from text"),
    ]
    for hypotheses, references, words in cases:
        with pytest.raises((TypeError, ValueError)) as caught:
            bleu.statistics(hypotheses, references)
        assert str(caught.value).startswith(words), str(caught.value)
    for options in ({"tokenize": "13a"}, {"tokenize": "none", "lowercase": True}, {"tokenize": str.split}):
        with pytest.raises(ValueError, match=r"token ids, which need tokenize='none' and lowercase=False"):
            BLEU(**options).statistics(TokenIds(two), [[[1], [2]]])


def test_one_rule_for_arrays_in_every_method() -> None:
    hypothesis, reference = np.array([5, 6, -100]), np.array([5, 6, -100, 7])
    score = METRIC.sentence_score([5, 6], [[5, 6, 7]]).score
    assert METRIC.sentence_score(hypothesis, [reference]).score == score
    assert METRIC.sentence_scores([hypothesis], [[reference]]).tolist() == pytest.approx([score], rel=1e-12)
    with pytest.raises(ValueError, match=r"^hypothesis\[1\] is -5, and a token id must not be negative"):
        METRIC.sentence_score(np.array([5, -5]), [reference])
    # Whichever row comes first, and whether an empty array says that it holds integers.
    mixed: list[list[Any]] = [
        [[5, 6], np.array([5, -100])],
        [np.array([5, -100]), [5, 6]],
        [np.array([]), np.array([5])],
    ]
    for rows in mixed:
        lengths = METRIC.statistics(rows, [[[5], [5]]])[:, 0].tolist()
        assert lengths == [sum(id_ != -100 for id_ in row) for row in rows]


def test_tensors_as_tokens(torch: Any) -> None:
    """Items of tensors that are equal do not hash alike: they would match nothing."""
    row = torch.tensor([5, 6, 0])
    tokens = [token for token in row if token != 0]
    for call in (
        lambda: METRIC.sentence_scores([tokens], [[tokens]]),
        lambda: METRIC.sentence_score(tokens, [tokens]),
        lambda: METRIC.prepare([[tokens]]),
    ):
        with pytest.raises(
            TypeError, match=r"\[0\] is a Tensor, a type whose equal values have different hashes"
        ):
            call()
    assert METRIC.sentence_scores(TokenIds([tokens]), TokenIds([tokens])).round(9).tolist() == [100]
    with pytest.raises(TypeError, match=r"^ids\[0\]\[0\] must be an int, not Tensor: tensor\(True\)$"):
        list(TokenIds([[torch.tensor(True)]]))


def test_tensors_whose_memory_moves(torch: Any) -> None:
    for ids in (TokenIds(torch.full((300, 700), 5)), TokenIds(list(torch.full((300, 700), 5)))):
        for tensor in ids._ids if isinstance(ids._ids, list) else [ids._ids]:
            tensor.share_memory_()
        torch.full((300, 700), 9)
        assert ids[299] == [5] * 700
    tensor = torch.full((3, 4), 5)
    ids = TokenIds(tensor)
    tensor.data = torch.full((3, 4), 6)
    assert ids[0] == [6] * 4
    tensor.data = torch.full((2, 4), 6)
    with pytest.raises(RuntimeError, match=r"^hypotheses had the shape \[3, 4\], and now has \[2, 4\]$"):
        BLEU(tokenize="none").statistics(ids, [[[1]] * 3])


class Doubled(list[int]):
    def __iter__(self) -> Any:
        return iter([2 * id_ for id_ in range(len(self))])


def test_lists_of_every_size_of_int() -> None:
    """Ints of one digit are read in a short way, all others and anything that is not an int in the long one."""
    sizes = [0, 1, 256, 257, 2**15, 2**30 - 1, 2**30, 2**31, 2**60 - 1, 2**60, 2**62, 2**63 - 1]
    for row in (sizes, sizes[:6], sizes[::-1], tuple(sizes), [np.int32(7), *sizes], [*sizes, np.int64(7)]):
        assert list(TokenIds([row, [5]])) == [list(map(int, row)), [5]]
    assert list(
        TokenIds([[-100, 4, -7, -(2**30), -(2**62)]], ignore_id=-100, pad_id=[-7, -(2**30), -(2**62)])
    ) == [[4]]
    assert list(TokenIds([Doubled([9, 9, 9])])) == [[0, 2, 4]]
    for refused in (-1, -(2**30), -(2**40), 2**63, -(2**63) - 1):
        with pytest.raises(
            ValueError, match=re.escape(f"ids[1][2]: is {refused}") + "|" + re.escape(str(refused))
        ):
            list(TokenIds([[5], [1, 2, refused]]))
    for wrong in (True, 1.0, "1", None):
        with pytest.raises(TypeError, match=re.escape("ids[0][1]")):
            list(TokenIds([[5, wrong]]))


def test_lists_that_change_while_they_are_read() -> None:
    class Longer:
        def __init__(self, row: list[Any]) -> None:
            self.row = row

        def __index__(self) -> int:
            self.row.extend([1] * 100)
            return 5

    row: list[Any] = [1, 2]
    row.append(Longer(row))
    score = partial(BLEU(tokenize="none").statistics, TokenIds([row]), [[[1]]])
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        # Where other threads may change a list at any time, a copy of it is read.
        assert score()[0, 0] == 3
        assert len(row) > 3
        return
    with pytest.raises(RuntimeError, match=r"^hypotheses\[0\] changed its length while it was read$"):
        score()
