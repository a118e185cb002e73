"""Replaces what a function of another package does, wherever that function is already held.

The function object stays: its name, signature, identity, defaults and pickles. Only its code is exchanged, for code
that hands its arguments on. So everybody who holds the function gets the faster one, also under another name, in a
closure or as a bound method, and putting the old code back leaves what was there.
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

    from ..system._unchanged import Unchanged

    #: Functions of a peer, and for each the other arguments of its `Replacement`.
    Pairs: TypeAlias = list[tuple[Any, ...]]

#: Stands in compiled code where the replacement goes.
_MARK = "\0replacement"


class Replacement(Call):  # type: ignore[misc]
    """One function of another package, and what runs in its place.

    Args:
        function: A function written in Python.
        replacement: Takes the function's arguments, each parameter at its place, and returns its result, LEFT or
            NOT_CONCERNED. Where it raises anything, the original runs, and says itself what is wrong.
        depths: For each of the first parameters how far its value and what it holds are asked for methods of their own;
            the original runs for a str or a container that has any.
        reads: What the original reads; it runs itself once any of it is changed.

    Attributes:
        name: The function's module and qualified name.
        original: A function that does what `function` did.

    Example:
        >>> from fastbleu.patch._calls import LEFT
        >>> def half(number):
        ...     return number / 2
        >>> def faster(number):
        ...     return number * 0.5 if number < 100 else LEFT
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
        reads: tuple[Unchanged, ...] = (),
    ) -> None:
        self._function = function
        self._code = function.__code__
        original = FunctionType(
            self._code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        original.__kwdefaults__ = function.__kwdefaults__
        super().__init__(original, replacement, depths, reads)
        self.name = f"{function.__module__}.{function.__qualname__}"
        self._handing_on = _code_that_calls(function, self)

    @property
    def is_installed(self) -> bool:
        """Return whether calls of the function come here."""
        return self._function.__code__ is self._handing_on

    def install(self) -> None:
        """Let calls of the function come here, unless somebody else has exchanged its code meanwhile."""
        if self._function.__code__ is self._code:
            self._function.__code__ = self._handing_on

    def uninstall(self) -> None:
        """Put the function's own code back, unless somebody else has exchanged it meanwhile."""
        if self.is_installed:
            self._function.__code__ = self._code


def _code_that_calls(function: FunctionType, target: Callable[..., Any]) -> CodeType:
    """Make code with the parameters of a function that calls something else with their values."""
    code = function.__code__
    signature = inspect.signature(function, follow_wrapped=False)
    bare = [inspect.Parameter(parameter.name, parameter.kind) for parameter in signature.parameters.values()]
    declared = str(inspect.Signature(bare))
    # Each value goes on as it came: by its place, by its name, or with all the others of its kind.
    forms: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*{0}",
        inspect.Parameter.VAR_KEYWORD: "**{0}",
        inspect.Parameter.KEYWORD_ONLY: "{0}={0}",
    }
    passed = ", ".join(forms.get(parameter.kind, "{0}").format(parameter.name) for parameter in bare)
    free = "".join(f"{name}, " for name in code.co_freevars)
    # A constant in the place of a name: nothing is put into the other package. Python warns if a plain one is called.
    source = (
        f"def make({free}):\n"
        f"    def replaced{declared}:\n"
        f"        if False: {free or 'pass'}\n"
        f"        return ({_MARK!r} if True else 0)({passed})\n"
    )
    found = _inner(_inner(compile(source, "<fastbleu.patch>", "exec", dont_inherit=True)))
    constants = tuple(target if constant == _MARK else constant for constant in found.co_consts)
    found = found.replace(
        co_consts=constants,
        co_name=code.co_name,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )
    return found.replace(co_qualname=code.co_qualname) if sys.version_info >= (3, 11) else found


def _inner(code: CodeType) -> CodeType:
    """The code of the function that is defined in other code."""
    return next(constant for constant in code.co_consts if isinstance(constant, CodeType))
