"""Arrow's C data interface, by arrays made by hand: released once, and never believed when they lie."""

import gc
import random
import sys
import threading
from array import array
from typing import Any

import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._text import TextColumn
from fastbleu.inputs.arrow_columns import read_arrow
from tests.support.arrow_arrays import (
    HandMade,
    HandMadeStream,
    bits,
    dictionary_array,
    integer_array,
    list_array,
    new_capsule,
    offsets_of,
    text_array,
)

METRIC: Any = BLEU(tokenize="none")
WORDS = ["a", "b", "ä", "日本", "a much longer word", "", "😀"]


def statistics(hypotheses: Any, references: Any) -> Any:
    return METRIC.statistics(hypotheses, references).tolist()


def made(choose: Any, number: Any, absent: Any = 0.0) -> Any:
    return [
        None if choose.random() < absent else " ".join(choose.choices(WORDS, k=choose.randrange(9)))
        for _ in range(number)
    ]


def test_every_layout_of_text() -> None:
    choose = random.Random(1)
    for _ in range(60):
        number = choose.randrange(1, 30)
        hypotheses, references = made(choose, number), made(choose, number, 0.3)
        expected = statistics(hypotheses, [hypotheses, references])
        for skip in (0, 1, 9):
            forms = [text_array(references, form, skip) for form in ("u", "U", "vu")]
            forms += [dictionary_array(references, code, "u", skip) for code in "bBhHiIqQ"]
            for column in forms:
                assert statistics(hypotheses, [hypotheses, column]) == expected
        for form in ("u", "U", "vu"):
            assert statistics(text_array(hypotheses, form, 3), [hypotheses, references]) == expected


def test_every_layout_of_lists() -> None:
    choose = random.Random(2)
    for _ in range(40):
        number = choose.randrange(1, 20)
        lists = [choose.choices(WORDS, k=choose.randrange(6)) for _ in range(number)]
        others = [choose.choices(WORDS, k=choose.randrange(6)) for _ in range(number)]
        expected = statistics(lists, [others])
        flat, flat_others = ([word for each in all_ for word in each] for all_ in (lists, others))
        for form in ("+l", "+L"):
            for items in ("u", "U", "vu"):
                column = list_array(lists, text_array(flat, items), form)
                other = list_array(others, text_array(flat_others, items), form)
                assert statistics(column, [other]) == expected
        # The lists of a view may stand anywhere.
        order = list(range(number))
        choose.shuffle(order)
        moved: list[str | None] = []
        where = {}
        for i in order:
            where[i] = len(moved)
            moved.extend(lists[i])
        view = HandMade(
            "+vl",
            number,
            [
                None,
                array("i", [where[i] for i in range(number)]).tobytes(),
                array("i", map(len, lists)).tobytes(),
            ],
            children=[text_array(moved)],
        )
        assert statistics(view, [others]) == expected


def test_null_lists_may_hold_anything() -> None:
    # List 1 is null, and covers an item that is not UTF-8.
    items = HandMade("u", 3, [None, offsets_of([1, 1, 1], "i"), b"a\xffb"])
    lists = HandMade("+l", 3, [bits([True, False, True]), offsets_of([1, 1, 1], "i")], children=[items])
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] must be a sequence of tokens"):
        METRIC.statistics(lists, [[["a"], ["a"], ["b"]]])
    items = HandMade("u", 3, [None, offsets_of([1, 1, 1], "i"), b"axb"])
    lists = HandMade("+l", 3, [bits([True, False, True]), offsets_of([1, 1, 1], "i")], children=[items])
    tokens = [["a"], ["c"], ["b"]]
    assert statistics(tokens, [tokens, lists]) == statistics(tokens, [tokens, [["a"], None, ["b"]]])
    numbers = HandMade(
        "+l", 3, [bits([True, False, True]), offsets_of([1, 1, 1], "i")], children=[integer_array([1, 2, 3])]
    )
    ids = [[1], [5], [3]]
    assert statistics(ids, [ids, numbers]) == statistics(ids, [ids, [[1], None, [3]]])


def test_a_null_string_may_cover_anything() -> None:
    text = HandMade("u", 3, [bits([True, False, True]), offsets_of([1, 2, 1], "i"), b"a\xff\xfeb"])
    given = ["a", "b", "b"]
    assert statistics(given, [given, text]) == statistics(given, [given, ["a", None, "b"]])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["u", "U", "vu"])
