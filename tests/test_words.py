"""Faults of wording that came again and again stay out of code, tests, documentation and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".ci", ".github", "benchmarks", "docs", "examples", "src", "tests", "tools")
CYTHON_AND_PYTHON = {".pxd", ".py", ".pyi", ".pyx"}
OTHERS = {".c", ".cff", ".css", ".h", ".jinja", ".js", ".md", ".sh", ".toml", ".yml"}

#: A pattern for each fault, and what is better. The last two are for the first line of a docstring.
FAULTS = {
    "behind": (re.compile(r"\bbehind\b", re.IGNORECASE), "after"),
    "is no": (
        re.compile(
            r"(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|\w+er than)\b)", re.IGNORECASE
        ),
        "is not a, or: there is no",
    ),
    "tells": (
        re.compile(r"(?<!it )(?<!\.)\btells?[.;)](?!\w)|\bnobody (?:asks|knows)\b"),
        "the thing that acts, with its object: see `nbytes`, by the first line, unknown",
    ),
    "of": (
        re.compile(r"^ *#:? Of |\b(?:every|of|at least|that) so many\b|(?<!than )(?<!from )\bthat which\b"),
        "a subject first: the height of a label, if two are equal, this many",
    ),
    "question": (
        re.compile(r'^ *[rb]?"""(?:What|Whether|Where|How|Of|That)\b'),
        "a verb first (Return whether ...), or a noun",
    ),
    "context": (
        re.compile(r'^ *[rb]?"""(?:(?:The same|Also|As above|And)\b|.*\blikewise\b)', re.IGNORECASE),
        "a docstring that does not need the one before",
    ),
}


@cache
def texts() -> dict[str, str]:
    """Return every text of the repository but this one, by its path."""
    paths = [*ROOT.glob("*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.suffix in CYTHON_AND_PYTHON | OTHERS and path != Path(__file__) and "_build" not in path.parts
    }


def places(fault: str) -> Iterator[str]:
    """Yield each line with a fault, and its place."""
    pattern, _ = FAULTS[fault]
    is_for_docstrings = fault in ("question", "context")
    for path, text in texts().items():
        if is_for_docstrings and Path(path).suffix not in CYTHON_AND_PYTHON:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()}"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_wording(fault: str) -> None:
    found = list(places(fault))
    assert not found, f"better: {FAULTS[fault][1]}\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        ("behind", "one Behind the other"),
        ("is no", "a list is no str"),
        ("tells", "None: the first line tells."),
        ("tells", "0 if nobody knows"),
        ("of", "    # Of two that are equal, the first."),
        ("of", "hypotheses of at least so many tokens"),
        ("question", '    """Whether it is so."""'),
        ("context", 'r"""The same for ids.'),
        ("context", '"""Adds the option, likewise."""'),
    ],
)
def test_faults_are_found(fault: str, line: str) -> None:
    assert FAULTS[fault][0].search(line)
    for fine in ("there is no list", "it is no longer so", '"""Return whether it is so."""', "What it is"):
        assert not FAULTS[fault][0].search(fine)
