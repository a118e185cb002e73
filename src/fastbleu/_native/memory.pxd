"""Growable buffers: memory that is used again from call to call and only ever grows.

A buffer is a typed pointer, NULL until it is needed. Its capacity stands in front of its memory, so that a struct
needs one field for each buffer. A struct keeps its buffers next to each other; `release_all` and `held_bytes` go
through them, from the first one to the field after the last. `release_all` also checks how many fields these are.
"""

from libc.stddef cimport size_t
from libc.stdlib cimport abort, calloc, free, malloc, realloc
from libc.string cimport memset

cdef enum:
    HEADER = 16                  # bytes in front of a buffer: the capacity, padded to what malloc aligns to
    WORD_BYTES = 8


cdef inline int no_memory() except -1 nogil:
    with gil:
        raise MemoryError


cdef inline size_t capacity(const void* buffer) noexcept nogil:
    """Bytes that a buffer has room for."""
    return 0 if buffer == NULL else (<const size_t*>(<const char*>buffer - HEADER))[0]


cdef inline size_t held_bytes(void** first, void** end) noexcept nogil:
    """Bytes that the buffers from `first` to the one before `end` have room for."""
    cdef size_t bytes = 0
    while first < end:
        bytes += capacity(first[0])
        first += 1
    return bytes


cdef inline void release(void** buffer) noexcept nogil:
    """Frees a buffer, which is empty then."""
    if buffer[0] != NULL:
        free(<char*>buffer[0] - HEADER)
        buffer[0] = NULL


cdef inline void release_all(void** first, void** end, size_t count) noexcept nogil:
    """Free the `count` buffers from `first` to the one before `end`.

    Abort if the fields between them take another size than `count` pointers. Compilers know the distance, so that
    nothing is left of this check where it holds.
    """
    cdef size_t k
    if first + count != end:
        abort()
    for k in range(count):
        release(first + k)


cdef inline int put_in_place(void** buffer, void* block, size_t bytes) except -1 nogil:
    """Makes a block of HEADER + bytes the memory of a buffer."""
    if block == NULL:
        return no_memory()
    (<size_t*>block)[0] = bytes
    buffer[0] = <char*>block + HEADER
    return 0


cdef inline int resize(void** buffer, size_t bytes) except -1 nogil:
    """Gives a buffer room for exactly this many bytes, and keeps what it holds of them."""
    return put_in_place(
        buffer, realloc(NULL if buffer[0] == NULL else <char*>buffer[0] - HEADER, HEADER + bytes), bytes)


cdef inline int grow(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items, and keeps those that are there."""
    cdef size_t bytes = count * item_size, held = capacity(buffer[0])
    return resize(buffer, max(bytes, held + (held >> 1))) if bytes > held else 0


cdef inline int reserve(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items; what the buffer held is lost."""
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return 0
    release(buffer)
    bytes += bytes >> 2
    return put_in_place(buffer, malloc(HEADER + bytes), bytes)


cdef inline bint reserve_cleared(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items; returns whether they are new, and then all zero.

    Large memory comes from the system already cleared: clearing it again would cost as much as using it.
    """
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return False
    release(buffer)
    put_in_place(buffer, calloc(1, HEADER + bytes), bytes)
    return True


cdef inline void clear(void* buffer) noexcept nogil:
    """Makes all of a buffer zero."""
    if buffer != NULL:
        memset(buffer, 0, capacity(buffer))


cdef inline size_t aligned(size_t bytes) noexcept nogil:
    """A number of bytes, rounded up to whole words."""
    return (bytes + WORD_BYTES - 1) & ~<size_t>(WORD_BYTES - 1)
