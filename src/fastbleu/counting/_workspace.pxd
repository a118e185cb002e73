"""Structs that all routes of n-gram matching use: the index of a segment's references, and a thread's workspace."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport Spans

# The algorithms that match hypotheses with references. `choose_route` in _segment.pyx chooses one for each segment.
cdef enum:
    ROUTE_ONE_SHORT = 0          # One short reference, matched by _match_one_short without an index.
    ROUTE_SHORT = 1              # Short references, matched by _match_short_references by sets of positions.
    ROUTE_LONG = 2               # All other references, matched by _match_long_references by classes of n-grams.


cdef struct Options:
    # The options of tokenizing and counting.
    int tokenizer                # The number of a tokenizer, or TOKENIZE_IDS.
    int order                    # The largest n.
    int rule                     # The rule for the reference length (_reference_length.pxd).
    bint by_id                   # Whether tokens are ids that are looked up in an array instead of a hash table.
    size_t n_ids                 # If `by_id`: the size of that array, larger than all ids.


cdef struct NgramTable:
    # A hash table of the references' n-grams of one order. Equal n-grams have the same class, a number from 1 on.
    # If several hypotheses share the table, it owns its buffers; otherwise they are buffers of the workspace.
    uint32_t* slots              # The class of the n-gram in each slot; 0 if the slot is empty.
    uint64_t* keys               # [class]: the key of the n-gram. keys[0] is read for empty slots.
    uint32_t* max_counts         # [class]: the largest count in any one reference; 0 for class 0.
    # End of the buffers.
    size_t mask                  # The number of slots minus 1.
    size_t after                 # One more than the largest class.


cdef struct Index:
    # The index of the references of one segment, with which hypotheses are matched.
    int route                    # The route on which the hypotheses must be matched.
    const View* view             # ROUTE_ONE_SHORT: the column of the only reference.
    int64_t position             # ROUTE_ONE_SHORT: the index of the only reference in `view`.
    uint32_t references          # The number of references.
    uint32_t tokens              # The number of distinct tokens, which are numbered 1..tokens.
    uint32_t words               # The number of words per position set: one per reference with tokens, at least 1.
    uint32_t* lengths            # The lengths of the references in tokens, or their distinct lengths.
    uint32_t n_lengths           # The number of entries of `lengths`.
    # The numbers of tokens are stored in an array that is indexed by id, or in a hash table.
    uint32_t* by_id              # [id]: the number of the token; NULL if a hash table is used.
    uint32_t* ids                # The ids whose entries in `by_id` are not 0.
    size_t slot_mask             # The number of slots of the hash table minus 1.
    uint16_t* slots              # ROUTE_SHORT: the number of the token in each slot; 0 if the slot is empty.
    uint32_t* slots_32           # ROUTE_LONG: the number of the token in each slot; 0 if the slot is empty.
    fb_key* keys                 # [number]: the key of the token.
    uint64_t* bytes_at           # [number]: the address of the token's bytes, for long tokens.
    uint64_t* positions          # ROUTE_SHORT: the position set of each token, by number, `words` uint64_t each.
    NgramTable* tables           # ROUTE_LONG: the shared tables by order - 1, without slots for order 1; or NULL.
    int orders                   # The number of shared tables.


cdef struct Workspace:
    # The memory of one thread, reused from segment to segment.
    Spans spans
    # Buffers (memory.pxd). If one has no comment, the Index field with the same name describes it.
    fb_key* token_keys           # The keys of the references' tokens, then those of the hypothesis' tokens.
    uint64_t* token_bytes        # The addresses of the bytes of the tokens in `token_keys`.
    uint32_t* numbers            # From index 1: the numbers of tokens, later the classes of the listed n-grams.
    uint32_t* ngram_ends         # From index 1: the position where each listed n-gram ends.
    fb_key* keys
    uint64_t* bytes_at
    uint64_t* positions
    uint16_t* slots
    uint32_t* ids
    uint32_t* slots_32
    uint32_t* lengths
    uint64_t* ngram_keys         # From index 1: the keys of the listed n-grams.
    uint32_t* ngram_slots        # The slots of the hash table of n-grams, with their classes.
    uint32_t* max_counts         # [class]: the largest count in any one reference.
    uint32_t* sequence           # [position]: the number of the token that ends there (copy_sequences).
    uint32_t* reference_ends     # [number]: the last position in the reference where the token ends.
    uint8_t* resolved            # [position in the reference]: a bit for each order with a match that ends there.
    uint32_t* matched            # [class]: the number of matches so far. All zero between orders and segments.
    uint8_t* hits                # [token of the hypothesis]: a bit for each order with a match that ends there.
    int64_t* correct             # [order]: the matches of a hypothesis, for callers that do not write them to a row.
    int64_t* totals              # The sum of the rows of a call.
    int64_t* rows                # The rows of the current hypotheses, if the caller does not store them.
    uint8_t* marks               # The marks that mark_hypothesis writes.
    uint32_t* by_id              # [id]: the number of the token. All zero between segments.
    uint64_t* sets_by_id         # [id + 1]: the position set of the id, for _match_one_short. Zero between segments.
    void* hypothesis_ids         # The ids of the hypotheses of one segment, an array of fb_short_ids.
    # End of the buffers.
    size_t tokens                # The number of tokens that have been read.
    size_t listed                # The index after the last listed token.


cdef void free_workspace(Workspace* work) noexcept nogil
cdef size_t workspace_bytes(Workspace* work) noexcept nogil
cdef int reserve_numbers(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil
cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil
cdef int append_keys(Workspace* work, size_t count) except -1 nogil
cdef Py_ssize_t read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil
