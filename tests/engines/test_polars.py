"""The namespace `bleu` of Polars' expressions: the same numbers as on lists, eager, lazy and streamed; errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from tests.support.engines import OPTIONS, corpus_and_systems, printed, run
from tests.support.refusals import refusal

pl = pytest.importorskip("polars", reason="Polars is not installed")

import fastbleu.engines.polars  # noqa: F401 - registers the namespace

ENGINES = ("in-memory", "streaming")


@pytest.fixture
def frame(pairs: Any) -> Any:
    return pl.from_arrow(pairs)


@pytest.fixture
def scan(sample: Path) -> Any:
    return pl.scan_parquet(f"{sample}/pairs/*.parquet")


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_corpus(scan: Any, pairs: Any, options: dict[str, Any], engine: str) -> None:
    metric = BLEU(**options)
    expected = corpus_and_systems(pairs, metric)
    corpus = pl.col("mt").bleu.corpus("ref_a", pl.col("ref_b"), metric=metric)
    counted = scan.select("system", counts=pl.col("mt").bleu.statistics("ref_a", "ref_b", metric=metric))
    total = pl.col("counts").bleu.total(metric=metric)
    for rows, score in ((scan, corpus), (counted, total)):
        assert rows.select(score).collect(engine=engine).item() == expected["corpus"]
        systems = rows.group_by("system").agg(score).collect(engine=engine)
        assert dict(systems.iter_rows()) | {"corpus": expected["corpus"]} == expected


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_rows(scan: Any, pairs: Any, options: dict[str, Any], engine: str) -> None:
    metric = BLEU(**options)
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    mt = pl.col("mt").bleu
    rows = scan.select(
        score=mt.sentence("ref_a", "ref_b", metric=metric),
        counts=mt.statistics("ref_a", "ref_b", metric=metric),
        of_list=mt.sentence(pl.concat_list("ref_a", "ref_b"), metric=metric),
    ).collect(engine=engine)
    expected = metric.sentence_scores(columns["mt"], references).tolist()
    assert rows["score"].to_list() == rows["of_list"].to_list() == expected
    counts = rows["counts"].struct.unnest()
    assert counts.columns[:3] == ["bleu_sys_len", "bleu_ref_len", "bleu_correct_1"]
    assert counts.to_numpy().tolist() == metric.statistics(columns["mt"], references).tolist()


def test_scores_of_rows_are_those_of_sentence_bleu(frame: Any, pairs: Any) -> None:
    columns = pairs.to_pydict()
    expected = BLEU(effective_order=True).sentence_scores(columns["mt"], [columns["ref_a"]]).tolist()
    assert frame.select(pl.col("mt").bleu.sentence("ref_a")).to_series().to_list() == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_literals(engine: str) -> None:
    """A literal is the same for each row."""
    rows = pl.LazyFrame({"mt": ["a b", "c d", "a b c"]})
    metric = BLEU(effective_order=True)
    expected = metric.sentence_scores(["a b", "c d", "a b c"], [["a b"] * 3]).tolist()
    corpus = BLEU().corpus_score(["a b", "c d", "a b c"], [["a b"] * 3]).score
    for reference in (pl.lit("a b"), pl.lit(["a b"])):
        bleu = pl.col("mt").bleu
        found = rows.select(bleu.sentence(reference)).collect(engine=engine)
        assert found.to_series().to_list() == expected
        assert rows.select(bleu.corpus(reference)).collect(engine=engine).item() == corpus
        assert rows.filter(False).select(bleu.corpus(reference)).collect(engine=engine).item() is None
    both = metric.sentence_scores(["a b"] * 3, [["a b", "c d", "a b c"]]).tolist()
    found = rows.select(pl.lit("a b").bleu.sentence("mt")).collect(engine=engine)
    assert found.to_series().to_list() == both


def test_total_of_other_columns(frame: Any) -> None:
    counted = frame.select(counts=pl.col("mt").bleu.statistics("ref_a", metric=BLEU(max_ngram_order=2)))
    for rows, name in ((frame, "mt"), (counted, "counts")):
        with pytest.raises((TypeError, pl.exceptions.ComputeError), match=f"{name} must be a column of"):
            rows.select(pl.col(name).bleu.total())


def test_names_of_columns(frame: Any) -> None:
    bleu = pl.col("mt").bleu
    for expression in (bleu.sentence("ref_a"), bleu.statistics("ref_a"), bleu.corpus("ref_a")):
        assert frame.select(expression).columns == ["mt"]
    assert frame.select(k=bleu.statistics("ref_a")).select(pl.col("k").bleu.total()).columns == ["k"]


def test_types_are_known_before_anything_runs(scan: Any) -> None:
    bleu = pl.col("mt").bleu
    schema = scan.select(
        a=bleu.sentence("ref_a"), b=bleu.corpus("ref_a"), c=bleu.statistics("ref_a")
    ).collect_schema()
    assert schema["a"] == schema["b"] == pl.Float64
    assert len(schema["c"].fields) == 10


@pytest.mark.parametrize("engine", ENGINES)
def test_no_rows(scan: Any, engine: str) -> None:
    none = scan.filter(pl.col("system") == "gamma")
    bleu = pl.col("mt").bleu
    assert none.select(bleu.corpus("ref_a")).collect(engine=engine).item() is None
    counted = none.select(counts=bleu.statistics("ref_a"))
    assert counted.select(pl.col("counts").bleu.total()).collect(engine=engine).item() is None
    assert none.select(bleu.sentence("ref_a")).collect(engine=engine).is_empty()


def test_rows_of_empty_text_are_rows() -> None:
    empty = pl.DataFrame({"mt": [""], "ref": [""]})
    assert empty.select(pl.col("mt").bleu.corpus("ref")).item() == 0
    counted = empty.select(counts=pl.col("mt").bleu.statistics("ref"))
    assert counted.select(pl.col("counts").bleu.total()).item() == 0


def test_window(frame: Any, pairs: Any) -> None:
    expected = corpus_and_systems(pairs)
    scores = frame.with_columns(bleu=pl.col("mt").bleu.corpus("ref_a", "ref_b").over("system"))
    assert all(expected[system] == score for system, score in scores.select("system", "bleu").iter_rows())


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"mt": ["a", None], "ref": ["a", "b"]}, TypeError, r"hypotheses\[1\] .*\(rows are those of this"),
        ({"mt": ["a", "b"], "ref": ["a", None]}, ValueError, "references.* segment 1"),
        ({"mt": [1, 2], "ref": ["a", "b"]}, TypeError, "hypotheses"),
        ({"mt": ["a", "b"], "ref": [1, 2]}, TypeError, "references"),
    ],
)
def test_bad_values(columns: dict[str, list[Any]], error: type[Exception], message: str) -> None:
    with pytest.raises((error, pl.exceptions.ComputeError), match=message):
        pl.DataFrame(columns).select(pl.col("mt").bleu.sentence("ref"))


def test_bad_arguments() -> None:
    bleu = pl.col("mt").bleu
    assert refusal(bleu.sentence) == "ValueError: references must be one column at least"
    expected = "TypeError: references[1] must be the name of a column, or an expression, not int: 3"
    assert refusal(bleu.corpus, "ref", 3) == expected
    expected = "TypeError: metric must be a fastbleu.BLEU or CHRF, not builtins.str: 'intl'"
    assert refusal(bleu.statistics, "ref", metric="intl") == expected


@pytest.mark.slow
def test_program(sample: Path, pairs: Any, tmp_path: Path) -> None:
    output = run("on_polars.py", sample / "pairs", tmp_path / "scored.parquet", cwd=tmp_path)
    assert printed(output) == corpus_and_systems(pairs)
    scored = pl.read_parquet(tmp_path / "scored.parquet")
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    expected = BLEU(effective_order=True).sentence_scores(columns["mt"], references)
    assert scored["bleu"].to_list() == expected.tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_chrf(scan: Any, pairs: Any, engine: str) -> None:
    metric = CHRF(word_order=2)
    columns = pairs.to_pydict()
    references = [columns["ref_a"], columns["ref_b"]]
    mt, names = pl.col("mt").bleu, ("ref_a", "ref_b")
    counted = scan.select(
        score=mt.sentence(*names, metric=metric), counts=mt.statistics(*names, metric=metric)
    )
    rows = counted.collect(engine=engine)
    assert rows["score"].to_list() == metric.sentence_scores(columns["mt"], references).tolist()
    counts = rows["counts"].struct.unnest()
    assert counts.columns[:3] == ["chrf_hypothesis_char_1", "chrf_reference_char_1", "chrf_matches_char_1"]
    assert counts.to_numpy().tolist() == metric.statistics(columns["mt"], references).tolist()
    expected = metric.corpus_score(columns["mt"], references).score
    total = counted.select(pl.col("counts").bleu.total(metric=metric))
    for score in (total, scan.select(mt.corpus(*names, metric=metric))):
        assert score.collect(engine=engine).item() == expected
