"""Findings of wrong data: each is found where it is, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.compare import Finding, compare
from tests.support import newstest

SOURCES = [f"Der {k}. Satz steht hier vorne." for k in range(30)]
REFERENCES = [f"Sentence number {k} stands here in front." for k in range(30)]
GOOD = [f"The sentence number {k} stands here first." for k in range(30)]


def found(
    system: list[str], references: Any = None, metric: BLEU | None = None, sources: Any = SOURCES
) -> list[Finding]:
    """Return the findings in a system beside one that is good."""
    streams = [REFERENCES] if references is None else references
    comparison = compare({"good": list(GOOD), "odd": system}, streams, metric, trials=1, sources=sources)
    assert all(len(finding.segments) <= 20 for finding in comparison.findings)
    return [finding for finding in comparison.findings if finding.where != "good"]


def changed(*changes: tuple[int, str]) -> list[str]:
    system = list(GOOD)
    for i, text in changes:
        system[i] = text
    return system


def test_nothing_is_wrong() -> None:
    assert found(list(GOOD)) == []


def test_empty_output() -> None:
    (finding,) = found(changed((3, ""), (5, " \t")))
    assert (finding.kind, finding.where, finding.is_system) == ("empty", "odd", True)
    assert (finding.count, finding.segments) == (2, (3, 5))
    assert finding.message == "2 segments are empty, where the reference is not."
    (finding,) = found(changed((3, "")))
    assert finding.message == "1 segment is empty, where the reference is not."
    assert found(changed((3, "")), [[*REFERENCES[:3], "", *REFERENCES[4:]]]) == []


def test_length() -> None:
    (finding,) = found([line.replace(" stands here", "") for line in GOOD])
    assert (finding.kind, finding.count) == ("length", 0)
    assert finding.message.startswith(
        "the output is 25 % shorter than the references (length ratio 0.75): the brevity penalty"
    )
    (finding,) = found([f"{line} And so on and on." for line in GOOD])
    assert (finding.kind, finding.count) == ("length", 0)
    assert "longer than the references" in finding.message
    assert "extra words lower its precisions" in finding.message


def test_copies_of_the_source() -> None:
    (finding,) = found(changed((2, SOURCES[2]), (9, f" {SOURCES[9]} ")))
    assert (finding.kind, finding.segments) == ("copied", (2, 9))
    assert found(changed((2, SOURCES[2])), sources=None) == []
    # A reference that is a copy, too, makes it right.
    assert found(changed((2, SOURCES[2])), [[*REFERENCES[:2], SOURCES[2], *REFERENCES[3:]]]) == []


def test_repetitions() -> None:
    (finding,) = found(changed((2, GOOD[0]), (7, GOOD[0])))
    assert (finding.kind, finding.segments) == ("duplicate", (2, 7))
    assert finding.message == "2 segments repeat the output of an earlier segment, whose source differs."
    # Short ones, and those of equal references, may be the same.
    assert found(changed((2, "Yes."), (3, "Yes."), (4, "Yes."))) == []
    sources = [*SOURCES[:7], SOURCES[0], SOURCES[0], *SOURCES[9:]]
    assert found(changed((7, GOOD[0]), (8, GOOD[0])), sources=sources) == []
    references = [*REFERENCES[:7], REFERENCES[0], REFERENCES[0], *REFERENCES[9:]]
    assert found(changed((7, GOOD[0]), (8, GOOD[0])), [references], sources=None) == []
    # One may be an accident.
    assert found(changed((2, GOOD[0]))) == []


def test_tabs() -> None:
    (finding,) = found(changed((4, "a\tsentence number 4 stands here first.")))
    assert (finding.kind, finding.segments) == ("tabs", (4,))
    assert finding.message.startswith("1 segment holds tabs")
    assert found(changed((4, f"{GOOD[4]}\t"))) == []
    (finding,) = found(list(GOOD), [[*REFERENCES[:-1], "Sentence\tnumber 29 stands here in front."]])
    assert (finding.kind, finding.where, finding.is_system) == ("tabs", "references", False)
    (finding,) = found(
        list(GOOD), [REFERENCES, [*REFERENCES[:-1], "Sentence\tnumber 29 stands here in front."]]
    )
    assert finding.where == "references[1]"
    (finding,) = found(list(GOOD), sources=[f"{k}\t{line}" for k, line in enumerate(SOURCES)])
    assert (finding.kind, finding.where, finding.count) == ("tabs", "sources", 30)
    assert finding.segments == tuple(range(20))


def test_tokenized_text() -> None:
    (finding,) = found([line.replace(".", " .") for line in GOOD])
    assert (finding.kind, finding.count) == ("tokenized", 30)
    assert (
        found([line.replace(".", " .") for line in GOOD], metric=BLEU(tokenize="none"))[0].kind != "tokenized"
    )
    assert found(changed(*((k, GOOD[k].replace(".", " .")) for k in range(5)))) == []
    kinds = {
        each.where: each.kind
        for each in found(list(GOOD), [[line.replace(".", " .") for line in REFERENCES]])
    }
    assert kinds == {"references": "tokenized"}


@pytest.mark.parametrize("mark", ["@@ ", " \u2581"])
def test_subwords(mark: str) -> None:
    kinds = {each.kind for each in found([line.replace("tence", f"{mark}tence") for line in GOOD])}
    assert "subwords" in kinds


def test_the_script_of_the_tokenizer() -> None:
    chinese = ["这是第一个句子", "那是另一个句子", "今天天气很好"]
    for tokenizer, is_wrong in (("13a", True), ("none", True), ("zh", False), ("char", False)):
        comparison = compare(
            {"a": chinese, "b": chinese[::-1]}, [chinese], BLEU(tokenize=tokenizer), trials=1
        )
        kinds = [(each.kind, each.where) for each in comparison.findings if each.kind == "tokenizer"]
        assert kinds == ([("tokenizer", "references")] if is_wrong else [])
    comparison = compare({"a": GOOD, "b": GOOD}, [REFERENCES], BLEU(tokenize="zh"), trials=1)
    assert [each.kind for each in comparison.findings] == ["tokenizer"]


def test_output_in_another_script() -> None:
    russian = [f"Предложение номер {k} стоит впереди." for k in range(30)]
    comparison = compare({"good": russian, "odd": [*russian[:28], *GOOD[28:]]}, [russian], trials=1)
    (finding,) = comparison.findings
    assert (finding.kind, finding.where, finding.segments) == ("script", "odd", (28, 29))
    assert "(Latin instead of Cyrillic)" in finding.message
    # A name, or a reference in another script, does not matter.
    named = [f"{line} (Yandex Browser for Android)" for line in russian]
    comparison = compare({"a": russian, "b": russian}, [[*named[:28], *GOOD[28:]]], trials=1)
    assert "script" not in {each.kind for each in comparison.findings}
    comparison = compare({"good": GOOD, "odd": [russian[0], *GOOD[1:]]}, [REFERENCES], trials=1)
    assert [(each.kind, each.segments) for each in comparison.findings] == [("script", (0,))]


def test_tokens_and_ids() -> None:
    ids = [[1, 2, 3, 4, k] for k in range(5, 10)]
    odd = [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [], [1, 2, 3, 4, 5], [1, 2, 3, 4, 9]]
    comparison = compare(
        {"good": TokenIds(ids), "odd": TokenIds(odd)}, TokenIds(ids), BLEU(tokenize="none"), trials=1
    )
    found_in = {each.kind: each.segments for each in comparison.findings}
    assert found_in == {"length": (), "empty": (2,), "duplicate": (1, 3)}


@pytest.mark.nightly
@pytest.mark.skipif(
    newstest.folder() is None, reason="FASTBLEU_DATA does not name a folder that holds newstest2021"
)
@pytest.mark.parametrize(
    ("pair", "tokenizer"), [("en-de", "13a"), ("zh-en", "13a"), ("en-ru", "13a"), ("en-zh", "zh")]
)
def test_systems_that_took_part_in_wmt_look_right(pair: str, tokenizer: str) -> None:
    """The findings were checked by eye: segments that are empty or were left in English."""
    references = list(newstest.references(pair).values())[:1]
    comparison = compare(newstest.systems(pair), references, BLEU(tokenize=tokenizer), trials=1)
    assert {each.kind for each in comparison.findings} <= {"script", "empty"}
    assert all(each.count <= 10 for each in comparison.findings)


@pytest.mark.parametrize("reference", ["12", "3 a.m.", "", "?!"])
def test_references_of_few_letters_are_in_no_script(reference: str) -> None:
    comparison = compare({"a": ["двенадцать"], "b": ["電影を見た"]}, [[reference]], trials=1)
    assert "script" not in {finding.kind for finding in comparison.findings}
