"""Lists of strings in Arrow arrays -> columns of ids, equal where the tokens of a segment are equal."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport FB_SHORT_TOKEN, SEEDS, fb_enter_token, fb_key, fb_token_key, slots_for
from fastbleu._native.memory cimport release_all, reserve
from fastbleu.inputs._column cimport IdColumn, Int64Buffer, check_length
from fastbleu.inputs._text cimport TextColumn

from fastbleu.errors import place, wrong_type

cdef enum:
    SLOTS_PER_TOKEN = 4
    SEGMENTS_PER_SIGNAL_CHECK = 1024


cdef class TokenNumbers:
    """Numbers the tokens of the segment at hand, which are bytes, by secret hashes."""

    # Buffers.
    cdef uint32_t* slots
    cdef fb_key* keys
    cdef uint64_t* bytes_at
    # No more buffers.
    cdef size_t mask
    cdef uint32_t tokens

    def __dealloc__(self):
        release_all(<void**>&self.slots, <void**>&self.mask)

    cdef int begin(self, size_t tokens) except -1:
        """Forgets the last segment, and makes room for the tokens of the next."""
        cdef size_t slots = slots_for(tokens + 1, SLOTS_PER_TOKEN)
        reserve(<void**>&self.slots, slots, sizeof(uint32_t))
        reserve(<void**>&self.keys, tokens + 1, sizeof(fb_key))
        reserve(<void**>&self.bytes_at, tokens + 1, sizeof(uint64_t))
        memset(self.slots, 0, slots * sizeof(uint32_t))
        memset(self.keys, 0, sizeof(fb_key))
        self.bytes_at[0] = 0
        self.mask = slots - 1
        self.tokens = 0
        return 0

    cdef int64_t number(self, const uint8_t* token, size_t length, const uint8_t* readable_end) noexcept nogil:
        """The number of a token, from 1 on."""
        cdef uint8_t[16] copied
        cdef const uint8_t* at = token
        if length <= FB_SHORT_TOKEN and readable_end - token < 16:  # as many bytes are read of a short token
            memset(copied, 0, 16)
            if length:
                memcpy(copied, token, length)
            at = copied
        return fb_enter_token(
            self.slots, sizeof(uint32_t), self.mask, self.keys, self.bytes_at, SEEDS,
            fb_token_key(at, length, SEEDS), <uint64_t><size_t>token, &self.tokens)


def number_tokens(
    list sources not None, list names not None, Py_ssize_t complete, Py_ssize_t start, Py_ssize_t stop,
    int64_t most_tokens,
):
    """Numbers the tokens of a range of segments from several sources, in lockstep, until there are enough.

    Args:
        sources: For each source a column of all tokens, int64 [segments + 1], where those of each segment begin, and
            flags of absent segments, or None.
        names: What errors call each source.
        complete: How many of the first sources must have every segment; in the others one may be absent.
        start: The first segment.
        stop: One after the last.
        most_tokens: Stop after the segment that makes all tokens together more than this.

    Returns:
        A list of IdColumns, one for each source, and one after the last segment that they hold. Ids are equal where
        tokens of one segment are.

    Raises:
        TypeError: A token is null, or a segment that must be there.
        ValueError: A segment is too long.
    """
    cdef Py_ssize_t n = len(sources), s, i, end
    cdef int64_t total, t, at
    cdef list bounds = [], columns = [], texts = []
    cdef Int64Buffer first
    cdef IdColumn column
    cdef TextColumn text
    cdef TokenNumbers table = TokenNumbers()
    cdef int64_t* out
    for _, begins, _ in sources:
        bounds.append(Int64Buffer(begins, "bounds", 1, False))
    # Where to stop, so that no more tokens are looked at than are wanted.
    end = start
    total = 0
    while end < stop and total <= most_tokens:
        for s in range(n):
            first = bounds[s]
            total += check_length(first.data[end + 1] - first.data[end], names[s], end)
        end += 1
    for s in range(n):
        first = bounds[s]
        column = IdColumn()
        column.reserve_segments(end - start)
        column.make_room(<size_t>total * sizeof(int64_t))
        column.bits = 0
        columns.append(column)
        texts.append((<TextColumn>sources[s][0]).slice(first.data[start], first.data[end]))
    for i in range(start, end):
        if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
            PyErr_CheckSignals()
        total = 0
        for s in range(n):
            first = bounds[s]
            total += first.data[i + 1] - first.data[i]
        table.begin(<size_t>total)
        for s in range(n):
            first, column, text = bounds[s], columns[s], texts[s]
            if sources[s][2] is not None and sources[s][2][i]:
                if s < complete:
                    raise wrong_type(place(names[s], i), "a sequence of tokens", None)
                column.append_absent()
                continue
            out = <int64_t*>column.own_data + column.own_offsets[column.length]
            for t in range(first.data[i + 1] - first.data[i]):
                at = first.data[i] - first.data[start] + t
                if text.view.absent != NULL and text.view.absent[at]:
                    raise wrong_type(place(names[s], i)[t], "a str", None)
                out[t] = table.number(
                    text.view.data + text.view.starts[at], <size_t>(text.view.ends[at] - text.view.starts[at]),
                    text.view.readable_end)
            column.bits |= <uint64_t>table.tokens
            column.length += 1
            column.own_offsets[column.length] = (
                column.own_offsets[column.length - 1] + first.data[i + 1] - first.data[i])
    for s in range(n):
        (<IdColumn>columns[s]).finish()
    return columns, end
