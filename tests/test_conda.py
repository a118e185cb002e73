"""The recipe for conda asks for what pyproject.toml asks for, and is one that rattler-build reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import fastbleu

REPOSITORY = Path(__file__).parents[1]
RECIPE = REPOSITORY / "conda" / "recipe.yaml"

pytestmark = pytest.mark.skipif(not RECIPE.is_file(), reason="the source distribution holds no recipe")


@pytest.fixture(scope="module")
def recipe() -> Any:
    return pytest.importorskip("yaml").safe_load(RECIPE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    settings: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return settings


def for_conda(requirements: list[str]) -> set[str]:
    """Requirements of pip as conda writes them: in small letters, the name apart from its versions."""
    return {re.sub(r"^([\w-]+)", r"\1 ", requirement).lower().strip() for requirement in requirements}


def test_the_recipe_builds_this_version_from_its_sdist(recipe: Any, project: dict[str, Any]) -> None:
    name = project["project"]["name"]
    assert recipe["context"] == {"version": fastbleu.__version__}
    assert recipe["package"] == {"name": name, "version": "${{ version }}"}
    file = f"{name.replace('-', '_')}-${{{{ version }}}}.tar.gz"
    assert recipe["source"]["url"] == f"https://pypi.org/packages/source/{name[0]}/{name}/{file}"
    assert re.fullmatch("[0-9a-f]{64}", recipe["source"]["sha256"])


def test_the_recipe_asks_for_the_same_packages(recipe: Any, project: dict[str, Any]) -> None:
    requirements = recipe["requirements"]
    assert set(requirements["run"]) == {"python", *for_conda(project["project"]["dependencies"])}
    build = for_conda(project["build-system"]["requires"])
    assert set(requirements["host"]) == {"python", "pip", *build}
    (cross,) = (each["then"] for each in requirements["build"] if isinstance(each, dict))
    assert build <= set(cross)
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert recipe["build"]["skip"] == f'match(python, "<{oldest}")'


def test_the_recipe_says_the_same_of_the_package(recipe: Any, project: dict[str, Any]) -> None:
    assert recipe["about"]["summary"] == project["project"]["description"]
    assert recipe["about"]["license"] == project["project"]["license"]
    licences = [REPOSITORY / each for each in recipe["about"]["license_file"]]
    assert all(each.is_file() for each in licences)
    # LICENSES/MIT.txt has the words of LICENSE.
    assert {each.name for each in licences} == {"LICENSE", "Unicode-3.0.txt"}


def test_the_recipe_tries_every_command_and_no_module_that_needs_an_extra(
    recipe: Any, project: dict[str, Any]
) -> None:
    modules, commands = (test.get("python") or test["script"] for test in recipe["tests"])
    for name in project["project"]["scripts"]:
        assert f"{name} --help" in commands
    assert modules["pip_check"] is True
    for name in modules["imports"]:
        assert (REPOSITORY / "src" / name.replace(".", "/") / "__init__.py").is_file(), name


def test_rattler_build_reads_the_recipe() -> None:
    rattler_build = pytest.importorskip("rattler_build", reason="the extra dev is not installed")
    variants = {"python": ["3.10.*", "3.14.*"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}
    rendered = rattler_build.Stage0Recipe.from_file(str(RECIPE)).render(rattler_build.VariantConfig(variants))
    recipes = [each.recipe.to_dict() for each in rendered]
    assert [each["build"]["string"][:5] for each in recipes] == ["py310", "py314"]
    assert all(each["package"]["version"] == fastbleu.__version__ for each in recipes)
