"""Segments of text, tokens or ids as arguments, and values that are refused."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.errors import Location
from fastbleu.inputs._text import text_column
from fastbleu.inputs.columns import IDS, TEXT, TOKENS, Ids, PerSegment, column_of, common_kind
from fastbleu.inputs.reading import (
    PER_SEGMENT,
    SEGMENTS,
    STREAMS,
    as_list,
    as_sentence,
    read,
    read_per_segment,
    read_references,
)

MATRIX = np.array([[5, 6, -100], [7, -100, -100]])


class Frame:
    """A column of pandas or datasets, as it looks from outside."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return iter(self.values)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (["a", "b"], TEXT),
        (("a", None), TEXT),
        ([None, "a"], TEXT),
        ([b"a"], TEXT),  # to be refused as text
        (text_column(["a"]), TEXT),
        (Frame(["a"]), TEXT),
        (np.array(["a", "b"], dtype=object), TEXT),
        ([["a"], None], TOKENS),
        ([None, ("a", 1)], TOKENS),
        ([[]], TOKENS),
        (Frame([["a"]]), TOKENS),
        (np.array([["a", "b"]]), TOKENS),
        (np.array([["a", 1]], dtype=object), TOKENS),
        (Frame([np.array([1, 2])]), IDS),
        (TokenIds([[1]]), IDS),
        (MATRIX, IDS),
        (memoryview(MATRIX), IDS),
        (MATRIX[:, None], IDS),
        ([MATRIX[0], MATRIX[1]], IDS),
        ((None, MATRIX[0], [1, 2]), IDS),
        (TokenIds([]), IDS),
        ([], None),
        ([None], None),
    ],
)
def test_kinds(value: Any, kind: str | None) -> None:
    found = read(value, "hypotheses")
    assert (found.kind, len(found), str(found.location)) == (kind, len(value), "hypotheses")
    assert isinstance(found.data, TokenIds) == (kind == IDS)
    assert read(found, "other") is found


@pytest.mark.parametrize(
    ("kinds", "together"),
    [
        ([TEXT, TOKENS], TEXT),
        ([None, TOKENS, TEXT], TOKENS),
        ([TEXT, None, IDS], IDS),
        ([None, None], TEXT),
        ([], TEXT),
    ],
)
def test_several_sources_are_of_one_kind(kinds: list[Any], together: str) -> None:
    held: dict[str | None, Any] = {TEXT: ["a"], TOKENS: [["a"]], IDS: TokenIds([[1]]), None: []}
    assert common_kind([column_of(held[kind], "references") for kind in kinds]) == together


def test_beside_ids_lists_are_ids_of_which_none_is_ignored() -> None:
    ids = column_of([[1, 2], (3,)], "references").as_kind(IDS)
    assert (ids.kind, list(ids.data), [ids[0], ids[1]]) == (IDS, [[1, 2], [3]], [[1, 2], [3]])
    assert ids.as_kind(IDS) is ids
    for held, words in (
        ([[1], [-100]], "references[1][0] is -100, and a token id must not be negative"),
        (["a"], "references[0] must be token ids, like the other argument, not str: 'a'"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(words)}"):
            column_of(held, "references").as_kind(IDS)[1]
    with pytest.raises(
        ValueError, match=r"^hypotheses must have the shape \[segments, tokens\], not \[2, 1, 3\]$"
    ):
        Ids(TokenIds(MATRIX[:, None]), "hypotheses").flat()


@pytest.mark.parametrize(
    ("expected", "hint"),
    [
        (SEGMENTS, "for one segment pass [x]"),
        (STREAMS, "for one segment pass [[x]]"),
        (PER_SEGMENT, "for one segment pass [[x]]"),
        ("a sequence of completions", "for one completion pass [x]"),
        ("a sequence with the language of each completion", "for one completion pass [x]"),
        ("a sequence of labels, or an int", "for one label pass [x]"),
    ],
)
def test_bare_str(expected: str, hint: str) -> None:
    with pytest.raises(TypeError) as caught:
        as_list("ab", "x", expected)
    assert str(caught.value) == f"x must be {expected}, not a bare str: 'ab'; {hint}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"ab", "x must be a sequence of segments, not a bare bytes: b'ab'; for one segment pass [x]"),
        (
            iter("ab"),
            "x must be a sequence of segments, not a str_ascii_iterator; convert it to a list: list(x)",
        ),
        ({"a": 1}, "x must be a sequence of segments, not dict with the keys ['a']"),
        ({"a"}, "x must be a sequence of segments, not set: {'a'}"),
        (7, "x must be a sequence of segments, not int: 7"),
        *(
            (
                ids,
                f"x is a list of {kind}, but token ids have a row for each segment; for one segment pass [x]",
            )
            for ids, kind in (([5, 6], "int"), ((5,), "int"), ([*MATRIX[0]], "int64"))
        ),
        (None, "x must be a sequence of segments, not NoneType: None"),
        (np.array("a"), "x must be a sequence of segments, not ndarray: array('a', dtype='<U1')"),
    ],
)
def test_what_holds_no_segments(value: Any, words: str) -> None:
    for check in (read,) if isinstance(value, (list, tuple)) else (as_list, read):
        with pytest.raises(TypeError) as caught:
            check(value, "x")
        assert str(caught.value).replace("str_iterator", "str_ascii_iterator") == words


