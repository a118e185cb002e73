"""Findings of wrong data: each is found where it is, and nowhere else."""

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


def put(texts: list[str], **others: str) -> list[str]:
    """Texts with others in some places, which are named `at0` and so on."""
    changes = {int(place.removeprefix("at")): text for place, text in others.items()}
    return [changes.get(i, text) for i, text in enumerate(texts)]


TOKENIZED = [line.replace(".", " .") for line in GOOD]
TABBED = put(REFERENCES, at29="Sentence\tnumber 29 stands here in front.")
REPEATED = put(GOOD, at7=GOOD[0], at8=GOOD[0])
SAME_REFERENCES = put(REFERENCES, at7=REFERENCES[0], at8=REFERENCES[0])
SHORTER = "the output is 25 % shorter than the references (length ratio 0.75): the brevity penalty"


@pytest.mark.parametrize(
    ("system", "options", "kind", "segments", "message"),
    [
        (GOOD, {}, "", (), ""),
        (put(GOOD, at3="", at5=" \t"), {}, "empty", (3, 5), "2 segments are empty although the reference is not."),
        (put(GOOD, at3=""), {}, "empty", (3,), "1 segment is empty although the reference is not."),
        (put(GOOD, at3=""), {"references": [put(REFERENCES, at3="")]}, "", (), ""),
        ([line.replace(" stands here", "") for line in GOOD], {}, "length", (), SHORTER),
        ([f"{line} And so on and on." for line in GOOD], {}, "length", (), "the output is"),
        (put(GOOD, at2=SOURCES[2], at9=f" {SOURCES[9]} "), {}, "copied", (2, 9), "2 segments equal the source"),
        (put(GOOD, at2=SOURCES[2]), {"sources": None}, "", (), ""),
        # A reference that is a copy, too, makes it right.
        (put(GOOD, at2=SOURCES[2]), {"references": [put(REFERENCES, at2=SOURCES[2])]}, "", (), ""),
        (put(GOOD, at2=GOOD[0], at7=GOOD[0]), {}, "duplicate", (2, 7),
         "2 segments repeat the output of an earlier segment that has a different source."),
        # Short ones, those of equal sources or references, and a single one may be the same.
        (put(GOOD, at2="Yes.", at3="Yes.", at4="Yes."), {}, "", (), ""),
        (REPEATED, {"sources": put(SOURCES, at7=SOURCES[0], at8=SOURCES[0])}, "", (), ""),
        (REPEATED, {"references": [SAME_REFERENCES], "sources": None}, "", (), ""),
        (put(GOOD, at2=GOOD[0]), {}, "", (), ""),
        (put(GOOD, at4="a\tsentence number 4 stands here first."), {}, "tabs", (4,), "1 segment contains tabs"),
        (put(GOOD, at4=f"{GOOD[4]}\t"), {}, "", (), ""),
        (TOKENIZED, {}, "tokenized", tuple(range(20)), "30 segments look tokenized"),
        ([*TOKENIZED[:5], *GOOD[5:]], {}, "", (), ""),
    ],
)  # fmt: skip
def test_findings_in_a_system(
    system: list[str], options: dict[str, Any], kind: str, segments: tuple[int, ...], message: str
) -> None:
    findings = found(system, **options)
    assert [(each.kind, each.where, each.segments) for each in findings] == (
        [(kind, "odd", segments)] if kind else []
    )
    assert all(each.message.startswith(message) for each in findings)


def test_findings_shared_by_all_systems() -> None:
    tabbed = [f"{k}\t{line}" for k, line in enumerate(SOURCES)]
    for kind, where, options in (
        ("tabs", "references", {"references": [TABBED]}),
        ("tabs", "references[1]", {"references": [REFERENCES, TABBED]}),
        ("tabs", "sources", {"sources": tabbed}),
        ("tokenized", "references", {"references": [[line.replace(".", " .") for line in REFERENCES]]}),
    ):
        assert [(each.kind, each.where) for each in found(GOOD, **options)] == [(kind, where)]
    (finding,) = found([f"{line} And so on and on." for line in GOOD])
    assert "longer than the references" in finding.message
    assert "extra words lower its precisions" in finding.message
    (finding,) = found(GOOD, sources=tabbed)
    assert (finding.count, finding.segments) == (30, tuple(range(20)))
    assert "tokenized" not in {each.kind for each in found(TOKENIZED, metric=BLEU(tokenize="none"))}


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
