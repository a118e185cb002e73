"""The site: `pip install ".[docs]" && sphinx-build -W --keep-going docs docs/_build`."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import fastbleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "fastbleu"
author = "fastbleu contributors"
project_copyright = author
version = release = fastbleu.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
#: A name in backticks in a docstring becomes a link where there is such a name, and is code otherwise.
default_role = "py:obj"

smartquotes_action = "D"  # dashes, but not quotation marks: these belong to code here
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
#: Hosts that the API pages can do without: what serves them is described, not run.
autodoc_mock_imports = [name for name in ("pyarrow", "torch", "torchmetrics") if find_spec(name) is None]
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"fastbleu {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

#: Stands for a colon while Napoleon reads a docstring.
HIDDEN_COLON = "\ue000"


class HelpText(SphinxDirective):
    """The `--help` of a command, as this installation prints it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the text as a block of its own."""
        name, *subcommand = self.arguments[0].split()
        program = sys.executable if name == "python" else str(Path(sysconfig.get_path("scripts"), name))
        command = [program, *subcommand, "--help"]
        text = subprocess.run(
            command, check=True, capture_output=True, encoding="utf-8", env=os.environ | {"COLUMNS": "80"}
        ).stdout
        return [nodes.literal_block(text, text, language="text")]


def close_examples(_: Sphinx, __: str, source: list[str]) -> None:
    """Take away the empty line with which a doctest ends its last output, before the closing fence."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def mark_code(_: Sphinx, __: str, ___: str, ____: object, _____: object, lines: list[str]) -> None:
    """Mark paragraphs that are indented below an empty line as code, which Markdown and readers see by themselves."""
    depth, in_code, marked = 0, False, []
    for i, line in enumerate(lines):
        if line.strip():
            own = len(line) - len(line.lstrip())
            if own <= depth or not in_code:
                in_code = own > depth and i > 0 and not lines[i - 1].strip()
                if in_code:
                    marked += [" " * depth + "::", ""]
                else:
                    depth = own
        marked.append(line)
    lines[:] = marked


def hide_colons(_: Sphinx, what: str, __: str, ___: object, ____: object, lines: list[str]) -> None:
    """Keep Napoleon from reading "X: Y" as a type and a description, in a property and below "Returns:"."""
    for i, line in enumerate(lines):
        if (i == 0 and what == "property") or (i and lines[i - 1].strip() == "Returns:"):
            lines[i] = line.replace(":", HIDDEN_COLON)


def show_colons(_: Sphinx, __: str, ___: str, ____: object, _____: object, lines: list[str]) -> None:
    """Put back what `hide_colons` has hidden."""
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]


def qualify_references(_: Sphinx, document: nodes.document) -> None:
    """Give each reference to a public name its module: that of the docstring, or else `fastbleu`.

    Several modules have a `BLEU` or a `BLEUScore`, and Sphinx alone cannot tell which one a docstring means.
    """
    for reference in document.findall(pending_xref):
        if "doc" in (reference.get("refdomain"), reference.get("reftype")):  # the page of that name
            continue
        name = reference["reftarget"]
        for module in (reference.get("py:module"), "fastbleu"):
            if name.partition(".")[0] in getattr(sys.modules.get(module), "__all__", ()):
                reference["reftarget"] = f"{module}.{name}"
                break


def refuse_collision(app: Sphinx, page: str, _: str, __: object, document: nodes.document | None) -> None:
    """Stop if Sphinx generates a page, such as `search`, whose file a source of the same name has as well."""
    if document is None and page in app.env.found_docs:
        raise ExtensionError(f"Sphinx writes {page}.html itself: rename {app.env.doc2path(page, base=False)}")


def setup(app: Sphinx) -> None:
    """Register the directive and the handlers above."""
    app.add_directive("help-text", HelpText)
    app.connect("source-read", close_examples)
    app.connect("autodoc-process-docstring", mark_code, priority=0)
    app.connect("autodoc-process-docstring", hide_colons, priority=0)
    app.connect("autodoc-process-docstring", show_colons, priority=1000)
    app.connect("doctree-read", qualify_references)
    app.connect("html-page-context", refuse_collision)
