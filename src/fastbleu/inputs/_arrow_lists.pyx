"""Arrow lists -> where each list begins and ends, and columns of what stands in them: numbered tokens, and ids."""

import sys
from array import array

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport (
    FB_SHORT_TOKEN,
    SEEDS,
    fb_find_token,
    fb_hash_bytes,
    fb_home,
    fb_key,
    fb_long_key,
    fb_short_key,
    slots_for,
)
from fastbleu._native.memory cimport release, release_all, reserve
from fastbleu.inputs._arrow cimport INTEGER_BYTES, Node, buffer, damaged, format_of, is_set
from fastbleu.inputs._column cimport IdColumn, Int64Buffer, check_length
from fastbleu.inputs._text cimport TextColumn

from fastbleu.errors import place, wrong_type

cdef extern from "_native/bits.h" nogil:
    int64_t fb_once_32(const void* place)
    int64_t fb_once_64(const void* place)

cdef extern from "inputs/ids.h" nogil:
    void fb_load_row(
        const char* row, Py_ssize_t stride, size_t width, int item_size, bint is_signed, bint swapped, int64_t* out)

cdef enum:
    SLOTS_PER_TOKEN = 4
    SEGMENTS_PER_SIGNAL_CHECK = 1024

cdef inline int64_t number_at(const void* numbers, int64_t i, bint is_wide) noexcept nogil:
    """Number i of an array of int32 or int64, which another thread may change."""
    return fb_once_64(<const int64_t*>numbers + i) if is_wide else fb_once_32(<const int32_t*>numbers + i)


cdef int read_bounds(Node rows, int64_t* starts, int64_t* ends, object name) except -1:
    """Finds where each list begins and ends among the rows of the child.

    Raises:
        ValueError: A list begins or ends outside the child, or ends before it begins.
    """
    cdef int64_t i, at = rows.array.offset + rows.first, first, last, width = 0
    cdef int64_t items = rows.array.children[0].length
    cdef const void* offsets = NULL
    cdef const void* sizes = NULL
    letters = format_of(rows.schema)
    cdef bint is_fixed = letters.startswith("+w:"), is_view = letters in ("+vl", "+vL"), is_wide = letters.endswith("L")
    if is_fixed:
        width = int(letters[3:])
        if width < 0 or rows.length and width and at + rows.length > items // width:
            raise damaged(name, f"it has {items} items for {rows.length} lists of {width}")
    else:
        offsets = buffer(rows.array, 1, rows.array.length > 0, name)
        if is_view:
            sizes = buffer(rows.array, 2, rows.array.length > 0, name)
    for i in range(rows.length):
        if is_fixed:
            first = (at + i) * width
            last = first + width
        else:
            first = number_at(offsets, at + i, is_wide)
            if is_view:
                last = <int64_t>(<uint64_t>first + <uint64_t>number_at(sizes, at + i, is_wide))
            else:
                last = number_at(offsets, at + i + 1, is_wide)
        if not 0 <= first <= last <= items:
            raise damaged(place(name, i), f"its list goes from {first} to {last} of {items} items")
        starts[i] = first
        ends[i] = last
    return 0


def split_lists(list rows not None, name not None):
    """Return where lists begin and end in arrays of lists.

    Args:
        rows: What `nodes_of` makes of arrays of lists of one type.
        name: What errors call them.

    Returns:
        int64 starts and ends, of each list, in the items of all arrays, in order; flags of those that are null, or None
        if none is; and the rows that hold the items.

    Raises:
        ValueError: Offsets point outside the items.
    """
    cdef Node each
    cdef Py_ssize_t n = sum(map(len, rows)), i, row = 0
    cdef int64_t base = 0, first, last
    cdef const uint8_t* validity
    cdef list children = []
    starts, ends = array("q", bytes(8 * n)), array("q", bytes(8 * n))
    cdef Int64Buffer start = Int64Buffer(starts, "starts", 1, True), stop = Int64Buffer(ends, "ends", 1, True)
    absent = None
    for each in rows:
        read_bounds(each, start.data + row, stop.data + row, name)
        validity = <const uint8_t*>buffer(each.array, 0, False, name)
        first = start.data[row] if each.length else 0
        last = first
        for i in range(row, row + each.length):
            first = min(first, start.data[i])
            last = max(last, stop.data[i])
        for i in range(row, row + each.length):
            start.data[i] += base - first
            stop.data[i] += base - first
            if validity != NULL and not is_set(validity, each.array.offset + each.first + i - row):
                if absent is None:
                    absent = bytearray(n)
                absent[i] = 1
                # What stands in a list that is null may be anything.
                stop.data[i] = start.data[i]
        row += each.length
        children.append(each.child(first, last - first))
        base += last - first
    return starts, ends, absent, children


