"""One pool of segments, each against all the others as its references.

No pair is ever looked at. For each n-gram the two largest counts in any one segment are kept: what clips the counts of
a segment is the largest in any other, which is the second largest for the one segment that has the largest, and the
largest for all others. N-grams are numbered order by order, as (number of the first n - 1 tokens, last token), so that
counts stand in plain arrays. Time is linear in the pool.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from fastbleu._columns cimport Column, IdColumn, Int64Buffer
from fastbleu._ngram_tables cimport number_tokens
from fastbleu._tokenize cimport TOKENIZE_IDS, reset_arena
from fastbleu._workspace cimport (
    CLOSEST,
    SEED1,
    SEED2,
    SHORTEST,
    Index,
    Workspace,
    fb_mix,
    free_workspace,
    no_memory,
    read_tokens,
    reserve,
    slots_for,
)

cdef extern from "_scan.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    ARENA_MARGIN = 192           # bytes that one text's copy may need beyond its own
    MOST_TOKENS = 1 << 30        # n-grams are numbered in 32 bits
    GROUP = 16                   # look-ups under way at once


cdef struct Slot:
    uint64_t key                 # number of the first n - 1 tokens, and of the last; 0: nothing here
    uint32_t number              # of the n-gram, from 1 on


cdef struct Counts:
    uint32_t most                # the largest count in any one segment
    uint32_t second              # the largest in any other segment than that one
    uint32_t run                 # in the segment at hand; 0 between segments


cdef struct Pool:
    size_t segments
    const uint32_t* lengths      # of the segments, in tokens
    const uint32_t* tokens       # numbers of all tokens, segment after segment
    uint32_t* ngrams             # number of the n-gram that ends at each
    Slot* slots
    size_t n_slots               # what there is memory for
    Counts* counts


cdef void number_ngrams(Pool* pool, int n) noexcept nogil:
    """Numbers the n-grams of order n >= 2 from those of order n - 1, backwards, so that the one before is at hand."""
    cdef size_t first = 0, segment, length, t, k, group, slot, mask, positions = 0
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t numbers = 0
    cdef Slot* entry
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        positions += length - n + 1 if length >= <size_t>n else 0
    mask = slots_for(positions, 2) - 1
    memset(pool.slots, 0, (mask + 1) * sizeof(Slot))
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        t = first + length
        while length >= <size_t>n and t > first + n - 1:
            group = min(<size_t>GROUP, t - (first + n - 1))
            for k in range(group):
                keys[k] = <uint64_t>pool.ngrams[t - k - 2] << 32 | pool.tokens[t - k - 1]
                homes[k] = fb_mix(keys[k] ^ seed1, seed2) & mask
                fb_prefetch(&pool.slots[homes[k]])
            for k in range(group):
                slot = homes[k]
                while pool.slots[slot].key != 0 and pool.slots[slot].key != keys[k]:
                    slot = (slot + 1) & mask
                entry = &pool.slots[slot]
                if entry.key == 0:
                    numbers += 1
                    entry.key = keys[k]
                    entry.number = numbers
                pool.ngrams[t - k - 1] = entry.number
            t -= group
        first += length


cdef void find_largest(Pool* pool, int n) noexcept nogil:
    """Finds the two largest counts of each n-gram of order n."""
    cdef size_t first = 0, segment, length, t
    cdef Counts* counts
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                pool.counts[pool.ngrams[t]].run += 1
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                # Its first occurrence stands for all.
                if counts.run > counts.most:
                    counts.second = counts.most
                    counts.most = counts.run
                elif counts.run > counts.second:
                    counts.second = counts.run
                counts.run = 0
        first += length


cdef void match_segments(Pool* pool, int n, int64_t* correct, size_t stride) noexcept nogil:
    """Writes each segment's n-grams of order n that another has, clipped; `stride` from one segment to the next."""
    cdef size_t first = 0, segment, length, t
    cdef Counts* counts
    cdef int64_t found
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        found = 0
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                pool.counts[pool.ngrams[t]].run += 1
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                # Fewer than the largest: another has more. The largest: whoever comes second has the say.
                found += counts.second if counts.run == counts.most else counts.run
                counts.run = 0
        correct[segment * stride] = found
        first += length


cdef int write_lengths(Pool* pool, int rule, int64_t* rows, size_t stride) except -1 nogil:
    """Writes each segment's length, and which of the others' counts as its reference's."""
    cdef size_t segment, longest = 0, length, place
    cdef uint32_t* number
    cdef int64_t* first
    cdef int64_t* shorter
    cdef int64_t* longer
    cdef int64_t below = -1, above = -1, chosen, shortest = -1
    for segment in range(pool.segments):
        longest = max(longest, <size_t>pool.lengths[segment])
    # By length: how many have it, who is the first, and the next shorter and longer lengths that there are.
    number = <uint32_t*>calloc(longest + 1, sizeof(uint32_t))
    first = <int64_t*>calloc(3 * (longest + 1), sizeof(int64_t))
    if number == NULL or first == NULL:
        free(number)
        free(first)
        no_memory()
    shorter = first + longest + 1
    longer = shorter + longest + 1
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        if number[length] == 0:
            first[length] = <int64_t>segment
        number[length] += 1
    for place in range(longest + 1):
        shorter[place] = below
        if number[place]:
            if shortest < 0:
                shortest = <int64_t>place
            below = <int64_t>place
    for place in range(longest, -1, -1):
        longer[place] = above
        if number[place]:
            above = <int64_t>place
    for segment in range(pool.segments):
        length = pool.lengths[segment]
        if number[length] > 1:
            chosen = <int64_t>length if rule != SHORTEST else shortest
        elif rule == SHORTEST:
            chosen = shortest if shortest < <int64_t>length else longer[length]
        elif shorter[length] < 0 or longer[length] < 0:
            chosen = max(shorter[length], longer[length])
        elif <int64_t>length - shorter[length] != longer[length] - <int64_t>length:
            chosen = shorter[length]
            if longer[length] - <int64_t>length < <int64_t>length - shorter[length]:
                chosen = longer[length]
        elif rule == CLOSEST or first[shorter[length]] < first[longer[length]]:
            chosen = shorter[length]
        else:
            chosen = longer[length]
        rows[segment * stride] = <int64_t>length
        rows[segment * stride + 1] = chosen
    free(number)
    free(first)
    return 0


