/* Memory that several threads read and write without a lock.
 *
 * With a free-threaded interpreter two threads may be in the same method of the same object. What they both write goes
 * through these functions, and costs what a plain load or store costs, but for the exchanges.
 */
#ifndef FASTBLEU_ATOMICS_H
#define FASTBLEU_ATOMICS_H

#include <stddef.h>
#include <stdint.h>

#include "_native/compiler.h"

#ifdef FB_MSVC

/* Takes what stands in a place, which is empty (NULL) then. What its last owner wrote is seen. */
FB_INLINE void *fb_take(void **place) {
    return _InterlockedExchangePointer((void *volatile *)place, NULL);
}

/* Puts something into a place if that is empty; returns whether it was. */
FB_INLINE int fb_put(void **place, void *thing) {
    return _InterlockedCompareExchangePointer((void *volatile *)place, thing, NULL) == NULL;
}

/* Reads a number that others may be writing: one of those that were written. It orders nothing else. */
FB_INLINE int64_t fb_read(const int64_t *number) {
    return *(const volatile int64_t *)number;
}

FB_INLINE void fb_write(int64_t *number, int64_t value) {
    *(volatile int64_t *)number = value;
}

/* As fb_read, of a number as large as a pointer. */
FB_INLINE intptr_t fb_read_word(const intptr_t *word) {
    return *(const volatile intptr_t *)word;
}

/* Writes a number and returns the one before: of several threads that write the same, one sees a change. */
FB_INLINE int64_t fb_swap(int64_t *number, int64_t value) {
    return _InterlockedExchange64((volatile long long *)number, value);
}

FB_INLINE void fb_add(int64_t *number, int64_t value) {
    _InterlockedExchangeAdd64((volatile long long *)number, value);
}

#else

FB_INLINE void *fb_take(void **place) {
    return __atomic_exchange_n(place, NULL, __ATOMIC_ACQ_REL);
}

FB_INLINE int fb_put(void **place, void *thing) {
    void *empty = NULL;
    return __atomic_compare_exchange_n(place, &empty, thing, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
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

FB_INLINE int64_t fb_swap(int64_t *number, int64_t value) {
    return __atomic_exchange_n(number, value, __ATOMIC_ACQ_REL);
}

FB_INLINE void fb_add(int64_t *number, int64_t value) {
    __atomic_fetch_add(number, value, __ATOMIC_RELAXED);
}

#endif

/* Where a thread begins to look for what it used last: a place below 2^bits, mostly another one for each thread.
 * Threads are known by small numbers, or by addresses that differ by large powers of two; the product scatters both
 * (Fibonacci hashing). */
FB_INLINE size_t fb_place_of_thread(uint64_t thread, unsigned bits) {
    return (size_t)((thread * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits));
}

#endif
