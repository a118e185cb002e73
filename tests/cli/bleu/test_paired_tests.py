"""Paired tests on the command line: what is tested, and how the table is printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from fastbleu.scoring.significance import approximate_randomization, paired_bootstrap
from tests.support.commands import printed, refused, write_lines

REFERENCE = ["The cat sat on the mat.", "It is raining, isn't it?", "A dog!", "Nobody knows what time it is."]
SYSTEMS = {
    "base": ["The cat sat on a mat.", "It is raining, is it?", "A cat!", "No one knows what time it is."],
    "new": ["A mat sat on the cat.", "It rains.", "A dog!", "Nobody knows the time."],
    "other": ["The cat sat on the mat.", "It is raining, isn't it?", "Dog!", "Who knows what time it is."],
}


@pytest.fixture(autouse=True)
def files() -> None:
    write_lines(a=REFERENCE, **SYSTEMS)


@pytest.mark.parametrize(("name", "metric"), [("BLEU", BLEU()), ("chrF2", CHRF())])
def test_the_numbers_are_those_of_the_tests(name: str, metric: Any) -> None:
    rows = {name: metric.statistics(lines, [REFERENCE]) for name, lines in SYSTEMS.items()}
    randomized = approximate_randomization(rows, metric, 50, pairs="baseline")
    found = json.loads(printed(f"a -m {name[:4]} -i base new other --paired-ar -parn 50 -q"))
    assert [row["system"] for row in found] == ["Baseline: base", "new", "other"]
    assert [row[name]["score"] for row in found] == [system.score for system in randomized.systems]
    assert [row[name]["p_value"] for row in found] == [
        None,
        *((p.extreme + 1) / 51 for p in randomized.pairs),
    ]
    assert all(row[name]["mean"] is row[name]["ci"] is None for row in found)

    resampled = paired_bootstrap(rows, metric, 60, pairs="baseline")
    found = json.loads(printed(f"a -m {name[:4]} -i base new other --paired-bs -pbsn 60 -q"))
    assert [row[name] for row in found] == [
        {"score": system.score, "p_value": p_value, "mean": system.mean, "ci": system.half_width}
        for system, p_value in zip(
            resampled.systems, [None, *(pair.p_value for pair in resampled.pairs)], strict=True
        )
    ]


def test_what_cannot_be_tested(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "new").unlink()
    assert refused("a -i base new -par -q") == (1, "new: No such file or directory")
    monkeypatch.setenv("SACREBLEU_SEED", "x")
    assert refused("a -i base other -par -q") == (
        1, "the environment's SACREBLEU_SEED must be a whole number or 'none', got 'x'"
    )  # fmt: skip
