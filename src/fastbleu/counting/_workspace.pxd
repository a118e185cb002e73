"""Structures of all routes of the n-gram kernel: a segment's index, the memory to work in, tokens and their keys."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

# How the hypotheses of a segment are matched with its references; `_segment` chooses.
cdef enum:
    ONE_SHORT = 0                # one short reference, by _match_one_short, without an Index
    SHORT_SETS = 1               # several short ones, by sets of positions
    CLASSES = 2                  # all others, by classes of n-grams


cdef struct Options:
    # How segments are counted, and what their tokens are.
    int tokenizer                # the kernel's number of a tokenizer, or TOKENIZE_IDS
    int order                    # the largest n
    int rule                     # the reference length's, as _reference_length.pxd has it
    bint by_id                   # tokens are ids that are looked up in an array,
    size_t n_ids                 # since all of them are below this


cdef struct NgramTable:
    # The references' n-grams of one order. The class of one is a number from 1 on.
    # Buffers, if the table is kept.
    uint32_t* slots              # classes; 0: empty
    uint64_t* keys               # by class; keys[0] is read as well
    uint32_t* most               # by class: the largest count in any one reference; 0 for class 0
    # No more buffers.
    size_t mask                  # slots less one
    size_t after                 # the place after the last n-gram; a class is less


cdef struct Index:
    # What matching needs to know of one segment's references.
    int route                    # one of the above
    const View* only             # the column of the only reference, for ONE_SHORT,
    int64_t at                   # and its place there
    uint32_t references
    uint32_t tokens              # numbered 1..tokens
    uint32_t words               # of a position set, one for each reference with tokens, at least one
    uint32_t n_lengths
    uint32_t* lengths            # of each reference, in tokens
    uint64_t* distinct_lengths   # NULL, or n_lengths of them, as _reference_length.pxd has them
    # Tokens are looked up by id, or else in a hash table: of 16 bits for SHORT_SETS, of 32 for CLASSES.
    uint32_t* by_id              # numbers of tokens; NULL: by the hash table
    uint32_t* ids                # the ids in use
    size_t slot_mask
    uint16_t* slots              # numbers of tokens
    uint32_t* wide_slots         # likewise
    fb_key* keys                 # by number
    uint64_t* bytes_at           # by number: where a long token's bytes are
    uint64_t* positions          # SHORT_SETS: sets by number
    # CLASSES: tables that several hypotheses share. NULL: each has tables of its own.
    NgramTable* tables           # by order; the first one has `most` alone
    int orders                   # of these tables


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
    int64_t* totals              # the sum of the rows of a call
    int64_t* rows                # of the hypotheses at hand, if the caller wants none
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
cdef int append_keys(Workspace* work, size_t count) except -1 nogil
cdef Py_ssize_t read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil
