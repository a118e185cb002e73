"""The elements of the texts of one pool, and the references that contain each element."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport Pool

cdef enum:
    ROW_BLOCK = 128              # Bytes of a matrix row that are summed at a time. Rows are padded to a multiple.


cdef struct PairIndex:
    # The distinct texts of one pool: the hypotheses followed by the references; or the same texts serve as both.
    Pool pool
    # Buffers.
    uint32_t* distinct           # [texts read]: number of the equal distinct text, from 0 for references as well.
    size_t* firsts               # Position of the first token of each distinct text.
    uint32_t* slots              # Hash table of distinct texts, used while they are read.
    fb_key* keys                 # Key of each distinct text by its number, used while they are read.
    uint64_t* bytes_at           # Address of the tokens of each distinct text, used while they are read.
    uint32_t* elements           # [orders][tokens]: elements of each text, from its first token on; matrix rows first.
    uint32_t* n_elements         # [orders][texts]: number of elements.
    uint32_t* n_rows             # [orders][texts]: number of elements that are matrix rows.
    uint32_t* starts             # Start of the list of references of each element in `listed`.
    uint32_t* listed             # References of the elements that are not matrix rows.
    uint32_t* row_of             # Matrix row of each element, or IN_A_LIST.
    uint8_t* matrix              # [rows][width]: 1 where a reference contains the element.
    # The fields below are not buffers.
    int max_orders               # Number of orders that the formula uses.
    int orders                   # Number of orders counted; of many orders only those that a hypothesis can have.
    bint own                     # True if the pool is its own evidence.
    size_t first_reference       # Position of the first reference in `distinct`.
    size_t hypotheses            # Number of distinct hypotheses.
    size_t references            # Number of distinct references.
    size_t width                 # Bytes of a matrix row: the references, padded.
    size_t n_distinct            # Number of elements.


cdef void free_pair_index(PairIndex* index) noexcept nogil
cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop, const uint32_t* given=*,
) except -1 nogil
cdef int index_elements(PairIndex* index) except -1 nogil
cdef int count_part(
    PairIndex* index, size_t hypothesis, size_t first, uint8_t* all_counts, uint32_t* all_wide_counts
) except -1 nogil
