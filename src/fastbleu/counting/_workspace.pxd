"""Structures that all routes of n-gram matching share: the index of a segment, and the memory to work in."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

# The ways to match hypotheses with references. `choose_route` in _segment.pyx chooses one.
cdef enum:
    ROUTE_ONE_SHORT = 0          # One short reference: _match_one_short, which uses no more of the Index than its view.
    ROUTE_SHORT = 1              # Several short references: _match_short_references, by sets of positions.
    ROUTE_LONG = 2               # Everything else: _match_long_references, by classes of n-grams.


cdef struct Options:
    # The options of tokenizing and counting.
    int tokenizer                # The number of a tokenizer, or TOKENIZE_IDS.
    int order                    # The largest n.
    int rule                     # The rule for the reference length (_reference_length.pxd).
    bint by_id                   # Whether tokens are ids that are looked up in an array.
    size_t n_ids                 # With `by_id`: a number above all ids.


cdef struct NgramTable:
    # The references' n-grams of one order. Their classes are numbers from 1 on.
    # If hypotheses share the table, it owns these buffers; otherwise the workspace does.
    uint32_t* slots              # Classes; 0 in empty slots.
    uint64_t* keys               # The keys by class; keys[0] is read as well.
    uint32_t* max_counts         # [class]: the largest count in any one reference; 0 for class 0.
    # The fields below are not buffers.
    size_t mask                  # The number of slots minus 1.
    size_t after                 # One more than the largest class.


cdef struct Index:
    # The references of one segment, as hypotheses are matched against them.
    int route                    # One of the routes above.
    const View* view             # ROUTE_ONE_SHORT: the column of the only reference.
    int64_t position             # ROUTE_ONE_SHORT: its index in that column.
    uint32_t references          # The number of references.
    uint32_t tokens              # The number of distinct tokens, which are numbered 1..tokens.
    uint32_t words               # Words of a position set: the number of references with tokens, at least 1.
    uint32_t* lengths            # The length of each reference, in tokens; without repetitions if hypotheses share it.
    uint32_t n_lengths           # The number of these lengths.
    # Tokens are looked up by id, or else in a hash table: of 16 bits for ROUTE_SHORT, of 32 for ROUTE_LONG.
    uint32_t* by_id              # Numbers of tokens by id; NULL for a hash table.
    uint32_t* ids                # The ids that are in use in `by_id`.
    size_t slot_mask             # The number of slots minus 1.
    uint16_t* slots              # ROUTE_SHORT: numbers of tokens; 0 in empty slots.
    uint32_t* slots_32         # ROUTE_LONG: numbers of tokens; 0 in empty slots.
    fb_key* keys                 # The keys of tokens by number.
    uint64_t* bytes_at           # The addresses of long tokens' bytes by number.
    uint64_t* positions          # ROUTE_SHORT: position sets by number.
    NgramTable* tables           # ROUTE_LONG: shared tables by order - 1 (no hash table for order 1), or NULL.
    int orders                   # The number of these tables.


cdef struct Workspace:
    # The memory of one thread, reused from segment to segment.
    Spans spans
    # Buffers. Those without a comment hold the fields of an Index that have the same names.
    fb_key* token_keys           # The keys of all tokens: the references', then the hypothesis'.
    uint64_t* token_bytes        # The addresses of the bytes of these tokens.
    uint32_t* numbers            # From index 1: the numbers of tokens, later the classes of the listed n-grams.
    uint32_t* ngram_ends         # From index 1: where each of these n-grams ends.
    fb_key* keys
    uint64_t* bytes_at
    uint64_t* positions
    uint16_t* slots
    uint32_t* ids
    uint32_t* slots_32
    uint32_t* lengths
    uint64_t* ngram_keys         # From index 1: the keys of the listed n-grams.
    uint32_t* ngram_slots        # The hash table of n-grams: their classes.
    uint32_t* max_counts         # [class]: the largest count in any one reference.
    uint32_t* sequence           # The numbers of all tokens, by the position of their end, for _match_long_references.
    uint32_t* reference_ends     # [number]: the last position in the reference where the token ends.
    uint8_t* resolved            # [end in the reference]: a bit for each order that is resolved as a match.
    uint32_t* matched            # [class]: the matches so far. It is all zero between orders and segments.
    uint8_t* hits                # [token of the hypothesis]: a bit for each order with a match that ends at it.
    int64_t* correct             # [order]: the matches of a hypothesis, for callers that do not write them to a row.
    int64_t* totals              # The sum of the rows of a call.
    int64_t* rows                # The rows of the current hypotheses, if the caller does not want them.
    uint8_t* marks               # The marks that mark_hypothesis writes.
    uint32_t* by_id              # Numbers of tokens by id. It is all zero between segments.
    uint64_t* sets_by_id         # Position sets by id, 1 or 2 uint64_t each, for _match_one_short; 0 between segments.
    void* hypothesis_ids              # The ids of the hypotheses of one segment, an array of fb_short_ids.
    # The fields below are not buffers.
    size_t tokens                # The number of tokens that have been read.
    size_t listed                # The index after the last listed token.


cdef void free_workspace(Workspace* work) noexcept nogil
cdef size_t workspace_bytes(Workspace* work) noexcept nogil
cdef int reserve_numbers(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil
cdef int append_keys(Workspace* work, size_t count) except -1 nogil
cdef Py_ssize_t read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil
