"""The texts of one part of an index, and which of them have which n-grams."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_ngram_home, fb_seeds
from fastbleu.inputs._column cimport Memory

cdef enum:
    LISTED_ORDERS = 2            # of which n-grams there are lists
    N_ARRAYS = 7

cdef struct TextLists:
    # Texts in the order of their lengths. Arrays that a part holds:
    const uint32_t* starts       # [texts + 1]: where each text's tokens begin
    const uint32_t* tokens
    const uint32_t* order        # [texts]: their numbers in the order in which they came
    const uint32_t* lengths      # [n_lengths]: the distinct lengths, ascending
    const uint32_t* firsts       # [n_lengths + 1]: the first text of each length, and how many texts there are
    const uint32_t* list_starts  # [n_lists + 1]: where each list begins
    const uint32_t* listed       # the texts of each list, ascending; one comes for each of its n-grams
    # No more arrays.
    size_t texts
    size_t n_lengths
    size_t n_lists
    fb_seeds seeds

cdef class Part:
    cdef TextLists lists
    cdef list held
    cdef Memory memory           # of a file; None: the part has its own
    cdef readonly list arrays


cdef inline bint has_list(const uint32_t* tokens, size_t t, int order) noexcept nogil:
    """Return whether the n-gram of order 1 or 2 that ends at a place has a list: its tokens have numbers."""
    return t + 1 >= <size_t>order and tokens[t] != 0 and (order == 1 or tokens[t - 1] != 0)


cdef inline size_t list_of(const uint32_t* tokens, size_t t, int order, size_t n_lists, fb_seeds seeds) noexcept nogil:
    """The list of the n-gram of order 1 or 2 that ends at a place, below n_lists: a hash of the n-gram."""
    cdef uint64_t key = tokens[t] if order == 1 else <uint64_t>tokens[t - 1] << 32 | tokens[t]
    return <size_t>((<uint64_t>fb_ngram_home(key, <size_t>-1, seeds) >> 32) * n_lists >> 32)