def test_released_once(form: Any) -> None:
    hypotheses = text_array(["a b", "a much longer word"], form)
    references = dictionary_array(["a", None], values=form)
    METRIC.statistics(hypotheses, [["a", "b"], references])
    gc.collect()
    assert (hypotheses.released, hypotheses.schemas_released) == (1, 1)
    assert (references.released, references.schemas_released) == (1, 1)
    with pytest.raises(
        ValueError, match=r"^hypotheses is an Arrow array or stream that was released or moved"
    ):
        METRIC.statistics(hypotheses, [["a", "b"]])
    assert (hypotheses.released, hypotheses.schemas_released) == (1, 1)


def test_released_after_an_error() -> None:
    wrong = HandMade("u", 2, [None, array("i", [0, 5, 1]).tobytes(), b"a"])
    with pytest.raises(
        ValueError,
        match=r"^hypotheses\[0\] is not a valid Arrow array: its offsets or index point outside its buffers$",
    ):
        METRIC.statistics(wrong, [["a", "b"]])
    other = HandMade("g", 1, [None, bytes(8)])
    with pytest.raises(TypeError, match=r"^hypotheses must be a column of .*, not a HandMade of double$"):
        METRIC.statistics(other, [["a"]])
    short = text_array(["a", "b"])
    with pytest.raises(ValueError, match=r"^references"):
        METRIC.statistics(["a"], [short])
    gc.collect()
    for each in (wrong, other, short):
        assert (each.released, each.schemas_released) == (1, 1)


@pytest.mark.slow
def test_kept_as_long_as_a_column_needs_it() -> None:
    ids = list_array([[1, 2], [3]], integer_array([1, 2, 3]))
    held = TokenIds(ids)
    gc.collect()
    assert (ids.released, list(held)) == (0, [[1, 2], [3]])
    del held
    gc.collect()
    assert ids.released == 1


