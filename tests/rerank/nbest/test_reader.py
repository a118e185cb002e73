"""Read and write n-best lists: the result does not depend on the size of blocks or the number of threads."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu.inputs import decompressed_files
from fastbleu.rerank.nbest import reader as module
from fastbleu.rerank.nbest.blocks import Chosen
from fastbleu.rerank.nbest.nbest_options import Options
from fastbleu.rerank.nbest.reader import Reader, is_json
from tests.support.nbest_lists import COMMANDS, POOLS, blocks, each, lists, moses, refused, run, written
from tests.support.processes import python

if TYPE_CHECKING:
    from fastbleu.rerank.nbest.blocks import Block

#: Texts without line ends, separators, and white space at both ends, which the Moses format removes.
plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=10).map(
    lambda text: text.strip()
)
pools = st.lists(st.lists(plain, min_size=1, max_size=4), min_size=1, max_size=5)
sizes = st.sampled_from([1, 3, 10, 40, 1 << 20])
score = st.floats(allow_nan=False, allow_infinity=False)


class Bytes(io.BytesIO):
    name = "memory"


def read(data: bytes, options: Options, size: int) -> tuple[list[Block], str]:
    """Read blocks, and write all candidates with their indexes as scores; return the blocks and the output."""
    options.all = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decompressed_files, "BLOCK_BYTES", size)
        patch.setattr(module, "_opened", lambda _: nullcontext(Bytes(data)))
        with Reader(options, True, options.added_fields) as reader:
            found = [reader.parse(job.block) for job in reader.jobs()]
    written = []
    for block in found:
        numbers = np.arange(len(block.texts))
        written.append(reader.format.render(block, Chosen(numbers, block.bounds, numbers * 1.0)).decode())
    return found, "".join(written)


def texts_of(found: list[Block]) -> list[list[str]]:
    return [list(each.texts)[i:k] for each in found for i, k in pairwise(each.bounds.tolist())]


def names_of(found: list[Block]) -> list[Any]:
    return [name for each in found for name in each.names]


def scores_of(found: list[Block]) -> list[float]:
    return [value for each in found if each.scores is not None for value in each.scores.tolist()]


@given(pools=pools, first=st.integers(0, 10**12), size=sizes, data=st.data())
def test_moses(pools: list[list[str]], first: int, size: int, data: st.DataObject) -> None:
    number = sum(map(len, pools))
    scores = data.draw(st.lists(score, min_size=number, max_size=number))
    lines = [(i, text) for i, pool in enumerate(pools, first) for text in pool]
    content = "".join(
        f"{i} ||| {text} ||| f= 1 ||| {value!r} ||| 0-0\n"
        for (i, text), value in zip(lines, scores, strict=True)
    )
    found, again = read(content.encode(), Options("self-bleu"), size)
    assert texts_of(found) == pools
    assert names_of(found) == list(range(first, first + len(pools)))
    assert scores_of(found) == scores
    assert "".join(line.rpartition(" ||| ")[0] + "\n" for line in again.split("\n")[:-1]) == content


@pytest.mark.slow
@given(
    pools=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4), min_size=1),
    size=sizes, data=st.data(), ascii_only=st.booleans(),
)  # fmt: skip
def test_json(pools: list[list[str]], size: int, data: st.DataObject, ascii_only: bool) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]))
    number = len(pools)
    names = data.draw(st.lists(st.integers() | text, min_size=number, max_size=number, unique=True))
    scores = [[float(k) for k in range(len(pool))] for pool in pools]
    of_lists = [
        {"source": name, "hyps": pool, "logp": part, "x": [None]}
        for name, pool, part in zip(names, pools, scores, strict=True)
    ]
    of_each = [
        {"source": name, "hyp": text, "logp": value}
        for name, pool, part in zip(names, pools, scores, strict=True)
        for text, value in zip(pool, part, strict=True)
    ]
    for records in (of_lists, of_each):
        options = Options(
            "self-bleu", candidates_field="hyps", text_field="hyp", id_field="source", score_field="logp"
        )
        content = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records).encode()
        found, written = read(content, options, size)
        assert texts_of(found) == pools
        assert names_of(found) == names
        assert scores_of(found) == [value for part in scores for value in part]
        again = [json.loads(line) for line in written.split("\n")[:-1]]
        assert [list(record) for record in again] == [[*record, "self_bleu"] for record in records]
        assert [{name: record[name] for name in record if name != "self_bleu"} for record in again] == records


#: Pieces from which malformed lines are composed.
PIECES = (
    "0 ||| a ||| f= 1 ||| -1.5", "0 ||| b ||| f ||| 2e5", "1 ||| c d ||| f ||| 1", "7 ||| x ||| f ||| 0",
    " 1 |||", "||| ", " |||", "\t|||\t", "0", "1", "123456789012345678", "1234567890123456789", "nan", "-inf", "1_0",
    '{"id": 1, "candidates": ["a b", "c"], "score": [1, 2.5]}', '{"id": 2, "candidates": ["d"], "score": [0]}',
    '{"candidates": [', '"a b"', "]}", '{"id": "s", "text": "b", "score": 0.10}',
    '{"id": "s", "text": "c", "score": 3}',
    '"id": 1', "{", "}", "[", "]", ",", ":", '"', "\\", " ", "\t", "\r", "null", "true", "1e5",
    "NaN", "1" * 310,
    '"\\ud800"', '"\\u0000"', "[" * 501, "\ufeff", "\u2028", "\0", "\x1f", "\x85", "é", "😀", "\udcff",
)  # fmt: skip
broken_lines = st.lists(
    st.sampled_from(PIECES) | st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
    min_size=1,
    max_size=20,
)


@pytest.mark.slow
@settings(deadline=None)
@given(lines=broken_lines, size=sizes, newline=st.sampled_from(["\n", "\r\n"]))
def test_broken_lists(lines: list[str], size: int, newline: str) -> None:
    """Errors name a line; if malformed lines are skipped, the candidates do not depend on the size of blocks."""
    for first in (
        "0 ||| a ||| f ||| 1",
        '{"id": 0, "candidates": ["a"], "score": [1]}',
        '{"id": 0, "text": "a"}',
    ):
        content = newline.join([first, *lines]).encode("utf-8", "surrogateescape")
        try:
            strict, _ = read(content, Options("self-bleu"), size)
        except ValueError as error:
            said = re.match(r"memory: line (\d+): (expected |Exceeds)", str(error))
            assert said and 0 < int(said[1]) <= content.count(b"\n") + 1, error  # noqa: PT017, PT018  # right only then
            strict = None
        try:
            whole, _ = read(content, Options("self-bleu", skip_bad=True), 1 << 20)
        except ValueError as error:
            assert "found only malformed lines" in str(error)  # noqa: PT017
            continue
        parts, _ = read(content, Options("self-bleu", skip_bad=True), size)
        for part in (texts_of, names_of, scores_of):
            assert part(whole) == part(parts)
            assert strict is None or part(strict) == part(whole)
        skipped = [sum(each.skipped_lines for each in found) for found in (whole, parts, strict or whole)]
        assert skipped == skipped[:1] * 3
        assert strict is None or not skipped[0]
        for texts in texts_of(whole):
            assert first.startswith("{") or all(text.encode() in content for text in texts)


def test_forms_are_recognised() -> None:
    for line in (b"0 ||| a ||| b ||| 1\n", b" 12\t|||\n", b"12 |||\r\n"):
        assert not is_json([b"a", line], "file")
    assert is_json([b"", b' {"candidates": []}\n', b"0 ||| a"], "file")
    with pytest.raises(
        ValueError, match=r"^file: line 1: expected 'id \|\|\| text \|\|\| features \|\|\| score' or"
    ):
        is_json([b"a ||| b", b"1 |||| b", b"1||| b", b"[1]", b"", b"a text"], "file")
    for line in (b"[\r", b'[{"candidates": []}]'):
        with pytest.raises(
            ValueError, match=r"^file: found a JSON array; write one object per line: jq -c '\.\[\]'$"
        ):
            is_json([line, b'"id": 1'], "file")


@pytest.mark.parametrize("field", ["2", "0", "x", "-1", "3.0", "1" * 20])
def test_what_is_no_field_of_moses(field: str) -> None:
    message = f"--score-field must be the number of a field from 3 to 1,000,000 in a Moses n-best list, not {field!r}"
    assert refused(f"mbr moses --interpolate 0.5 --score-field {field}") == (1, message)


def test_standard_input_and_compressed_files(folder: Path) -> None:
    zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    data = (folder / "moses").read_bytes()
    expected_output = written("mbr moses")
    half = len(data) // 2
    two_members = gzip.compress(data[:half]) + gzip.compress(data[half:])
    two_frames = zstd.compress(data[:half]) + zstd.compress(data[half:])
    (folder / "moses.gz").write_bytes(two_members)
    (folder / "moses.zst").write_bytes(two_frames)
    for name in ("moses.gz", "moses.zst"):
        assert written(f"mbr {name}") == expected_output
    for stdin in (data, two_members, two_frames):
        assert written("mbr", stdin) == expected_output
        assert written("mbr -", stdin) == expected_output
    # Test Windows line ends, and no line end after the last line.
    assert written("mbr", data.replace(b"\n", b"\r\n").rstrip()) == expected_output
    (folder / "ref.gz").write_bytes(gzip.compress((folder / "ref").read_bytes()))
    assert written("oracle moses.zst -r ref.gz") == written("oracle moses -r ref")


@pytest.mark.parametrize("arguments", [*COMMANDS, "oracle moses -r ref --level corpus"])
def test_neither_blocks_nor_threads_change_a_thing(arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(arguments)
    for size in (1, 7, 100, 250):
        monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", size)
        assert written(arguments) == whole
        assert written(f"{arguments} --threads 3") == whole


def test_lines_before_a_broken_one_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompressed_files, "BLOCK_BYTES", 100)
    whole = written("mbr moses")
    data = moses(POOLS).encode() + b"broken\n"
    for threads in (1, 2):
        status, output, _ = run(f"mbr --threads {threads}", data)
        assert status == 1
        assert output
        assert whole.encode().startswith(output)
        assert output.endswith(b"\n")


@blocks(1 << 20, 20)
def test_references_of_another_number(folder: Path) -> None:
    text = "references and candidates are for different numbers of sources: "
    (folder / "few").write_bytes(b"a\nb\n")
    assert refused("oracle moses -r few") == (1, f"{text}few has 2 lines, moses has more sources")
    (folder / "many").write_bytes(b"a\n" * 77)
    assert refused("oracle moses -r many") == (1, f"{text}many has more lines, moses has 5 sources")
    whole = written("oracle moses -r ref").encode()
    for name in ("few", "many"):
        # The output that was written before the error is never complete.
        _, output, _ = run(f"oracle moses -r {name} -q")
        assert output.count(b"\n") < whole.count(b"\n")
        assert run(f"oracle moses -r {name} -q -o out")[0] == 1
        assert not (folder / "out").exists()
    (folder / "bad").write_bytes(b"a\nb\n\xff\nd\ne\n")
    message = "bad: line 3, byte offset 4: byte 0xff is not valid utf-8"
    assert refused("oracle moses -r bad") == (1, message)


@blocks(1 << 20, 60, 1)
def test_broken_lines_at_either_end_are_no_sources(folder: Path) -> None:
    for name, lines, junk in (
        ("moses", moses(POOLS), f"{10**20} ||| broken\n" * 9),
        ("each", "".join(each(POOLS)), '{"id": null}\n' * 9),
        ("lists", "".join(lists(POOLS)), ""),
    ):
        (folder / "bad").write_bytes((junk + lines + junk).encode())
        assert written("mbr bad --skip-bad") == written(f"mbr {name}")


def test_a_byte_order_mark_is_refused(folder: Path) -> None:
    for name, arguments in (("moses", "mbr bad"), ("ref", "oracle moses -r bad")):
        (folder / "bad").write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
        mark = "a byte order mark at the start; remove its 3 bytes: tail -c +4"
        assert refused(arguments) == (1, f"bad: expected UTF-8 text, found {mark}")


def test_input_of_malformed_lines() -> None:
    message = "standard input: expected candidates, found only malformed lines"
    assert refused("mbr --skip-bad", b"9" * 20 + b" ||| x\n" + b"x\n" * 9) == (1, message)


@pytest.mark.slow
@pytest.mark.unsanitized
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is asked of Linux")
def test_short_candidates_beside_long_references_take_little_memory(folder: Path) -> None:
    sources = 60_000
    with open(folder / "short", "wb") as file:
        file.writelines(b"%d ||| the cat\n" % i for i in range(sources))
    with open(folder / "long", "wb") as file:
        file.writelines(b"%d %s\n" % (i, b"the cat sat on the mat " * 25) for i in range(sources))
    assert os.path.getsize("long") > 34_000_000
    program = (
        "import sys; from fastbleu.cli.rerank.rerank_command import main; status = main(sys.argv[1:]);"
        # Not getrusage: its peak of a new program is at least that of the process which started it.
        "print(status, *(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = python("-c", program, "score", "short", "-r", "long", "-r", "long", "-q", "-o", "out")
    status, peak = map(int, done.stdout.split())
    assert status == 0
    assert peak < 110 << 10  # kB
    assert (folder / "out").read_bytes().count(b"\n") == sources
