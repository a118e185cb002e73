"""References of many segments, tokenized, numbered and indexed, in memory of their own.

A segment's block is its Index, followed by what the Index points to, in a fixed order. `load` makes the pointers anew,
so that blocks may move while further ones are appended.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport fb_is_long, fb_key, fb_long_length, slots_for
from fastbleu._native.memory cimport aligned, grow, held_bytes, release_all, resize
from fastbleu.counting._ngram_tables cimport fill_table, ngram_positions
from fastbleu.counting._workspace cimport KEPT_TABLES, POSITION_SETS, Index, NgramEntry, Workspace
from fastbleu.inputs._column cimport Int64Buffer

cdef enum:
    MOST_DISTINCT = 256          # lengths of a segment's references that are told apart


cdef class ReferenceIndex:
    """References of many segments, tokenized, numbered and indexed, to be scored against many times.

    It holds one block of memory per segment, one behind the other. A block never changes once it is made, so any
    number of threads may read it.
    """

    def __cinit__(self, int tokenizer, int order):
        self.tokenizer = tokenizer
        self.order = order

    def __dealloc__(self):
        release_all(<void**>&self.memory, <void**>&self.used)

    def __len__(self):
        return self.length

    @property
    def nbytes(self):
        """Bytes of memory held."""
        return held_bytes(<void**>&self.memory, <void**>&self.used)

    def number_of_references(self, segments):
        """How many references each of these segments has; -1 if segments differ, 0 if there are no segments."""
        cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
        cdef Py_ssize_t i, number = 0, here
        for i in range(numbers.rows):
            if not 0 <= numbers.data[i] < self.length:
                raise IndexError(f"segment {numbers.data[i]} is out of range for {self.length} prepared segments")
            here = (<Index*>(self.memory + self.offsets[numbers.data[i]])).references
            number = here if i == 0 or number == here else -1
        return number

    def trim(self):
        """Gives back the memory set aside for further segments."""
        if self.used:
            resize(<void**>&self.memory, self.used)

    cdef uint8_t* take(self, size_t bytes) except NULL nogil:
        """The next `bytes` bytes, rounded up to words."""
        cdef size_t start = self.used
        grow(<void**>&self.memory, start + aligned(bytes), 1)
        self.used = start + aligned(bytes)
        return self.memory + start

    cdef int put(self, const void* items, size_t bytes) except -1 nogil:
        cdef uint8_t* place
        if bytes:
            place = self.take(bytes)
            memcpy(place, items, bytes)
        return 0

    cdef void drop_equal_lengths(self, size_t block) noexcept nogil:
        """Keeps the first of equal lengths of references in the last block, unless more than MOST_DISTINCT differ.

        The choice of a reference length does not need the others, and a pool may have a thousand references of few
        lengths. Matching with tables needs no lengths.
        """
        cdef Index* index = <Index*>(self.memory + block)
        cdef uint32_t* lengths = <uint32_t*>(self.memory + block + aligned(sizeof(Index)))
        cdef uint32_t distinct[MOST_DISTINCT]
        cdef uint32_t kept = 0, reference, k
        for reference in range(index.references):
            k = 0
            while k < kept and distinct[k] != lengths[reference]:
                k += 1
            if k == kept:
                if kept == MOST_DISTINCT:
                    return
                distinct[kept] = lengths[reference]
                kept += 1
        memcpy(lengths, distinct, kept * sizeof(uint32_t))
        index.n_lengths = kept
        self.used = block + aligned(sizeof(Index)) + aligned(kept * sizeof(uint32_t))

    cdef int append(self, Workspace* work, const Index* index) except -1 nogil:
        """Stores one segment's index: the struct first, then what it points to, in the order of load()."""
        cdef size_t first = self.used, entries = index.tokens + 1, number, bytes = 0, slots
        cdef bint has_sets = index.route == POSITION_SETS
        cdef uint8_t* place
        cdef Index copy = index[0]
        cdef int n
        grow(<void**>&self.offsets, <size_t>self.length + 2, sizeof(size_t))
        if not has_sets:
            copy.route = KEPT_TABLES
            for n in range(2, self.order + 1):
                if ngram_positions(index, n) == 0:
                    break
                copy.orders += 1
        self.put(&copy, sizeof(Index))
        self.put(index.lengths, index.references * sizeof(uint32_t))
        if not has_sets:
            self.drop_equal_lengths(first)
        self.put(index.keys, entries * sizeof(fb_key))
        # Only long tokens have bytes to compare. They are stored behind an offset for each number.
        for number in range(1, entries):
            if fb_is_long(index.keys[number]):
                bytes += fb_long_length(index.keys[number])
        (<Index*>(self.memory + first)).bytes_base = bytes
        if bytes:
            place = self.take(entries * sizeof(uint64_t) + bytes)
            bytes = entries * sizeof(uint64_t)
            for number in range(1, entries):
                (<uint64_t*>place)[number] = bytes
                if fb_is_long(index.keys[number]):
                    memcpy(place + bytes, <const void*>index.bytes_at[number], fb_long_length(index.keys[number]))
                    bytes += fb_long_length(index.keys[number])
        if has_sets:
            self.put(index.slots, (index.slot_mask + 1) * sizeof(uint16_t))
            self.put(index.positions, entries * index.words * sizeof(uint64_t))
        else:
            self.put(index.wide_slots, (index.slot_mask + 1) * sizeof(uint32_t))
            self.put(index.most, entries * sizeof(uint32_t))
            for n in range(2, <int>copy.orders + 2):
                slots = slots_for(ngram_positions(index, n), 2)
                place = self.take(sizeof(uint64_t) + slots * sizeof(NgramEntry))
                (<uint64_t*>place)[0] = slots - 1
                memset(place + sizeof(uint64_t), 0, slots * sizeof(NgramEntry))
                fill_table(index, work, n, slots - 1, <NgramEntry*>(place + sizeof(uint64_t)))
        self.offsets[self.length] = first
        self.length += 1
        self.offsets[self.length] = self.used
        return 0

    cdef void load(
        self, Py_ssize_t segment, Index* index, size_t* masks, NgramEntry** tables
    ) noexcept nogil:
        """Points an Index at the block of a segment; `masks` and `tables` have room for `order` tables."""
        cdef uint8_t* place = self.memory + self.offsets[segment]
        cdef size_t entries
        cdef uint32_t n
        index[0] = (<Index*>place)[0]
        entries = index.tokens + 1
        place += aligned(sizeof(Index))
        index.lengths = <uint32_t*>place
        place += aligned(index.n_lengths * sizeof(uint32_t))
        index.keys = <fb_key*>place
        place += entries * sizeof(fb_key)
        index.bytes_at = <uint64_t*>place
        if index.bytes_base:
            place += aligned(entries * sizeof(uint64_t) + index.bytes_base)
            index.bytes_base = <uint64_t>index.bytes_at
        if index.route == POSITION_SETS:
            index.slots = <uint16_t*>place
            place += aligned((index.slot_mask + 1) * sizeof(uint16_t))
            index.positions = <uint64_t*>place
        else:
            index.wide_slots = <uint32_t*>place
            place += aligned((index.slot_mask + 1) * sizeof(uint32_t))
            index.most = <uint32_t*>place
            place += aligned(entries * sizeof(uint32_t))
            index.table_masks = masks
            index.tables = tables
            for n in range(index.orders):
                masks[n] = <size_t>(<uint64_t*>place)[0]
                tables[n] = <NgramEntry*>(place + sizeof(uint64_t))
                place += sizeof(uint64_t) + (masks[n] + 1) * sizeof(NgramEntry)
