"""Lines written of sources, in every form, with scores in every locale."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.inputs._lines import raw, split_lines
from fastbleu.rerank import Pools, expected, mbr, oracle
from fastbleu.rerank.nbest._fields import join_lines
from tests.support.nbest_lists import (
    POOLS,
    SCORES,
    blocks,
    dumped,
    flat,
    lists,
    moses,
    refused,
    written,
)
from tests.support.processes import python

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=8)


@given(
    segments=st.lists(words, min_size=1, max_size=6),
    decimals=st.integers(0, 17),
    values=st.lists(st.floats(-1e300, 1e300), min_size=6, max_size=6),
)
def test_lines_are_written_as_python_writes_them(
    segments: list[str], decimals: int, values: list[float]
) -> None:
    lines, _ = split_lines("".join(f"{segment}\n" for segment in segments).encode(), True)
    chosen = np.arange(len(segments))[::-1].copy()
    scores = np.array(values[: len(segments)])
    written = join_lines(lines, chosen, scores, b" ||| ", decimals).decode()
    kept = [raw(lines, int(k)).decode() for k in chosen]
    expected = [f"{segment} ||| {score:.{decimals}f}\n" for segment, score in zip(kept, scores, strict=True)]
    assert written == "".join(expected)
    assert join_lines(lines, chosen, None, b"", 0).decode() == "".join(f"{segment}\n" for segment in kept)


@pytest.mark.parametrize("number", [0, -1, 10, (1 << 63) - 1, -(1 << 63)])
def test_numbers_are_written_as_python_writes_them(number: int) -> None:
    """The least one, too, whose opposite is not an int64."""
    lines, _ = split_lines(b"a\n", True)
    index = (b" n=", np.array([number]))
    assert join_lines(lines, np.array([0]), None, b"", 0, index) == b"a n=%d\n" % number


def test_what_is_chosen_has_to_be_there() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    for numbers in ([2], [-1]):
        with pytest.raises(IndexError, match=f"segment {numbers[0]} is out of range for a column of 2"):
            join_lines(lines, np.array(numbers), None, b"", 0)
    with pytest.raises(ValueError, match="scores must hold 1 numbers, not 2"):
        join_lines(lines, np.array([0]), np.zeros(2), b"", 0)
    with pytest.raises(ValueError, match=r"decimals must be in 0\.\.17, not 18"):
        join_lines(lines, np.array([0]), np.zeros(1), b"", 18)


def joined(records: Iterable[object]) -> str:
    return "".join(map(dumped, records))


def first(arguments: str) -> dict[str, Any]:
    """The first line that a command writes, which is JSON."""
    found: dict[str, Any] = json.loads(written(arguments).splitlines()[0])
    return found


def test_formats_of_input_and_output() -> None:
    selection = mbr(POOLS)
    places = selection.indices.tolist()
    best = [pool[k] for pool, k in zip(POOLS, places, strict=True)]
    scores = [part[k] for part, k in zip(SCORES, places, strict=True)]
    added = [
        {"expected_bleu": round(value, 4), "index": place}
        for value, place in zip(selection.utilities, places, strict=True)
    ]
    for name in ("moses", "lists", "each"):
        assert written(f"mbr {name} --output-format text") == "".join(f"{text}\n" for text in best)
    assert written("mbr lists --output-format moses") == "".join(
        f"{i} ||| {best[i]} |||  ||| {scores[i]} ||| index= {new['index']} ||| {new['expected_bleu']:.4f}\n"
        for i, new in enumerate(added)
    )
    assert written("mbr moses --output-format json") == joined(
        {"id": i, "text": best[i], "features": f"lm= {k}", "score": SCORES[i][k % 2],
         "further_fields": ["1-1  2-2"], **added[i]}
        for i, k in enumerate(places)
    )  # fmt: skip
    assert written("mbr each") == joined(
        {"text": best[i], "id": i, "score": scores[i], **added[i]} for i in range(5)
    )
    assert written("mbr lists") == joined(
        {"id": f"s{i}", "candidates": [best[i]], "score": [scores[i]], "kept": [1, 2],
         **{name: [value] for name, value in added[i].items()}}
        for i in range(5)
    )  # fmt: skip
    utilities = expected(POOLS)
    assert written("mbr lists --all") == joined(
        {**json.loads(line), "expected_bleu": [round(value, 4) for value in part.tolist()],
         "index": list(range(len(pool)))}
        for line, part, pool in zip(lists(POOLS), utilities, POOLS, strict=True)
    )  # fmt: skip
    texts = [text for pool in POOLS for text in pool]
    assert written("mbr each --all --output-format text") == "".join(
        f"{text}\t{value:.4f}\n" for text, value in zip(texts, flat(utilities), strict=True)
    )


def test_plain_text() -> None:
    pools = [pool[:2] for pool in POOLS]
    selection = mbr(Pools([text for pool in pools for text in pool], size=2))
    best = [pool[k] for pool, k in zip(pools, selection.indices, strict=True)]
    assert written("mbr text -n 2") == "".join(f"{text}\n" for text in best)
    assert written("oracle text -n 2 -r ref --output-format moses").startswith(
        "0 ||| the cat sat on the mat ||| bleu= "
    )


def test_fields_of_json_have_names(folder: Path) -> None:
    named = joined({"src": i, "hyps": pool} for i, pool in enumerate(POOLS))
    (folder / "named").write_bytes(named.encode())
    names = "--candidates-field hyps --id-field src"
    assert written(f"mbr named {names} --output-format text") == written("mbr moses --output-format text")
    assert list(first(f"self-bleu named {names}")) == ["src", "self_bleu"]
    found = first("mbr moses --output-format json --id-field src --text-field hyp")
    assert list(found)[:5] == ["src", "hyp", "features", "score", "further_fields"]
    assert list(found)[5:] == ["expected_bleu", "index"]
    assert found["hyp"] == first("mbr lists")["candidates"][0]


def test_lists_that_belong_to_the_candidates_are_cut_with_them(folder: Path) -> None:
    record: dict[str, Any] = {
        "candidates": ["a b c d", "x y z w", "a b c d"],
        "p": [1, 5, 1],
        "logp": [-1, -5, -2],
    }
    record |= {"score": [0.1, 0.5, 0.2], "tags": ["one", "two", "three"]}
    (folder / "parallel").write_bytes(dumped(record).encode())
    for options, cut, places in (
        ("", ("candidates", "score"), [0]),
        ("--top-k 2 --interpolate 0.01 --model-score logp", ("candidates", "score", "logp"), [0, 2]),
        ("--weights-from p --weights-as counts", ("candidates", "score", "p"), [1]),
        ("--top-k 2 --parallel-field tags --parallel-field p", ("candidates", "score", "tags", "p"), [0, 2]),
    ):
        found = first(f"mbr parallel {options}")
        expected = {name: [record[name][k] for k in places] for name in cut}
        assert {name: found[name] for name in record} == {**record, **expected}
    options = "--parallel-field tags"
    none = {name: value for name, value in record.items() if name != "tags"}
    for bad, what in (({**record, "tags": ["x"]}, '["x"]'), (none, "null"), ({**record, "tags": 3}, "3")):
        (folder / "bad").write_bytes(joined([record, bad]).encode())
        message = f"bad: line 2: expected a list of 3 items in 'tags', found {what}"
        assert refused(f"mbr bad {options}") == (1, message)
        assert len(written(f"mbr bad {options} --skip-bad").splitlines()) == 1
    message = "argument --parallel-field: is for JSON with a list of candidates on each line, not for "
    assert refused(f"mbr moses {options}") == (2, f"{message}moses")
    assert refused(f"mbr each {options}") == (2, f"{message}json with one candidate on each")


def test_no_field_is_overwritten(folder: Path) -> None:
    plain = lists(POOLS)
    named = dumped({**json.loads(plain[1]), "expected_bleu": "mine"})
    (folder / "named").write_bytes("".join([plain[0], named, *plain[2:]]).encode())
    message = "expected no field 'expected_bleu', found one: the score and the place get names of "
    status, said = refused("mbr named")
    assert (status, said.startswith(f"named: line 2: {message}")) == (1, True)
    lines = written("mbr lists").splitlines()
    assert written("mbr named --skip-bad").splitlines() == [lines[0], *lines[2:]]
    # Nothing is written into the record.
    assert written("mbr named --output-format text") == written("mbr lists --output-format text")
    assert json.loads(written("score named -r ref").splitlines()[1])["expected_bleu"] == "mine"
    assert written("self-bleu named") == written("self-bleu lists")
    data = dumped({"id": 0, "text": "a"}) + dumped({"id": 1, "text": "b", "index": 3})
    message = (
        "standard input: line 2: expected no field 'index', found one: the score and the place get names of "
        "their own, see --index-field"
    )
    assert refused("mbr", data.encode()) == (1, message)
    assert json.loads(written("mbr --index-field place", data.encode()).splitlines()[1])["index"] == 3
    for options, said in (
        ("mbr each --text-field index", "--text-field: 'index' is the name of a field that is added"),
        ("mbr lists --index-field expected_bleu", "--index-field: score and place must have different names"),
        ("mbr lists --details", "--details: is for plain text; json has the place in a field"),
    ):
        assert refused(options) == (2, f"argument {said}")


def test_half_a_surrogate_pair_in_a_field_that_is_passed_on(folder: Path) -> None:
    odd = '{"id": "s9", "candidates": ["Köln"], "note": "\\ud800 Köln", "score": [1]}\n'
    (folder / "odd").write_bytes("".join([*lists(POOLS[:1]), odd]).encode())
    first, second = written("mbr odd").splitlines()
    assert f"{first}\n" == written("mbr lists").splitlines(keepends=True)[0]
    assert second.isascii()
    assert json.loads(second) == {**json.loads(odd), "expected_bleu": [100.0], "index": [0]}


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\r", "a ||| b"])
def test_texts_that_a_format_has_no_place_for(text: str) -> None:
    data = "".join(dumped({"id": 0, "text": part}) for part in ("c", text)).encode()
    for form, what in (("text", "a line break"), ("moses", "'|||' or a line break")):
        if form == "text" and "|||" in text:
            assert text in written("mbr --all --output-format text", data)
            continue
        message = f"expected text without {what} for --output-format {form}, found one"
        assert refused(f"mbr --output-format {form}", data) == (1, f"standard input: line 2: {message}")
    assert json.loads(written("mbr --all", data).splitlines()[1])["text"] == text


@pytest.fixture(scope="module")
def comma_locale(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the locale "comma", in which numbers are written as 1.234,5."""
    folder = tmp_path_factory.mktemp("locales")
    (folder / "source").write_text(
        'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n'
    )
    compiler = shutil.which("localedef")
    if compiler is None:
        pytest.skip("there is no localedef to make a locale with")
    # It warns of the categories that are missing, which --force allows.
    subprocess.run(
        [compiler, "--force", "-i", folder / "source", folder / "comma"], capture_output=True, check=False
    )
    assert (folder / "comma" / "LC_NUMERIC").exists()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form"), [("moses", "moses"), ("moses", "text"), ("each", "moses"), ("lists", "json")]
)
def test_numbers_in_a_locale_with_commas(name: str, form: str, comma_locale: Path) -> None:
    program = (
        "import locale, sys; from fastbleu.cli.rerank.command import main;"
        "locale.setlocale(locale.LC_NUMERIC, 'comma'); assert locale.str(1.5) == '1,5';"
        "sys.exit(main(sys.argv[1:]))"
    )
    arguments = f"mbr {name} --all --interpolate 0.5 --output-format {form}"
    done = python("-c", program, *arguments.split(), "-q", LOCPATH=str(comma_locale))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", written(arguments))


