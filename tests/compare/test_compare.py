"""Comparisons: each figure against what computes it elsewhere, every kind of input, and what is refused."""

import json
import pickle
import random
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastbleu
from fastbleu import BLEU, CHRF, TokenIds
from fastbleu.compare import Comparison, Pair, PairDetail, compare
from fastbleu.compare.human import agreement
from fastbleu.compare.power import detectable
from fastbleu.explain import explain
from fastbleu.explain.ngram_marks import hypothesis_marks
from fastbleu.scoring.significance import approximate_randomization, paired_bootstrap
from tests.support import compare_oracle as oracle
from tests.support.comparisons import BASE, NEW, REFERENCES
from tests.support.refusals import argument_error, refusal
from tests.support.strategies import texts


def corpora(
    seed: int, systems: int = 3, segments: int = 25, streams: int = 2
) -> tuple[dict[str, Any], list[Any]]:
    outputs, references = oracle.corpus(random.Random(seed), systems, segments, streams)
    return {f"s{k}": output for k, output in enumerate(outputs)}, references


def made(references: Any = None, metric: BLEU | None = None, **options: Any) -> Comparison:
    references = [REFERENCES] if references is None else references
    return compare({"base": BASE, "new": NEW}, references, metric, **{"trials": 9, **options})


def detail_of(pair: Pair) -> PairDetail:
    assert pair.detail is not None
    return pair.detail


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("pairs", ["all", "baseline"])
def test_figures_are_those_of_the_metric_and_of_the_tests(seed: int, pairs: Any) -> None:
    systems, references = corpora(seed, segments=1 + 3 * seed)
    options = {"seed": seed, "pairs": pairs, "correction": "holm"}
    test = "bootstrap" if seed % 3 == 2 else "randomization"
    bleu = BLEU(tokenize="none", smooth_method="floor")
    found = compare(systems, references, bleu, test=test, trials=100, resamples=60, **options)
    rows = {name: bleu.statistics(output, references) for name, output in systems.items()}
    resampled = paired_bootstrap(rows, bleu, 100 if test == "bootstrap" else 60, **options)
    tested = resampled if test == "bootstrap" else approximate_randomization(rows, bleu, 100, **options)

    scores = {name: bleu.corpus_score(output, references).score for name, output in systems.items()}
    assert [system.name for system in found.systems] == sorted(scores, key=lambda name: -scores[name])
    for system in found.systems:
        assert system.bleu == scores[system.name]
        assert str(system.score.signature) == found.settings.signature
        interval = next(each for each in resampled.systems if each.name == system.name)
        assert (system.low, system.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
        assert system.rank == 1 + sum(score > system.bleu for score in scores.values())

    assert len(found.pairs) == (3 if pairs == "all" else 2)
    sentence = BLEU(tokenize="none", smooth_method="floor", effective_order=True)
    segments = {name: sentence.sentence_scores(output, references) for name, output in systems.items()}
    order = [system.name for system in found.systems]
    for pair in found.pairs:
        assert pair is found.pair(pair.system, pair.other)
        turned = found.pair(pair.other, pair.system)
        assert (turned.system, turned.other, turned.difference) == (pair.other, pair.system, -pair.difference)
        assert (turned.low, turned.high) == (-pair.high, -pair.low)
        assert (turned.wins, turned.losses) == (pair.losses, pair.wins)
        details = detail_of(turned), detail_of(pair)
        assert details[0].better == details[1].worse
        tokens, expected = ([[n.tokens for n in s] for s in detail.ngrams] for detail in details)
        assert tokens == expected[::-1]
        assert pair.difference == scores[pair.system] - scores[pair.other]
        if pairs == "baseline":
            assert pair.other == "s0"
        else:
            assert order.index(pair.system) < order.index(pair.other)
        of_test, of_resamples = (each.pair(pair.system, pair.other) for each in (tested, resampled))
        assert (pair.p, pair.corrected_p) == (of_test.p_value, of_test.corrected_p_value)
        assert pair.is_significant == (pair.corrected_p <= 0.05)
        assert of_resamples.low is not None
        assert of_resamples.high is not None
        ends = (of_resamples.low, of_resamples.high)
        if of_resamples.first != pair.system:
            ends = (-of_resamples.high, -of_resamples.low)
        assert (pair.low, pair.high) == ends
        shows = ends[0] < ends[1] and found.settings.units >= 6
        assert pair.detectable == (detectable(*ends) if shows else None)
        differences = segments[pair.system] - segments[pair.other]
        assert (pair.wins, pair.ties, pair.losses) == tuple(
            np.count_nonzero(each) for each in (differences > 0, differences == 0, differences < 0)
        )
    np.testing.assert_array_equal(found.segment_scores, [segments[name] for name in order])
    assert [pair.system for pair in found.pairs] == sorted((p.system for p in found.pairs), key=order.index)
    assert found.best is found.systems[0]
    assert found.num_segments == len(references[0])


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("pairs", ["all", "baseline"])
def test_other_metrics_are_shown_beside_bleu(pairs: Any, test: Any) -> None:
    systems, references = corpora(3)
    chrf = CHRF(word_order=1)
    options: Any = {"pairs": pairs, "correction": "holm"}
    found = compare(systems, references, test=test, trials=80, resamples=80, also=[chrf, BLEU()], **options)
    rows = {name: chrf.statistics(output, references) for name, output in systems.items()}
    resampled = paired_bootstrap(rows, chrf, 80, **options)
    tested = resampled if test == "bootstrap" else approximate_randomization(rows, chrf, 80, **options)
    other, same = found.others
    assert (other.name, same.name) == ("chrF2+", "BLEU")
    assert other.signature == str(chrf.signature_for(found.num_references))
    names = [system.name for system in found.systems]
    assert [system.name for system in other.systems] == names
    assert {system.name: system for system in other.systems} == {
        system.name: system for system in resampled.systems
    }
    scores = {name: chrf.corpus_score(output, references).score for name, output in systems.items()}
    for pair, beside in zip(found.pairs, other.pairs, strict=True):
        assert (beside.system, beside.other) == (pair.system, pair.other)
        assert beside.difference == scores[pair.system] - scores[pair.other]
        assert beside.corrected_p == tested.pair(pair.system, pair.other).corrected_p_value
        mine, theirs = (chrf.sentence_scores(systems[name], references) for name in (pair.system, pair.other))
        assert (beside.wins, beside.losses) == ((mine > theirs).sum(), (mine < theirs).sum())
    assert [(pair.p, pair.low) for pair in same.pairs] == [(pair.p, pair.low) for pair in found.pairs]
    assert [system.score for system in same.systems] == [system.bleu for system in found.systems]


def test_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made(seed=3).to_json() == made(seed=3).to_json() != made(seed=4).to_json()
    plain = made()
    assert plain.settings.seed == 12345
    assert plain.to_json() == made(seed=12345).to_json()
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    assert made().settings.seed == 7
    assert made().to_json() == made(seed=7).to_json() != plain.to_json() == made(seed=12345).to_json()
    assert made(seed="none").settings.seed == "none"


def test_agreement_where_it_applies() -> None:
    one, two, characters = made(), made([REFERENCES] * 2), made(metric=BLEU(tokenize="char"))
    assert (one.no_agreement, one.pairs[0].agreement) == ("", agreement(one.pairs[0].difference))
    assert two.no_agreement.startswith("it was measured with one reference per segment")
    assert "char" in characters.no_agreement
    assert two.pairs[0].agreement is characters.pairs[0].agreement is None


def test_equal_systems() -> None:
    found = compare({"a": BASE, "b": NEW, "c": BASE}, [REFERENCES], trials=100)
    pair = found.pair("a", "c")
    assert (pair.difference, pair.p, pair.corrected_p, pair.low, pair.high) == (0, 1, 1, 0, 0)
    assert (pair.system, pair.other, pair.wins, pair.losses) == ("a", "c", 0, 0)
    assert pair.detectable is None
    assert not pair.is_significant
    assert pair.is_tie
    assert pair.agreement is None
    a, c = (next(each for each in found.systems if each.name == name) for name in "ac")
    assert (a.low, a.high, a.rank, a.cluster) == (c.low, c.high, c.rank, c.cluster)
    tied = compare({"a": BASE, "c": BASE}, [REFERENCES], trials=9)
    assert tied.leaders == tied.systems
    written = json.loads(tied.to_json())
    assert (written["best"], written["pairs"][0]["is_tie"]) == (["a", "c"], True)
    detail = detail_of(pair)
    assert detail.better == detail.worse == ()
    assert detail.ngrams == ((), ())


def test_documents_are_exchanged_as_a_whole() -> None:
    documents = [k // 6 for k in range(24)]
    found = made(documents=documents, trials=200)
    bleu = BLEU()
    rows = {name: bleu.statistics(output, [REFERENCES]) for name, output in (("base", BASE), ("new", NEW))}
    expected = approximate_randomization(rows, bleu, 200, documents=documents, seed=12345).pairs[0]
    assert found.pairs[0].p == expected.p_value
    assert found.settings.by_document
    by_document = found.breakdowns[1]
    assert (by_document.kind, by_document.groups, by_document.sizes) == (
        "document",
        ("0", "1", "2", "3"),
        (6,) * 4,
    )


def test_breakdowns_of_the_given_labels() -> None:
    kinds = ["x", "y", "y"] * 8
    found = made(domains=kinds, languages=kinds, training=["the the the the", "the cat"])
    assert [each.kind for each in found.breakdowns] == ["length", "domain", "language", "frequency"]
    assert found.breakdowns[3].groups == ("0", "1", "5 to 9")


def test_segments_that_differ_most() -> None:
    found = made(segments=5, sources=REFERENCES)
    assert len(found.segments) == 5
    (pair,) = found.pairs
    detail = detail_of(pair)
    gains = found.segment_scores[0] - found.segment_scores[1]
    for segments, sign in ((detail.better, 1), (detail.worse, -1)):
        numbers = [segment.index for segment in segments]
        expected = [i for i in np.argsort(-sign * gains, kind="stable").tolist() if sign * gains[i] > 0]
        assert numbers == expected[: len(numbers)]
    indices = [segment.index for segment in found.segments]
    assert indices == sorted(set(indices))
    segment = found.segments[0]
    assert segment.source == REFERENCES[segment.index]
    assert segment.texts == (NEW[segment.index], BASE[segment.index])
    assert segment.reference_texts == (REFERENCES[segment.index],)
    assert segment.scores == tuple(found.segment_scores[:, segment.index].tolist())
    assert made(segments=0).segments == ()


@pytest.mark.parametrize("seed", range(10))
def test_marks_are_those_of_explain(seed: int) -> None:
    systems, references = corpora(seed)
    bleu = BLEU(tokenize="none", effective_order=True)
    found = compare(systems, references, bleu, trials=1, segments=10)
    order = [system.name for system in found.systems]
    assert found.segments
    for segment in found.segments:
        of_segment = [stream[segment.index] for stream in references]
        assert segment.reference_texts == tuple(of_segment)
        for name, marked in zip(order, segment.systems, strict=True):
            explanation = explain(bleu, systems[name][segment.index], of_segment)
            marks = hypothesis_marks(explanation)
            assert marked.tokens == explanation.hypothesis
            assert marked.orders == tuple(mark.order for mark in marks)
            assert marked.joined == tuple(mark.joined for mark in marks)
            in_references = {token for one in of_segment if one is not None for token in one.split()}
            assert marked.clipped == tuple(
                not mark.order and token in in_references
                for mark, token in zip(marks, explanation.hypothesis, strict=True)
            )


def test_many_pairs_are_detailed_where_neighbours() -> None:
    systems, references = corpora(1, systems=6, segments=40)
    found = compare(systems, references, trials=1, segments=12)
    order = [system.name for system in found.systems]
    assert len(found.pairs) == 15
    detailed = [(pair.system, pair.other) for pair in found.pairs if pair.detail is not None]
    assert detailed == list(pairwise(order))
    assert len(found.segments) <= 12


def same(found: Comparison, other: Comparison) -> None:
    assert found.verdict == other.verdict
    np.testing.assert_array_equal(found.segment_scores, other.segment_scores)
    scores, expected_scores = (
        [[ngram.score for ngram in detail_of(pair).ngrams[0]] for pair in each.pairs]
        for each in (found, other)
    )
    assert scores == expected_scores
    orders, expected_orders = (
        [[marked.orders for marked in segment.systems] for segment in each.segments]
        for each in (found, other)
    )
    assert orders == expected_orders


def test_every_kind_of_segments_and_references() -> None:
    bleu = BLEU(tokenize="none")
    others = [None, "it rained the whole day", None] * 8
    text = made([REFERENCES, others], bleu, training=NEW)
    assert text.num_references == -1
    words = sorted({word for line in [*BASE, *NEW, *REFERENCES, *others] if line for word in line.split()})

    def split(lines: Any) -> Any:
        return [None if line is None else line.split() for line in lines]

    def ids(lines: Any) -> Any:
        return [None if line is None else [words.index(word) for word in line.split()] for line in lines]

    for convert in (split, ids):
        systems = {"base": convert(BASE), "new": convert(NEW)}
        found = compare(
            systems, [convert(REFERENCES), convert(others)], bleu, trials=9, training=convert(NEW)
        )
        same(text, found)
        np.testing.assert_array_equal(found.breakdowns[1].values, text.breakdowns[1].values)
    numbered = {name: TokenIds(ids(output)) for name, output in (("base", BASE), ("new", NEW))}
    one = compare(numbered, TokenIds(ids(REFERENCES)), bleu, trials=9)
    same(made(metric=bleu), one)
    segment = one.segments[0]
    assert segment.texts[0] == " ".join(map(str, ids(NEW)[segment.index]))
    assert segment.reference_texts == (" ".join(map(str, ids(REFERENCES)[segment.index])),)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_columns(library: str) -> None:
    module = pytest.importorskip(library)
    given = {"a": BASE, "b": NEW, "ref": REFERENCES, "doc": [f"d{k // 6}" for k in range(24)]}
    table = module.table(given) if library == "pyarrow" else module.DataFrame(given)

    def made(of: Any) -> Comparison:
        systems = {name: of[name] for name in ("a", "b")}
        return compare(systems, [of["ref"]], trials=9, sources=of["ref"], documents=of["doc"])

    assert made(table).to_json() == made(given).to_json()


def test_other_metrics_refuse_segments_they_cannot_score() -> None:
    tokens: Any = [[["a"], ["c"]]]
    with argument_error(ValueError, "systems['base'][0]"):
        compare({"base": tokens[0], "new": tokens[0]}, tokens, BLEU(tokenize="none"), trials=1, also=[CHRF()])


def test_what_was_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "title": "<b>",
        "test_set": "wmt & co",
        "language_pair": "en-de",
        "command": "fastbleu-compare a 'b c'",
    }
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    found = made(**given)
    expected = {**given, "date": "2023-11-14", "version": fastbleu.__version__}
    assert expected.items() <= json.loads(found.to_json())["settings"].items()
    text = " ".join(found.to_text().split())
    assert text.startswith("<b> === ")
    assert "- data: wmt & co, en-de, 24 segments with 1 reference each." in text
    assert text.endswith(f"fastbleu {fastbleu.__version__}, 2023-11-14, seed 12345: {given['command']}")
    folders = made(
        command="fastbleu-compare /a/b/ref -i a/x b/x -o '/my files/out.txt'", language_pair="en-zh"
    )
    assert folders.to_text(300).endswith(": fastbleu-compare ref -i a/x b/x -o out.txt")
    assert folders.tokenizer == "zh"
    assert made(date="May").settings.date == "May"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert refusal(made) == (
        "ValueError: date is not given, and SOURCE_DATE_EPOCH is not a number of seconds: 'soon'"
    )
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", made().settings.date)


def test_it_pickles_and_changes_nothing_that_it_is_given() -> None:
    systems = {"base": list(BASE), "new": list(NEW)}
    found = compare(systems, [REFERENCES], trials=9)
    assert systems == {"base": BASE, "new": NEW}
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == str(found)
    # Also with all that was computed when the report asked for it.
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


@pytest.mark.slow
@given(
    st.lists(st.tuples(texts(), texts(), texts(), texts()), min_size=1, max_size=6),
    st.sampled_from(("13a", "intl", "zh", "char", "none")),
    st.booleans(),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text(rows: list[tuple[str, str, str, str]], tokenizer: str, lowercase: bool) -> None:
    if tokenizer == "intl":
        pytest.importorskip("regex")
    first, second, reference, source = (list(column) for column in zip(*rows, strict=True))
    bleu = BLEU(tokenize=tokenizer, lowercase=lowercase)
    found = compare(
        {"first": first, "second": second}, [reference], bleu, trials=2, resamples=2, sources=source, documents=source,
        domains=reference, training=source,
    )  # fmt: skip
    scores = {system.name: system.bleu for system in found.systems}
    assert scores == {
        name: bleu.corpus_score(lines, [reference]).score
        for name, lines in (("first", first), ("second", second))
    }
    for written in (found.to_text(70), found.to_json()):
        written.encode("utf-8")


GOOD: dict[str, Any] = {"base": ["a b", "c d"], "new": ["a c", "c d"]}
STREAMS: list[Any] = [["a b", "c e"]]


@pytest.mark.parametrize(
    ("systems", "references", "kind", "place"),
    [
        ([["a"], ["b"]], STREAMS, TypeError, "systems"),
        ({}, STREAMS, ValueError, "systems"),
        ({"base": ["a b", "c d"]}, STREAMS, ValueError, "systems"),
        ({1: ["a b", "c d"], "new": ["a c", "c d"]}, STREAMS, TypeError, "systems"),
        ({"": ["a b", "c d"], "new": ["a c", "c d"]}, STREAMS, ValueError, "systems"),
        ({"base": ["a b"], "new": ["a c", "c d"]}, STREAMS, ValueError, "systems['base']"),
        ({"base": ["a b", "c d"], "new": ["a"]}, STREAMS, ValueError, "systems['new']"),
        ({"base": ["a b", "c d"], "new": ["a c", None]}, STREAMS, TypeError, "systems['new'][1]"),
        ({"base": ["a b", "c d"], "new": "a c"}, STREAMS, TypeError, "systems['new']"),
        ({"base": [["a"], ["b"]], "new": [["a"], ["b"]]}, STREAMS, ValueError, "systems['base'][0]"),
        (GOOD, [], ValueError, "references"),
        (GOOD, "a b", TypeError, "references"),
        (GOOD, [["a b"]], ValueError, "systems['base']"),
        (GOOD, [["a b", None]], ValueError, "references"),
        (GOOD, [["a b", "c"], ["a"]], ValueError, "references[1]"),
        (GOOD, None, TypeError, "references"),
        (GOOD, BLEU().prepare(STREAMS), TypeError, "references"),
        ({"base": [], "new": []}, [[]], ValueError, "references"),
    ],
)
def test_wrong_corpora(systems: Any, references: Any, kind: type[Exception], place: str) -> None:
    with argument_error(kind, place):
        compare(systems, references)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": CHRF()}, "TypeError: metric must be a BLEU (pass a CHRF as also=[CHRF()]), not CHRF: CHRF("),
        ({"language_pair": "en-xx"}, "ValueError: language_pair is 'xx', which is not a known language code"),
        ({"language_pair": 3}, "TypeError: language_pair must be a str, not int: 3"),
        ({"also": ["chrF"]}, "TypeError: also[0] must be a BLEU or CHRF, not str: 'chrF'"),
        ({"also": CHRF()}, "TypeError: also must be a sequence of metrics, not CHRF: CHRF("),
        ({"test": "t-test"}, "ValueError: test must be one of randomization, bootstrap, got 't-test'"),
        ({"trials": 0}, "ValueError: trials must be at least 1, got 0"),
        ({"trials": 1, "test": "bootstrap"}, "ValueError: trials must be at least 2, got 1"),
        ({"trials": 1.5}, "TypeError: trials must be an int, not float: 1.5"),
        ({"pairs": "some"}, "ValueError: pairs must be one of all, baseline, got 'some'"),
        ({"correction": "sidak"}, "ValueError: correction must be one of none, bonferroni, holm, benjamini-hochberg"),
        ({"seed": 1.5}, "TypeError: seed must be an int, not float: 1.5"),
        ({"seed": -1}, "ValueError: seed must be at least 0, got -1"),
        ({"level": 0}, "ValueError: level must be above 0 and below 1, got 0"),
        ({"resamples": 1}, "ValueError: resamples must be at least 2, got 1"),
        ({"segments": -1}, "ValueError: segments must be at least 0, got -1"),
        ({"sources": ["x"]}, "ValueError: sources has 1 segment, but the references have 2"),
        ({"sources": ["x", None]}, "TypeError: sources[1] must be a str, not NoneType: None"),
        ({"sources": ["x", 3]}, "TypeError: sources[1] must be a str, not int: 3"),
        ({"sources": [["x"], ["y"]]}, "TypeError: sources[0] must be a str, not list: ['x']"),
        ({"documents": ["x", "y", "z"]}, "ValueError: documents has 3 segments, but the references have 2"),
        ({"domains": [1.0, float("nan")]}, "TypeError: domains[1] must be a str or number (not NaN), not float: nan"),
        ({"languages": "de"}, "TypeError: languages must be a sequence of names or numbers, not a bare str: 'de'"),
        ({"title": 3}, "TypeError: title must be a str, not int: 3"),
        ({"date": 2026}, "TypeError: date must be a str, not int: 2026"),
        ({"training": "a b"}, "TypeError: training must be a sequence of segments, not a bare str: 'a b'"),
        ({"training": ["a", None]}, "TypeError: training[1] must be a segment, not NoneType: None"),
    ],
)  # fmt: skip
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    assert refusal(compare, GOOD, STREAMS, **options).startswith(message)


def test_a_pair_that_was_not_tested() -> None:
    found = compare({**GOOD, "third": GOOD["base"]}, STREAMS, pairs="baseline", trials=1)
    with pytest.raises(ValueError, match=r"^other is 'third', which was not compared with 'new'$"):
        found.pair("new", "third")
    unknown = "is 'n', which is not a system; the systems are base, new and third"
    assert refusal(found.pair, "n", "third") == f"ValueError: system {unknown}"
    assert refusal(found.pair, "third", "n") == f"ValueError: other {unknown}"


def test_where_all_segments_are_alike_the_interval_is_the_score() -> None:
    outputs = {"a": ["the cat sat on the mat"] * 40, "b": ["a cat sat on the mat"] * 40}
    for system in compare(outputs, [["the cat sat on a mat"] * 40]).systems:
        assert (system.low, system.high) == (system.bleu, system.bleu)