def streams_of(references: Any, segments: int | None) -> Any:
    found = read_references(references, segments)
    assert not isinstance(found, PerSegment)
    return found


def test_locations_of_references_in_errors() -> None:
    streams = streams_of([["a", "b"], [["c"], None], [None, None]], 2)
    assert [stream.kind for stream in streams] == [TEXT, TOKENS, None]
    assert [str(stream.location[1]) for stream in streams] == [f"references[{s}][1]" for s in range(3)]
    assert all(stream.may_be_missing for stream in streams)
    assert streams_of(streams, 2) == streams
    per_segment = PerSegment([["a", "b"], ["c"]], Location("target")).streams()
    assert [str(stream.location[1]) for stream in per_segment] == ["target[1][0]", "target[1][1]"]
    assert [list(stream.data) for stream in per_segment] == [["a", "c"], ["b", None]]
    (cube,) = streams_of(MATRIX[:, None], None)
    assert (cube.kind, cube.data.shape, str(cube.location)) == (IDS, (2, 1, 3), "references")


@pytest.mark.parametrize(
    ("references", "segments", "words"),
    [
        ("ab", None, "references must be a list of streams, references[stream][segment], not a bare str:"),
        (["ab"], 2, "references must be a list of streams, references[stream][segment], but references[0]"),
        ([["a"], None], None, "references[1] is None; omit a stream that is missing"),
        (
            text_column(["a"]),
            1,
            "references must be a list of streams, references[stream][segment], not one column",
        ),
        ([], None, "references is empty; at least one stream of references is needed"),
        ([["a"], ["a", "b"]], None, "references[1] has 2 segments, but references[0] has 1"),
        ([["a"]], 2, "references[0] has 1 segment, but there are 2 hypotheses"),
        ([["a", "b"]], 1, "references[0] has 2 segments, but there is 1 hypothesis"),
        ([["a"], ["b"], ["c"]], 3, "references[0] has 1 segment, but there are 3 hypotheses; references"),
        ([MATRIX[0]], 3, "references[0] is an array of one dimension, but references is a list of streams"),
        (
            [MATRIX[:, None]],
            2,
            "references[0] has the shape [2, 1, 3], which is [segments, references, tokens]; pass it",
        ),
        (MATRIX, 3, "references has the shape [2, 3], but there are 3 hypotheses"),
        (MATRIX[:, None][:, :0], 2, "references has the shape [2, 0, 3]: no segment has any reference"),
    ],
)
def test_streams_that_do_not_fit(references: Any, segments: int | None, words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        read_references(references, segments)
    assert str(caught.value).startswith(words)


ROW_WORDS = "has the shape [3], but token ids have a row for each segment: [segments, tokens]"
HYPERCUBE = np.zeros((2, 1, 2, 3), dtype=int)


@pytest.mark.parametrize(
    ("hypotheses", "references", "words"),
    [
        (MATRIX[0], MATRIX[0], f"hypotheses {ROW_WORDS}; for one segment pass hypotheses[None]"),
        (MATRIX[0], [MATRIX[0]], f"hypotheses {ROW_WORDS}; for one segment pass hypotheses[None]"),
        (
            MATRIX,
            MATRIX[0],
            f"references {ROW_WORDS}, or [segments, references, tokens]; for one segment pass references[None]",
        ),
        (HYPERCUBE, HYPERCUBE, f"hypotheses {ROW_WORDS}".replace("[3]", "[2, 1, 2, 3]")),
        (
            MATRIX,
            HYPERCUBE,
            f"references {ROW_WORDS}, or [segments, references, tokens]".replace("[3]", "[2, 1, 2, 3]"),
        ),
    ],
)
def test_ids_without_a_dimension_of_rows_or_with_too_many(
    hypotheses: Any, references: Any, words: str
) -> None:
    metric = BLEU(tokenize="none")
    for call in (metric.sentence_scores, metric.corpus_score, metric.statistics, metric.accumulator().update):
        with pytest.raises((TypeError, ValueError)) as caught:
            call(hypotheses, references)
        assert str(caught.value) == words
        assert getattr(caught.value, "value", None) is not None


def test_an_empty_array_of_one_dimension_holds_no_segments() -> None:
    assert BLEU().statistics(np.array([]), [[]]).shape == (0, 10)


def test_references_that_are_given_per_segment() -> None:
    lists = [["a"], ("b", "c")]
    for given, held in ((lists, lists), ([np.array(["a", "b"])], [["a", "b"]])):
        found = read_per_segment(given, len(given))
        assert isinstance(found, PerSegment)
        assert found.lists == held
    for references, segments, words in (
        (lists, 3, "target has 2 segments, but there are 3 hypotheses"),
        ([["a"], []], None, "target[1] must hold at least one reference, got []"),
        ([["a"], "b"], None, "target[1] must be a sequence of references, not a bare str: 'b'; pass"),
        ([["a"], {"b"}], None, "target[1] must be a sequence of references, not set: {'b'}"),
        ([np.array(["a", 7], dtype=object)], None, "target[0][1] must be a str, not int: 7"),
        ("ab", None, "target must be a sequence that holds the references of each segment,"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            read_per_segment(references, segments, "target")
        assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "view", [np.asarray, memoryview, np.ascontiguousarray], ids=["array", "memoryview", "copy"]
)
def test_a_matrix_is_the_references_of_one_segment(view: Callable[[Any], Any]) -> None:
    references = np.array([[5, 6, -100, 7], [8, 9, -100, -100]])
    assert as_sentence([5], view(references)) == ([5], [[5, 6, 7], [8, 9]])
    assert as_sentence(view(references[1]), [[1]]) == ([8, 9], [[1]])
    bleu = BLEU(tokenize="none", effective_order=True)
    expected = bleu.sentence_score([5, 6], [[5, 6, 7], [8, 9]])
    for hypothesis in ([5, 6], view(np.array([5, 6, -100]))):
        assert bleu.sentence_score(hypothesis, view(references)).score == expected.score
        assert bleu.explain(hypothesis, view(references)).score.score == expected.score
        assert bleu.sentence_prefix_scores(hypothesis, view(references))[-1] == expected.score
    prepared = bleu.prepare_segments([view(references), [references[1]]])
    assert bleu.sentence_scores([[5, 6], [8, 9]], prepared).tolist() == [expected.score, 100.00000000000004]
    with pytest.raises(ValueError, match=r"^references\[1\]\[0\] is -8, and a token id must not be negative"):
        bleu.sentence_score([5], view(np.array([[5], [-8]])))
