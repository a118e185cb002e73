"""Installing: which peers, before and after their import, for how long, and what the report says."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fastbleu
from fastbleu import patch
from fastbleu.patch.peers import PEERS


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def output(program: str) -> str:
    finished = run(program)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.strip()


def test_bad_names() -> None:
    with pytest.raises(ValueError, match=r"unknown peer 'sacreblue'; choose one of sacrebleu, nltk, "):
        patch.install("sacreblue")
    with pytest.raises(TypeError, match="peers must be names, not int: 3"):
        patch.uninstall(3)


def test_a_peer_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PEERS["nltk"], "distribution", "no-such-distribution")
    with pytest.raises(ModuleNotFoundError, match="nltk is not installed: pip install no-such-distribution"):
        patch.install("nltk")
    assert "nltk" not in patch.install().peers
    patch.uninstall()
    assert [line.state for line in patch.report() if line.peer == "nltk"] == ["not on this machine"]


def test_another_release_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nltk")
    monkeypatch.setattr(PEERS["nltk"], "releases", ("0.1", "0.2"))
    with pytest.warns(
        UserWarning, match=r"nltk [\d.]+ is left alone: fastbleu equals 0\.1 to 0\.2, and"
    ) as caught:
        assert patch.install("nltk").peers == ()
    assert caught[0].filename == __file__
    monkeypatch.setitem(PEERS, "nltk", PEERS["nltk"])
    if not PEERS["nltk"].replacements:
        assert [line.state for line in patch.report() if line.peer == "nltk"] == [
            "left alone: fastbleu equals 0.1 to 0.2"
        ]


BEFORE = """
import sys, fastbleu.patch
print("nltk" in sys.modules)
fastbleu.patch.install("nltk")
print(len([each for each in sys.meta_path if type(each).__module__.startswith("fastbleu")]), "nltk" in sys.modules)
import nltk
from nltk.translate.bleu_score import sentence_bleu
import nltk.translate.gleu_score
print(sentence_bleu([list("abcd")], list("abcd")), nltk.translate.bleu(["abcd"], "abcd"))
print(len([each for each in sys.meta_path if type(each).__module__.startswith("fastbleu")]))
print(type(nltk.translate.bleu_score.__loader__).__name__, type(nltk.translate.bleu_score.__spec__.loader).__name__)
print([(line.function.rpartition(".")[2], line.taken, line.left) for line in fastbleu.patch.report()
       if line.peer == "nltk" and line.taken])
"""


def test_before_the_import() -> None:
    pytest.importorskip("nltk")
    assert output(BEFORE).splitlines() == [
        "False",
        "1 False",
        "1.0 1.0",
        "0",
        "SourceFileLoader SourceFileLoader",
        "[('sentence_bleu', 2, 0)]",
    ]


BY_ANOTHER_FINDER = """
import sys, fastbleu.patch
from importlib.machinery import PathFinder
fastbleu.patch.install("nltk")
sys.meta_path.insert(0, PathFinder)  # as pytest puts its own there, which rewrites assertions
from nltk.translate.bleu_score import sentence_bleu
sys.meta_path.remove(PathFinder)
import wave  # the next module that is imported
sentence_bleu(["abcd"], "abcd")
print([line.taken for line in fastbleu.patch.report() if line.function.endswith("score.sentence_bleu")])
"""


def test_another_finder_brings_the_module() -> None:
    pytest.importorskip("nltk")
    assert output(BY_ANOTHER_FINDER) == "[1]"


AFTER = """
from nltk.translate.bleu_score import sentence_bleu as held, corpus_bleu
from functools import partial
bound = partial(held, weights=(1,))
import fastbleu.patch
code = held.__code__
with fastbleu.patch.install("nltk") as installed:
    print(installed, bound(["abcd"], "abcd"), held(["abcd"], "abcd"), corpus_bleu([["abcd"]], ["abcd"]))
    with fastbleu.patch.install("nltk") as again:
        print(again)
    print(held.__code__ is code)
    print([line.taken for line in fastbleu.patch.report() if line.peer == "nltk"][:2])
