"""What the routes of the n-gram kernel share: a segment's index, the memory to work in, tokens and their keys."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

# How the references of a segment are indexed.
cdef enum:
    POSITION_SETS = 0            # tokens are looked up in `slots`; sets of `words` words in `positions`
    SETS_BY_ID = 1               # sets of one word, in an array by id
    NUMBERS_BY_ID = 2            # sets of `words` words; the numbers of the tokens, in an array by id
    TABLES = 3                   # tokens are looked up in `wide_slots`; tables of n-grams, made one order at a time
    KEPT_TABLES = 4              # the same with prepared tables of all orders, which are only read


cdef struct NgramEntry:
    # An entry in the table of the n-grams of one order; 16 bytes, so that each lies in one cache line.
    uint64_t key                 # number of the first n - 1 tokens, and of the last; 0: empty
    uint32_t most                # largest count in any one reference
    uint32_t run                 # count so far in the reference at hand, while the table is filled


cdef struct Index:
    # What matching needs to know of one segment's references.
    int route                    # one of the above
    uint32_t references
    uint32_t tokens              # numbered 1..tokens
    uint32_t words               # of a position set, over all references
    uint32_t orders              # of kept tables, from order 2 on
    uint32_t n_lengths
    uint32_t* lengths            # of each reference, in tokens; in kept tables each length once
    uint32_t* ids                # SETS_BY_ID, NUMBERS_BY_ID: the ids in use, `tokens` of them
    size_t slot_mask
    uint16_t* slots              # POSITION_SETS: numbers of tokens
    uint32_t* wide_slots         # TABLES, KEPT_TABLES: likewise
    uint16_t* by_id              # NUMBERS_BY_ID: likewise
    fb_key* keys                 # by number
    uint64_t* bytes_at           # by number: where a long token's bytes are, from bytes_base on
    uint64_t bytes_base
    uint64_t* positions          # sets by number; SETS_BY_ID: that of an id at id + 1
    uint32_t* most               # TABLES, KEPT_TABLES, by number: largest count of the token in any one reference
    size_t* table_masks          # KEPT_TABLES, by order - 2: slots less one
    NgramEntry** tables


cdef struct Workspace:
    # Memory that one thread works in, used again from segment to segment.
    Spans spans
    # Buffers.
    fb_key* token_keys           # of the references' tokens, then of the hypothesis'
    uint64_t* token_bytes        # address of each token's bytes
    uint32_t* numbers            # of the tokens
    uint32_t* prefixes           # number of the n-gram that ends at each token
    fb_key* keys
    uint64_t* bytes_at
    uint64_t* positions
    uint16_t* slots
    uint32_t* ids                # of the references, where their numbers stand by id
    uint32_t* wide_slots
    uint32_t* lengths
    uint32_t* most
    NgramEntry* table
    uint32_t* runs               # counts of the n-grams of one text so far; all zero between texts
    uint64_t* sets               # position sets of the last n-grams, and the positions not yet used
    uint8_t* hits
    int64_t* correct
    uint8_t* marks               # where matches of a hypothesis end
    uint16_t* by_id              # all zero between segments
    uint64_t* sets_by_id         # likewise
    # No more buffers.
    size_t tokens


cdef void free_workspace(Workspace* work) noexcept nogil
cdef size_t workspace_bytes(Workspace* work) noexcept nogil
cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil
cdef long read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil


cdef inline bint has_position_sets(const Index* index) noexcept nogil:
    return index.route <= NUMBERS_BY_ID


cdef inline bint is_by_id(const Index* index) noexcept nogil:
    return index.route == SETS_BY_ID or index.route == NUMBERS_BY_ID
