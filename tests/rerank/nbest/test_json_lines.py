"""JSON lines that are broken: what is said of them, and what is left when they are left out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rerank.nbest import json_lines as module
from fastbleu.rerank.nbest.json_lines import KnownIds
from tests.support.nbest_lists import POOLS, blocks, dumped, each, lists, refused, run, written

BAD_JSON = (
    ("{", "expected a JSON object, found '{'"),
    ("[]", "expected a JSON object, found '[]'"),
    ("[" * 99_999, "expected a JSON object nested at most 500 deep, found a deeper one: '[[["),
    ("", "expected a JSON object, found ''"),
    (
        f'{{"candidates": ["a"], "score": [{"9" * 5000}]}}',
        'expected a JSON object, found \'{"candidates": ["a"], "score": [999',
    ),
    (f'{{"candidates": ["a"], "score": [{"9" * 400}]}}', "expected a finite number in 'score', found 999"),
    ('{"id": 9}', "expected a field 'candidates', found {\"id\": 9}"),
    ('{"candidates": "a"}', "expected a list in 'candidates', found \"a\""),
    ('{"candidates": []}', "expected candidates in 'candidates', found an empty list"),
    ('{"candidates": [1]}', "expected a string in 'candidates', found 1"),
    ('{"candidates": ["\\ud800"]}', "expected text in 'candidates', found half a surrogate pair, '\\ud800'"),
    ('{"candidates": ["a"], "id": 1.5}', "expected a string or an integer in 'id', found 1.5"),
    ('{"candidates": ["a"], "id": "s0"}', 'expected a new id, found "s0" again'),
    ('{"candidates": ["a"], "score": [NaN]}', "expected a finite number, found NaN"),
    ('{"candidates": ["a"], "score": [1e999]}', "expected a finite number, found 1e999"),
    ('{"candidates": ["a"], "score": ["1"]}', "expected a finite number in 'score', found \"1\""),
    ('{"candidates": ["a"], "score": [1, 2]}', "expected a list of 1 numbers in 'score', found [1, 2]"),
    ('{"candidates": ["a"]}', "expected a list of 1 numbers in 'score', found null"),
)


BAD_CANDIDATES = (
    ('{"text": "a", "id": 0}', "expected a new id, found 0 again"),
    ('{"text": "a"}', "expected a string or an integer in 'id', found null"),
    ('{"id": 2}', "expected a field 'text' or 'candidates', found {\"id\": 2}"),
    ('{"id": 2, "text": ["a"]}', "expected a string in 'text', found [\"a\"]"),
)


@blocks(1 << 20, 50)
@pytest.mark.parametrize(
    ("records", "place", "options", "line", "message"),
    [
        *((lists(POOLS), 2, ("--interpolate 0.5", "-r ref --interpolate 0"), *bad) for bad in BAD_JSON),
        *((each(POOLS), 7, ("", "--all"), *bad) for bad in BAD_CANDIDATES),
    ],
)
def test_a_broken_line_of_json(
    records: list[str], place: int, options: tuple[str, str], line: str, message: str
) -> None:
    data = "".join([*records[:place], f"{line}\n", *records[place + 1 :]]).encode()
    status, said = refused(f"mbr {options[0]}", data)
    assert status == 1
    assert said.startswith(f"standard input: line {place + 1}: {message}")
    # The references of the other sources are still theirs.
    Path("bad").write_bytes(data)
    _, output, said = run(f"mbr bad {options[1]} --skip-bad")
    assert len(output.splitlines()) == len(records) - 1
    left_out = "0 lines, 1 source" if place == 2 else "1 line, 0 sources"
    assert said.splitlines()[1] == f"fastbleu-rerank: left out: {left_out}"


@blocks(1 << 20, 1)
def test_a_first_line_of_json_that_is_broken() -> None:
    kept = written("mbr lists --all").splitlines()[1:]
    for broken in ("{\n", "{}\n", '{"id": "s0"}\n'):
        data = "".join([broken, *lists(POOLS)[1:]]).encode()
        assert written("mbr --all --skip-bad", data).splitlines() == kept
        status, said = refused("mbr --all", data)
        assert status == 1
        assert said.startswith("standard input: line 1: expected a ")


@blocks(1 << 20, 300, 60)
def test_a_source_lost_among_broken_lines_takes_no_reference_of_others(folder: Path) -> None:
    """Broken lines that fill blocks of their own, at the start or between two sources, may have been a source, too."""
    whole = written("mbr each")
    lines = each(POOLS)
    # Within a source nothing is lost but a candidate.
    (folder / "bad").write_text("".join([*lines[:-2], "{broken\n", lines[-1]]), encoding="utf-8")
    assert written("score bad -r ref --skip-bad").count("\n") == len(lines) - 1
    for place, more in ((0, 200), (len(lines) - 3, 200), (len(lines) - 3, 1)):
        broken = [*lines[:place], *(f"{{broken {i}\n" for i in range(more)), *lines[place:]]
        (folder / "bad").write_text("".join(broken), encoding="utf-8")
        message = (
            f"bad: line {place + 1}: expected a line with the id of its source; because sources have references, no "
            "line between two of them may be left out, found '{broken 0'"
        )
        assert refused("score bad -r ref --skip-bad --input-format json") == (1, message)
        assert written("mbr bad --skip-bad --input-format json") == whole


@blocks(1 << 20, 60, 1)
def test_a_broken_line_is_read_once(folder: Path) -> None:
    lists = [["a b", "a"], ["c d", "c"], ["e f", "e"]]
    (folder / "candidates").write_text("".join(dumped({"candidates": texts}) for texts in lists))
    broken = [lists[0], [], lists[2]]
    (folder / "samples").write_text("".join(dumped({"candidates": texts}) for texts in broken))
    found = [
        json.loads(line)["candidates"]
        for line in written("mbr candidates --evidence samples --skip-bad").splitlines()
    ]
    assert found == [["a b"], ["e f"]]


@blocks(1 << 20, 1)
def test_an_id_of_a_broken_source_is_taken() -> None:
    records = ['{"candidates": ["x"], "id": 9}', '{"id": 1}', '{"id": 2, "candidates": ["a"]}']
    records.append('{"id": 1, "candidates": ["b"]}')
    output = written("mbr --skip-bad", "\n".join(records).encode())
    assert [json.loads(line)["id"] for line in output.splitlines()] == [9, 2]


def test_numbers_that_are_too_large() -> None:
    data = dumped({"candidates": ["a", "b"], "score": [1e308, 1e308]}).encode()
    status, said = refused("mbr --weights-from score --weights-as probabilities", data)
    assert status == 1
    assert "must be probabilities that sum to 1, but they sum to inf" in said
    status, said = refused(f"mbr moses --weights-from {10**20} --weights-as counts")
    assert status == 2
    assert "the score of a Moses n-best list must be in a field from 3 to 1,000,000" in said
    for number in ("1e999", "-1E+0400", "9" * 400 + ".0"):
        data = f'{{"candidates": ["a b"], "other": {{"deep": [{number}]}}}}\n'.encode()
        status, said = refused("mbr", data)
        assert status == 1
        assert said.startswith(f"standard input: line 1: expected a finite number, found {number[:9]}"[:70])
    record = {"candidates": ["a b"], "other": [1e300, 1.5e-300, 10**320]}
    assert json.loads(written("mbr", dumped(record).encode()))["other"] == record["other"]


def nested(depth: int, form: str) -> str:
    """An object of this depth: brackets in texts, beside and after the others do not count."""
    inside = "[" * (depth - 2) + "]" * (depth - 2)
    start = {"lists": '"candidates": ["a b", "a"]', "each": '"text": "a b"'}[form]
    return f'{{"id": {depth}, {start}, "note": "[[{{\\"[[", "flat": [[], {{}}, {inside}, []]}}\n'


DEPTHS = (*range(480, 521), *range(900, 1101))


@pytest.mark.parametrize("form", ["lists", "each"])
def test_json_is_refused_at_one_depth(form: str, folder: Path) -> None:
    lines = {depth: nested(depth, form) for depth in DEPTHS}
    kept = [depth for depth in DEPTHS if depth <= 500]
    (folder / "nested").write_text("".join(lines.values()))
    status, output, said = run("mbr nested --skip-bad")
    assert status == 0
    found = [json.loads(line) for line in output.splitlines()]
    assert [(each["id"], each["flat"]) for each in found] == [
        (depth, json.loads(lines[depth])["flat"]) for depth in kept
    ]
    left_out = len(DEPTHS) - len(kept)
    counts = {"lists": f"0 lines, {left_out} sources", "each": f"{left_out} lines, 0 sources"}
    assert said.splitlines()[1] == f"fastbleu-rerank: left out: {counts[form]}"
    # As the first line, too.
    (folder / "nested").write_text(lines[501])
    message = "nested: line 1: expected a JSON object nested at most 500 deep, found a deeper one: "
    assert refused("mbr nested")[1].startswith(message)


def test_a_line_that_leaves_python_no_stack_is_broken(folder: Path) -> None:
    # From Python 3.12 to 3.13 the limit of C code is another one, and from 3.14 on it is the stack's size in bytes.
    depth = 1000 * sys.getrecursionlimit()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fastbleu.rerank.nbest.json_lines.MOST_NESTED", 10**9)
        (folder / "nested").write_text(nested(depth, "lists") + nested(3, "lists"))
        assert json.loads(written("mbr nested --skip-bad"))["id"] == 3


def test_bytes_that_are_not_utf8(folder: Path) -> None:
    data = b'{"candidates": ["a\xff"]}\n'
    problem = "expected UTF-8, found byte 0xff where it is not valid"
    assert refused("mbr --input-format json", data) == (1, f"standard input: line 1: {problem}")
    (folder / "bad").write_bytes(data)
    words = "expected candidates, found only broken lines"
    options = "-r ref --level corpus --skip-bad --input-format json"
    assert refused(f"oracle bad {options}") == (1, f"bad: {words}")


@given(st.lists(st.lists(st.binary(max_size=4), unique=True), max_size=8), st.integers(0, 9))
def test_ids_that_have_been_there(blocks: list[list[bytes]], recent: int) -> None:
    seen = KnownIds()
    expected: set[bytes] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_RECENT_IDS", recent)
        for block in blocks:
            for name in block:
                assert (name in seen) == (name in expected)
            new = [name for name in block if name not in expected]
            seen.add(new)
            expected.update(new)
            assert all(name in seen for name in expected)
