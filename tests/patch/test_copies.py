"""Copies of a peer's modules inside programs: those of known releases are replaced, changed ones are left alone."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.patch.peers import PEERS

pytestmark = pytest.mark.slow

NLTK = pytest.importorskip("nltk.translate.bleu_score", reason="NLTK is not installed")

Copied = Callable[..., Any]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Copied]:
    """Copies a module's source, with changes, under another name, and imports that."""
    names = []

    def copy(module: ModuleType, name: str, **changes: str) -> Any:
        assert module.__file__ is not None
        source = Path(module.__file__).read_text(encoding="utf-8")
        for old, new in changes.items():
            assert old in source
            source = source.replace(old, new)
        (tmp_path / f"{name}.py").write_text(f"# A copy.\n{source}", encoding="utf-8")
        names.append(name)
        return import_module(name)

    monkeypatch.syspath_prepend(tmp_path)
    yield copy
    patch.uninstall()
    for name in names:
        sys.modules.pop(name, None)
        for peer in PEERS.values():
            for function in [each for each in peer.copies if each.__module__ == name]:
                del peer.copies[function], peer.replacements[function]


def calls_of(name: str) -> dict[str, tuple[str, int, int]]:
    lines = [line for line in patch.report() if line.function.startswith(f"{name}.")]
    return {line.function.partition(".")[2]: (line.release, line.taken, line.left) for line in lines}


def scores(module: Any) -> list[float]:
    references, hypothesis = (
        [["the", "cat", "is", "on", "the", "mat"]],
        ["the", "cat", "sat", "on", "the", "mat"],
    )
    smoothing = module.SmoothingFunction()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            module.sentence_bleu(references, hypothesis),
            module.sentence_bleu(references, hypothesis, (0.5, 0.5), smoothing.method1),
            module.corpus_bleu([references], [hypothesis], (0.5, 0.5)),
            *(
                module.sentence_bleu(
                    references, hypothesis, smoothing_function=getattr(smoothing, f"method{i}")
                )
                for i in range(1, 8)
            ),
        ]


@pytest.mark.parametrize("is_first", [False, True])
def test_a_copy_of_nltks_module(copied: Copied, is_first: bool) -> None:
    if is_first:
        module = copied(NLTK, "vendored_bleu")
    patch.install("nltk")
    if not is_first:
        module = copied(NLTK, "vendored_bleu")
    found = scores(module)
    calls = calls_of("vendored_bleu")
    release, taken, left = calls["sentence_bleu"]
    assert release in {"copy of 3.9.1 to 3.9.4", "copy of 3.10.0 to 3.10.4"}
    assert (taken, left, calls["corpus_bleu"][1:]) == (9, 0, (1, 0))
    patch.uninstall()
    assert scores(module) == found == scores(NLTK)
    assert calls_of("vendored_bleu") == calls


@pytest.mark.parametrize(
    "changes",
    [
        {"hyp_lengths += hyp_len": "hyp_lengths += hyp_len + 1"},
        {"if hyp_len > closest_ref_len:": "if hyp_len >= closest_ref_len + 1:"},
        {"self.epsilon = epsilon": "self.epsilon = 0.2"},
    ],
    ids=["corpus_bleu", "brevity_penalty", "smoothing"],
)
def test_a_changed_copy_is_left_alone(copied: Copied, changes: dict[str, str]) -> None:
    module = copied(NLTK, "changed_bleu", **changes)
    own = scores(module)
    patch.install("nltk")
    assert scores(module) == own
    assert calls_of("changed_bleu") == {}


def test_a_copy_with_another_smoothing_function(copied: Copied) -> None:
    module = copied(
        NLTK, "smoothed_bleu", **{"p_i.numerator + self.epsilon": "p_i.numerator + 2 * self.epsilon"}
    )
    own = scores(module)
    patch.install("nltk")
    assert scores(module) == own
    assert calls_of("smoothed_bleu")["sentence_bleu"][1:] == (9, 0)


