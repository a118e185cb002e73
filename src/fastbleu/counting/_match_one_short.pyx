"""Segments with one short reference: the route of most segments. What it indexes stays near the processor.

`_segment` counts all others, and could count these, too; this takes a third to a half less time. The loops of
match_numbers serve `_match_by_positions`, too.
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
    const uint64_t* sets, size_t words, bint is_wide, const uint32_t* numbers, size_t count, int64_t* correct,
    uint8_t* hits
) noexcept nogil:
    """Clipped matches of orders 1 to 4 of numbered tokens.

    Args:
        sets: The first word of this reference in the set of number 0.
        words: From there to its word in the next set.
        is_wide: Whether it has two words.
        numbers: Of the hypothesis' tokens.
        count: How many there are.
        correct: Gets the matches of each order.
        hits: A bit for each order is added at the token where a match ends; or NULL.
    """
    COUNT.of_words[is_wide].numbers(sets, words, numbers, count, correct, hits)


cdef inline size_t size_of(const View* view, int64_t segment) noexcept nogil:
    """Bytes or ids of a segment."""
    return <size_t>(view.ends[segment] - view.starts[segment])


cdef bint count_short(
    Workspace* work, int tokenizer, size_t n_ids, const View* hypotheses, const View* references, int64_t segment,
    Py_ssize_t samples, int64_t* rows
) except -1 nogil:
    """Writes the rows of the hypotheses of a segment, unless its reference is absent or long.

    Args:
        work: Memory to work in.
        tokenizer: The number of a tokenizer; of no meaning for ids.
        n_ids: All ids are below it, or match nothing; 0: the segments are text.
        hypotheses: Text or ids.
        references: One stream of them.
        segment: Which of them.
        samples: How many hypotheses it has, from segment * samples on; one of text.
        rows: Gets sys_len, ref_len, correct_1..4, total_1..4 of each hypothesis.

    Returns:
        Whether they are written; if not, `_segment` must. That counts very long hypotheses, too: Ctrl-C is heard there.
    """
    cdef int64_t k, n, first = segment * samples
    cdef int64_t* row
    if references.absent != NULL and references.absent[segment]:
        return False
    for k in range(samples):
        if size_of(hypotheses, first + k) > TOKENS_PER_CHECK:
            return False
    if n_ids:
        if size_of(references, segment) > COUNT.longest:
            return False
        count_ids(work, n_ids, hypotheses, references, segment, samples, rows)
    elif not count_text(work, tokenizer, hypotheses, references, segment, rows):
        return False
    for k in range(samples):
        row = rows + k * SHORT_WIDTH
        for n in range(SHORT_ORDER):
            row[2 + SHORT_ORDER + n] = max(<int64_t>0, row[0] - n)
    return True


cdef inline fb_short_ids ids_of(const View* view, int64_t segment) noexcept nogil:
    cdef fb_short_ids found
    found.ids = <const int64_t*>view.data + view.starts[segment]
    found.count = size_of(view, segment)
    return found


cdef int count_ids(
    Workspace* work, size_t n_ids, const View* hypotheses, const View* references, int64_t segment, Py_ssize_t samples,
    int64_t* rows
) except -1 nogil:
    cdef Py_ssize_t k
    cdef fb_short_ids* found
    cdef fb_short_ids reference = ids_of(references, segment)
    cdef bint is_wide = reference.count > FB_SHORT_TOKENS
    reserve(<void**>&work.samples, <size_t>samples, sizeof(fb_short_ids))
    found = <fb_short_ids*>work.samples
    for k in range(samples):
        found[k] = ids_of(hypotheses, segment * samples + k)
        rows[k * SHORT_WIDTH] = <int64_t>found[k].count
        rows[k * SHORT_WIDTH + 1] = <int64_t>reference.count
    reserve_cleared(<void**>&work.sets_by_id, (1 + <size_t>is_wide) * (n_ids + 1), sizeof(uint64_t))
    COUNT.of_words[is_wide].ids(
        work.sets_by_id, n_ids, &reference, found, <size_t>samples, rows + 2, SHORT_WIDTH)
    return 0


cdef bint count_text(
    Workspace* work, int tokenizer, const View* hypotheses, const View* references, int64_t segment, int64_t* row
) except -1 nogil:
    cdef size_t bytes = size_of(references, segment)
    cdef fb_short_index index
    cdef fb_token_spans spans
    cdef const fb_short_loops* loops
    cdef bint is_wide
    if bytes > BYTES_PER_TOKEN * COUNT.longest:
        return False
    reset_arena(&work.spans, bytes + size_of(hypotheses, segment) + 2 * ARENA_MARGIN)
    tokenize_segment(&work.spans, tokenizer, references, segment, &spans)
    if spans.count > COUNT.longest:
        return False
    row[1] = <int64_t>spans.count
    is_wide = spans.count > FB_SHORT_TOKENS
    loops = &COUNT.of_words[is_wide]
    loops.index(&index, &spans, SEEDS)
    tokenize_segment(&work.spans, tokenizer, hypotheses, segment, &spans)
    row[0] = <int64_t>spans.count
    reserve(<void**>&work.numbers, spans.count, sizeof(uint32_t))
    loops.find(&index, &spans, SEEDS, work.numbers)
    loops.numbers(index.sets, 1 + is_wide, work.numbers, spans.count, row + 2, NULL)
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
