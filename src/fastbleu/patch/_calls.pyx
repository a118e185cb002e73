"""The way of a call from a peer's function to what replaces it, or back to the peer's own code."""

from threading import local

from libc.stdint cimport int64_t

from fastbleu._native.atomics cimport fb_add, fb_read
from fastbleu.system._unchanged cimport all_hold, has_own_methods

# What a replacement returns for a call that is not its own; the original then runs.
LEFT = object()

# Likewise, for a call that it does not concern at all, which is not counted.
NOT_CONCERNED = object()

# Has the attribute `refused` in a thread that runs an original whose arguments a replacement has refused.
in_thread = local()
cdef int64_t threads_refused = 0  # as many threads have it


cdef class Call:
    """Calls a replacement, or the original where that must answer.

    Args:
        original: The peer's own code.
        replacement: Takes the same arguments, and returns the result, LEFT or NOT_CONCERNED.
        depths: For each of the first parameters how far it is asked for methods of its own, as by `has_own_methods`;
            where there is one, the original answers.
        reads: An `Unchanged` for each module and class that the original reads.

    Attributes:
        taken: How many calls the replacement answered.
        left: How many it left to the original.
        refused: What the replacement last raised, "" if it has not.
    """

    cdef readonly object original
    cdef object replacement
    cdef tuple depths
    cdef tuple reads
    cdef int64_t calls_taken
    cdef int64_t calls_left
    cdef readonly str refused

    def __init__(self, original, replacement, tuple depths not None, tuple reads not None):
        self.original = original
        self.replacement = replacement
        self.depths = depths
        self.reads = reads
        self.refused = ""

    @property
    def taken(self):
        return fb_read(&self.calls_taken)

    @property
    def left(self):
        return fb_read(&self.calls_left)

    def __call__(self, *args, **kwargs):
        if fb_read(&threads_refused) and hasattr(in_thread, "refused"):
            return self.original(*args, **kwargs)
        if not all_hold(self.reads):
            fb_add(&self.calls_left, 1)
            return self.original(*args, **kwargs)
        if self.are_of_subclasses(args):
            fb_add(&self.calls_left, 1)
            return self.refuse(args, kwargs)
        try:
            result = self.replacement(*args, **kwargs)
        except MemoryError:
            raise
        except Exception as error:  # the original says what is wrong, in its own words
            self.refused = f"{type(error).__name__}: {error}"
            fb_add(&self.calls_left, 1)
            return self.refuse(args, kwargs)
        if result is NOT_CONCERNED:
            return self.original(*args, **kwargs)
        if result is LEFT:
            fb_add(&self.calls_left, 1)
            return self.original(*args, **kwargs)
        fb_add(&self.calls_taken, 1)
        return result

    cdef bint are_of_subclasses(self, tuple args) except -1:
        cdef Py_ssize_t i
        for i in range(min(len(args), len(self.depths))):
            if has_own_methods(args[i], self.depths[i]):
                return True
        return False

    cdef object refuse(self, tuple args, dict kwargs):
        """Runs the original; what it calls in turn would be refused again."""
        in_thread.refused = True
        fb_add(&threads_refused, 1)
        try:
            return self.original(*args, **kwargs)
        finally:
            fb_add(&threads_refused, -1)
            del in_thread.refused
