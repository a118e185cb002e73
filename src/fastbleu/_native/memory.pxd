"""Growable buffers, which are reused from call to call and never shrink.

A buffer is a typed pointer, NULL until it is first needed. Its capacity is stored in front of its memory, so a struct
needs only one field per buffer. The buffers of a struct are adjacent fields, and `release_all` and `held_bytes` visit
them from the first one up to the field after the last one. `release_all` also checks the number of these fields.
"""

from libc.stddef cimport size_t
from libc.stdlib cimport abort, calloc, free, malloc, realloc
from libc.string cimport memset

cdef enum:
    HEADER = 16                  # Bytes in front of a buffer: the capacity, padded to the alignment of malloc.


cdef inline int no_memory() except -1 nogil:
    """Raise MemoryError."""
    with gil:
        raise MemoryError


cdef inline size_t capacity(const void* buffer) noexcept nogil:
    """Return the capacity of a buffer in bytes."""
    return 0 if buffer == NULL else (<const size_t*>(<const char*>buffer - HEADER))[0]


cdef inline size_t held_bytes(void** first, void** end) noexcept nogil:
    """Return the capacity, in bytes, of the buffers from `first` to the one before `end`."""
    cdef size_t bytes = 0
    while first < end:
        bytes += capacity(first[0])
        first += 1
    return bytes


cdef inline void release(void** buffer) noexcept nogil:
    """Free a buffer and set it to NULL."""
    if buffer[0] != NULL:
        free(<char*>buffer[0] - HEADER)
        buffer[0] = NULL


cdef inline void release_all(void** first, void** end, size_t count) noexcept nogil:
    """Free the `count` buffers from `first` to the one before `end`.

    Abort if there are not exactly `count` pointers between them. Compilers know the distance of the two fields, so they
    evaluate the check and remove it.
    """
    cdef size_t k
    if first + count != end:
        abort()
    for k in range(count):
        release(first + k)


cdef inline int set_memory(void** buffer, void* block, size_t bytes) except -1 nogil:
    """Let a buffer of `bytes` bytes use a newly allocated block of HEADER + `bytes` bytes, or raise if that is NULL."""
    if block == NULL:
        return no_memory()
    (<size_t*>block)[0] = bytes
    buffer[0] = <char*>block + HEADER
    return 0


cdef inline int resize(void** buffer, size_t bytes) except -1 nogil:
    """Set the capacity of a buffer to exactly `bytes`, and keep as much of its content as fits."""
    return set_memory(
        buffer, realloc(NULL if buffer[0] == NULL else <char*>buffer[0] - HEADER, HEADER + bytes), bytes)


cdef inline int grow(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Make room for `count` items, and keep the content."""
    cdef size_t bytes = count * item_size, held = capacity(buffer[0])
    return resize(buffer, max(bytes, held + (held >> 1))) if bytes > held else 0


cdef inline int reserve(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Make room for `count` items; the content is lost if the buffer grows."""
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return 0
    release(buffer)
    bytes += bytes >> 2
    return set_memory(buffer, malloc(HEADER + bytes), bytes)


cdef inline bint reserve_cleared(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Make room for `count` items; return True if the memory is new, and then all zero.

    The system hands out large blocks already cleared. Clearing them again would take as long as using them.
    """
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return False
    release(buffer)
    set_memory(buffer, calloc(1, HEADER + bytes), bytes)
    return True


cdef inline void clear(void* buffer) noexcept nogil:
    """Fill a whole buffer with zeros."""
    if buffer != NULL:
        memset(buffer, 0, capacity(buffer))
