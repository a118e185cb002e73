"""Malformed lines of Moses n-best lists: their error messages, and the output if they are skipped."""

from pathlib import Path

import pytest

from tests.support.nbest_lists import (
    POOLS,
    appended,
    blocks,
    moses_lines,
    refused,
    run,
    sentence_scores,
    written,
)

BAD_MOSES = (
    (3, "broken\n", "expected 'id ||| text ||| features ||| score' with an id of digits, found 'broken'"),
    (3, "\n", "expected 'id ||| text ||| features ||| score' with an id of digits, found ''"),
    (3, "7 ||| a\n", "expected id 0 or 1, found 7: source 1 has no candidates"),
    (
        6,
        "0 ||| a\n",
        "expected id 2 or 3, found 0: ids must rise, and the candidates of a source must be adjacent",
    ),
    (4, "1 ||| caf\udcc3 ||| x ||| -1\n", "expected UTF-8, found byte 0xc3 where it is not valid"),
)


@blocks(1 << 20, 100)
@pytest.mark.parametrize(("line", "text", "message"), BAD_MOSES)
def test_a_broken_line_of_moses(line: int, text: str, message: str) -> None:
    lines = moses_lines(POOLS)
    lines[line] = text
    data = "".join(lines).encode("utf-8", "surrogateescape")
    for threads in (1, 2):
        assert refused(f"mbr --threads {threads}", data) == (
            1,
            f"standard input: line {line + 1}: {message}",
        )


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("nan", "expected a finite number in field 4, found 'nan'"),
        ("-inf", "expected a finite number in field 4, found '-inf'"),
        ("x", "expected a number in field 4, found 'x'"),
        ("", "expected a number in field 4, found ''"),
        (None, "expected at least 4 fields between '|||', found 3: '0 ||| a ||| f'"),
    ],
)
def test_broken_scores_of_moses(number: str | None, message: str) -> None:
    line = "0 ||| a ||| f" + ("" if number is None else f" ||| {number}")
    data = f"0 ||| a ||| f ||| -1\n{line}\n".encode()
    assert refused("mbr --weights-as log-probabilities --temperature 1", data) == (
        1,
        f"standard input: line 2: {message}",
    )
    assert refused("mbr --interpolate 0.5", data) == (1, f"standard input: line 2: {message}")
    # A command that does not use the score accepts a malformed score, but not a missing field.
    if number is None:
        assert refused("mbr", data) == (1, f"standard input: line 2: {message}")
    else:
        assert len(written("mbr --all", data).splitlines()) == 2
    _, output, said = run("mbr --interpolate 0.5 --skip-bad", data)
    assert output == b"0 ||| a ||| f ||| -1 ||| index= 0 ||| 49.5000\n"
    assert said.splitlines()[-2].split()[-2:] == ["1", "0"]


@blocks(1 << 20, 100)
def test_bad_lines_are_left_out_and_counted(folder: Path) -> None:
    lines = moses_lines(POOLS)
    values = sentence_scores()
    # Skip one line of source 0, all lines of source 1, and a line of source 4 that is not UTF-8.
    left = [k for k in range(14) if k not in {1, 3, 4, 12}]
    broken = [lines[0], "broken\n", *lines[2:3], *lines[5:12], "4 ||| \udcff\n", *lines[13:]]
    (folder / "bad").write_bytes("".join(broken).encode("utf-8", "surrogateescape"))
    status, output, said = run("score bad -r ref --skip-bad")
    assert status == 0
    assert output.decode() == appended([lines[k] for k in left], [values[k] for k in left])
    assert said.splitlines()[-2].split()[-2:] == ["2", "1"]


def test_a_first_id_that_is_broken(folder: Path) -> None:
    lines = moses_lines(POOLS)
    (folder / "bad").write_bytes("".join([lines[0].replace("0", "999", 1), *lines[1:]]).encode())
    rule = "ids must rise, and the candidates of a source must be adjacent"
    message = f"bad: line 2: expected id 999 or 1000, found 0: {rule}"
    assert refused("score bad -r ref") == (1, message)
    _, output, said = run("mbr bad --skip-bad")
    assert output.startswith(b"999 ||| ")
    assert said.splitlines()[-2].split()[-2:] == ["13", "0"]
