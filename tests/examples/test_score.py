"""The script in examples/ that scores the sample."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_script_prints_the_scores_of_both_systems() -> None:
    script = [sys.executable, str(EXAMPLES / "score.py")]
    printed = subprocess.run(script, capture_output=True, check=True, encoding="utf-8").stdout.splitlines()
    assert [line.split(" = ")[0] for line in printed[:2]] == ["alpha BLEU", "beta BLEU"]
    assert printed[2].startswith("nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:")
