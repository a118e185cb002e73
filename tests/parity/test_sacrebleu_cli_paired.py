"""Paired tests and other metrics by the command line, against sacreBLEU's own: equal tables, p-values and messages."""

import json
import random
from itertools import product

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from tests.support.compared import compared
from tests.support.sacrebleu_command import LAST_FIELD, Programs, grid, write, write_corpus
from tests.support.simulated_systems import random_systems


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(write_corpus(tmp_path_factory.mktemp("corpus")))


TESTS = ["-par -parn 40", "-pbs -pbsn 40"]
METRICS = ["chrf", "bleu chrf", "chrf bleu", "bleu bleu"]
SAME = [
    *grid(
        "{} -i s1 s2 s3 {} {}",
        ["a", "a b"],
        TESTS,
        ["", "-f text", "-f latex", "-f text -sh -w 4", "-q -f latex -w 0", "-w 3"],
    ),
    *grid("a -i s1 s2 {}", ["--paired-ar", "--paired-bs"]),
    *grid(
        "a -i {} {} {}",
        ["'x_y & z%' 'Baseline: s2' s2", "s1 s2 s1 s3 s1"],
        TESTS,
        ["", "-f text", "-f latex"],
    ),
    *grid("a -i 'Baseline: s2' s2 {}", ["", "-f text", "-f latex"]),
    *grid("a -i {} {} {}", ["s1 copy", "s1 blank", "blank s1", "blank copy blank"], TESTS, ["", "-f text"]),
    *grid("one_a -i one_1 one_2 {}", TESTS),
    *grid(
        "a b -i s1 s2 s3 {} {}",
        TESTS,
        [
            *grid("-s {}", ["none", "floor", "floor -sv 0.3", "add-k", "add-k -sv 2"]),
            *grid("-tok {}", ["none", "zh", "char", "intl"]),
            *("-lc", "-l en-zh", "--force"),
        ],
    ),
    *grid("a -i s1 s2 s3 {} {} -f text", ["-par -parn", "-pbs -pbsn"], ["0", "-5", "2", "39", "1001"]),
    # Other metrics.
    *grid(
        "a b -i s1 -m {} {} {}",
        METRICS,
        ["", "-ci -cin 20"],
        ["", "-f text", "-f text -sh", "-b", "-f text -b", "-w 4", "-f latex"],
    ),
    *grid("a b -i s1 s2 blank -m {} {}", METRICS, ["", "-f text", "-f latex -w 3", "-f text -sh -q"]),
    *grid(
        "a b -i s1 -w 5 -m {} {}",
        [
            *grid("chrf {}", ["-cc 3", "--chrf-char-order 4 --chrf-word-order 2", "-cw 1 --chrf-beta 1"]),
            *grid("chrf {}", ["--chrf-whitespace", "--chrf-lowercase --chrf-eps-smoothing"]),
        ],
        ["-f text", "-sl", "-f text -ci -cin 10"],
    ),
    *grid(
        "a b -i s1 -w 5 -m bleu chrf -lc --chrf-lowercase -tok intl -l en-de {}",
        ["-f text", "-f text -ci -cin 10"],
    ),
]


@pytest.mark.parametrize("arguments", SAME)
def test_the_same(programs: Programs, arguments: str) -> None:
    programs.assert_same(arguments)


@pytest.mark.parametrize(
    "arguments",
    grid("a {} {}", TESTS, ["", "-f text", "-f latex"])
    + grid("a b -m {} {}", METRICS, ["", "-f text", "-f latex -w 3", "-f text -sh -q"]),
)
def test_standard_input(programs: Programs, arguments: str) -> None:
    programs.assert_same(arguments, stdin="three_systems")


