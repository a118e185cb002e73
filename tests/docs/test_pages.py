"""The pages say what is so: links lead somewhere, commands print what is shown, and code parses.

The `>>>` examples are run by pytest itself, as doctests of the pages.
"""

import doctest
import os
import re
import shutil
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "benchmarks/*.md")
    for page in ROOT.glob(pattern)
    if "_build" not in page.parts
)
#: Pages whose commands need a package that may be missing.
NEEDS = {"docs/compare.md": "matplotlib", "docs/sacrebleu-options.md": "sacrebleu"}

#: Links, and pictures in a directive of MyST.
_LINK = re.compile(r"\]\(([^)\s]+)\)|^```\{image\} (\S+)", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A command, with the lines of a here-document up to END, and what it prints.
_COMMAND = re.compile(r"^\$ (.*<< 'END'\n(?:.*\n)*?END|.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return [body for kind, body in _FENCE.findall(text_of(page)) if kind == language]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    targets = [link or picture for link, picture in _LINK.findall(text_of(page))]
    for target in targets:
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.exists(), target
        if anchor:  # A heading's name, as GitHub and MyST write it.
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            names = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings]
            assert anchor in names, target


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_commands_print_what_is_shown(page: str, tmp_path: Path) -> None:
    if find_spec(NEEDS.get(page, "fastbleu")) is None:
        pytest.skip("a package is not installed that the page needs")
    for file in [*ROOT.glob("examples/*.de"), *ROOT.glob("examples/*.en")]:
        shutil.copy(file, tmp_path)
    scripts = sysconfig.get_path("scripts")
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for block in blocks(page, "console"):
        for command, shown in _COMMAND.findall(block):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            assert doctest.OutputChecker().check_output(shown, done.stdout, options), (
                f"{command}\n{done.stdout}"
            )


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_named_files_exist(page: str) -> None:
    named = re.findall(r"`([\w.]+/[\w./-]*\w)`", text_of(page))
    assert len(named) > 10
    elsewhere = "_native/_cython build/fuzz/findings newstest2021/references newstest2021/system-outputs"
    places = (ROOT, ROOT / "src" / "fastbleu")
    assert not [
        path
        for path in named
        if path not in elsewhere.split() and not any((place / path).exists() for place in places)
    ]


def test_the_index_of_changes_names_what_is_there() -> None:
    """In "`NAME` in `file.py`", the file contains the name."""
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", text_of("ARCHITECTURE.md"), re.MULTILINE)
    places = [entry for names in rows for entry in re.findall(r"`(\w+)`[^`]*? in `([\w/]+\.\w+)`", names)]
    assert len(places) > 15
    for name, path in places:
        files = [root / path for root in (ROOT, ROOT / "src" / "fastbleu") if (root / path).exists()]
        assert any(re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) for file in files), name


def test_every_extra_is_explained() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    table = text_of("docs/start.md").partition("| extra |")[2].partition("\n\n")[0]
    first_cells = "".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE))
    assert sorted(re.findall(r"`(\w+)`", first_cells)) == sorted(extras)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_code_parses(page: str) -> None:
    for block in blocks(page, "python"):
        compile(block, page, "exec")
