"""The command line of n-best lists: what it writes, what it refuses, and how it goes on."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import fastbleu
from fastbleu import BLEU
from fastbleu.cli import rerank as cli
from fastbleu.inputs import files
from fastbleu.rerank import Pools, expected, mbr, oracle, rank, self_bleu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PACKAGE_PARENT = Path(fastbleu.__file__).parents[1]

POOLS = [
    ["the cat sat on the mat", "a cat sat on the mat", "the cat sat down there"],
    ["it rained all day long", "it rained"],
    ["dogs bark", "dogs bark at night, loudly", "a dog barks at night, loudly", "dogs bark"],
    ["yes yes yes", "oh yes, yes yes"],
    ["Grüße aus Köln am Rhein", "Grüße von Köln am Rhein", "Gruß aus Köln"],
]
REFERENCES = [
    "the cat sat on a mat",
    "it rained all night long",
    "dogs bark at night, loudly",
    "oh yes yes",
    "Grüße aus Köln am Rhein",
]
SCORES = [[-0.5, -1.25, -2.0], [-1.0, -0.75], [-3.0, -2.0, -1.0, -0.5], [-1.0, -1.5], [-0.25, -0.5, -0.125]]
WIDTH = 4


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the pools in every format, and references."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "moses").write_bytes(moses(POOLS).encode())
    (tmp_path / "text").write_bytes("".join(f"{text}\n" for pool in POOLS for text in pool[:2]).encode())
    (tmp_path / "lists").write_bytes("".join(lists(POOLS)).encode())
    (tmp_path / "each").write_bytes("".join(each(POOLS)).encode())
    (tmp_path / "ref").write_bytes("".join(f"{text}\n" for text in REFERENCES).encode())
    return tmp_path


def moses(pools: Sequence[Sequence[str]], first: int = 0) -> str:
    return "".join(moses_lines(pools, first))


def moses_lines(pools: Sequence[Sequence[str]], first: int = 0) -> list[str]:
    return [
        f"{i + first} ||| {text} ||| lm= {k} ||| {SCORES[i % 5][k % 2]} ||| 1-1  2-2\n"
        for i, pool in enumerate(pools)
        for k, text in enumerate(pool)
    ]


def lists(pools: Sequence[Sequence[str]]) -> list[str]:
    return [
        dumped({"id": f"s{i}", "candidates": list(pool), "score": SCORES[i], "kept": [1, 2]})
        for i, pool in enumerate(pools)
    ]


def each(pools: Sequence[Sequence[str]]) -> list[str]:
    return [
        dumped({"text": text, "id": i, "score": SCORES[i][k]})
        for i, pool in enumerate(pools)
        for k, text in enumerate(pool)
    ]


def dumped(record: object) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def run(arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """The command in this process: exit code, what it wrote, and what it said."""
    output, stderr = io.BytesIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(output, write_through=True))
        patch.setattr(sys, "stderr", stderr)
        status = cli.main(arguments.split())
        written_bytes = output.getvalue()
    return status, written_bytes, stderr.getvalue()


def written(arguments: str, stdin: bytes = b"") -> str:
    status, output, said = run(f"{arguments} -q", stdin)
    assert (status, said) == (0, "")
    return output.decode()


def refused(arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    """Exit code and message, which must be one line."""
    status, _, said = run(f"{arguments} -q", stdin)
    assert said.startswith("fastbleu-rerank: ")
    assert said.count("\n") == 1
    return status, said.removeprefix("fastbleu-rerank: ").rstrip("\n")


def import_zstd() -> Any:
    return pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def flat(values: Sequence[Sequence[float]]) -> list[float]:
    return [float(value) for part in values for value in part]


def appended(lines: Sequence[str], values: Sequence[float]) -> str:
    return "".join(f"{line[:-1]} ||| {value:.{WIDTH}f}\n" for line, value in zip(lines, values, strict=True))


def starts() -> list[int]:
    return [0, *np.cumsum([len(pool) for pool in POOLS]).tolist()]


# What is written


def test_mbr_is_that_of_the_library() -> None:
    lines = moses_lines(POOLS)
    selection = mbr(POOLS)
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    assert written("mbr moses") == appended(chosen, selection.utilities.tolist())
    assert written("mbr moses --all") == appended(lines, flat(expected(POOLS)))
    selection = mbr(POOLS, exclude_self=True)
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    assert written("mbr moses --exclude-self") == appended(chosen, selection.utilities.tolist())
    selection = mbr(POOLS, method="aggregate")
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    assert written("mbr moses --method aggregate") == appended(chosen, selection.utilities.tolist())


def test_the_best_of_mbr() -> None:
    lines = moses_lines(POOLS)
    ranking = rank(expected(POOLS), top_k=2)
    chosen = [lines[start + k] for start, best in zip(starts(), ranking.indices, strict=False) for k in best]
    assert written("mbr moses --top-k 2") == appended(chosen, flat(ranking.scores))
    assert len(written("mbr moses --top-k 9").splitlines()) == len(lines)


def test_options_of_the_metric() -> None:
    lines = moses_lines(POOLS)
    metric = BLEU(
        lowercase=True,
        tokenize="char",
        smooth_method="floor",
        smooth_value=0.5,
        max_ngram_order=3,
        effective_order=True,
    )
    options = "-lc -tok char -s floor -sv 0.5 --max-ngram-order 3"
    assert written(f"mbr moses --all {options}") == appended(lines, flat(expected(POOLS, metric=metric)))
    metric = BLEU(trg_lang="zh")
    metric._warned = True
    values = flat(expected(POOLS, metric=metric))
    assert written("mbr moses --all -l en-zh --no-effective-order") == appended(lines, values)


def test_weights_and_interpolation(folder: Path) -> None:
    lines = moses_lines(POOLS)
    scores = [[SCORES[i][k % 2] for k in range(len(pool))] for i, pool in enumerate(POOLS)]
    utilities = expected(POOLS, weights=scores, weights_as="log-probabilities", temperature=0.5)
    options = "--weights-from 4 --weights-as log-probabilities --temperature 0.5"
    assert written(f"mbr moses --all {options}") == appended(lines, flat(utilities))
    ranking = rank(utilities, scores, 0.25)
    values = [0.75 * u + 0.25 * s for u, s in zip(flat(utilities), flat(scores), strict=True)]
    both = f"{options} --interpolate 0.25 --model-score 4"
    assert written(f"mbr moses --all {both}") == appended(lines, values)
    best = [lines[start + places[0]] for start, places in zip(starts(), ranking.indices, strict=False)]
    tops = [float(part[0]) for part in ranking.scores]
    assert written(f"mbr moses {both}") == appended(best, tops)
    # The same numbers in JSON.
    counts = [[float(k + 1) for k in range(len(pool))] for pool in POOLS]
    records = [{"candidates": pool, "n": count} for pool, count in zip(POOLS, counts, strict=True)]
    (folder / "counts").write_bytes("".join(map(dumped, records)).encode())
    found = [
        json.loads(line) for line in written("mbr counts --weights-from n --weights-as counts").splitlines()
    ]
    selection = mbr(POOLS, weights=counts, weights_as="counts")
    assert [record["candidates"] for record in found] == [
        [pool[k]] for pool, k in zip(POOLS, selection.indices, strict=True)
    ]
    assert flat([record["expected_bleu"] for record in found]) == [round(u, 4) for u in selection.utilities]


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
    assert as_moses[0].endswith(f" ||| interpolated_score= {values[0]:.4f} ||| {values[0]:.4f}")
    # Another number is no name for it.
    message = "lists: line 1: expected a list of 3 numbers in '3', found null"
    assert refused("mbr lists --interpolate 0.5 --model-score 3") == (1, message)


def test_other_samples_as_evidence(folder: Path) -> None:
    evidence = [[reference, "and so on"] for reference in REFERENCES]
    (folder / "samples").write_bytes(moses(evidence).encode())
    values = flat(expected(POOLS, evidence))
    assert written("mbr moses --evidence samples --all") == appended(moses_lines(POOLS), values)
    (folder / "samples").write_bytes(moses(evidence, first=7).encode())
    (folder / "later").write_bytes(moses(POOLS, first=7).encode())
    later = appended(moses_lines(POOLS, first=7), values)
    assert written("mbr later --evidence samples --all") == later
    weights = [[1.0, 0.25]] * 5
    (folder / "samples.jsonl").write_bytes(
        "".join(dumped({"candidates": pool, "p": weights[0]}) for pool in evidence).encode()
    )
    values = flat(expected(POOLS, evidence, weights, weights_as="counts"))
    options = "--evidence samples.jsonl --weights-from p --weights-as counts"
    assert written(f"mbr moses {options} --all") == appended(moses_lines(POOLS), values)


def test_oracle_and_score_are_those_of_the_library(folder: Path) -> None:
    lines = moses_lines(POOLS)
    metric = BLEU(effective_order=True)
    values = [
        metric.sentence_score(text, [reference]).score
        for pool, reference in zip(POOLS, REFERENCES, strict=True)
        for text in pool
    ]
    assert written("score moses -r ref") == appended(lines, values)
    assert written("oracle moses -r ref --all") == appended(lines, values)
    for level in ("sentence", "corpus"):
        selection = oracle(POOLS, REFERENCES, level)
        chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
        options = f"oracle moses -r ref --level {level}"
        assert written(options) == appended(chosen, selection.utilities.tolist())
        _, _, said = run(options)
        assert f"corpus BLEU {selection.score.score:.4f} ({selection.score.signature}" in said
        assert ("a local optimum" in said) == (level == "corpus")
    (folder / "ref2").write_bytes("".join(f"{pool[0]}\n" for pool in POOLS).encode())
    both = [list(pair) for pair in zip(REFERENCES, [pool[0] for pool in POOLS], strict=True)]
    selection = oracle(POOLS, both)
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    assert written("oracle moses -r ref -r ref2") == appended(chosen, selection.utilities.tolist())


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


def test_formats_of_input_and_output() -> None:
    selection = mbr(POOLS)
    best = [pool[k] for pool, k in zip(POOLS, selection.indices, strict=True)]
    values = [f"{value:.4f}" for value in selection.utilities]
    numbers = [round(value, 4) for value in selection.utilities]
    as_text = "".join(f"{text}\n" for text in best)
    for name in ("moses", "lists", "each"):
        assert written(f"mbr {name} --output-format text") == as_text
    assert written("mbr lists --output-format moses") == "".join(
        f"{i} ||| {text} ||| expected_bleu= {value} ||| {value}\n"
        for i, (text, value) in enumerate(zip(best, values, strict=True))
    )
    assert written("mbr moses --output-format json") == "".join(
        dumped({"id": i, "text": text, "expected_bleu": value})
        for i, (text, value) in enumerate(zip(best, numbers, strict=True))
    )
    scores = [part[k] for part, k in zip(SCORES, selection.indices, strict=True)]
    assert written("mbr each") == "".join(
        dumped({"text": text, "id": i, "score": score, "expected_bleu": value})
        for i, (text, score, value) in enumerate(zip(best, scores, numbers, strict=True))
    )
    assert written("mbr lists") == "".join(
        dumped(
            {"id": f"s{i}", "candidates": [text], "score": [score], "kept": [1, 2], "expected_bleu": [value]}
        )
        for i, (text, score, value) in enumerate(zip(best, scores, numbers, strict=True))
    )
    utilities = expected(POOLS)
    assert written("mbr lists --all") == "".join(
        dumped({**json.loads(line), "expected_bleu": [round(value, 4) for value in part.tolist()]})
        for line, part in zip(lists(POOLS), utilities, strict=True)
    )
    assert written("mbr each --all --output-format text") == "".join(
        f"{text}\t{value:.4f}\n"
        for text, value in zip([text for pool in POOLS for text in pool], flat(utilities), strict=True)
    )


def test_plain_text() -> None:
    pools = [pool[:2] for pool in POOLS]
    selection = mbr(Pools([text for pool in pools for text in pool], size=2))
    best = [pool[k] for pool, k in zip(pools, selection.indices, strict=True)]
    assert written("mbr text -n 2") == "".join(f"{text}\n" for text in best)
    assert written("oracle text -n 2 -r ref --output-format moses").startswith(
        "0 ||| the cat sat on the mat ||| bleu= "
    )


def test_fields_of_json_have_names(folder: Path) -> None:
    (folder / "named").write_bytes(
        "".join(dumped({"src": i, "hyps": pool}) for i, pool in enumerate(POOLS)).encode()
    )
    found = written("mbr named --candidates-field hyps --id-field src --output-format text")
    assert found == written("mbr moses --output-format text")


def test_ids_of_json_keep_their_name(folder: Path) -> None:
    (folder / "named").write_bytes(dumped({"src": "x", "candidates": POOLS[0]}).encode())
    best = json.loads(written("mbr lists").splitlines()[0])
    for name in ("named", "lists"):
        field = {"named": "src", "lists": "id"}[name]
        found = json.loads(written(f"self-bleu {name} --id-field {field}").splitlines()[0])
        assert list(found) == [field, "self_bleu"]
    found = json.loads(
        written("mbr moses --output-format json --id-field src --text-field hyp").splitlines()[0]
    )
    assert found == {"src": 0, "hyp": best["candidates"][0], "expected_bleu": best["expected_bleu"][0]}


def test_lists_that_belong_to_the_candidates_are_cut_with_them(folder: Path) -> None:
    record = {
        "candidates": ["a b c d", "x y z w", "a b c d"],
        "p": [1, 5, 1],
        "logp": [-1, -5, -2],
        "score": [0.1, 0.5, 0.2],
        "tags": ["one", "two", "three"],
    }
    (folder / "parallel").write_bytes(dumped(record).encode())
    found = json.loads(written("mbr parallel --top-k 2 --interpolate 0.01 --model-score logp"))
    kept = {"candidates": ["a b c d"] * 2, "logp": [-1, -2], "score": [0.1, 0.2]}
    assert {name: found[name] for name in record} == {**record, **kept}
    found = json.loads(written("mbr parallel --weights-from p --weights-as counts"))
    kept = {"candidates": ["x y z w"], "p": [5], "score": [0.5]}
    assert {name: found[name] for name in record} == {**record, **kept}
    found = json.loads(written("mbr parallel"))
    assert {name: found[name] for name in record} == {**record, "candidates": ["a b c d"], "score": [0.1]}


def test_no_field_is_overwritten(folder: Path) -> None:
    plain = lists(POOLS)
    named = dumped({**json.loads(plain[1]), "expected_bleu": "mine"})
    (folder / "named").write_bytes("".join([plain[0], named, *plain[2:]]).encode())
    message = "expected no field 'expected_bleu', found one: the score gets this name"
    assert refused("mbr named") == (1, f"named: line 2: {message}")
    assert written("mbr named --skip-bad").splitlines() == [
        line for i, line in enumerate(written("mbr lists").splitlines()) if i != 1
    ]
    # Nothing is written into the record.
    assert written("mbr named --output-format text") == written("mbr lists --output-format text")
    assert json.loads(written("score named -r ref").splitlines()[1])["expected_bleu"] == "mine"
    assert written("self-bleu named") == written("self-bleu lists")
    single = each(POOLS)
    single[4] = dumped({**json.loads(single[4]), "bleu": None})
    message = "expected no field 'bleu', found one: the score gets this name"
    assert refused("score -r ref", "".join(single).encode()) == (1, f"standard input: line 5: {message}")


def test_half_a_surrogate_pair_in_a_field_that_is_passed_on(folder: Path) -> None:
    odd = '{"id": "s9", "candidates": ["Köln"], "note": "\\ud800 Köln", "score": [1]}\n'
    (folder / "odd").write_bytes("".join([*lists(POOLS[:1]), odd]).encode())
    first, second = written("mbr odd").splitlines()
    assert f"{first}\n" == written("mbr lists").splitlines(keepends=True)[0]
    assert second.isascii()
    assert json.loads(second) == {**json.loads(odd), "expected_bleu": [100.0]}


def test_standard_input_and_compressed_files(folder: Path) -> None:
    zstd = import_zstd()
    plain = (folder / "moses").read_bytes()
    expected_output = written("mbr moses")
    half = len(plain) // 2
    two_members = gzip.compress(plain[:half]) + gzip.compress(plain[half:])
    two_frames = zstd.compress(plain[:half]) + zstd.compress(plain[half:])
    (folder / "moses.gz").write_bytes(two_members)
    (folder / "moses.zst").write_bytes(two_frames)
    for name in ("moses.gz", "moses.zst"):
        assert written(f"mbr {name}") == expected_output
    for data in (plain, two_members, two_frames):
        assert written("mbr", data) == expected_output
        assert written("mbr -", data) == expected_output
    (folder / "ref.gz").write_bytes(gzip.compress((folder / "ref").read_bytes()))
    assert written("oracle moses.zst -r ref.gz") == written("oracle moses -r ref")


def test_line_ends_of_windows_and_none_at_the_end(folder: Path) -> None:
    plain = (folder / "moses").read_bytes()
    assert written("mbr", plain.replace(b"\n", b"\r\n")) == written("mbr moses")
    assert written("mbr", plain.rstrip(b"\n")) == written("mbr moses")


def test_the_summary() -> None:
    status, _, said = run("mbr moses -r ref")
    assert status == 0
    utilities = mbr(POOLS).utilities
    assert said.startswith(
        f"fastbleu-rerank: 5 sources, 14 candidates; mean utility {utilities.mean():.4f}; corpus BLEU "
    )
    best = [pool[k] for pool, k in zip(POOLS, mbr(POOLS).indices, strict=True)]
    score = BLEU(effective_order=True).corpus_score(best, [REFERENCES])
    assert f"corpus BLEU {score.score:.4f} ({score.signature}); " in said
    assert said.endswith(" candidates per second\n")
    _, _, said = run("score moses -r ref")
    score = BLEU(effective_order=True).corpus_score([pool[0] for pool in POOLS], [REFERENCES])
    assert f"corpus BLEU of the first candidates {score.score:.4f} (" in said
    _, _, said = run("self-bleu moses")
    mean = np.mean([self_bleu(pool).mean for pool in POOLS])
    assert f"mean self-BLEU {mean:.4f}; " in said


# Blocks and threads

COMMANDS = (
    "mbr moses",
    "mbr moses --top-k 2",
    "mbr moses --all",
    "mbr moses --all --output-format json",
    "mbr lists --top-k 2",
    "mbr each --all",
    "mbr text -n 2",
    "oracle moses -r ref",
    "score moses -r ref",
    "self-bleu moses",
    "self-bleu each --all",
    "mbr moses --evidence lists",
    "mbr each --evidence moses -r ref",
)


@pytest.mark.parametrize("arguments", [*COMMANDS, "oracle moses -r ref --level corpus"])
def test_neither_blocks_nor_threads_change_a_thing(arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(arguments)
    for size in (1, 7, 100, 250):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        assert written(arguments) == whole
        assert written(f"{arguments} --threads 3") == whole


# Going on


@pytest.mark.parametrize("arguments", COMMANDS)
def test_what_was_cut_anywhere_is_completed(
    arguments: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    whole = written(arguments).encode()
    output = folder / "out"
    # At every byte in the first commands, and for the others at enough of them.
    for size in range(0, len(whole) + 1, 1 if arguments in COMMANDS[:2] else 7):
        output.write_bytes(whole[:size])
        assert run(f"{arguments} -o out --resume -q") == (0, b"", "")
        assert output.read_bytes() == whole
    output.unlink()
    assert run(f"{arguments} -o out --resume -q --threads 2") == (0, b"", "")
    assert output.read_bytes() == whole


def test_what_was_cut_is_completed_from_compressed_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    whole = written("mbr moses --all").encode()
    (folder / "moses.gz").write_bytes(gzip.compress((folder / "moses").read_bytes()))
    for size in range(0, len(whole), 11):
        (folder / "out").write_bytes(whole[:size])
        assert run("mbr moses.gz --all -o out --resume -q --threads 2") == (0, b"", "")
        assert (folder / "out").read_bytes() == whole


def test_what_was_cut_is_completed_where_bad_lines_were_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    lines = moses_lines(POOLS)
    lines[4] = "broken\n"
    del lines[9:11]
    (folder / "bad").write_bytes("".join(lines).encode())
    whole = written("oracle bad -r ref --skip-bad --all").encode()
    for size in range(0, len(whole), 7):
        (folder / "out").write_bytes(whole[:size])
        assert run("oracle bad -r ref --skip-bad --all -o out --resume -q") == (0, b"", "")
        assert (folder / "out").read_bytes() == whole


def test_the_summary_says_what_it_covers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 120)
    whole = written("mbr moses").encode()
    (folder / "out").write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    _, _, said = run("mbr moses -o out --resume")
    lines = said.splitlines()
    assert lines[0] == "fastbleu-rerank: 3 sources were there already; what follows is of the others"
    assert lines[1].startswith("fastbleu-rerank: 2 sources, 5 candidates; ")
    _, _, said = run("mbr moses -o out --resume")
    assert said.splitlines()[1].startswith("fastbleu-rerank: 0 sources, 0 candidates; 0 candidates per")


@pytest.mark.parametrize("size", [1 << 20, 120])
def test_an_output_of_something_else_is_refused(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    whole = written("mbr moses").encode()
    start = "out: --resume: the file is not the output of this input with these options: "
    others = (
        (
            written("mbr moses -lc -tok char").encode(),
            "expected '-1  2-2 ||| 68.7324', found '-1  2-2 ||| 80.3538' from byte 54 of a line on",
        ),
        (whole[:100].replace(b"cat", b"dog"), "expected '0 ||| the cat sat on the mat |||"),
        (whole[:-5] + b"9.99\n", "expected '"),
        (whole + b"5 ||| more\n", "it has more lines"),
        (whole + b"x", "it has more lines"),
        (b"\n", "expected '0 ||| the cat sat on the mat |||"),
    )
    for other, message in others:
        (folder / "out").write_bytes(other)
        status, said = refused("mbr moses -o out --resume")
        assert status == 1
        assert said.startswith(start + message)
        assert (folder / "out").read_bytes() == other


# What is refused


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("", 2, "the following arguments are required: COMMAND"),
        ("chrf moses", 2, "argument COMMAND: invalid choice: 'chrf'"),
        ("mbr absent", 1, "absent: No such file or directory"),
        ("oracle moses", 2, "no references: name each file of them with -r/--references"),
        ("score moses", 2, "no references: name each file of them with -r/--references"),
        ("score moses -r absent", 1, "absent: No such file or directory"),
        (
            "mbr moses -n 2 --input-format json",
            2,
            "argument --candidates-per-source/-n: is for plain text, not for",
        ),
        (
            "mbr moses --input-format text",
            2,
            "argument --input-format: text needs -n/--candidates-per-source",
        ),
        ("mbr moses --top-k 2 --all", 2, "argument --top-k: cannot be used with --all"),
        ("mbr moses --top-k 0", 2, "argument --top-k: must be at least 1, not 0"),
        ("mbr moses -w 18", 2, "argument --width/-w: must be at most 17, not 18"),
        ("mbr moses --resume", 2, "argument --resume: name the file with -o/--output"),
        (
            "mbr moses -o out.gz",
            2,
            "argument --output/-o: output is not compressed, so 'out.gz' must not end in .gz or .zst",
        ),
        ("mbr moses -o ./moses", 2, "argument --output/-o: ./moses is an input file too"),
        ("oracle moses -r ref -o ref", 2, "argument --output/-o: ref is an input file too"),
        ("mbr moses -o no/out", 1, "no/out: No such file or directory"),
        ("mbr moses --weights-as counts", 2, "argument --weights-as: name the field with --weights-from"),
        ("mbr moses --temperature 2", 2, "argument --temperature: name the field with --weights-from"),
        (
            "mbr moses --weights-from 4",
            2,
            "argument --weights-from: say what the numbers are with --weights-as",
        ),
        (
            "mbr moses --weights-from x --weights-as counts",
            2,
            "argument --weights-from: the score of a Moses n-best",
        ),
        (
            "mbr text -n 2 --weights-from 4 --weights-as counts",
            2,
            "argument --weights-from: plain text has no models' scores",
        ),
        ("mbr text -n 2 --interpolate 0.5", 2, "argument --interpolate: plain text has no models' scores"),
        (
            "mbr text -n 2 --interpolate 0.5 --model-score 3",
            2,
            "argument --model-score: plain text has no models' scores",
        ),
        (
            "mbr text -n 2 --evidence lists --weights-from score --weights-as counts --interpolate 0.5",
            2,
            "argument --interpolate: plain text has no models' scores",
        ),
        (
            "mbr moses --evidence lists --weights-from score --weights-as counts --interpolate 0.5 --model-score 2",
            2,
            "argument --model-score: the score of a Moses n-best",
        ),
        (
            "mbr moses --weights-from 4 --weights-as counts --interpolate 0.5",
            2,
            "argument --interpolate: with weights of the same candidates, name the field with --model-score",
        ),
        (
            "mbr moses --weights-from 4 --weights-as counts --interpolate 0.5 --model-score 3",
            2,
            "argument --model-score: must be the field of --weights-from",
        ),
        (
            "self-bleu lists --id-field self_bleu",
            2,
            "argument --id-field: 'self_bleu' is the name of the score",
        ),
        (
            "score moses -r ref --output-format json --text-field bleu",
            2,
            "argument --text-field: 'bleu' is the name of the score",
        ),
        ("mbr moses --interpolate 2", 2, "argument --interpolate: must be within 0..1, not 2"),
        ("mbr moses --model-score 4", 2, "argument --model-score: say how much it counts with --interpolate"),
        (
            "mbr moses --weights-from 4 --weights-as counts --temperature 1",
            2,
            "argument --temperature: is for --weights-as log-probabilities",
        ),
        (
            "mbr moses --evidence lists --exclude-self",
            2,
            "argument --exclude-self: cannot be used with --evidence",
        ),
        ("mbr moses --method aggregate --exclude-self", 2, "argument --exclude-self: is for --method exact"),
        ("oracle moses -r ref --level corpus --all", 2, "argument --level corpus: cannot be used with --all"),
        (
            "oracle moses -r ref --level corpus --top-k 2",
            2,
            "argument --level corpus: cannot be used with --top-k",
        ),
        (
            "oracle moses -r ref --level corpus --resume -o out",
            2,
            "argument --level corpus: cannot be used with --resume",
        ),
        (
            "oracle -r ref --level corpus",
            2,
            "argument --level corpus: reads its files twice, so they cannot be standard input or a pipe",
        ),
        ("oracle -r -", 2, "only one of the files can be standard input"),
        ("mbr moses -tok 13b", 2, "13b"),
        (
            "mbr text",
            1,
            "text: line 1: expected 'id ||| text ||| features ||| score' or a JSON object; for plain text",
        ),
    ],
)
def test_wrong_options(arguments: str, status: int, message: str) -> None:
    found, said = refused(arguments) if arguments else refused_without_options()
    assert found == status
    assert message in said


def refused_without_options() -> tuple[int, str]:
    status, _, said = run("")
    return status, said.removeprefix("fastbleu-rerank: ")


BAD_MOSES = (
    (3, "broken\n", "expected 'id ||| text ||| features ||| score' with an id of digits, found 'broken'"),
    (3, "\n", "expected 'id ||| text ||| features ||| score' with an id of digits, found ''"),
    (3, "7 ||| a\n", "expected id 0 or 1, found 7: source 1 has no candidates"),
    (6, "0 ||| a\n", "expected id 2 or 3, found 0: ids must rise, and candidates of a source stand together"),
    (4, "1 ||| caf\udcc3 ||| x ||| -1\n", "expected UTF-8, found byte 0xc3 where it is not valid"),
)


@pytest.mark.parametrize(("line", "text", "message"), BAD_MOSES)
def test_a_broken_line_of_moses(line: int, text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = moses_lines(POOLS)
    lines[line] = text
    data = "".join(lines).encode("utf-8", "surrogateescape")
    for size in (1 << 20, 100):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        for threads in (1, 2):
            assert refused(f"mbr --threads {threads}", data) == (
                1,
                f"standard input: line {line + 1}: {message}",
            )


def test_lines_before_a_broken_one_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", 100)
    whole = written("mbr moses")
    data = moses(POOLS).encode() + b"broken\n"
    for threads in (1, 2):
        status, output, _ = run(f"mbr --threads {threads}", data)
        assert status == 1
        assert output
        assert whole.encode().startswith(output)
        assert output.endswith(b"\n")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("nan", "expected a finite number in field 4, found 'nan'"),
        ("-inf", "expected a finite number in field 4, found '-inf'"),
        ("x", "expected a number in field 4, found 'x'"),
        ("", "expected a number in field 4, found ''"),
        (None, "expected at least 4 fields between '|||', found 3: '0 ||| a ||| f'"),
    ],
)
def test_broken_scores_of_moses(number: str | None, message: str) -> None:
    line = "0 ||| a ||| f" + ("" if number is None else f" ||| {number}")
    data = f"0 ||| a ||| f ||| -1\n{line}\n".encode()
    options = "mbr --weights-from 4 --weights-as log-probabilities --temperature 1"
    assert refused(options, data) == (1, f"standard input: line 2: {message}")
    assert refused("mbr --interpolate 0.5", data) == (1, f"standard input: line 2: {message}")
    # Nobody asked for the field.
    assert len(written("mbr --all", data).splitlines()) == 2
    _, output, said = run("mbr --interpolate 0.5 --skip-bad", data)
    assert output == b"0 ||| a ||| f ||| -1 ||| 49.5000\n"
    assert said.splitlines()[1] == "fastbleu-rerank: left out: 1 line, 0 sources"


@pytest.mark.parametrize(
    ("kind", "weights", "message"),
    [
        (
            "probabilities",
            (0.5, 0.4),
            # The words behind the semicolon are the library's own in the terms of the command line.
            "line 1: scores must be probabilities that sum to 1, but they sum to 0.9; else --weights-as counts",
        ),
        (
            "log-probabilities",
            (0.0, 0.0),
            "line 1: scores must be probabilities that sum to 1, but they sum to 2.0; else --temperature 1",
        ),
        ("probabilities", (1.5, -0.5), "line 1: scores[1] must be finite and not negative, got -0.5"),
        (
            "log-probabilities",
            (0.5, -1.0),
            "line 1: scores[0] must be a log-probability, not above 0, got 0.5",
        ),
        ("counts", (0, 0), "line 1: scores must not all be 0, got list: [0.0, 0.0]"),
    ],
)
def test_weights_that_are_none(kind: str, weights: tuple[float, float], message: str) -> None:
    data = "".join(f"0 ||| a ||| f ||| {weight}\n" for weight in weights).encode()
    options = f"mbr --weights-from 4 --weights-as {kind}"
    status, said = refused(options, data)
    assert status == 1
    assert said == f"standard input: {message}"
    more = data + b"1 ||| a ||| f ||| 1\n"
    if kind != "log-probabilities":
        _, output, said = run(f"{options} --skip-bad", more)
        assert output == b"1 ||| a ||| f ||| 1 ||| 100.0000\n"
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"


BAD_JSON = (
    ("{", "expected a JSON object, found '{'"),
    ("[]", "expected a JSON object, found '[]'"),
    ("[" * 99_999, "expected a JSON object, found one nested too deeply: '[[["),
    ("", "expected a JSON object, found ''"),
    (
        f'{{"candidates": ["a"], "score": [{"9" * 5000}]}}',
        'expected integers of at most 4,300 digits, found a longer one: \'{"candidates": ["a"], "score": [999',
    ),
    (f'{{"candidates": ["a"], "score": [{"9" * 400}]}}', "expected a finite number in 'score', found 999"),
    ('{"id": 9}', "expected a field 'candidates', found {\"id\": 9}"),
    ('{"candidates": "a"}', "expected a list in 'candidates', found \"a\""),
    ('{"candidates": []}', "expected candidates in 'candidates', found an empty list"),
    ('{"candidates": [1]}', "expected a string in 'candidates', found 1"),
    ('{"candidates": ["\\ud800"]}', "expected text in 'candidates', found half a surrogate pair, '\\ud800'"),
    ('{"candidates": ["a"], "id": 1.5}', "expected a string or an integer in 'id', found 1.5"),
    ('{"candidates": ["a"], "id": "s0"}', 'expected a new id, found "s0" again'),
    ('{"candidates": ["a"], "score": [NaN]}', "expected a finite number, found NaN"),
    ('{"candidates": ["a"], "score": [1e999]}', "expected a finite number, found 1e999"),
    ('{"candidates": ["a"], "score": ["1"]}', "expected a number in 'score', found \"1\""),
    ('{"candidates": ["a"], "score": [1, 2]}', "expected a list of 1 numbers in 'score', found [1, 2]"),
    ('{"candidates": ["a"]}', "expected a list of 1 numbers in 'score', found null"),
)


@pytest.mark.parametrize(("line", "message"), BAD_JSON)
def test_a_broken_line_of_json(line: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = lists(POOLS)
    good[2] = f"{line}\n"
    data = "".join(good).encode()
    for size in (1 << 20, 50):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        status, said = refused("mbr --interpolate 0.5", data)
        assert status == 1
        assert said.startswith(f"standard input: line 3: {message}")
        # The references of the other sources are still theirs.
        (Path("bad")).write_bytes(data)
        _, output, said = run("mbr bad -r ref --interpolate 0 --skip-bad")
        assert len(output.splitlines()) == 4
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a", "id": 0}', "expected a new id, found 0 again"),
        ('{"text": "a"}', "expected a string or an integer in 'id', found null"),
        ('{"id": 2}', "expected a field 'text' or 'candidates', found {\"id\": 2}"),
        ('{"id": 2, "text": ["a"]}', "expected a string in 'text', found [\"a\"]"),
    ],
)
def test_a_broken_line_of_json_of_candidates(
    line: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = each(POOLS)
    good[7] = f"{line}\n"
    data = "".join(good).encode()
    for size in (1 << 20, 50):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        assert refused("mbr", data) == (1, f"standard input: line 8: {message}")
        _, output, said = run("mbr --all --skip-bad", data)
        assert len(output.splitlines()) == 13
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 1 line, 0 sources"


def test_plain_text_of_another_number_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (1 << 20, 50):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        message = "text: line 10: expected 4 lines for each source (-n 4), found 2 for the last one"
        assert refused("mbr text -n 4") == (1, message)
        _, output, said = run("mbr text -n 4 --skip-bad")
        assert output.count(b"\n") == 2
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 0 lines, 1 source"


def test_bad_lines_are_left_out_and_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = moses_lines(POOLS)
    metric = BLEU(effective_order=True)
    values = [
        metric.sentence_score(text, [reference]).score
        for pool, reference in zip(POOLS, REFERENCES, strict=True)
        for text in pool
    ]
    # A line of source 0, all of source 1, and one of source 4 that is no UTF-8.
    left = [k for k in range(14) if k not in {1, 3, 4, 12}]
    broken = [lines[0], "broken\n", *lines[2:3], *lines[5:12], "4 ||| \udcff\n", *lines[13:]]
    (folder / "bad").write_bytes("".join(broken).encode("utf-8", "surrogateescape"))
    for size in (1 << 20, 100):
        monkeypatch.setattr(files, "BLOCK_BYTES", size)
        status, output, said = run("score bad -r ref --skip-bad")
        assert status == 0
        assert output.decode() == appended([lines[k] for k in left], [values[k] for k in left])
        assert said.splitlines()[1] == "fastbleu-rerank: left out: 2 lines, 1 source"


@pytest.mark.parametrize("size", [1 << 20, 100, 1])
def test_a_first_id_that_is_broken(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = moses_lines(POOLS)
    score = written("score moses -r ref").splitlines(keepends=True)
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    for broken in (
        ["999 ||| a ||| f ||| 1\n"],
        ["999 ||| a ||| f ||| 1\n"] * 3,
        ["x\n", "999 ||| a\n", "\n", "77 ||| a\n"],
    ):
        (folder / "bad").write_bytes("".join([*broken, *lines]).encode())
        for threads in (1, 2):
            status, output, said = run(
                f"score bad -r ref --input-format moses --skip-bad --threads {threads}"
            )
            assert (status, output.decode()) == (0, "".join(score))
            count = "1 line" if len(broken) == 1 else f"{len(broken)} lines"
            assert said.splitlines()[1] == f"fastbleu-rerank: left out: {count}, 0 sources"
    (folder / "bad").write_bytes("".join([lines[0].replace("0", "999", 1), *lines[1:]]).encode())
    assert written("score bad -r ref --skip-bad") == "".join(score[1:])
    message = "bad: line 2: expected id 999 or 1000, found 0: ids must rise, and candidates of a source stand together"
    assert refused("score bad -r ref") == (1, message)
    # All that is there: nothing says that it is wrong.
    (folder / "bad").write_bytes(lines[0].replace("0", "999", 1).encode())
    assert written("mbr bad --skip-bad").startswith("999 ||| ")
    # As evidence too.
    (folder / "bad").write_bytes("".join(["999 ||| a\n", *lines]).encode())
    assert written("mbr moses --evidence bad --skip-bad") == written("mbr moses")


@pytest.mark.parametrize("size", [1 << 20, 1])
def test_a_first_line_of_json_that_is_broken(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = written("mbr lists --all").splitlines()[1:]
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    for broken in ("{\n", "{}\n", '{"id": "s0"}\n'):
        data = "".join([broken, *lists(POOLS)[1:]]).encode()
        assert written("mbr --all --skip-bad", data).splitlines() == kept
        status, said = refused("mbr --all", data)
        assert status == 1
        assert said.startswith("standard input: line 1: expected a ")


def test_sources_without_what_is_needed() -> None:
    data = b"0 ||| a\n0 ||| b\n1 ||| c\n"
    message = "standard input: line 3: expected at least 2 candidates, found 1: it has no "
    assert refused("self-bleu", data) == (1, f"{message}others as references")
    assert refused("mbr --exclude-self", data) == (1, f"{message}other as evidence")
    assert written("self-bleu --skip-bad", data) == "0 ||| 0.0000\n"


@pytest.mark.parametrize("size", [1 << 20, 20])
def test_references_of_another_number(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    text = "references and candidates are for different numbers of sources: "
    (folder / "few").write_bytes(b"a\nb\n")
    assert refused("oracle moses -r few") == (1, f"{text}few has 2 lines, moses has more sources")
    (folder / "many").write_bytes(b"a\n" * 77)
    assert refused("oracle moses -r many") == (1, f"{text}many has 77 lines, moses has 5 sources")
    (folder / "bad").write_bytes(b"a\nb\n\xff\nd\ne\n")
    message = "bad: line 3: expected UTF-8, found byte 0xff where it is not valid"
    assert refused("oracle moses -r bad") == (1, message)


@pytest.mark.parametrize("size", [1 << 20, 100])
def test_evidence_of_other_sources(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    text = "evidence and candidates are for different "
    (folder / "few").write_bytes(moses(POOLS[:3]).encode())
    message = f"{text}numbers of sources: few has 3 sources, moses has more"
    for options in ("", " --skip-bad", " --threads 2"):
        assert refused(f"mbr moses --evidence few{options}") == (1, message)
    (folder / "many").write_bytes(moses([*POOLS, ["a"]]).encode())
    assert (
        refused("mbr moses --evidence many")[1]
        == f"{text}numbers of sources: many has more, moses has 5 sources"
    )
    (folder / "later").write_bytes(moses(POOLS, first=1).encode())
    assert (
        refused("mbr moses --evidence later")[1] == f"{text}sources: later begins with id 1, moses with id 0"
    )


@pytest.mark.parametrize("size", [1 << 20, 100, 1])
def test_evidence_in_json_is_of_the_same_sources(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
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


@pytest.mark.parametrize("size", [1 << 20, 60, 1])
def test_broken_lines_at_either_end_are_no_sources(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written("mbr moses")
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    for name, junk in (("moses", f"{10**20} ||| broken\n" * 9), ("each", '{"id": null}\n' * 9)):
        text = junk + (folder / name).read_text(encoding="utf-8") + junk
        (folder / f"{name}-bad").write_bytes(text.encode())
    for name in ("moses", "each"):
        assert written(f"mbr moses --evidence {name}-bad --skip-bad") == whole
        assert written(f"mbr moses-bad --evidence {name} --skip-bad") == whole
        assert written(f"mbr moses-bad --evidence {name}-bad --skip-bad") == whole


def test_a_source_lost_among_broken_lines_takes_no_reference_of_others(folder: Path) -> None:
    lines = (folder / "each").read_text(encoding="utf-8").splitlines(keepends=True)
    ids = [json.loads(line)["id"] for line in lines]
    second = [i for i, name in enumerate(ids) if name == ids[-1]]
    # Within a source nothing is lost but a candidate.
    within = "".join([*lines[: second[1]], "{broken\n", *lines[second[1] + 1 :]])
    (folder / "bad").write_text(within, encoding="utf-8")
    assert written("score bad -r ref --skip-bad").count("\n") == len(lines) - 1
    between = "".join([*lines[: second[0]], "{broken\n", *lines[second[0] :]])
    (folder / "bad").write_text(between, encoding="utf-8")
    status, said = refused("score bad -r ref --skip-bad")
    assert status == 1
    assert said == (
        f"bad: line {second[0] + 1}: expected a line with the id of its source; because sources have "
        "references, no line between two of them may be left out, found '{broken'"
    )
    assert written("mbr bad --skip-bad") == written("mbr each")


@pytest.mark.parametrize(("name", "looks"), [("moses", "moses"), ("lists", "json"), ("each", "json")])
def test_what_looks_otherwise_is_no_plain_text(name: str, looks: str) -> None:
    status, said = refused(f"mbr {name} -n 2")
    assert status == 2
    assert said == (
        f"argument --candidates-per-source/-n: is for plain text, but {name} looks like {looks}; say --input-format "
        "text if it is plain text"
    )
    assert written(f"mbr {name} -n 1 --input-format text")


@pytest.mark.parametrize(
    ("mark", "found"),
    [
        (b"\xef\xbb\xbf", "UTF-8 without a byte order mark, found one"),
        (b"\xff\xfe", "UTF-8, found UTF-16"),
        (b"\xfe\xff", "UTF-8, found UTF-16"),
    ],
)
def test_marks_of_other_encodings(mark: bytes, found: str, folder: Path) -> None:
    for name, arguments in (("moses", "mbr bad"), ("ref", "oracle moses -r bad")):
        (folder / "bad").write_bytes(mark + (folder / name).read_bytes())
        assert refused(arguments) == (1, f"bad: line 1: expected {found}")


def test_output_to_standard_output_by_name(folder: Path) -> None:
    assert written("mbr moses -o -") == written("mbr moses")
    assert not (folder / "-").exists()


def test_output_is_not_what_standard_input_comes_from(folder: Path) -> None:
    before = (folder / "moses").read_bytes()
    with open("moses", "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "fastbleu.rerank", "mbr", "-o", "moses"],
            stdin=file,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert "argument --output/-o: moses is an input file too" in done.stderr
    assert (folder / "moses").read_bytes() == before


@pytest.mark.parametrize("size", [1 << 20, 60, 1])
def test_a_broken_line_is_read_once(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    lists = [["a b", "a"], ["c d", "c"], ["e f", "e"]]
    (folder / "candidates").write_text("".join(dumped({"candidates": texts}) for texts in lists))
    broken = [lists[0], [], lists[2]]
    (folder / "samples").write_text("".join(dumped({"candidates": texts}) for texts in broken))
    found = [
        json.loads(line)["candidates"]
        for line in written("mbr candidates --evidence samples --skip-bad").splitlines()
    ]
    assert found == [["a b"], ["e f"]]


@pytest.mark.parametrize("size", [1 << 20, 1])
def test_an_id_of_a_broken_source_is_taken(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BLOCK_BYTES", size)
    records: list[dict[str, object]] = [
        {"candidates": ["x"], "id": 9},
        {"id": 1},
        {"id": 2, "candidates": ["a"]},
        {"id": 1, "candidates": ["b"]},
    ]
    output = written("mbr --skip-bad", "".join(map(dumped, records)).encode())
    assert [json.loads(line)["id"] for line in output.splitlines()] == [9, 2]


def test_numbers_that_are_too_large() -> None:
    data = dumped({"candidates": ["a", "b"], "score": [1e308, 1e308]}).encode()
    status, said = refused("mbr --weights-from score --weights-as probabilities", data)
    assert status == 1
    assert "must be probabilities that sum to 1, but they sum to inf" in said
    status, said = refused(f"mbr moses --weights-from {10**20} --weights-as counts")
    assert status == 2
    assert "the score of a Moses n-best list must be in a field from 3 to 1,000,000" in said
    for number in ("1e999", "-1E+0400", "9" * 400 + ".0"):
        data = f'{{"candidates": ["a b"], "other": {{"deep": [{number}]}}}}\n'.encode()
        status, said = refused("mbr", data)
        assert status == 1
        assert said.startswith(f"standard input: line 1: expected a finite number, found {number[:9]}"[:70])
    record = {"candidates": ["a b"], "other": [1e300, 1.5e-300, 10**320]}
    assert json.loads(written("mbr", dumped(record).encode()))["other"] == record["other"]


def test_texts_that_a_format_has_no_place_for() -> None:
    data = dumped({"candidates": ["a\nb"]}).encode()
    message = "standard input: line 1: expected text without a line break for --output-format text, found one"
    assert refused("mbr --output-format text", data) == (1, message)
    data = dumped({"candidates": ["a ||| b"]}).encode()
    message = "standard input: line 1: expected text without '|||' or a line break for --output-format moses, found one"
    assert refused("mbr --output-format moses", data) == (1, message)
    assert json.loads(written("mbr", data))["candidates"] == ["a ||| b"]
    for text in ("a\rb", "a\r"):
        data = "".join(dumped({"id": 0, "text": part}) for part in ("c", text)).encode()
        for form, what in (("text", "a line break"), ("moses", "'|||' or a line break")):
            message = (
                f"standard input: line 2: expected text without {what} for --output-format {form}, found one"
            )
            assert refused(f"mbr --output-format {form}", data) == (1, message)


def test_weights_of_one_candidate_alone() -> None:
    data = b"0 ||| a ||| f ||| 1\n0 ||| b ||| f ||| 0\n"
    message = "standard input: line 1: scores must give weight to at least 2 candidates with --exclude-self"
    assert refused("mbr --weights-from 4 --weights-as counts --exclude-self", data) == (1, message)


def test_empty_input(folder: Path) -> None:
    (folder / "empty").write_bytes(b"")
    assert refused("mbr empty") == (1, "empty is empty")
    assert refused("mbr") == (1, "standard input is empty")
    assert refused("mbr --skip-bad --input-format moses", b"x\n") == (
        1,
        "standard input: expected candidates, found only broken lines",
    )


# How it ends


def command(arguments: str) -> list[str]:
    return [sys.executable, "-m", "fastbleu.cli.rerank", *arguments.split()]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE_PARENT)}


def many_pools(folder: Path, sources: int = 4000) -> None:
    pools = [POOLS[i % len(POOLS)] for i in range(sources)]
    (folder / "many").write_bytes(moses(pools).encode())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_an_error() -> None:
    assert refused("mbr moses -o /dev/full") == (1, "/dev/full: No space left on device")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("mbr moses"),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (1, b"fastbleu-rerank: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_what_a_full_disk_holds_is_whole_lines(folder: Path) -> None:
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100));"
        "from fastbleu.cli.rerank import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "mbr", "moses", "-o", "out"],
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr == b"fastbleu-rerank: out: File too large\n"
    output = (folder / "out").read_text()
    assert output
    assert output.endswith("\n")
    assert written("mbr moses").startswith(output)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGPIPE")
def test_a_closed_pipe_is_no_error(folder: Path) -> None:
    many_pools(folder)
    with subprocess.Popen(
        command("mbr many --all --threads 2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"0 ||| the cat")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send to one process")
def test_ctrl_c_ends_quietly() -> None:
    with subprocess.Popen(
        command("mbr"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        time.sleep(1)  # it waits for standard input by then
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stdout is not None
        assert process.stderr is not None
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_was_killed_is_gone_on_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many_pools(folder, 30_000)
    monkeypatch.setattr(files, "BLOCK_BYTES", 1 << 16)
    program = (
        "import sys; from fastbleu.cli import rerank as cli; from fastbleu.inputs import files;"
        "files.BLOCK_BYTES = 1 << 16;"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, "mbr", "many", "--all", "-o", "out", "-q"], env=environment()
    ) as process:
        while not os.path.exists("out") or os.path.getsize("out") < 1 << 17:
            assert process.poll() is None
            time.sleep(0.002)
        process.kill()
    cut = os.path.getsize("out")
    assert run("mbr many --all -o out --resume -q --threads 2") == (0, b"", "")
    output = (folder / "out").read_bytes()
    assert output.decode() == written("mbr many --all")
    assert cut < len(output)


def test_the_example() -> None:
    references = [f"-r {EXAMPLES / name}" for name in ("reference.A.de", "reference.B.de")]
    best = written(f"oracle {' '.join(references)} {EXAMPLES / 'nbest.de'}").splitlines()
    assert [line.split(" ||| ")[0] for line in best] == [str(i) for i in range(40)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    tqdm = pytest.importorskip("tqdm.auto")
    bars: list[int] = []

    class Bar:
        def __init__(self, **options: object) -> None:
            assert options["total"] == os.path.getsize("moses")

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None: ...

        def update(self, size: int) -> None:
            bars.append(size)

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    monkeypatch.setattr(files, "BLOCK_BYTES", 100)
    assert cli.main(["mbr", "moses", "-o", "out"]) == 0
    assert 0 < sum(bars) <= os.path.getsize("moses")
    assert "5 sources" in terminal.getvalue()
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert cli.main(["mbr", "moses", "-o", "out"]) == 0
    bars.clear()
    assert cli.main(["mbr", "moses", "-o", "out", "-q"]) == 0
    assert not bars


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (["-V"], f"fastbleu-rerank {fastbleu.__version__}\n"),
        (["--help"], "self-bleu"),
        (["oracle", "--help"], "bytes per candidate"),
    ):
        with pytest.raises(SystemExit) as caught:
            cli.main(arguments)
        assert caught.value.code == 0
        assert text in capsys.readouterr().out
