"""Find the names that functions of another package read, and watch them for changes."""

from __future__ import annotations

import builtins
from functools import cache
from inspect import isclass, isfunction, ismodule
from types import CodeType

from ._program_changes import FIXED, Unchanged, original_code, top_package, unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType
    from typing import Any

#: Methods that Python calls although no code names them, such as those of operators.
_UNNAMED = {"__call__", "__enter__", "__exit__", "__getattr__"}.union(
    name for kind in (object, int, dict, list, set) for name in vars(kind) if name.startswith("__")
)

#: Modules that are used for output. They are not watched, because many programs replace them to silence packages.
_OUTPUT_MODULES = {"json", "logging", "sys", "warnings"}
#: Names of built-in functions and exceptions that are not watched, for the same reason.
_OUTPUT_NAMES = {
    "print",
    *(name for name, value in vars(builtins).items() if isclass(value) and issubclass(value, BaseException)),
}


@cache
def reads_of(functions: tuple[str, ...], *owners: ModuleType | type) -> tuple[Unchanged, ...]:
    """Create checks that detect changes of the names that functions of another package read.

    The checks cover every global name in the functions' code. If a name refers to a function or class of the same
    package, the checks also cover every name that this function or class reads; if it refers to a dictionary, they
    cover the entries of the dictionary. Names of built-in functions are included, since a module may define its own
    `len`. The code, defaults and closures of the package's functions are checked as well. Classes of other packages,
    such as `Counter`, and functions of modules, such as `math.log`, are checked, but their code is not searched for
    names.

    Args:
        functions: The names of the functions.
        owners: The modules or classes that define the functions.

    Returns:
        An `Unchanged` for each module, dictionary and class; each returns True while its names are unchanged.

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
    packages = set(map(top_package, owners))
    attributes = _UNNAMED.union(functions)
    kinds: dict[type, None] = {}
    modules: dict[int, tuple[dict[str, Any], set[str]]] = {}

    def watch(namespace: dict[str, Any], names: Iterable[str]) -> None:
        modules.setdefault(id(namespace), (namespace, set()))[1].update(names)

    seen: set[int] = set()
    waiting: list[Any] = list(filter(isclass, owners))
    waiting += [vars(module)[name] for module in filter(ismodule, owners) for name in functions]
    while waiting:
        reached: list[Any] = []
        for value in map(unwrap, waiting):
            if isclass(value):
                kinds.update((kind, None) for kind in value.__mro__ if not kind.__flags__ & FIXED)
            elif isfunction(value) and top_package(value) in packages:
                used = {name for code in _codes(original_code(value.__code__)) for name in code.co_names}
                namespace, attributes = value.__globals__, attributes | used
                of_builtins = used & vars(builtins).keys() - namespace.keys() - _OUTPUT_NAMES
                watch(namespace, of_builtins | used & namespace.keys())
                watch(vars(builtins), of_builtins)
                read = [namespace[name] for name in used & namespace.keys()]
                for module in filter(ismodule, read):
                    if module.__name__ not in _OUTPUT_MODULES:
                        watch(vars(module), used & vars(module).keys())
                reached += [*read, value.__kwdefaults__]
            elif isinstance(value, dict):
                # Do not watch entries that are None, because the package itself may set them later.
                watch(value, [key for key, entry in value.items() if entry is not None])
        for kind in kinds:
            if top_package(kind) in packages:
                reached += [vars(kind)[name] for name in attributes & vars(kind).keys()]
            else:
                attributes |= vars(kind).keys()
        waiting = [each for each in reached if id(unwrap(each)) not in seen]
        seen.update(id(unwrap(each)) for each in waiting)
    return (
        *(Unchanged(namespace, *names, packages=packages) for namespace, names in modules.values()),
        *(Unchanged(kind, *attributes, packages=packages) for kind in kinds),
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code object of a function, and those of the functions and comprehensions that it contains."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
