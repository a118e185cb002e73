"""Dispatch the calls of a patched function to its replacement or to the original code."""

from threading import local

from cpython.type cimport PyType_IsSubtype
from libc.stdint cimport int64_t

from fastbleu._native.atomics cimport fb_add, fb_read
from fastbleu.system._program_changes cimport all_unchanged, has_own_methods

# A replacement returns this if it cannot compute the result of a call. Then the original code runs.
RUN_ORIGINAL = object()

# A replacement returns this for a call that it is not meant for. The original code runs, and the call is not counted.
RUN_UNCOUNTED = object()

# The result of a call whose replacement raised an error, or was not called because an argument's class overrides
# methods of str or of a container.
cdef object FAILED = object()

# Data of each thread. The attribute `runs_original` exists while the thread runs original code after a failed call.
in_thread = local()
cdef int64_t threads_in_original = 0  # The number of threads in which `in_thread` has that attribute.


cdef class Call:
    """Call a replacement, or the original code if the replacement cannot compute the result.

    Args:
        original: A function with the original code.
        replacement: A function with the same parameters, which returns the result, RUN_ORIGINAL or RUN_UNCOUNTED.
        depths: If a str or a container in an argument has a class that overrides methods, the original runs. This is
            the depth of the search in each of the first arguments: 0 skips the argument, 1 checks the argument itself,
            2 also checks its items, and so on.
        checks: Objects that detect whether a program has changed anything that the original uses. If one of them
            detects a change, the original runs.
        kinds: The classes whose objects the replacement accepts as the first argument; None for all. For objects of
            other classes, the original runs, and the call is not counted. The caller may append to the list later.

    Attributes:
        taken: The number of calls whose result the replacement computed.
        left: The number of calls whose result the original computed.
        refused: The latest error that the replacement raised, as text; "" for none.
    """

    cdef readonly object original
    cdef object replacement
    cdef tuple depths
    cdef tuple checks
    cdef list kinds
    cdef int64_t calls_taken
    cdef int64_t calls_left
    cdef readonly str refused

    def __init__(self, original, replacement, tuple depths not None, tuple checks not None, list kinds=None):
        self.original = original
        self.replacement = replacement
        self.depths = depths
        self.checks = checks
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
        if fb_read(&threads_in_original) and hasattr(in_thread, "runs_original"):
            return call(self.original, args, kwargs)
        if not all_unchanged(self.checks):
            fb_add(&self.calls_left, 1)
            return call(self.original, args, kwargs)
        if self.have_own_methods(args):
            result = FAILED
        else:
            try:
                result = call(self.replacement, args, kwargs)
            except MemoryError:
                raise
            except Exception as error:
                self.refused = f"{type(error).__name__}: {error}"
                result = FAILED
        if result is RUN_UNCOUNTED:
            return call(self.original, args, kwargs)
        if result is RUN_ORIGINAL:
            fb_add(&self.calls_left, 1)
            return call(self.original, args, kwargs)
        if result is FAILED:  # Outside of `except`, so that the original's error is not chained to the replacement's.
            fb_add(&self.calls_left, 1)
            return self.run_only_originals(args, kwargs)
        fb_add(&self.calls_taken, 1)
        return result

    cdef bint is_of_kinds(self, object kind) except -1:
        """Return whether a class is one of `kinds` or inherits from one."""
        for each in self.kinds:
            if PyType_IsSubtype(kind, each):
                return True
        return False

    cdef bint have_own_methods(self, tuple args) except -1:
        """Return whether an argument is or contains a str or a container whose class overrides methods."""
        cdef Py_ssize_t i
        for i in range(min(len(args), len(self.depths))):
            if has_own_methods(args[i], self.depths[i]):
                return True
        return False

    cdef object run_only_originals(self, tuple args, dict kwargs):
        """Run the original. Functions that it calls also run their original code, as replacements would fail too."""
        in_thread.runs_original = True
        fb_add(&threads_in_original, 1)
        try:
            return call(self.original, args, kwargs)
        finally:
            fb_add(&threads_in_original, -1)
            del in_thread.runs_original


cdef object call(object function, tuple args, dict kwargs):
    """Call a function. If there are no keyword arguments, no dictionary is passed, which takes a third less time."""
    return function(*args, **kwargs) if kwargs else function(*args)
