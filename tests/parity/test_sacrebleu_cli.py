"""The command line against sacreBLEU's own: the same bytes but for the signature's last field, the same exit codes."""

import re
import shlex
import sys

import pytest

pytest.importorskip("sacrebleu", "2.6.0")

from tests.support import newstest
from tests.support.sacrebleu_command import LAST_FIELD, Programs, grid, shown_on_a_terminal, write_corpus
from tests.support.tiers import one_of

LONG_NUMBER = re.compile(r"\d+\.\d{20}")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(write_corpus(tmp_path_factory.mktemp("corpus")))


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


SMOOTHINGS = ["none", "exp", "floor", "add-k"]
SMOOTHINGS += ["floor -sv 0.01", "floor -sv 0", "add-k -sv 2", "add-k -sv 0.5", "exp -sv 3"]
SAME = [
    *grid(
        "{} -i s1 {}",
        ["a", "a b", "a.gz b a"],
        ["", "-f text", "-f latex", "-b", "-f text -b", "-sh", "-f text -sh", "-q"],
    ),
    *grid("a b -i s1 -w {} {}", ["0", "2", "5", "20"], ["-f json", "-f text", "-b", "-sl"]),
    *grid("a b -i s1 -w {} -f text -ci -cin 50", ["0", "2", "5"]),
    *grid(
        "a b -i s1 -w 14 -tok {} {} {}",
        ["none", "13a", "zh", "char", "intl"],
        ["", "-lc"],
        ["-f text", "-sl"],
    ),
    *grid("a -i s1 -w 3 -s {} {}", SMOOTHINGS, ["-f text", "-sl", "-f text -ci -cin 20"]),
    *grid("{} -i s1 -sl {} {} {}", ["a", "a b"], ["", "-sh"], ["", "-b"], ["", "-f text", "-f latex"]),
    *grid(
        "a b -i s1 -ci {} {}",
        ["", "-cin 1", "-cin 2", "-cin 39", "-cin 100"],
        ["", "-f text", "-f text -sh", "-b", "-f text -b", "-w 3"],
    ),
    *grid(
        "a b -i {} {}",
        ["s1 s2", "s2 s1 b open", "1e3 'x_y & z%' ö"],
        ["", "-f text", "-f latex", "-f text -sh", "-w 4", "-f text -w 4", "-q", "-b"],
    ),
    "-nr 2 tabs -i s1",
    "tabs --num-refs 2 -i s1 s2 -f text",
    "three -nr 4 -i s1 -sl",
    "a -i s1.gz -f text",
    "a16 -i utf16 -e utf-16",
    "latin -i latin -e latin-1",
    "a -i crlf",
    "a -i open",
    "-m bleu -lc -tok none --force --input s1 -- a b",
    "a --inp s1 --smooth-m floor --smooth-v 0.2",
    *grid("a -i s1 -l {}", ["en-zh", "en-zh-Hans", "zh-en -f text", "en-zh -tok 13a", "en-ja -tok char"]),
    *grid("tokenized -i tokenized {}", ["", "tokenized_crlf", "-q", "--force", "-sl"]),
    "a -i s1 -nc",
]
#: With what is in standard input, and settings of the environment.
SAME_IN_A_PLACE: list[tuple[str, str | None, dict[str, str]]] = [
    *(
        (f"a b {options}", name, {})
        for options in ("", "-f text", "-sl", "-f text -ci")
        for name in ("s1", "crlf", "lone_cr", "open")
    ),
    *((f"a b {options}", "two_systems", {}) for options in ("", "-f text", "-f latex")),
    *(("a -i s2 -ci -f text", None, {"SACREBLEU_SEED": seed}) for seed in ("0", "98765")),
    *(
        (f"a -i {options}", None, {"SACREBLEU_FORMAT": value})
        for value in ("text", "TEXT", "latex", "json", "nonsense", "")
        for options in ("s1 -f json", "s1 s2 -f text")
    ),
]


@pytest.mark.parametrize(
    ("arguments", "stdin", "environment"), [*((each, None, {}) for each in SAME), *SAME_IN_A_PLACE]
)
def test_the_same(programs: Programs, arguments: str, stdin: str | None, environment: dict[str, str]) -> None:
    programs.assert_same(arguments, stdin, environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "stdin", "environment"),
    [*((arguments, None, {}) for arguments in SAME[::60]), *SAME_IN_A_PLACE[::6], ("a -i short", None, {})],
)
@pytest.mark.parametrize("module", ["fastbleu", "sacrebleu"])
def test_as_in_processes_of_their_own(
    programs: Programs, module: str, arguments: str, stdin: str | None, environment: dict[str, str]
) -> None:
    here, alone = (
        run(module, shlex.split(arguments), stdin, environment) for run in (programs.run, programs.run_alone)
    )
    assert here[:2] == alone[:2]
    assert here.messages.splitlines()[-1:] == alone.messages.splitlines()[-1:]


