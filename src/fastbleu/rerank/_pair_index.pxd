"""The elements of the texts of one pool, and which references have them."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport Pool

cdef struct PairIndex:
    # The texts of one pool, once each, the references behind the hypotheses or the same.
    Pool pool
    int most_orders              # that the formula asks for
    int orders                   # that are counted: of many only those that a text is long enough for
    bint own                     # whether the pool is its own evidence
    size_t hypotheses            # distinct
    size_t references            # distinct
    size_t width                 # of a row of the matrix: the references, padded
    uint32_t* places             # of the texts as they were read, which distinct one each is; references from 0 on, too
    size_t places_capacity
    size_t* firsts               # token where each distinct text begins
    size_t firsts_capacity
    uint32_t* slots              # of the distinct texts
    size_t slots_capacity
    uint64_t* hashes
    size_t hashes_capacity
    uint32_t* elements           # [orders][tokens]: of each text, from its first token on; rows of the matrix first
    size_t elements_capacity
    uint32_t* n_elements         # [orders][texts]
    size_t n_elements_capacity
    uint32_t* n_rows             # [orders][texts]: how many of them are rows
    size_t n_rows_capacity
    size_t n_distinct            # elements
    uint32_t* starts             # of the list of each element's references
    size_t starts_capacity
    uint32_t* listed
    size_t listed_capacity
    uint32_t* row_of             # of each element; MOST_ELEMENTS + 1: it is in a list
    size_t row_of_capacity
    uint8_t* matrix              # [rows][width]: 1 where a reference has the element
    size_t matrix_capacity


cdef void free_pair_index(PairIndex* index) noexcept nogil
cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil
cdef int index_elements(PairIndex* index) except -1 nogil