print(held.__code__ is code, {line.state for line in fastbleu.patch.report() if line.peer == "nltk"})
"""


def test_after_the_import() -> None:
    pytest.importorskip("nltk")
    assert output(AFTER).splitlines() == [
        "<fastbleu.patch of nltk> 1.0 1.0 1.0",
        "<fastbleu.patch of nothing>",
        "False",
        "[2, 1]",
        "True {'not installed'}",
    ]


def test_a_peer_that_is_waited_for_no_longer() -> None:
    pytest.importorskip("nltk")
    program = """
import sys, fastbleu.patch
fastbleu.patch.install("nltk")
print({line.state for line in fastbleu.patch.report() if line.peer == "nltk"})
fastbleu.patch.uninstall("nltk")
print([each for each in sys.meta_path if type(each).__module__.startswith("fastbleu")])
from nltk.translate.bleu_score import sentence_bleu
sentence_bleu(["abcd"], "abcd")
print([(line.state, line.taken) for line in fastbleu.patch.report() if line.peer == "nltk"])
"""
    assert output(program).splitlines() == ["{'waits for its import'}", "[]", "[('not installed', 0)]"]


def test_the_report_is_a_table() -> None:
    lines = str(patch.report()).splitlines()
    assert lines[0].split() == ["peer", "release", "function", "state", "by", "fastbleu", "by", "itself"]
    assert len(lines) == 1 + len(patch.report())


def test_ipython() -> None:
    installed = [name for name, peer in PEERS.items() if peer.is_equal]
    patch.load_ipython_extension(None)
    assert [name for name, peer in PEERS.items() if peer.is_installed] == installed
    patch.unload_ipython_extension(None)
    assert not any(peer.is_installed for peer in PEERS.values())
    assert fastbleu.patch is patch


def test_nothing_is_left_behind() -> None:
    pytest.importorskip("sacrebleu")
    program = """
import sys
import sacrebleu.metrics.bleu, nltk.translate.bleu_score
before = list(sys.meta_path), sys.path[:], sacrebleu.BLEU.corpus_score.__code__
import fastbleu.patch
with fastbleu.patch.install():
    sacrebleu.corpus_bleu(["a"], [["a"]])
print((list(sys.meta_path), sys.path[:], sacrebleu.BLEU.corpus_score.__code__) == before)
"""
    assert output(program) == "True"


def test_where_fastbleu_stands_in_the_place_of_a_peer() -> None:
    pytest.importorskip("sacrebleu")
    program = """
import sys, fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
import sacrebleu.metrics.bleu
import fastbleu.patch
fastbleu.patch.install("sacrebleu")
print(sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]]).score)
fastbleu.patch.uninstall()
"""
    assert output(program) == "100.00000000000004"


def test_a_module_that_is_imported_again() -> None:
    pytest.importorskip("nltk")
    program = """
import sys, importlib, fastbleu.patch
import nltk.translate.bleu_score as first
fastbleu.patch.install("nltk")
second = importlib.reload(first)
fastbleu.patch.install("nltk")
second.sentence_bleu(["abcd"], "abcd")
print(sum(line.taken for line in fastbleu.patch.report() if line.peer == "nltk"))
"""
    assert output(program) == "1"


def test_the_report_says_what_was_refused() -> None:
    pytest.importorskip("nltk")
    program = """
import fastbleu.patch
from nltk.translate.bleu_score import sentence_bleu
fastbleu.patch.install("nltk")
calls = []
def smoothing(p_n, **_):
    calls.append(1)
    raise RuntimeError("no")
try: sentence_bleu(["abcd"], "abcd", smoothing_function=smoothing)
except RuntimeError: pass
print(len(calls), [(line.taken, line.left) for line in fastbleu.patch.report() if line.peer == "nltk"][:2])
print(str(fastbleu.patch.report()).splitlines()[-1])
"""
    assert output(program).splitlines() == [
        "2 [(0, 1), (0, 0)]",
        "nltk.translate.bleu_score.sentence_bleu last left a call by itself: RuntimeError: no",
    ]
