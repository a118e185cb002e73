"""Count the n-grams and the distinct n-grams of each segment.

A hash table stores the position of the first occurrence of each n-gram. The hash of an n-gram is a polynomial in a
secret base. It is computed from the hash of the previous n-gram in constant time, so counting takes linear time for any
n. The hash only selects a slot of the table: two n-grams are equal only if all their tokens are equal.

A first loop stores each n-gram in its slot of the table if that slot is empty, and otherwise adds the n-gram to a list.
This loop has no branches that a processor could mispredict. A second loop searches the table for each listed n-gram,
which may be a repetition, or a different n-gram that has the same slot.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, cached_slots_for
from fastbleu._native.memory cimport clear, release, reserve, reserve_cleared
from fastbleu._native.signals cimport check_signals, next_check
from fastbleu.counting._numbering cimport number_tokens
from fastbleu.counting._workspace cimport Index, Workspace, free_workspace, read_tokens, reserve_tokens
from fastbleu.inputs._column cimport Column, Int64Buffer, View
from fastbleu.rerank._pool_ngrams cimport check_kind
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, reset_arena

cdef extern from "_native/hashing.h" nogil:
    uint64_t fb_spread(uint64_t mixed)

cdef enum:
    SLOTS_PER_NGRAM = 8
    # If `Scratch.base` exceeds this value, the table is cleared before the next segment, since entries have 32 bits.
    MAX_BASE = 1 << 30


cdef struct Scratch:
    Workspace work
    # The number of each token of a text; tokens have the same number if they are equal.
    uint64_t* symbols
    # N-grams whose slot was occupied: the upper 32 bits have the slot, the lower 32 bits the position of the n-gram.
    uint64_t* listed
    # The hash table. The entry of an n-gram is `base` + 1 + its position; an entry of at most `base` is empty.
    uint32_t* slots
    # The largest entry that earlier segments wrote. Their entries count as empty, so the table need not be cleared.
    uint32_t base


cdef inline bint are_equal(const uint64_t* a, const uint64_t* b, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(n):
        if a[i] != b[i]:
            return False
    return True


cdef size_t count_distinct(Scratch* scratch, const uint64_t* symbols, size_t length, size_t n) except? 0 nogil:
    """Return the number of distinct n-grams of a segment of at least n tokens."""
    cdef uint64_t factor = SEEDS.first | 1, seed = SEEDS.second, power = 1, hash = 0
    cdef size_t mask = cached_slots_for(length, SLOTS_PER_NGRAM) - 1, listed = 0, first = 0, stop, slot, k
    cdef size_t total = length - n + 1, distinct
    cdef uint32_t base, position
    cdef uint32_t* slots
    if reserve_cleared(<void**>&scratch.slots, mask + 1, sizeof(uint32_t)) or scratch.base > MAX_BASE:
        clear(scratch.slots)
        scratch.base = 0
    reserve(<void**>&scratch.listed, total, sizeof(uint64_t))
    base = scratch.base
    scratch.base += <uint32_t>total
    slots = scratch.slots
    for slot in range(n - 1):
        hash = hash * factor + symbols[slot]
        power *= factor
    while first < total:
        check_signals(first)
        stop = next_check(first, total)
        for first in range(first, stop):
            hash = hash * factor + symbols[first + n - 1]
            slot = <size_t>fb_spread(hash ^ seed) & mask
            position = slots[slot] - base - 1  # Wraps round to a value above all positions if the slot is empty.
            slots[slot] = base + 1 + min(position, <uint32_t>first)
            scratch.listed[listed] = <uint64_t>slot << 32 | first
            listed += position < first
            hash -= symbols[first] * power
        first = stop
    distinct = total - listed
    for k in range(listed):
        check_signals(k)
        slot = scratch.listed[k] >> 32
        first = <uint32_t>scratch.listed[k]
        while slots[slot] > base and not are_equal(symbols + (slots[slot] - base - 1), symbols + first, n):
            slot = (slot + 1) & mask
        if slots[slot] <= base:
            slots[slot] = base + <uint32_t>first + 1
            distinct += 1
    return distinct


cdef const uint64_t* number_text(Scratch* scratch, int tokenizer, const View* view, int64_t segment,
                                 bint without_numbers, size_t* length) except? NULL nogil:
    """Read the tokens of a text, and write their count to `length`.

    Return the number of each token, where equal tokens have the same number; or NULL if `without_numbers` is true.
    """
    cdef Workspace* work = &scratch.work
    cdef uint32_t tokens
    cdef Index index
    cdef size_t t
    work.tokens = 0
    reset_arena(&work.spans, <size_t>(view.ends[segment] - view.starts[segment]) + ARENA_MARGIN)
    reserve_tokens(work, 1)
    tokens = <uint32_t>read_tokens(work, tokenizer, view, segment)
    length[0] = tokens
    if without_numbers:
        return NULL
    memset(&index, 0, sizeof(Index))
    index.lengths = &tokens
    index.references = 1
    number_tokens(work, &index, SLOTS_PER_NGRAM)
    reserve(<void**>&scratch.symbols, <size_t>tokens + 1, sizeof(uint64_t))
    for t in range(tokens):
        scratch.symbols[t] = work.numbers[t + 1]
    return scratch.symbols


def count_ngrams(Column segments not None, int tokenizer, int n, counts not None):
    """Count the n-grams of each segment.

    Args:
        segments: k segments, none of which is missing.
        tokenizer: The number of a compiled tokenizer, or TOKENIZE_IDS for a column of ids.
        n: The order, >= 1; or 0 to count tokens without comparing them.
        counts: int64 [k, 2], the output. For each segment, the number of its n-grams and the number of its distinct
            n-grams are written; with n = 0, the number of its tokens and 0.
    """
    cdef Int64Buffer buffer = Int64Buffer(counts, "counts", 2, True)
    cdef View view = segments.view
    cdef Scratch scratch
    cdef const uint64_t* symbols
    cdef size_t length = 0
    cdef Py_ssize_t i
    check_kind(segments, "segments", tokenizer)
    if n < 0:
        raise ValueError(f"n must be at least 0, got {n}")
    if buffer.rows != segments.length:
        raise ValueError(f"counts must have {segments.length} rows, not {buffer.rows}")
    memset(&scratch, 0, sizeof(Scratch))
    try:
        with nogil:
            for i in range(segments.length):
                if tokenizer == TOKENIZE_IDS:
                    symbols = <const uint64_t*>view.data + view.starts[i]
                    length = <size_t>(view.ends[i] - view.starts[i])
                else:
                    symbols = number_text(&scratch, tokenizer, &view, i, n == 0, &length)
                buffer.data[2 * i] = buffer.data[2 * i + 1] = 0
                if n == 0:
                    buffer.data[2 * i] = <int64_t>length
                elif length >= <size_t>n:
                    buffer.data[2 * i] = <int64_t>(length - n + 1)
                    buffer.data[2 * i + 1] = <int64_t>count_distinct(&scratch, symbols, length, <size_t>n)
    finally:
        free_workspace(&scratch.work)
        release(<void**>&scratch.symbols)
        release(<void**>&scratch.listed)
        release(<void**>&scratch.slots)
