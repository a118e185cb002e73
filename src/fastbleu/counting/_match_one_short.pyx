"""Segments with one short reference: the route of most segments, in one pass over the tokens of each side.

`_segment` counts all others, and could count these, too; this takes a fifth to a half less time. The loops of
match_numbers and match_wide serve `_match_by_positions`, too.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport SEEDS, fb_seeds
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.counting._workspace cimport TOKENS_PER_CHECK, Workspace
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, Spans, reset_arena, tokenize_text

cdef extern from "counting/match_one_short.h" nogil:
    ctypedef struct fb_short_index:
        pass
    ctypedef struct fb_token_spans:
        const uint8_t* text
        const uint32_t* starts
        const uint32_t* ends
        size_t count
    ctypedef struct fb_short_ids:
        const int64_t* ids
        size_t count
    ctypedef void (*fb_text_counter)(
        const fb_short_index* index, const fb_token_spans* spans, fb_seeds seeds, int64_t* correct) noexcept nogil
    ctypedef void (*fb_id_counter)(
        uint64_t* sets, size_t n_ids, const fb_short_ids* reference, const fb_short_ids* hypothesis,
        int64_t* correct) noexcept nogil
    ctypedef void (*fb_sample_counter)(
        uint64_t* sets, size_t n_ids, const fb_short_ids* reference, const fb_short_ids* hypotheses, size_t samples,
        int64_t* correct, size_t stride) noexcept nogil
    ctypedef struct fb_short_counters:
        size_t longest
        fb_text_counter text
        fb_text_counter wide_text
        fb_id_counter ids
        fb_id_counter wide_ids
        fb_sample_counter samples
        fb_sample_counter wide_samples
        void (*numbers)(
            const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct,
            uint8_t* hits) noexcept nogil
        void (*wide_numbers)(
            const uint64_t* sets, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits) noexcept nogil
    const size_t FB_SHORT_TOKENS
    fb_short_counters fb_choose_short_counters(int level)
    void fb_index_short(fb_short_index* index, const fb_token_spans* spans, fb_seeds seeds)

cdef enum:
    SHORT_WIDTH = 2 + 2 * SHORT_ORDER
    BYTES_PER_TOKEN = 6          # of a reference, about: a longer one is likely to be tokenized in vain

cdef fb_short_counters COUNT = fb_choose_short_counters(2)


def use_instructions(int level):
    """Chooses the instructions that match: 0 portable, from 1 on those that come with AVX2. For tests."""
    global COUNT
    COUNT = fb_choose_short_counters(level)


cdef size_t longest_short() noexcept nogil:
    """Tokens of the longest reference that is matched with sets: 64, or 128 with AVX2."""
    return COUNT.longest


cdef void match_numbers(
    const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits
) noexcept nogil:
    """Clipped matches of orders 1 to 4 of numbered tokens, with sets of one word.

    Args:
        sets: The word of this reference in the set of number 0.
        words: From there to its word in the next set.
        numbers: Of the hypothesis' tokens.
        count: How many there are.
        correct: Gets the matches of each order.
        hits: A bit for each order is added at the token where a match ends; or NULL.
    """
    COUNT.numbers(sets, words, numbers, count, correct, hits)


cdef void match_wide(
    const uint64_t* sets, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits
) noexcept nogil:
    """Match with sets of two words, one after the other. `hits` need not be cleared before."""
    COUNT.wide_numbers(sets, numbers, count, correct, hits)


cdef inline size_t size_of(const View* view, int64_t segment) noexcept nogil:
    """Bytes or ids of a segment."""
    return <size_t>(view.ends[segment] - view.starts[segment])


cdef bint count_short(
    Workspace* work, int tokenizer, size_t n_ids, const View* hypotheses, const View* references, int64_t segment,
    int64_t* row
) except -1 nogil:
    """Writes the row of a segment, unless its reference is absent or long.

    Args:
        work: Memory to work in.
        tokenizer: The number of a tokenizer; of no meaning for ids.
        n_ids: All ids are below it, or match nothing; 0: the segments are text.
        hypotheses: Text or ids.
        references: One stream of them.
        segment: Which of both.
        row: Gets sys_len, ref_len, correct_1..4, total_1..4.

    Returns:
        Whether it is written; if not, `_segment` must. That counts very long hypotheses, too: Ctrl-C is heard there.
    """
    cdef int64_t n
    if references.absent != NULL and references.absent[segment] or size_of(hypotheses, segment) > TOKENS_PER_CHECK:
        return False
    if n_ids:
        if size_of(references, segment) > COUNT.longest:
            return False
        count_ids(work, n_ids, hypotheses, references, segment, row)
    elif not count_text(work, tokenizer, hypotheses, references, segment, row):
        return False
    for n in range(SHORT_ORDER):
        row[2 + SHORT_ORDER + n] = max(<int64_t>0, row[0] - n)
    return True


cdef int count_ids(
    Workspace* work, size_t n_ids, const View* hypotheses, const View* references, int64_t segment, int64_t* row
) except -1 nogil:
    cdef fb_short_ids hypothesis, reference
    reference.ids = <const int64_t*>references.data + references.starts[segment]
    reference.count = size_of(references, segment)
    hypothesis.ids = <const int64_t*>hypotheses.data + hypotheses.starts[segment]
    hypothesis.count = size_of(hypotheses, segment)
    row[0] = <int64_t>hypothesis.count
    row[1] = <int64_t>reference.count
    if reference.count <= FB_SHORT_TOKENS:
        reserve_cleared(<void**>&work.sets_by_id, n_ids + 1, sizeof(uint64_t))
        COUNT.ids(work.sets_by_id, n_ids, &reference, &hypothesis, row + 2)
    else:
        reserve_cleared(<void**>&work.wide_sets_by_id, 2 * (n_ids + 1), sizeof(uint64_t))
        COUNT.wide_ids(work.wide_sets_by_id, n_ids, &reference, &hypothesis, row + 2)
    return 0


cdef bint count_short_samples(
    Workspace* work, size_t n_ids, const View* hypotheses, const View* references, int64_t segment, Py_ssize_t samples,
    int64_t* rows
) except -1 nogil:
    """count_short for the hypotheses segment * samples and the following, of ids; they have their rows in `rows`."""
    cdef Py_ssize_t k
    cdef int64_t n, i = segment * samples
    cdef int64_t* row
    cdef fb_short_ids* found
    cdef fb_short_ids reference
    if references.absent != NULL and references.absent[segment] or size_of(references, segment) > COUNT.longest:
        return False
    reserve(<void**>&work.samples, <size_t>samples, sizeof(fb_short_ids))
    found = <fb_short_ids*>work.samples
    for k in range(samples):
        if size_of(hypotheses, i + k) > TOKENS_PER_CHECK:
            return False
        found[k].ids = <const int64_t*>hypotheses.data + hypotheses.starts[i + k]
        found[k].count = size_of(hypotheses, i + k)
    reference.ids = <const int64_t*>references.data + references.starts[segment]
    reference.count = size_of(references, segment)
    if reference.count <= FB_SHORT_TOKENS:
        reserve_cleared(<void**>&work.sets_by_id, n_ids + 1, sizeof(uint64_t))
        COUNT.samples(work.sets_by_id, n_ids, &reference, found, <size_t>samples, rows + 2, SHORT_WIDTH)
    else:
        reserve_cleared(<void**>&work.wide_sets_by_id, 2 * (n_ids + 1), sizeof(uint64_t))
        COUNT.wide_samples(work.wide_sets_by_id, n_ids, &reference, found, <size_t>samples, rows + 2, SHORT_WIDTH)
    for k in range(samples):
        row = rows + k * SHORT_WIDTH
        row[0] = <int64_t>found[k].count
        row[1] = <int64_t>reference.count
        for n in range(SHORT_ORDER):
            row[2 + SHORT_ORDER + n] = max(<int64_t>0, row[0] - n)
    return True


cdef bint count_text(
    Workspace* work, int tokenizer, const View* hypotheses, const View* references, int64_t segment, int64_t* row
) except -1 nogil:
    cdef size_t bytes = size_of(references, segment)
    cdef fb_short_index index
    cdef fb_token_spans spans
    if bytes > BYTES_PER_TOKEN * COUNT.longest:
        return False
    reset_arena(&work.spans, bytes + size_of(hypotheses, segment) + 2 * ARENA_MARGIN)
    tokenize_segment(&work.spans, tokenizer, references, segment, &spans)
    if spans.count > COUNT.longest:
        return False
    row[1] = <int64_t>spans.count
    fb_index_short(&index, &spans, SEEDS)
    tokenize_segment(&work.spans, tokenizer, hypotheses, segment, &spans)
    row[0] = <int64_t>spans.count
    if row[1] <= <int64_t>FB_SHORT_TOKENS:
        COUNT.text(&index, &spans, SEEDS, row + 2)
    else:
        COUNT.wide_text(&index, &spans, SEEDS, row + 2)
    return True


cdef int tokenize_segment(
    Spans* spans, int tokenizer, const View* view, int64_t segment, fb_token_spans* found
) except -1 nogil:
    """Finds the tokens of a segment. The text that they lie in stays where it is; the spans go with the next call."""
    found.count = <size_t>tokenize_text(
        tokenizer, view.data + view.starts[segment], size_of(view, segment), view.readable_end, spans)
    found.text = spans.base
    found.starts = spans.starts
    found.ends = spans.ends
    return 0
