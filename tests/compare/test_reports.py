"""Comparisons as text and as JSON: both have the figures, and nothing in the data can break one."""

import json
import random
import re
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from fastbleu.compare import Comparison, compare
from fastbleu.compare.text_report import bracketed
from fastbleu.explain.terminal import columns
from tests.support import compare_oracle as oracle
from tests.support.comparisons import BASE, HOSTILE, NEW, REFERENCES
from tests.support.refusals import refusal


@pytest.fixture(scope="module")
def small() -> Comparison:
    return compare(
        {"base": BASE, "new": NEW},
        [REFERENCES],
        trials=1000,
        sources=["die Katze", "es regnete", "ein Hund"] * 8,
        domains=["news", "talk"] * 12,
        documents=[k // 2 for k in range(24)],
        training=NEW,
    )


def test_text(small: Comparison) -> None:
    text = str(small)
    assert text == small.to_text()
    headings = re.findall(r"^(.+)\n=+$", text, re.MULTILINE)
    assert headings == [
        "Result",
        "Systems",
        "Differences",
        "Where the differences come from",
        "new against base",
        "How to read this",
    ]
    new, base = small.systems
    assert re.search(
        rf"^new +1 +{new.bleu:.2f} +{new.low:.1f} to {new.high:.1f} +{new.score.precisions[0]:.1f} ",
        text,
        re.MULTILINE,
    )
    assert re.search(rf"^base +2 +{base.bleu:.2f} ", text, re.MULTILINE)
    (pair,) = small.pairs
    assert re.search(
        rf"^new vs\. base +\+{pair.difference:.2f} +{pair.low:.2f} to {pair.high:.2f} +0\.\d+ +yes +88 % +"
        rf"{pair.detectable:.2f} +{pair.wins}/{pair.ties}/{pair.losses}$",
        text,
        re.MULTILINE,
    )
    assert re.search(r"^  source +die Katze$", text, re.MULTILINE)
    assert re.search(r"^  reference +the cat sat on the mat today$", text, re.MULTILINE)
    assert re.search(r"^  base \d+\.\d +\[the cat sat on\] a \[mat today\]$", text, re.MULTILINE)
    assert all(line == line.rstrip() for line in text.split("\n"))


@pytest.mark.parametrize("width", [70, 80, 100, 200])
def test_the_width_of_text(small: Comparison, width: int) -> None:
    # Tables are as wide as their numbers are.
    lines = [line for line in small.to_text(width).split("\n") if "  " not in line]
    assert max(map(columns, lines)) <= width
    assert len(lines) > 20


def test_wrong_widths(small: Comparison) -> None:
    assert refusal(small.to_text, 69) == "ValueError: width must be at least 70, got 69"
    assert refusal(small.to_text, "80") == "TypeError: width must be an int, not str: '80'"


def test_many_pairs() -> None:
    outputs, references = oracle.corpus(random.Random(1), 14, 60, 2)
    systems = {f"system {k}": output for k, output in enumerate(outputs)}
    found = compare(systems, references, trials=10)
    text = found.to_text()
    assert len(found.pairs) == 91
    assert len(re.findall(r" vs\. ", text)) == 13 + 12
    assert "\n66 more pairs are on the HTML page and in the JSON report.\n" in text
    assert text.count(" against ") == 2


def test_many_documents(small: Comparison) -> None:
    by_document = next(each for each in small.breakdowns if each.kind == "document")
    table = small.to_text().partition("by document\n")[2].split("\n")[:11]
    assert table[0].split() == ["document", "segments", "new", "base", "difference"]
    gains = sorted(by_document.values[0] - by_document.values[1])
    expected = [f"{gain:+.1f}" for gain in [*gains[:-6:-1], *gains[4::-1]]]
    assert [row.split()[-1] for row in table[1:]] == expected


def test_the_checks_that_were_not_made_are_named() -> None:
    same = compare({"a": BASE, "b": BASE}, [REFERENCES], trials=9)
    expected = "The output was not checked for copies of the source, because no sources were given."
    assert same.unchecked == json.loads(same.to_json())["unchecked"] == expected
    assert f"\n- {expected}\n" in str(same)
    # A column without any value is left out.
    assert not re.search("^ *judges", str(same), re.MULTILINE)


def test_some_findings_are_listed() -> None:
    systems = {f"s{k}": [*BASE[:k], *[""] * (24 - k)] for k in range(12, 18)}
    text = " ".join(compare(systems, [REFERENCES], trials=1).to_text().split())
    assert "s17: 7 segments are empty although the reference is not. Segments: 18, 19, 20, 21, 22, …" in text
    assert text.count("segments are empty") == 4
    assert "- 4 more are on the HTML page and in the JSON report." in text


def test_brackets() -> None:
    found = compare({"a": ["the cat sat on a mat"], "b": ["dogs"]}, [["the cat sat on the mat"]], trials=1)
    assert bracketed(found.segments[0], 0) == "[the cat sat on] a [mat]"
    assert bracketed(found.segments[0], 1) == "dogs"
    marked = found.segments[0].systems[0]
    assert marked.orders == (4, 4, 4, 4, 0, 1)


def test_json(small: Comparison) -> None:
    found = json.loads(small.to_json())
    assert found["verdict"] == list(small.verdict)
    assert [system["name"] for system in found["systems"]] == ["new", "base"]
    assert found["systems"][0]["bleu"] == small.best.bleu
    assert found["systems"][0]["counts"] == small.best.score.counts
    pair = found["pairs"][0]
    assert pair["difference"] == small.pairs[0].difference
    assert pair["corrected_p"] == small.pairs[0].corrected_p
    detail = small.pairs[0].detail
    assert detail is not None
    assert [tuple(each["tokens"]) for each in pair["detail"]["ngrams_system"]] == [
        each.tokens for each in detail.ngrams[0]
    ]
    assert pair["detail"]["better"] == [segment.index for segment in detail.better]
    numbers = [segment["index"] for segment in found["segments"]]
    assert numbers == [segment.index for segment in small.segments]
    assert found["segments"][0]["systems"][0]["orders"] == list(small.segments[0].systems[0].orders)
    assert found["settings"]["signature"] == small.settings.signature
    assert {each["kind"] for each in found["breakdowns"]} == {"length", "domain", "document", "frequency"}


def test_other_metrics() -> None:
    found = compare({"base": BASE, "new": NEW}, [REFERENCES], trials=1000, also=[CHRF()])
    (chrf,) = found.others
    (pair,) = chrf.pairs
    best_two = " and ".join(f"{system.name} ({system.score:.2f})" for system in chrf.systems)
    assert found.verdict[-1] == f"By chrF2, {best_two} do not differ significantly (p = 0.164)."
    significant = compare({"base": BASE, "new": NEW}, [REFERENCES], trials=1000, also=[BLEU()])
    assert significant.verdict[-1] == f"BLEU also ranks new first, with {found.best.bleu:.2f}."
    score, difference = f"{chrf.systems[0].score:.2f}", f"{pair.difference:+.2f}"
    text = str(found)
    assert re.search(r"^system .*  BLEU .*  chrF2 ", text, re.MULTILINE)
    interval = f"{chrf.systems[0].low:.1f} to {chrf.systems[0].high:.1f}"
    assert re.search(rf"^new .*  {score}  {interval} ", text, re.MULTILINE)
    differences = text[text.index("\nchrF2\n") :]
    assert re.search(rf"^new vs\. base +{re.escape(difference)} ", differences, re.MULTILINE)
    assert f"\n- signature of chrF2: {chrf.signature}\n" in found.to_text(300)
    (written,) = json.loads(found.to_json())["others"]
    assert (written["name"], written["signature"]) == ("chrF2", chrf.signature)
    assert [system["score"] for system in written["systems"]] == [system.score for system in chrf.systems]
    assert written["pairs"][0]["corrected_p"] == pair.corrected_p


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_data_breaks_a_report(text: str) -> None:
    words = f"a b {text} c d"
    systems = {f"{text}1": [words, "a b c"] * 3, f"{text}2": ["a b c d", words] * 3}
    labels: dict[str, Any] = {"sources": [text] * 6, "domains": [text, "x"] * 3, "documents": [text, 1] * 3}
    found = compare(systems, [[words, text] * 3], trials=9, **labels)
    plain = found.to_text()
    assert all(line.isprintable() or "\u200c" in line for line in plain.split("\n"))
    assert {system["name"] for system in json.loads(found.to_json())["systems"]} == set(systems)
    plain.encode("utf-8")
    found.to_json().encode("utf-8")


def test_the_glossary_says_how_it_was_made() -> None:
    systems: dict[str, Any] = {"base": BASE, "new": NEW, "third": BASE}
    text = " ".join(compare(systems, [REFERENCES], trials=100).to_text().split())
    assert "exchanging the outputs of random segments 100 times (approximate randomization)" in text
    assert "corrected for 3 pairs by Holm's method" in text
    assert "It is 64 % at 1 point, never above 88 %" in text
    assert "data: 24 segments with 1 reference each." in text
    text = " ".join(
        compare(systems, [REFERENCES] * 2, test="bootstrap", trials=100, correction="none", pairs="baseline",
                documents=["a", "b"] * 12).to_text().split()
    )  # fmt: skip
    assert "resampling documents 100 times (paired bootstrap)" in text
    assert "this test calls about 11 of 100 differences between equally good systems significant" in text
    assert "p is not corrected for the 2 pairs" in text
    assert "cluster:" not in text
    assert "not estimated, because it was measured with one reference per segment" in text
    spbleu = compare(systems, [REFERENCES], BLEU(), trials=10)
    spbleu.tokenizer = "flores200"
    assert "It is 63 % at 1 point, never above 91 %" in " ".join(spbleu.to_text().split())
