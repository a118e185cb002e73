"""The winners of each source are those of the library; what they need is checked, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.rerank import expected, mbr, oracle, rank, self_bleu
from tests.support.nbest_lists import (
    POOLS,
    REFERENCES,
    SCORES,
    WIDTH,
    appended,
    blocks,
    dumped,
    flat,
    lists,
    moses,
    moses_lines,
    refused,
    run,
    sentence_scores,
    starts,
    won,
    written,
)


def best(selection: Any, lines: list[str]) -> str:
    """The lines that a selection writes."""
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    return won(chosen, selection.utilities.tolist())


def test_mbr_is_that_of_the_library() -> None:
    lines = moses_lines(POOLS)
    assert written("mbr moses") == best(mbr(POOLS), lines)
    assert written("mbr moses --exclude-self") == best(mbr(POOLS, exclude_self=True), lines)
    assert written("mbr moses --method aggregate") == best(mbr(POOLS, method="aggregate"), lines)
    assert written("mbr moses --all") == won(lines, flat(expected(POOLS)))
    ranking = rank(expected(POOLS), top_k=2)
    chosen = [
        lines[start + k] for start, order in zip(starts(), ranking.indices, strict=False) for k in order
    ]
    assert written("mbr moses --top-k 2") == won(chosen, flat(ranking.scores))
    assert len(written("mbr moses --top-k 9").splitlines()) == len(lines)


def test_options_of_the_metric() -> None:
    lines = moses_lines(POOLS)
    metric = BLEU(True, False, "char", "floor", 0.5, 3, True)
    options = "-lc -tok char -s floor -sv 0.5 --max-ngram-order 3"
    assert written(f"mbr moses --all {options}") == won(lines, flat(expected(POOLS, metric=metric)))
    metric = BLEU(trg_lang="zh")
    metric.warnings.of_order.is_over = True
    values = flat(expected(POOLS, metric=metric))
    assert written("mbr moses --all -l en-zh --no-effective-order") == won(lines, values)


def test_weights_and_interpolation(folder: Path) -> None:
    lines = moses_lines(POOLS)
    scores = [[SCORES[i][k % 2] for k in range(len(pool))] for i, pool in enumerate(POOLS)]
    utilities = expected(POOLS, weights=scores, weights_as="log-probabilities", temperature=0.5)
    options = "--weights-from 4 --weights-as log-probabilities --temperature 0.5"
    assert written(f"mbr moses --all {options}") == won(lines, flat(utilities))
    ranking = rank(utilities, scores, 0.25)
    values = [0.75 * u + 0.25 * s for u, s in zip(flat(utilities), flat(scores), strict=True)]
    both = f"{options} --interpolate 0.25 --model-score 4"
    assert written(f"mbr moses --all {both}") == won(lines, values)
    tops = [lines[start + places[0]] for start, places in zip(starts(), ranking.indices, strict=False)]
    assert written(f"mbr moses {both}") == won(tops, [float(part[0]) for part in ranking.scores])
    # The same numbers in JSON.
    counts = [[float(k + 1) for k in range(len(pool))] for pool in POOLS]
    records = [{"candidates": pool, "n": count} for pool, count in zip(POOLS, counts, strict=True)]
    (folder / "counts").write_bytes("".join(map(dumped, records)).encode())
    lines = written("mbr counts --weights-from n --weights-as counts").splitlines()
    selection = mbr(POOLS, weights=counts, weights_as="counts")
    for line, pool, k, utility in zip(lines, POOLS, *selection, strict=True):
        found = json.loads(line)
        assert (found["candidates"], found["expected_bleu"]) == ([pool[k]], [round(utility, 4)])


def test_the_models_score_is_where_it_is_said_to_be(folder: Path) -> None:
    # With evidence of its own, weights come from there and the models' score from the usual field of the candidates.
    weights = [[2.0, 1.0]] * 5
    evidence = [[reference, "and so on"] for reference in REFERENCES]
    records = [{"candidates": pool, "p": weight} for pool, weight in zip(evidence, weights, strict=True)]
    (folder / "samples").write_bytes("".join(map(dumped, records)).encode())
    options = "--evidence samples --weights-from p --weights-as counts --interpolate 0.5"
    utilities = flat(expected(POOLS, evidence, weights, weights_as="counts"))
    values = [0.5 * u + 0.5 * s for u, s in zip(utilities, flat(SCORES), strict=True)]
    rounded = [round(value, WIDTH) for value in values]
    for arguments in (f"mbr each --all {options}", f"mbr each --all {options} --model-score 4"):
        found = [json.loads(line) for line in written(arguments).splitlines()]
        assert [record["interpolated_score"] for record in found] == rounded
        assert not any("expected_bleu" in record for record in found)
    as_moses = written(f"mbr each --all {options} --output-format moses").splitlines()
    assert as_moses[0].endswith(f" |||  ||| -0.5 ||| index= 0 ||| {values[0]:.4f}")
    # Another number is not a name for it.
    message = "lists: line 1: expected a list of 3 numbers in '3', found null"
    assert refused("mbr lists --interpolate 0.5 --model-score 3") == (1, message)


def test_other_samples_as_evidence(folder: Path) -> None:
    evidence = [[reference, "and so on"] for reference in REFERENCES]
    (folder / "samples").write_bytes(moses(evidence).encode())
    values = flat(expected(POOLS, evidence))
    assert written("mbr moses --evidence samples --all") == won(moses_lines(POOLS), values)
    (folder / "samples").write_bytes(moses(evidence, first=7).encode())
    (folder / "later").write_bytes(moses(POOLS, first=7).encode())
    later = won(moses_lines(POOLS, first=7), values)
    assert written("mbr later --evidence samples --all") == later
    weights = [[1.0, 0.25]] * 5
    samples = "".join(dumped({"candidates": pool, "p": weights[0]}) for pool in evidence)
    (folder / "samples.jsonl").write_bytes(samples.encode())
    values = flat(expected(POOLS, evidence, weights, weights_as="counts"))
    options = "--evidence samples.jsonl --weights-from p --weights-as counts"
    assert written(f"mbr moses {options} --all") == won(moses_lines(POOLS), values)


def test_oracle_and_score_are_those_of_the_library(folder: Path) -> None:
    lines = moses_lines(POOLS)
    values = sentence_scores()
    assert written("score moses -r ref") == appended(lines, values)
    assert written("oracle moses -r ref --all") == won(lines, values)
    for level in ("sentence", "corpus"):
        selection = oracle(POOLS, REFERENCES, level)
        options = f"oracle moses -r ref --level {level}"
        assert written(options) == best(selection, lines)
        _, _, said = run(options)
        assert f"corpus BLEU {selection.score.score:.4f} ({selection.score.signature}" in said
        assert ("a local optimum" in said) == (level == "corpus")
    (folder / "ref2").write_bytes("".join(f"{pool[0]}\n" for pool in POOLS).encode())
    both = [list(pair) for pair in zip(REFERENCES, [pool[0] for pool in POOLS], strict=True)]
    assert written("oracle moses -r ref -r ref2") == best(oracle(POOLS, both), lines)


def test_self_bleu_is_that_of_the_library() -> None:
    found = [self_bleu(pool) for pool in POOLS]
    assert written("self-bleu moses") == "".join(f"{i} ||| {each.mean:.4f}\n" for i, each in enumerate(found))
    assert written("self-bleu moses --output-format text") == "".join(f"{each.mean:.4f}\n" for each in found)
    assert written("self-bleu lists") == "".join(
        dumped({"id": f"s{i}", "self_bleu": round(each.mean, 4)}) for i, each in enumerate(found)
    )
    assert written("self-bleu moses --all") == appended(
        moses_lines(POOLS), flat([each.scores.tolist() for each in found])
    )


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ("probabilities", (0.5, 0.4),
         "scores must be probabilities that sum to 1, but they sum to 0.9; else pass counts or a temperature"),
        ("log-probabilities", (0.0, 0.0),
         "scores must be probabilities that sum to 1, but they sum to 2.0; else pass counts or a temperature"),
        ("probabilities", (1.5, -0.5), "scores[1] must be finite and not negative, got -0.5"),
        ("log-probabilities", (0.5, -1.0), "scores[0] must be a log-probability, not above 0, got 0.5"),
        ("counts", (0, 0), "scores must not all be 0, got list: [0.0, 0.0]"),
        ("counts --exclude-self", (1, 0), "scores must give weight to at least 2 candidates with --exclude-self"),
    ],
)  # fmt: skip
def test_weights_that_are_none(options: str, weights: tuple[float, float], message: str) -> None:
    data = "".join(f"0 ||| a ||| f ||| {weight}\n" for weight in weights).encode()
    arguments = f"mbr --weights-from 4 --weights-as {options}"
    assert refused(arguments, data) == (1, f"standard input: line 1: {message}")
    if options in ("probabilities", "counts"):
        _, output, said = run(f"{arguments} --skip-bad", data + b"1 ||| a ||| f ||| 1\n")
        assert output == b"1 ||| a ||| f ||| 1 ||| index= 0 ||| 100.0000\n"
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"


def test_sources_without_what_is_needed() -> None:
    data = b"0 ||| a\n0 ||| b\n1 ||| c\n"
    message = "standard input: line 3: expected at least 2 candidates, found 1: it has no "
    assert refused("self-bleu", data) == (1, f"{message}others as references")
    assert refused("mbr --exclude-self", data) == (1, f"{message}other as evidence")
    assert written("self-bleu --skip-bad", data) == "0 ||| 0.0000\n"


def test_no_source_is_left(folder: Path) -> None:
    (folder / "bad").write_bytes(b'{"candidates": []}\n' * 5)
    weights = "--weights-from score --weights-as counts"
    assert written(f"mbr lists --evidence bad --skip-bad --input-format json {weights}") == ""


@blocks(1 << 20, 100, 1)
def test_evidence_in_json_is_of_the_same_sources(folder: Path) -> None:
    lines = lists(POOLS)
    lines[1], lines[2] = lines[2], lines[1]
    (folder / "swapped").write_bytes("".join(lines).encode())
    message = 'swapped: line 2: expected the evidence of source "s1", found that of source "s2"'
    for threads in (1, 2):
        assert refused(f"mbr lists --evidence swapped --threads {threads}") == (1, message)
    kept = [line for i, line in enumerate(written("mbr lists").splitlines()) if i not in {1, 2}]
    _, output, said = run("mbr lists --evidence swapped --skip-bad")
    assert output.decode().splitlines() == kept
    assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 2 sources"
    # An object for each candidate, and the numbers of a Moses list.
    singles = [json.dumps({"id": 7 if i == 3 else i, "text": "a"}) + "\n" for i in range(5)]
    (folder / "singles").write_bytes("".join(singles).encode())
    message = "singles: line 4: expected the evidence of source 3, found that of source 7"
    for name in ("each", "moses"):
        assert refused(f"mbr {name} --evidence singles") == (1, message)
    message = 'singles: line 1: expected the evidence of source "s0", found that of source 0'
    assert refused("mbr lists --evidence singles") == (1, message)
    # Where one of them has no id, or only numbers of its own, the order is what there is to go by.
    (folder / "nameless").write_bytes("".join(dumped({"candidates": pool}) for pool in POOLS).encode())
    (folder / "named").write_bytes("".join(lists(POOLS)).encode())
    for name in ("nameless", "lists", "moses"):
        values = [json.loads(line)["expected_bleu"] for line in written("mbr named --all").splitlines()]
        found = written(f"mbr named --evidence {name} --all").splitlines()
        assert [json.loads(line)["expected_bleu"] for line in found] == values
