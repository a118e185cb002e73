"""The memory that a thread counts in, and the tokens of a segment in it.

All of it is used again from segment to segment and only ever grows. A token is a key of two words: its bytes and
length where it has fewer than 16 bytes, otherwise a seeded hash and its length.
"""

import os

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, fb_block, free_spans, tokenize_text

cdef extern from "_native/hashing.h" nogil:
    const uint32_t FB_SHORT_TOKEN
    fb_key fb_short_key(const uint8_t* p, uint32_t length)
    fb_key fb_long_key(const uint8_t* p, uint32_t length, uint64_t seed1, uint64_t seed2)

cdef uint64_t ID_TAG = <uint64_t>8 << LONG_TAG_SHIFT     # second word of the key of an id

# No text can be written to make look-ups collide. Results never depend on the seeds.
SEED1 = int.from_bytes(os.urandom(8), "little")
SEED2 = int.from_bytes(os.urandom(8), "little")


cdef void free_workspace(Workspace* work) noexcept nogil:
    free_spans(&work.spans)
    free(work.token_keys)
    free(work.token_bytes)
    free(work.numbers)
    free(work.prefixes)
    free(work.keys)
    free(work.bytes_at)
    free(work.positions)
    free(work.slots)
    free(work.by_id)
    free(work.sets_by_id)
    free(work.ids)
    free(work.wide_slots)
    free(work.lengths)
    free(work.most)
    free(work.table)
    free(work.runs)
    free(work.sets)
    free(work.hits)
    free(work.correct)
    free(work.marks)
    memset(work, 0, sizeof(Workspace))


cdef size_t workspace_bytes(const Workspace* work) noexcept nogil:
    """Memory held, but for the arrays by id: 2.5 MB at most, which are worth keeping."""
    return (
        work.spans.capacity * 2 * sizeof(uint32_t) + work.spans.blocks_capacity * sizeof(fb_block)
        + work.spans.arena_capacity
        + work.tokens_capacity * (sizeof(fb_key) + sizeof(uint64_t) + 2 * sizeof(uint32_t))
        + work.keys_capacity * sizeof(fb_key) + work.bytes_at_capacity * sizeof(uint64_t)
        + work.positions_capacity * sizeof(uint64_t) + work.lengths_capacity * sizeof(uint32_t)
        + work.slots_capacity * sizeof(uint16_t) + work.wide_slots_capacity * sizeof(uint32_t)
        + work.most_capacity * sizeof(uint32_t) + work.table_capacity * sizeof(NgramEntry)
        + work.runs_capacity * sizeof(uint32_t) + work.sets_capacity * sizeof(uint64_t)
        + work.ids_capacity * sizeof(uint32_t) + work.hits_capacity + work.correct_capacity * sizeof(int64_t)
        + work.marks_capacity
    )


cdef int no_memory() except -1 nogil:
    with gil:
        raise MemoryError


cdef int regrow(void** memory, size_t bytes) except -1 nogil:
    """Moves memory to where there is room for so many bytes."""
    cdef void* moved = realloc(memory[0], bytes)
    if moved == NULL:
        no_memory()
    memory[0] = moved
    return 0


cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil:
    """Makes room for the tokens of a segment, keeping those that are there."""
    if tokens > work.tokens_capacity:
        tokens += (tokens >> 1) + 64
        regrow(<void**>&work.token_keys, tokens * sizeof(fb_key))
        regrow(<void**>&work.token_bytes, tokens * sizeof(uint64_t))
        regrow(<void**>&work.numbers, tokens * sizeof(uint32_t))
        regrow(<void**>&work.prefixes, tokens * sizeof(uint32_t))
        work.tokens_capacity = tokens
    return 0


cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil:
    """Makes room for the keys of the references' distinct tokens, and for where their bytes are."""
    reserve(<void**>&work.bytes_at, &work.bytes_at_capacity, tokens + 1, sizeof(uint64_t))
    return reserve(<void**>&work.keys, &work.keys_capacity, tokens + 1, sizeof(fb_key))


cdef bint reserve_cleared(void** memory, size_t* capacity, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items; returns whether they are new, and all zero.

    Large memory comes from the system, which has cleared it: doing so again would cost as much as using it.
    """
    if count <= capacity[0]:
        return False
    free(memory[0])
    capacity[0] = 0
    memory[0] = calloc(count, item_size)
    if memory[0] == NULL:
        no_memory()
    capacity[0] = count
    return True


cdef long read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil:
    """Appends the keys of a segment's tokens to the workspace; returns how many there are."""
    cdef int64_t start = view.starts[segment], stop = view.ends[segment]
    cdef size_t count, t, base = work.tokens
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef const uint8_t* text
    cdef const int64_t* ids
    cdef const uint32_t* starts
    cdef const uint32_t* ends
    cdef fb_key* keys
    cdef uint32_t length
    if tokenizer == TOKENIZE_IDS:
        count = <size_t>(stop - start)
        reserve_tokens(work, base + count)
        ids = <const int64_t*>view.data + start
        keys = work.token_keys + base
        for t in range(count):
            keys[t].low = <uint64_t>ids[t]
            keys[t].high = ID_TAG
    else:
        count = <size_t>tokenize_text(
            tokenizer, view.data + start, <size_t>(stop - start), view.readable_end, &work.spans)
        reserve_tokens(work, base + count)
        text = work.spans.base
        starts = work.spans.starts
        ends = work.spans.ends
        keys = work.token_keys + base
        for t in range(count):
            length = ends[t] - starts[t]
            if length <= FB_SHORT_TOKEN:
                keys[t] = fb_short_key(text + starts[t], length)
            else:
                keys[t] = fb_long_key(text + starts[t], length, seed1, seed2)
                work.token_bytes[base + t] = <uint64_t>(text + starts[t])
    work.tokens = base + count
    return <long>count
