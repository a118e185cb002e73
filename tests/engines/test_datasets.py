"""Hugging Face datasets: the program of the documentation in two processes, and fingerprints that stay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, arrow
from tests.support.engines import corpus_and_systems, run
from tests.support.processes import printed_by

pytest.importorskip("datasets", reason="datasets is not installed", exc_type=ImportError)
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

# Functions that `map` is given, before and after the metric is used.
HASHES = """
from functools import partial
from datasets.fingerprint import Hasher
from fastbleu import BLEU, arrow

metrics = (
    BLEU(),
    BLEU(tokenize="intl", lowercase=True),
    BLEU(max_ngram_order=2, weights=[2, 1], smooth_method="floor"),
    BLEU(effective_order=True, threads=2),
    BLEU(references=[["a b c", "d"], ["e f", None]]),
)
for metric in metrics:
    for function in (arrow.score, arrow.statistics):
        call = partial(function, hypothesis="mt", references="ref", metric=metric)
        before = Hasher.hash(call)
        metric.corpus_score(["a b", "c d"], [["a c", "b d"]])
        metric.get_signature()
        assert Hasher.hash(call) == before
        print(before)
"""


@pytest.mark.nightly
def test_fingerprints_are_the_same_in_every_process() -> None:
    outputs = [printed_by(HASHES, PYTHONHASHSEED=seed).split() for seed in ("1", "2")]
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0])) == 10


@pytest.mark.nightly
def test_program(sample: Path, pairs: Any, tmp_path: Path) -> None:
    from datasets import load_from_disk

    cache = tmp_path / "cache"
    outputs = []
    written: list[dict[Path, int]] = []
    for scored in ("first", "second"):
        outputs.append(
            run("on_datasets.py", sample / "pairs", scored, cwd=tmp_path, HF_DATASETS_CACHE=str(cache))
        )
        written.append({path: path.stat().st_mtime_ns for path in cache.rglob("*.arrow")})
    scores = [line.rsplit(" ", 1) for line in outputs[0].splitlines()]
    assert {name: float(score) for name, score in scores} == corpus_and_systems(pairs)
    # The second run found every result of the first one.
    assert outputs[1] == outputs[0]
    assert written[1] == written[0] != {}
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    expected = BLEU(effective_order=True).sentence_scores(columns["mt"], references)
    assert (
        load_from_disk(str(tmp_path / "second")).with_format("arrow")[:]["bleu"].to_pylist()
        == expected.tolist()
    )


@pytest.mark.slow
def test_functions_for_map() -> None:
    """Return the function that the program gives `map`, in this process."""
    from datasets import Dataset

    rows = {"mt": ["a b c", "d e"], "ref": ["a b d", "d e"]}
    found = (
        Dataset.from_dict(rows)
        .with_format("arrow")
        .map(partial(arrow.score, hypothesis="mt", references="ref"), batched=True)
    )
    expected = BLEU(effective_order=True).sentence_scores(rows["mt"], [rows["ref"]])
    assert found[:]["bleu"].to_pylist() == expected.tolist()
