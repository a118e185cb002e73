"""The command line of comparisons: what it reads, names and writes, and how it ends."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fastbleu import BLEU, CHRF
from fastbleu.cli.compare import compare_command as cli
from fastbleu.cli.compare.compare_options import names_of
from fastbleu.compare import compare
from tests.support import commands
from tests.support.processes import python

REFERENCES = ["the cat sat on the mat today", "it rained all day long here", "a dog barks at night"] * 4
OTHERS = ["a cat sat on the mat", "", "dogs bark at night"] * 4
BASE = ["the cat sat on a mat today", "it rained all day in here", "one dog barks at nights"] * 4
NEW = ["the cat sat on the mat today", "it rained all day in here", "a dog barked at night"] * 4
SOURCES = ["die Katze", "es regnete", "ein Hund"] * 4
FILES: dict[str, list[str]] = {
    "ref.A.de": REFERENCES,
    "ref.B.de": OTHERS,
    "base.de": BASE,
    "new.de": NEW,
    "other.de": BASE,
    "src.en": SOURCES,
    "doc": ["d1", "d2"] * 6,
    "domain": ["news", "talk", "news"] * 4,
    "language": ["de"] * 12,
    "short.de": BASE[:5],
    "trail.de": [*BASE, ""],
}


@pytest.fixture(autouse=True)
def files() -> None:
    commands.write_lines(**FILES)


def run(arguments: str) -> tuple[int, str, str]:
    return commands.run(arguments, main=cli.main)


def report(arguments: str) -> Any:
    status, printed, said = run(f"{arguments} -f json")
    assert (status, said) == (0, "")
    found = json.loads(printed)
    assert found["settings"].pop("command") == f"fastbleu-compare {arguments} -f json"
    return found


def expected(**options: Any) -> Any:
    systems: Any = options.pop("systems", {"base": BASE, "new": NEW, "other": BASE})
    references = options.pop("references", [REFERENCES, OTHERS])
    found = json.loads(compare(systems, references, options.pop("metric", None), **options).to_json())
    assert found["settings"].pop("command") == ""
    return found


def test_the_example_of_the_help() -> None:
    found = report("ref.A.de ref.B.de -i base.de new.de other.de --sources src.en")
    assert found == expected(sources=SOURCES)
    assert [system["name"] for system in found["systems"]] == ["new", "base", "other"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("--pairs baseline", {"pairs": "baseline"}),
        ("--test bootstrap --trials 100", {"test": "bootstrap", "trials": 100}),
        ("--trials 1", {"trials": 1}),
        ("--trials 50 --correction none --level 0.2 --resamples 30 --seed 7",
         {"trials": 50, "correction": "none", "level": 0.2, "resamples": 30, "seed": 7}),
        ("--segments 2 --ngrams 3", {"segments": 2, "ngrams": 3}),
        ("--threads 3", {}),
        ("--documents doc --domains domain --languages language",
         {"documents": FILES["doc"], "domains": FILES["domain"], "languages": FILES["language"]}),
        ("--training new.de", {"training": NEW}),
        ("-tok char -lc -s floor -sv 0.2 --max-ngram-order 3",
         {"metric": BLEU(tokenize="char", lowercase=True, smooth_method="floor", smooth_value=0.2,
                         max_ngram_order=3)}),
        ("-l en-zh", {"metric": BLEU(trg_lang="zh"), "language_pair": "en-zh"}),
        ("--title Best --test-set wmt21 --date May", {"title": "Best", "test_set": "wmt21", "date": "May"}),
        ("--also chrf -cw 2 --chrf-lowercase", {"also": [CHRF(word_order=2, lowercase=True)]}),
    ],
)  # fmt: skip
def test_options(arguments: str, options: Any) -> None:
    assert report(f"ref.A.de ref.B.de -i base.de new.de other.de {arguments}") == expected(**options)


def test_forms_that_are_printed_and_written(folder: Path) -> None:
    def made(arguments: str, form: str) -> str:
        command = f"fastbleu-compare {arguments}"
        found = compare({"base": BASE, "new": NEW}, [REFERENCES], command=command)
        text = {"text": found.to_text(None), "json": found.to_json(), "verdict": "\n".join(found.verdict)}
        return text[form].rstrip() + "\n"

    inputs = "ref.A.de -i base.de new.de"
    for arguments, form in ((inputs, "text"), (f"{inputs} -f text", "text"), (f"{inputs} -f json", "json")):
        assert run(arguments) == (0, made(arguments, form), "")
    for ending, form in (("txt", "text"), ("json", "json")):
        arguments = f"{inputs} -o out.{ending}"
        assert run(arguments) == (0, made(arguments, "verdict"), "")
        assert (folder / f"out.{ending}").read_text(encoding="utf-8") == made(arguments, form)
    assert run(f"{inputs} -o out.txt -q") == (0, "", "")
    arguments = f"{inputs} -o out.txt -f json"
    assert run(arguments) == (0, made(arguments, "json"), "")


def test_the_page(folder: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    assert run("ref.A.de -i base.de new.de -o report.html")[0] == 0
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("option", ["references", "-i", "--sources", "--training", "--documents"])
def test_a_report_never_replaces_what_is_read(option: str, folder: Path) -> None:
    text = (folder / "base.de").read_text(encoding="utf-8")
    (folder / "read.txt").write_text(text, encoding="utf-8")
    (folder / "link.txt").symlink_to("read.txt")
    given = {"references": "ref.A.de", "-i": "new.de", option: "read.txt"}
    arguments = f"{given.pop('references')} {' '.join(f'{name} {path}' for name, path in given.items())}"
    arguments = arguments.replace("-i ", "-i base.de ")
    for name in ("read.txt", "./read.txt", "link.txt"):
        said = f"fastbleu-compare: argument --output/-o: {name} is also an input file\n"
        assert run(f"{arguments} -o {name}") == (2, "", said)
        assert (folder / "read.txt").read_text(encoding="utf-8") == text


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "folder.txt").mkdir()
    for name, problem in (("no/report.txt", "No such file or directory"), ("folder.txt", "Is a directory")):
        said = f"fastbleu-compare: {name}: {problem}\n"
        assert run(f"absent.de -i base.de new.de -o {name}") == (1, "", said)
    # What was there stays, and what was not is not there.
    (folder / "old.txt").write_text("old", encoding="utf-8")
    (folder / "link.txt").symlink_to("target.txt")
    for name in ("old.txt", "link.txt"):
        assert run(f"absent.de -i base.de new.de -o {name}")[0] == 1
    assert (folder / "old.txt").read_text(encoding="utf-8") == "old"
    assert (folder / "link.txt").is_symlink()
    assert not (folder / "target.txt").exists()
    assert run("ref.A.de -i base.de new.de -q -o link.txt") == (0, "", "")
    assert (folder / "target.txt").exists()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = 'fastbleu-compare: the page needs the module jinja2: pip install "fastbleu-metric[report]"\n'
    assert run("absent.de -i base.de new.de -o report.html") == (1, "", said)
    assert not (folder / "report.html").exists()


def test_compressed_files_and_names(folder: Path) -> None:
    (folder / "base.de.gz").write_bytes(gzip.compress((folder / "base.de").read_bytes()))
    found = report("ref.A.de -i base.de.gz new.de")
    assert found == expected(systems={"base": BASE, "new": NEW}, references=[REFERENCES])
    found = report("ref.A.de -i base.de base.de --names one two")
    assert [system["name"] for system in found["systems"]] == ["one", "two"]
    assert found["pairs"][0]["p"] == 1


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a/newstest.en-de.hyp.X.de", "b/newstest.en-de.hyp.Y-1.de"], ["X", "Y-1"]),
        (["a.de", "b.en"], ["a.de", "b.en"]),
        (["a.1.de", "a.2.de.zst", "a.2.b.de"], ["1", "2", "2.b"]),
        (["x/out", "y/out"], ["x/out", "y/out"]),
        (["out", "out.de"], ["out", "out.de"]),
    ],
)
def test_names_from_names_of_files(paths: list[str], names: list[str]) -> None:
    assert names_of(paths) == names


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("", 2, "no reference files: give them before -i/--input"),
        ("ref.A.de", 2, "argument --input/-i: expected the files of at least two systems"),
        ("ref.A.de -i base.de base.de", 2, "argument --input/-i: 'base.de' is given twice; name the systems with"),
        ("ref.A.de -i base.de new.de --names a a", 2, "argument --names: 'a' is given twice; names of systems must"),
        ("ref.A.de -i base.de new.de --names a", 2, "argument --names: got 1 name for 2 systems"),
        ("ref.A.de -i base.de absent.de", 1, "absent.de: No such file or directory"),
        ("ref.A.de -i base.de short.de", 1, "files have different lengths: short.de has 5 lines, ref.A.de"),
        ("ref.A.de -i base.de new.de --trials 1 --test bootstrap", 2,
         "argument --trials: must be at least 2 with --test bootstrap, not 1"),
        ("ref.A.de -i base.de new.de --level 1", 2, "argument --level: must be above 0 and below 1, not 1"),
        ("ref.A.de -i base.de new.de -f html", 2, "argument --format/-f: an HTML page is written to a file: use -o"),
        ("ref.A.de -i base.de new.de -f latex", 2, "argument --format/-f: fastbleu -f latex prints a table in LaTeX"),
        ("ref.A.de -i base.de /dev/fd/63", 2,
         "argument --input/-i: the pipe /dev/fd/63 has no name; name the systems with --names"),
        ("ref.A.de -i base.de new.de -t char", 2, "unrecognized argument -t: the tokenizer is --tokenize or -tok, and"),
        ("ref.A.de -i base.de new.de -sl", 2, "unrecognized argument -sl: --segments N sets the number"),
        ("ref.A.de -i base.de new.de --metrics=chrf", 2,
         "unrecognized argument --metrics=chrf: BLEU is always shown; add chrF with --also chrf"),
        ("ref.A.de -i base.de trail.de", 1,
         "files have different lengths: trail.de has 13 lines, ref.A.de has 12 lines; the last line of trail.de is"),
        ("ref.A.de -i base.de new.de -tok unknown", 2,
         "argument --tokenize: 'unknown' is unknown; choose one of none, zh, 13a"),
    ],
)  # fmt: skip
def test_what_is_refused(arguments: str, status: int, message: str) -> None:
    found, printed, said = run(arguments)
    assert (found, printed) == (status, "")
    assert said.startswith(f"fastbleu-compare: {message}")
    assert said.count("\n") == 1


def test_as_a_process(folder: Path) -> None:
    arguments = ("ref.A.de", "-i", "base.de", "new.de")
    found = python("-m", "fastbleu.cli.compare.compare_command", *arguments, cwd=folder, LC_ALL="C")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("Result\n======\nNo system is clearly the best. new has ")
