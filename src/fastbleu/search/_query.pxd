"""A query, and its matches with one text after another."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef struct Query:
    # Buffers.
    uint64_t* sets               # by number of a token: where it stands in a query of up to 128 tokens
    uint32_t* tokens
    int64_t* matches             # of the text at hand, by order
    # N-grams of a long query, by class.
    uint32_t* slots
    uint64_t* keys
    uint32_t* available          # how often the query has it
    uint32_t* taken              # by the text at hand; all 0 between texts
    uint32_t* used               # classes that the text at hand has taken
    uint32_t* before             # the classes of n-grams that end at the token before, by order
    # No more buffers.
    size_t vocabulary            # tokens that have sets
    int most_orders              # of the formula
    int orders                   # of which it has classes
    size_t length                # in tokens
    size_t words                 # in which its tokens have places; 0: it has classes
    size_t mask
    size_t classes

cdef int begin_matching(Query* query, int orders, size_t vocabulary) except -1 nogil
cdef void free_query(Query* query) noexcept nogil
cdef int begin_query(Query* query, const uint32_t* tokens, size_t length) except -1 nogil
cdef void end_query(Query* query) noexcept nogil
cdef int count_matches(Query* query, const uint32_t* tokens, size_t length) except -1 nogil
