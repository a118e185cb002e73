"""The command line: what it prints, what it refuses, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import fastbleu
from fastbleu import BLEU, CHRF
from fastbleu.cli import common
from fastbleu.cli.bleu import score_command as cli
from fastbleu.explain import explain, html_page
from tests.support.commands import Terminal, printed, refused, write_lines
from tests.support.processes import environment, python

VERSION = fastbleu.__version__

REFERENCE_A = ["The cat sat on the mat .", "It is raining, isn't it?", "A dog!"]
REFERENCE_B = ["A cat sat on a mat.", "It rains, doesn't it?", "One dog!"]
SYSTEM_1 = ["The cat sat on a mat.", "It is raining, is it?", "A cat!"]
SYSTEM_2 = ["A mat sat on the cat.", "It rains.", "A dog!"]
BAD = b"fine\nfine\nno\xff\n"
TABS = b"a\tb\nc\td\ne\n"


def program(arguments: str, **variables: str) -> tuple[int, str, str]:
    done = python("-m", "fastbleu", *arguments.split(), **variables)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def files() -> None:
    write_lines(a=REFERENCE_A, b=REFERENCE_B, s1=SYSTEM_1, s2=SYSTEM_2, **{"s.html": SYSTEM_1})


def test_json_of_one_system() -> None:
    score = BLEU().corpus_score(SYSTEM_1, [REFERENCE_A, REFERENCE_B])
    found = json.loads(printed("a b -i s1 -w 3"))
    signature = f"nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|fastbleu:{VERSION}"
    assert found == {
        "name": "BLEU",
        "score": round(score.score, 3),
        "signature": signature,
        "verbose_score": score._verbose,
        **dict(field.split(":") for field in signature.split("|")),
    }
    assert list(found)[-1] == "fastbleu"


def test_chrf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    chrf, streams = CHRF(4, 2, 3, lowercase=True), [REFERENCE_A, REFERENCE_B]
    score = chrf.corpus_score(SYSTEM_1, streams, n_bootstrap=50)
    options = "-m chrf -cc 4 -cw 2 --chrf-beta 3 --chrf-lowercase"
    assert printed(f"a b -i s1 {options} -f text -ci -cin 50 -w 4") == (
        score.format(4, signature=str(score.signature)) + "\n"
    )
    assert printed(f"a b -i s1 {options} -sl -b -w 9").split() == [
        f"{each:.9f}" for each in chrf.sentence_scores(SYSTEM_1, streams)
    ]
    both = json.loads(printed("a b -i s1 -m chrf bleu -w 5"))
    assert [found["score"] for found in both] == [
        round(metric.corpus_score(SYSTEM_1, streams).score, 5) for metric in (BLEU(), CHRF())
    ]
    found = json.loads(printed(f"a b -i s1 s2 {options} -q -w 9"))
    scores = [chrf.corpus_score(system, streams) for system in (SYSTEM_1, SYSTEM_2)]
    assert [each["chrF3++"] for each in found] == [f"{score.score:.9f}" for score in scores]


def test_explanations() -> None:
    metric = BLEU(effective_order=True)
    tables = []
    for i in (2, 0, 1):
        explanation = explain(metric, SYSTEM_1[i], [REFERENCE_A[i], REFERENCE_B[i]])
        text = explanation.to_text().replace(explanation.score.format(), explanation.score.format(1))
        tables.append(f"line {i + 1} of s1\n{text}\n")
    assert printed("a b -i s1 --explain 3,1-2") == "\n".join(tables)
    assert printed("a b -i s1 --explain 3 --explain 1,2 --threads 2") == "\n".join(tables)
    assert printed("a b --explain 3", "\n".join(SYSTEM_1).encode()) == tables[0].replace("s1", "System 1")


def test_explanations_on_a_page(folder: Path) -> None:
    assert printed("a -i s1 --explain 1,3 --explain-html page.html") == ""
    metric = BLEU(effective_order=True)
    explanations = [explain(metric, SYSTEM_1[i], [REFERENCE_A[i]]) for i in (0, 2)]
    page = (folder / "page.html").read_bytes().decode("utf-8")
    assert page == html_page(explanations, ["line 1 of s1", "line 3 of s1"])


def test_explanations_as_wide_as_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "long").write_text("word " * 200)
    for terminal, width in (("120", 120), ("20", 70)):
        monkeypatch.setenv("COLUMNS", terminal)
        stream = Terminal()
        monkeypatch.setattr(sys, "stdout", stream)
        assert cli.main(["long", "-i", "long", "--explain", "1"]) == 0
        assert width - 5 <= max(map(len, stream.getvalue().splitlines()[3:])) <= width
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_warnings_go_to_standard_error(folder: Path) -> None:
    (folder / "tokenized").write_bytes(b"A sentence of words .\n" * 100)
    status, output, messages = program("tokenized -i tokenized -b -w 2")
    assert (status, output) == (0, "100.00\n")
    lines = messages.splitlines()
    assert lines[0] == "fastbleu: That's 100 lines that end in a tokenized period ('.')"
    assert all(line.startswith("fastbleu: ") for line in lines)
    assert program("tokenized -i tokenized -b -w 2 --force") == (0, "100.00\n", "")
    _, _, messages = program("a -i s1 -l en-zh -tok 13a")
    assert messages == "fastbleu: Consider using the 'zh' or 'spm' tokenizer for Chinese.\n"


def test_output_is_utf8_whatever_the_locale(folder: Path) -> None:
    (folder / "語").write_bytes((folder / "s2").read_bytes())
    assert "μ = " in program("a -i s1 -ci -f text", PYTHONIOENCODING="ascii", PYTHONUTF8="0")[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "a b -i s1",
        "a b -i s1 -sl",
        "a -i s1 s2 -q",
        "a -tok intl",
    ],
)
def test_the_plain_path_imports_nothing_rare(folder: Path, arguments: str) -> None:
    program = (
        "import sys; from fastbleu.cli.bleu.score_command import main; status = main(sys.argv[1:]);"
        "rare = {'numpy', 'pyarrow', 'logging', 'tqdm', 'dataclasses', 'typing', 'concurrent.futures',"
        " 'gzip'};"
        "print(status, sorted(rare & set(sys.modules)), file=sys.stderr)"
    )
    # -S: what a site directory imports at start is not ours.
    done = python("-S", "-c", program, *arguments.split(), stdin=(folder / "s1").read_bytes())
    assert done.stderr == "0 []\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("", 1, "no reference files: give them before -i/--input, or choose a test set with -t/--test-set"),
        ("a -i s1 -m WER", 2, "argument --metrics/-m: invalid choice: 'WER'"),
        ("a -i s1 -m bleu chrf -sl", 1, "argument --metrics/-m: takes one metric with --sentence-level/-sl"),
        ("a -i s1 -m chrf -cc 0", 2, "argument --chrf-char-order: must be at least 1 if word_order is 0, got 0"),
        ("a -i s1 -t wmt17 -l en-de", 1, "argument --test-set/-t: has its own references"),
        ("-i s1 -t wmt17", 1, "argument --test-set/-t: name the languages with -l/--language-pair"),
        ("-i s1 -t wmt17 -l en-de -nr 2", 1, "argument --num-refs/-nr: splits a file of references"),
        ("a -i s1 -pbs", 1, "argument --paired-bs/-pbs: compares systems, so it needs at least two, not 1"),
        ("a -i s1 s2 -pbs -sl", 1, "argument --sentence-level/-sl: there are no significance tests of single"),
        ("a -i s1 s2 -pbs -par", 2, "argument --paired-ar/-par: not allowed with argument --paired-bs/-pbs"),
        ("a -i s1 s2 -pbs -pbsn 1", 2, "argument --paired-bs-n/-pbsn: must be at least 2, not 1"),
        ("a b -nr 2 -i s1", 1, "argument --num-refs/-nr: splits one file into several references, but 2 reference"),
        ("a -i", 2, "argument --input/-i: expected at least one file"),
        ("a -i s1 s1", 1, "argument --input/-i: 's1' is given twice; names of systems must differ"),
        ("a -i s1 s2 -sl", 1, "argument --sentence-level/-sl: takes one system, not 2"),
        ("a -i s1 -sl -ci", 1, "argument --confidence/-ci: there are no intervals with --sentence-level/-sl"),
        ("a -i s1 --nonsense", 2, "unrecognized arguments: --nonsense"),
        ("a -i s1 -w x", 2, "argument --width/-w: invalid int value: 'x'"),
        ("a -i s1 -s floor -sv nan", 2, "argument --smooth-value/-sv: must be a number of at least 0, not nan"),
        ("a -i s1 -l zh", 2, "argument --language-pair/-l: expected source and target such as en-de, not 'zh'"),
        ("a -i s1 -e klingon", 2, "argument --encoding/-e: unknown encoding: klingon"),
        ("a -i s1 -tok ./absent.model", 1, "absent.model', which does not exist"),
        ("a -i s1 --explain 1-", 2,
         "argument --explain: expected line numbers and ranges, such as 1,3-5, not '1-'"),
        ("a -i s1 --explain 3-2", 2, "argument --explain: the start of a range must not be after its end, as in '3-2'"),
        ("a -i s1 --explain 2,4", 1, "argument --explain: there is no line 4; s1 has 3 lines"),
        ("a -i s1 --explain-html page", 2, "argument --explain-html: name the segments with --explain"),
        ("a -i s1 --explain 1 --explain-html=", 2, "argument --explain-html: expected a name that ends in .html"),
        ("a -i s.html --explain 1 --explain-html s.html", 2, "argument --explain-html: s.html is also an input file"),
        ("a -i s1 --explain 1 --explain-html no/page.html", 1, "no/page.html: No such file or directory"),
    ],
)  # fmt: skip
def test_wrong_options(arguments: str, status: int, message: str) -> None:
    found, said = refused(arguments)
    assert found == status
    assert message in said


BYTES = "line 3, byte offset 12: byte 0xff is not valid utf-8"
LENGTHS = "system and reference streams have different lengths:"
FIELDS = "expected 2 tab-separated fields, found 1"


@pytest.mark.parametrize(
    ("arguments", "stdin", "status", "message"),
    [
        ("a absent -i s1", b"", 1, "absent: No such file or directory"),
        ("a -i .", b"", 1, ".: Is a directory"),
        ("a -i bad", b"", 1, f"bad: {BYTES}"),
        ("a -i s1.gz", b"", 1, "s1.gz: not a valid gzip file: "),
        ("a -i one", b"", 1, f"{LENGTHS} one has 1 line, a has 3 lines"),
        ("tabs -nr 2 -i s1", b"", 17, f"tabs: line 3: {FIELDS}"),
        ("a", TABS, 17, f"standard input: line 3: {FIELDS}"),
        ("a -tok 13b", b"\xff", 2, "argument --tokenize: '13b' is unknown (did you mean '13a'?)"),
        (f"a -i s1 -b -w {2**40}", b"", 1, ""),
    ],
)  # fmt: skip
def test_input_that_is_refused(folder: Path, arguments: str, stdin: bytes, status: int, message: str) -> None:
    for name, data in (("bad", BAD), ("tabs", TABS), ("one", b"a line\n"), ("s1.gz", b"x")):
        (folder / name).write_bytes(data)
    found, said = refused(arguments, stdin)
    assert (found, said[: len(message)]) == (status, message)


def test_a_tokenizer_whose_package_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("MeCab", "ipadic"):
        monkeypatch.setitem(sys.modules, module, None)
    status, message = refused("a -i s1 -tok ja-mecab")
    assert status == 1
    assert "fastbleu-metric[ja]" in message


def test_closed_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(["a"]) == 1
    assert capsys.readouterr().err == "fastbleu: standard input is closed; name a file\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="closing a stream is done by a POSIX shell")
def test_closed_streams() -> None:
    command = f'"{sys.executable}" -m fastbleu a -i s1'
    for closing, status in ((">&-", 1), ("2>&-", 0), (">&- 2>&-", 1)):
        ended = subprocess.run(["sh", "-c", f"{command} {closing}"], env=environment(), check=False)
        assert ended.returncode == status


@pytest.mark.parametrize(
    ("arguments", "purpose"),
    [
        ("-t one -l en-de -i s1", "a test set"),
        ("-t one,two -l en-de -i s1", "TER or a test set"),
        ("--list", "TER or a test set"),
        ("a -i s1 -m bleu ter", "TER or a test set"),
    ],
)
def test_without_sacrebleu(monkeypatch: pytest.MonkeyPatch, arguments: str, purpose: str) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.delitem(sys.modules, "sacrebleu.sacrebleu", raising=False)
    assert refused(arguments) == (
        1,
        f'{purpose} needs the module sacrebleu: pip install "fastbleu-metric[sacrebleu]"',
    )


def test_progress_bar_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm.auto")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    plain = {}
    for arguments in ("a -i s1", "a -i s1 -m bleu chrf", "a -i s1 -sl"):
        assert cli.main(arguments.split()) == 0
        assert terminal.getvalue() == ""  # Short work is over before a bar is drawn.
        plain[arguments] = capsys.readouterr().out
    monkeypatch.setattr(common, "_BAR_DELAY", 0)
    for arguments, expected in plain.items():
        assert cli.main([*arguments.split(), "-q"]) == 0
        assert terminal.getvalue() == ""
        assert capsys.readouterr().out == expected
        assert cli.main(arguments.split()) == 0
        assert "B/s" in terminal.getvalue()
        assert capsys.readouterr().out == expected
        terminal.truncate(0)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert cli.main(["a", "-i", "s1"]) == 0
    assert terminal.getvalue() == ""


def test_the_table_fits_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{'x' * 40}{k}{'y' * 40}" for k in (1, 2)]
    write_lines(**dict.fromkeys(names, SYSTEM_1))
    assert all(name in printed(["a", "-i", *names, "-f", "text", "-q"]) for name in names)
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert cli.main(["a", "-i", *names, "-f", "text", "-q", "-nc", "-pbs", "-m", "bleu", "chrf"]) == 0
    table = terminal.getvalue().split("\n\n")[0].split("\n")
    assert set(map(len, table)) == {80}
    shown = [line.split("│")[1] for line in table if "…" in line]
    assert len(shown) == len(set(shown)) == 2
