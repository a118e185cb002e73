"""Every example in a docstring does what it says, in the compiled modules too."""

import doctest
import importlib
import re
from importlib.util import find_spec
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


#: Packages that modules, or their examples, need. The names of modules are prefixes.
NEEDS = {
    "fastbleu.arrow": "pyarrow",
    "fastbleu.compat.evaluate.metrics": "datasets",
    "fastbleu.compat.evaluate.modules": "evaluate",
    "fastbleu.compat.mbrs.metric": "mbrs",
    "fastbleu.compat.mbrs.plugins": "mbrs",
    "fastbleu.compat.torchmetrics": "torchmetrics",
    "fastbleu.rewards.openrlhf": "torch",
    "fastbleu.rewards.repetition_clusters": "scipy",
    "fastbleu.torch": "torch",
}

#: Their packages take long to import.
SLOW = {"fastbleu.compat.evaluate.modules", "fastbleu.torch"}
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW))
    for name in SOURCES
    if all(find_spec(package) for module, package in NEEDS.items() if name.startswith(module))
]


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_docstrings(name: str) -> None:
    outcome = doctest.testmod(imported(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0, "see the output above"


@pytest.mark.parametrize("name", NAMES)
def test_no_example_is_overlooked(name: str) -> None:
    """`doctest` finds every example in the source, also in functions and classes of Cython."""
    written = re.findall(r"^ *>>> (.*)$", SOURCES[name].read_text(encoding="utf-8"), re.MULTILINE)
    found = {
        example.source.splitlines()[0]
        for test in doctest.DocTestFinder().find(imported(name))
        for example in test.examples
    }
    # A backslash is written twice where a docstring is not raw.
    assert {line.replace("\\\\", "\\") for line in written} == found