# Ids


cdef class ArrowIntegers:
    """Integers in Arrow arrays.

    Args:
        rows: What `nodes_of` or `split_lists` makes of arrays of one type of integer.
        name: What errors call them.
    """

    def __init__(self, list rows not None, name not None):
        cdef Node each
        cdef Integers* found
        self.owners = []
        reserve(<void**>&self.arrays, <size_t>len(rows) + 1, sizeof(Integers))
        for each in rows:
            if not each.length:
                continue
            found = &self.arrays[len(self.owners)]
            letters = format_of(each.schema)
            found.size = INTEGER_BYTES[letters]
            found.is_signed = letters.islower()
            found.offset = each.array.offset + each.first
            found.start = self.length
            found.validity = <const uint8_t*>buffer(each.array, 0, False, name)
            found.items = <const char*>buffer(each.array, 1, True, name) + found.offset * found.size
            self.length += each.length
            self.arrays[len(self.owners) + 1].start = self.length
            self.owners.append(each.owner)

    def __dealloc__(self):
        release(<void**>&self.arrays)

    def __len__(self):
        return self.length

    def __getitem__(self, int64_t index):
        """The integer at a place, or None."""
        cdef const Integers* found = self.find(index)
        cdef int64_t i = index - found.start
        if found.validity != NULL and not is_set(found.validity, found.offset + i):
            return None
        return int.from_bytes(
            found.items[i * found.size:(i + 1) * found.size], sys.byteorder, signed=found.is_signed)

    cdef const Integers* find(self, int64_t index) except NULL:
        """The array that holds the integer at a place."""
        cdef Py_ssize_t first = 0, after = len(self.owners), middle
        if not 0 <= index < self.length:
            raise IndexError(f"index {index} is out of range for {self.length} integers")
        while after - first > 1:
            middle = (first + after) // 2
            if self.arrays[middle].start <= index:
                first = middle
            else:
                after = middle
        return &self.arrays[first]

    cdef bint copy(self, int64_t start, int64_t stop, int64_t* out) except -1:
        """Copies the integers start..stop - 1, and returns whether any of them may be null.

        Those beyond int64 become the number that stands for ids that are too large.
        """
        cdef const Integers* found
        cdef int64_t last
        cdef bint has_nulls = False
        while start < stop:
            found = self.find(start)
            last = min(stop, found[1].start)
            fb_load_row(
                found.items + (start - found.start) * found.size, found.size, <size_t>(last - start), found.size,
                found.is_signed, False, out)
            has_nulls = has_nulls or found.validity != NULL
            out += last - start
            start = last
        return has_nulls


# Tokens


cdef class TokenNumbers:
    """Numbers the tokens of the segment at hand, which are bytes, by secret hashes."""

    # Buffers.
    cdef uint32_t* slots
    cdef fb_key* keys
    cdef uint64_t* bytes_at
    # No more buffers.
    cdef size_t mask
    cdef size_t tokens

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
        cdef fb_key key
        cdef size_t slot
        cdef uint64_t address = <uint64_t><size_t>token
        if length > FB_SHORT_TOKEN:
            key = fb_long_key(fb_hash_bytes(token, length, SEEDS), length)
        elif readable_end - token >= 16:
            key = fb_short_key(token, length)
        else:
            memset(copied, 0, 16)
            if length:
                memcpy(copied, token, length)
            key = fb_short_key(copied, length)
        slot = fb_find_token(
            self.slots, sizeof(uint32_t), self.mask, self.keys, self.bytes_at, 0, fb_home(key, self.mask, SEEDS), key,
            &address)
        if self.slots[slot] == 0:
            self.tokens += 1
            self.slots[slot] = <uint32_t>self.tokens
            self.keys[self.tokens] = key
            self.bytes_at[self.tokens] = address
        return self.slots[slot]


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
