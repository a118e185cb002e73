"""Number the n-grams of the texts of one pool, for kernels that compare all texts of the pool with each other."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastbleu.inputs._column cimport Column, Int64Buffer, View
from fastbleu.counting._workspace cimport Workspace

cdef struct NgramCounts:
    # The largest counts of an n-gram in single texts, which `find_largest` computes.
    uint32_t max_count           # Largest count in any hypothesis; in a pool without references, in any text.
    uint32_t second_count        # Largest count in any reference; in a pool without references, in any other text.
    uint32_t running             # Count in the text that is being processed; 0 between texts.
    uint32_t base                # In _pair_index: number of the first element of the n-gram.


cdef struct Pool:
    # The texts of one pool; if it has hypotheses and references, the hypotheses are first.
    Workspace work
    # Growable buffers, all of which `free_pool` frees.
    uint32_t* lengths            # [texts]: length of each text, in tokens.
    uint64_t* keys               # Key of each n-gram of order n from `list_ngrams`: two 32-bit numbers of order n - 1.
    uint32_t* ends               # Index of the last token of each listed n-gram.
    uint32_t* slots              # Hash table from keys of n-grams to their numbers.
    uint64_t* numbered           # Key of the n-gram with each number.
    NgramCounts* counts          # [n_ngrams + 1]: counts of each n-gram, by its number.
    # End of the growable buffers.
    size_t texts                 # Number of texts.
    size_t tokens                # Number of tokens in all texts.
    const uint32_t* numbers      # [tokens]: numbers of the tokens, text after text; equal tokens have equal numbers.
    uint32_t* ngrams             # [tokens]: number of the n-gram that ends at each token; 0 if no other text has it.
    uint32_t n_ngrams            # Number of different n-grams of the current order, which are numbered from 1.


cdef void free_pool(Pool* pool) noexcept nogil
cdef int check_kind(Column column, str name, int tokenizer) except -1
cdef int check_bounds(Int64Buffer bounds, Py_ssize_t length, str name) except -1
cdef int read_pool(Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop,
                   const View* other, int64_t other_start, int64_t other_stop) except -1 nogil
cdef int number_ngrams(Pool* pool) except -1 nogil
cdef int clear_counts(Pool* pool) except -1 nogil
cdef int find_largest(Pool* pool, int n, size_t n_hypotheses) except -1 nogil
