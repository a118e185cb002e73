"""A search in one part of an index."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t

from fastbleu.search._bounds cimport Bounds
from fastbleu.search._lists cimport LISTED_ORDERS, TextLists
from fastbleu.search._query cimport Query

cdef struct Pair:
    int64_t first                # the text that is the query, where all are wanted
    int64_t second               # the other one
    double score


cdef struct QueryList:
    uint32_t size                # how many texts it has
    uint32_t list
    uint32_t weight              # for how many n-grams of the query it stands


cdef struct Search:
    Bounds bounds
    Query query
    # Buffers.
    Pair* found
    uint32_t* counts[LISTED_ORDERS]  # by text: for how many tokens and pairs the lists stand in which it has come
    uint32_t* touched            # the texts with counts
    uint32_t* levels             # how many texts have come so often, and have not been scored
    QueryList* lists[LISTED_ORDERS]  # of the query, the shortest first
    size_t* longest_of           # `longest` of other queries in the part, if all are wanted: by length and the `has_`
    # No more buffers.
    size_t n_found
    size_t k                     # how many are wanted, the best; 0: all that reach the floor
    Pair worst                   # of the k best: what is not better does not belong to the result
    const TextLists* part
    int64_t base                 # the number of the part's first text
    double floor
    bint has_distinct_tokens     # whether no token comes twice in the query
    bint has_distinct_pairs      # likewise
    size_t n_lists[LISTED_ORDERS]
    size_t read[LISTED_ORDERS]   # how many of them
    size_t total[LISTED_ORDERS]  # the weights of all lists
    size_t left[LISTED_ORDERS]   # of those that have not been read
    size_t reads                 # texts in them
    size_t next_scores           # reads after which some texts are scored
    size_t n_touched
    size_t shortest              # the place among the part's lengths of the first one that can reach the floor,
    size_t longest               # and the place after the last one
    size_t unseen                # likewise, by a text that has not come; the lengths before cannot
    size_t least                 # the first text that is looked for
    int64_t at_query             # the text that is the query, where all are wanted
    const int64_t* left_out      # by text: not 0 where it is not looked for; NULL: all are
    bint is_counted              # whether the matches of the query with all texts have been counted
    const int64_t* stopped       # not 0 when the search is to end
    size_t done                  # since signals were looked for
    size_t work                  # since it was 0: texts of lists and, where they are scored, tokens

cdef void begin_best(Search* search, size_t k, double floor) noexcept nogil
cdef void take_best(Search* search, int64_t* indices, double* scores) noexcept nogil
cdef void free_search(Search* search) noexcept nogil
cdef int put(Search* search, double found_score, int64_t first, int64_t second) except -1 nogil
cdef int search_part(Search* search, const TextLists* part, int64_t base) except -1 nogil