@pytest.mark.parametrize("seed", ["1", "98765", "007", " 5 "])
@pytest.mark.parametrize("arguments", grid("a -i s1 s2 s3 {} {}", TESTS, ["", "-f text"]))
def test_seeds(programs: Programs, seed: str, arguments: str) -> None:
    programs.assert_same(arguments, environment={"SACREBLEU_SEED": seed})


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("jobs", ["0", "1", "2", "3"])
def test_threads_do_not_change_a_thing(programs: Programs, test: str, jobs: str) -> None:
    arguments = f"a -i s1 s2 s3 {test} -f text"
    one = programs.run("fastbleu", [*arguments.split(), "-j", jobs])
    assert one.output == programs.run("fastbleu", arguments.split()).output
    assert LAST_FIELD.sub("", one.output) == programs.run("sacrebleu", arguments.split()).output


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        *((f"a -i s1 {options}", 1) for options in ("", "-sl", "-m bleu chrf -sl", "-m chrf -ci -sl")),
        ("a -i s1 s2 -ci", 1),
        ("a -i s1 s2 -sl", 1),
        ("a -i s1 s2 s2", 1),
        ("a -i short s1", 1),
        ("a -i s1 s2 s3 copy blank short", 1),
        ("-i s1 s2", 1),
        ("a -i s1 s2 -pbs -par", 2),
        ("a -i s1 s2 -pbsn x", 2),
        ("a -i s1 s2 -parn 1.5", 2),
        ("a -i s1 s2 -j x", 2),
    ],
)
def test_exit_codes(programs: Programs, arguments: str, status: int, test: str) -> None:
    ours, theirs = programs.both(f"{arguments} {test}")
    assert (ours.status, theirs.status) == (status, status), ours.messages
    assert ours.output == theirs.output == ""
    assert ours.messages.splitlines()[-1].startswith("fastbleu: ")
    assert "Traceback" not in ours.messages


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("seed", "status"), [("none", 0), ("0", 0), *((seed, 1) for seed in ("abc", "-3", ""))]
)
def test_seeds_that_are_random_there_or_none(programs: Programs, seed: str, status: int, test: str) -> None:
    ours, theirs = programs.both(f"a -i s1 s2 {test} -f text", environment={"SACREBLEU_SEED": seed})
    assert (ours.status, theirs.status) == (status, status)
    signatures = [LAST_FIELD.sub("", run.output).splitlines()[-1:] for run in (ours, theirs)]
    assert signatures[0] == signatures[1]
    if status:
        assert ours.messages.splitlines()[-1] == (
            f"fastbleu: the environment's SACREBLEU_SEED must be a whole number or 'none', got {seed!r}"
        )


@pytest.mark.slow
@pytest.mark.parametrize("round_", range(30))
def test_random_systems(programs: Programs, round_: int) -> None:
    """Few segments of few words: many ties, orders without a match, scores of 0."""
    rng = random.Random(round_)
    systems, (reference, *_) = random_systems(rng, rng.choice([1, 2, 5, 30, 200]))
    for name, lines in [*systems, ("random", reference)]:
        write(programs.folder / name, lines)
    smoothing = rng.choice(["", "-s none", "-s floor", "-s add-k", "-s exp"])
    for test in ("-par -parn 100", "-pbs -pbsn 100"):
        programs.assert_same(f"random -i {' '.join(dict(systems))} {test} {smoothing}")
        compared("sacrebleu, p-values of the command line", len(systems) - 1)


@pytest.mark.parametrize("report", ["-f text", "-f latex", "-f text -sh -w 3"])
@pytest.mark.parametrize(("test", "metrics"), list(product(TESTS, METRICS)))
def test_metrics_of_paired_tests(programs: Programs, test: str, metrics: str, report: str) -> None:
    ours, theirs = programs.both(f"a b -i s1 s2 s3 -m {metrics} {test} {report}")
    assert (ours.status, theirs.status) == (0, 0), ours.messages
    assert LAST_FIELD.sub("", ours.output) == theirs.output
    # One metric after the other, while sacreBLEU takes one system after the other.
    said = [sorted(line.partition(": ")[2] for line in run.messages.splitlines()) for run in (ours, theirs)]
    assert said[0] == said[1]


@pytest.mark.parametrize("test", TESTS)
def test_json_of_paired_tests_by_chrf(programs: Programs, test: str) -> None:
    """sacreBLEU fails to write the float32 of a bootstrap by chrF."""
    ours, theirs = programs.both(f"a b -i s1 s2 s3 -m chrf bleu {test}")
    assert ours.status == 0
    rows = json.loads(ours.output)
    assert [row["system"] for row in rows] == ["Baseline: s1", "s2", "s3"]
    assert list(rows[0]) == ["system", "chrF2", "BLEU"]
    if "-par" in test:
        assert ours.output == theirs.output
        return
    assert theirs.status == 1
    table = programs.run("sacrebleu", f"a b -i s1 s2 s3 -m chrf {test} -f latex -w 6".split())
    for row in rows:
        assert f"{row['chrF2']['mean']:.6f} ± {row['chrF2']['ci']:.6f}" in table.output
        if row["chrF2"]["p_value"] is not None:
            assert f"(p = {row['chrF2']['p_value']:.4f})" in table.output
