"""The command line against sacreBLEU's own: the same bytes but for the signature's last field, the same exit codes."""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from tests.support.sacrebleu_command import (
    LAST_FIELD,
    REFERENCE_A,
    REFERENCE_B,
    SYSTEM_1,
    SYSTEM_2,
    Programs,
    programs_in,
    shown_on_a_terminal,
)

LONG_NUMBER = re.compile(r"\d+\.\d{20}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")

    def write(name: str, lines: list[str], end: str = "\n", encoding: str = "utf-8") -> None:
        (folder / name).write_bytes("".join(f"{line}{end}" for line in lines).encode(encoding))

    write("a", REFERENCE_A)
    write("b", REFERENCE_B, "\r\n")
    write("s1", SYSTEM_1)
    write("s2", SYSTEM_2)
    write("1e3", SYSTEM_1)
    write("x_y & z%", SYSTEM_2)
    write("語", SYSTEM_2)
    write("crlf", SYSTEM_1, "\r\n")
    write("utf16", SYSTEM_1, encoding="utf-16")
    write("latin", ["Exactly the same café"] * len(REFERENCE_A), encoding="latin-1")
    write("short", SYSTEM_1[:-1])
    write("empty", [])
    write("tabs", [f"{first}\t{second}!" for first, second in zip(REFERENCE_A, REFERENCE_B, strict=True)])
    write("three", [f"{line}\tx\ty\tz" for line in REFERENCE_A])
    write("ragged", [f"{line}\tx" if number != 4 else line for number, line in enumerate(REFERENCE_A)])
    write("tokenized", ["A sentence of words ."] * 120)
    write("tokenized_crlf", ["A sentence of words ."] * 120, " \r\n")
    write("ja", ["吾輩は猫である。", "名前はまだ無い。"])
    write("ko", ["나는 고양이로소이다.", "이름은 아직 없다."])
    # Without a newline behind the last line.
    (folder / "open").write_bytes("\n".join([*SYSTEM_1[:-1], "a b"]).encode())
    (folder / "s1.gz").write_bytes(gzip.compress((folder / "s1").read_bytes()))
    (folder / "a.gz").write_bytes(gzip.compress((folder / "a").read_bytes()))
    (folder / "two_systems").write_bytes(
        "".join(f"{one.rstrip()} \t{two}.\r\n" for one, two in zip(SYSTEM_1, SYSTEM_2, strict=True)).encode()
    )
    (folder / "lone_cr").write_bytes("\r".join([*SYSTEM_1[:-1], "a b"]).encode())
    return folder


@pytest.fixture(scope="module")
def programs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    with programs_in(folder, tmp_path_factory.mktemp("output")) as found:
        yield found


def test_every_option_is_there(programs: Programs) -> None:
    ours, theirs = programs.both("--help", environment={"COLUMNS": "999"})
    found, expected = (
        {
            flag
            for line in run.output.splitlines()
            if line.startswith("  -")
            for flag in re.findall(r"(?:^|, )(-[\w-]+)", line.strip().split("  ")[0])
        }
        for run in (ours, theirs)
    )
    assert len(expected) > 60
    assert expected <= found


@pytest.mark.parametrize("references", ["a", "a b", "a.gz b a"])
@pytest.mark.parametrize(
    "report", ["", "-f text", "-f latex", "-b", "-f text -b", "-sh", "-f text -sh", "-q"]
)
def test_report_of_one_system(programs: Programs, references: str, report: str) -> None:
    programs.assert_same(f"{references} -i s1 {report}")


