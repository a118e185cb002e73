"""The sample in examples/ and the script that scores it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = ("source.en", "reference.A.de", "reference.B.de", "system.alpha.de", "system.beta.de")


def lines(name: str) -> list[str]:
    with open(EXAMPLES / name, encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


@pytest.mark.parametrize("name", FILES)
def test_files_hold_forty_segments(name: str) -> None:
    segments = lines(name)
    assert len(segments) == 40
    assert all(segment and segment == segment.strip() for segment in segments)


def test_script_prints_the_scores_of_both_systems() -> None:
    script = [sys.executable, str(EXAMPLES / "score.py")]
    printed = subprocess.run(script, capture_output=True, check=True, encoding="utf-8").stdout.splitlines()
    assert [line.split(" = ")[0] for line in printed[:2]] == ["alpha BLEU", "beta BLEU"]
    assert printed[2].startswith("nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:")


def test_scores_equal_those_of_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
    from fastbleu import BLEU

    references = [lines("reference.A.de"), lines("reference.B.de")]
    for system in ("system.alpha.de", "system.beta.de"):
        ours = BLEU().corpus_score(lines(system), references)
        theirs = sacrebleu.BLEU().corpus_score(lines(system), references)
        assert ours.score == theirs.score
        assert str(ours) == str(theirs)