def test_released_in_another_thread() -> None:
    ids = list_array([[1, 2], [3]], integer_array([1, 2, 3]))
    held = [TokenIds(ids)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert (ids.released, ids.schemas_released) == (1, 1)


def test_a_stream() -> None:
    arrays = [text_array(["a", "b"]), text_array([]), text_array(["c"], skip=2)]
    stream = HandMadeStream(arrays)
    assert statistics(stream, [["a", "x", "c"]]) == statistics(["a", "b", "c"], [["a", "x", "c"]])
    gc.collect()
    assert [each.released for each in arrays] == [1, 1, 1]


@pytest.mark.parametrize(
    ("message", "said"), [(b"disk on fire\nat line 1", "'disk on fire'"), (None, "'Input/output error'")]
)
def test_a_stream_that_fails(message: Any, said: Any) -> None:
    arrays = [text_array(["a", "b"]), text_array(["c"])]
    stream = HandMadeStream(arrays, fails_at=1, message=message)
    with pytest.raises(
        ValueError, match=rf"^hypotheses cannot be read: its Arrow stream failed with {said}$"
    ):
        METRIC.statistics(stream, [["a", "x", "c"]])
    gc.collect()
    assert [each.released for each in arrays] == [1, 0]  # the second was never given


def test_capsules_of_something_else() -> None:
    class Other:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return self.answer

    array_ = text_array(["a"])
    schema, data = array_.__arrow_c_array__()
    for answer in (None, (schema,), (schema, schema), (data, data), ("a", "b")):
        with pytest.raises(TypeError, match=r"^hypotheses gave no"):
            METRIC.statistics(Other(answer), [["a"]])
    wrong = new_capsule(1, b"something", None)
    with pytest.raises(TypeError, match=r"^hypotheses gave no capsule named 'arrow_array'"):
        METRIC.statistics(Other((schema, wrong)), [["a"]])


def damaged(change: Any, form: Any = "u") -> Any:
    """A column of two strings after a change to its array."""
    column = text_array(["a", "a much longer word"], form)
    change(column)
    return column


def dictionary_without_values() -> Any:
    column = dictionary_array(["a", "b"])
    column.array.dictionary = type(column.array.dictionary)()
    return column


def set_field(name: Any, value: Any) -> Any:
    return lambda column: setattr(column.array, name, value)


def drop_buffer(k: Any) -> Any:
    def change(column: Any) -> None:
        column.array.buffers[k] = None

    return change


@pytest.mark.parametrize(
    "column",
    [
        damaged(set_field("length", -1)),
        damaged(set_field("offset", -5)),
        damaged(set_field("length", (1 << 63) - 1)),
        damaged(set_field("offset", (1 << 63) - 1)),
        damaged(set_field("n_buffers", 1)),
        damaged(set_field("n_buffers", -1)),
        damaged(set_field("n_children", 3)),
        damaged(set_field("buffers", type(text_array([]).array.buffers)())),
        damaged(drop_buffer(1)),
        damaged(drop_buffer(2)),
        damaged(drop_buffer(1), "vu"),
        damaged(drop_buffer(3), "vu"),
        damaged(drop_buffer(2), "vu"),
        dictionary_without_values(),
        HandMade("u", 2, [None, array("i", [0, 1, -7]).tobytes(), b"a"]),
        HandMade("u", 2, [None, array("i", [-1, 0, 1]).tobytes(), b"a"]),
        HandMade("U", 2, [None, array("q", [0, 1 << 40, 1]).tobytes(), b"a"]),
        HandMade("vu", 1, [None, b"\xff" * 16, b"a", array("q", [1]).tobytes()]),
        HandMade(
            "vu",
            1,
            [None, (20).to_bytes(4, sys.byteorder) + b"aaaa" + bytes(8), b"a", array("q", [1]).tobytes()],
        ),
        HandMade(
            "vu",
            1,
            [
                None,
                (20).to_bytes(4, sys.byteorder) + b"aaaa" + b"\x09" + bytes(7),
                b"a",
                array("q", [1]).tobytes(),
            ],
        ),
        HandMade("i", 2, [None, array("i", [0, 1]).tobytes()], dictionary=text_array(["a"])),
        HandMade("i", 1, [None, array("i", [-1]).tobytes()], dictionary=text_array(["a"])),
        HandMade("+l", 1, [None, array("i", [0, 3]).tobytes()], children=[text_array(["a"])]),
        HandMade("+l", 2, [None, array("i", [0, 1, 0]).tobytes()], children=[text_array(["a"])]),
        HandMade("+L", 1, [None, array("q", [-4, 1]).tobytes()], children=[text_array(["a"])]),
        HandMade("+w:3", 2, [None], children=[text_array(["a"])]),
        HandMade(
            "+vl",
            1,
            [None, array("i", [1]).tobytes(), array("i", [9]).tobytes()],
            children=[text_array(["a"])],
        ),
        HandMade("+l", 1, [None, array("i", [0, 1]).tobytes()]),
    ],
)
def test_arrays_that_cannot_be(column: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"^hypotheses"):
        METRIC.statistics(column, [["a", "b"][: max(0, min(2, column.array.length))]])
    gc.collect()
    assert column.released == 1


def test_offsets_that_lie_never_reach_outside() -> None:
    """Random offsets, views, indices and sizes: an error that names the argument, or a score; never a read outside."""
    outcomes = {check_lies(random.Random(seed)) for seed in range(2000)}
    assert outcomes == {"scored", "refused"}


def check_lies(choose: Any) -> Any:
    number = choose.randrange(1, 12)
    words = made(choose, number, 0.2)

    def number_near(limit: Any) -> Any:
        return choose.choice(
            [0, 1, -1, limit, limit + 1, choose.randrange(limit + 2), -(1 << 31), (1 << 31) - 1]
        )

    kind = choose.choice(["u", "U", "vu", "dictionary", "list", "list of ids", "view"])
    if kind in ("u", "U"):
        data = "".join(word or "" for word in words).encode()
        # The last offset tells how many bytes there are: nothing else does.
        offsets = [number_near(len(data)) for _ in range(number)] + [len(data)]
        column = HandMade(kind, number, [None, array("i" if kind == "u" else "q", offsets).tobytes(), data])
    elif kind == "vu":
        pool = b"some bytes that views point to"
        views = b"".join(
            b"".join((number_near(40) & 0xFFFFFFFF).to_bytes(4, sys.byteorder) for _ in range(4))
            for _ in range(number)
        )
        column = HandMade("vu", number, [None, views, pool, array("q", [len(pool)]).tobytes()])
    elif kind == "dictionary":
        indices = array("i", [number_near(3) for _ in range(number)])
        column = HandMade("i", number, [None, indices.tobytes()], dictionary=text_array(["a", "b", "c"]))
    else:
        items = integer_array([1, 2, 3]) if kind == "list of ids" else text_array(["a", "b", "c"])
        starts = array("i", [number_near(3) for _ in range(number + 1)])
        if kind == "view":
            sizes = array("i", [number_near(3) for _ in range(number)])
            column = HandMade("+vl", number, [None, starts.tobytes(), sizes.tobytes()], children=[items])
        else:
            column = HandMade("+l", number, [None, starts.tobytes()], children=[items])
    references: Any = [["a"] * number]
    if kind in ("list", "view"):
        references = [[["a"]] * number]
    elif kind == "list of ids":
        references = [[[1]] * number]
    try:
        rows = METRIC.statistics(column, references)
    except (ValueError, TypeError) as error:
        outcome = "refused"
        assert str(error).startswith("hypotheses")  # noqa: PT017  # either outcome is right
        error.__traceback__ = None
    else:
        outcome = "scored"
        assert rows.shape == (number, 10)
    assert column.released == 1
    return outcome


def nested(levels: int) -> HandMade:
    column = text_array(["a"])
    for _ in range(levels):
        column = HandMade("+l", 1, [None, offsets_of([1], "i")], children=[column])
    return column


def without(field: str, column: HandMade) -> HandMade:
    """A column whose schema has lost something."""
    setattr(column.schema, field, type(getattr(column.schema, field))() if field == "children" else None)
    return column


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (without("format", text_array(["a"])), "its schema has no format, or its children are missing"),
        (
            without("children", list_array([["a"]], text_array(["a"]))),
            "its schema has no format, or its children",
        ),
        (nested(70), "its type is more than 64 levels deep"),
        (HandMade("+w:x", 1, [None], children=[text_array(["a"])]), r"its type is '\+w:x'"),
        (HandMade("+w:-1", 1, [None], children=[text_array(["a"])]), r"its type is '\+w:-1'"),
        (HandMade("+w:99999999999", 1, [None], children=[text_array(["a"])]), r"its type is '\+w:9"),
        (HandMade("+l", 1, [None, bytes(8)]), "its lists have 0 children"),
    ],
)
def test_schemas_that_cannot_be(column: HandMade, message: str) -> None:
    with pytest.raises(ValueError, match=f"^hypotheses is not a valid Arrow array: {message}"):
        METRIC.statistics(column, [["a"]])