@pytest.mark.parametrize("width", [0, 2, 5, 20])
@pytest.mark.parametrize("report", ["-f json", "-f text", "-b", "-sl", "-f text -ci -cin 50"])
def test_width(programs: Programs, width: int, report: str) -> None:
    arguments = f"a b -i s1 -w {width} {report}"
    if "-ci" not in report or width < 20:
        programs.assert_same(arguments)
        return
    # The peer's intervals come from float32 sums, so that not all of twenty digits are the same.
    ours, theirs = programs.both(arguments)
    said = LAST_FIELD.sub("", ours.output)
    assert LONG_NUMBER.sub("#", said) == LONG_NUMBER.sub("#", theirs.output)
    numbers, expected = (list(map(float, LONG_NUMBER.findall(text))) for text in (said, theirs.output))
    assert len(numbers) == 3
    assert numbers[0] == expected[0]
    assert numbers == pytest.approx(expected, rel=0, abs=1e-5)


@pytest.mark.parametrize("tokenizer", ["none", "13a", "zh", "char", "intl"])
@pytest.mark.parametrize("case", ["", "-lc"])
@pytest.mark.parametrize("level", ["-f text", "-sl"])
def test_tokenizers(programs: Programs, tokenizer: str, case: str, level: str) -> None:
    programs.assert_same(f"a b -i s1 -w 14 -tok {tokenizer} {case} {level}")


@pytest.mark.parametrize(
    "smoothing",
    [
        "none",
        "exp",
        "floor",
        "add-k",
        "floor -sv 0.01",
        "floor -sv 0",
        "add-k -sv 2",
        "add-k -sv 0.5",
        "exp -sv 3",
    ],
)
@pytest.mark.parametrize("level", ["-f text", "-sl", "-f text -ci -cin 20"])
def test_smoothing(programs: Programs, smoothing: str, level: str) -> None:
    programs.assert_same(f"a -i s1 -w 3 -s {smoothing} {level}")


@pytest.mark.parametrize(
    "report", list(product(["", "-sh"], ["", "-b"], ["", "-f text", "-f latex"], ["a", "a b"]))
)
def test_sentence_level(programs: Programs, report: tuple[str, ...]) -> None:
    programs.assert_same(f"{report[3]} -i s1 -sl {' '.join(report[:3])}")


@pytest.mark.parametrize("report", ["", "-f text", "-f text -sh", "-b", "-f text -b", "-w 3"])
@pytest.mark.parametrize("resamples", ["", "-cin 1", "-cin 2", "-cin 39", "-cin 100"])
def test_confidence(programs: Programs, report: str, resamples: str) -> None:
    programs.assert_same(f"a b -i s1 -ci {resamples} {report}")


@pytest.mark.parametrize("seed", ["0", "98765", "none"])
def test_seed(programs: Programs, seed: str) -> None:
    if seed == "none":
        ours, theirs = programs.both("a -i s2 -ci -f text", environment={"SACREBLEU_SEED": seed})
        interval = re.compile(r"\(μ = .*? ± .*?\)")
        assert interval.sub("", LAST_FIELD.sub("", ours.output)) == interval.sub("", theirs.output)
    else:
        programs.assert_same("a -i s2 -ci -f text", environment={"SACREBLEU_SEED": seed})


@pytest.mark.parametrize(
    "report", ["", "-f text", "-f latex", "-f text -sh", "-w 4", "-f text -w 4", "-q", "-b"]
)
@pytest.mark.parametrize(
    "systems",
    [["s1", "s2"], ["s2", "s1", "b", "open"], ["1e3", "x_y & z%", "語"]],
    ids=["two", "four", "names"],
)
def test_several_systems(programs: Programs, systems: list[str], report: str) -> None:
    programs.assert_same(["a", "b", "-i", *systems, *report.split()])


@pytest.mark.parametrize("options", ["", "-f text", "-sl", "-f text -ci"])
def test_standard_input(programs: Programs, options: str) -> None:
    for name in ("s1", "crlf", "lone_cr", "open"):
        programs.assert_same(f"a b {options}", stdin=name)


@pytest.mark.parametrize("options", ["", "-f text", "-f latex"])
def test_several_systems_in_standard_input(programs: Programs, options: str) -> None:
    programs.assert_same(f"a b {options}", stdin="two_systems")


