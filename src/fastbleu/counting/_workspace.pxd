"""Structures of all routes of the n-gram kernel: a segment's index, the memory to work in, tokens and their keys."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

# How the references of a segment are indexed.
cdef enum:
    POSITION_SETS = 0            # tokens are looked up in `slots`; each reference that is not empty has one word
    WIDE_SETS = 1                # the same, but the only reference that is not empty has two
    SETS_BY_ID = 2               # like POSITION_SETS, but tokens are looked up in `by_id`
    CLASSES = 3                  # tokens are looked up in `wide_slots`, or `by_id`; tables are made for one hypothesis
    KEPT_CLASSES = 4             # tokens are looked up in `wide_slots`; prepared tables, which are only read


cdef struct NgramTable:
    # The references' n-grams of one order. The class of one is a number from 1 on.
    size_t mask                  # slots less one
    size_t after                # the place after the last n-gram; a class is less
    uint32_t* slots              # classes; 0: empty
    uint64_t* keys               # by class; keys[0] is read as well
    uint32_t* most               # by class: the largest count in any one reference; 0 for class 0


cdef struct Index:
    # What matching needs to know of one segment's references.
    int route                    # one of the above
    uint32_t references
    uint32_t tokens              # numbered 1..tokens
    uint32_t words               # of a position set, at least one
    uint32_t orders              # of kept tables
    uint32_t n_lengths
    uint32_t* lengths            # of each reference, in tokens; NULL where there are distinct lengths
    uint64_t* distinct_lengths   # NULL, or as _reference_length.pxd has them
    uint32_t* ids                # the ids in use, where tokens are looked up by id
    size_t slot_mask
    uint16_t* slots              # numbers of tokens
    uint32_t* wide_slots         # likewise
    uint32_t* by_id              # likewise
    fb_key* keys                 # by number
    uint64_t* bytes_at           # by number: where a long token's bytes are, from bytes_base on
    uint64_t bytes_base
    uint64_t* positions          # sets by number
    NgramTable* tables           # KEPT_CLASSES, by order; the first one has `most` alone


cdef struct Workspace:
    # Memory that one thread works in, used again from segment to segment.
    Spans spans
    # Buffers.
    fb_key* token_keys           # of the references' tokens, then of the hypothesis'
    uint64_t* token_bytes        # address of each token's bytes
    # These two from place 1 on.
    uint32_t* numbers            # of the tokens, then classes of the listed n-grams
    uint32_t* ngram_ends         # where each of them ends
    fb_key* keys
    uint64_t* bytes_at
    uint64_t* positions
    uint16_t* slots
    uint32_t* ids                # of the references, where their numbers stand by id
    uint32_t* wide_slots
    uint32_t* lengths
    uint64_t* distinct_lengths
    uint64_t* ngram_keys         # of the listed n-grams, from place 1 on
    uint32_t* ngram_slots
    uint32_t* most               # by class: the largest count in any one reference
    uint32_t* sequence           # numbers of all tokens by where they end, for _match_by_classes
    uint32_t* at                 # by number: where the token ends in the reference; the latest place of several
    uint8_t* settled             # by where an n-gram ends in the reference: orders that have matched there
    uint32_t* matched            # by class: matches so far; all zero between orders and segments
    uint8_t* hits
    int64_t* correct
    uint8_t* marks               # where matches of a hypothesis end
    uint32_t* by_id              # all zero between segments
    uint64_t* sets_by_id         # likewise, for _match_one_short: of one word or two
    void* samples                # where the ids of the hypotheses of one segment are, for _match_one_short
    # No more buffers.
    size_t tokens                # read
    size_t listed                # the place after the last listed token


cdef enum:
    TOKENS_PER_CHECK = 1 << 20   # they take tens of milliseconds; then a kernel looks for a signal


cdef inline int check_signals(size_t done) except -1 nogil:
    """Lets Ctrl-C be heard, once every TOKENS_PER_CHECK of what is done."""
    if done % TOKENS_PER_CHECK == 0 and done:
        with gil:
            PyErr_CheckSignals()
    return 0


cdef inline size_t next_check(size_t start, size_t stop) noexcept nogil:
    """Return how far a loop from `start` to `stop` may go before it calls check_signals again."""
    return min(stop, (start // TOKENS_PER_CHECK + 1) * TOKENS_PER_CHECK)


cdef void free_workspace(Workspace* work) noexcept nogil
cdef size_t workspace_bytes(Workspace* work) noexcept nogil
cdef int reserve_numbers(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil
cdef Py_ssize_t read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil
