"""Moses' scripts as commands: whole processes, the same files, where `MOSES_SCRIPTS` names the folder scripts/generic.

Without the scripts the time of ours is noted. Perl and ours take turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import data
from benchmarks.measures import ENVIRONMENT, Table, least, seconds

SCRIPTS = os.environ.get("MOSES_SCRIPTS")


def process(command: list[str], stdin: Path) -> Callable[[], object]:
    def run() -> None:
        with stdin.open("rb") as file:
            subprocess.run(command, stdin=file, capture_output=True, check=True, env=ENVIRONMENT)

    return run


@pytest.mark.parametrize(
    ("streams", "times", "rounds", "must", "reach"), [(1, 1, 20, 5, 6), (3, 1, 20, 5, 8), (1, 100, 1, 5, 50)]
)
@pytest.mark.parametrize("script", ["multi-bleu", "multi-bleu-detok"])
def test_lines(
    tmp_path: Path,
    table: Table,
    script: str,
    streams: int,
    times: int,
    rounds: int,
    must: float,
    reach: float,
) -> None:
    """A test set of a thousand segments, and a file a hundred times as long."""
    for s, lines in enumerate(data.references("en-de")[:streams]):
        (tmp_path / f"ref{s}").write_text("\n".join(lines * times) + "\n", encoding="utf-8")
    hypotheses = data.system("en-de") * times
    stdin = tmp_path / "hyp"
    stdin.write_text("\n".join(hypotheses) + "\n", encoding="utf-8")
    workload = f"{script} as a command, en-de, segments: {len(hypotheses)}, references: {streams}"
    ours = process([sys.executable, "-m", "fastbleu.compat.moses", script, str(tmp_path / "ref")], stdin)
    if SCRIPTS is None:
        table.note(workload, "", seconds(least(ours, rounds=rounds)[0]))
        return
    theirs = process(["perl", f"{SCRIPTS}/{script}.perl", str(tmp_path / "ref")], stdin)
    our_time, their_time = least(ours, theirs, rounds=rounds)
    table.add(
        workload, f"perl: {seconds(their_time)} to {seconds(our_time)}", their_time / our_time, must, reach
    )
