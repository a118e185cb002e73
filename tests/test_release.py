"""A release relies on one version, and on workflows that run only what is pinned."""

import re
from pathlib import Path

import pytest

import fastbleu

REPOSITORY = Path(__file__).parents[1]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="the source distribution holds no workflows")


def test_the_citation_names_the_version() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [fastbleu.__version__]


def test_the_changelog_begins_with_the_version() -> None:
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.findall(r"^## (\S+) \((.*)\)$", changelog, re.MULTILINE)[0]
    assert version == fastbleu.__version__
    if date != "unreleased":  # only then does the repository have a public address
        tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert {"Source", "Documentation", "Changelog", "Issues"} <= set(project.get("urls", ()))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_their_hash(workflow: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", workflow.read_text(encoding="utf-8"))
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), (action, comment)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_begin_with_the_right_to_read(workflow: Path) -> None:
    top = workflow.read_text(encoding="utf-8").partition("\njobs:")[0]
    assert "\npermissions:\n  contents: read\n" in top


def test_the_docs_name_each_system_and_processor_of_the_wheels() -> None:
    text = (REPOSITORY / ".github/workflows/wheels.yml").read_text(encoding="utf-8")
    start = (REPOSITORY / "docs/start.md").read_text(encoding="utf-8")
    systems = re.findall(r"^        system: \[(.*)\]$", text, re.MULTILINE)[0].split(", ")
    assert {system.partition("-")[0] for system in systems} == {"ubuntu", "macos", "windows"}
    assert all(f"| {system}" in start for system in ("Linux", "macOS", "Windows"))
    (emulated,) = re.findall(r"^        processor: \[(.*)\]$", text, re.MULTILINE)
    assert f"| Linux, with glibc or musl | {emulated} | 3.12 to 3.14 |" in start
    assert "CIBW_BUILD: cp31{2,3,4}-*" in text
