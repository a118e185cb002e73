"""Manage the workspace of a counting thread, and read the tokens of segments into it.

The buffers of a workspace are reused from segment to segment and never shrink.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport FB_SHORT_TOKEN, SEEDS, fb_id_key, fb_key, fb_seeds, fb_token_key
from fastbleu._native.memory cimport allocated_bytes, capacity, grow, release_all, reserve
from fastbleu._native.signals cimport check_signals, next_check
from fastbleu.inputs._column cimport View
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, free_spans, tokenize_text


cdef void free_workspace(Workspace* work) noexcept nogil:
    """Free the buffers of a workspace."""
    free_spans(&work.spans)
    release_all(<void**>&work.token_keys, <void**>&work.tokens, 26)


cdef size_t workspace_bytes(Workspace* work) noexcept nogil:
    """Return the capacity of all buffers in bytes, without the arrays that are indexed by ids.

    These arrays have at most 7 MB. Counters keep them regardless of their size, since clearing new ones is slow.
    """
    return (
        allocated_bytes(<void**>&work.spans.starts, <void**>&work.spans.arena_used)
        + allocated_bytes(<void**>&work.token_keys, <void**>&work.by_id)
    )


cdef int reserve_numbers(Workspace* work, size_t tokens) except -1 nogil:
    """Enlarge `numbers` and `ngram_ends` for the indices 1..tokens + 1, and keep their content.

    Loops without branches write to the index after the last token as well.
    """
    grow(<void**>&work.ngram_ends, tokens + 2, sizeof(uint32_t))
    return grow(<void**>&work.numbers, tokens + 2, sizeof(uint32_t))


cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil:
    """Enlarge the buffers of keys, addresses and numbers to `tokens` tokens, and keep their content."""
    if tokens * sizeof(fb_key) > capacity(work.token_keys):
        tokens += (tokens >> 1) + 64
        grow(<void**>&work.token_bytes, tokens, sizeof(uint64_t))
        reserve_numbers(work, tokens)
        # Grow `token_keys` last, because only its capacity is compared above: the other buffers must not be smaller.
        grow(<void**>&work.token_keys, tokens, sizeof(fb_key))
    return 0


cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil:
    """Enlarge the buffers of keys and addresses to `tokens` distinct tokens."""
    reserve(<void**>&work.bytes_at, tokens + 1, sizeof(uint64_t))
    return reserve(<void**>&work.keys, tokens + 1, sizeof(fb_key))


cdef int append_keys(Workspace* work, size_t count) except -1 nogil:
    """Append the keys of `count` tokens to `work.token_keys`. The spans of these tokens must be in `work.spans`."""
    cdef size_t t, start = 0, stop, base = work.tokens
    cdef fb_seeds seeds = SEEDS
    cdef const uint8_t* text
    cdef const uint32_t* starts
    cdef const uint32_t* ends
    cdef fb_key* keys
    cdef uint32_t length
    reserve_tokens(work, base + count)
    text = work.spans.base
    starts = work.spans.starts
    ends = work.spans.ends
    keys = work.token_keys + base
    while start < count:
        check_signals(start)
        stop = next_check(start, count)
        for t in range(start, stop):
            length = ends[t] - starts[t]
            keys[t] = fb_token_key(text + starts[t], length, seeds)
            if length > FB_SHORT_TOKEN:
                work.token_bytes[base + t] = <uint64_t>(text + starts[t])
        start = stop
    work.tokens = base + count
    return 0


cdef Py_ssize_t read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil:
    """Append the keys of a segment's tokens to `work.token_keys`, and return the number of these tokens."""
    cdef int64_t start = view.starts[segment], stop = view.ends[segment]
    cdef size_t count = <size_t>(stop - start), t, done = 0, after, base = work.tokens
    cdef const int64_t* ids
    cdef fb_key* keys
    if tokenizer == TOKENIZE_IDS:
        reserve_tokens(work, base + count)
        ids = <const int64_t*>view.data + start
        keys = work.token_keys + base
        while done < count:
            check_signals(done)
            after = next_check(done, count)
            for t in range(done, after):
                keys[t] = fb_id_key(ids[t])
            done = after
        work.tokens = base + count
    else:
        count = <size_t>tokenize_text(tokenizer, view.data + start, count, view.readable_end, &work.spans)
        append_keys(work, count)
    return <Py_ssize_t>count
