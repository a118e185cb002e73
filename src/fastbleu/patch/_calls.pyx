"""Dispatch the calls of a peer's function to its replacement or to the original code."""

from threading import local

from cpython.type cimport PyType_IsSubtype
from libc.stdint cimport int64_t

from fastbleu._native.atomics cimport fb_add, fb_read
from fastbleu.system._program_changes cimport all_unchanged, has_own_methods

# A replacement returns this if it cannot answer a call. The original runs.
LEFT = object()

# A replacement returns this for a call that it is not meant to answer. The original runs, and the call is not counted.
NOT_CONCERNED = object()

# The result of a replacement that raised an error, or was not called because of a subclass that overrides methods.
cdef object REFUSED = object()

# A thread sets the attribute `refused` while it runs an original whose replacement has raised an error.
in_thread = local()
cdef int64_t threads_refused = 0  # The number of threads that have the attribute.


cdef class Call:
    """Call a replacement, or the original if the replacement cannot answer.

    Args:
        original: A function with the original code.
        replacement: A function with the same parameters, which returns the result, LEFT or NOT_CONCERNED.
        depths: For each of the first parameters, the depth to which its value is searched for a str or container with
            overridden methods, as by `has_own_methods`. If there is one, the original runs.
        reads: Checks of the values that the original uses. If a value has changed, the original runs.
        kinds: The classes of first arguments for which the replacement runs; None for all. For others the original
            runs, and the call is not counted. The list may grow.

    Attributes:
        taken: The number of calls that the replacement answered.
        left: The number of calls that the original answered.
        refused: The latest error of the replacement, as text; "" for none.
    """

    cdef readonly object original
    cdef object replacement
    cdef tuple depths
    cdef tuple reads
    cdef list kinds
    cdef int64_t calls_taken
    cdef int64_t calls_left
    cdef readonly str refused

    def __init__(self, original, replacement, tuple depths not None, tuple reads not None, list kinds=None):
        self.original = original
        self.replacement = replacement
        self.depths = depths
        self.reads = reads
        self.kinds = kinds
        self.refused = ""

    @property
    def taken(self):
        return fb_read(&self.calls_taken)

    @property
    def left(self):
        return fb_read(&self.calls_left)

    def __call__(self, *args, **kwargs):
        if self.kinds is not None and not self.is_of_kinds(type(args[0])):
            return call(self.original, args, kwargs)
        if fb_read(&threads_refused) and hasattr(in_thread, "refused"):
            return call(self.original, args, kwargs)
        if not all_unchanged(self.reads):
            fb_add(&self.calls_left, 1)
            return call(self.original, args, kwargs)
        if self.are_of_subclasses(args):
            result = REFUSED
        else:
            try:
                result = call(self.replacement, args, kwargs)
            except MemoryError:
                raise
            except Exception as error:
                self.refused = f"{type(error).__name__}: {error}"
                result = REFUSED
        if result is NOT_CONCERNED:
            return call(self.original, args, kwargs)
        if result is LEFT:
            fb_add(&self.calls_left, 1)
            return call(self.original, args, kwargs)
        if result is REFUSED:  # Outside of `except`, so that no other error is chained to the original one.
            fb_add(&self.calls_left, 1)
            return self.refuse(args, kwargs)
        fb_add(&self.calls_taken, 1)
        return result

    cdef bint is_of_kinds(self, object kind) except -1:
        """Return whether a class is one of `kinds` or inherits from one."""
        for each in self.kinds:
            if PyType_IsSubtype(kind, each):
                return True
        return False

    cdef bint are_of_subclasses(self, tuple args) except -1:
        """Return whether an argument is, or contains, a str or container with overridden methods."""
        cdef Py_ssize_t i
        for i in range(min(len(args), len(self.depths))):
            if has_own_methods(args[i], self.depths[i]):
                return True
        return False

    cdef object refuse(self, tuple args, dict kwargs):
        """Run the original, without the replacements of the functions that it calls, because they would also fail."""
        in_thread.refused = True
        fb_add(&threads_refused, 1)
        try:
            return call(self.original, args, kwargs)
        finally:
            fb_add(&threads_refused, -1)
            del in_thread.refused


cdef object call(object function, tuple args, dict kwargs):
    """Call a function; without keyword arguments, no dictionary is passed, which takes a third less time."""
    return function(*args, **kwargs) if kwargs else function(*args)
