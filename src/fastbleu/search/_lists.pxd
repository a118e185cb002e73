"""The texts of one part of an index, and which of them have which n-grams."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_seeds
from fastbleu.inputs._column cimport Memory

cdef enum:
    LISTED_ORDERS = 2            # of which n-grams there are lists
    N_ARRAYS = 6 + 2 * LISTED_ORDERS

cdef struct Occurrences:
    # How often each n-gram has come in the text at hand.
    uint64_t* hashes             # a buffer
    uint32_t* counts             # likewise; 0: an empty slot
    size_t mask

cdef struct TextLists:
    # Distinct texts in the order of their lengths. Buffers, or memory of a file:
    uint32_t* starts             # [texts + 1]: where each text's tokens begin
    uint32_t* tokens
    uint32_t* copy_starts        # [texts + 1]: where the list of each text's copies begins
    uint32_t* copied             # [copies]: their numbers in the order in which they came
    uint32_t* lengths            # [n_lengths]: the distinct lengths, ascending
    uint32_t* firsts             # [n_lengths + 1]: the first text of each length
    # By order - 1: for each list where it begins, and the texts that it has, ascending.
    uint32_t* list_starts[LISTED_ORDERS]
    uint32_t* listed[LISTED_ORDERS]
    # No more buffers.
    size_t texts
    size_t copies                # texts, equal ones too
    size_t n_lengths
    size_t n_listed[LISTED_ORDERS]
    size_t masks[LISTED_ORDERS]  # lists less one
    fb_seeds seeds
    bint is_in_file              # whether the numbers may be any

cdef class Part:
    cdef TextLists lists
    cdef Memory memory           # of a file; None: the part has its own
    cdef int sizes_of(self, size_t* sizes) noexcept

cdef size_t list_elements(
    Occurrences* seen, const uint32_t* tokens, size_t count, int order, size_t mask, fb_seeds seeds, uint32_t* out,
    bint* repeats
) except? 0 nogil
