"""Test sets and TER on the command line, with a stand-in for sacreBLEU: what is called, said and refused."""

from __future__ import annotations

import logging
import sys
import urllib.error
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.support.commands import run, write_lines

logger = logging.getLogger("sacrebleu")


@pytest.fixture(autouse=True)
def sacrebleu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package `sacrebleu` with the test sets `one` and `two`, in a working directory with a system `s`."""
    write_lines(s=["a b c d", "e f g h"], r1=["a b c d", "e f g x"], r2=["a b c y", "z"])
    pairs = {"en-de": ["x"], "en-fr": ["y"]}
    citations = {"two": None, "one": "@article{one}"}
    sets = {name: SimpleNamespace(langpairs=pairs, citation=text) for name, text in citations.items()}
    utils: Any = ModuleType("sacrebleu.utils")
    utils.Color = SimpleNamespace(ENABLE_COLORS=True)
    utils.get_reference_files = lambda name, _: ["r1"] if name == "one" else ["r2"]
    utils.downloaded = []
    utils.download_test_set = lambda *given: utils.downloaded.append(given)
    utils.print_test_set = print
    dataset: Any = ModuleType("sacrebleu.dataset")
    dataset.DATASETS = sets
    package: Any = ModuleType("sacrebleu")
    package.__path__ = []
    package.utils, package.dataset = utils, dataset
    for module in (package, utils, dataset):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return package


def refused(arguments: str) -> str:
    """The message, which must be one line, with nothing on standard output."""
    status, output, messages = run(arguments)
    assert (status, output) == (1, "")
    assert messages.startswith("fastbleu: ")
    assert messages.count("\n") == 1
    return messages.removeprefix("fastbleu: ").rstrip()


def test_what_else_is_shown_and_downloaded(sacrebleu: Any) -> None:
    assert run("--citation -t one") == (0, "@article{one}\n", "")
    assert run("--cite -t two,one") == (
        0, "@article{one}\n", "fastbleu: No citation found for two\n"
    )  # fmt: skip
    assert run("--download one") == (0, "", "")
    assert run("--download two -l en-fr") == (0, "", "")
    assert sacrebleu.utils.downloaded == [("one", "en-de"), ("one", "en-fr"), ("two", "en-fr")]
    assert run("-t one,two -l en-de --echo src ref -ol en") == (
        0, "one en-de ['src', 'ref'] en None\ntwo en-de ['src', 'ref'] en None\n", ""
    )  # fmt: skip


def test_references_that_do_not_fit(sacrebleu: Any) -> None:
    sacrebleu.utils.get_reference_files = lambda name, _: ["r1"] if name == "one" else ["r1", "r2"]
    assert refused("-t one,two -l en-de -i s") == (
        "test sets have different numbers of references: one has 1, two has 2"
    )
    sacrebleu.utils.get_reference_files = lambda *_: []
    assert refused("-t one -l en-de -i s") == "test set 'one' has no references for en-de"
    sacrebleu.utils.get_reference_files = lambda *_: ["r1"]
    sacrebleu.utils.filter_subset = lambda *_: [[0, 1, 2]]
    assert refused("-t one -l en-de -i s -ol en") == (
        "s has 2 lines, fewer than there are documents for in one"
    )
    sacrebleu.utils.filter_subset = lambda *_: [[]]
    assert refused("-t one -l en-de -i s -ol en --subset x") == (
        "test set 'one' has no segment with --origlang en and --subset x"
    )


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Exception("no such thing"), "no such thing"),
        (KeyError("x"), "KeyError: 'x'"),
        (FileNotFoundError(2, "No such file or directory", "x.sgm"), "x.sgm: No such file or directory"),
        (urllib.error.URLError(OSError(-2, "Unknown")), "its server cannot be reached: Unknown"),
    ],
)
def test_what_goes_wrong_is_one_line(sacrebleu: Any, error: Exception, message: str) -> None:
    def fail(*_: object) -> None:
        raise error

    sacrebleu.utils.get_reference_files = fail
    assert refused("-t one -l en-de -i s") == f"cannot read test set one: {message}"


def test_what_is_logged_is_said(sacrebleu: Any) -> None:
    def end(*_: object) -> None:
        logger.info("Downloading it")
        logger.warning("It is large")
        logger.error("It is broken.")
        logger.error("Delete it.\n")
        sys.exit(1)

    sacrebleu.utils.download_test_set = end
    said = ["fastbleu: Downloading it", "fastbleu: It is large", "fastbleu: It is broken; Delete it"]
    status, _, messages = run("--download one")
    assert (status, messages.splitlines()) == (1, said)
    status, _, messages = run("--download one -q")
    assert (status, messages.splitlines()) == (1, said[1:])
    assert logger.handlers == []
    assert logger.propagate


@pytest.mark.parametrize(
    ("arguments", "purpose"),
    [
        ("-t one -l en-de -i s", "a test set"),
        ("--list", "a test set"),
        ("--download one", "a test set"),
        ("r1 -i s -m bleu ter", "the metric ter"),
    ],
)
def test_without_sacrebleu(monkeypatch: pytest.MonkeyPatch, arguments: str, purpose: str) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    for name in [name for name in sys.modules if name.startswith("sacrebleu.")]:
        monkeypatch.delitem(sys.modules, name)
    assert refused(arguments) == (
        f'{purpose} needs the module sacrebleu: pip install "fastbleu-metric[sacrebleu]"'
    )


def test_paired_tests_and_details_need_no_sacrebleu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    assert run("r1 -i s r2 -par -parn 5 -q")[0] == 0
    status, output, _ = run("r1 -i s -d")
    assert status == 0
    assert output.endswith("\nNo subset information found. Consider using --origlang argument.\n")
