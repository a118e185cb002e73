"""Number the n-grams of a pool of texts, so that their counts can be stored in arrays indexed by these numbers.

N-grams are numbered order by order. The key of an n-gram consists of two numbers of the previous order: the number of
its first n - 1 tokens, and the number of its last n - 1 tokens. An n-gram that occurs in only one text matches nothing,
so it gets the number 0. A longer n-gram that begins or ends with it matches nothing either, so an n-gram whose key
contains a 0 is not looked up.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport MAX_CACHED_SLOTS, SEEDS, cached_slots_for, fb_find_class, fb_ngram_home, fb_seeds
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport (
    STEPS_PER_CHECK,
    check_after,
    check_signals,
    clear_memory,
    fb_handle_signals,
    next_check,
)
from fastbleu.counting._numbering cimport number_tokens
from fastbleu.counting._workspace cimport Index, free_workspace, read_tokens, reserve_tokens
from fastbleu.inputs._column cimport Column, IdColumn, Int64Buffer, View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, check_tokenizer, reset_arena

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    SLOTS_PER_TOKEN = 4          # Size of the hash table of tokens, in slots per token.
    MAX_TOKENS = 1 << 30         # Largest number of tokens in a pool, because n-grams are numbered with 32 bits.
    SLOTS_PER_NGRAM = 4          # Size of the hash table of n-grams, in slots per n-gram, up to NEAR_SLOTS slots.
    LOOKUPS_AHEAD = 16           # Prefetch distance, in look-ups, for a table that does not stay in the nearest caches.
    TEXTS_PER_SIGNAL_CHECK = 1 << 16  # Number of texts that are read between two checks for Ctrl-C.


cdef void free_pool(Pool* pool) noexcept nogil:
    free_workspace(&pool.work)
    release_all(<void**>&pool.lengths, <void**>&pool.texts, 6)


cdef int check_kind(Column column, str name, int tokenizer) except -1:
    """Raise a TypeError unless a column has ids for TOKENIZE_IDS, or text for any other tokenizer."""
    check_tokenizer(tokenizer)
    if isinstance(column, IdColumn) != (tokenizer == TOKENIZE_IDS):
        raise TypeError(f"{name} must be ids for the tokenizer IDS, and text for all other tokenizers")
    return 0


cdef int check_bounds(Int64Buffer bounds, Py_ssize_t length, str name) except -1:
    """Raise a ValueError unless `bounds` has at least one item, and its items ascend within 0..length."""
    cdef Py_ssize_t i
    if bounds.rows < 1 or bounds.data[0] < 0 or bounds.data[bounds.rows - 1] > length:
        raise ValueError(f"{name} must hold offsets from 0 to {length}")
    for i in range(bounds.rows - 1):
        if bounds.data[i] > bounds.data[i + 1]:
            raise ValueError(f"{name}[{i + 1}] = {bounds.data[i + 1]} must not be below {bounds.data[i]}")
    return 0


cdef size_t copied_bytes(const View* view, int64_t start, int64_t stop) noexcept nogil:
    """Return an upper bound of the number of bytes that copies of the texts start..stop - 1 take."""
    cdef size_t bytes = 0
    cdef int64_t text
    for text in range(start, stop):
        bytes += <size_t>(view.ends[text] - view.starts[text]) + ARENA_MARGIN
    return bytes


cdef int read_texts(Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop) except -1 nogil:
    """Read the tokens of the texts start..stop - 1 of a view, and append the texts to the pool.

    Raises:
        ValueError: The pool has more than MAX_TOKENS tokens.
    """
    cdef int64_t text
    for text in range(start, stop):
        pool.lengths[pool.texts] = <uint32_t>read_tokens(&pool.work, tokenizer, view, text)
        pool.texts += 1
        if pool.texts % TEXTS_PER_SIGNAL_CHECK == 0:
            fb_handle_signals()
        if pool.work.tokens > MAX_TOKENS:
            with gil:
                raise ValueError(f"the segments of one pool have more than {MAX_TOKENS} tokens together")
    return 0


cdef int read_pool(
    Pool* pool, int tokenizer, const View* view, int64_t start, int64_t stop,
    const View* other, int64_t other_start, int64_t other_stop
) except -1 nogil:
    """Read the texts of a pool from one view or two, and number their tokens.

    Args:
        pool: The pool; its earlier texts are discarded.
        tokenizer: A constant TOKENIZE_*.
        view: The first view, of which the texts start..stop - 1 are read.
        other: The second view, of which the texts other_start..other_stop - 1 are read; or NULL.
    """
    cdef Index index
    if other == NULL:
        other, other_start, other_stop = view, stop, stop
    reserve(<void**>&pool.lengths, <size_t>(stop - start + other_stop - other_start) + 1, sizeof(uint32_t))
    if tokenizer != TOKENIZE_IDS:
        reset_arena(&pool.work.spans, copied_bytes(view, start, stop) + copied_bytes(other, other_start, other_stop))
    # Reserve memory even if all texts are empty, because kernels compute addresses in it.
    reserve_tokens(&pool.work, 1)
    pool.texts = 0
    pool.work.tokens = 0
    read_texts(pool, tokenizer, view, start, stop)
    read_texts(pool, tokenizer, other, other_start, other_stop)
    memset(&index, 0, sizeof(Index))
    index.lengths = pool.lengths
    index.references = <uint32_t>pool.texts
    number_tokens(&pool.work, &index, SLOTS_PER_TOKEN)
    pool.tokens = pool.work.tokens
    # Both buffers are used from index 1 on. `ngram_ends` has no other use here, so it stores the numbers of the
    # n-grams.
    pool.numbers = pool.work.numbers + 1
    pool.ngrams = pool.work.ngram_ends + 1
    memcpy(pool.ngrams, pool.numbers, pool.tokens * sizeof(uint32_t))
    pool.n_ngrams = index.tokens
    return 0


cdef int clear_counts(Pool* pool) except -1 nogil:
    """Reserve `pool.counts` for the n-grams of the current order, and set all counts to 0."""
    cdef size_t numbers = <size_t>pool.n_ngrams + 1
    if not reserve_cleared(<void**>&pool.counts, numbers, sizeof(NgramCounts)):
        clear_memory(pool.counts, numbers * sizeof(NgramCounts))
    return 0


cdef size_t list_ngrams(Pool* pool) noexcept nogil:
    """List the n-grams of order n that may match, with their keys and the index of their last tokens.

    Before the call, `pool.ngrams` has the numbers of the n-grams of order n - 1; after it, `pool.ngrams` has only
    zeros. The key of an n-gram consists of the numbers of its first n - 1 and its last n - 1 tokens, as in
    counting/_match_long_references.pyx. If one of these numbers is 0, the n-gram is not listed.

    Returns:
        The number of listed n-grams.
    """
    cdef size_t first = 0, text, t, listed = 0
    cdef uint32_t before, this
    for text in range(pool.texts):
        before = 0
        for t in range(first, first + pool.lengths[text]):
            this = pool.ngrams[t]
            pool.keys[listed] = <uint64_t>before << 32 | this
            pool.ends[listed] = <uint32_t>t
            listed += (before != 0) & (this != 0)
            pool.ngrams[t] = 0
            before = this
        first += pool.lengths[text]
    return listed


cdef inline uint32_t number_listed(
    Pool* pool, size_t start, size_t stop, size_t mask, uint32_t numbers, bint is_far
) noexcept nogil:
    """Number the listed n-grams start..stop - 1 by looking up their keys; an n-gram with a new key gets a new number.

    The branch predictor cannot foresee whether an n-gram is new, so no branch depends on that.

    Args:
        pool: The pool, whose n-grams have been listed.
        mask: The number of slots of the hash table minus 1.
        numbers: The largest number used so far.
        is_far: Whether the table is larger than the nearest caches, so that slots are prefetched.

    Returns:
        The largest number used, including this range.
    """
    cdef size_t k, slot
    cdef uint32_t number
    cdef bint is_new
    cdef fb_seeds seeds = SEEDS
    cdef const uint64_t* keys = pool.keys
    cdef uint32_t* slots = pool.slots
    cdef uint64_t* numbered = pool.numbered
    for k in range(start, stop):
        if is_far:
            fb_prefetch(&slots[fb_ngram_home(keys[min(k + LOOKUPS_AHEAD, stop - 1)], mask, seeds)])
        slot = fb_find_class(slots, mask, numbered, fb_ngram_home(keys[k], mask, seeds), keys[k])
        number = slots[slot]
        is_new = number == 0
        numbers += is_new
        number |= numbers & -<uint32_t>is_new
        slots[slot] = number
        numbered[number] = keys[k]
        pool.ngrams[pool.ends[k]] = number
    return numbers


cdef int number_ngrams(Pool* pool) except -1 nogil:
    """Replace the numbers of the n-grams of order n - 1 in `pool.ngrams` by those of order n, for n >= 2."""
    cdef size_t listed, mask, start = 0, stop
    cdef uint32_t numbers = 0
    check_after(pool.tokens)
    reserve(<void**>&pool.keys, pool.tokens + 1, sizeof(uint64_t))
    reserve(<void**>&pool.numbered, pool.tokens + 1, sizeof(uint64_t))
    reserve(<void**>&pool.ends, pool.tokens + 1, sizeof(uint32_t))
    listed = list_ngrams(pool)
    mask = cached_slots_for(listed, SLOTS_PER_NGRAM) - 1
    if not reserve_cleared(<void**>&pool.slots, mask + 1, sizeof(uint32_t)):
        clear_memory(pool.slots, (mask + 1) * sizeof(uint32_t))
    pool.numbered[0] = 0         # An empty slot has the number 0, and the look-up reads the key of every number.
    while start < listed:
        check_signals(start)
        stop = next_check(start, listed)
        if mask < MAX_CACHED_SLOTS:
            numbers = number_listed(pool, start, stop, mask, numbers, False)
        else:
            numbers = number_listed(pool, start, stop, mask, numbers, True)
        start = stop
    pool.n_ngrams = numbers
    return 0


cdef inline int count_by_role(
    NgramCounts* by_number, const uint32_t* ngrams, size_t n, bint is_reference
) except -1 nogil:
    """Update the largest counts with the n-grams of one text: a reference if `is_reference`, otherwise a hypothesis."""
    cdef size_t i, start
    cdef NgramCounts* counts
    for start from 0 <= start < n by STEPS_PER_CHECK:
        for i in range(start, next_check(start, n)):
            counts = &by_number[ngrams[i]]
            counts.running += 1
            if is_reference:
                counts.second_count = max(counts.second_count, counts.running)
            else:
                counts.max_count = max(counts.max_count, counts.running)
        check_after(n - start)
    for start from 0 <= start < n by STEPS_PER_CHECK:
        for i in range(start, next_check(start, n)):
            by_number[ngrams[i]].running = 0
        check_after(n - start)
    return 0


cdef inline int count_without_roles(NgramCounts* by_number, const uint32_t* ngrams, size_t n) except -1 nogil:
    """Update the two largest counts of each n-gram with the n-grams of one text, in a pool without references."""
    cdef size_t i, start
    cdef NgramCounts* counts
    for start from 0 <= start < n by STEPS_PER_CHECK:
        for i in range(start, next_check(start, n)):
            by_number[ngrams[i]].running += 1
        check_after(n - start)
    for start from 0 <= start < n by STEPS_PER_CHECK:
        for i in range(start, next_check(start, n)):
            counts = &by_number[ngrams[i]]
            # At the first occurrence of an n-gram its count is used and set to 0; at later ones it is 0.
            if counts.running > counts.max_count:
                counts.second_count = counts.max_count
                counts.max_count = counts.running
            elif counts.running > counts.second_count:
                counts.second_count = counts.running
            counts.running = 0
        check_after(n - start)
    return 0


cdef int find_largest(Pool* pool, int n, size_t n_hypotheses) except -1 nogil:
    """Find the largest counts of each n-gram of order n in single texts, and write them to `pool.counts`.

    Args:
        pool: The pool, whose n-grams of order n are numbered, and whose counts are all 0.
        n: The order.
        n_hypotheses: The number of hypotheses, which are the first texts. The largest count in a hypothesis is written
            to `max_count`, and the largest in a reference to `second_count`. If all texts are hypotheses, the largest
            and the second largest count in any text are written to these fields.
    """
    cdef size_t text, length
    cdef const uint32_t* ngrams = pool.ngrams + n - 1
    for text in range(pool.texts):
        length = pool.lengths[text]
        if length >= <size_t>n:
            if n_hypotheses == pool.texts:
                count_without_roles(pool.counts, ngrams, length - n + 1)
            else:
                count_by_role(pool.counts, ngrams, length - n + 1, text >= n_hypotheses)
        ngrams += length
    # N-grams with the number 0 match nothing, so their counts are set to 0.
    memset(pool.counts, 0, sizeof(NgramCounts))
    return 0
