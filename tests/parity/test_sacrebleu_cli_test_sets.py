"""Test sets by the command line, against sacreBLEU's own, on made-up ones in its cache: nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from sacrebleu.dataset import DATASETS

from tests.support.sacrebleu_cache import SEGMENTS, SYSTEM_1, SYSTEM_2, fill
from tests.support.sacrebleu_command import Programs, programs_in

TEST_SETS = ["wmt17", "wmt18", "wmt21", "wmt21/AB", "wmt20/robust/set1"]
WITH_SUBSETS = ["wmt18", "wmt21", "wmt21/AB"]

#: Nobody listens there, so that an attempt to download fails at once.
OFFLINE = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    fill(folder / "cache")

    def write(name: str, lines: list[str], encoding: str = "utf-8") -> None:
        (folder / name).write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))

    write("s1", SYSTEM_1)
    write("s2", SYSTEM_2)
    write("twice", SYSTEM_1 * 2)
    write("thrice", SYSTEM_2 * 3)
    write("short", SYSTEM_1[:-1])
    write("latin", SYSTEM_1, "latin-1")
    write("both", [f"{one}\t{two}" for one, two in zip(SYSTEM_1, SYSTEM_2, strict=True)])
    return folder


@pytest.fixture(scope="module")
def programs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    # Names of references stand in sets there; a fixed seed makes their order the same in both programs.
    environment = {"SACREBLEU": str(folder / "cache"), "PYTHONHASHSEED": "0", **OFFLINE}
    with programs_in(folder, tmp_path_factory.mktemp("output"), environment) as found:
        yield found


# What is scored


@pytest.mark.parametrize(
    "report", ["", "-f text", "-b", "-sl", "-f text -ci -cin 20", "-d", "-m bleu chrf ter"]
)
@pytest.mark.parametrize("test_set", TEST_SETS)
def test_report_of_one_system(programs: Programs, test_set: str, report: str) -> None:
    programs.assert_same(f"-t {test_set} -l en-de -i s1 {report}")


@pytest.mark.parametrize(
    "report", ["", "-f text", "-m chrf bleu -f latex", "-par -parn 20 -f text", "-pbs -pbsn 20"]
)
@pytest.mark.parametrize("test_set", TEST_SETS)
def test_report_of_several_systems(programs: Programs, test_set: str, report: str) -> None:
    programs.assert_same(f"-t {test_set} -l en-de -i s1 s2 {report}")


@pytest.mark.parametrize("test_set", TEST_SETS)
def test_standard_input(programs: Programs, test_set: str) -> None:
    for name in ("s1", "both"):
        programs.assert_same(f"-t {test_set} -l en-de", stdin=name)


@pytest.mark.parametrize("report", ["", "-f text -m bleu chrf", "-sl", "-f text -ci -cin 20"])
@pytest.mark.parametrize(
    "test_sets", ["wmt17,wmt18", "wmt21,wmt17", "wmt18,wmt20/robust/set1", "wmt21/AB,wmt21/AB"]
)
def test_several_test_sets(programs: Programs, test_sets: str, report: str) -> None:
    programs.assert_same(f"-t {test_sets} -l en-de -i twice {report}")
    programs.assert_same(f"-t wmt17,{test_sets} -l en-de --echo src")
    if "AB" not in test_sets:
        programs.assert_same(f"-t wmt17,{test_sets} -l en-de -i thrice {report}")


@pytest.mark.parametrize("test_set", ["wmt17", *WITH_SUBSETS, "wmt17,wmt18", "wmt18,wmt21"])
@pytest.mark.parametrize("origlang", ["en", "de", "non-en", "non-xx"])
@pytest.mark.parametrize("report", ["", "-sl", "-f text -m bleu ter", "-f text -ci -cin 10"])
def test_original_language(programs: Programs, report: str, origlang: str, test_set: str) -> None:
    system = "twice" if "," in test_set else "s1"
    programs.assert_same(f"-t {test_set} -l en-de -i {system} -ol {origlang} {report}")


@pytest.mark.parametrize(
    ("test_set", "subset"),
    [
        ("wmt18", "country:US"),
        ("wmt18", "US"),
        ("wmt18", "sport"),
        ("wmt18", "crime|sport"),
        ("wmt21", "news"),
        ("wmt21", "soc.*l"),
        ("wmt21/AB", "social"),
    ],
)
@pytest.mark.parametrize("options", ["", "-ol en", "-d", "-f text -m chrf bleu -d", "-sl"])
def test_subset(programs: Programs, test_set: str, subset: str, options: str) -> None:
    programs.assert_same(f"-t {test_set} -l en-de -i s1 --subset {subset} {options}")
    if "-d" not in options:
        programs.assert_same(
            f"-t {test_set} -l en-de --subset {subset} {options.replace('-sl', '')} --echo src ref"
        )


@pytest.mark.parametrize(
    "report", ["", "-f text", "-f latex", "-w 4", "-m ter chrf bleu", "-m chrf -b", "-q -sh"]
)
@pytest.mark.parametrize("test_set", ["wmt17", "wmt18", "wmt21", "wmt20/robust/set1", "wmt21,wmt21"])
def test_detail(programs: Programs, test_set: str, report: str) -> None:
    system = "twice" if "," in test_set else "s1"
    programs.assert_same(f"-t {test_set} -l en-de -i {system} -d {report}")
    if "," not in test_set:
        programs.assert_same(f"-t {test_set} -l en-de -i s1 s2 -d {report}")


def test_detail_without_a_test_set(programs: Programs) -> None:
    programs.assert_same("s2 -i s1 -d")
    programs.assert_same("s2 -i s1 -d -m chrf bleu")


def test_language_chooses_the_tokenizer_and_none_is_warned_of(programs: Programs) -> None:
    programs.assert_same("-t wmt17 -l en-de -i s1 -tok zh")
    ours, theirs = programs.both("-t wmt17 -l en-de -i s1 -tok none -f text")
    assert ours.messages.replace("fastbleu", "sacreBLEU") == theirs.messages
    assert "Published numbers" in ours.messages


def test_another_encoding(programs: Programs) -> None:
    ours, theirs = programs.both("-t wmt17 -l en-de -i latin -e latin-1 -b -w 5")
    assert (ours.status, ours.output) == (0, theirs.output)
    assert ours.messages == (
        "fastbleu: references of test sets are UTF-8, but are read as latin-1, as sacreBLEU does\n"
    )


# What is shown


@pytest.mark.parametrize(
    "arguments", ["", "-l en-de", "-l de-en", "-l xx-yy", "-t wmt17", "-t wmt17 -l en-de -i s1"]
)
def test_list(programs: Programs, arguments: str) -> None:
    programs.assert_same(f"--list {arguments}")


@pytest.mark.parametrize("test_set", TEST_SETS)
def test_list_of_fields(programs: Programs, test_set: str) -> None:
    programs.assert_same(f"--list -t {test_set} -l en-de")


@pytest.mark.parametrize(
    "fields", ["src", "ref", "src ref", "ref src ref", "all", "docid origlang", "ref:A", "domain"]
)
@pytest.mark.parametrize("subset", ["", "-ol en", "-ol non-en"])
@pytest.mark.parametrize("test_set", TEST_SETS)
def test_echo(programs: Programs, test_set: str, subset: str, fields: str) -> None:
    ours, theirs = programs.both(f"-t {test_set} -l en-de {subset} --echo {fields}")
    assert ours.status == theirs.status
    assert ours.output == theirs.output
    if not subset:
        assert ours.status == 0 or fields not in {"src", "ref", "all"}
    if ours.status:
        assert re.fullmatch("fastbleu: .+\n", ours.messages)


def test_echo_is_what_lies_in_the_cache(programs: Programs) -> None:
    ours, _ = programs.both("-t wmt21 -l en-de --echo src ref")
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


# What is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-t wmt17 -i s1", "argument --test-set/-t: name the languages with -l/--language-pair"),
        ("-t wmt17 -l en-de s2 -i s1", "argument --test-set/-t: has its own references"),
        ("-t wmt17 -l en-de -nr 2 -i s1", "argument --num-refs/-nr: splits a file of references"),
        ("-t nonsense -l en-de -i s1", "unknown test set 'nonsense'; --list names all of them"),
        ("-t wmt17,nonsense -l en-de -i s1", "unknown test set 'nonsense'"),
        ("-t wmt17 -l en-xx -i s1", "test set 'wmt17' has no language pair 'en-xx', only cs-en, de-en, "),
        ("-t wmt17 -l en-de -i short", "system and reference streams have different lengths: short has 5 lines"),
        ("-t wmt17 -l en-de -i short -ol de", "system and reference streams have different lengths: short has"),
        ("-t wmt17,wmt21/AB -l en-de -i twice", "test sets have different numbers of references: wmt17 has 1, wmt2"),
        ("-t wmt17 -l en-de -i s1 -ol xx", "test set 'wmt17' has no segment with --origlang xx"),
        ("-t wmt18 -l en-de -i s1 -ol en --subset x", "test set 'wmt18' has no segment with --origlang en and"),
        ("-t wmt17 -l en-de -i s1 --subset x", "cannot read the subsets of test set wmt17: No subset annotation avail"),
        ("-t wmt20/robust/set1 -l en-de -i s1 -ol en", "cannot read the subsets of test set wmt20/robust/set1: --orig"),
        ("-t wmt18 -l en-de -i s1 --subset (", "cannot read the subsets of test set wmt18: "),
        ("-t wmt18 -l en-de --echo nonsense", "No such field nonsense in test set wmt18 for language pair en-de"),
        ("-t wmt18 -l en-de --echo all src", "Cannot use --echo all with other fields"),
        ("s2 -i s1 --echo src", "argument --echo: is for a test set: name it with -t/--test-set"),
        ("s2 -i s1 -ol en", "argument --origlang/-ol: is for a test set: name it with -t/--test-set"),
        ("s2 -i s1 --subset en", "argument --subset: is for a test set: name it with -t/--test-set"),
        ("--citation", "argument --citation/--cite: name the test set with -t/--test-set"),
        ("--citation -t nonsense", "unknown test set 'nonsense'"),
        ("--list -t wmt17 -l en-xx", "test set 'wmt17' has no language pair 'en-xx'"),
        ("--list -t wmt21", "cannot list the fields of test set wmt21: "),
        ("--download nonsense", "unknown test set 'nonsense'"),
        ("--download wmt17 -l en-xx", "test set 'wmt17' has no language pair 'en-xx'"),
    ],
)  # fmt: skip
def test_what_both_refuse(programs: Programs, arguments: str, message: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, 1), ours
    assert ours.output == theirs.output == ""
    assert re.fullmatch("fastbleu: .+\n", ours.messages)
    assert ours.messages.startswith(f"fastbleu: {message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        # Cut to the length of the test set there.
        ("-t wmt17 -l en-de -i twice -ol de", "system and reference streams have different lengths: twice has 12"),
        # Nothing is listed there.
        ("--list -t nonsense", "unknown test set 'nonsense'; --list names all of them"),
    ],
)  # fmt: skip
def test_what_only_fastbleu_refuses(programs: Programs, arguments: str, message: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, 0)
    assert ours.output == ""
    assert ours.messages.startswith(f"fastbleu: {message}")


@pytest.mark.parametrize(
    "arguments",
    [
        "--download wmt19 -l en-de",
        "--download wmt19",
        "-t wmt19 -l en-de -i s1",
        "-t wmt19 -l en-de --echo src",
    ],
)
def test_what_is_not_in_the_cache_and_cannot_be_downloaded(programs: Programs, arguments: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, 1)
    assert ours.output == ""
    first, last = ours.messages.splitlines()
    assert first.startswith("fastbleu: Downloading https://data.statmt.org/wmt19/")
    assert re.fullmatch(r"fastbleu: cannot \w+ test set wmt19: its server cannot be reached: .+", last)
