"""A query, and its matches with one text after another."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace
from fastbleu.inputs._column cimport View

cdef struct Query:
    # Buffers.
    uint64_t* sets               # by number of a token: where it stands in a query of up to 128 tokens
    uint32_t* tokens
    int64_t* row                 # of statistics, of the text at hand
    # A long query has these:
    int64_t* ids                 # its tokens, then those of the text at hand
    NgramTable* tables
    # No more buffers.
    int64_t* matches             # in the row, by order
    Workspace work
    Index index                  # of a long query
    View view                    # of `ids`
    int64_t start                # of the only segment there
    int64_t end
    void* kept                   # the ReferenceIndex of its tables
    size_t vocabulary            # tokens that have sets
    int most_orders              # of the formula
    size_t length                # in tokens
    size_t words                 # in which its tokens have places; 0: it has an index

cdef int begin_matching(Query* query, int orders, size_t vocabulary) except -1 nogil
cdef void free_query(Query* query) noexcept nogil
cdef int begin_query(Query* query, const uint32_t* tokens, size_t length) except -1 nogil
cdef void end_query(Query* query) noexcept nogil
cdef int count_matches(Query* query, const uint32_t* tokens, size_t length) except -1 nogil
