"""Signals, Ctrl-C among them, are handled inside long loops: each looks for them once in STEPS_PER_CHECK steps.

Handlers are Python code, which may raise and may change any list of the caller. So kernels look for signals only where
they hold no pointer into such a list.
"""

from libc.stddef cimport size_t
from libc.string cimport memset

cdef extern from "_native/signals.h" nogil:
    int fb_handle_signals() except -1

cdef enum:
    STEPS_PER_CHECK = 1 << 18       # Tokens, n-grams or characters; they take a few to hundreds of milliseconds.
    BYTES_PER_CHECK = 1 << 24       # Bytes to clear, which takes ten milliseconds if they are new to the process.


cdef inline int check_signals(size_t done) except -1 nogil:
    """Handle signals if `done`, the number of steps so far, is a multiple of STEPS_PER_CHECK."""
    if done % STEPS_PER_CHECK == 0 and done:
        return fb_handle_signals()
    return 0


cdef inline int check_after(size_t steps) except -1 nogil:
    """Handle signals after a fast loop of this many steps, if they are at least STEPS_PER_CHECK."""
    return fb_handle_signals() if steps >= STEPS_PER_CHECK else 0


cdef inline size_t next_check(size_t start, size_t stop) noexcept nogil:
    """Return how far a loop from `start` to `stop` may go before it calls check_signals again."""
    return min(stop, (start // STEPS_PER_CHECK + 1) * STEPS_PER_CHECK)


cdef inline int clear_memory(void* memory, size_t bytes) except -1 nogil:
    """Make memory all zero."""
    cdef size_t part
    while bytes > BYTES_PER_CHECK:
        part = BYTES_PER_CHECK
        memset(memory, 0, part)
        memory = <char*>memory + part
        bytes -= part
        fb_handle_signals()
    memset(memory, 0, bytes)
    return 0
