"""Find the names that functions of another package read, and watch them for changes."""

from __future__ import annotations

import builtins
from functools import cache
from inspect import isclass, isfunction, ismodule
from types import CodeType

from ._program_changes import FIXED, Unchanged, bare, own_code, root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType
    from typing import Any

#: Methods that run without being named in code, including those of operators.
_UNNAMED = {"__call__", "__enter__", "__exit__", "__getattr__"}.union(
    name for kind in (object, int, dict, list, set) for name in vars(kind) if name.startswith("__")
)

#: Modules, built-in functions and exceptions for output. Many programs replace them to silence packages.
_OUTPUT = {"json", "logging", "sys", "warnings"}
_TOLD = {
    "print",
    *(name for name, value in vars(builtins).items() if isclass(value) and issubclass(value, BaseException)),
}


@cache
def reads_of(functions: tuple[str, ...], *holders: ModuleType | type) -> tuple[Unchanged, ...]:
    """Return checks that everything that functions of another package read is unchanged.

    The functions read every global name in their code. If such a name refers to a dictionary, or to a function or a
    class of the same package, they also read whatever that contains or reads in turn. Built-in functions are included,
    since a module may define its own `len`. The code, defaults and closures of these functions are watched as well.
    Classes of other packages, such as `Counter`, and functions of modules, such as `math.log`, are watched, but their
    code is not searched.

    Args:
        functions: The names of the functions.
        holders: The modules or classes that have them.

    Example:
        >>> import textwrap
        >>> reads = reads_of(("wrap",), textwrap)
        >>> all(is_unchanged() for is_unchanged in reads)
        True
        >>> textwrap.len = lambda text: 1
        >>> all(is_unchanged() for is_unchanged in reads)
        False
        >>> del textwrap.len
    """
    packages = set(map(root_of, holders))
    attributes = _UNNAMED.union(functions)
    kinds: dict[type, None] = {}
    modules: dict[int, tuple[dict[str, Any], set[str]]] = {}

    def watch(held: dict[str, Any], names: Iterable[str]) -> None:
        modules.setdefault(id(held), (held, set()))[1].update(names)

    seen: set[int] = set()
    waiting: list[Any] = list(filter(isclass, holders))
    waiting += [vars(module)[name] for module in filter(ismodule, holders) for name in functions]
    while waiting:
        reached: list[Any] = []
        for value in map(bare, waiting):
            if isclass(value):
                kinds.update((kind, None) for kind in value.__mro__ if not kind.__flags__ & FIXED)
            elif isfunction(value) and root_of(value) in packages:
                used = {name for code in _codes(own_code(value.__code__)) for name in code.co_names}
                held, attributes = value.__globals__, attributes | used
                of_builtins = used & vars(builtins).keys() - held.keys() - _TOLD
                watch(held, of_builtins | used & held.keys())
                watch(vars(builtins), of_builtins)
                read = [held[name] for name in used & held.keys()]
                for module in filter(ismodule, read):
                    if module.__name__ not in _OUTPUT:
                        watch(vars(module), used & vars(module).keys())
                reached += [*read, value.__kwdefaults__]
            elif isinstance(value, dict):
                # Do not watch entries that are None, because the package itself may fill them later.
                watch(value, [key for key, held in value.items() if held is not None])
        for kind in kinds:
            if root_of(kind) in packages:
                reached += [vars(kind)[name] for name in attributes & vars(kind).keys()]
            else:
                attributes |= vars(kind).keys()
        waiting = [each for each in reached if id(bare(each)) not in seen]
        seen.update(id(bare(each)) for each in waiting)
    return (
        *(Unchanged(held, *names, packages=packages) for held, names in modules.values()),
        *(Unchanged(kind, *attributes, packages=packages) for kind in kinds),
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