@pytest.mark.usefixtures("copied")
def test_a_module_of_a_program_that_takes_one_class_of_nltk() -> None:
    sys.modules["own_bleu"] = module = ModuleType("own_bleu")
    vars(module)["SmoothingFunction"] = NLTK.SmoothingFunction
    try:
        patch.install("nltk")
    finally:
        del sys.modules["own_bleu"]
    assert calls_of("own_bleu") == {}


def test_other_peers_copies(copied: Copied) -> None:
    patch.install("sacrebleu")
    copied(NLTK, "vendored_bleu")
    assert calls_of("vendored_bleu") == {}


def test_copies_of_pycocoevalcap(copied: Copied, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="pycocoevalcap is not installed")
    references = {1: ["a man rides a horse", "a man on a horse"], 2: ["two dogs run"]}
    captions = {1: ["a man rides horse"], 2: ["two dogs"]}
    wanted = theirs.Bleu().compute_score(references, captions)
    printed = capsys.readouterr().out
    patch.install()
    copied(sys.modules["pycocoevalcap.bleu.bleu_scorer"], "bleu_scorer")
    loud = copied(theirs, "loud_bleu", **{"from .bleu_scorer": "from bleu_scorer"})
    assert loud.Bleu().compute_score(references, captions) == wanted
    assert capsys.readouterr().out == printed
    changes = {
        "from .bleu_scorer": "from bleu_scorer",
        "res, verbose=1": "res",
        "verbose=verbose": "verbose=0",
    }
    quiet = copied(theirs, "quiet_bleu", **changes)
    assert quiet.Bleu().compute_score(references, captions) == wanted
    assert capsys.readouterr().out == ""
    assert calls_of("quiet_bleu") == {"Bleu.compute_score": ("copy of 1.2", 1, 0)}
    copied(
        sys.modules["pycocoevalcap.bleu.bleu_scorer"],
        "silent_bleu_scorer",
        **{
            "if verbose > 0:": "# if verbose > 0:",
            "    print(totalcomps)": "    # print(totalcomps)",
            '    print("ratio:", ratio)': '    # print("ratio:", ratio)',
        },
    )
    silent = copied(theirs, "silent_bleu", **{"from .bleu_scorer": "from silent_bleu_scorer"})
    assert silent.Bleu().compute_score(references, captions) == wanted
    assert capsys.readouterr().out == ""
    assert calls_of("loud_bleu") == {"Bleu.compute_score": ("copy of 1.2", 1, 0)}
    assert calls_of("silent_bleu") == {"Bleu.compute_score": ("copy of 1.2, without its output", 1, 0)}


@pytest.mark.parametrize(("rule", "is_known"), [("closest", True), ("shortest", False)])
def test_a_programs_folder_of_the_name_of_a_peer(tmp_path: Path, rule: str, is_known: bool) -> None:
    theirs = pytest.importorskip("pycocoevalcap.bleu.bleu", reason="pycocoevalcap is not installed")
    folder = tmp_path / "pycocoevalcap" / "bleu"
    folder.mkdir(parents=True)
    (tmp_path / "pycocoevalcap" / "__init__.py").touch()
    for path in Path(theirs.__file__).parent.glob("*.py"):
        source = path.read_text(encoding="utf-8").replace("option='closest', v", f"option='{rule}', v")
        (folder / path.name).write_text(source, encoding="utf-8")
    program = (
        "from pycocoevalcap.bleu.bleu import Bleu\n"
        "print(Bleu(1).compute_score({1: ['a', 'a b c d']}, {1: ['a b c']}))"
    )

    def run(*options: str) -> tuple[str, str]:
        command = [sys.executable, *options, "-c", program]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    printed, report = run("-m", "fastbleu.patch", "--report")
    assert printed == run()[0]
    assert ("copy of 1.2" in report) == is_known
