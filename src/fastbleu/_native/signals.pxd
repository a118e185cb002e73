"""Handle signals, such as that of Ctrl-C, inside long loops: each loop checks for signals every STEPS_PER_CHECK steps.

Signal handlers are Python code, which may raise errors and may change the caller's lists. So a kernel must not check
for signals while it has a pointer into a Python list.
"""

from libc.stddef cimport size_t
from libc.string cimport memset

cdef extern from "_native/signals.h" nogil:
    int fb_handle_signals() except -1

cdef enum:
    STEPS_PER_CHECK = 1 << 18    # Check after this many tokens, n-grams or characters: a few to hundreds of ms.
    BYTES_PER_CHECK = 1 << 24    # Check after clearing this many bytes, which takes 10 ms for newly allocated memory.


cdef inline int check_signals(size_t done) except -1 nogil:
    """Handle signals if `done`, the number of steps so far, is a multiple of STEPS_PER_CHECK."""
    if done % STEPS_PER_CHECK == 0 and done:
        return fb_handle_signals()
    return 0


cdef inline int check_after(size_t steps) except -1 nogil:
    """Handle signals after a fast loop without checks, if it had at least STEPS_PER_CHECK steps."""
    return fb_handle_signals() if steps >= STEPS_PER_CHECK else 0


cdef inline size_t next_check(size_t start, size_t stop) noexcept nogil:
    """Return the index, at most `stop`, where a loop that is at `start` must call check_signals again."""
    return min(stop, (start // STEPS_PER_CHECK + 1) * STEPS_PER_CHECK)


cdef inline int clear_memory(void* memory, size_t bytes) except -1 nogil:
    """Fill memory with zeros, and handle signals every BYTES_PER_CHECK bytes."""
    cdef size_t part
    while bytes > BYTES_PER_CHECK:
        part = BYTES_PER_CHECK
        memset(memory, 0, part)
        memory = <char*>memory + part
        bytes -= part
        fb_handle_signals()
    memset(memory, 0, bytes)
    return 0