@pytest.mark.parametrize(
    "arguments",
    [
        "-nr 2 tabs -i s1",
        "tabs --num-refs 2 -i s1 s2 -f text",
        "three -nr 4 -i s1 -sl",
        "a -i s1.gz -f text",
        "a -i utf16 -e utf-16",
        "latin -i latin -e latin-1",
        "a -i crlf",
        "a -i open",
        "-m bleu -lc -tok none --force --input s1 -- a b",
        "a --inp s1 --smooth-m floor --smooth-v 0.2",
        "a -i s1 -l en-zh",
        "a -i s1 -l en-de",
        "a -i s1 -l en-zh-Hans",
        "a -i s1 -l zh-en -f text",
        "a -i s1 -l en-zh -tok 13a",
        "a -i s1 -l en-ja -tok char",
        "a -i s1 -l en-ko -tok none -q",
        "tokenized -i tokenized",
        "tokenized -i tokenized_crlf",
        "tokenized -i tokenized -q",
        "tokenized -i tokenized --force",
        "tokenized -i tokenized tokenized_crlf",
        "tokenized -i tokenized -sl",
        "a -i s1 -nc",
    ],
)  # fmt: skip
def test_other_options(programs: Programs, arguments: str) -> None:
    encoding = arguments.partition("-e ")[2]
    if encoding == "utf-16":
        (programs.folder / "a16").write_bytes("".join(f"{line}\n" for line in REFERENCE_A).encode("utf-16"))
        arguments = arguments.replace("a -i", "a16 -i")
    programs.assert_same(arguments)


@pytest.mark.parametrize(
    ("arguments", "stdin", "warned"),
    [
        ("three -i s1", None, ["three has lines with tabs"]),
        ("three -nr 3 -i s1", None, ["three has lines with more than 3 fields"]),
        ("three -i three s1 tabs -f text", None, ["three has lines", "three has lines", "tabs has lines"]),
        ("three", "s1", ["three has lines with tabs"]),
        ("three -nr 2", "s1", ["three has lines with more than 2 fields"]),
        ("a -i tabs -sl", None, ["tabs has lines with tabs"]),
    ],
)
def test_tabs_are_scored_and_warned_of(
    programs: Programs, arguments: str, stdin: str | None, warned: list[str]
) -> None:
    ours, theirs = programs.both(f"{arguments} -q", stdin)
    assert (ours.status, theirs.status) == (0, 0)
    assert LAST_FIELD.sub("", ours.output) == theirs.output
    assert theirs.messages == ""
    lines = ours.messages.splitlines()
    assert len(lines) == len(warned)
    for line, expected in zip(lines, warned, strict=True):
        assert line.startswith(f"fastbleu: {expected}")


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("MeCab", "ja -i ja -l en-ja -f text"),
        ("MeCab", "ja -i ja -tok ja-mecab"),
        ("mecab_ko", "ko -i ko -l en-ko -f text"),
        ("mecab_ko", "ko -i ko -tok ko-mecab -sl"),
    ],
)
def test_tokenizers_of_third_parties(programs: Programs, module: str, arguments: str) -> None:
    pytest.importorskip(module)
    if module == "MeCab" and find_spec("ipadic") is None:
        pytest.skip("ipadic is not installed")
    programs.assert_same(arguments)


@pytest.mark.parametrize("value", ["text", "TEXT", "latex", "json", "nonsense", ""])
def test_format_of_the_environment(programs: Programs, value: str) -> None:
    programs.assert_same("a -i s1 -f json", environment={"SACREBLEU_FORMAT": value})
    programs.assert_same("a -i s1 s2 -f text", environment={"SACREBLEU_FORMAT": value})


