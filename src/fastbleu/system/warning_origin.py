"""Issue warnings and log records that name the module and line of the original package, so that filters match them."""

from __future__ import annotations

import sys
from functools import cache
from types import CodeType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


class Origin:
    """A statement of another package that warns or logs.

    Args:
        module: The module of the statement.
        function: The name of the function that contains the statement.
        line: The statement's line number, from 1, in the release that fastbleu reproduces.
        text: A part of the statement's source code. It is searched for to find the line in the installed release.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     Origin("peer.scores", "score", 12, "warn(").run(warnings.warn, "no match")
        >>> caught[0].filename, caught[0].lineno
        ('peer/scores.py', 12)
    """

    def __init__(self, module: str, function: str, line: int, text: str) -> None:
        self.module = module
        self.function = function
        self.line = line
        self.text = text

    def run(self, call: Callable[..., object], *arguments: object) -> None:
        """Call a function, such as `warnings.warn` or a logger's `warning`, as if the statement had called it."""
        _caller(self, sys.modules.get(self.module))(call, *arguments)


@cache
def _caller(origin: Origin, module: ModuleType | None) -> FunctionType:
    """Make a function that calls a given function, and that has the file, line and globals of the statement."""
    filename, line = origin.module.replace(".", "/") + ".py", origin.line
    names: dict[str, Any] = {"__name__": origin.module}
    if module is not None and module.__name__ == origin.module:
        # The module is the original one, not the fastbleu.compat module that programs can install under its name.
        filename, names = module.__file__ or filename, vars(module)
        line = _line_in(filename, origin)
    source = "\n" * (line - 1) + f"def {origin.function}(call, *arguments): call(*arguments)"
    outer = compile(source, filename, "exec", dont_inherit=True)
    code = next(constant for constant in outer.co_consts if isinstance(constant, CodeType))
    return FunctionType(code, names)


def _line_in(filename: str, origin: Origin) -> int:
    """Return the line of a file where the statement begins, or `origin.line` if the file lacks `origin.text`."""
    from linecache import getlines

    line = origin.line
    for number, text in enumerate(getlines(filename), start=1):
        line = number if "warn" in text else line
        if origin.text in text:
            return line
    return origin.line
