"""`fastbleu.compat.moses`: multi-bleu.perl and multi-bleu-detok.perl, as functions and as commands."""

import math
import pickle
import random
import re
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastbleu.compat.moses import MultiBLEUScore, multi_bleu, multi_bleu_detok
from fastbleu.compat.moses.__main__ import main
from fastbleu.compat.moses.lines import score_detokenized, score_words
from tests.support import oracle
from tests.support.processes import python
from tests.support.refusals import argument_error


def row(score: MultiBLEUScore) -> list[int]:
    return [score.hyp_len, score.ref_len, *score.correct, *score.total]


REFERENCES = [
    b'The cat\tsat on the mat .\nit rained , 1.5 inches\n\ncaf\xc3\xa9 au\xc2\xa0lait "bien" s\xe9r\x1cr\n',
    b"a cat sat on a mat .\nIt Rained 1.5 inches here &quot; .\nnothing\n",
]
HYPOTHESES = (
    b"the cat sat on a mat.\nIt rained , 1.5 Inches here\nsomething\n"
    b'CAF\xc3\xa9 au lait "bien" s\xe9r\x1cr\nno reference for this\n'
)
DETOKENIZED_REFERENCES = [
    'The cat\tsat on the mat.\nIt rained, 1.5 inches &amp; more\n\nΟΔΟΣ "bien" '.encode()
    + rb"s\xE9r &LT; 2-3 <skipped>"
    + b"\nlast line",
    b"A cat sat on a mat.\nIt Rained 1.5 inches &quot;here&quot;.\nnothing\n",
]
DETOKENIZED_HYPOTHESES = (
    'the cat sat on a mat.\nIt rained, 1.5 Inches & more\nsomething\nοδοσ\u00a0"bien" s\\xE9r &LT; 2-3\nlast lin.'
).encode()


def test_lines_that_the_scripts_printed() -> None:
    """At commit 3445289, under Perl 5.36: bytes that are not UTF-8, fewer references, a last line without a newline."""
    with pytest.warns(UserWarning, match="5 hypotheses, and 4, 3 references"):
        found = [score_words(HYPOTHESES, REFERENCES, lowercase) for lowercase in (False, True)]
    assert list(map(str, found)) == [
        "BLEU = 0.00, 54.5/35.3/23.1/11.1 (BP=0.000, ratio=0.002, hyp_len=22, ref_len=10016)",
        "BLEU = 0.00, 63.6/58.8/53.8/44.4 (BP=0.000, ratio=0.002, hyp_len=22, ref_len=10016)",
    ]
    with pytest.warns(UserWarning, match="5 hypotheses, and 5, 3 references"):
        found = [
            score_detokenized(DETOKENIZED_HYPOTHESES, DETOKENIZED_REFERENCES, lowercase)
            for lowercase in (False, True)
        ]
    assert list(map(str, found)) == [
        "BLEU = 80.31, 90.0/84.0/76.2/72.2 (BP=1.000, ratio=1.000, hyp_len=30, ref_len=30)",
        "BLEU = 79.65, 92.9/91.3/84.2/75.0 (BP=0.931, ratio=0.933, hyp_len=28, ref_len=30)",
    ]


def test_newstest(newstest: ModuleType) -> None:
    """Printed by the scripts."""
    hypotheses, streams = newstest.systems("en-de")["UF"], [newstest.references("en-de")["A"]]
    found = [
        str(score(hypotheses, streams, lowercase))
        for score in (multi_bleu, multi_bleu_detok)
        for lowercase in (False, True)
    ]
    assert found == [
        "BLEU = 24.13, 53.9/30.9/19.0/12.1 (BP=0.970, ratio=0.970, hyp_len=23828, ref_len=24557)",
        "BLEU = 24.49, 54.6/31.3/19.3/12.3 (BP=0.970, ratio=0.970, hyp_len=23828, ref_len=24557)",
        "BLEU = 28.47, 60.4/34.7/22.2/14.7 (BP=0.990, ratio=0.990, hyp_len=27693, ref_len=27970)",
        "BLEU = 28.84, 61.2/35.1/22.5/14.9 (BP=0.990, ratio=0.990, hyp_len=27693, ref_len=27970)",
    ]


BYTES = [bytes([i]) for i in range(256) if i != 10]
JUNK = [
    *(bytes([i]) for i in b"ab AB\t\x0b\x0c\r \x00\x1c\x1d\x1f\x85\xa0\xc2\xe3\x80\xc3\x89\xff.,-&;"), *BYTES,
]  # fmt: skip
PARTS = [
    "a", "b", "A", "B", "É", "é", ".", ",", "1.5", "2,", "-", "3-", "end.", '"hi"', "U.S.", "日本", "。", "K", "İ",
]  # fmt: skip
PARTS += ["&quot;", "&QUOT;", "&amp;", "&Amp;lt;", "&lt;", "&amp;LT;", "<skipped>", "<SKIPPED>", "Σ", "Σα"]
PARTS += ["\u00a0", "\u3000", "x\u00a0y", "\u2028", "\x85", "\x1c", "a\x1cb", "\ufeff", "\x00", "\r"]


