"""The script in examples/ that scores the sample."""

from tests.support.modules import REPOSITORY
from tests.support.processes import python


def test_script_prints_the_scores_of_both_systems() -> None:
    printed = python(REPOSITORY / "examples" / "score.py").stdout.splitlines()
    assert [line.split(" = ")[0] for line in printed[:2]] == ["alpha BLEU", "beta BLEU"]
    assert printed[2].startswith("nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:")
