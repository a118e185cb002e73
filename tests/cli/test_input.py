"""What all commands do alike with standard input, empty files, files that are not text, and names of the output."""

import gzip
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fastbleu.cli.bleu import score_command as bleu
from fastbleu.cli.compare import compare_command as compare
from fastbleu.cli.rerank import rerank_command as rerank
from tests.support.commands import Terminal, run

Main = Callable[[Sequence[str] | None], int]

#: Each file that a command reads, by its name in the command line; FILE is the one that is tested.
ARGUMENTS: tuple[tuple[Main, str], ...] = (
    (bleu.main, "FILE -i text"),
    (bleu.main, "text FILE -i text"),
    (bleu.main, "text -i FILE"),
    (bleu.main, "text -i text FILE -q"),
    (bleu.main, "text -i FILE -sl -b"),
    (compare.main, "FILE -i text other -q"),
    (compare.main, "text -i FILE other --names a b"),
    (compare.main, "text -i text other --sources FILE"),
    (compare.main, "text -i text other --documents FILE"),
    (compare.main, "text -i text other --training FILE"),
    (rerank.main, "mbr FILE -q"),
    (rerank.main, "self-bleu FILE -q"),
    (rerank.main, "oracle lists -r FILE -q"),
    (rerank.main, "score lists -r FILE -q"),
)
TEXT = b"the cat sat on the mat\nit rained all day long\n"
LISTS = b"0 ||| the cat sat on the mat\n0 ||| a cat\n1 ||| it rained all day long\n1 ||| it rained\n"

each_file = pytest.mark.parametrize(("main", "arguments"), ARGUMENTS)


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "text").write_bytes(TEXT)
    (folder / "other").write_bytes(TEXT.replace(b"cat", b"dog"))
    (folder / "lists").write_bytes(LISTS)


def data_for(arguments: str) -> bytes:
    return LISTS if arguments.startswith(("mbr", "self-bleu")) else TEXT


def refused(main: Main, arguments: str, stdin: bytes = b"") -> str:
    status, output, said = run(arguments, stdin, main)
    assert (status, output, said.count("\n")) == (1, "", 1)
    return said.partition(": ")[2].rstrip("\n")


@each_file
def test_a_dash_is_standard_input(main: Main, arguments: str) -> None:
    data = data_for(arguments)
    Path("same").write_bytes(data)
    status, output, said = run(arguments.replace("FILE", "same"), b"", main)
    assert status == 0
    found = run(arguments.replace("FILE", "-"), data, main)
    # The rest of a comparison has its command line.
    by_name, by_dash = (
        each.partition("- created by")[0].replace("standard input", "same") for each in (output, found[1])
    )
    assert (found[0], by_dash) == (0, by_name)
    assert found[2].splitlines()[-1:] == said.splitlines()[-1:]


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (bleu.main, "-"),
        (bleu.main, "- -i -"),
        (bleu.main, "text - -i text -"),
        (compare.main, "- -i - other --names a b"),
        (compare.main, "text -i text other --sources - --training -"),
        (rerank.main, "oracle -r -"),
        (rerank.main, "score lists -r - -r -"),
    ],
)
def test_standard_input_is_read_once(main: Main, arguments: str) -> None:
    status, _, said = run(arguments, TEXT, main)
    assert (status, said.partition(": ")[2]) == (2, "only one of the files can be standard input\n")


@each_file
def test_a_file_without_a_name(main: Main, arguments: str) -> None:
    """A shell's variable that is not set must not read standard input."""
    status, output, said = run([each.replace("FILE", "") for each in arguments.split()], TEXT, main)
    assert (status, output, said.partition(": ")[2]) == (2, "", "the name of an input file is empty\n")


def test_an_output_without_a_name() -> None:
    Path("lists").write_bytes(b"0 ||| a ||| 1\n")
    status, _, said = run(["mbr", "lists", "-o", ""], b"", rerank.main)
    assert (status, said) == (2, "fastbleu-rerank: argument --output/-o: expected the name of a file\n")
    assert not Path(".part").exists()


@each_file
def test_an_empty_input(main: Main, arguments: str) -> None:
    Path("empty").write_bytes(b"")
    assert refused(main, arguments.replace("FILE", "empty")) == "empty is empty"
    assert refused(main, arguments.replace("FILE", "-")) == "standard input is empty"


CONVERT = "; convert it: iconv -f"

