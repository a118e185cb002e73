"""Test sets by the command line, against sacreBLEU's own, on made-up ones in its cache: nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from sacrebleu import utils
from sacrebleu.dataset import DATASETS, base

from tests.support.sacrebleu_cache import SEGMENTS, SYSTEM_1, SYSTEM_2, fill
from tests.support.sacrebleu_command import Programs, grid, write

TEST_SETS = ["wmt17", "wmt18", "wmt21", "wmt21/AB", "wmt20/robust/set1"]
WITH_SUBSETS = ["wmt18", "wmt21", "wmt21/AB"]

#: Nobody listens there, so that an attempt to download fails at once.
OFFLINE = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    fill(folder / "cache")

    both = [f"{one}\t{two}" for one, two in zip(SYSTEM_1, SYSTEM_2, strict=True)]
    files = {"s1": SYSTEM_1, "s2": SYSTEM_2, "twice": SYSTEM_1 * 2, "thrice": SYSTEM_2 * 3, "both": both}
    for name, lines in {**files, "short": SYSTEM_1[:-1]}.items():
        write(folder / name, lines)
    write(folder / "latin", SYSTEM_1, encoding="latin-1")
    return folder


@pytest.fixture(scope="module")
def programs(folder: Path) -> Iterator[Programs]:
    cache = str(folder / "cache")
    with pytest.MonkeyPatch.context() as patch:
        # sacreBLEU reads the environment when it is imported.
        for module in (utils, base):
            patch.setattr(module, "SACREBLEU_DIR", cache)
        for name, dataset in DATASETS.items():
            patch.setattr(dataset, "_outdir", str(folder / "cache" / name))
            patch.setattr(dataset, "_rawdir", str(folder / "cache" / name / "raw"))
        yield Programs(folder, {"SACREBLEU": cache, **OFFLINE})


SEVERAL = ["wmt17,wmt18", "wmt21,wmt17", "wmt18,wmt20/robust/set1", "wmt21/AB,wmt21/AB"]
SUBSETS = ["wmt18 country:US", "wmt18 US", "wmt18 sport", "wmt18 'crime|sport'", "wmt21 news", "wmt21 soc.*l"]
SUBSETS += ["wmt21/AB social"]
ORIGINAL = ["en", "de", "non-en", "non-xx"]
DETAILS = ["", "-f text", "-f latex", "-w 4", "-m ter chrf bleu", "-m chrf -b", "-q -sh"]
REPORTS = ["", "-sl", "-f text -m bleu ter", "-f text -ci -cin 10"]
SAME = [
    # What is scored.
    *grid(
        "-t {} -l en-de -i s1 {}",
        TEST_SETS,
        ["", "-f text", "-b", "-sl", "-f text -ci -cin 20", "-d", "-m bleu chrf ter"],
    ),
    *grid(
        "-t {} -l en-de -i s1 s2 {}",
        TEST_SETS,
        ["", "-f text", "-m chrf bleu -f latex", "-par -parn 20 -f text", "-pbs -pbsn 20"],
    ),
    *grid(
        "-t {} -l en-de -i twice {}",
        SEVERAL,
        ["", "-f text -m bleu chrf", "-sl", "-f text -ci -cin 20"],
    ),
    *grid("-t wmt17,{} -l en-de --echo src", SEVERAL),
    *grid(
        "-t wmt17,{} -l en-de -i thrice {}",
        SEVERAL[:3],
        ["", "-f text -m bleu chrf", "-sl", "-f text -ci -cin 20"],
    ),
    *grid("-t {} -l en-de -i s1 -ol {} {}", ["wmt17", *WITH_SUBSETS], ORIGINAL, REPORTS),
    *grid("-t {} -l en-de -i twice -ol {} {}", ["wmt17,wmt18", "wmt18,wmt21"], ORIGINAL, REPORTS),
    *(
        f"-t {case.replace(' ', ' -l en-de --subset ')} {options}"
        for case in SUBSETS
        for options in (
            *(f"-i s1 {each}" for each in ("", "-ol en", "-d", "-f text -m chrf bleu -d", "-sl")),
            "--echo src ref",
            "-ol en --echo src ref",
        )
    ),
    *grid("-t {} -l en-de -i s1 -d {}", ["wmt17", "wmt18", "wmt21", "wmt20/robust/set1"], DETAILS),
    *grid("-t {} -l en-de -i s1 s2 -d {}", ["wmt17", "wmt18", "wmt21", "wmt20/robust/set1"], DETAILS),
    *grid("-t wmt21,wmt21 -l en-de -i twice -d {}", DETAILS),
    "s2 -i s1 -d",
    "s2 -i s1 -d -m chrf bleu",
    *grid("-t wmt17 -l en-de -i s1 -tok {}", ["zh", "none -f text"]),
    # What is shown.
    *grid("--list {}", ["", "-l en-de", "-l de-en", "-l xx-yy", "-t wmt17", "-t wmt17 -l en-de -i s1"]),
    *grid("--list -t {} -l en-de", TEST_SETS),
]


@pytest.mark.parametrize("arguments", SAME)
def test_the_same(programs: Programs, arguments: str) -> None:
    programs.assert_same(arguments)


@pytest.mark.parametrize("test_set", TEST_SETS)
@pytest.mark.parametrize("name", ["s1", "both"])
def test_standard_input(programs: Programs, test_set: str, name: str) -> None:
    programs.assert_same(f"-t {test_set} -l en-de", stdin=name)


def test_another_encoding(programs: Programs) -> None:
    ours, theirs = programs.both("-t wmt17 -l en-de -i latin -e latin-1 -b -w 5")
    assert (ours.status, ours.output) == (0, theirs.output)
    assert ours.messages == (
        "fastbleu: references of test sets are UTF-8, but are read as latin-1, as sacreBLEU does\n"
    )


@pytest.mark.parametrize(
    "fields", ["src", "ref", "src ref", "ref src ref", "all", "docid origlang", "ref:A", "domain"]
)
@pytest.mark.parametrize("subset", ["", "-ol en", "-ol non-en"])
@pytest.mark.parametrize("test_set", TEST_SETS)
# Where sacreBLEU stops midway, it leaves files open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_echo(programs: Programs, test_set: str, subset: str, fields: str) -> None:
    ours, theirs = programs.both(f"-t {test_set} -l en-de {subset} --echo {fields}")
    assert ours.status == theirs.status
    assert ours.output == theirs.output
    if not subset:
        assert ours.status == 0 or fields not in {"src", "ref", "all"}
    if ours.status:
        assert re.fullmatch("fastbleu: .+\n", ours.messages)
    elif (test_set, subset, fields) == ("wmt21", "", "src ref"):
        assert ours.output == "".join(f"{source}\t{reference}\n" for source, reference in SEGMENTS)


@pytest.mark.parametrize("arguments", ["wmt17 -l en-de", "wmt21 -l en-de", "wmt21/AB -l en-de"])
def test_download_of_what_is_there(programs: Programs, arguments: str) -> None:
    ours, theirs = programs.both(f"--download {arguments}")
    assert ours == theirs == (0, "", "")


def test_citation(programs: Programs) -> None:
    """sacreBLEU 2.6.0 fails here: it asks whether "citation" is in an object."""
    for name in ("wmt17", "wmt08", "wmt17,wmt08"):
        ours, theirs = programs.both(f"--citation -t {name}")
        assert (ours.status, theirs.status) == (0, 1)
        assert ours.output == "".join(f"{DATASETS[each].citation}\n" for each in name.split(","))
    ours, _ = programs.both("--cite -t wmt21")
    assert ours == (0, "", "fastbleu: No citation found for wmt21\n")


#: What sacreBLEU cuts to the length of the test set, and lists nothing of.
ONLY_HERE = ["-t wmt17 -l en-de -i twice -ol de", "--list -t nonsense"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-t nonsense -l en-de -i s1", "unknown test set 'nonsense'; --list names all of them"),
        ("-t wmt17 -l en-xx -i s1", "test set 'wmt17' has no language pair 'en-xx', only cs-en, de-en, "),
        ("-t wmt17 -l en-de -i short", "system and reference streams have different lengths: short has 5 lines"),
        ("-t wmt17,wmt21/AB -l en-de -i twice", "test sets have different numbers of references: wmt17 has 1, wmt2"),
        ("-t wmt17 -l en-de -i s1 -ol xx", "test set 'wmt17' has no segment with --origlang xx"),
        ("-t wmt18 -l en-de -i s1 -ol en --subset x", "test set 'wmt18' has no segment with --origlang en and"),
        ("-t wmt17 -l en-de -i s1 --subset x", "cannot read the subsets of test set wmt17: No subset annotation avail"),
        ("-t wmt20/robust/set1 -l en-de -i s1 -ol en", "cannot read the subsets of test set wmt20/robust/set1: --orig"),
        ("-t wmt18 -l en-de -i s1 --subset (", "cannot read the subsets of test set wmt18: "),
        ("-t wmt18 -l en-de --echo nonsense", "No such field nonsense in test set wmt18 for language pair en-de"),
        ("-t wmt18 -l en-de --echo all src", "Cannot use --echo all with other fields"),
        (ONLY_HERE[0], "system and reference streams have different lengths: twice has 12"),
        (ONLY_HERE[1], "unknown test set 'nonsense'; --list names all of them"),
        ("s2 -i s1 --echo src", "argument --echo: is for a test set: name it with -t/--test-set"),
        ("--list -t wmt17 -l en-xx", "test set 'wmt17' has no language pair 'en-xx'"),
        ("--list -t wmt21", "cannot list the fields of test set wmt21: "),
        ("--download nonsense", "unknown test set 'nonsense'"),
    ],
)  # fmt: skip
def test_what_is_refused(programs: Programs, arguments: str, message: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, int(arguments not in ONLY_HERE)), ours
    assert ours.output == ""
    assert arguments in ONLY_HERE or theirs.output == ""
    assert re.fullmatch("fastbleu: .+\n", ours.messages)
    assert ours.messages.startswith(f"fastbleu: {message}")


@pytest.mark.parametrize(
    "arguments", ["--download wmt19", "-t wmt19 -l en-de -i s1", "-t wmt19 -l en-de --echo src"]
)
def test_what_is_not_in_the_cache_and_cannot_be_downloaded(programs: Programs, arguments: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, 1)
    assert ours.output == ""
    first, last = ours.messages.splitlines()
    assert first.startswith("fastbleu: Downloading https://data.statmt.org/wmt19/")
    assert re.fullmatch(r"fastbleu: cannot \w+ test set wmt19: its server cannot be reached: .+", last)
