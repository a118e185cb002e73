"""Match hypotheses with one short reference, which most segments have. The index fits in the L1 cache.

The modules for several references and for long references could count these segments as well, but this one takes a
third to a half less time.
`_match_short_references` calls `match_numbers` for each of several references.
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
            size_t n_hypotheses, int64_t* correct, size_t stride) noexcept nogil
        void (*numbers)(
            const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct,
            uint8_t* hits) noexcept nogil
    ctypedef struct fb_short_counters:
        size_t longest
        fb_short_loops[2] of_words
    const size_t FB_ONE_WORD_TOKENS
    fb_short_counters fb_choose_short_counters(int level)

cdef enum:
    COUNTED_ORDERS = 4           # The loops always count 4 orders. If `order` is smaller, the others are ignored.

cdef fb_short_counters COUNT = fb_choose_short_counters(2)


def use_instructions(int level):
    """Choose the instructions for matching, for tests: 0 for portable C, 1 or more for AVX2 if it is available."""
    global COUNT
    COUNT = fb_choose_short_counters(level)


cdef size_t longest_short() noexcept nogil:
    """Return the number of tokens of the longest reference that this module can match: 64, or 128 with AVX2."""
    return COUNT.longest


cdef void match_numbers(
    const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits
) noexcept nogil:
    """Count the clipped matches of the orders 1 to 4 of a hypothesis whose tokens are numbered.

    Args:
        sets: The position sets. sets[k * words] is the word for token number k and the reference to be matched.
        words: The number of words per position set, which may include words for other references.
        numbers: The numbers of the hypothesis' tokens.
        count: The number of tokens of the hypothesis.
        correct: Receives the number of matches of each of the 4 orders.
        hits: NULL; or an array [count]. For each match of order n that ends at token t, bit n - 1 of hits[t] is set.
    """
    COUNT.of_words[0].numbers(sets, words, numbers, count, correct, hits)


cdef inline fb_short_ids ids_of(const View* view, int64_t i) noexcept nogil:
    """Return the ids of segment i of a column."""
    cdef fb_short_ids ids
    ids.ids = <const int64_t*>view.data + view.starts[i]
    ids.count = <size_t>(view.ends[i] - view.starts[i])
    return ids


cdef int count_one_short(
    Workspace* work, const Options* options, const View* reference, int64_t position, size_t reference_tokens,
    const View* hypotheses, Py_ssize_t first, Py_ssize_t n, int64_t* rows
) except -1 nogil:
    """Write the rows of hypotheses that have the same short reference.

    Args:
        work: The workspace of this thread. For text, `work.spans` must have the spans of the reference's tokens.
        options: The options of counting; the largest n must be at most 4.
        reference: The column of the reference.
        position: The index of the reference in its column.
        reference_tokens: The number of the reference's tokens, at most longest_short().
        hypotheses: The column of hypotheses.
        first: The index of the first hypothesis.
        n: The number of hypotheses.
        rows: Receives n rows: sys_len, ref_len, correct_1..order, total_1..order.
    """
    cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t>options.order, stride = width, k
    cdef int64_t* correct = rows + 2
    cdef int64_t* row
    cdef int order
    if options.order < COUNTED_ORDERS:
        reserve(<void**>&work.correct, <size_t>(COUNTED_ORDERS * n), sizeof(int64_t))
        correct, stride = work.correct, COUNTED_ORDERS
    if options.tokenizer == TOKENIZE_IDS:
        count_ids(work, options.n_ids, ids_of(reference, position), hypotheses, first, n, correct, <size_t>stride)
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
    """Count the matches of n hypotheses of ids. Write 4 counts for hypothesis k from correct[k * stride] on."""
    cdef Py_ssize_t k
    cdef fb_short_ids* ids
    cdef bint needs_two_words = reference.count > FB_ONE_WORD_TOKENS
    reserve(<void**>&work.hypothesis_ids, <size_t>n, sizeof(fb_short_ids))
    ids = <fb_short_ids*>work.hypothesis_ids
    for k in range(n):
        ids[k] = ids_of(hypotheses, first + k)
    reserve_cleared(<void**>&work.sets_by_id, (1 + <size_t>needs_two_words) * (n_ids + 1), sizeof(uint64_t))
    COUNT.of_words[needs_two_words].ids(work.sets_by_id, n_ids, &reference, ids, <size_t>n, correct, stride)
    return 0


cdef int count_text(
    Workspace* work, int tokenizer, size_t reference_tokens, const View* hypotheses, Py_ssize_t first, Py_ssize_t n,
    int64_t* correct, Py_ssize_t stride, int64_t* lengths, Py_ssize_t width
) except -1 nogil:
    """Count the matches of n hypotheses of text, and their tokens.

    Write 4 counts for hypothesis k from correct[k * stride] on, and its number of tokens to lengths[k * width].
    """
    cdef fb_short_index index
    cdef fb_token_spans spans = spans_of(&work.spans, reference_tokens)
    cdef bint needs_two_words = reference_tokens > FB_ONE_WORD_TOKENS
    cdef const fb_short_loops* loops = &COUNT.of_words[needs_two_words]
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
        loops.numbers(index.sets, 1 + needs_two_words, work.numbers, count, correct + k * stride, NULL)
    return 0


cdef inline fb_token_spans spans_of(const Spans* spans, size_t count) noexcept nogil:
    """Return the spans of the `count` tokens of the latest text. The next call of `tokenize_text` overwrites them."""
    cdef fb_token_spans tokens
    tokens.count = count
    tokens.text = spans.base
    tokens.starts = spans.starts
    tokens.ends = spans.ends
    return tokens
