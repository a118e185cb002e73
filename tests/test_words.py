"""Faults of wording that came again and again do not come back: code, tests, documentation and messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".ci", ".github", "benchmarks", "docs", "examples", "src", "tests", "tools")
SUFFIXES = {".c", ".cff", ".css", ".h", ".jinja", ".js", ".md", ".pxd", ".py", ".pyi", ".pyx", ".sh", ".toml", ".yml"}
PYTHON = {".pxd", ".py", ".pyi", ".pyx"}

#: Faults in lines of any file, with what is better.
LINES = {
    "behind": (re.compile(r"\bbehind\b", re.IGNORECASE), "say 'after'"),
    "is no": (
        re.compile(
            r"(?<!\bthere )\b(?:is|are|was|were) no\b(?! longer| more\b| less\b| \w+er (?:than|to)\b)", re.IGNORECASE
        ),
        "say 'is not a', or 'there is no'",
    ),
}
#: Faults in the first words of a docstring, with what is better.
DOCSTRINGS = {
    "question": (re.compile(r"(?:What|Whether|Where|How|Of|That)\b"), "begin with a verb: 'Return whether ...'"),
    "context": (
        re.compile(r"(?:The same|Likewise|Also|As above|As there|Returns as above)\b|[^\n]*\blikewise\b"),
        "say it without the docstring before",
    ),
}
#: Files that may hold so many lines with a fault, because the words mean a place or are quoted.
ALLOWED: dict[tuple[str, str], int] = {
}


def files() -> Iterator[Path]:
    """Yield every text file of the repository but this one."""
    for path in [*ROOT.glob("*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]:
        if path.suffix in SUFFIXES and path.is_file() and path != Path(__file__) and "_build" not in path.parts:
            yield path


def docstrings(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring; in Cython each text in three quotes that begins a line."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[:1]
                if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                    yield body[0].lineno, str(body[0].value.value)
    else:
        for found in re.finditer(r'^ *[rb]?"""(.*)', text, re.MULTILINE):
            yield text.count("\n", 0, found.start()) + 1, found[1]


def faults(name: str) -> dict[str, list[str]]:
    """Return the places of a fault, by file."""
    found: dict[str, list[str]] = {}
    for path in files():
        text, place = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        if name in LINES:
            pattern = LINES[name][0]
            lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]
        elif path.suffix in PYTHON:
            pattern = DOCSTRINGS[name][0]
            lines = [(number, first) for number, first in docstrings(path, text) if pattern.match(first)]
        else:
            continue
        for number, line in lines:
            found.setdefault(place, []).append(f"{place}:{number}: {line.strip()[:100]}")
    return found


@pytest.mark.parametrize("name", [*LINES, *DOCSTRINGS])
def test_words(name: str) -> None:
    better = (LINES | DOCSTRINGS)[name][1]
    wrong = [
        line for place, lines in faults(name).items() if len(lines) > ALLOWED.get((name, place), 0) for line in lines
    ]
    assert not wrong, f"{len(wrong)} times; {better}:\n" + "\n".join(wrong)
