"""One pool of segments, each against all the others as its references.

No pair is ever looked at. For each n-gram the two largest counts in any one segment are kept: what clips the counts of
a segment is the largest in any other, which is the second largest for the one segment that has the largest, and the
largest for all others. Time is linear in the pool.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from fastbleu.inputs._column cimport Column, Int64Buffer
from fastbleu.rerank._pool_arguments cimport check_kind
from fastbleu.rerank._pool_ngrams cimport (
    NgramCounts,
    Pool,
    begin_pool,
    clear_counts,
    find_two_largest,
    free_pool,
    number_ngrams,
    number_pool,
    read_texts,
)
from fastbleu.counting._workspace cimport CLOSEST, SHORTEST, no_memory

cdef void match_segments(Pool* pool, int n, int64_t* correct, size_t stride) noexcept nogil:
    """Writes each segment's n-grams of order n that another has, clipped; `stride` from one segment to the next."""
    cdef size_t first = 0, segment, length, t
    cdef NgramCounts* counts
    cdef int64_t found
    for segment in range(pool.texts):
        length = pool.lengths[segment]
        found = 0
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                pool.counts[pool.ngrams[t]].run += 1
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                # Fewer than the largest: another has more. The largest: whoever comes second has the say.
                if pool.ngrams[t] != 0:
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
    for segment in range(pool.texts):
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
    for segment in range(pool.texts):
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
    for segment in range(pool.texts):
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


cdef void forget_unshared(Pool* pool, int n) noexcept nogil:
    """Takes the numbers from n-grams of order n that only one text has."""
    cdef size_t first = 0, text, t
    for text in range(pool.texts):
        if pool.lengths[text] >= <uint32_t>n:
            for t in range(first + n - 1, first + pool.lengths[text]):
                if pool.counts[pool.ngrams[t]].second == 0:
                    pool.ngrams[t] = 0
        first += pool.lengths[text]


cdef int count_pool(Pool* pool, int order, int rule, int64_t* rows) except -1 nogil:
    """Writes the row of each segment."""
    cdef size_t stride = 2 + 2 * <size_t>order, segment
    cdef uint32_t longest = 0
    cdef int n
    for segment in range(pool.texts):
        longest = max(longest, pool.lengths[segment])
    memset(rows, 0, pool.texts * stride * sizeof(int64_t))
    write_lengths(pool, rule, rows, stride)
    for n in range(1, order + 1):
        if n > 1:
            if longest < <uint32_t>n:
                break
            forget_unshared(pool, n - 1)
            number_ngrams(pool, n)
        clear_counts(pool)
        find_two_largest(pool, n)
        match_segments(pool, n, rows + 1 + n, stride)
        for segment in range(pool.texts):
            rows[segment * stride + 1 + order + n] = max(<int64_t>0, <int64_t>pool.lengths[segment] - n + 1)
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
    cdef Pool* pool
    if segments.length < 2:
        raise ValueError(f"a pool needs at least 2 segments, so that each has a reference; got {segments.length}")
    if buffer.rows != segments.length or buffer.columns != 2 + 2 * <Py_ssize_t>order or order < 1:
        raise ValueError(f"rows must have the shape [{segments.length}, {2 + 2 * order}], "
                         f"not [{buffer.rows}, {buffer.columns}]")
    check_kind(segments, "segments", tokenizer)
    pool = <Pool*>PyMem_Malloc(sizeof(Pool))
    if pool == NULL:
        raise MemoryError
    memset(pool, 0, sizeof(Pool))
    try:
        with nogil:
            begin_pool(pool, tokenizer, <size_t>segments.length, &segments.view, 0, segments.length, NULL, 0, 0)
            read_texts(pool, tokenizer, &segments.view, 0, segments.length)
            number_pool(pool)
            count_pool(pool, order, rule, buffer.data)
    finally:
        free_pool(pool)
        PyMem_Free(pool)
