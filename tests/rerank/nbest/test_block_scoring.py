"""Each command writes what the Python functions return, and names the lines of sources that it cannot score."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from fastbleu.rerank import expected, mbr, oracle, rank, self_bleu
from tests.support.nbest_lists import (
    POOLS,
    REFERENCES,
    SCORES,
    appended,
    blocks,
    dumped,
    figures,
    flat,
    lists,
    moses_lines,
    refused,
    run,
    sentence_scores,
    starts,
    won,
    written,
)
from tests.support.processes import python


def best(selection: Any, lines: list[str]) -> str:
    """Return the output lines of the candidates that a selection has chosen."""
    chosen = [lines[start + k] for start, k in zip(starts(), selection.indices, strict=False)]
    return won(chosen, selection.utilities.tolist())


def first(arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written(arguments).splitlines()[0])
    return found


def test_mbr_is_that_of_the_library() -> None:
    lines = moses_lines(POOLS)
    assert written("mbr moses") == best(mbr(POOLS), lines)
    assert written("mbr moses --exclude-self") == best(mbr(POOLS, exclude_self=True), lines)
    assert written("mbr moses --method aggregate") == best(mbr(POOLS, method="aggregate"), lines)
    by_chrf = mbr(POOLS, method="aggregate", metric=CHRF())
    assert written("mbr moses --method aggregate -m chrf") == best(by_chrf, lines)
    assert written("mbr moses --all") == won(lines, flat(expected(POOLS)))
    ranking = rank(expected(POOLS), top_k=2)
    chosen = [
        lines[start + k] for start, order in zip(starts(), ranking.indices, strict=False) for k in order
    ]
    ranks = [k + 1 for order in ranking.indices for k in range(len(order))]
    assert written("mbr moses --top-k 2") == won(chosen, flat(ranking.scores), ranks)
    assert len(written("mbr moses -k 9").splitlines()) == len(lines)
    assert [json.loads(line)["rank"] for line in written("mbr each -k 2").splitlines()] == ranks


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
    options = "--weights-as log-probabilities --temperature 0.5"
    assert written(f"mbr moses --all {options}") == won(lines, flat(utilities))
    ranking = rank(utilities, scores, 0.25)
    values = [0.75 * u + 0.25 * s for u, s in zip(flat(utilities), flat(scores), strict=True)]
    both = f"{options} --interpolate 0.25 --score-field 4"
    assert written(f"mbr moses --all {both}") == won(lines, values)
    tops = [lines[start + places[0]] for start, places in zip(starts(), ranking.indices, strict=False)]
    assert written(f"mbr moses {both}") == won(tops, [float(part[0]) for part in ranking.scores])
    # The same numbers in JSON.
    counts = [[float(k + 1) for k in range(len(pool))] for pool in POOLS]
    records = [{"candidates": pool, "n": count} for pool, count in zip(POOLS, counts, strict=True)]
    (folder / "counts").write_bytes("".join(map(dumped, records)).encode())
    lines = written("mbr counts --score-field n --weights-as counts").splitlines()
    selection = mbr(POOLS, weights=counts, weights_as="counts")
    for line, pool, k, utility in zip(lines, POOLS, *selection, strict=True):
        found = json.loads(line)
        assert (found["candidates"], found["expected_bleu"]) == ([pool[k]], [round(utility, 4)])
    mixed = [0.5 * u + 0.5 * s for u, s in zip(flat(expected(POOLS)), flat(SCORES), strict=True)]
    records = [json.loads(line) for line in written("mbr each --all --interpolate 0.5").splitlines()]
    assert [record["interpolated_score"] for record in records] == [round(value, 4) for value in mixed]
    assert not any("expected_bleu" in record for record in records)
    message = "line 1: expected a field '3', found the fields ["
    assert message in refused("mbr lists --interpolate 0.5 --score-field 3")[1]


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
        assert figures(said)["corpus BLEU"] == f"{selection.score.score:.4f}"
        optimum = ", a local optimum" * (level == "corpus")
        assert figures(said)["signature"] == f"{selection.score.signature}{optimum}"
    (folder / "ref2").write_bytes("".join(f"{pool[0]}\n" for pool in POOLS).encode())
    both = [list(pair) for pair in zip(REFERENCES, [pool[0] for pool in POOLS], strict=True)]
    assert written("oracle moses -r ref -r ref2") == best(oracle(POOLS, both), lines)


def test_self_bleu_is_that_of_the_library(folder: Path) -> None:
    found = [self_bleu(pool) for pool in POOLS]
    assert written("self-bleu moses") == "".join(f"{i} ||| {each.mean:.4f}\n" for i, each in enumerate(found))
    means = [round(each.mean, 4) for each in found]
    assert written("self-bleu lists") == "".join(
        dumped({"id": f"s{i}", "self_bleu": mean}) for i, mean in enumerate(means)
    )
    (folder / "nameless").write_bytes("".join(dumped({"hyps": pool}) for pool in POOLS).encode())
    assert written("self-bleu nameless --candidates-field hyps --id-field src") == "".join(
        dumped({"src": i, "self_bleu": mean}) for i, mean in enumerate(means)
    )
    assert written("self-bleu moses --all") == appended(
        moses_lines(POOLS), flat([each.scores.tolist() for each in found])
    )


def test_what_json_gets_in_addition(folder: Path) -> None:
    selection = mbr(POOLS)
    places = selection.indices.tolist()
    added = [
        {"expected_bleu": round(value, 4), "index": place}
        for value, place in zip(selection.utilities, places, strict=True)
    ]
    chosen = [(pool[k], part[k]) for pool, part, k in zip(POOLS, SCORES, places, strict=True)]
    assert written("mbr each") == "".join(
        dumped({"text": text, "id": i, "score": score, **added[i]}) for i, (text, score) in enumerate(chosen)
    )
    assert written("mbr lists") == "".join(
        dumped({"id": f"s{i}", "candidates": [text], "score": [score], "kept": {"x": [1, 2]},
         **{name: [value] for name, value in added[i].items()}})
        for i, (text, score) in enumerate(chosen)
    )  # fmt: skip
    assert written("mbr lists --all") == "".join(
        dumped({**json.loads(line), "expected_bleu": [round(value, 4) for value in part.tolist()],
         "index": list(range(len(part)))})
        for line, part in zip(lists(POOLS), expected(POOLS), strict=True)
    )  # fmt: skip
    # Lists with one item per candidate are reduced to the chosen candidates; other fields are unchanged.
    record = {"candidates": ["a b", "x y z", "a b"], "logp": [-1, -5, -2], "tags": ["one", "two", "three"]}
    record["references"] = ["c", "d"]
    (folder / "cut").write_bytes(dumped(record).encode())
    found = first("mbr cut -k 2 --score-field logp --index-field place --rank-field number")
    cut = {"candidates": ["a b", "a b"], "logp": [-1, -2], "tags": ["one", "three"], "references": ["c", "d"]}
    cut["place"], cut["number"] = [0, 2], [1, 2]
    assert {name: found[name] for name in found if name != "expected_bleu"} == cut


def test_no_field_is_overwritten(folder: Path) -> None:
    plain = lists(POOLS)
    named = dumped({**json.loads(plain[1]), "expected_bleu": "mine"})
    (folder / "named").write_bytes("".join([plain[0], named, *plain[2:]]).encode())
    problem = (
        "because the output adds a field with this name; rename the field in the file, or choose another name for the "
        "index or the rank with --index-field or --rank-field"
    )
    message = f"named: line 2: expected no field 'expected_bleu', {problem}"
    assert refused("mbr named") == (1, message)
    lines = written("mbr lists").splitlines()
    assert written("mbr named --skip-bad").splitlines() == [lines[0], *lines[2:]]
    assert json.loads(written("score named -r ref").splitlines()[1])["expected_bleu"] == "mine"
    data = dumped({"id": 0, "text": "a"}) + dumped({"id": 1, "text": "b", "index": 3})
    assert refused("mbr", data.encode()) == (
        1,
        f"standard input: line 2: expected no field 'index', {problem}",
    )
    assert json.loads(written("mbr --index-field place", data.encode()).splitlines()[1])["index"] == 3


FIELDS = (
    r'"big": 123456789012345678901234567890, "floats":[1e-7,0.10,-0,1E400] , "a\/b": "\u00e9é😀\ud800"',
    r'"x": {"b": [1, 2, 3], "a": {}}, "x": null, "": ["[", "}\"]"], "n": [0], "tags": ["p", "q"]',
    r'"prompt": [{"role": "system", "content": "s"}, {"content": "u", "role": "user"}, {"from": "gpt"}]',
)


@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("blank", ["", " \t"])
def test_fields_are_kept_as_they_are_written(fields: str, blank: str) -> None:
    candidates = f'"candidates":{blank}["b","a\\u0062c"{blank}, "b"]'
    lists = f'{blank}{{{blank}{fields}, {candidates}, "n": [1.50, [ 2], {{}}]{blank}}}{blank}\n'
    start = f'{{{blank}{fields}, "candidates":{blank}'
    added = '"expected_bleu": [66.6667], "index": [0]}\n'
    assert written("mbr", f"{lists}".encode()) == f'{start}["b"], "n": [1.50], {added}'
    added = '"expected_bleu": [66.6667, 66.6667], "index": [0, 2], "rank": [1, 2]}\n'
    assert written("mbr -k 2", lists.encode()) == f'{start}["b", "b"], "n": [1.50, {{}}], {added}'
    added = '"expected_bleu": [66.6667, 33.3333, 66.6667], "index": [0, 1, 2]}\n'
    assert written("mbr --all", lists.encode()) == f"{lists.strip()[:-1].rstrip()}, {added}"
    each = f'{blank}{{{fields}, "id": 7, "text": "b"{blank}}}'
    added = f'{each.strip()[:-1].rstrip()}, "expected_bleu": 100.0, "index": 0}}\n'
    assert written("mbr", f"{each}\n{each}\n".encode()) == added


@pytest.mark.parametrize("size", [2, 3])
def test_a_list_without_an_item_per_candidate_is_kept(size: int) -> None:
    """A list that has not one item per candidate in one line of the first block is written whole in all lines."""
    records = [
        {"candidates": ["a", "b", "a"], "tags": ["x", "y", "z"], "logp": [1, 2, 3]},
        {"candidates": ["a", "b", "a"][:size], "tags": ["x", "y"], "logp": [1, 2, 3][:size]},
    ]
    lines = [json.loads(line) for line in written("mbr", "".join(map(dumped, records)).encode()).splitlines()]
    assert [line["logp"] for line in lines] == [[1], [1]]
    assert [line["tags"] for line in lines] == (
        [["x"], ["x"]] if size == 2 else [["x", "y", "z"], ["x", "y"]]
    )


@pytest.mark.slow
def test_numbers_in_a_locale_with_commas(tmp_path: Path) -> None:
    source = 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n'
    (tmp_path / "source").write_text(source)
    compiler = shutil.which("localedef")
    if compiler is None:
        pytest.skip("localedef, which creates locales, is not installed")
    # localedef warns about missing categories, which --force allows.
    arguments = [compiler, "--force", "-i", tmp_path / "source", tmp_path / "comma"]
    subprocess.run(arguments, capture_output=True, check=False)
    program = (
        "import locale, sys; from fastbleu.cli.rerank.rerank_command import main;"
        "locale.setlocale(locale.LC_NUMERIC, 'comma'); assert locale.str(1.5) == '1,5';"
        "sys.exit(main(sys.argv[1:]))"
    )
    for name in ("moses", "lists"):
        options = f"mbr {name} --all --interpolate 0.5"
        done = python("-c", program, *options.split(), "-q", LOCPATH=str(tmp_path))
        assert (done.returncode, done.stderr, done.stdout) == (0, "", written(options))


@blocks(1 << 20, 100, 30)
def test_an_index_counts_lines_that_were_left_out() -> None:
    lines = ["0 ||| a", "0 ||| \udcff", "junk", "0", "0 ||| b b b", "1 ||| \udcff", "1 ||| c"]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    found = [
        line.rpartition(" ||| index= ")[2] for line in written("mbr --skip-bad --all -w 0", data).splitlines()
    ]
    assert found == ["0 ||| 50", "4 ||| 50", "1 ||| 100"]
    objects = [
        {"id": 0, "text": "a"},
        {"id": 0, "text": 3},
        {},
        {"id": 0, "text": "b b b"},
        {"id": 1, "text": "c"},
    ]
    data = "".join(map(dumped, objects)).encode()
    records = [json.loads(line) for line in written("mbr --skip-bad --all -w 0", data).splitlines()]
    assert [(record["index"], record["expected_bleu"]) for record in records] == [(0, 50), (3, 50), (0, 100)]


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ("probabilities", (0.5, 0.4),
         "scores must be probabilities that sum to 1, but they sum to 0.9; for other numbers give --weights-as counts"),
        ("log-probabilities", (0.0, 0.0),
         ("scores must be log-probabilities, but their exponentials sum to 2.0, not 1; give --temperature 1 to "
          "normalize them")),
        ("probabilities", (1.5, -0.5), "scores[1] must be finite and not negative, got -0.5"),
        ("probabilities", (1e308, 1e308),
         "scores must be probabilities that sum to 1, but they sum to inf; for other numbers give --weights-as counts"),
        ("log-probabilities", (0.5, -1.0), "scores[0] must be a log-probability, not above 0, got 0.5"),
        ("counts", (0, 0), "scores must not all be 0, got list: [0.0, 0.0]"),
        ("counts --exclude-self", (1, 0), "scores must give 2 or more candidates a weight above 0 with --exclude-self"),
    ],
)  # fmt: skip
def test_weights_that_are_none(options: str, weights: tuple[float, float], message: str) -> None:
    data = "".join(f"0 ||| a ||| f ||| {weight}\n" for weight in weights).encode()
    arguments = f"mbr --weights-as {options}"
    assert refused(arguments, data) == (1, f"standard input: line 1: {message}")
    if options in ("probabilities", "counts"):
        _, output, said = run(f"{arguments} --skip-bad", data + b"1 ||| a ||| f ||| 1\n")
        assert output == b"1 ||| a ||| f ||| 1 ||| index= 0 ||| 100.0000\n"
        assert (figures(said)["lines skipped"], figures(said)["sources skipped"]) == ("0", "1")


def test_sources_without_what_is_needed() -> None:
    data = b"0 ||| a\n0 ||| b\n1 ||| c\n"
    message = (
        "standard input: line 3: expected at least 2 candidates, found 1, which has no other candidates as"
    )
    assert refused("self-bleu", data) == (1, f"{message} references")
    assert refused("mbr --exclude-self", data) == (1, f"{message} evidence")
    assert written("self-bleu --skip-bad", data) == "0 ||| 0.0000\n"
