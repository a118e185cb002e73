"""The site is built without a warning, and describes every public name."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the extra docs is not installed")
pytest.importorskip("furo", reason="the extra docs is not installed")
pytest.importorskip("myst_parser", reason="the extra docs is not installed")
pytest.importorskip("sphinx_copybutton", reason="the extra docs is not installed")

import fastbleu.compat
from tests.support.processes import python

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = (
    "fastbleu",
    "fastbleu.compare",
    "fastbleu.engines.duckdb",
    "fastbleu.engines.polars",
    "fastbleu.patch",
    "fastbleu.rerank",
    "fastbleu.rewards",
    *(f"fastbleu.compat.{module.name}" for module in pkgutil.iter_modules(fastbleu.compat.__path__)),
)


def test_every_public_name_is_described_and_nothing_is_warned_of(tmp_path: Path) -> None:
    done = python("-m", "sphinx", "-W", "--keep-going", "-q", DOCS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'href="explain-a-score/index.html"' in (tmp_path / "browser.html").read_text(encoding="utf-8")
    extra = DOCS / "extra/explain-a-score"
    assert {each.name for each in (tmp_path / extra.name).iterdir()} == {
        each.name for each in extra.iterdir()
    }
    inventory = (tmp_path / "objects.inv").read_bytes().split(b"\n", 4)[-1]  # after four lines of comments
    described = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            if "fastbleu-metric[" not in str(error):
                raise
            continue
        # Names that a stand-in hands on are described by their own package.
        public = [
            each
            for each in getattr(module, "__all__", ())
            if not each.startswith("_") and (each in vars(module) or name == "fastbleu")
        ]
        missing = {f"{name}.{each}" for each in public} - described
        assert not missing, missing
