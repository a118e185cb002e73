"""Replace the code of a function of another package.

The function object keeps its identity, name, signature and defaults, and can be pickled. Only its code object is
replaced, by one that forwards the arguments. So the function is faster wherever it is referenced: under another name,
in a closure, or as a bound method. To undo the replacement, it is enough to restore the original code object.
"""

from __future__ import annotations

import inspect
import sys
from types import CodeType, FunctionType

from ._calls import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ..system._program_changes import Unchanged

    #: Tuples of the arguments of `Replacement`: a function, its replacement, and optionally more arguments.
    Pairs: TypeAlias = list[tuple[Any, ...]]

#: A constant in the source of forwarding code. After compilation, it is replaced by the function to call.
_MARK = "\0replacement"


class Replacement(Call):  # type: ignore[misc]
    """A function of another package with its replacement.

    Args:
        function: A function written in Python.
        replacement: The function that runs instead. It has the same parameters, and returns the result, RUN_ORIGINAL or
            RUN_UNCOUNTED. If it raises an Exception, the original code runs and raises its own error.
        depths: As for `_calls.Call`.
        checks: As for `_calls.Call`.
        kinds: As for `_calls.Call`.

    Attributes:
        name: The module and the qualified name of the function.
        original: A copy of the function with the original code.

    Example:
        >>> from fastbleu.patch._calls import RUN_ORIGINAL
        >>> def half(number):
        ...     return number / 2
        >>> def faster(number):
        ...     return number * 0.5 if number < 100 else RUN_ORIGINAL
        >>> held = [half]
        >>> replacement = Replacement(half, faster)
        >>> replacement.install()
        >>> held[0](3), held[0](100), replacement.taken, replacement.left
        (1.5, 50.0, 1, 1)
        >>> replacement.uninstall()
        >>> held[0](3), replacement.taken
        (1.5, 1)
    """

    def __init__(
        self,
        function: FunctionType,
        replacement: Callable[..., Any],
        depths: tuple[int, ...] = (),
        checks: tuple[Unchanged, ...] = (),
        kinds: list[type] | None = None,
    ) -> None:
        self._function = function
        self._code = function.__code__
        original = FunctionType(
            self._code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        original.__kwdefaults__ = function.__kwdefaults__
        super().__init__(original, replacement, depths, checks, kinds)
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._forwarding = _code_that_calls(function, self)

    @property
    def is_installed(self) -> bool:
        """Return whether the function currently has the code that forwards to the replacement."""
        return self._function.__code__ is self._forwarding

    def install(self) -> None:
        """Replace the code of the function, unless a program has changed it in the meantime."""
        if self._function.__code__ is self._code:
            self._function.__code__ = self._forwarding

    def uninstall(self) -> None:
        """Restore the original code, unless a program has changed it in the meantime."""
        if self.is_installed:
            self._function.__code__ = self._code


def _code_that_calls(function: FunctionType, target: Callable[..., Any]) -> CodeType:
    """Return code that has the parameters of a function, and forwards their values to another function."""
    code = function.__code__
    signature = inspect.signature(function, follow_wrapped=False)
    bare = [inspect.Parameter(parameter.name, parameter.kind) for parameter in signature.parameters.values()]
    declared = str(inspect.Signature(bare))
    # Each argument is forwarded as it was passed: by position, by name, or unpacked.
    forms: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*{0}",
        inspect.Parameter.VAR_KEYWORD: "**{0}",
        inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
    }
    passed = ", ".join(forms.get(parameter.kind, "{0}").format(parameter.name) for parameter in bare)
    free = "".join(f"{name}, " for name in code.co_freevars)
    # The target is a constant of the code, so that no global name is needed. The conditional expression avoids Python's
    # warning about a call of a constant.
    source = (
        f"def make({free}):\n"
        f"    def replaced{declared}:\n"
        f"        if False: {free or 'pass'}\n"
        f"        return ({_MARK!r} if True else 0)({passed})\n"
    )
    forwarding = _inner(_inner(compile(source, "<fastbleu.patch>", "exec", dont_inherit=True)))
    constants = tuple(target if constant == _MARK else constant for constant in forwarding.co_consts)
    forwarding = forwarding.replace(
        co_consts=constants,
        co_name=code.co_name,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )
    if sys.version_info >= (3, 11):
        forwarding = forwarding.replace(co_qualname=code.co_qualname)
    return forwarding


def _inner(code: CodeType) -> CodeType:
    """Return the code object of the first function defined inside `code`."""
    return next(constant for constant in code.co_consts if isinstance(constant, CodeType))
