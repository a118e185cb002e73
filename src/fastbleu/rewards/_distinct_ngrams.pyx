"""Count the n-grams and the distinct n-grams of each segment.

A hash table stores the position of the first occurrence of each n-gram. The hash of an n-gram is a polynomial in a
secret base, computed from the hash of the previous n-gram, so the time is linear in the number of tokens for any n. Two
n-grams are equal only if all their tokens are.

The first loop enters each n-gram whose first slot is empty, and lists the others; it has no branches that a processor
could mispredict. The second loop searches the table for the listed n-grams: they are repeated, or share a slot with
another one.
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
    MOST_BEFORE = 1 << 30


cdef struct Scratch:
    Workspace work
    # Buffers.
    uint64_t* symbols            # Numbers of the tokens of a text.
    uint64_t* listed             # N-grams whose first slot is occupied: the slot in the high half, then the position.
    uint32_t* slots              # `before` plus a position, counted from 1; entries up to `before` are empty.
    # The fields below are not buffers.
    uint32_t before              # The largest entry of earlier segments, so that slots need not be cleared.


cdef inline bint are_equal(const uint64_t* a, const uint64_t* b, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(n):
        if a[i] != b[i]:
            return False
    return True


cdef size_t count_distinct(Scratch* scratch, const uint64_t* symbols, size_t length, size_t n) except? 0 nogil:
    """Return the number of distinct n-grams of a segment of at least n tokens."""
    cdef uint64_t base = SEEDS.first | 1, seed = SEEDS.second, power = 1, hash = 0
    cdef size_t mask = cached_slots_for(length, SLOTS_PER_NGRAM) - 1, listed = 0, first = 0, stop, slot, k
    cdef size_t last = length - n + 1, distinct
    cdef uint32_t before, entry
    cdef uint32_t* slots
    if reserve_cleared(<void**>&scratch.slots, mask + 1, sizeof(uint32_t)) or scratch.before > MOST_BEFORE:
        clear(scratch.slots)
        scratch.before = 0
    reserve(<void**>&scratch.listed, last, sizeof(uint64_t))
    before = scratch.before
    scratch.before += <uint32_t>last
    slots = scratch.slots
    for slot in range(n - 1):
        hash = hash * base + symbols[slot]
        power *= base
    while first < last:
        check_signals(first)
        stop = next_check(first, last)
        for first in range(first, stop):
            hash = hash * base + symbols[first + n - 1]
            slot = <size_t>fb_spread(hash ^ seed) & mask
            entry = slots[slot] - before - 1  # Wraps round, to above any position, if the slot is empty.
            slots[slot] = before + 1 + min(entry, <uint32_t>first)
            scratch.listed[listed] = <uint64_t>slot << 32 | first
            listed += entry < first
            hash -= symbols[first] * power
        first = stop
    distinct = last - listed
    for k in range(listed):
        check_signals(k)
        slot = scratch.listed[k] >> 32
        first = <uint32_t>scratch.listed[k]
        while slots[slot] > before and not are_equal(symbols + (slots[slot] - before - 1), symbols + first, n):
            slot = (slot + 1) & mask
        if slots[slot] <= before:
            slots[slot] = before + <uint32_t>first + 1
            distinct += 1
    return distinct


cdef const uint64_t* number_text(Scratch* scratch, int tokenizer, const View* view, int64_t segment,
                                 bint without_numbers, size_t* length) except? NULL nogil:
    """Read the tokens of a text; return their numbers, which are equal where tokens are, or NULL if not wanted."""
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
        segments: k segments, none of them missing.
        tokenizer: The kernel's number of a tokenizer, or IDS for a column of ids.
        n: The order, >= 1; 0: count tokens without comparing them.
        counts: int64 [k, 2] to write to: for each segment the number of its n-grams and of its distinct n-grams; for n
            = 0 the number of its tokens, and 0.
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
