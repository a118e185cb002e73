"""Segments with one short reference: the route of most segments. What it indexes stays near the processor.

The other routes could count these segments as well; this one takes a third to a half less time. The loops of
match_numbers also serve `_match_by_positions`.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastbleu._native._hashing cimport SEEDS, fb_seeds
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.counting._workspace cimport Options, Workspace
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, Spans, tokenize_text

cdef extern from "counting/match_one_short.h" nogil:
    ctypedef struct fb_short_index:
        uint64_t* sets
    ctypedef struct fb_token_spans:
        const uint8_t* text
        const uint32_t* starts
        const uint32_t* ends
        size_t count
    ctypedef struct fb_short_ids:
        const int64_t* ids
        size_t count
    ctypedef struct fb_short_loops:
        void (*index)(fb_short_index* index, const fb_token_spans* spans, fb_seeds seeds) noexcept nogil
        void (*find)(
            const fb_short_index* index, const fb_token_spans* spans, fb_seeds seeds, uint32_t* numbers) noexcept nogil
        void (*ids)(
            uint64_t* sets, size_t n_ids, const fb_short_ids* reference, const fb_short_ids* hypotheses,
            size_t samples, int64_t* correct, size_t stride) noexcept nogil
        void (*numbers)(
            const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct,
            uint8_t* hits) noexcept nogil
    ctypedef struct fb_short_counters:
        size_t longest
        fb_short_loops[2] of_words
    const size_t FB_SHORT_TOKENS
    fb_short_counters fb_choose_short_counters(int level)

cdef enum:
    COUNTED_ORDERS = 4           # by the loops; of fewer orders, the first are taken

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
    """Count clipped matches of orders 1 to 4 of numbered tokens.

    Args:
        sets: The word of this reference in the set of number 0.
        words: From there to its word in the next set.
        numbers: Of the hypothesis' tokens.
        count: How many there are.
        correct: Gets the matches of each order.
        hits: A bit for each order is added at the token where a match ends; or NULL.
    """
    COUNT.of_words[0].numbers(sets, words, numbers, count, correct, hits)


cdef inline fb_short_ids ids_of(const View* view, int64_t i) noexcept nogil:
    cdef fb_short_ids found
    found.ids = <const int64_t*>view.data + view.starts[i]
    found.count = <size_t>(view.ends[i] - view.starts[i])
    return found


cdef int count_one_short(
    Workspace* work, const Options* options, const View* reference, int64_t at, size_t reference_tokens,
    const View* hypotheses, Py_ssize_t first, Py_ssize_t n, int64_t* rows
) except -1 nogil:
    """Write the rows of hypotheses of one short reference.

    Args:
        work: Memory to work in. If tokens are text, it holds those of the reference.
        options: How segments are counted, up to order 4.
        reference: The column of the reference.
        at: Its place there.
        reference_tokens: Its number of tokens, at most longest_short().
        hypotheses: Text or ids.
        first: The first of these hypotheses.
        n: How many there are.
        rows: Gets sys_len, ref_len, correct_1..order, total_1..order of each.
    """
    cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t>options.order, stride = width, k
    cdef int64_t* correct = rows + 2
    cdef int64_t* row
    cdef int order
    if options.order < COUNTED_ORDERS:
        reserve(<void**>&work.correct, <size_t>(COUNTED_ORDERS * n), sizeof(int64_t))
        correct, stride = work.correct, COUNTED_ORDERS
    if options.tokenizer == TOKENIZE_IDS:
        count_ids(work, options.n_ids, ids_of(reference, at), hypotheses, first, n, correct, <size_t>stride)
        for k in range(n):
            rows[k * width] = hypotheses.ends[first + k] - hypotheses.starts[first + k]
    else:
        count_text(work, options.tokenizer, reference_tokens, hypotheses, first, n, correct, stride, rows, width)
    for k in range(n):
        row = rows + k * width
        row[1] = <int64_t>reference_tokens
        for order in range(options.order):
            row[2 + options.order + order] = max(<int64_t>0, row[0] - order)
        if options.order < COUNTED_ORDERS:
            memcpy(row + 2, correct + k * stride, <size_t>options.order * sizeof(int64_t))
    return 0


cdef int count_ids(
    Workspace* work, size_t n_ids, fb_short_ids reference, const View* hypotheses, Py_ssize_t first, Py_ssize_t n,
    int64_t* correct, size_t stride
) except -1 nogil:
    """Count matches of ids; those of each further hypothesis are `stride` after those of the one before."""
    cdef Py_ssize_t k
    cdef fb_short_ids* ids
    cdef bint is_wide = reference.count > FB_SHORT_TOKENS
    reserve(<void**>&work.samples, <size_t>n, sizeof(fb_short_ids))
    ids = <fb_short_ids*>work.samples
    for k in range(n):
        ids[k] = ids_of(hypotheses, first + k)
    reserve_cleared(<void**>&work.sets_by_id, (1 + <size_t>is_wide) * (n_ids + 1), sizeof(uint64_t))
    COUNT.of_words[is_wide].ids(work.sets_by_id, n_ids, &reference, ids, <size_t>n, correct, stride)
    return 0


cdef int count_text(
    Workspace* work, int tokenizer, size_t reference_tokens, const View* hypotheses, Py_ssize_t first, Py_ssize_t n,
    int64_t* correct, Py_ssize_t stride, int64_t* lengths, Py_ssize_t width
) except -1 nogil:
    """Count matches of text as `count_ids` does; the length of each hypothesis is `width` after that of the one before.
    """
    cdef fb_short_index index
    cdef fb_token_spans spans = spans_of(&work.spans, reference_tokens)
    cdef bint is_wide = reference_tokens > FB_SHORT_TOKENS
    cdef const fb_short_loops* loops = &COUNT.of_words[is_wide]
    cdef size_t arena_used = work.spans.arena_used, count
    cdef Py_ssize_t k
    loops.index(&index, &spans, SEEDS)
    for k in range(n):
        work.spans.arena_used = arena_used
        count = <size_t>tokenize_text(
            tokenizer, hypotheses.data + hypotheses.starts[first + k],
            <size_t>(hypotheses.ends[first + k] - hypotheses.starts[first + k]), hypotheses.readable_end, &work.spans)
        spans = spans_of(&work.spans, count)
        lengths[k * width] = <int64_t>count
        reserve(<void**>&work.numbers, count, sizeof(uint32_t))
        loops.find(&index, &spans, SEEDS, work.numbers)
        loops.numbers(index.sets, 1 + is_wide, work.numbers, count, correct + k * stride, NULL)
    return 0


cdef inline fb_token_spans spans_of(const Spans* spans, size_t count) noexcept nogil:
    """Return the spans of the text that was tokenized last; its tokens stay where they are, the spans do not."""
    cdef fb_token_spans found
    found.count = count
    found.text = spans.base
    found.starts = spans.starts
    found.ends = spans.ends
    return found
