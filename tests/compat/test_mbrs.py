"""The plug-in of mbrs without mbrs: where it is, and what its options become. `parity` has the comparison."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.compat.mbrs import plugin_directory
from fastbleu.compat.mbrs.mbrs_options import metric_of
from tests.support.processes import python


@pytest.mark.slow
def test_the_directory_stands_alone() -> None:
    directory = Path(plugin_directory())
    assert (directory / "__init__.py").exists()
    # mbrs puts the directory above on the path of modules: nothing there may hide a module of another name.
    assert {path.name for path in directory.parent.iterdir()} - {"__pycache__"} == {
        "__init__.py",
        "fastbleu_mbrs",
    }
    assert os.path.samefile(python("-m", "fastbleu.compat.mbrs").stdout.strip(), directory)


def test_options() -> None:
    options: dict[str, Any] = dict.fromkeys(("lowercase", "force", "effective_order"), True)
    options |= {"tokenize": None, "trg_lang": "zh", "smooth_method": "floor", "smooth_value": 0.5}
    options |= {"max_ngram_order": 3, "num_workers": 8}
    metric = metric_of(SimpleNamespace(**options))
    signature = str(metric.signature_for(1)).rpartition("|version")[0]
    assert signature == "nrefs:1|case:lc|eff:yes|tok:zh|smooth:floor[0.50]"
