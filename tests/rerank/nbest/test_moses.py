"""Moses n-best lists and plain text with broken lines: what is said of them, and what is left without them."""

from __future__ import annotations

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
    (6, "0 ||| a\n", "expected id 2 or 3, found 0: ids must rise, and candidates of a source stand together"),
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
    options = "mbr --weights-from 4 --weights-as log-probabilities --temperature 1"
    assert refused(options, data) == (1, f"standard input: line 2: {message}")
    assert refused("mbr --interpolate 0.5", data) == (1, f"standard input: line 2: {message}")
    # The field is not used.
    assert len(written("mbr --all", data).splitlines()) == 2
    _, output, said = run("mbr --interpolate 0.5 --skip-bad", data)
    assert output == b"0 ||| a ||| f ||| -1 ||| index= 0 ||| 49.5000\n"
    assert said.splitlines()[1] == "fastbleu-rerank: left out: 1 line, 0 sources"


@blocks(1 << 20, 100)
def test_bad_lines_are_left_out_and_counted(folder: Path) -> None:
    lines = moses_lines(POOLS)
    values = sentence_scores()
    # A line of source 0, all of source 1, and one of source 4 that is not UTF-8.
    left = [k for k in range(14) if k not in {1, 3, 4, 12}]
    broken = [lines[0], "broken\n", *lines[2:3], *lines[5:12], "4 ||| \udcff\n", *lines[13:]]
    (folder / "bad").write_bytes("".join(broken).encode("utf-8", "surrogateescape"))
    status, output, said = run("score bad -r ref --skip-bad")
    assert status == 0
    assert output.decode() == appended([lines[k] for k in left], [values[k] for k in left])
    assert said.splitlines()[1] == "fastbleu-rerank: left out: 2 lines, 1 source"


@blocks(1 << 20, 100, 1)
def test_a_first_id_that_is_broken(folder: Path) -> None:
    lines = moses_lines(POOLS)
    score = written("score moses -r ref").splitlines(keepends=True)
    for broken in (
        ["999 ||| a ||| f ||| 1\n"],
        ["999 ||| a ||| f ||| 1\n"] * 3,
        ["x\n", "999 ||| a\n", "\n", "77 ||| a\n"],
    ):
        (folder / "bad").write_bytes("".join([*broken, *lines]).encode())
        for threads in (1, 2):
            status, output, said = run(
                f"score bad -r ref --input-format moses --skip-bad --threads {threads}"
            )
            assert (status, output.decode()) == (0, "".join(score))
            count = "1 line" if len(broken) == 1 else f"{len(broken)} lines"
            assert said.splitlines()[1] == f"fastbleu-rerank: left out: {count}, 0 sources"
    (folder / "bad").write_bytes("".join([lines[0].replace("0", "999", 1), *lines[1:]]).encode())
    assert written("score bad -r ref --skip-bad") == "".join(score[1:])
    message = "bad: line 2: expected id 999 or 1000, found 0: ids must rise, and candidates of a source stand together"
    assert refused("score bad -r ref") == (1, message)
    # All that is there: nothing says that it is wrong.
    (folder / "bad").write_bytes(lines[0].replace("0", "999", 1).encode())
    assert written("mbr bad --skip-bad").startswith("999 ||| ")
    # As evidence too.
    (folder / "bad").write_bytes("".join(["999 ||| a\n", *lines]).encode())
    assert written("mbr moses --evidence bad --skip-bad") == written("mbr moses")


@blocks(1 << 20, 50)
def test_plain_text_of_another_number_of_lines() -> None:
    message = "text: line 10: expected 4 lines for each source (-n 4), found 2 for the last one"
    assert refused("mbr text -n 4") == (1, message)
    _, output, said = run("mbr text -n 4 --skip-bad")
    assert output.count(b"\n") == 2
    assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"
