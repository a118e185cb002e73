"""The page that explains a score in a browser, with Pyodide: what it shows, and what it loads from where."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from fastbleu import BLEU
from fastbleu.explain import explain, html_page
from tests.support.pages import Page, browse, chromium_works, served

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/extra/explain-a-score"
#: What the page runs, beside its own files, once the reader asks for a score.
PYTHON = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def test_the_page_names_its_own_files_and_nothing_else() -> None:
    page = Page((PAGE / "index.html").read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>"))
    named = {*page.attributes("src"), *page.attributes("href")} - {"../browser.html"}
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    named |= set(re.findall(r'(?:fetched|import)\("([^"]+)"\)', script))
    assert named == {"page.css", "page.js", "explained.py", "fastbleu.whl", "./pyodide/pyodide.mjs"}
    (policy,) = (each["content"] for each in page.tags("meta") if "http-equiv" in each)
    assert policy == (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
        "style-src 'self' 'unsafe-inline'"
    )
    assert [each["sandbox"] for each in page.tags("iframe")] == ["allow-same-origin"]


def test_what_python_answers() -> None:
    explained = runpy.run_path(str(PAGE / "explained.py"))["explained"]
    metric = BLEU(effective_order=True, tokenize="char", lowercase=True)
    expected = html_page([explain(metric, "A cat", ["a cat", "cats"])], ["The score, explained"])
    assert explained("A cat", "a cat\n \ncats\n", "char", True) == expected
    with pytest.raises(ValueError, match="write at least one reference"):
        explained("A cat", "\n", "13a", False)


@pytest.mark.nightly
def test_a_browser_explains_a_score(tmp_path: Path) -> None:
    wheel = os.environ.get("FASTBLEU_BROWSER_WHEEL")
    if wheel is None or not chromium_works():
        pytest.skip("there is no FASTBLEU_BROWSER_WHEEL, or no Chromium")
    site = shutil.copytree(PAGE, tmp_path / "site")
    subprocess.run([ROOT / "tools/add_python_to_page.sh", wheel, site], check=True)
    page = (site / "index.html").read_text(encoding="utf-8")
    press = '<script type="module" src="press.js"></script></body>'
    (site / "index.html").write_text(page.replace("</body>", press), encoding="utf-8")
    (site / "press.js").write_text("document.querySelector('form').requestSubmit();", encoding="utf-8")
    with served(site) as (address, asked):
        flags = (f"--host-resolver-rules=MAP * {address[7:-1]}", "--virtual-time-budget=120000")
        shown = Page(browse(address, tmp_path / "profile", *flags).removeprefix("<!DOCTYPE html>"))
    example = next(text for text in shown.attributes("srcdoc"))
    references = ["The cat is on the mat", "There is a cat on the mat"]
    score = BLEU(effective_order=True).sentence_score("the cat the cat on the mat", references)
    assert f"<dd>{score.format(score_only=True)}<small>" in example
    files = ("", "page.css", "page.js", "press.js", "explained.py", "fastbleu.whl")
    assert set(asked) == {f"/{name}" for name in files} | {f"/pyodide/{name}" for name in PYTHON}
