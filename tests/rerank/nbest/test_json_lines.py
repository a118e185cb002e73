"""Malformed JSON lines: their error messages, and the output if they are skipped."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.rerank import mbr
from fastbleu.rerank.nbest import json_lines as module
from fastbleu.rerank.nbest.json_lines import KnownIds
from tests.support.nbest_lists import POOLS, REFERENCES, blocks, each, figures, lists, refused, run, written

BAD_JSON = (
    ("{", "expected a JSON object, found '{'"),
    ("[]", "expected a JSON object, found '[]'"),
    ("[" * 99_999, "expected a JSON object, found '[[["),
    ("", "expected a JSON object, found an empty line; remove it or give --skip-bad"),
    (
        f'{{"candidates": ["a"], "score": [{"9" * 5000}]}}',
        "Exceeds the limit (4300 digits) for integer string",
    ),
    (f'{{"candidates": ["a"], "score": [{"9" * 400}]}}', "expected a finite number in 'score', found 999"),
    (
        '{"id": 9}',
        "expected a field 'candidates', found the fields [\"id\"]; name another field with --candidates-field",
    ),
    ('{"candidates": "a"}', "expected a list in 'candidates', found \"a\""),
    ('{"candidates": []}', "expected candidates in 'candidates', found an empty list"),
    ('{"candidates": [1]}', "expected a string in 'candidates', found 1"),
    ('{"candidates": ["\\ud800"]}', "expected text in 'candidates', found a lone surrogate, '\\ud800'"),
    ('{"candidates": ["a"], "id": 1.5}', "expected a string or an integer in 'id', found 1.5"),
    ('{"candidates": ["a"], "id": "s0"}', 'expected a new id, found "s0" again'),
    ('{"candidates": ["a"], "score": [NaN]}', "expected a finite number, found NaN"),
    ('{"candidates": ["a"], "score": [1e999]}', "expected a finite number in 'score', found Infinity"),
    ('{"candidates": ["a"], "score": ["1"]}', "expected a finite number in 'score', found \"1\""),
    ('{"candidates": ["a"], "score": [1, 2]}', "expected a list of 1 number in 'score', found [1, 2]"),
    (
        '{"candidates": ["a"]}',
        "expected a field 'score', found the fields [\"candidates\"]; name another field with --score-field",
    ),
)


BAD_CANDIDATES = (
    (
        '{"text": "a", "id": 0}',
        (
            "expected a new id, found 0 again; the candidates of a source must be on consecutive lines, so sort the "
            "lines by id"
        ),
    ),
    (
        '{"id": 2, "text": [{"role": "assistant", "content": "a"}]}',
        (
            'expected a string in \'text\', found [{"role": "assistant", "content": "a"}]; extract its content first'
        ),
    ),
    (
        '{"text": "a"}',
        "expected a field 'id', found the fields [\"text\"]; name another field with --id-field",
    ),
    (
        '{"id": 2}',
        (
            "expected a field 'candidates' or 'text', found the fields [\"id\"]; name another field with "
            "--candidates-field or --text-field"
        ),
    ),
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
    # If the line is skipped, the other sources keep their references.
    Path("bad").write_bytes(data)
    _, output, said = run(f"mbr bad {options[1]} --skip-bad")
    assert len(output.splitlines()) == len(records) - 1
    skipped = [figures(said)[f"{what} skipped"] for what in ("lines", "sources")]
    assert skipped == (["0", "1"] if place == 2 else ["1", "0"])


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
    """Malformed lines without an id, at the start or between two sources, may be a source, so they are not skipped."""
    whole = written("mbr each")
    lines = each(POOLS)
    # A malformed line within a source loses only a candidate.
    (folder / "bad").write_text("".join([*lines[:-2], "{broken\n", lines[-1]]), encoding="utf-8")
    assert written("score bad -r ref --skip-bad").count("\n") == len(lines) - 1
    for place, more in ((0, 200), (len(lines) - 3, 200), (len(lines) - 3, 1)):
        broken = [*lines[:place], *(f"{{broken {i}\n" for i in range(more)), *lines[place:]]
        (folder / "bad").write_text("".join(broken), encoding="utf-8")
        message = (
            f"bad: line {place + 1}: expected a line with the id of its source, which must not be skipped between two "
            "sources, because references are assigned to sources by order; found '{broken 0'"
        )
        assert refused("score bad -r ref --skip-bad") == (1, message)
        assert written("mbr bad --skip-bad") == whole


@blocks(1 << 20, 1)
def test_an_id_of_a_broken_source_is_taken() -> None:
    records = ['{"candidates": ["x"], "id": 9}', '{"id": 1}', '{"id": 2, "candidates": ["a"]}']
    records.append('{"id": 1, "candidates": ["b"]}')
    output = written("mbr --skip-bad", "\n".join(records).encode())
    assert [json.loads(line)["id"] for line in output.splitlines()] == [9, 2]


def test_nested_too_deep_for_python(folder: Path) -> None:
    # Python 3.12 and 3.13 limit recursion in C code separately; Python 3.14 limits it by the size of the stack.
    depth = 1000 * sys.getrecursionlimit()
    deep = '{"candidates": ["a b"], "x": ' + "[" * depth + "]" * depth + "}"
    (folder / "nested").write_text(f'{deep}\n{{"id": 3, "candidates": ["a b"]}}\n')
    assert json.loads(written("mbr nested --skip-bad"))["id"] == 3


def test_bytes_that_are_not_utf8(folder: Path) -> None:
    data = b'{"candidates": ["a\xff"]}\n'
    problem = "expected UTF-8, found byte 0xff where it is not valid"
    assert refused("mbr", data) == (1, f"standard input: line 1: {problem}")
    (folder / "bad").write_bytes(data)
    words = "expected candidates, found only malformed lines"
    options = "-r ref --level corpus --skip-bad"
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


@pytest.mark.parametrize("field", ["score", "scores", "logp"])
def test_scores_are_one_for_each_candidate(field: str) -> None:
    options = "--score-field logp"
    record = {"candidates": ["a b c d", "a b c"], field: [1, 2]}
    assert json.loads(written(f"mbr {options}", json.dumps(record).encode()))[field] == [2]
    data = json.dumps({**record, field: [1, 2, 3]}).encode()
    message = f"standard input: line 1: expected a list of 2 items in {field!r}, one per candidate, found 3"
    assert refused(f"mbr {options}", data) == (1, message)


@blocks(1 << 20, 1)
def test_references_in_json(folder: Path) -> None:
    references = {i: [text, POOLS[i][0]] for i, text in enumerate(REFERENCES)}
    for name, write in (("lists", lists), ("each", each)):
        records = [json.loads(line) for line in write(POOLS)]
        found = [int(str(record["id"]).removeprefix("s")) for record in records]
        for field, options in (("references", ""), ("refs", " --references-field refs")):
            with_them = [{**record, field: references[i]} for record, i in zip(records, found, strict=True)]
            (folder / "with").write_text("".join(f"{json.dumps(record)}\n" for record in with_them))
            (folder / "first").write_text("".join(f"{pool[0]}\n" for pool in POOLS), encoding="utf-8")
            for command in ("score", "oracle", "oracle --level corpus", "oracle --top-k 2", "oracle -m chrf"):
                by_files = written(f"{command} {name} -r ref -r first").splitlines()
                lines = [json.loads(line) for line in written(f"{command} with{options}").splitlines()]
                # The list of references is not reduced to the chosen candidates.
                assert all(line.pop(field) in references.values() for line in lines)
                assert lines == [json.loads(line) for line in by_files]
            assert written(f"mbr with{options}").count(field) == len(POOLS)
    _, _, said = run("mbr with --references-field refs")
    best = [pool[k] for pool, k in zip(POOLS, mbr(POOLS).indices, strict=True)]
    streams = [REFERENCES, [pool[0] for pool in POOLS]]
    score = BLEU(effective_order=True).corpus_score(best, streams).score
    assert figures(said)["corpus BLEU"] == f"{score:.4f}"
    assert figures(said)["signature"].startswith("nrefs:2|")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"candidates": ["a"]}',
         ("expected a field 'references', found the fields [\"candidates\"]; name another field with "
          "--references-field")),
        ('{"candidates": ["a"], "references": []}',
         "expected a string or a list of strings in 'references', found []"),
        ('{"candidates": ["a"], "references": ["b", 3]}', "expected a string in 'references', found 3"),
        ('{"id": 1, "text": "a", "references": "b"}\n{"id": 1, "text": "c", "references": "d"}',
         "expected the same 'references' for all candidates of a source, found \"d\""),
    ],
)  # fmt: skip
def test_broken_references_in_json(line: str, message: str) -> None:
    number = line.count("\n") + 1
    assert refused("score", f"{line}\n".encode()) == (1, f"standard input: line {number}: {message}")
