"""Replaces what a function of another package does, wherever that function is already held.

The function object stays: its name, signature, identity, defaults and pickles. Only its code is exchanged, for code
that hands its arguments on. So everybody who holds the function gets the faster one, also under another name, in a
closure or as a bound method, and putting the old code back leaves what was there.
"""

from __future__ import annotations

import inspect
import os
import sys
from threading import Lock, local
from types import CodeType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: Functions of a peer, what replaces each of them, and what must be unchanged for that.
    Pairs: TypeAlias = list[tuple[Any, ...]]

#: What a replacement returns for a call that is not its own; the original then runs.
LEFT = object()

#: Likewise, for a call that it does not concern at all, which is not counted.
NOT_CONCERNED = object()

#: Held while a call is counted; a new one in a forked process, where nobody would give the old one back.
_counting = Lock()

#: Whether a thread is in an original whose arguments a replacement has refused.
_refused = local()

#: Stands in compiled code where the replacement goes.
_MARK = "\0replacement"


class Replacement:
    """One function of another package, and what runs in its place.

    Args:
        function: A function written in Python.
        replacement: Takes the function's arguments, each parameter at its place, and returns its result, LEFT or
            NOT_CONCERNED. Where it raises anything, the original runs, and says itself what is wrong.
        reads: What the original reads; it runs itself once any of it is changed.

    Attributes:
        name: The function's module and qualified name.
        original: A function that does what `function` did.
        taken: How many calls the replacement answered.
        left: How many it left to the original.
        refused: What the replacement last raised, "" if it has not.

    Example:
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
        self, function: FunctionType, replacement: Callable[..., Any], *reads: Callable[[], bool]
    ) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.taken = 0
        self.left = 0
        self.refused = ""
        self._function = function
        self._replacement = replacement
        self._reads = reads
        self._code = function.__code__
        self.original = FunctionType(
            self._code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self.original.__kwdefaults__ = function.__kwdefaults__
        self._handing_on = _code_that_calls(function, self._call)

    @property
    def is_installed(self) -> bool:
        """Return whether calls of the function come here."""
        return self._function.__code__ is self._handing_on

    def install(self) -> None:
        """Let calls of the function come here."""
        self._function.__code__ = self._handing_on

    def uninstall(self) -> None:
        """Put the function's own code back, unless somebody else has exchanged it meanwhile."""
        if self.is_installed:
            self._function.__code__ = self._code

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        if getattr(_refused, "calls", 0):
            return self.original(*args, **kwargs)
        for is_unchanged in self._reads:
            if not is_unchanged():
                with _counting:
                    self.left += 1
                return self.original(*args, **kwargs)
        try:
            result = self._replacement(*args, **kwargs)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  # the original says what is wrong, in its own words
            with _counting:
                self.refused = f"{type(error).__name__}: {error}"
                self.left += 1
            # What the original calls in turn would be refused again.
            _refused.calls = 1
            try:
                return self.original(*args, **kwargs)
            finally:
                _refused.calls = 0
        if result is NOT_CONCERNED:
            return self.original(*args, **kwargs)
        with _counting:
            self.taken += result is not LEFT
            self.left += result is LEFT
        return self.original(*args, **kwargs) if result is LEFT else result


def _renew_lock() -> None:
    global _counting  # noqa: PLW0603  # nothing else can be done about a lock that is held
    _counting = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


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
