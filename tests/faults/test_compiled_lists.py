"""Compiled modules make no list by a construct that drops an item twice where the list cannot grow.

Cython 3.3.1 compiles list comprehensions, `list(... for ...)` and its like, and lists with starred items to calls of
`__Pyx_ListComp_AppendAndDecref`. Where the list cannot grow, that function drops its reference to the item, and so does
the code after it: the item is freed while others hold it. A loop with `append` is compiled to other code.
"""

import re
from collections.abc import Iterator

import pytest

from tests.support.modules import REPOSITORY, SOURCES

COMPILED = {name: path for name, path in SOURCES.items() if path.suffix == ".pyx"}

# What Cython may leave beside the build; the wheel and the sdist do not hold it.
GENERATED = sorted((REPOSITORY / "build" / "cython").rglob("*.c"))

# Strings and comments, which may hold any bracket and any word.
TEXT = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*', re.DOTALL)
# A star at once before a closing bracket belongs to a pointer to a function: `(*f)(...)`.
PARTS = re.compile(r"(?P<open>[(\[{])\s*(?P<star>\*\w+\s*,)?|(?P<close>[)\]}])|,\s*(?P<later>\*\w)|\bfor\b")


def refused(source: str) -> Iterator[tuple[int, str]]:
    """The line number and the name of each construct of Cython source that makes lists in the way refused."""
    code = TEXT.sub(lambda text: '""' + "\n" * text[0].count("\n"), source)
    is_call: list[bool] = []
    for part in PARTS.finditer(code):
        line = code.count("\n", 0, part.start()) + 1
        if part["open"]:
            # A bracket right after a name or another bracket is a call or an index; declarations have pointers there.
            is_call.append(re.match(r"[\w)\]]", code[max(part.start() - 1, 0) :]) is not None)
            if part["star"] and not is_call[-1]:
                yield line, "starred items"
        elif part["close"]:
            is_call.pop()
        elif part["later"]:
            if is_call and not is_call[-1]:
                yield line, "starred items"
        elif is_call:
            yield line, "a comprehension or generator expression"


@pytest.mark.parametrize("name", sorted(COMPILED))
def test_no_such_list_in_the_source(name: str) -> None:
    assert list(refused(COMPILED[name].read_text(encoding="utf-8"))) == []


@pytest.mark.skipif(not GENERATED, reason="Cython's output is not there")
def test_no_such_list_in_what_cython_made() -> None:
    for path in GENERATED:
        assert "__Pyx_ListComp_AppendAndDecref" not in path.read_text(encoding="utf-8"), path
