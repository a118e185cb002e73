"""The memory of a thread that counts, and the tokens of a segment in it.

The memory is reused from segment to segment and never shrinks.
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
    """Return the bytes held, without the arrays by id.

    These take at most 7 MB, and are kept because clearing new ones for each call would take long.
    """
    return (
        allocated_bytes(<void**>&work.spans.starts, <void**>&work.spans.arena_used)
        + allocated_bytes(<void**>&work.token_keys, <void**>&work.by_id)
    )


cdef int reserve_numbers(Workspace* work, size_t tokens) except -1 nogil:
    """Make room for the numbers and ends of a segment's tokens, from index 1, and keep the content.

    Lists may also be written to at the index after the last token.
    """
    grow(<void**>&work.ngram_ends, tokens + 2, sizeof(uint32_t))
    return grow(<void**>&work.numbers, tokens + 2, sizeof(uint32_t))


cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil:
    """Make room for the keys, addresses and numbers of tokens, and keep the content."""
    if tokens * sizeof(fb_key) > capacity(work.token_keys):
        tokens += (tokens >> 1) + 64
        grow(<void**>&work.token_bytes, tokens, sizeof(uint64_t))
        reserve_numbers(work, tokens)
        # Grow this buffer last, because its capacity is compared above for all of them.
        grow(<void**>&work.token_keys, tokens, sizeof(fb_key))
    return 0


cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil:
    """Make room for the keys of the references' distinct tokens, and the addresses of their bytes."""
    reserve(<void**>&work.bytes_at, tokens + 1, sizeof(uint64_t))
    return reserve(<void**>&work.keys, tokens + 1, sizeof(fb_key))


cdef int append_keys(Workspace* work, size_t count) except -1 nogil:
    """Append the keys of the `count` tokens of the text that was tokenized last. Their spans are in `work.spans`."""
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
    """Append the keys of a segment's tokens to the workspace; return their number."""
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