def test_twenty_digits_of_an_interval(programs: Programs) -> None:
    """The peer's intervals come from float32 sums, so that not all of twenty digits are the same."""
    ours, theirs = programs.both("a b -i s1 -w 20 -f text -ci -cin 50")
    said = LAST_FIELD.sub("", ours.output)
    assert LONG_NUMBER.sub("#", said) == LONG_NUMBER.sub("#", theirs.output)
    numbers, expected = (list(map(float, LONG_NUMBER.findall(text))) for text in (said, theirs.output))
    assert (len(numbers), numbers[0]) == (3, expected[0])
    assert numbers == pytest.approx(expected, rel=0, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "stdin", "warned"),
    [
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
    lines = sorted(ours.messages.splitlines(), reverse=True)
    for line, expected in zip(lines, warned, strict=True):
        assert line.startswith(f"fastbleu: {expected}")


@pytest.mark.parametrize(("module", "language"), [("ipadic", "ja"), ("mecab_ko", "ko")])
def test_tokenizers_of_third_parties(programs: Programs, module: str, language: str) -> None:
    pytest.importorskip(module)
    programs.assert_same(f"{language} -i {language} -l en-{language} -f text")
    programs.assert_same(f"{language} -i {language} -tok {language}-mecab -sl")


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
        ("empty -i empty", None, 1),
        ("absent -i s1", None, 1),
        ("a -i s1 -e no-such-encoding", None, None),
        ("a -i latin", None, 1),
        ("a", "latin", 1),
        ("ragged -nr 2 -i s1", None, 17),
        ("three -nr 5 -i s1", None, 17),
        ("a", "ragged", 17),
        ("a -i s1 -tok no-such-tokenizer", None, 2),
        *((f"a -i s1 {each}", None, 2) for each in ("-s x", "-m x", "-f x", "--no-such-option", "--paired")),
        *((f"a -i s1 {each}", None, 2) for each in ("-w x", "-sv x", "-nr x", "-cin 1.5")),
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ("a -i s1 -f text -ci", {}),
        ("a -i s1 s2 -f text", {"NO_COLOR": "1"}),
        ("a -i s1 s2 -f latex", {"NO_COLOR": ""}),
        ("a -i s1 -ci", {}),
        ("a -i s1 s2 b -par -parn 40 -f text", {"NO_COLOR": "1"}),
        ("a -i s1 s2 crlf -pbs -pbsn 40 -f latex", {}),
        ("a -i s1 s2 -par -parn 40 -f text -m chrf bleu", {}),
        ("a -i s1 s2 -par -parn 40 -nc -f text", {}),
    ],
)
def test_colours_on_a_terminal(programs: Programs, arguments: str, environment: dict[str, str]) -> None:
    outputs = [
        shown_on_a_terminal([sys.executable, "-m", module, *arguments.split()], programs.folder, environment)
        for module in ("fastbleu", "sacrebleu")
    ]
    # There, colorama resets the colours once more at exit.
    ours, theirs = LAST_FIELD.sub("", outputs[0]), outputs[1].removesuffix("\x1b[0m")
    # Lines of tables are aligned by the longest one, and ours is longer by the last field.
    assert [line.lstrip() for line in ours.splitlines()] == [line.lstrip() for line in theirs.splitlines()]
    wanted = not environment.get("NO_COLOR") and "-f" in arguments and "-nc" not in arguments
    assert ("\x1b[36m" in outputs[0]) == wanted


@pytest.mark.usefixtures("newstest")
@pytest.mark.parametrize("pair", one_of(2, ["en-de", "de-en", "en-zh", "en-ru"]))
def test_real_systems(programs: Programs, pair: str) -> None:
    references = list(map(str, newstest.reference_files(pair).values()))
    systems = list(map(str, newstest.system_files(pair).values()))[:2]
    programs.assert_same([*references, "-i", *systems, "-f", "text", "-w", "14", "-l", pair])
    programs.assert_same([references[0], "-i", systems[0], "-sl", "-w", "14", "-l", pair])
    programs.assert_same([*references, "-i", systems[0], "-ci", "-cin", "20", "-w", "2", "-l", pair])