@pytest.mark.parametrize(
    ("arguments", "stdin", "status"),
    [
        ("-i s1", None, 1),
        ("a b -nr 2 -i s1", None, 1),
        ("a -i short", None, 1),
        ("a b -i s1 short", None, 1),
        ("a", "short", 1),
        ("a -i s1 s2 s1", None, 1),
        ("a -i s1 s2 -sl", None, 1),
        ("a -i s1 s2 -ci", None, 1),
        ("a", "two_systems", None),
        ("a -ci", "two_systems", 1),
        ("a -sl", "two_systems", 1),
        ("a -i s1 -sl -ci", None, 1),
        ("a -i empty", None, 1),
        ("empty -i empty", None, 1),
        ("absent -i s1", None, 1),
        ("a -i absent", None, 1),
        ("a -i s1 -e no-such-encoding", None, None),
        ("a -i latin", None, 1),
        ("a", "latin", 1),
        ("ragged -nr 2 -i s1", None, 17),
        ("three -nr 5 -i s1", None, 17),
        ("a", "ragged", 17),
        ("a -i s1 -tok no-such-tokenizer", None, 2),
        ("a -i s1 -s no-such-method", None, 2),
        ("a -i s1 -m no-such-metric", None, 2),
        ("a -i s1 -f no-such-format", None, 2),
        ("a -i s1 --no-such-option", None, 2),
        ("a -i s1 -w x", None, 2),
        ("a -i s1 -sv x", None, 2),
        ("a -i s1 -nr x", None, 2),
        ("a -i s1 -cin 1.5", None, 2),
        ("a -i s1 --paired", None, 2),
    ],
)
def test_exit_codes(programs: Programs, arguments: str, stdin: str | None, status: int | None) -> None:
    ours, theirs = programs.both(arguments, stdin)
    if status is None:  # a wrong value there only shows when it is used; see tests/cli/bleu/test_command.py
        assert bool(ours.status) == bool(theirs.status)
        return
    assert (ours.status, theirs.status) == (status, status), ours.messages
    assert ours.output == theirs.output == ""
    assert re.fullmatch(r"fastbleu: .+\n", ours.messages)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"NO_COLOR": ""}])
@pytest.mark.parametrize(
    "arguments",
    [
        "a -i s1 -f text -ci",
        "a -i s1 s2 -f text",
        "a -i s1 s2 -f latex",
        "a -i s1 s2 -f text -nc",
        "a -i s1 -ci",
    ],
)
def test_colours_on_a_terminal(folder: Path, arguments: str, environment: dict[str, str]) -> None:
    outputs = [
        shown_on_a_terminal([sys.executable, "-m", module, *arguments.split()], folder, environment)
        for module in ("fastbleu", "sacrebleu")
    ]
    # There, colorama resets the colours once more at exit.
    assert LAST_FIELD.sub("", outputs[0]) == outputs[1].removesuffix("\x1b[0m")
    wanted = not environment.get("NO_COLOR") and "-nc" not in arguments and arguments != "a -i s1 -ci"
    assert ("\x1b[36m" in outputs[0]) == wanted


@pytest.mark.parametrize("pair", ["en-de", "de-en", "en-zh", "en-ru"])
def test_real_systems(programs: Programs, pair: str) -> None:
    data = Path(os.environ.get("FASTBLEU_DATA", "")) / "newstest2021"
    if not os.environ.get("FASTBLEU_DATA") or not data.is_dir():
        pytest.skip("FASTBLEU_DATA names no folder with newstest2021")
    references = sorted(map(str, data.glob(f"references/newstest2021.{pair}.ref.*")))
    systems = sorted(map(str, data.glob(f"system-outputs/newstest2021.{pair}.hyp.*")))[:3]
    programs.assert_same([*references, "-i", *systems, "-f", "text", "-w", "14", "-l", pair])
    programs.assert_same([references[0], "-i", systems[0], "-sl", "-w", "14", "-l", pair])
    programs.assert_same([*references, "-i", systems[0], "-ci", "-cin", "100", "-w", "2", "-l", pair])
