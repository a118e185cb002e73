"""atomics.h."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t

cdef extern from "_native/atomics.h" nogil:
    void* fb_take(void** place)
    bint fb_put(void** place, void* thing)
    int64_t fb_read(const int64_t* number)
    void fb_write(int64_t* number, int64_t value)
    int64_t fb_swap(int64_t* number, int64_t value)
    void fb_add(int64_t* number, int64_t value)
    size_t fb_place_of_thread(uint64_t thread, unsigned bits)
