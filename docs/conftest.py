"""Every `>>>` example of these pages is run as a doctest, page by page, in a folder that holds the sample files."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

#: Pages whose examples need a package that may be missing.
NEEDS = {
    "arrow.md": "pyarrow",
    "columns.md": "pandas",
    "compare.md": "matplotlib",
    "coming-from/evaluate.md": "evaluate",
    "coming-from/torchmetrics.md": "torchmetrics",
    "patch.md": "nltk",
    "rewards/openrlhf.md": "torch",
}

collect_ignore = ["_build", *(page for page, package in NEEDS.items() if find_spec(package) is None)]


@pytest.fixture(autouse=True)
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own with a copy of the sample's text files."""
    for file in [*EXAMPLES.glob("*.de"), *EXAMPLES.glob("*.en")]:
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
