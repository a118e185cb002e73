"""Prints what stubtest may leave out: names for annotations, functions that remember, and the list in this folder.

    python .ci/stubtest_allowlist.py >allowlist.txt

Names under `if TYPE_CHECKING:` are for annotations only, which importing the package does not pay for. Type checkers do
not see the arguments of functions that remember their results (`functools.cache`, `lru_cache`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"


def names(body: list[ast.stmt], is_class: bool = False) -> Iterator[str]:
    """The names of a module or class that stubtest may leave out."""
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                if isinstance(each, ast.ClassDef):
                    yield each.name
                elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield each.target.id
                elif isinstance(each, ast.Assign):
                    yield from (target.id for target in each.targets if isinstance(target, ast.Name))
                elif isinstance(each, ast.Import | ast.ImportFrom):
                    yield from (alias.asname or alias.name for alias in each.names)
                elif is_class and isinstance(each, ast.FunctionDef) and not each.decorator_list:
                    yield each.name
        elif isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{name}" for name in names(node.body, is_class=True))
        elif isinstance(node, ast.FunctionDef) and "cache" in "".join(map(ast.unparse, node.decorator_list)):
            yield node.name


if __name__ == "__main__":
    print((HERE / "stubtest-allowlist.txt").read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for name in names(ast.parse(path.read_text(encoding="utf-8")).body):
            print(re.escape(f"{module}.{name}"))
