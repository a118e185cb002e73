"""Distributions: the same bytes from the same files, whose licences are known."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
SETUP = REPOSITORY / "setup.py"
# The wheel that this environment's fastbleu is compared with; `.ci/run` names the one that it built elsewhere.
WHEEL = os.environ.get("FASTBLEU_WHEEL", "")

has_builder = all(importlib.util.find_spec(name) for name in ("build", "Cython", "setuptools"))


def pack(folder: Path, time: int) -> dict[str, bytes]:
    """Builds both distributions of a copy with one compiled module; the sources get the given time."""
    needed = "LICENSE LICENSES MANIFEST.in README.md pyproject.toml setup.py src"
    for name in needed.split():
        source = REPOSITORY / name
        if source.is_dir():
            leave_out = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
            shutil.copytree(source, folder / name, ignore=leave_out)
        else:
            shutil.copy(source, folder / name)
    for path in folder.rglob("*"):
        if path.suffix == ".pyx" and path.name != "_hashing.pyx":
            path.unlink()
        elif path.is_file():
            os.utime(path, (time, time))
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", "dist"],
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        check=True,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in (folder / "dist").iterdir()}


@pytest.mark.nightly
@pytest.mark.skipif(not SETUP.is_file(), reason="needs setup.py of the repository")
@pytest.mark.skipif(not has_builder, reason="needs build, Cython and setuptools")
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_sdist_and_wheel_are_the_same_from_another_folder_and_another_day(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "of" / "another" / "name"
    first.mkdir()
    second.mkdir(parents=True)
    built, again = pack(first, 1_600_000_000), pack(second, 1_750_000_000)
    assert sorted(name.rpartition(".")[2] for name in built) == ["gz", "whl"]
    assert built.keys() == again.keys()
    for name, content in built.items():
        assert hashlib.sha256(content).hexdigest() == hashlib.sha256(again[name]).hexdigest(), name
    (wheel,) = (tmp_path / "first" / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as members:
        compiled = [name for name in members.namelist() if name.endswith((".so", ".pyd"))]
    assert sorted(Path(name).name.partition(".")[0] for name in compiled) == ["_cython", "_hashing"]


@pytest.mark.skipif(not WHEEL, reason="FASTBLEU_WHEEL names no wheel to compare with")
def test_the_wheel_holds_what_was_installed_from_another_folder() -> None:
    installed = distribution("fastbleu-metric")
    with zipfile.ZipFile(WHEEL) as members:
        names = [name for name in members.namelist() if name.startswith("fastbleu/")]
        assert sum(name.endswith(".so") for name in names) > 40
        different = [
            name
            for name in names
            if Path(str(installed.locate_file(name))).read_bytes() != members.read(name)
        ]
    assert different == []


@pytest.mark.skipif(not WHEEL, reason="FASTBLEU_WHEEL names no wheel to look into")
def test_nothing_stands_in_the_wheel_twice() -> None:
    with zipfile.ZipFile(WHEEL) as members:
        times = Counter(map(members.read, members.namelist()))
    twice = {content for content, number in times.items() if number > 1}
    assert twice <= {b""}


@pytest.mark.skipif(not (REPOSITORY / "REUSE.toml").is_file(), reason="needs REUSE.toml of the repository")
def test_the_text_of_each_licence_is_there() -> None:
    declared = re.findall(
        r'^SPDX-License-Identifier = "(.+)"$', (REPOSITORY / "REUSE.toml").read_text(), re.MULTILINE
    )
    identifiers = {identifier for expression in declared for identifier in expression.split(" AND ")}
    assert (
        {path.stem for path in (REPOSITORY / "LICENSES").iterdir()} == identifiers == {"MIT", "Unicode-3.0"}
    )
    assert (REPOSITORY / "LICENSES" / "MIT.txt").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()
    try:
        metadata = distribution("fastbleu-metric").metadata
    except PackageNotFoundError:
        pytest.skip("fastbleu is not installed, and so has no metadata")
    # None: installed by an older setuptools.
    assert metadata["License-Expression"] in (None, "MIT AND Unicode-3.0")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    settings: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return settings


def test_the_index_is_told_which_pythons_have_wheels(project: dict[str, Any]) -> None:
    classifiers = project["project"]["classifiers"]
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(classifiers), re.MULTILINE)
    built = re.fullmatch(r"cp3\{([\d,]+)\}-\*", project["tool"]["cibuildwheel"]["build"][0])
    assert built is not None
    assert named == [f"3.{minor}" for minor in built[1].split(",")]
    assert project["project"]["requires-python"] == f">={named[0]}"


def test_the_index_can_find_it_by_what_it_computes(project: dict[str, Any]) -> None:
    assert {"BLEU", "chrF", "sacreBLEU", "machine translation"} <= set(project["project"]["keywords"])


def test_the_index_knows_the_classifiers_and_the_licence(project: dict[str, Any]) -> None:
    licenses = pytest.importorskip("packaging.licenses", reason="needs packaging>=24.2")
    expression = project["project"]["license"]
    assert licenses.canonicalize_license_expression(expression) == expression
    # With an expression the index refuses classifiers of licences.
    assert not any(each.startswith("License ::") for each in project["project"]["classifiers"])
    known = pytest.importorskip("trove_classifiers", reason="the extra dev is not installed").classifiers
    assert set(project["project"]["classifiers"]) <= known