def random_line(generator: random.Random, of_bytes: bool) -> bytes:
    if of_bytes:
        return b"".join(generator.choices(JUNK, k=generator.choice([0, 1, 3, 8, 15, 25])))
    words = generator.choices(PARTS, k=generator.choice([0, 1, 2, 3, 5, 8]))
    return generator.choice([" ", " ", "  ", "\t", ""]).join(words).encode()


def changed(generator: random.Random, line: bytes, of_bytes: bool) -> bytes:
    if generator.random() < 0.3:
        return random_line(generator, of_bytes)
    words = line.split(b" ")
    words[generator.randrange(len(words))] = generator.choice([b"a", b"B", b".", b"-"])
    return b" ".join(words)


def random_files(generator: random.Random, of_bytes: bool) -> list[list[bytes]]:
    """Hypotheses and one to three streams, which may have another length."""
    segments = generator.choice([0, 1, 2, 5, 20])
    base = [random_line(generator, of_bytes) for _ in range(segments + 2)]
    files = []
    for _ in range(generator.choice([2, 2, 3, 4])):
        lines = [changed(generator, line, of_bytes) for line in base]
        files.append(lines[: max(0, segments + generator.choice([0, 0, 0, 0, -2, -1, 1, 2]))])
    return files


# A slow, simple implementation by regular expressions and Counters. `fastbleu.compat.moses` was compared with the
# scripts at commit 3445289 of https://github.com/moses-smt/mosesdecoder, under Perl 5.36, over 1.2 million lines.


def line_of(counts: Sequence[int]) -> str:
    hyp_len, ref_len = counts[:2]
    if not ref_len:
        return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
    shares = [counts[1 + n] / counts[5 + n] if counts[5 + n] else 0 for n in range(1, 5)]
    penalty = math.exp(1 - ref_len / hyp_len) if hyp_len < ref_len else 1
    logs = [math.log(share) if share else -9999999999 for share in shares]
    score = penalty * math.exp((logs[0] + logs[1] + logs[2] + logs[3]) / 4)
    precisions = "/".join(f"{100 * share:.1f}" for share in shares)
    ratio = hyp_len / ref_len
    lengths = f"BP={penalty:.3f}, ratio={ratio:.3f}, hyp_len={hyp_len}, ref_len={ref_len}"
    return f"BLEU = {100 * score:.2f}, {precisions} ({lengths})"


def lower(text: str) -> str:
    """Character by character: Perl knows no final sigma."""
    return "".join(character.lower() for character in text)


def detokenized_words(text: str, lowercase: bool, is_reference: bool) -> list[str]:
    if lowercase and not is_reference:
        text = lower(text)
    text = oracle.separate_13a(text)
    if lowercase and is_reference:
        text = lower(text)
    # Perl splits as str.split does, but U+001C to U+001F are not white space.
    return [word for word in re.split(r"[^\S\x1c-\x1f]+", text) if word]


def expected_row(files: list[list[bytes]], detokenized: bool, lowercase: bool) -> list[int]:
    """Return 10 counts over all hypotheses; a segment lacks the references of streams that are too short.

    The scripts take a length of 9999 where all are too short.
    """
    words: list[list[Sequence[Any]]]
    if detokenized:
        words = [
            [detokenized_words(line.decode(), lowercase, k > 0) for line in lines]
            for k, lines in enumerate(files)
        ]
    else:
        words = [[(line.lower() if lowercase else line).split() for line in lines] for lines in files]
    hypotheses, *streams = words
    sums = [0] * 10
    for hypothesis, *references in list(zip_longest(hypotheses, *streams))[: len(hypotheses)]:
        present = [reference for reference in references if reference is not None]
        sums[0] += len(hypothesis)
        lengths = list(map(len, present)) or [9999]
        sums[1] += oracle.reference_length("closest", len(hypothesis), lengths)
        for n in range(1, 5):
            sums[1 + n] += (oracle.ngrams(hypothesis, n) & oracle.clipped(present, n)[-1]).total()
            sums[5 + n] += max(0, len(hypothesis) - n + 1)
    return sums


