"""The site is built without a warning, describes every public name, and needs no network."""

import importlib
import json
import os
import pkgutil
import re
import zlib
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the extra docs is not installed")
pytest.importorskip("furo", reason="the extra docs is not installed")
pytest.importorskip("myst_parser", reason="the extra docs is not installed")
pytest.importorskip("sphinx_copybutton", reason="the extra docs is not installed")
pytest.importorskip("sphinx_design", reason="the extra docs is not installed")

import fastbleu.compat
from tests.support.processes import python

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODULES = (
    "fastbleu",
    "fastbleu.compare",
    "fastbleu.patch",
    "fastbleu.rerank",
    "fastbleu.rewards",
    *(f"fastbleu.compat.{module.name}" for module in pkgutil.iter_modules(fastbleu.compat.__path__)),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = python("-m", "sphinx", "-W", "--keep-going", "-q", DOCS, folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_public_name_is_described_and_nothing_is_warned_of(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[-1]  # after four lines of comments
    described = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            if "fastbleu-metric[" not in str(error):
                raise
            continue
        # Names that a replacement imports from its original are described by the original.
        public = [
            each
            for each in getattr(module, "__all__", ())
            if not each.startswith("_") and (each in vars(module) or name == "fastbleu")
        ]
        missing = {f"{name}.{each}" for each in public} - described
        assert not missing, missing


def test_search_and_pages_need_no_network(site: Path) -> None:
    index = json.loads(
        (site / "searchindex.js").read_text(encoding="utf-8").removeprefix("Search.setIndex(")[:-1]
    )
    found = index["titleterms"]["rerank"]  # the stem of "reranking"
    assert "reranking" in {index["docnames"][page] for page in found}
    search = (site / "search.html").read_text(encoding="utf-8")
    assert {"searchindex.js", "_static/searchtools.js"} <= {
        name.partition("?")[0] for name in re.findall(r'<script src="([^"]+)"', search)
    }
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', page.read_text(encoding="utf-8"))
        loaded += re.findall(
            r'<link rel="(?:stylesheet|icon)[^>]* href="([^"]+)"', page.read_text(encoding="utf-8")
        )
        for name in loaded:
            assert "//" not in name, (page, name)
            path = Path(os.path.normpath(page.parent / name.partition("?")[0]))
            assert path.is_file(), (page, name)


def test_the_sidebar_is_short(site: Path) -> None:
    """A stranger reads four groups with at most 18 entries; further pages are below them."""
    home = (site / "index.html").read_text(encoding="utf-8")
    sidebar = home[home.index('<div class="sidebar-tree">') : home.index("</aside>")]
    assert sidebar.count('class="caption"') == 4
    assert len(re.findall(r'<li class="toctree-l1', sidebar)) <= 18


def test_a_page_with_the_name_of_a_generated_one_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Home\n\n```{toctree}\nsearch\n```\n", encoding="utf-8")
    (tmp_path / "search.md").write_text("# Search\n", encoding="utf-8")
    done = python("-m", "sphinx", "-q", "-c", DOCS, tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "Sphinx writes search.html itself: rename search.md" in done.stderr
