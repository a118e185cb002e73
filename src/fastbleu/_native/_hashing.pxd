"""Declarations of hashing.h, the hash seeds of this process, and functions that choose the size of a hash table."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "_native/hashing.h" nogil:
    ctypedef struct fb_seeds:
        uint64_t first
        uint64_t second
    ctypedef struct fb_key:
        uint64_t low
        uint64_t high
    const size_t FB_SHORT_TOKEN
    uint64_t fb_hash_bytes(const uint8_t* p, size_t length, fb_seeds seeds)
    uint64_t fb_spread(uint64_t mixed)
    fb_key fb_id_key(int64_t id)
    fb_key fb_token_key(const uint8_t* p, size_t length, fb_seeds seeds)
    fb_key fb_long_key(uint64_t hash, size_t length)
    size_t fb_home(fb_key key, size_t mask, fb_seeds seeds)
    uint32_t fb_enter_token(
        void* slots, size_t width, size_t mask, fb_key* keys, uint64_t* bytes_at, fb_seeds seeds, fb_key key,
        uint64_t bytes, uint32_t* tokens)
    size_t fb_find_token(
        const void* slots, size_t width, size_t mask, const fb_key* keys, const uint64_t* bytes_at, size_t slot,
        fb_key key, const uint64_t* bytes)
    size_t fb_ngram_home(uint64_t key, size_t mask, fb_seeds seeds)
    size_t fb_find_class(const uint32_t* slots, size_t mask, const uint64_t* keys, size_t slot, uint64_t key)

cdef enum:
    MIN_SLOTS = 16               # The number of slots of the smallest table.
    MAX_CACHED_SLOTS = 1 << 16   # A table with more 32-bit slots than this does not stay in the L1 and L2 caches.
    MIN_SLOTS_PER_ITEM = 2       # Tables with more than MAX_CACHED_SLOTS have at least this many slots per item.

cdef fb_seeds SEEDS


cdef inline size_t slots_for(size_t items, size_t slots_per_item) noexcept nogil:
    """Return the smallest power of two that is at least MIN_SLOTS and at least `slots_per_item * items`."""
    cdef size_t slots = MIN_SLOTS
    while slots < slots_per_item * items:
        slots <<= 1
    return slots


cdef inline size_t cached_slots_for(size_t items, size_t slots_per_item) noexcept nogil:
    """Return the number of slots of a table that should fit in the caches.

    This is the result of `slots_for`; or, if that is more than MAX_CACHED_SLOTS, the larger of MAX_CACHED_SLOTS and the
    result of `slots_for` with MIN_SLOTS_PER_ITEM.
    """
    return max(
        min(slots_for(items, slots_per_item), <size_t>MAX_CACHED_SLOTS), slots_for(items, MIN_SLOTS_PER_ITEM))
