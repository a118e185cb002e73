"""`fastbleu.compat.moses.mteval`: mteval-v13a.pl and mteval-v14.pl."""

from __future__ import annotations

import html
import os
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from fastbleu.compat.moses import Mteval, mteval, report, write_matr_files
from fastbleu.compat.moses.commands import main
from tests.support import moses_oracle as oracle

SOURCES = """<srcset setid="demo" srclang="German">
<doc docid="first" genre="news">
<seg id="1">Die Katze saß auf der Matte.</seg>
<seg id="2">Es regnete.</seg>
</doc>
<doc docid="second"><seg id="10">Ein Hund.</seg><seg id="9">Zwei Hunde.</seg></doc>
</srcset>
"""
REFERENCES = """<refset setid="demo" srclang="German" trglang="English">
<doc docid="first" sysid="A">
<seg id="1">The cat sat on the mat.</seg>
<seg id="2">It rained, 1.5 inches &amp; more.</seg>
</doc>
<doc docid="second" sysid="A"><seg id="10">A dog barked at the cat on the mat.</seg><seg id="9">Two dogs.</seg></doc>
</refset>
<refset setid="demo" srclang="German" trglang="English">
<doc docid="first" sysid="B">
<seg id="1">A cat was sitting on a mat.</seg>
<seg id="2">There was rain: 1.5 inches.</seg>
</doc>
<doc docid="second" sysid="B"><seg id="10">A dog barked at it.</seg><seg id="9">A pair of dogs.</seg></doc>
</refset>
"""
TESTS = """<tstset setid="demo" srclang="German" trglang="English">
<doc docid="first" sysid="ours">
<seg id="1">the cat sat on a mat.</seg>
<seg id="2">It rained 1.5 inches and more.</seg>
</doc>
<doc docid="second" sysid="ours"><seg id="10">A dog barked at the cat, it did.</seg><seg id="9"> Dogs «2.» </seg></doc>
</tstset>
"""
#: What mteval-v14.pl printed with `-d 2`, and mteval-v13a.pl with `-d 1 -b -c --intern --brev shortest`.
PRINTED_14 = """
Evaluation of German-to-English translation using:
    src set "demo" (2 docs, 4 segs)
    ref set "demo" (2 refs)
    tst set "demo" (1 systems)

  NIST score using 5-grams = 5.2061 for system "ours" on segment 1 of document "first" (7 words)
  NIST score using 5-grams = 4.1580 for system "ours" on segment 2 of document "first" (7 words)
NIST score using   5-grams = 4.6820 for system "ours" on document "first" (2 segments, 14 words)
  NIST score using 5-grams = 1.8774 for system "ours" on segment 9 of document "second" (4 words)
  NIST score using 5-grams = 4.1168 for system "ours" on segment 10 of document "second" (10 words)
NIST score using   5-grams = 3.5715 for system "ours" on document "second" (2 segments, 14 words)
  BLEU score using 4-grams = 0.7953 for system "ours" on segment 1 of document "first" (7 words)
  BLEU score using 4-grams = 0.2275 for system "ours" on segment 2 of document "first" (7 words)
BLEU score using   4-grams = 0.5137 for system "ours" on document "first" (2 segments, 14 words)
  BLEU score using 4-grams = 0.1900 for system "ours" on segment 9 of document "second" (4 words)
  BLEU score using 4-grams = 0.5555 for system "ours" on segment 10 of document "second" (10 words)
BLEU score using   4-grams = 0.4597 for system "ours" on document "second" (2 segments, 14 words)
NIST score = 4.1742  BLEU score = 0.4947 for system "ours"

# ------------------------------------------------------------------------

Individual N-gram scoring
        1-gram   2-gram   3-gram   4-gram   5-gram   6-gram   7-gram   8-gram   9-gram
        ------   ------   ------   ------   ------   ------   ------   ------   ------
 NIST:  3.4778   0.4506   0.1000   0.0625   0.0833   0.0000   0.0000   0.0000   0.0000   "ours"

 BLEU:  0.8214   0.5833   0.4000   0.3125   0.1667   0.1111   0.0833   0.0833   0.0625   "ours"

# ------------------------------------------------------------------------

Cumulative N-gram scoring
        1-gram   2-gram   3-gram   4-gram   5-gram   6-gram   7-gram   8-gram   9-gram
        ------   ------   ------   ------   ------   ------   ------   ------   ------
 NIST:  3.4778   3.9284   4.0284   4.0909   4.1742   4.1742   4.1742   4.1742   4.1742   "ours"

 BLEU:  0.8214   0.6922   0.5766   0.4947   0.3980   0.3217   0.2653   0.2295   0.1986   "ours"
"""
PRINTED_13A = """  Evaluation of German-to-English translation using:
    src set "demo" (2 docs, 4 segs)
    ref set "demo" (2 refs)
    tst set "demo" (1 systems)

BLEU score using   4-grams = 0.3903 for system "ours" on document "first" (2 segments, 14 words)
BLEU score using   4-grams = 0.4090 for system "ours" on document "second" (2 segments, 15 words)
length ratio: 1.26086956521739 (29/23), penalty (log): 0

BLEU score = 0.4194 for system "ours"

# ------------------------------------------------------------------------

Individual N-gram scoring
        1-gram   2-gram   3-gram   4-gram   5-gram   6-gram   7-gram   8-gram   9-gram
        ------   ------   ------   ------   ------   ------   ------   ------   ------
 BLEU:  0.7586   0.5200   0.3333   0.2353   0.1538   0.1111   0.0833   0.0833   0.0625  "ours"

# ------------------------------------------------------------------------
Cumulative N-gram scoring
        1-gram   2-gram   3-gram   4-gram   5-gram   6-gram   7-gram   8-gram   9-gram
        ------   ------   ------   ------   ------   ------   ------   ------   ------

 BLEU:  0.7586   0.6281   0.5085   0.4194   0.3432   0.2844   0.2386   0.2092   0.1829  "ours"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("src.sgm", SOURCES), ("ref.sgm", REFERENCES), ("tst.sgm", TESTS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def evaluate(folder: Path, suffix: str = "sgm", **options: Any) -> Mteval:
    return mteval(
        folder / f"ref.{suffix}", folder / f"src.{suffix}", str(folder / f"tst.{suffix}"), **options
    )


def test_commands_print_the_same(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    files = [f"-{name[0]}={folder / name}.sgm" for name in ("ref", "src", "tst")]
    arguments = [part for file in files for part in (file[:2], file[3:])]
    assert main(["mteval-v14.pl", *arguments, "-d", "2"]) == 0
    lines = capfdbinary.readouterr().out.decode().split("\n")
    assert lines[0].startswith("MT evaluation scorer began on ")
    assert lines[1:3] == ["", f"command line:  mteval-v14 {' '.join(arguments)} -d 2"]
    assert "\n".join(lines[3:-3]) == PRINTED_14[:-1]
    assert lines[-3] == ""
    assert lines[-2].startswith("MT evaluation scorer ended on ")
    assert main(["mteval-v13a", *arguments, "-d", "1", "-b", "-c", "-intern", "--brev", "shortest"]) == 0
    lines = capfdbinary.readouterr().out.decode().split("\n")
    assert "\n".join([*lines[2:-2], ""]) == PRINTED_13A


def test_ngrams(folder: Path) -> None:
    """Level 3 shows each n-gram that matches; mteval-v14.pl printed these lines of a segment, in another order."""
    lines = report(evaluate(folder, metrics=["BLEU"]), detail=3).split("\n")
    first = lines.index("ref 'A', seg 9: two dogs .")
    assert lines[first : first + 5] == [
        "ref 'A', seg 9: two dogs .",
        "ref 'B', seg 9: a pair of dogs .",
        "sys 'ours', seg 9: dogs «2 . »",
        "4.75 info for each of 1 1-grams = 'dogs'",
        "2.75 info for each of 1 1-grams = '.'",
    ]


def test_matr_files(folder: Path) -> None:
    found = evaluate(folder)
    assert str(found) == report(found)
    write_matr_files(found, folder)
    bleu = found.systems["ours"].scores["BLEU"].score
    assert (folder / "BLEU-sys.scr").read_text() == f"demo\tours\t{bleu:.15g}\n"
    assert [line.split("\t")[:4] for line in (folder / "NIST-seg.scr").read_text().splitlines()] == [
        ["demo", "ours", *each]
        for each in (("first", "1"), ("first", "2"), ("second", "9"), ("second", "10"))
    ]


PARTS = [
    "a", "b", "A", "B", "É", "é", "x\u00a0y", ".", ",", "1.5", "2,", "1.", "(1)", "-", "3-", "end.", "K", '"hi"',
    "&quot;", "&QUOT;", "&amp;", "&Amp;lt;", "&lt;", "&apos;", "&amp;LT;", "<skipped>", "<SKIPPED>", "日本", "。",
    "\u00a0", "\u3000", "İ", "Σ", "Σα", "\u2028", "-\u2028", "\x85", "a\ufeff", "$", "1。", "٣.", "½", "-\n", "\n",
    "\t", "0", "0", "Ⅷ", "«", "»", "€5", "a\u0301", "\U0001f600", "a", "b", "c",
]  # fmt: skip


def random_text(generator: random.Random) -> str:
    words = generator.choices(PARTS, k=generator.choice([1, 2, 3, 5, 8, 13]))
    text = generator.choice([" ", " ", "  ", ""]).join(words)
    return generator.choice(["", " ", "\n", "\u00a0"]) + text + generator.choice(["", " ", "\n", "\u3000"])


def changed(generator: random.Random, text: str) -> str:
    if generator.random() < 0.3:
        return random_text(generator)
    words = text.split(" ")
    words[generator.randrange(len(words))] = generator.choice(PARTS)
    return " ".join(words)


def xml(tag: str, sets: dict[str, list[str]], attribute: str) -> str:
    """One document for each set."""
    found = []
    for name, texts in sets.items():
        segments = "".join(f'<seg id="{i}">{html.escape(text)}</seg>' for i, text in enumerate(texts, 1))
        start = f'<{tag} setid="s" srclang="x" trglang="y" {attribute}="{name}">'
        found.append(f'{start}<doc docid="d">{segments}</doc></{tag}>')
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>{"".join(found)}</mteval>'


def sgml(tag: str, sets: dict[str, list[str]], _: str) -> str:
    found = []
    for name, texts in sets.items():
        segments = "".join(f'<SEG ID="{i}">{text}</seg >\n' for i, text in enumerate(texts, 1))
        document = f'<Doc sysid="{name}" docid="d">\n{segments}</doc>'
        found.append(f'<{tag}\nsetid="s" srclang="x" trglang="y">{document}</{tag.upper()}>')
    return "".join(found)


def random_options(generator: random.Random) -> dict[str, Any]:
    flags = ("preserve_case", "international_tokenization", "split_non_ascii", "smoothing")
    return {
        "version": generator.choice(["13a", "14"]),
        "brevity_penalty": generator.choice(["closest", "shortest"]),
        **{flag: generator.random() < 0.5 for flag in flags},
    }


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["sgm", "xml"])
def test_random_sets(tmp_path: Path, suffix: str) -> None:
    generator = random.Random(suffix)
    write = xml if suffix == "xml" else sgml
    for _ in range(25):
        base = [random_text(generator) for _ in range(generator.choice([1, 3, 10]))]
        streams = [[changed(generator, text) for text in base] for _ in range(generator.choice([2, 2, 3]))]
        hypotheses, *references = streams
        for name, tag, attribute, sets in (
            ("src", "srcset", "n", {"n": base}),
            ("ref", "refset", "refid", {f"r{k}": texts for k, texts in enumerate(references)}),
            ("tst", "tstset", "sysid", {"t": hypotheses}),
        ):
            (tmp_path / f"{name}.{suffix}").write_text(
                write(tag, sets, attribute), encoding="utf-8", newline=""
            )
        options = random_options(generator)
        tokens = dict(options)
        rule, smoothing = tokens.pop("brevity_penalty"), tokens.pop("smoothing")
        words = []
        for texts in streams:
            read = texts
            if suffix == "sgm":
                read = [" ".join(oracle.perl_split(f"x{text}x"))[1:-1] for text in texts]
            words.append([oracle.mteval_words(text, **tokens) for text in read])
        rows = [oracle.mteval_row(each[0], each[1:], rule) for each in zip(*words, strict=True)]
        scores = evaluate(tmp_path, suffix, metrics=["BLEU"], **options).systems["t"]
        for segment, row in zip(scores.documents["d"].segments.values(), rows, strict=True):
            individual, cumulative = oracle.mteval_bleu(row, smoothing)
            assert segment["BLEU"].individual == tuple(individual)
            assert segment["BLEU"].cumulative == tuple(cumulative)
            assert (segment["BLEU"].words, segment["BLEU"].reference_length) == tuple(row[:2])
        total = [sum(column) for column in zip(*rows, strict=True)]
        assert scores.scores["BLEU"].cumulative == tuple(oracle.mteval_bleu(total, smoothing)[1])
        if not all(any(texts) for texts in zip(*words[1:], strict=True)):
            continue  # without words in a segment's references there is no NIST score
        value = oracle.information([text for texts in words[1:] for text in texts])
        segments = [(each[0], each[1:]) for each in zip(*words, strict=True)]
        found = evaluate(tmp_path, suffix, metrics=["NIST"], **options).systems["t"].scores["NIST"]
        assert found.cumulative == pytest.approx(oracle.mteval_nist(segments, value), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("src.sgm", "srcset", "srcsets_", "no 'srcset' element"),
        ("src.sgm", 'setid="demo"', "", "no tag attribute 'SetID'"),
        ("src.sgm", 'docid="second"', 'docid="first"', "duplicate 'DocID'"),
        ("src.sgm", "doc", "dog", "no documents in file"),
        ("src.sgm", '"German"', '"French"', r"SrcLang \('German'\) in file '.*' inconsistent"),
        ("ref.sgm", '"English"', '"Dutch"', r"TrgLang \('English'\) in file '.*' inconsistent"),
        ("tst.sgm", 'docid="second"', 'docid="first"', "duplicate 'DocID': document 'first' in file"),
        ("tst.sgm", 'docid="second"', 'docid="third"', "no document 'second' for system 'ours'"),
        ("tst.sgm", 'docid="second"', 'docid="0"', "no tag attribute 'DocID'"),
        ("ref.sgm", 'sysid="B"', 'sysid=""', "no tag attribute 'SysID'"),
        ("tst.sgm", '<seg id="9"> Dogs «2.» </seg>', "", "contains 1 segments"),
        ("tst.sgm", "seg", "sag", "no segments in document 'first'"),
        ("tst.sgm", 'setid="demo"', 'setid="other"', "Not the same 'setid' attribute values across files"),
        ("src.sgm", "ß", "\udcff", "line 3, byte offset .*: byte 0xff is not valid"),
    ],
)
def test_faulty_sgml(folder: Path, file: str, old: str, new: str, message: str) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_bytes(text.replace(old, new).encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=message):
        evaluate(folder)


def test_faulty_xml(tmp_path: Path) -> None:
    for name, tag, attribute in (
        ("src", "srcset", "n"),
        ("ref", "refset", "refid"),
        ("tst", "tstset", "sysid"),
    ):
        (tmp_path / f"{name}.xml").write_text(xml(tag, {name: ["a b c"]}, attribute), encoding="utf-8")
    assert evaluate(tmp_path, "xml").systems["tst"].scores["BLEU"].cumulative[2] == 1.0
    for file, old, message in (
        ("src.xml", "<srcset", "not valid XML"),
        ("tst.xml", ' id="1"', "no tag attribute 'id'"),
        ("ref.xml", 'refid="ref"', "no tag attribute 'RefID'"),
    ):
        text = (tmp_path / file).read_text(encoding="utf-8")
        (tmp_path / file).write_text(text.replace(old, ""), encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            evaluate(tmp_path, "xml")
        (tmp_path / file).write_text(text, encoding="utf-8")


def test_attributes_without_quotes(folder: Path) -> None:
    """Version 13a takes them, up to the next quote; version 14 does not."""
    expected = evaluate(folder, version="13a").systems["ours"].scores
    text = (folder / "tst.sgm").read_text(encoding="utf-8")
    (folder / "tst.sgm").write_text(text.replace('seg id="1"', "seg id=1"), encoding="utf-8")
    assert evaluate(folder, version="13a").systems["ours"].scores == expected
    with pytest.raises(ValueError, match="no tag attribute 'id'"):
        evaluate(folder)


def test_other_segment_ids_count_as_empty_references(folder: Path) -> None:
    text = (folder / "ref.sgm").read_text(encoding="utf-8")
    (folder / "ref.sgm").write_text(text.replace('id="9"', 'id="x9"'), encoding="utf-8")
    with pytest.warns(UserWarning, match="2 references have no segment of the translation's id"):
        found = evaluate(folder, metrics=["BLEU"])
    assert found.systems["ours"].documents["second"].segments["9"]["BLEU"].reference_length == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="no NIST score"):
            evaluate(folder)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"version": "12"}, ValueError, "version must be one of 13a, 14"),
        ({"brevity_penalty": "longest"}, ValueError, "brevity_penalty must be one of"),
        ({"preserve_case": "yes"}, TypeError, "preserve_case must be True or False"),
        ({"metrics": ["TER"]}, ValueError, "metrics must be some of NIST and BLEU"),
    ],
)
def test_bad_options(folder: Path, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        evaluate(folder, **options)


def test_nothing_to_score(folder: Path) -> None:
    text = (folder / "tst.sgm").read_text(encoding="utf-8")
    empty = re.sub("(<seg[^>]*>)[^<]*", r"\1", text)
    (folder / "tst.sgm").write_text(empty, encoding="utf-8")
    assert evaluate(folder).systems["ours"].scores["BLEU"].score == 0
    with pytest.raises(ValueError, match="takes the logarithm of 0"):
        report(evaluate(folder, version="13a"))


def run(*arguments: str, stdin: bytes = b"", folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "fastbleu.compat.moses", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=folder, env=os.environ, check=False)


@pytest.mark.slow
def test_lines_are_scored_as_the_scripts_do(tmp_path: Path) -> None:
    for name, text in (("ref0", "the cat sat"), ("ref1", "A cat sat"), ("more", "a cat")):
        (tmp_path / name).write_text(f"{text}\n")
    done = run("multi-bleu", "ref", stdin=b"a cat sat\n", folder=tmp_path)
    line = b"BLEU = 0.00, 66.7/50.0/0.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout) == (0, line)
    assert done.stderr.startswith(b"It is not advisable to publish scores from multi-bleu.perl.")
    done = run("multi-bleu.perl", "-lc", "ref", "more", "absent", stdin=b"a cat sat", folder=tmp_path)
    line = b"BLEU = 0.00, 100.0/100.0/100.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout) == (0, line)
    done = run("multi-bleu-detok", "ref", stdin=b"a cat sat", folder=tmp_path)
    line = b"BLEU = 0.00, 33.3/0.0/0.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, line, b"")


def test_exit_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Those of the scripts."""

    def status(stdin: bytes, *arguments: str) -> int:
        (tmp_path / "stdin").write_bytes(stdin)
        with (tmp_path / "stdin").open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            return main(arguments)

    (tmp_path / "ref").write_text("a b\n")
    (tmp_path / "blank").write_text("\n")
    (tmp_path / "empty").write_text("")
    ref, blank, empty = (str(tmp_path / name) for name in ("ref", "blank", "empty"))
    assert status(b"a b\n", "multi-bleu", ref) == 0
    assert status(b"", "multi-bleu", ref) == 1
    assert status(b"a\n", "multi-bleu", blank) == 1
    assert capfd.readouterr().out.endswith("BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)\n" * 2)
    assert status(b"a\n", "multi-bleu", str(tmp_path / "absent")) == 2
    assert capfd.readouterr().err == f"ERROR: could not find reference file {tmp_path / 'absent'}\n"
    assert status(b"a\n", "multi-bleu", empty) == 2
    assert status(b"\n", "multi-bleu", ref) == 255
    assert status(b"\xff\n", "multi-bleu-detok", ref) == 255
    capfd.readouterr()
    assert status(b"", "multi-bleu", "-lc") == 1
    assert capfd.readouterr().err.startswith("usage: multi-bleu.pl [-lc] reference < hypothesis\n")
    assert status(b"a b\nc\n", "multi-bleu-detok", ref) == 0
    assert capfd.readouterr().err.startswith("WARNING: 2 hypotheses, and 1 references")
    assert main([]) == 1
    assert main(["mteval-v14", "-r", "absent", "-s", "absent", "-t", "absent"]) == 2
    with pytest.raises(SystemExit) as ended:
        main(["mteval-v14", "-r", "absent"])
    assert ended.value.code == 255
    with pytest.raises(SystemExit) as ended:
        main(["mteval-v14", "--help"])
    assert ended.value.code == 0
