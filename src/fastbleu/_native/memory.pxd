"""Growable buffers, which are reused from call to call and never shrink.

A buffer is a typed pointer, which is NULL until the buffer is first used. The capacity of a buffer is stored in front
of its memory, so a struct needs only one field per buffer. The buffers of a struct must be adjacent fields:
`release_all` and `allocated_bytes` take the address of the first buffer and that of the field after the last one.
"""

from libc.stddef cimport size_t
from libc.stdlib cimport abort, calloc, free, malloc, realloc
from libc.string cimport memset

cdef enum:
    HEADER = 16                  # The number of bytes before a buffer: its capacity, padded to malloc's alignment.


cdef inline int no_memory() except -1 nogil:
    """Raise MemoryError."""
    with gil:
        raise MemoryError


cdef inline size_t capacity(const void* buffer) noexcept nogil:
    """Return the capacity of a buffer in bytes."""
    return 0 if buffer == NULL else (<const size_t*>(<const char*>buffer - HEADER))[0]


cdef inline size_t allocated_bytes(void** first, void** end) noexcept nogil:
    """Return the total capacity, in bytes, of the buffers from `first` to the one before `end`."""
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

    Abort the process if the number of fields from `first` to `end` is not `count`. This finds callers that were not
    adapted to a change of a struct. Compilers evaluate this check at compile time.
    """
    cdef size_t k
    if first + count != end:
        abort()
    for k in range(count):
        release(first + k)


cdef inline int set_memory(void** buffer, void* block, size_t bytes) except -1 nogil:
    """Set a buffer to a new block of HEADER + `bytes` bytes, and store its capacity. A NULL block is a MemoryError."""
    if block == NULL:
        return no_memory()
    (<size_t*>block)[0] = bytes
    buffer[0] = <char*>block + HEADER
    return 0


cdef inline int resize(void** buffer, size_t bytes) except -1 nogil:
    """Set the capacity of a buffer to exactly `bytes` bytes, and keep as much of the content as fits."""
    return set_memory(
        buffer, realloc(NULL if buffer[0] == NULL else <char*>buffer[0] - HEADER, HEADER + bytes), bytes)


cdef inline int grow(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Enlarge a buffer to a capacity of at least `count` items, and keep its content."""
    cdef size_t bytes = count * item_size, held = capacity(buffer[0])
    return resize(buffer, max(bytes, held + (held >> 1))) if bytes > held else 0


cdef inline int reserve(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Enlarge a buffer to a capacity of at least `count` items. If it has to grow, its content is lost."""
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return 0
    release(buffer)
    bytes += bytes >> 2
    return set_memory(buffer, malloc(HEADER + bytes), bytes)


cdef inline bint reserve_cleared(void** buffer, size_t count, size_t item_size) except -1 nogil:
    """Enlarge a buffer to a capacity of at least `count` items; return True if the memory is new and thus all zero.

    The operating system provides large new blocks filled with zeros, so clearing them again would waste time.
    """
    cdef size_t bytes = count * item_size
    if bytes <= capacity(buffer[0]):
        return False
    release(buffer)
    set_memory(buffer, calloc(1, HEADER + bytes), bytes)
    return True


cdef inline void clear(void* buffer) noexcept nogil:
    """Fill a buffer with zeros up to its capacity."""
    if buffer != NULL:
        memset(buffer, 0, capacity(buffer))
