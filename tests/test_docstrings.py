"""Every example in a docstring does what it says, in the compiled modules too."""

from __future__ import annotations

import doctest
import importlib
import re
from types import ModuleType

import pytest

from tests.support.modules import SOURCES


def imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "fastbleu-metric[" not in str(error):
            raise
        pytest.skip(str(error))


#: Examples of these modules, and of those in them, need a package that is not needed to import them.
NEEDS = {
    "fastbleu.arrow": "pyarrow",
    "fastbleu.compat.evaluate.modules": "evaluate",
    "fastbleu.rewards.openrlhf": "torch",
    "fastbleu.rewards.repetition_clusters": "scipy",
}

#: Their packages take long to import.
SLOW = {"fastbleu.compat.evaluate.modules", "fastbleu.torch"}
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in SOURCES]


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_docstrings(name: str) -> None:
    for module, package in NEEDS.items():
        if f"{name}.".startswith(f"{module}."):
            pytest.importorskip(package)
    outcome = doctest.testmod(imported(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0, "see the output above"


@pytest.mark.parametrize("name", NAMES)
def test_no_example_is_overlooked(name: str) -> None:
    """`doctest` finds every example that stands in the source, in functions and classes of Cython too."""
    written = re.findall(r"^ *>>> (.*)$", SOURCES[name].read_text(encoding="utf-8"), re.MULTILINE)
    found = {
        example.source.splitlines()[0]
        for test in doctest.DocTestFinder().find(imported(name))
        for example in test.examples
    }
    # A backslash is written twice where a docstring is not raw.
    assert {line.replace("\\\\", "\\") for line in written} == found