@pytest.mark.slow
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("kind", ["bytes", "text", "detokenized"])
def test_random_files(kind: str, lowercase: bool) -> None:
    generator = random.Random(kind)
    score: Any = score_detokenized if kind == "detokenized" else score_words
    for _ in range(60):
        files = random_files(generator, kind == "bytes")
        contents = [b"".join(line + b"\n" for line in lines) for lines in files]
        expected = expected_row(files, kind == "detokenized", lowercase)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not any(files[1:]):
                with pytest.raises(ValueError, match="no line"):
                    score(contents[0], contents[1:], lowercase)
            elif expected[1] and not expected[0]:
                with pytest.raises(ValueError, match="divides by 0"):
                    score(contents[0], contents[1:], lowercase)
            else:
                found = score(contents[0], contents[1:], lowercase)
                assert row(found) == expected
                assert str(found) == line_of(expected)


def test_str_bytes_and_other_sequences() -> None:
    hypotheses, streams = ["the café\u00a0au lait", "it\nrained"], [["the café\u00a0au lait", "it rains"]]
    expected = row(multi_bleu(hypotheses, streams))
    assert expected[0] == 5
    assert row(multi_bleu(tuple(hypotheses), (tuple(streams[0]),))) == expected
    encoded = [line.encode() for line in streams[0]]
    assert row(multi_bleu([hypotheses[0], hypotheses[1].encode()], [encoded])) == expected
    assert multi_bleu_detok(["well-\nknown"], [[b"wellknown"]]).correct == (1, 0, 0, 0)


def test_score() -> None:
    score = multi_bleu(["the cat sat on a mat"], [["the cat sat on the mat"]])
    assert row(score) == [6, 6, 5, 3, 2, 1, 6, 5, 4, 3]
    assert score.precisions == (100 * (5 / 6), 60.0, 50.0, 100 * (1 / 3))
    assert (score.brevity_penalty, score.ratio) == (1.0, 1.0)
    assert repr(score) == f"<MultiBLEUScore {score}>"
    assert row(pickle.loads(pickle.dumps(score))) == row(score)
    nothing = multi_bleu(["a"], [[""]])
    assert str(nothing) == "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)"
    assert (nothing.score, nothing.hyp_len) == (0.0, 1)
    with pytest.warns(UserWarning, match="0 hypotheses"):
        assert str(multi_bleu([], [["a"]])) == str(nothing)


def test_misshapen_input_is_scored_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="references") as caught:
        score = multi_bleu(["a b", "c", "d"], [["a b", "c", "d", "e"], ["x"]])
    assert row(score)[:2] == [4, 4]
    message = "3 hypotheses, and 4, 1 references: a hypothesis without references counts as if it had one of 9999 words"
    assert str(caught[0].message) == f"{message}; references after the last hypothesis are ignored"
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "place"),
    [
        ("abc", [["a"]], TypeError, "hypotheses"),
        (["a"], "abc", TypeError, "references"),
        (["a"], ["abc"], TypeError, "references[0]"),
        (["a"], [], ValueError, "references"),
        (["a", None], [["a", "b"]], TypeError, "hypotheses[1]"),
        (["a"], [["a"], [["b"]]], TypeError, "references[1][0]"),
    ],
)
@pytest.mark.parametrize("score", [multi_bleu, multi_bleu_detok])
def test_refusals(score: Any, hypotheses: Any, references: Any, error: type[Exception], place: str) -> None:
    with argument_error(error, place):
        score(hypotheses, references)


def test_text_must_be_utf_8_where_it_is_decoded() -> None:
    with argument_error(ValueError, "hypotheses"):
        multi_bleu_detok(["a", b"caf\xe9"], [["a", "b"]])
    with pytest.raises(
        ValueError, match=r"references\[1\] must be UTF-8; line 2 has a byte that is not valid"
    ):
        multi_bleu_detok(["a", "b"], [["a", "b"], ["a", b"caf\xe9"]])


@pytest.mark.slow
def test_lines_are_scored_as_the_scripts_do(tmp_path: Path) -> None:
    for name, text in (("ref0", "the cat sat"), ("ref1", "A cat sat"), ("more", "a cat")):
        (tmp_path / name).write_text(f"{text}\n")
    run = partial(python, "-m", "fastbleu.compat.moses", cwd=tmp_path)
    done = run("multi-bleu", "ref", stdin=b"a cat sat\n")
    line = "BLEU = 0.00, 66.7/50.0/0.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout) == (0, line)
    assert done.stderr.startswith("It is not advisable to publish scores from multi-bleu.perl.")
    done = run("multi-bleu.perl", "-lc", "ref", "more", "absent", stdin=b"a cat sat")
    line = "BLEU = 0.00, 100.0/100.0/100.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout) == (0, line)
    done = run("multi-bleu-detok", "ref", stdin=b"a cat sat")
    line = "BLEU = 0.00, 33.3/0.0/0.0/0.0 (BP=1.000, ratio=1.000, hyp_len=3, ref_len=3)\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, line, "")


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
