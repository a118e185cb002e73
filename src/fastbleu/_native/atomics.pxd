"""Declarations of atomics.h."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t

cdef extern from "_native/atomics.h" nogil:
    void* fb_take(void** slot)
    bint fb_put(void** slot, void* pointer)
    int64_t fb_read(const int64_t* number)
    void fb_write(int64_t* number, int64_t value)
    void fb_add(int64_t* number, int64_t value)
    size_t fb_slot_of_thread(uint64_t thread, unsigned bits)
