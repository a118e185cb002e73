"""Numbering the n-grams of a pool of texts, so that their counts stand in plain arrays.

N-grams are numbered order by order; the key of one is (number of its first n - 1 tokens, number of its last token). An
n-gram that only one text has matches nothing, and neither does a longer one that begins or ends with it. Its number
becomes 0, and nothing is looked up for the longer ones.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, fb_find_ngram, fb_ngram_home, fb_seeds, slots_for
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu.counting._ngram_tables cimport number_tokens
from fastbleu.counting._workspace cimport Index, free_workspace, read_tokens, reserve_tokens
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, reset_arena

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    MOST_TOKENS = 1 << 30        # of a pool: n-grams are numbered in 32 bits
    GROUP = 16                   # look-ups under way at once
    TEXTS_PER_SIGNAL_CHECK = 1 << 16
    TOKENS_WORTH_A_SIGNAL_CHECK = 1 << 20


cdef void free_pool(Pool* pool) noexcept nogil:
    free_workspace(&pool.work)
    release_all(<void**>&pool.lengths, <void**>&pool.texts)


cdef size_t copied_bytes(const View* view, int64_t start, int64_t stop) noexcept nogil:
    """Bytes that copies of these texts take at most."""
    cdef size_t bytes = 0
    cdef int64_t text
    for text in range(start, stop):
        bytes += <size_t>(view.ends[text] - view.starts[text]) + ARENA_MARGIN
    return bytes


cdef int begin_pool(
    Pool* pool, int tokenizer, size_t texts, const View* view, int64_t start, int64_t stop,
    const View* other, int64_t other_start, int64_t other_stop
) except -1 nogil:
    """Forgets the last pool; makes room for texts that will be read from one view, or from two."""
    reserve(<void**>&pool.lengths, texts + 1, sizeof(uint32_t))
    if tokenizer != TOKENIZE_IDS:
        reset_arena(
            &pool.work.spans,
            copied_bytes(view, start, stop) + (copied_bytes(other, other_start, other_stop) if other != NULL else 0))
    # Kernels point into this memory even if no text has a token.
    reserve_tokens(&pool.work, 1)
    pool.texts = 0
    pool.work.tokens = 0
    return 0


cdef int read_texts(Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop) except -1 nogil:
    """Reads the tokens of further texts."""
    cdef int64_t text
    for text in range(start, stop):
        pool.lengths[pool.texts] = <uint32_t>read_tokens(&pool.work, tokenizer, view, text)
        pool.texts += 1
        if pool.texts % TEXTS_PER_SIGNAL_CHECK == 0:
            with gil:
                PyErr_CheckSignals()
        if pool.work.tokens > MOST_TOKENS:
            with gil:
                raise ValueError(f"the segments of one pool have more than {MOST_TOKENS} tokens together")
    return 0


cdef int number_pool(Pool* pool) except -1 nogil:
    """Numbers the tokens of all texts: their n-grams of order 1."""
    cdef Index index
    memset(&index, 0, sizeof(Index))
    index.lengths = pool.lengths
    index.references = <uint32_t>pool.texts
    number_tokens(&pool.work, &index)
    pool.tokens = pool.work.tokens
    pool.numbers = pool.work.numbers
    pool.ngrams = pool.work.prefixes
    pool.n_ngrams = index.tokens
    return 0


cdef int clear_counts(Pool* pool) except -1 nogil:
    """Makes the counts of all n-grams of the order at hand 0."""
    cdef size_t numbers = <size_t>pool.n_ngrams + 1
    if not reserve_cleared(<void**>&pool.counts, numbers, sizeof(NgramCounts)):
        memset(pool.counts, 0, numbers * sizeof(NgramCounts))
    return 0


cdef int number_ngrams(Pool* pool, int n) except -1 nogil:
    """Numbers the n-grams of order n >= 2 from those of order n - 1.

    The loop goes backwards through a text, so that the number before a token is still of order n - 1.
    """
    cdef size_t first = 0, text, length, t, k, group, mask, positions = 0
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef fb_seeds seeds = SEEDS
    cdef const uint32_t* tokens = pool.numbers
    cdef uint32_t* ngrams = pool.ngrams
    cdef uint32_t numbers = 0
    cdef NgramSlot* entry
    # Only a large pool takes long enough for a signal to be looked for.
    if pool.tokens > TOKENS_WORTH_A_SIGNAL_CHECK:
        with gil:
            PyErr_CheckSignals()
    for text in range(pool.texts):
        length = pool.lengths[text]
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                positions += (ngrams[t - 1] != 0) & (ngrams[t] != 0)
        first += length
    mask = slots_for(positions, 2) - 1
    if not reserve_cleared(<void**>&pool.slots, mask + 1, sizeof(NgramSlot)):
        memset(pool.slots, 0, (mask + 1) * sizeof(NgramSlot))
    first = 0
    for text in range(pool.texts):
        length = pool.lengths[text]
        t = first + length
        while length >= <size_t>n and t > first + n - 1:
            group = min(<size_t>GROUP, t - (first + n - 1))
            for k in range(group):
                keys[k] = 0
                if ngrams[t - k - 2] != 0 and ngrams[t - k - 1] != 0:
                    keys[k] = <uint64_t>ngrams[t - k - 2] << 32 | tokens[t - k - 1]
                    homes[k] = fb_ngram_home(keys[k], mask, seeds)
                    fb_prefetch(&pool.slots[homes[k]])
            for k in range(group):
                if keys[k] == 0:
                    ngrams[t - k - 1] = 0
                    continue
                entry = &pool.slots[fb_find_ngram(pool.slots, mask, homes[k], keys[k])]
                if entry.key == 0:
                    numbers += 1
                    entry.key = keys[k]
                    entry.number = numbers
                ngrams[t - k - 1] = entry.number
            t -= group
        first += length
    pool.n_ngrams = numbers
    return 0


cdef void find_two_largest(Pool* pool, int n) noexcept nogil:
    """Finds the two largest counts of each n-gram of order n in any two texts; the counts are all 0 before."""
    cdef size_t first = 0, text, length, t
    cdef NgramCounts* counts
    for text in range(pool.texts):
        length = pool.lengths[text]
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                pool.counts[pool.ngrams[t]].run += 1
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                # Only its first occurrence finds a count: run is 0 at the others.
                if counts.run > counts.most:
                    counts.second = counts.most
                    counts.most = counts.run
                elif counts.run > counts.second:
                    counts.second = counts.run
                counts.run = 0
        first += length
    # Number 0 stands for n-grams that match nothing.
    memset(pool.counts, 0, sizeof(NgramCounts))
