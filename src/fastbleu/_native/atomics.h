/* Lock-free access to memory that several threads read and write.
 *
 * On a free-threaded interpreter, two threads may run the same method of the same object. Fields that both threads may
 * write are accessed only by the functions in this file. A read or write costs as much as a plain load or store; only
 * fb_take, fb_put and fb_add cost more.
 */
#ifndef FASTBLEU_ATOMICS_H
#define FASTBLEU_ATOMICS_H

#include <stddef.h>
#include <stdint.h>

#include "_native/compiler.h"

#ifdef FB_MSVC

/* Set a slot to NULL and return the pointer that it held. The caller then sees everything that another thread wrote
 * before that thread put the pointer into the slot. */
FB_INLINE void *fb_take(void **slot) {
    return _InterlockedExchangePointer((void *volatile *)slot, NULL);
}

/* Put a pointer into a slot if the slot is NULL; return whether it was NULL. */
FB_INLINE int fb_put(void **slot, void *pointer) {
    return _InterlockedCompareExchangePointer((void *volatile *)slot, pointer, NULL) == NULL;
}

/* Read a number that other threads may be writing; the result is one of the values written. This does not order other
 * memory accesses (relaxed memory order). */
FB_INLINE int64_t fb_read(const int64_t *number) {
    return *(const volatile int64_t *)number;
}

FB_INLINE void fb_write(int64_t *number, int64_t value) {
    *(volatile int64_t *)number = value;
}

/* Do the same as fb_read for a number of the size of a pointer. */
FB_INLINE intptr_t fb_read_word(const intptr_t *word) {
    return *(const volatile intptr_t *)word;
}

FB_INLINE void fb_add(int64_t *number, int64_t value) {
    _InterlockedExchangeAdd64((volatile long long *)number, value);
}

#else

FB_INLINE void *fb_take(void **slot) {
    return __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);
}

FB_INLINE int fb_put(void **slot, void *pointer) {
    void *empty = NULL;
    return __atomic_compare_exchange_n(slot, &empty, pointer, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

FB_INLINE int64_t fb_read(const int64_t *number) {
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

FB_INLINE intptr_t fb_read_word(const intptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

FB_INLINE void fb_write(int64_t *number, int64_t value) {
    __atomic_store_n(number, value, __ATOMIC_RELAXED);
}

FB_INLINE void fb_add(int64_t *number, int64_t value) {
    __atomic_fetch_add(number, value, __ATOMIC_RELAXED);
}

#endif

/* Return the index, below 2^bits, of a thread's preferred slot. Most threads get different slots. Thread identifiers
 * are small numbers, or addresses that differ by multiples of large powers of two. Multiplication by this constant
 * scatters both (Fibonacci hashing). */
FB_INLINE size_t fb_slot_of_thread(uint64_t thread, unsigned bits) {
    return (size_t)((thread * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits));
}

#endif
