"""An index of the texts of one pool: the n-gram occurrences of each text, and the references that contain them.

In this index, an *element* is the k-th occurrence of an n-gram in a text, as `_pair_index.pyx` explains.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport Pool

cdef enum:
    # Number of bytes of a matrix row that `sum_rows` sums at a time. The length of rows is padded to a multiple of it.
    ROW_BLOCK = 128


cdef struct PairIndex:
    # The distinct hypotheses, followed by the distinct references unless the hypotheses are also the references.
    Pool pool
    # Growable buffers, all of which `free_pair_index` frees.
    # [texts read]: number of the distinct text that each text equals. References are numbered from 0 as well.
    uint32_t* distinct
    size_t* firsts               # [distinct texts]: index of the first token of each text in `pool.numbers`.
    uint32_t* slots              # Hash table of the distinct texts, used only while texts are read.
    fb_key* keys                 # Hash key of each distinct text, used only while texts are read.
    uint64_t* bytes_at           # Address of the tokens of each distinct text, used only while texts are read.
    # [orders][tokens]: elements of each text, from the index of its first token on. An element is a number for the k-th
    # occurrence of an n-gram in a text.
    uint32_t* elements
    uint32_t* n_elements         # [orders][distinct texts]: number of elements of each text.
    uint32_t* n_rows             # [orders][distinct texts]: number of elements of each text that have a matrix row.
    uint32_t* starts             # Start of the list of each element in `reference_lists`.
    uint32_t* reference_lists    # Lists of the references that contain an element, for elements without a matrix row.
    uint32_t* row_of             # Matrix row of each element, or IN_A_LIST if it has none.
    uint8_t* matrix              # [rows][width]: 1 where the reference of the column contains the element of the row.
    # End of the growable buffers.
    int max_orders               # Number of n-gram orders that the formula uses.
    # Number of orders counted: `max_orders`, but if that exceeds MAX_TABLE_ORDERS, at most the length of the longest
    # hypothesis.
    int orders
    bint shared                  # True if the hypotheses are also the references.
    size_t first_reference       # Index of the first reference in `distinct`; 0 if `shared`.
    size_t hypotheses            # Number of distinct hypotheses.
    size_t references            # Number of distinct references.
    size_t width                 # Length of a matrix row in bytes: one byte per distinct reference, and padding.
    size_t n_distinct            # Number of different elements.


cdef void free_pair_index(PairIndex* index) noexcept nogil
cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop, const uint32_t* known_numbers=*,
) except -1 nogil
cdef int build_index(PairIndex* index) except -1 nogil
cdef int count_index_matches(
    PairIndex* index, size_t hypothesis, size_t first, uint8_t* all_counts, uint32_t* all_counts_32
) except -1 nogil
