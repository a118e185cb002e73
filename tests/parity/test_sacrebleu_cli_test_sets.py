"""Test sets and TER by the command line, against sacreBLEU's own: made-up test sets, so that nothing is downloaded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from sacrebleu import utils
from sacrebleu.dataset import DATASETS, base

from tests.support.sacrebleu_command import Programs, grid, write

#: Documents: their name, original language, domain and segments, each with its source and two references.
DOCUMENTS = [
    (
        "rt.1",
        "en",
        "news",
        [("A cat.", "Eine Katze.", "Die Katze."), ("Rain & rain.", "Regen & Regen.", "Regen.")],
    ),
    ("zeit.1", "de", "news", [("The dog barks.", "Der Hund bellt laut.", "Ein Hund bellt.")]),
    (
        "bbc.2",
        "en",
        "social",
        [("Good night!", "Gute Nacht, ihr Lieben!", "Gute Nacht!"), ("One.", "Eins.", "1.")],
    ),
]
SEGMENTS = [segment for *_, segments in DOCUMENTS for segment in segments]
SYSTEM_1 = [reference.replace("laut", "sehr laut") for _, reference, _ in SEGMENTS]
SYSTEM_2 = [reference.replace("Nacht", "nacht") for _, reference, _ in SEGMENTS]

#: Nobody listens there, so that an attempt to download fails at once.
OFFLINE = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}


def fill(cache: Path) -> None:
    """Writes wmt17, as text with one reference, and wmt21, as XML with two, into sacreBLEU's cache."""
    (cache / "wmt17").mkdir(parents=True)
    for side, field in enumerate(("src", "ref")):
        write(cache / "wmt17" / f"wmt17.en-de.{field}", [segment[side] for segment in SEGMENTS])
    for field in ("docid", "genre", "origlang"):
        write(cache / "wmt17" / f"wmt17.en-de.{field}", ["x"] * len(SEGMENTS))
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<dataset id="wmt21">']
    for name, origlang, domain, segments in DOCUMENTS:
        lines.append(f'<doc id="{name}" origlang="{origlang}" domain="{domain}">')
        sides = ('src lang="en"', 'ref lang="de" translator="A"', 'ref lang="de" translator="B"')
        for side, tag in enumerate(sides):
            texts = [segment[side].replace("&", "&amp;") for segment in segments]
            numbered = "".join(f'<seg id="{i}">{text}</seg>\n' for i, text in enumerate(texts, 1))
            lines.append(f"<{tag}><p>\n{numbered}</p></{tag[:3]}>")
        lines.append("</doc>")
    raw = cache / "wmt21" / "raw"
    (raw / "test").mkdir(parents=True)
    write(raw / "test" / "newstest2021.en-de.xml", [*lines, "</dataset>"])
    write(raw / "wmt21.test.tgz", ["an archive"])  # Not empty, so that it counts as downloaded.


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    folder = tmp_path_factory.mktemp("corpus")
    cache = folder / "cache"
    fill(cache)
    both = [f"{one}\t{two}" for one, two in zip(SYSTEM_1, SYSTEM_2, strict=True)]
    files = {"s1": SYSTEM_1, "s2": SYSTEM_2, "twice": SYSTEM_1 * 2, "both": both, "short": SYSTEM_1[:-1]}
    for name, lines in files.items():
        write(folder / name, lines)
    with pytest.MonkeyPatch.context() as patch:
        # sacreBLEU reads the environment when it is imported.
        for module in (utils, base):
            patch.setattr(module, "SACREBLEU_DIR", str(cache))
        for name, dataset in DATASETS.items():
            patch.setattr(dataset, "_outdir", str(cache / name))
            patch.setattr(dataset, "_rawdir", str(cache / name / "raw"))
        yield Programs(folder, {"SACREBLEU": str(cache), **OFFLINE})


SAME = [
    *grid(
        "-t {} -l en-de -i s1 {}",
        ["wmt17", "wmt21"],
        ["", "-f text", "-b", "-sl", "-f text -ci -cin 20", "-m bleu chrf", "-tok none"],
    ),
    *grid("-t {} -l en-de -i s1 s2 {}", ["wmt17", "wmt21"], ["-f text", "-par -parn 20", "-pbs -pbsn 20"]),
]
STANDARD_INPUT = [("-t wmt21 -l en-de", "s1"), ("-t wmt21 -l en-de", "both")]


@pytest.mark.parametrize(("arguments", "stdin"), [*((each, None) for each in SAME), *STANDARD_INPUT])
def test_references_of_a_test_set(programs: Programs, arguments: str, stdin: str | None) -> None:
    programs.assert_same(arguments, stdin)


@pytest.mark.parametrize(
    "arguments",
    [
        "s2 -i s1 -m ter",
        "s2 -i s1 -m bleu ter --ter-normalized -f text -w 4",
        "s2 -i s1 twice -m ter",
        "s2 -i s1 --detail",
        "-t wmt17,wmt17 -l en-de -i twice",
        "-t wmt21 -l en-de -i s1 -ol en",
        "-t wmt21 -l en-de -i s1 --subset news -f text",
        "-t wmt21 -l en-de -i s1 --detail",
        "-t wmt21 -l en-de --echo src ref",
        "-t wmt21 -l en-de --echo nonsense",
        "--list -l en-de",
        "--list -t wmt17",
        "--download wmt17 -l en-de",
        "-t wmt21 -l en-de -i s1 -m ter --threads 2",
    ],
)
def test_what_sacrebleu_runs(programs: Programs, arguments: str) -> None:
    ours, theirs = programs.both(arguments)
    assert ours == theirs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-t wmt17 -l en-de -i short", "system and reference streams have different lengths: short has 4"),
        (
            "-t wmt17 -l en-xx -i s1",
            "cannot read test set wmt17: No such language pair wmt17/en-xx; the available",
        ),
        (
            "-t nonsense -l en-de -i s1",
            "cannot read test set nonsense: No such test set nonsense; run fastbleu --list",
        ),
        ("--download nonsense", "sacreBLEU failed: No such test set nonsense; run fastbleu --list"),
        ("-t nonsense --citation", "sacreBLEU failed: no test set or language pair is named 'nonsense'; see"),
        ("-t wmt17 --citation", "sacreBLEU failed: argument of type "),
        ("-t wmt19 -l en-de -i s1 -q", "cannot read test set wmt19: "),
    ],
)
def test_what_is_refused(programs: Programs, arguments: str, message: str) -> None:
    ours, theirs = programs.both(arguments)
    assert (ours.status, theirs.status) == (1, 1)
    assert ours.output == theirs.output == ""
    assert re.fullmatch("fastbleu: .+\n", ours.messages)
    assert ours.messages.startswith(f"fastbleu: {message}")