cdef int read_pool(Workspace* work, int tokenizer, Column column, Index* index) except -1 nogil:
    """Reads the tokens of all segments, and numbers them."""
    cdef size_t segment, segments = <size_t>column.length, bytes = 0
    memset(index, 0, sizeof(Index))
    reserve(<void**>&work.lengths, &work.lengths_capacity, segments, sizeof(uint32_t))
    index.lengths = work.lengths
    index.references = <uint32_t>segments
    if tokenizer != TOKENIZE_IDS:
        for segment in range(segments):
            bytes += <size_t>(column.view.ends[segment] - column.view.starts[segment]) + ARENA_MARGIN
        reset_arena(&work.spans, bytes)
    work.tokens = 0
    for segment in range(segments):
        index.lengths[segment] = <uint32_t>read_tokens(work, tokenizer, &column.view, <int64_t>segment)
        if work.tokens > MOST_TOKENS:
            with gil:
                raise ValueError(f"the segments of one pool have more than {MOST_TOKENS} tokens together")
    number_tokens(work, index)
    return 0


cdef int count_pool(Workspace* work, const Index* index, int order, int rule, int64_t* rows) except -1 nogil:
    """Writes the row of each segment."""
    cdef Pool pool
    cdef size_t stride = 2 + 2 * <size_t>order, segment
    cdef uint32_t longest = 0
    cdef int n
    for segment in range(index.references):
        longest = max(longest, index.lengths[segment])
    memset(rows, 0, index.references * stride * sizeof(int64_t))
    pool.segments = index.references
    pool.lengths = index.lengths
    pool.tokens = work.numbers
    pool.ngrams = work.prefixes
    pool.n_slots = slots_for(work.tokens, 2)
    pool.slots = <Slot*>calloc(pool.n_slots, sizeof(Slot)) if order > 1 else NULL
    # Number 0 is no n-gram's.
    pool.counts = <Counts*>calloc(work.tokens + 1, sizeof(Counts))
    try:
        if pool.counts == NULL or pool.slots == NULL and order > 1:
            no_memory()
        write_lengths(&pool, rule, rows, stride)
        for n in range(1, order + 1):
            if n > 1:
                if longest < <uint32_t>n:
                    break
                number_ngrams(&pool, n)
                memset(pool.counts, 0, (work.tokens + 1) * sizeof(Counts))
            find_largest(&pool, n)
            match_segments(&pool, n, rows + 1 + n, stride)
            for segment in range(pool.segments):
                rows[segment * stride + 1 + order + n] = max(<int64_t>0, <int64_t>pool.lengths[segment] - n + 1)
    finally:
        free(pool.slots)
        free(pool.counts)
    return 0


def count_each_against_others(Column segments not None, int tokenizer, int order, int rule, rows not None):
    """Counts each segment of a pool with all the others as its references.

    Args:
        segments: n >= 2 segments, none of them absent.
        tokenizer: A number of tokenizers.COMPILED, or IDS where the column holds ids.
        order: The largest n, >= 1.
        rule: Whose length is ref_len, a number of matching.REFERENCE_LENGTHS.
        rows: int64 [n, 2 + 2 * order] to write to: sys_len, ref_len, correct_1.., total_1..

    Raises:
        ValueError: There are fewer than two segments, or far too many tokens.
    """
    cdef Int64Buffer buffer = Int64Buffer(rows, "rows", 2, True)
    cdef Workspace* work
    cdef Index index
    if segments.length < 2:
        raise ValueError(f"a pool needs at least 2 segments, so that each has a reference; got {segments.length}")
    if buffer.rows != segments.length or buffer.columns != 2 + 2 * <Py_ssize_t>order or order < 1:
        raise ValueError(f"rows must have the shape [{segments.length}, {2 + 2 * order}], "
                         f"not [{buffer.rows}, {buffer.columns}]")
    if isinstance(segments, IdColumn) != (tokenizer == TOKENIZE_IDS):
        raise TypeError("segments must be ids for the tokenizer IDS, and text for all others")
    work = <Workspace*>PyMem_Malloc(sizeof(Workspace))
    if work == NULL:
        raise MemoryError
    memset(work, 0, sizeof(Workspace))
    try:
        with nogil:
            read_pool(work, tokenizer, segments, &index)
            count_pool(work, &index, order, rule, buffer.data)
    finally:
        free_workspace(work)
        PyMem_Free(work)