def test_winners_are_named_in_every_form(folder: Path) -> None:
    pools = [["a b c", "c", "a b c", "a b c", "c"], ["x y"]]
    (folder / "won.moses").write_bytes(moses(pools).encode())
    (folder / "won.json").write_bytes(joined({"candidates": pool} for pool in pools).encode())
    (folder / "won.ref").write_bytes(b"c\nx y\n")
    selection = oracle(pools, ["c", "x y"], "corpus")
    for level in ("sentence", "corpus"):
        lines = written(f"oracle won.moses -r won.ref --level {level}").splitlines()
        details = [f"index= {k}" for k in selection.indices]
        assert [line.split(" ||| ")[-2:] for line in lines] == [[each, "100.0000"] for each in details]
    utility = round(float(mbr(pools).utilities[0]), 4)
    record = {"candidates": ["a b c"] * 2, "expected_bleu": [utility] * 2, "index": [0, 2]}
    assert first("mbr won.json --top-k 2") == record
    named = first("mbr won.json --index-field place")
    assert named == {"candidates": ["a b c"], "expected_bleu": [utility], "place": [0]}
    for options, found in (
        ("", "a b c\nx y\n"),
        ("--details", f"a b c\t0\t{utility:.4f}\nx y\t0\t100.0000\n"),
    ):
        assert written(f"mbr won.moses --output-format text {options}") == found
    everything = written("oracle won.moses -r won.ref --output-format text --details --all -w 0").splitlines()
    assert everything[:2] == ["a b c\t0\t28", "c\t1\t100"]
    assert "index" not in written("score won.json -r won.ref") + written("self-bleu lists --all")


@blocks(1 << 20, 100, 30)
def test_a_place_counts_lines_that_were_left_out(folder: Path) -> None:
    lines = ["0 ||| a", "0 ||| \udcff", "junk", "0", "0 ||| b b b", "1 ||| \udcff", "1 ||| c"]
    (folder / "bad").write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    options = "--skip-bad --all --output-format text --details -w 0"
    assert written(f"mbr bad {options}") == "a\t0\t50\nb b b\t4\t50\nc\t1\t100\n"
    (folder / "text").write_bytes(b"a\n\xff\nb b b\n\xff\n\xff\nc\n")
    assert written(f"mbr text -n 3 {options}") == "a\t0\t50\nb b b\t2\t50\nc\t2\t100\n"
    objects = [
        {"id": 0, "text": "a"},
        {"id": 0, "text": 3},
        {},
        {"id": 0, "text": "b b b"},
        {"id": 1, "text": "c"},
    ]
    (folder / "json").write_bytes("".join(map(dumped, objects)).encode())
    assert written(f"mbr json {options}") == "a\t0\t50\nb b b\t3\t50\nc\t0\t100\n"
