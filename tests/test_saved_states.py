"""Files and states of earlier versions are read, and give the same scores: states here, files in `tests/fixtures`.

Never change a state or a file. When a format changes, add one of the new format, and keep reading the old ones.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF, arrow, compare
from tests.support.nbest_lists import run

FIRST_RELEASE = Path(__file__).parent / "fixtures" / "0.1.0"

FIRST = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"tokenizer": "13a", "lowercase": true, '
    '"max_ngram_order": 4, "reference_length": "closest", "smooth_method": "add-k", "smooth_value": 2, '
    '"effective_order": false, "weights": [0.1, 0.2, 0.3, 0.4]}, "segments": 2, "num_references": [[-1, 2]], '
    '"statistics": [9, 10, 8, 5, 2, 1, 9, 7, 5, 4]}'
)
WITH_ROWS = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"tokenizer": "13a", "lowercase": false, '
    '"max_ngram_order": 4, "reference_length": "closest", "smooth_method": "exp", "smooth_value": null, '
    '"effective_order": false, "weights": null}, "segments": 2, "num_references": [[1, 2]], '
    '"statistics": [9, 10, 8, 5, 2, 1, 9, 7, 5, 4], '
    '"rows": [[7, 7, 6, 4, 2, 1, 7, 6, 5, 4], [2, 3, 2, 1, 0, 0, 2, 1, 0, 0]]}'
)
OF_CHRF = (
    '{"format": "fastbleu.Accumulator", "version": 1, "options": {"metric": "CHRF", "lowercase": true, '
    '"whitespace": false, "char_order": 2, "word_order": 1, "beta": 2, "eps_smoothing": false}, "segments": 2, '
    '"num_references": [[1, 2]], "statistics": [11, 12, 9, 9, 10, 5, 4, 4, 1]}'
)
WEIGHTED = {"lowercase": True, "smooth_method": "add-k", "smooth_value": 2, "weights": [0.1, 0.2, 0.3, 0.4]}


@pytest.mark.parametrize(
    ("metric", "state", "score"),
    [
        (
            BLEU(**WEIGHTED),
            FIRST,
            "BLEU = 53.89 88.9/77.8/57.1/50.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
        (
            BLEU(),
            WITH_ROWS,
            "BLEU = 44.92 88.9/71.4/40.0/25.0 (BP = 0.895 ratio = 0.900 hyp_len = 9 ref_len = 10)",
        ),
        (CHRF(2, 1, lowercase=True), OF_CHRF, "chrF2+ = 50.77"),
    ],
)
def test_a_state_of_an_earlier_version_is_loaded(metric: BLEU | CHRF, state: str, score: str) -> None:
    accumulator = metric.accumulator(keep_rows="rows" in state)
    accumulator.load_state_dict(json.loads(state))
    assert str(accumulator.compute()) == score
    assert accumulator.state_dict() == json.loads(state)


def total(file: Path) -> str:
    """Score columns of statistics by the options that their metadata name."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra arrow is not installed")
    score = arrow.total(parquet.read_table(file))
    return f"{score} {score.signature}".rpartition("|fastbleu:")[0]


def completed(file: Path) -> str:
    """Go on with what an interrupted `fastbleu-rerank mbr nbest.txt -o best.txt` has left."""
    shutil.copy(file.with_name("nbest.txt"), ".")
    shutil.copy(file, ".")
    assert run("mbr nbest.txt -o best.txt --resume -q") == (0, b"", "")
    return Path("best.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("read", "file", "value"),
    [
        (
            total,
            "bleu.parquet",
            (
                "BLEU = 46.42 86.7/69.2/45.5/22.2 (BP = 0.936 ratio = 0.938 hyp_len = 15 ref_len = 16) "
                "nrefs:1|case:lc|eff:no|tok:13a|smooth:floor[0.20]|version:2.6.0"
            ),
        ),
        (
            total,
            "chrf.parquet",
            "chrF2++ = 69.15 nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0",
        ),
        (
            completed,
            "best.txt.part",
            (
                "0 ||| the cat sat on the mat ||| -0.5 ||| index= 0 ||| 68.7324\n"
                "1 ||| it rained ||| -1.0 ||| index= 1 ||| 68.3940\n"
            ),
        ),
    ],
)
def test_a_file_of_an_earlier_version_is_read(
    read: Callable[[Path], str], file: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(FIRST_RELEASE / file) == value


HYPOTHESES = ["The cat sat on the mat.", "It rained all day, 1.5 inches."]
REFERENCES = ["The cat is sitting on the mat.", "It rained all day: 1.5 inches."]


def as_json(metric: BLEU | CHRF) -> str:
    score = metric.corpus_score(HYPOTHESES, [REFERENCES])
    return score.format(signature=score.signature, is_json=True)


def comparison() -> str:
    systems = {"a": HYPOTHESES, "b": REFERENCES[::-1]}
    return compare(systems, [REFERENCES], ngrams=1, segments=1, also=[CHRF()]).to_json()


def check_covers(new: Any, old: Any, key: str = "") -> None:
    """Check that JSON has all keys of an earlier version, with the same numbers and names; sentences may differ."""
    if isinstance(old, dict):
        for each, value in old.items():
            check_covers(new[each], value, each)
    elif isinstance(old, list):
        assert len(new) == len(old), key
        for one, other in zip(new, old, strict=True):
            check_covers(one, other, key)
    elif isinstance(old, float):
        assert new == pytest.approx(old, rel=1e-9), key
    elif key == "signature":
        assert new.partition("|fastbleu:")[0] == old.partition("|fastbleu:")[0]
    elif key not in {"verdict", "title", "fastbleu"}:
        assert new == old, key


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("bleu.json", lambda: as_json(BLEU())),
        ("chrf.json", lambda: as_json(CHRF(word_order=2))),
        pytest.param("comparison.json", comparison, marks=pytest.mark.slow),
    ],
)
def test_json_has_the_keys_and_values_of_an_earlier_version(file: str, written: Callable[[], str]) -> None:
    check_covers(json.loads(written()), json.loads((FIRST_RELEASE / file).read_text(encoding="utf-8")))
