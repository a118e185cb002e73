"""References of many segments, tokenized, numbered and indexed, in memory of their own.

A segment's block is its Index, followed by what the Index points to, in a fixed order. `load` makes the pointers anew,
so that blocks may move while further ones are appended.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport (
    SEEDS,
    fb_is_long,
    fb_key,
    fb_long_length,
    fb_ngram_home,
    near_slots_for,
    slots_for,
)
from fastbleu._native.memory cimport aligned, grow, held_bytes, release_all, reserve, reserve_cleared, resize
from fastbleu.counting._match_by_classes cimport list_next, number_ngrams, tally
from fastbleu.counting._reference_length cimport sort_lengths
from fastbleu.counting._workspace cimport KEPT_CLASSES, WIDE_SETS, Index, NgramTable, Workspace
from fastbleu.inputs._column cimport Int64Buffer

cdef enum:
    SLOTS_PER_NGRAM = 4          # of a table that is kept, and should be small
    TABLE_HEADER = 2             # words in front of a stored table: its mask, and the place after its last n-gram


cdef size_t table_bytes(size_t mask, size_t after) noexcept nogil:
    """Bytes of a stored table: its header, keys, slots and counts."""
    return (
        (TABLE_HEADER + after) * sizeof(uint64_t) + aligned((mask + 1) * sizeof(uint32_t))
        + aligned(after * sizeof(uint32_t))
    )


cdef void point(NgramTable* table, uint8_t* place) noexcept nogil:
    """Points a table at where it is stored."""
    cdef const uint64_t* header = <const uint64_t*>place
    table.mask = header[0]
    table.after = header[1]
    table.keys = <uint64_t*>place + TABLE_HEADER
    table.slots = <uint32_t*>(table.keys + table.after)
    table.most = <uint32_t*>(<uint8_t*>table.slots + aligned((table.mask + 1) * sizeof(uint32_t)))


cdef void point_all(Index* index, NgramTable* tables, uint8_t* place) noexcept nogil:
    """Points the tables of a segment at where they are stored, one after the other."""
    cdef uint32_t n
    index.tables = tables
    tables[0].after = <size_t>index.tokens + 1
    tables[0].most = <uint32_t*>place
    place += aligned(tables[0].after * sizeof(uint32_t))
    for n in range(1, index.orders):
        point(&tables[n], place)
        place += table_bytes(tables[n].mask, tables[n].after)


cdef class ReferenceIndex:
    """References of many segments, tokenized, numbered and indexed, to be scored against many times.

    It holds one block of memory per segment, one after the other. A block never changes once it is made, so any
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
        """Return how many references each of these segments has; -1 if segments differ, 0 if there are no segments."""
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

    cdef int append(self, Workspace* work, const Index* index) except -1 nogil:
        """Stores one segment's index: the struct first, then what it points to, in the order of load()."""
        cdef size_t first = self.used, entries = index.tokens + 1, number, bytes = 0
        cdef uint8_t* place
        cdef Index* copy
        grow(<void**>&self.offsets, <size_t>self.length + 2, sizeof(size_t))
        self.put(index, sizeof(Index))
        # Each length once: many references have few lengths.
        number = sort_lengths(work, index)
        self.put(work.distinct_lengths, number * sizeof(uint64_t))
        copy = <Index*>(self.memory + first)
        copy.lengths = NULL
        copy.n_lengths = <uint32_t>number
        self.put(index.keys, entries * sizeof(fb_key))
        # Only long tokens have bytes to compare. They are stored after an offset for each number.
        for number in range(1, entries):
            if fb_is_long(index.keys[number]):
                bytes += fb_long_length(index.keys[number])
        (<Index*>(self.memory + first)).bytes_base = bytes
        if bytes:
            place = self.take(entries * sizeof(uint64_t) + bytes)
            bytes = entries * sizeof(uint64_t)
            (<uint64_t*>place)[0] = 0
            for number in range(1, entries):
                (<uint64_t*>place)[number] = bytes
                if fb_is_long(index.keys[number]):
                    memcpy(place + bytes, <const void*>index.bytes_at[number], fb_long_length(index.keys[number]))
                    bytes += fb_long_length(index.keys[number])
        if index.route <= WIDE_SETS:
            self.put(index.slots, (index.slot_mask + 1) * sizeof(uint16_t))
            self.put(index.positions, entries * index.words * sizeof(uint64_t))
        else:
            self.put(index.wide_slots, (index.slot_mask + 1) * sizeof(uint32_t))
            number = self.put_tables(work, index)
            copy = <Index*>(self.memory + first)
            copy.route = KEPT_CLASSES
            copy.orders = <uint32_t>number
        self.offsets[self.length] = first
        self.length += 1
        self.offsets[self.length] = self.used
        return 0

    cdef int put_tables(self, Workspace* work, const Index* index) except -1 nogil:
        """Stores the largest counts of the tokens, then the table of each further order; returns how many orders."""
        cdef size_t after = work.tokens + 1, bytes = (<size_t>index.tokens + 1) * sizeof(uint32_t)
        cdef NgramTable made
        cdef int order = 1
        cdef uint32_t* most
        reserve(<void**>&work.ngram_keys, after + 1, sizeof(uint64_t))
        work.ngram_keys[0] = 0
        reserve_cleared(<void**>&work.matched, after, sizeof(uint32_t))
        most = <uint32_t*>self.take(bytes)
        memset(most, 0, bytes)
        tally(index, work, after, most)
        while order < self.order:
            after = list_next(work, after)
            if after == 1:
                break
            # First in the workspace, because only then it is known how many different ones there are.
            made.mask = near_slots_for(after, SLOTS_PER_NGRAM) - 1
            reserve(<void**>&work.ngram_slots, made.mask + 1, sizeof(uint32_t))
            reserve(<void**>&work.most, after, sizeof(uint32_t))
            made.slots = work.ngram_slots
            made.keys = work.ngram_keys
            made.most = work.most
            number_ngrams(index, work, after, &made)
            self.put_table(work, after)
            order += 1
        return order

    cdef int keep_tables(self, Workspace* work, Index* index, NgramTable* tables) except -1 nogil:
        """Makes the tables of one segment, in place of what is held here; its tokens are looked up where they were."""
        self.used = 0
        index.orders = <uint32_t>self.put_tables(work, index)
        index.route = KEPT_CLASSES
        point_all(index, tables, self.memory)
        work.tokens = 0
        return 0

    cdef int keep_list(self, const Workspace* work) except -1 nogil:
        """Stores the list of the references' tokens, in place of what is held here."""
        self.used = 0
        self.put(work.numbers + 1, work.tokens * sizeof(uint32_t))
        self.put(work.ngram_ends + 1, work.tokens * sizeof(uint32_t))
        return 0

    cdef void load_list(self, Workspace* work) noexcept nogil:
        """Makes the list what it was, of work.tokens tokens."""
        cdef size_t bytes = work.tokens * sizeof(uint32_t)
        if bytes:
            memcpy(work.numbers + 1, self.memory, bytes)
            memcpy(work.ngram_ends + 1, self.memory + aligned(bytes), bytes)

    cdef int put_table(self, Workspace* work, size_t after) except -1 nogil:
        """Stores a table of the classes, numbered 1, 2, .., and gives the listed n-grams these numbers."""
        cdef size_t start = self.used, k, slot, mask, classes = 0
        cdef uint32_t this, number = 0
        cdef uint32_t* numbers = work.ngram_slots    # by class; not needed as slots any more
        cdef NgramTable table
        for k in range(1, after):
            classes += work.numbers[k] == k
        mask = slots_for(classes + 1, SLOTS_PER_NGRAM) - 1
        self.take(table_bytes(mask, classes + 1))
        (<uint64_t*>(self.memory + start))[0] = mask
        (<uint64_t*>(self.memory + start))[1] = classes + 1
        point(&table, self.memory + start)
        memset(table.slots, 0, (mask + 1) * sizeof(uint32_t))
        table.keys[0] = 0
        table.most[0] = 0
        for k in range(1, after):
            this = work.numbers[k]
            if this == k:
                number += 1
                numbers[this] = number
                table.keys[number] = work.ngram_keys[k]
                table.most[number] = work.most[k]
                slot = fb_ngram_home(work.ngram_keys[k], mask, SEEDS)
                while table.slots[slot]:
                    slot = (slot + 1) & mask
                table.slots[slot] = number
            work.numbers[k] = numbers[this]
        return 0

    cdef void load(self, Py_ssize_t segment, Index* index, NgramTable* tables) noexcept nogil:
        """Points an Index at the block of a segment; there is room for `order` tables."""
        cdef uint8_t* place = self.memory + self.offsets[segment]
        cdef size_t entries
        index[0] = (<Index*>place)[0]
        entries = <size_t>index.tokens + 1
        place += aligned(sizeof(Index))
        index.distinct_lengths = <uint64_t*>place
        place += index.n_lengths * sizeof(uint64_t)
        index.keys = <fb_key*>place
        place += entries * sizeof(fb_key)
        index.bytes_at = <uint64_t*>place
        if index.bytes_base:
            place += aligned(entries * sizeof(uint64_t) + index.bytes_base)
            index.bytes_base = <uint64_t>index.bytes_at
        if index.route <= WIDE_SETS:
            index.slots = <uint16_t*>place
            place += aligned((index.slot_mask + 1) * sizeof(uint16_t))
            index.positions = <uint64_t*>place
        else:
            index.wide_slots = <uint32_t*>place
            place += aligned((index.slot_mask + 1) * sizeof(uint32_t))
            point_all(index, tables, place)
