"""Compute the statistics of each segment of a pool with all other segments as its references.

For each n-gram, the largest and the second largest count in a single segment are computed first. The counts of a
segment are then clipped by the largest count in any other segment, which is the second largest count if the segment
itself has the largest, and otherwise the largest. Segments are not compared pair by pair, so the time is linear in the
size of the pool.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native.memory cimport release, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, check_after
from fastbleu.counting._reference_length cimport preference
from fastbleu.inputs._column cimport Column, Int64Buffer
from fastbleu.rerank._pool_ngrams cimport (
    NgramCounts,
    Pool,
    check_kind,
    clear_counts,
    find_largest,
    free_pool,
    number_ngrams,
    read_pool,
)

cdef int match_segments(Pool* pool, int n, int64_t* correct, size_t stride) except -1 nogil:
    """Count the clipped matches of order n of each segment, and set the id of n-grams without a match to 0.

    Args:
        pool: The segments, with the two largest counts of each n-gram, which are updated.
        n: The order.
        correct: The matches of segment i are written to correct[i * stride].
        stride: The distance between the matches of adjacent segments.
    """
    cdef size_t first = 0, segment, start, after, t
    cdef NgramCounts* counts
    cdef int64_t matches
    for segment in range(pool.texts):
        after = first + pool.lengths[segment]
        matches = 0
        for start from first + n - 1 <= start < after by STEPS_PER_CHECK:
            for t in range(start, min(after, start + STEPS_PER_CHECK)):
                pool.counts[pool.ngrams[t]].running += 1
            check_after(after - start)
        for start from first + n - 1 <= start < after by STEPS_PER_CHECK:
            for t in range(start, min(after, start + STEPS_PER_CHECK)):
                counts = &pool.counts[pool.ngrams[t]]
                # Clip by the largest count in any other segment. N-grams with the id 0 are in no other segment. At
                # the first occurrence of an n-gram its count is added and set to 0; at later ones it is 0.
                if pool.ngrams[t] != 0:
                    matches += counts.second_count if counts.running == counts.max_count else counts.running
                counts.running = 0
                if counts.second_count == 0:
                    pool.ngrams[t] = 0
            check_after(after - start)
        correct[segment * stride] = matches
        first = after
    return 0


cdef int write_lengths(Pool* pool, int rule, size_t longest, int64_t* rows, size_t stride) except -1 nogil:
    """Write the length of each segment, and its reference length, which is the length of one of the other segments.

    For each different length, the rule compares all different lengths. This takes time linear in the number of tokens,
    because segments of k different lengths have at least about k^2 / 2 tokens.

    Args:
        pool: The segments.
        rule: The rule for the reference length: an index in options.REFERENCE_LENGTHS.
        longest: The length of the longest segment.
        rows: The two lengths of segment i are written to rows[i * stride] and rows[i * stride + 1].
        stride: The distance between the rows of adjacent segments.
    """
    cdef uint32_t* number = NULL     # number[length]: how many segments have this length.
    cdef int64_t* lengths = NULL     # The different lengths, in order of first occurrence.
    cdef int64_t* chosen = NULL      # chosen[length]: the reference length of segments of this length.
    cdef size_t segment, i, k, n_lengths = 0
    cdef int64_t length
    cdef uint64_t best, current
    try:
        reserve_cleared(<void**>&number, longest + 1, sizeof(uint32_t))
        reserve_cleared(<void**>&lengths, longest + 1, sizeof(int64_t))
        reserve_cleared(<void**>&chosen, longest + 1, sizeof(int64_t))
        for segment in range(pool.texts):
            length = pool.lengths[segment]
            if number[length] == 0:
                lengths[n_lengths] = length
                n_lengths += 1
            number[length] += 1
        for i in range(n_lengths):
            length = lengths[i]
            best = <uint64_t>-1
            for k in range(n_lengths):
                if k == i and number[length] == 1:
                    continue
                current = preference(rule, length, lengths[k], k)
                if current < best:
                    best, chosen[length] = current, lengths[k]
        for segment in range(pool.texts):
            rows[segment * stride] = pool.lengths[segment]
            rows[segment * stride + 1] = chosen[pool.lengths[segment]]
    finally:
        release(<void**>&number)
        release(<void**>&lengths)
        release(<void**>&chosen)
    return 0


cdef int count_pool(Pool* pool, int order, int rule, int64_t* rows) except -1 nogil:
    """Write the sufficient statistics of each segment of the pool to `rows`, [segments, 2 + 2 * order]."""
    cdef size_t stride = 2 + 2 * <size_t>order, segment
    cdef uint32_t longest = 0
    cdef int n
    for segment in range(pool.texts):
        longest = max(longest, pool.lengths[segment])
    memset(rows, 0, pool.texts * stride * sizeof(int64_t))
    write_lengths(pool, rule, longest, rows, stride)
    for n in range(1, order + 1):
        if n > 1:
            if longest < <uint32_t>n:
                break
            number_ngrams(pool)
        clear_counts(pool)
        find_largest(pool, n, pool.texts)
        match_segments(pool, n, rows + 1 + n, stride)
        for segment in range(pool.texts):
            rows[segment * stride + 1 + order + n] = max(<int64_t>0, <int64_t>pool.lengths[segment] - n + 1)
    return 0


def count_each_against_others(Column segments not None, int tokenizer, int order, int rule, rows not None):
    """Compute the sufficient statistics of each segment of a pool, with all other segments as its references.

    Args:
        segments: n >= 2 segments, none of them missing.
        tokenizer: A constant TOKENIZE_*; TOKENIZE_IDS for a column of ids.
        order: The length of the longest n-grams, >= 1.
        rule: The rule for the reference length: an index in options.REFERENCE_LENGTHS.
        rows: int64 [n, 2 + 2 * order]: the statistics are written here: sys_len, ref_len, correct_1.., total_1..

    Raises:
        TypeError: The column has text for TOKENIZE_IDS, or ids for another tokenizer.
        ValueError: There are fewer than two segments, `rows` has a wrong shape, or there are more tokens than the
            kernel can number.
    """
    cdef Int64Buffer buffer = Int64Buffer(rows, "rows", 2, True)
    cdef Pool pool
    if segments.length < 2:
        raise ValueError(f"a pool needs at least 2 segments, so that each has a reference; got {segments.length}")
    if buffer.rows != segments.length or buffer.columns != 2 + 2 * <Py_ssize_t>order or order < 1:
        raise ValueError(f"rows must have the shape [{segments.length}, {2 + 2 * order}], "
                         f"not [{buffer.rows}, {buffer.columns}]")
    check_kind(segments, "segments", tokenizer)
    memset(&pool, 0, sizeof(Pool))
    try:
        with nogil:
            read_pool(&pool, tokenizer, &segments.view, 0, segments.length, NULL, 0, 0)
            count_pool(&pool, order, rule, buffer.data)
    finally:
        free_pool(&pool)
