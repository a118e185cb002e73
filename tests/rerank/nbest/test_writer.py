"""What is written of sources: lines in every form, with scores in every locale."""

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

from fastbleu.inputs._lines import raw, split_lines
from fastbleu.rerank import Pools, expected, mbr
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
    assert written("mbr lists --output-format moses") == "".join(
        f"{i} ||| {text} ||| expected_bleu= {value} ||| {value}\n"
        for i, (text, value) in enumerate(zip(best, values, strict=True))
    )
    assert written("mbr moses --output-format json") == "".join(
        dumped({"id": i, "text": text, "expected_bleu": value})
        for i, (text, value) in enumerate(zip(best, numbers, strict=True))
    )
    scores = [part[k] for part, k in zip(SCORES, selection.indices, strict=True)]
    assert written("mbr each") == "".join(
        dumped({"text": text, "id": i, "score": score, "expected_bleu": value})
        for i, (text, score, value) in enumerate(zip(best, scores, numbers, strict=True))
    )
    assert written("mbr lists") == "".join(
        dumped(
            {"id": f"s{i}", "candidates": [text], "score": [score], "kept": [1, 2], "expected_bleu": [value]}
        )
        for i, (text, score, value) in enumerate(zip(best, scores, numbers, strict=True))
    )
    utilities = expected(POOLS)
    assert written("mbr lists --all") == "".join(
        dumped({**json.loads(line), "expected_bleu": [round(value, 4) for value in part.tolist()]})
        for line, part in zip(lists(POOLS), utilities, strict=True)
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
    assert found == {"src": 0, "hyp": best["candidates"][0], "expected_bleu": best["expected_bleu"][0]}


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
    assert json.loads(second) == {**json.loads(odd), "expected_bleu": [100.0]}


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
    assert (done.returncode, done.stderr) == (1, b"fastbleu-rerank: No space left on device\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_what_a_full_disk_holds_is_whole_lines(folder: Path) -> None:
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
        "from fastbleu.cli.rerank import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "mbr", "moses", "-o", "out"],
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr == b"fastbleu-rerank: out: File too large\n"
    output = (folder / "out").read_text()
    assert output
    assert output.endswith("\n")
    assert written("mbr moses").startswith(output)


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
        "import locale, sys; from fastbleu.cli.rerank import main;"
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
