"""The texts of a pool and their n-grams as numbers, for kernels that compare all of them with each other."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastbleu.inputs._column cimport Column, Int64Buffer, View
from fastbleu.counting._workspace cimport Workspace

cdef struct NgramCounts:
    uint32_t most                # the largest count in any one text, or in any hypothesis
    uint32_t second              # the largest count in any other text, or in any reference
    uint32_t run                 # in the text at hand; 0 between texts
    uint32_t base                # of _pair_index: its first element


cdef struct Pool:
    # The texts of one pool: all alike, or first hypotheses and then references.
    Workspace work
    # Buffers.
    uint32_t* lengths            # of each text, in tokens
    # The n-grams of the order at hand that are looked at, each named by two numbers of the order before, and where it
    # ends.
    uint64_t* keys
    uint32_t* ends
    uint32_t* slots              # numbers
    uint64_t* numbered           # keys by number
    NgramCounts* counts          # by number; there is one for 0
    # No more buffers.
    size_t texts
    size_t tokens                # of all texts
    const uint32_t* numbers      # of their tokens, text after text
    uint32_t* ngrams             # number of the n-gram that ends at each token; 0: one that no other text has
    uint32_t n_ngrams            # of the order at hand, numbered 1..n_ngrams


cdef void free_pool(Pool* pool) noexcept nogil
cdef int check_kind(Column column, str name, int tokenizer) except -1
cdef int check_bounds(Int64Buffer bounds, Py_ssize_t length, str name) except -1
cdef int read_pool(Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop,
                   const View* other, int64_t other_start, int64_t other_stop) except -1 nogil
cdef int number_ngrams(Pool* pool) except -1 nogil
cdef int clear_counts(Pool* pool) except -1 nogil
cdef void find_largest(Pool* pool, int n, size_t texts) noexcept nogil
