"""The texts of a pool and their n-grams as numbers, for kernels that compare all texts with each other."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastbleu.inputs._column cimport Column, Int64Buffer, View
from fastbleu.counting._workspace cimport Workspace

cdef struct NgramCounts:
    uint32_t max_count           # Largest count in any one text, or in any hypothesis.
    uint32_t second_count        # Largest count in any other text, or in any reference.
    uint32_t running             # Count in the current text; 0 between texts.
    uint32_t base                # For _pair_index: number of its first element.


cdef struct Pool:
    # The texts of one pool: all of one kind, or the hypotheses followed by the references.
    Workspace work
    # Buffers.
    uint32_t* lengths            # Length of each text, in tokens.
    uint64_t* keys               # Key of each listed n-gram of the current order: two numbers of the previous order.
    uint32_t* ends               # Position of the last token of each listed n-gram.
    uint32_t* slots              # Hash table of numbers of n-grams.
    uint64_t* numbered           # Key of each number.
    NgramCounts* counts          # Counts by number, including number 0.
    # The fields below are not buffers.
    size_t texts                 # Number of texts.
    size_t tokens                # Number of tokens of all texts.
    const uint32_t* numbers      # Numbers of the tokens, text after text.
    uint32_t* ngrams             # Number of the n-gram that ends at each token; 0: no other text has it.
    uint32_t n_ngrams            # N-grams of the current order are numbered 1..n_ngrams.


cdef void free_pool(Pool* pool) noexcept nogil
cdef int check_kind(Column column, str name, int tokenizer) except -1
cdef int check_bounds(Int64Buffer bounds, Py_ssize_t length, str name) except -1
cdef int read_pool(Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop,
                   const View* other, int64_t other_start, int64_t other_stop) except -1 nogil
cdef int number_ngrams(Pool* pool) except -1 nogil
cdef int clear_counts(Pool* pool) except -1 nogil
cdef int find_largest(Pool* pool, int n, size_t texts) except -1 nogil
