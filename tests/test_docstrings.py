"""Every example in a docstring does what it says, in the compiled modules too."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fastbleu

MODULES = [
    "fastbleu",
    *(
        module.name
        for module in pkgutil.walk_packages(fastbleu.__path__, "fastbleu.")
        if not module.name.endswith("__main__")
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "fastbleu-metric[" not in str(error):
            raise
        pytest.skip(str(error))
    outcome = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0, "see the output above"
