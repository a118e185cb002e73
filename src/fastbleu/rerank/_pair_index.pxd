"""The elements of the texts of one pool, and which references have them."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport Pool

cdef enum:
    ROW_BLOCK = 128              # bytes of a row of the matrix that are summed at a time; rows are padded to it


cdef struct PairIndex:
    # The distinct texts of one pool: the hypotheses, and after them the references; or both are the same texts.
    Pool pool
    # Buffers.
    uint32_t* places             # of each text that was read: which distinct one it is; references from 0 on, too
    size_t* firsts               # token where each distinct text begins
    uint32_t* slots              # of the distinct texts, while they are sought
    fb_key* keys                 # likewise, by number
    uint64_t* bytes_at
    uint32_t* elements           # [orders][tokens]: of each text, from its first token on; rows of the matrix first
    uint32_t* n_elements         # [orders][texts]
    uint32_t* n_rows             # [orders][texts]: how many of the elements are rows
    uint32_t* starts             # of the list of each element's references
    uint32_t* listed
    uint32_t* row_of             # of each element; IN_A_LIST: it has none
    uint8_t* matrix              # [rows][width]: 1 where a reference has the element
    # No more buffers.
    int most_orders              # that the formula uses
    int orders                   # that are counted: if very many, only those that a text is long enough for
    bint own                     # whether the pool is its own evidence
    size_t first_reference       # where the references begin in `places`
    size_t hypotheses            # distinct
    size_t references            # distinct
    size_t width                 # of a row of the matrix: the references, padded
    size_t n_distinct            # elements


cdef void free_pair_index(PairIndex* index) noexcept nogil
cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop, const uint32_t* given=*,
) except -1 nogil
cdef int index_elements(PairIndex* index) except -1 nogil
cdef void count_part(
    PairIndex* index, size_t hypothesis, size_t first, uint8_t* all_counts, uint32_t* all_wide_counts
) noexcept nogil
