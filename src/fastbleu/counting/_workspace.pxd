"""What the routes of the n-gram kernel share: a segment's index, the memory to work in, tokens and their keys."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp

from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

cdef extern from "_native/hashing.h" nogil:
    ctypedef struct fb_key:
        uint64_t low
        uint64_t high
    uint64_t fb_mix(uint64_t a, uint64_t b)

cdef enum:
    FEWEST_SLOTS = 16
    LONG_TAG_SHIFT = 56          # the top byte of a key's second word: the length, or LONG_TAG
    LONG_TAG = 0xff


# Whose length counts, as matching.REFERENCE_LENGTHS numbers the rules.
cdef enum:
    CLOSEST = 0              # the shorter of two equally close
    CLOSEST_FIRST = 1        # the first of two
    SHORTEST = 2


# Numbers of tokens: with position sets there are few.
ctypedef fused number_t:
    uint16_t
    uint32_t


cdef struct NgramEntry:
    # A slot in the table of the n-grams of one order; what a look-up needs lies in one cache line.
    uint64_t key                 # number of the first n - 1 tokens, and of the last; 0: nothing here
    uint32_t most                # largest count in any one reference
    uint32_t run                 # count so far in the reference at hand, while the table is filled


cdef struct Index:
    # What matching needs to know of one segment's references.
    uint32_t references
    uint32_t tokens              # numbered 1..tokens
    uint32_t words               # of a position set; 0: n-grams are numbered
    uint32_t orders              # tables of n-grams, of order 2 on; 0 where they are made one at a time
    uint32_t* ids                # that are in use in an array by id, `tokens` of them
    size_t slot_mask
    uint32_t* lengths            # of each reference, in tokens; once prepared for tables, of equal ones the first
    uint32_t n_lengths           # how many of them
    fb_key* keys                 # by number; the one of number 0 equals no key
    uint64_t* bytes_at           # by number: where a long token's bytes are, from bytes_base on
    uint64_t bytes_base
    uint16_t* slots              # number of the token there, with position sets
    uint16_t* by_id              # number of the token with this id, in their place where all ids are small; else NULL
    uint64_t* sets_by_id         # or, with sets of one word, the sets themselves: of the id at place id + 1; else NULL
    uint32_t* wide_slots         # the same with numbered n-grams
    uint64_t* positions          # by number, `words` each
    uint32_t* most               # by number: largest count of the token in any one reference
    size_t* table_masks          # by order - 2; slots less one
    NgramEntry** tables


cdef struct Workspace:
    # Memory that one thread works in, used again from segment to segment.
    Spans spans
    fb_key* token_keys           # of the references' tokens, then of the hypothesis'
    uint64_t* token_bytes        # address of each token's bytes
    uint32_t* numbers            # of the tokens
    uint32_t* prefixes           # number of the n-gram that ends at each token
    size_t tokens_capacity
    size_t tokens
    fb_key* keys
    size_t keys_capacity
    uint64_t* bytes_at
    size_t bytes_at_capacity
    uint64_t* positions
    size_t positions_capacity
    uint16_t* slots
    size_t slots_capacity
    uint16_t* by_id              # all zero between segments
    size_t by_id_capacity
    uint64_t* sets_by_id         # likewise
    size_t sets_by_id_capacity
    uint32_t* ids                # of the references, where their numbers stand by id
    size_t ids_capacity
    uint32_t* wide_slots
    size_t wide_slots_capacity
    uint32_t* lengths
    size_t lengths_capacity
    uint32_t* most
    size_t most_capacity
    NgramEntry* table
    size_t table_capacity
    uint32_t* runs               # counts of the n-grams of one text so far; all zero between texts
    size_t runs_capacity
    uint64_t* sets               # position sets of the last n-grams, and the positions not yet used
    size_t sets_capacity
    uint8_t* hits
    size_t hits_capacity
    int64_t* correct
    size_t correct_capacity
    uint8_t* marks               # where matches of a hypothesis end
    size_t marks_capacity


cdef uint64_t SEED1, SEED2       # secret, and new in every process

cdef int no_memory() except -1 nogil
cdef void free_workspace(Workspace* work) noexcept nogil
cdef size_t workspace_bytes(const Workspace* work) noexcept nogil
cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil
cdef bint reserve_cleared(void** memory, size_t* capacity, size_t count, size_t item_size) except -1 nogil
cdef long read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil


cdef inline int reserve(void** memory, size_t* capacity, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items; what was there before is lost."""
    if count > capacity[0]:
        free(memory[0])
        capacity[0] = 0
        count += count >> 2
        memory[0] = malloc(count * item_size)
        if memory[0] == NULL:
            no_memory()
        capacity[0] = count
    return 0


cdef inline size_t slots_for(size_t items, size_t slots_per_item) noexcept nogil:
    """The power of two that gives each item so many slots."""
    cdef size_t slots = FEWEST_SLOTS
    while slots < slots_per_item * items:
        slots <<= 1
    return slots


cdef inline bint is_long(fb_key key) noexcept nogil:
    """Whether a key is a hash, so that equal keys still need the tokens' bytes compared."""
    return key.high >> LONG_TAG_SHIFT == LONG_TAG


cdef inline size_t long_length(fb_key key) noexcept nogil:
    """Bytes of the token of a long key."""
    return <size_t>(<uint32_t>key.high)


cdef inline bint other_bytes(
    fb_key key, const uint64_t* a_bytes, uint64_t a_base, const uint64_t* b_bytes
) noexcept nogil:
    """Whether two tokens with this key differ after all: long ones may."""
    if not is_long(key):
        return False
    return memcmp(<const void*>(a_base + a_bytes[0]), <const void*>b_bytes[0], long_length(key)) != 0


cdef inline size_t find_slot(
    const number_t* slots, size_t mask, const fb_key* keys, const uint64_t* bytes_at, uint64_t bytes_base,
    uint64_t low, uint64_t high, const uint64_t* token_bytes, uint64_t seed1, uint64_t seed2,
) noexcept nogil:
    """The slot of a token: the one that holds its number, or else the empty one where the search for it ends.

    One branch for the usual case, which is hard to get wrong: a slot with another token's number is rare, whether the
    token is found or an empty slot is not asked. An empty slot holds 0, the number of no token.
    """
    cdef size_t slot = fb_mix(low ^ seed1, high ^ seed2) & mask
    cdef size_t number
    cdef uint64_t differs
    while True:
        number = slots[slot]
        differs = (keys[number].low ^ low) | (keys[number].high ^ high)
        if (differs != 0) & (number != 0):
            slot = (slot + 1) & mask
        elif differs == 0 and other_bytes(keys[number], &bytes_at[number], bytes_base, token_bytes):
            slot = (slot + 1) & mask
        else:
            return slot
