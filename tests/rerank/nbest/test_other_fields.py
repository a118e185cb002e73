"""Values beside a candidate: the same bytes after a way from Moses n-best lists to JSON and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rerank.nbest.json_lines import Written
from fastbleu.rerank.nbest.other_fields import CARRIED_FIELDS, Carried, from_json, from_moses
from tests.support.nbest_lists import dumped, refused, written

field = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r|"), max_size=8)
scores = "-3.50 1e5 -0 0 -0.0 +3 -.5 nan inf -3. 1e999 007 x 1E-05"
score = st.sampled_from([*scores.split(), "", "9" * 400]) | st.floats(allow_nan=False).map(repr)


@given(text=field, features=field, number=st.none() | score, further=st.lists(field, max_size=3))
def test_moses_to_json_and_back(text: str, features: str, number: str | None, further: list[str]) -> None:
    fields = [features] if number is None else [features, number, *further]
    line = " ||| ".join(["7", text, *fields])
    found = from_moses(line)
    assert found is not None
    assert found.fields() == fields
    members = f"{{{found.members()[:-2]}}}"
    record = json.loads(members, parse_float=Written)
    again = from_json(*map(record.get, CARRIED_FIELDS))
    assert again is not None
    assert again.fields() == fields


def test_what_json_holds() -> None:
    assert from_moses("0 ||| a") is None
    assert from_json(None, None, None) is None
    assert from_json(["x"], True, None) is None
    assert from_json(None, -3, [1]) == Carried("", "-3")
    assert from_json("lm= 1", None, ["0-0"]) == Carried("lm= 1")
    assert Carried("f", "-3.50").members() == '"features": "f", "score": -3.50, '
    assert Carried("f", "+3").members() == '"features": "f", "score": "+3", '


LINES = [
    "0 ||| a cat sat ||| lm= -3.10 tm= -2  ||| -0.50 ||| 0-0 1-1",
    "0 ||| the cat sat ||| lm= -1 ||| -3e-1 ||| 0-0",
    "1 ||| it rained |||  ||| -7",
    "1 ||| it rained ||| lm= é ||| nan",
]


@pytest.mark.parametrize(
    "command", ["mbr nbest --all", "mbr nbest --top-k 2", "oracle nbest -r ref", "score nbest -r ref"]
)
def test_the_command_carries_them(command: str, folder: Path) -> None:
    (folder / "nbest").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    (folder / "ref").write_bytes(b"the cat sat\nit rained\n")
    direct = written(command)
    (folder / "json").write_text(written(f"{command} --output-format json"), encoding="utf-8")
    as_json = [
        line.partition(', "expected_bleu"')[0].partition(', "bleu"')[0] + "}\n"
        for line in (folder / "json").read_text("utf-8").splitlines()
    ]
    (folder / "plain").write_text("".join(as_json), encoding="utf-8")
    again = written("score plain -r ref --output-format moses")
    kept = [line.rpartition(" ||| index= ")[0] or line.rpartition(" ||| ")[0] for line in direct.splitlines()]
    assert [line.rpartition(" ||| ")[0] for line in again.splitlines()] == kept
    if "nan" in again:
        # What is not asked for need not be a number.
        assert refused("mbr plain --interpolate 0.5 --all")[0] == 1


def test_lists_carry_them_too(folder: Path) -> None:
    record = {
        "candidates": ["a b", "c", "a b"],
        "features": ["f= 1", "f= 2", "f= 3"],
        "score": [-1.0, -2.5, -3],
        "further_fields": [["0-0"], [], ["1-1"]],
    }
    (folder / "named").write_bytes(dumped(record).encode())
    assert written("mbr named --top-k 2 --output-format moses -w 1") == (
        "0 ||| a b ||| f= 1 ||| -1.0 ||| 0-0 ||| index= 0 ||| 66.7\n"
        "0 ||| a b ||| f= 3 ||| -3 ||| 1-1 ||| index= 2 ||| 66.7\n"
    )
    found = json.loads(written("mbr named --top-k 2"))
    kept = {"features": ["f= 1", "f= 3"], "further_fields": [["0-0"], ["1-1"]], "score": [-1.0, -3]}
    assert {name: found[name] for name in kept} == kept


def test_a_field_that_would_be_two(folder: Path) -> None:
    (folder / "odd").write_bytes(dumped({"id": 0, "text": "a", "features": "f ||| g"}).encode())
    message = "odd: line 1: expected text without '|||' or a line break for --output-format moses, found one"
    assert refused("mbr odd --output-format moses") == (1, message)
    assert written("mbr odd --output-format text") == "a\n"


def test_names_that_are_taken() -> None:
    for option, name in (("--text-field", "features"), ("--id-field", "score")):
        status, said = refused(f"mbr moses --output-format json {option} {name}")
        assert (status, said) == (2, f"argument {option}: '{name}' is the name of a field that is added")
