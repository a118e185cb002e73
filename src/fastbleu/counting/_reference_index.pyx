"""References of many segments, tokenized, numbered and indexed, in memory of their own.

A segment's block is its Index and behind it what the Index points to, in a fixed order; load() makes the pointers
again, so that blocks may move while further ones are appended.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from fastbleu.inputs._column cimport Int64Buffer
from fastbleu.counting._ngram_tables cimport fill_table, ngram_positions
from fastbleu.counting._workspace cimport (
    Index,
    NgramEntry,
    Workspace,
    fb_key,
    is_long,
    long_length,
    no_memory,
    slots_for,
)

cdef enum:
    MOST_DISTINCT = 256          # lengths of a segment's references that are told apart


cdef class ReferenceIndex:
    """References of many segments, tokenized, numbered and indexed, to be scored against many times.

    One block of memory per segment, one behind the other; nothing in it changes once it is made, so that any number
    of threads may read it.
    """

    def __cinit__(self, int tokenizer, int order):
        self.tokenizer = tokenizer
        self.order = order

    def __dealloc__(self):
        free(self.memory)
        free(self.offsets)

    def __len__(self):
        return self.length

    @property
    def nbytes(self):
        """Bytes of memory held."""
        return self.capacity + self.offsets_capacity * sizeof(size_t)

    def number_of_references(self, segments):
        """References of each of these segments: their number, -1 where segments differ, 0 where there are none."""
        cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
        cdef Py_ssize_t i, number = 0, here
        for i in range(numbers.rows):
            if not 0 <= numbers.data[i] < self.length:
                raise IndexError(f"segment {numbers.data[i]} is out of range for {self.length} prepared segments")
            here = (<Index*>(self.memory + self.offsets[numbers.data[i]])).references
            number = here if i == 0 or number == here else -1
        return number

    def trim(self):
        """Gives back what was set aside for further segments."""
        cdef void* memory
        if self.used:
            memory = realloc(self.memory, self.used)
            if memory != NULL:
                self.memory = <uint8_t*>memory
                self.capacity = self.used

    cdef uint8_t* take(self, size_t bytes) except NULL nogil:
        """The next `bytes` bytes, rounded up to words."""
        cdef size_t needed = self.used + ((bytes + 7) & ~<size_t>7), capacity
        cdef void* memory
        if needed > self.capacity:
            capacity = max(needed, self.capacity + (self.capacity >> 1))
            memory = realloc(self.memory, capacity)
            if memory == NULL:
                no_memory()
            self.memory = <uint8_t*>memory
            self.capacity = capacity
        self.used = needed
        return self.memory + needed - ((bytes + 7) & ~<size_t>7)

    cdef int put(self, const void* items, size_t bytes) except -1 nogil:
        cdef uint8_t* place
        if bytes:
            place = self.take(bytes)
            memcpy(place, items, bytes)
        return 0

    cdef void drop_equal_lengths(self, size_t block) noexcept nogil:
        """Keeps the first of equal lengths of the block made last, unless there are very many.

        Which length the brevity penalty asks for depends on no other, and pools have a thousand references of few
        lengths. Matching with tables asks for none.
        """
        cdef Index* index = <Index*>(self.memory + block)
        cdef uint32_t* lengths = <uint32_t*>(self.memory + block + ((sizeof(Index) + 7) & ~<size_t>7))
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
        self.used = block + ((sizeof(Index) + 7) & ~<size_t>7) + ((kept * sizeof(uint32_t) + 7) & ~<size_t>7)

    cdef int append(self, Workspace* work, const Index* index) except -1 nogil:
        """Stores one segment's index: the struct first, then what it points to, in the order of load()."""
        cdef size_t first = self.used, entries = index.tokens + 1, number, bytes = 0, slots
        cdef uint8_t* place
        cdef void* offsets
        cdef Index copy = index[0]
        cdef int n
        if <size_t>self.length + 2 > self.offsets_capacity:
            slots = max(<size_t>64, self.offsets_capacity + (self.offsets_capacity >> 1))
            offsets = realloc(self.offsets, slots * sizeof(size_t))
            if offsets == NULL:
                no_memory()
            self.offsets = <size_t*>offsets
            self.offsets_capacity = slots
        copy.orders = 0
        if index.words == 0:
            for n in range(2, self.order + 1):
                if ngram_positions(index, n) == 0:
                    break
                copy.orders += 1
        self.put(&copy, sizeof(Index))
        self.put(index.lengths, index.references * sizeof(uint32_t))
        if index.words == 0:
            self.drop_equal_lengths(first)
        self.put(index.keys, entries * sizeof(fb_key))
        # Only long tokens have bytes to compare; their addresses become offsets into what follows.
        for number in range(1, entries):
            if is_long(index.keys[number]):
                bytes += long_length(index.keys[number])
        (<Index*>(self.memory + first)).bytes_base = bytes
        if bytes:
            place = self.take(entries * sizeof(uint64_t) + bytes)
            bytes = entries * sizeof(uint64_t)
            for number in range(1, entries):
                (<uint64_t*>place)[number] = bytes
                if is_long(index.keys[number]):
                    memcpy(place + bytes, <const void*>index.bytes_at[number],
                           long_length(index.keys[number]))
                    bytes += long_length(index.keys[number])
        if index.words:
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
        """Points an Index at one segment's block; masks and tables have room for `order` tables."""
        cdef uint8_t* place = self.memory + self.offsets[segment]
        cdef size_t entries
        cdef uint32_t n
        index[0] = (<Index*>place)[0]
        entries = index.tokens + 1
        place += (sizeof(Index) + 7) & ~<size_t>7
        index.lengths = <uint32_t*>place
        place += (index.n_lengths * sizeof(uint32_t) + 7) & ~<size_t>7
        index.keys = <fb_key*>place
        place += entries * sizeof(fb_key)
        index.bytes_at = <uint64_t*>place
        if index.bytes_base:
            place += (entries * sizeof(uint64_t) + index.bytes_base + 7) & ~<size_t>7
            index.bytes_base = <uint64_t>index.bytes_at
        if index.words:
            index.slots = <uint16_t*>place
            place += ((index.slot_mask + 1) * sizeof(uint16_t) + 7) & ~<size_t>7
            index.positions = <uint64_t*>place
        else:
            index.wide_slots = <uint32_t*>place
            place += ((index.slot_mask + 1) * sizeof(uint32_t) + 7) & ~<size_t>7
            index.most = <uint32_t*>place
            place += (entries * sizeof(uint32_t) + 7) & ~<size_t>7
            index.table_masks = masks
            index.tables = tables
            for n in range(index.orders):
                masks[n] = <size_t>(<uint64_t*>place)[0]
                tables[n] = <NgramEntry*>(place + sizeof(uint64_t))
                place += sizeof(uint64_t) + (masks[n] + 1) * sizeof(NgramEntry)