#: First bytes of files that are not text, and what messages call them.
NO_TEXT = (
    (f"UTF-16{CONVERT} UTF-16 -t UTF-8", TEXT.decode().encode("utf-16")),
    (f"UTF-16{CONVERT} UTF-16 -t UTF-8", b"\xfe\xff" + TEXT.decode().encode("utf-16-be")),
    (f"UTF-16LE{CONVERT} UTF-16LE -t UTF-8", TEXT.decode().encode("utf-16-le")),
    (f"UTF-16BE{CONVERT} UTF-16BE -t UTF-8", TEXT.decode().encode("utf-16-be")),
    (f"UTF-32{CONVERT} UTF-32 -t UTF-8", TEXT.decode().encode("utf-32")),
    (f"UTF-32{CONVERT} UTF-32 -t UTF-8", b"\0\0\xfe\xff" + TEXT.decode().encode("utf-32-be")),
    ("a Parquet file; its columns are scored from Python", b"PAR1\x15\x04\x15" + bytes(50) + b"\nPAR1"),
    ("an Arrow file; its columns are scored from Python", b"ARROW1\0\0" + bytes(50)),
    ("a stream of Arrow; its columns are scored from Python", b"\xff\xff\xff\xff\x70\1\0\0" + bytes(50)),
    ("a ZIP archive", b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(50)),
    ("an xz file; decompress it first, with xz -dk", b"\xfd7zXZ\0\0\x04" + bytes(50)),
    ("binary data", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ("binary data", bytes(range(256))),
)


@each_file
def test_what_is_not_text_is_named(main: Main, arguments: str) -> None:
    for called, data in (NO_TEXT[0], NO_TEXT[6], NO_TEXT[-1]):
        Path("odd").write_bytes(data)
        assert refused(main, arguments.replace("FILE", "odd")) == f"odd: expected UTF-8 text, found {called}"
    message = f"standard input: expected UTF-8 text, found {called}"
    assert refused(main, arguments.replace("FILE", "-"), data) == message


@pytest.mark.parametrize(("called", "data"), NO_TEXT)
def test_formats_that_are_not_text(called: str, data: bytes) -> None:
    for name, content in (("odd", data), ("odd.gz", gzip.compress(data))):
        Path(name).write_bytes(content)
        message = f"{name}: expected UTF-8 text, found {called}"
        assert refused(bleu.main, f"text -i {name}") == message


def test_text_with_a_control_character_is_text() -> None:
    for text in (
        b"PAR1 and ARROW1 are genes\n",
        b"PK \x01 the cat sat on the mat\n",
        b"BZh\n",
        "é".encode() * 40,
    ):
        Path("odd").write_bytes(text)
        assert run("odd -i odd -b -q")[0] == 0


def test_other_encodings() -> None:
    Path("wide").write_bytes(TEXT.decode().encode("utf-16"))
    assert run("wide -i wide -b -e utf-16")[:2] == (0, "100.0\n")
    Path("odd").write_bytes(b"PAR1\x15\x04\x15")
    message = "text: line 1, byte offset 44: byte 0x67 is not valid utf-16; --encoding applies to all files"
    Path("text").write_bytes(TEXT[:-1])
    assert refused(bleu.main, "wide -i text -e utf-16") == message
    message = "odd: expected text in latin-1, found a Parquet file; its columns are scored from Python"
    assert refused(bleu.main, "odd -i odd -e latin-1") == message


@pytest.mark.parametrize(
    ("main", "arguments", "name"),
    [
        (bleu.main, "text -b", "fastbleu"),
        (bleu.main, "- -i text -b", "fastbleu"),
        (compare.main, "text -i text other --sources -", "fastbleu-compare"),
        (rerank.main, "mbr", "fastbleu-rerank"),
        (rerank.main, "score lists -r -", "fastbleu-rerank"),
    ],
)
def test_a_terminal_is_told_that_it_is_read(
    main: Main, arguments: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for more, said in (([], f"{name}: reading standard input\n"), (["-q"], "")):
        terminal = io.TextIOWrapper(io.BytesIO(data_for(arguments)))
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", terminal)
        assert main([*arguments.split(), *more]) == 0
        assert capsys.readouterr().err.startswith(said)
    assert run(arguments, data_for(arguments), main)[2].find("reading") == -1


@pytest.mark.parametrize(
    ("main", "arguments", "status", "message"),
    [
        (compare.main, "text -i text other -o out.pdf", 2,
         "argument --output/-o: expected a name that ends in .html, .htm, .json, .txt, not 'out.pdf'"),
        (rerank.main, "mbr lists -o out.csv", 2,
         ("argument --output/-o: the output is a Moses n-best list or JSON lines, so 'out.csv' needs "
          "a different extension")),
        (rerank.main, "mbr lists -o out.JSON", 1,
         ("--output: the output has the format of the input, a Moses n-best list, so 'out.JSON' needs "
          "a different extension")),
        (rerank.main, "mbr objects -o out.nbest", 1,
         "--output: the output has the format of the input, JSON lines, so 'out.nbest' needs a different extension"),
    ],
)  # fmt: skip
def test_endings_of_other_formats(
    main: Main, arguments: str, status: int, message: str, folder: Path
) -> None:
    (folder / "objects").write_text('{"candidates": ["a", "b"]}\n')
    before = sorted(folder.iterdir())
    assert run(arguments, b"", main) == (status, "", f"{_name(main)}: {message}\n")
    assert sorted(folder.iterdir()) == before
    assert run("mbr objects -o out.jsonl -q", b"", rerank.main)[0] == 0
    assert run("mbr lists -o out.de -q", b"", rerank.main)[0] == 0


def _name(main: Main) -> str:
    names: dict[Main, str] = {
        bleu.main: "fastbleu",
        compare.main: "fastbleu-compare",
        rerank.main: "fastbleu-rerank",
    }
    return names[main]


@pytest.mark.parametrize(
    ("main", "arguments"),
    [(bleu.main, "text -i text"), (compare.main, "text -i text other"), (rerank.main, "mbr lists")],
)
def test_unknown_languages(main: Main, arguments: str) -> None:
    for pair, hint in (("en-xx", ""), ("en-zho", " (did you mean 'zh'?)"), ("en-English", "")):
        code = pair.partition("-")[2]
        message = (
            f"argument --language-pair/-l: there is no tokenizer for the language code {code!r}{hint}; choose one with "
            "--tokenize"
        )
        assert run(f"{arguments} -l {pair}", b"", main) == (2, "", f"{_name(main)}: {message}\n")
        assert run(f"{arguments} -l {pair} -tok 13a", b"", main)[0] == 0
    assert run(f"{arguments} -l en-de", b"", main)[0] == 0


@pytest.mark.parametrize(
    ("main", "arguments", "message"),
    [
        (bleu.main, "text -i text -tok 13b", "argument --tokenize: '13b' is unknown (did you mean '13a'?)"),
        (bleu.main, "text -i text --metrcs=chrf", "unrecognized arguments: --metrcs=chrf (did you mean '--metrics'?)"),
        (bleu.main, "-i text -m BLEU chrf text", "; give the reference files before -m"),
        (bleu.main, "text -i text -m bleu,chrf", "; separate them by spaces: bleu chrf"),
        (bleu.main, "text -i text -m chrF++", "; chrF++ is chrf with --chrf-word-order 2"),
        (compare.main, "text -i text other --also chrf++", "; chrF++ is chrf with --chrf-word-order 2"),
        (compare.main, "text -i text other -to char", "unrecognized arguments: -to char (did you mean '-tok'?)"),
        (rerank.main, "oracle lists -r text -t char", "unrecognized arguments: -t char (did you mean '-tok'?)"),
        (rerank.main, "mbr lists --metric chfr", "(did you mean 'chrf'?)"),
        (rerank.main, "mbr lists --skip-bda", "unrecognized arguments: --skip-bda (did you mean '--skip-bad'?)"),
        (bleu.main, "text -i text --explain 1 --explain-html page.json",
         "argument --explain-html: expected a name that ends in .html, .htm, not 'page.json'"),
        (bleu.main, "text -i text -tok no.model", "--tokenize names the SentencePiece model"),
        (bleu.main, "text -i text -m chrf --chrf-beta -1",
         "argument --chrf-beta: must be finite and at least 0, got -1"),
        (bleu.main, "text -i text -s floor -sv inf",
         "argument --smooth-value: must be finite and not negative, got inf"),
        (bleu.main, "text -i text --threads 9999", "argument --threads: must be at most 4096, got 9999"),
        (compare.main, "text -i text other --threads 0", "argument --threads: must be at least 1, not 0"),
        (rerank.main, "mbr lists --threads 9999", "argument --threads: must be at most 4096, got 9999"),
        (compare.main, "text -i text other --also chrf --chrf-word-order 99999",
         "argument --chrf-word-order: must be at most 65536, got 99999"),
        (compare.main, "text -i text other --max-ngram-order 99999",
         "argument --max-ngram-order: must be at most 65536, got 99999"),
        (rerank.main, "mbr lists --max-ngram-order 99999",
         "argument --max-ngram-order: must be at most 65536, got 99999"),
    ],
)  # fmt: skip
def test_messages_name_options(main: Main, arguments: str, message: str) -> None:
    status, _, said = run(arguments, b"", main)
    assert status != 0
    assert message in said


def test_warnings_name_options(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("chinese").write_text("今天天气很好。\n我们去公园吧。\n", encoding="utf-8")
    assert run("chinese -i chinese -b")[2] == (
        "fastbleu: The text is in a script without spaces between words, but the tokenizer '13a' splits words at "
        "spaces, so that a whole phrase is one word. --tokenize zh would fit. --force suppresses this message.\n"
    )
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert compare.main(["chinese", "-i", "chinese", "text", "--names", "a", "b", "-q"]) == 0
    assert terminal.getvalue() == ""  # its report says it
