"""Tells whether a program has changed a module or a class of another package."""

import inspect
from gc import get_referents

from cpython.dict cimport PyDict_GetItemWithError
from cpython.ref cimport PyObject

# Where values come from that belong to the code of a peer, or of a copy of it, besides the peer itself.
cdef frozenset LIBRARIES = frozenset({
    "",
    "builtins",
    "collections",
    "fractions",
    "functools",
    "math",
    "nltk",
    "re",
    "regex",
    "sacrebleu",
    "sys",
    "torch",
    "typing",
    "warnings",
})


cdef class Unchanged:
    """Tells whether a module or a class still holds the values that it held when this was made.

    Args:
        holder: The module or class.
        names: The names of the values; what the holder does not have is left out.
        known: Whether the values are known to be those that the holder came with, wherever they come from.

    Example:
        >>> from types import ModuleType
        >>> module = ModuleType("peer")
        >>> module.helper = module.other = sorted
        >>> is_unchanged = Unchanged(module, "helper")
        >>> module.other = None
        >>> first = is_unchanged()
        >>> module.helper = reversed
        >>> first, is_unchanged()
        (True, False)
    """

    def __init__(self, holder, *names, bint known=False):
        held = vars(holder)
        # Of a class that is a view of a dictionary.
        self.held = held if isinstance(held, dict) else get_referents(held)[0]
        present, values = [], []
        allowed = LIBRARIES | {root_of(holder)}
        self.changed_before = False
        for name in names:
            if name in held:
                present.append(name)
                values.append(held[name])
                self.changed_before |= not known and root_of(held[name]) not in allowed
        self.names, self.values = tuple(present), tuple(values)

    def __call__(self):
        """Return whether the values are still those that the holder came with."""
        return self.holds()

    cdef bint holds(self) except -1:
        cdef Py_ssize_t i
        if self.changed_before:
            return False
        for i in range(len(self.names)):
            if PyDict_GetItemWithError(self.held, self.names[i]) != <PyObject*>self.values[i]:
                return False
        return True


cdef str root_of(value):
    """Return the package that a value comes from; "" where that is not known."""
    value = getattr(value, "__func__", value)  # of a static method
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", "")
    return str(module).partition(".")[0]