@pytest.mark.parametrize(
    ("column", "name"),
    [
        (
            HandMade("i", 1, [None, bytes(4)], dictionary=dictionary_array(["a"])),
            "dictionary<values=dictionary<values=string, indices=int32>, indices=int32>",
        ),
        (
            HandMade("i", 1, [None, bytes(4)], dictionary=list_array([["a"]], text_array(["a"]))),
            "dictionary<values=list<string>, indices=int32>",
        ),
        (
            list_array([[1]], HandMade("i", 1, [None, bytes(4)], dictionary=integer_array([7]))),
            "list<dictionary<values=int64, indices=int32>>",
        ),
        (
            HandMade("i", 1, [None, bytes(4)], dictionary=integer_array([7])),
            "dictionary<values=int64, indices=int32>",
        ),
        (HandMade("+r", 1, [], children=[integer_array([1]), text_array(["a"])]), "run_end_encoded"),
        (HandMade("+us:0,1", 1, [bytes(1)], children=[text_array(["a"]), integer_array([1])]), "union"),
        (HandMade("+m", 1, [None, bytes(8)], children=[text_array(["a"])]), "map"),
    ],
)
def test_types_that_are_not_read(column: HandMade, name: str) -> None:
    with pytest.raises(TypeError, match=f"^hypotheses must be .*, not a HandMade of {name}$"):
        METRIC.statistics(column, [["a"]])
    assert column.released == 1


def test_text_that_is_lowercased_or_picked() -> None:
    """The methods of a column that other rooms call, where the column is not a single buffer."""
    held = read_arrow(text_array(["A b", None, "É"], "vu"), "column")
    assert isinstance(held, TextColumn)
    assert list(held.lowered()) == ["a b", None, "é"]
    assert list(held.take(array("q", [2, 0]))) == ["É", "A b"]
    assert (held.nbytes, len(held), held[-1]) == (0, 3, "É")
    with pytest.raises(IndexError):
        held[3]
    with pytest.raises(IndexError):
        held.slice(2, 4)
