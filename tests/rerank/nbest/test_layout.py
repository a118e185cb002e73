"""Lines written of sources, in every form, with scores in every locale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU
from fastbleu.inputs import files
from fastbleu.inputs._lines import raw, split_lines
from fastbleu.rerank import Pools, expected, mbr, oracle, rank
from fastbleu.rerank.nbest._writer import join_lines
from tests.support.nbest_lists import (
    POOLS,
    SCORES,
    command,
    dumped,
    each,
    environment,
    flat,
    lists,
    moses,
    refused,
    written,
)

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
    numbers = ((b" ", np.array([number])), (b"=", np.array([7])))
    assert join_lines(lines, np.array([0]), None, b"", 0, numbers) == b"a %d=7\n" % number


def test_what_is_chosen_has_to_be_there() -> None:
    lines, _ = split_lines(b"a\nb\n", True)
    for numbers in ([2], [-1]):
        with pytest.raises(
            IndexError, match=f"segment {numbers[0]} is out of range for a column of 2 segments"
        ):
            join_lines(lines, np.array(numbers), None, b"", 0)
    with pytest.raises(ValueError, match="scores must hold 1 numbers, not 2"):
        join_lines(lines, np.array([0]), np.zeros(2), b"", 0)
    with pytest.raises(ValueError, match=r"decimals must be in 0\.\.17, not 18"):
        join_lines(lines, np.array([0]), np.zeros(1), b"", 18)


# In every form


def test_formats_of_input_and_output() -> None:
    selection = mbr(POOLS)
    best = [pool[k] for pool, k in zip(POOLS, selection.indices, strict=True)]
    values = [f"{value:.4f}" for value in selection.utilities]
    numbers = [round(value, 4) for value in selection.utilities]
    as_text = "".join(f"{text}\n" for text in best)
    for name in ("moses", "lists", "each"):
        assert written(f"mbr {name} --output-format text") == as_text
    places, votes = selection.indices.tolist(), selection.votes.tolist()
    scores = [part[k] for part, k in zip(SCORES, places, strict=True)]
    assert written("mbr lists --output-format moses") == "".join(
        f"{i} ||| {text} |||  ||| {score} ||| index= {place} votes= {count} ||| {value}\n"
        for i, (text, score, place, count, value) in enumerate(
            zip(best, scores, places, votes, values, strict=True)
        )
    )
    added = [
        {"expected_bleu": value, "index": place, "votes": count}
        for value, place, count in zip(numbers, places, votes, strict=True)
    ]
    assert written("mbr moses --output-format json") == "".join(
        dumped(
            {
                "id": i,
                "text": text,
                "features": f"lm= {k}",
                "score": SCORES[i][k % 2],
                "further_fields": ["1-1  2-2"],
                **added[i],
            }
        )
        for i, (text, k) in enumerate(zip(best, places, strict=True))
    )
    assert written("mbr each") == "".join(
        dumped({"text": text, "id": i, "score": score, **added[i]})
        for i, (text, score) in enumerate(zip(best, scores, strict=True))
    )
    assert written("mbr lists") == "".join(
        dumped(
            {
                "id": f"s{i}",
                "candidates": [text],
                "score": [score],
                "kept": [1, 2],
                **{name: [value] for name, value in added[i].items()},
            }
        )
        for i, (text, score) in enumerate(zip(best, scores, strict=True))
    )
    utilities = expected(POOLS)
    assert written("mbr lists --all") == "".join(
        dumped(
            {
                **json.loads(line),
                "expected_bleu": [round(value, 4) for value in part.tolist()],
                "index": list(range(len(pool))),
                "votes": [pool.count(text) for text in pool],
            }
        )
        for line, part, pool in zip(lists(POOLS), utilities, POOLS, strict=True)
    )
    assert written("mbr each --all --output-format text") == "".join(
        f"{text}\t{value:.4f}\n"
        for text, value in zip([text for pool in POOLS for text in pool], flat(utilities), strict=True)
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
    (folder / "named").write_bytes(
        "".join(dumped({"src": i, "hyps": pool}) for i, pool in enumerate(POOLS)).encode()
    )
    found = written("mbr named --candidates-field hyps --id-field src --output-format text")
    assert found == written("mbr moses --output-format text")


def test_ids_of_json_keep_their_name(folder: Path) -> None:
    (folder / "named").write_bytes(dumped({"src": "x", "candidates": POOLS[0]}).encode())
    best = json.loads(written("mbr lists").splitlines()[0])
    for name in ("named", "lists"):
        field = {"named": "src", "lists": "id"}[name]
        found = json.loads(written(f"self-bleu {name} --id-field {field}").splitlines()[0])
        assert list(found) == [field, "self_bleu"]
    found = json.loads(
        written("mbr moses --output-format json --id-field src --text-field hyp").splitlines()[0]
    )
    assert list(found) == [
        "src",
        "hyp",
        "features",
        "score",
        "further_fields",
        "expected_bleu",
        "index",
        "votes",
    ]
    assert found["hyp"] == best["candidates"][0]


def test_lists_that_belong_to_the_candidates_are_cut_with_them(folder: Path) -> None:
    record = {
        "candidates": ["a b c d", "x y z w", "a b c d"],
        "p": [1, 5, 1],
        "logp": [-1, -5, -2],
        "score": [0.1, 0.5, 0.2],
        "tags": ["one", "two", "three"],
    }
    (folder / "parallel").write_bytes(dumped(record).encode())
    found = json.loads(written("mbr parallel --top-k 2 --interpolate 0.01 --model-score logp"))
    kept = {"candidates": ["a b c d"] * 2, "logp": [-1, -2], "score": [0.1, 0.2]}
    assert {name: found[name] for name in record} == {**record, **kept}
    found = json.loads(written("mbr parallel --weights-from p --weights-as counts"))
    kept = {"candidates": ["x y z w"], "p": [5], "score": [0.5]}
    assert {name: found[name] for name in record} == {**record, **kept}
    found = json.loads(written("mbr parallel"))
    assert {name: found[name] for name in record} == {**record, "candidates": ["a b c d"], "score": [0.1]}


def test_no_field_is_overwritten(folder: Path) -> None:
    plain = lists(POOLS)
    named = dumped({**json.loads(plain[1]), "expected_bleu": "mine"})
    (folder / "named").write_bytes("".join([plain[0], named, *plain[2:]]).encode())
    message = "expected no field 'expected_bleu', found one: the score gets this name"
    assert refused("mbr named") == (1, f"named: line 2: {message}")
    assert written("mbr named --skip-bad").splitlines() == [
        line for i, line in enumerate(written("mbr lists").splitlines()) if i != 1
    ]
    # Nothing is written into the record.
    assert written("mbr named --output-format text") == written("mbr lists --output-format text")
    assert json.loads(written("score named -r ref").splitlines()[1])["expected_bleu"] == "mine"
    assert written("self-bleu named") == written("self-bleu lists")
    single = each(POOLS)
    single[4] = dumped({**json.loads(single[4]), "bleu": None})
    message = "expected no field 'bleu', found one: the score gets this name"
    assert refused("score -r ref", "".join(single).encode()) == (1, f"standard input: line 5: {message}")


def test_half_a_surrogate_pair_in_a_field_that_is_passed_on(folder: Path) -> None:
    odd = '{"id": "s9", "candidates": ["Köln"], "note": "\\ud800 Köln", "score": [1]}\n'
    (folder / "odd").write_bytes("".join([*lists(POOLS[:1]), odd]).encode())
    first, second = written("mbr odd").splitlines()
    assert f"{first}\n" == written("mbr lists").splitlines(keepends=True)[0]
    assert second.isascii()
    assert json.loads(second) == {**json.loads(odd), "expected_bleu": [100.0], "index": [0], "votes": [1]}


def test_texts_that_a_format_has_no_place_for() -> None:
    data = dumped({"candidates": ["a\nb"]}).encode()
    message = "standard input: line 1: expected text without a line break for --output-format text, found one"
    assert refused("mbr --output-format text", data) == (1, message)
    data = dumped({"candidates": ["a ||| b"]}).encode()
    message = "standard input: line 1: expected text without '|||' or a line break for --output-format moses, found one"
    assert refused("mbr --output-format moses", data) == (1, message)
    assert json.loads(written("mbr", data))["candidates"] == ["a ||| b"]
    for text in ("a\rb", "a\r"):
        data = "".join(dumped({"id": 0, "text": part}) for part in ("c", text)).encode()
        for form, what in (("text", "a line break"), ("moses", "'|||' or a line break")):
            message = (
                f"standard input: line 2: expected text without {what} for --output-format {form}, found one"
            )
            assert refused(f"mbr --output-format {form}", data) == (1, message)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_an_error() -> None:
    assert refused("mbr moses -o /dev/full") == (1, "/dev/full: No space left on device")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("mbr moses"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (
        1,
        b"fastbleu-rerank: standard output: No space left on device\n",
    )


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
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments.split(), "-q"],
        env={**environment(), "LOCPATH": str(comma_locale)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == written(arguments)


# Who won


def test_winners_are_named_in_every_form(folder: Path) -> None:
    pools = [["a b c", "c", "a b c", "a b c", "c"], ["x y"]]
    (folder / "won.moses").write_bytes(moses(pools).encode())
    (folder / "won.json").write_bytes("".join(dumped({"candidates": pool}) for pool in pools).encode())
    (folder / "won.ref").write_bytes(b"c\nx y\n")
    found = written("oracle won.moses -r won.ref").splitlines()
    assert [line.split(" ||| ")[-2:] for line in found] == [
        ["index= 1 votes= 2", "100.0000"],
        ["index= 0 votes= 1", "100.0000"],
    ]
    utility = round(float(mbr(pools).utilities[0]), 4)
    record = {
        "candidates": ["a b c", "a b c"],
        "expected_bleu": [utility] * 2,
        "index": [0, 2],
        "votes": [3, 3],
    }
    assert json.loads(written("mbr won.json --top-k 2").splitlines()[0]) == record
    named = json.loads(written("mbr won.json --index-field place --votes-field n").splitlines()[0])
    assert named == {"candidates": ["a b c"], "expected_bleu": [utility], "place": [0], "n": [3]}
    assert written("mbr won.moses --output-format text") == "a b c\nx y\n"
    assert (
        written("mbr won.moses --output-format text --details")
        == f"a b c\t0\t3\t{utility:.4f}\nx y\t0\t1\t100.0000\n"
    )
    everything = written("oracle won.moses -r won.ref --output-format text --details --all -w 0").splitlines()
    assert everything[:2] == ["a b c\t0\t3\t28", "c\t1\t2\t100"]
    selection = oracle(pools, ["c", "x y"], "corpus")
    lines = written("oracle won.moses -r won.ref --level corpus").splitlines()
    details = [f"index= {k} votes= {n}" for k, n in zip(selection.indices, selection.votes, strict=True)]
    assert [line.split(" ||| ")[-2] for line in lines] == details
    assert "index" not in written("score won.json -r won.ref") + written("self-bleu lists --all")


def test_votes_are_those_of_the_library(folder: Path) -> None:
    pools = [["A b", "a b", "a B", "a c"]]
    (folder / "cased").write_bytes(moses(pools).encode())
    for options, metric in (("", None), ("-lc", BLEU(lowercase=True, effective_order=True))):
        votes = mbr(pools, metric=metric).votes.tolist()
        assert f" votes= {votes[0]} " in written(f"mbr cased {options}")


@pytest.mark.parametrize("size", [1 << 20, 100, 30])
def test_a_place_counts_lines_that_were_left_out(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    lines = ["0 ||| a", "0 ||| \udcff", "junk", "0", "0 ||| b b b", "1 ||| \udcff", "1 ||| c"]
    (folder / "bad").write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    options = "--skip-bad --all --output-format text --details -w 0"
    assert written(f"mbr bad {options}") == "a\t0\t1\t50\nb b b\t4\t1\t50\nc\t1\t1\t100\n"
    (folder / "text").write_bytes(b"a\n\xff\nb b b\n\xff\n\xff\nc\n")
    assert written(f"mbr text -n 3 {options}") == "a\t0\t1\t50\nb b b\t2\t1\t50\nc\t2\t1\t100\n"
    objects = [
        {"id": 0, "text": "a"},
        {"id": 0, "text": 3},
        {},
        {"id": 0, "text": "b b b"},
        {"id": 1, "text": "c"},
    ]
    (folder / "json").write_bytes("".join(map(dumped, objects)).encode())
    assert written(f"mbr json {options}") == "a\t0\t1\t50\nb b b\t3\t1\t50\nc\t0\t1\t100\n"


def test_one_of_equal_texts(folder: Path) -> None:
    pools = [["b", "a", "b", "a", "c"], ["x", "x"]]
    (folder / "equal").write_bytes(moses(pools).encode())
    found = written("mbr equal --top-k 2 --unique --output-format text --details -w 0")
    assert found == "b\t0\t2\t40\na\t1\t2\t40\nx\t0\t2\t100\n"
    assert written("mbr equal --top-k 1 --unique") == written("mbr equal")
    # Of equal texts the one with the highest number.
    records = [{"candidates": ["b", "a", "b"], "score": [0.0, 9.0, 5.0]}]
    (folder / "scored").write_bytes("".join(map(dumped, records)).encode())
    best = json.loads(written("mbr scored --top-k 3 --unique --interpolate 1"))
    assert (best["candidates"], best["index"], best["votes"]) == (["a", "b"], [1, 2], [1, 2])
    ranking = rank(expected(pools), pools=pools, unique=True, top_k=2)
    places = [
        json.loads(line)["index"]
        for line in written("mbr equal --top-k 2 --unique --output-format json").splitlines()
    ]
    assert places == [int(k) for part in ranking.indices for k in part]
    assert refused("mbr equal --unique") == (2, "argument --unique: is for --top-k")


def test_parallel_fields(folder: Path) -> None:
    record = {
        "samples": ["a b", "c", "a b"],
        "system": ["x", "y", "z"],
        "logprob": [1, 2, 3],
        "tag": [7, 8, 9],
    }
    (folder / "parallel").write_bytes(dumped(record).encode())
    options = "--candidates-field samples --parallel-field system --parallel-field logprob"
    found = json.loads(written(f"mbr parallel {options} --top-k 2"))
    assert {name: found[name] for name in record} == {
        "samples": ["a b", "a b"],
        "system": ["x", "z"],
        "logprob": [1, 3],
        "tag": [7, 8, 9],
    }
    (folder / "ref").write_bytes(b"c\n")
    assert json.loads(written(f"oracle parallel -r ref {options}"))["system"] == ["y"]
    short = {**record, "system": ["x"]}
    none = {name: value for name, value in record.items() if name != "system"}
    for bad, what in ((short, '["x"]'), (none, "nothing"), ({**record, "system": 3}, "3")):
        (folder / "bad").write_bytes((dumped(record) + dumped(bad)).encode())
        message = f"bad: line 2: expected a list of 3 items in 'system', found {what}"
        assert refused(f"mbr bad {options}") == (1, message)
        assert len(written(f"mbr bad {options} --skip-bad").splitlines()) == 1
    message = "argument --parallel-field: is for JSON with a list of candidates on each line, not for "
    assert refused("mbr moses --parallel-field x") == (2, f"{message}moses")
    assert refused("mbr each --parallel-field x") == (2, f"{message}json with one candidate on each")


def test_names_of_what_is_added(folder: Path) -> None:
    (folder / "taken").write_bytes(
        (dumped({"candidates": ["a"]}) + dumped({"candidates": ["a"], "index": 3})).encode()
    )
    message = (
        "taken: line 2: expected no field 'index', found one: the candidate's place in its pool gets this name, or "
        "that of --index-field"
    )
    assert refused("mbr taken") == (1, message)
    assert json.loads(written("mbr taken --index-field place").splitlines()[1])["index"] == 3
    assert json.loads(written("self-bleu each --all").splitlines()[0])["id"] == 0
    for options, said in (
        ("mbr each --text-field votes", "argument --text-field: 'votes' is the name of the votes"),
        (
            "mbr lists --index-field votes",
            "argument --index-field: score, place and votes must have different names",
        ),
        ("mbr lists --details", "argument --details: is for plain text; json has place and votes in fields"),
    ):
        assert refused(options)[1] == said
