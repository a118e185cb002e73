"""Which texts have which n-grams: an inverted index of tokens and of pairs of neighbouring tokens.

Each n-gram has a list of the texts that have it, whose number is a hash of the n-gram. Two n-grams may share a list.
The clipped matches of a query with a text are therefore, over the lists that the text stands in, at most the sum of how
many n-grams of the query each list stands for. That is all that a bound asks for; scores are counted from the tokens.

    texts   0: the cat   1: the cat sat   2: the the cat         (in order of length)
    lists   the: 0 1 2 2   cat: 0 1 2   sat: 1                   (tokens)
            the cat: 0 1 2   cat sat: 1   the the: 2             (pairs)

The texts of a list have their order, so those of some lengths are a part of it.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport fb_seeds
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu.inputs._column cimport Memory

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    BUCKETS = 512                # of lists that are filled together, about
    MOST_BUCKET_BITS = 15        # of the number of a list in its bucket: the lists of a bucket stay in a near cache
    RECORD_BITS = 32
    AHEAD = 16                   # records that fill a line of a cache
    MANY_TOKENS = 1 << 22        # they take some tens of milliseconds; then signals are looked for

cdef struct Work:
    # Buffers.
    uint32_t* ends               # of the records of each range of texts and, within it, each bucket
    uint32_t* records            # of one bucket
    # No more buffers.
    const uint32_t* tokens
    const uint32_t* starts
    size_t texts
    size_t n_lists
    size_t n_buckets
    size_t ranges                # of texts
    fb_seeds seeds
    int bits                     # of the number of a list in its bucket


cdef inline int look_for_signals(size_t done, size_t* looked) except -1 nogil:
    """Lets Ctrl-C be heard, once for many tokens that are done."""
    if done - looked[0] > MANY_TOKENS:
        looked[0] = done
        with gil:
            PyErr_CheckSignals()
    return 0


cdef uint32_t* uint32_of(Memory memory, size_t count, str name) except? NULL:
    """The numbers of an array, of which there must be this many."""
    if <size_t>memory.buffer.len != count * sizeof(uint32_t):
        raise ValueError(f"{name} must have {count} numbers of 32 bits, not {memory.buffer.len} bytes")
    return <uint32_t*>memory.buffer.buf


def gather(numbers, begins, starts, out):
    """Copies texts in another order.

    Args:
        numbers: uint32: the numbers of their tokens.
        begins: uint32 [texts]: where each text begins there.
        starts: uint32 [texts + 1]: where it is to begin, and where the last one ends.
        out: uint32 [starts[texts]] to write to.

    Raises:
        ValueError: A text is not there.
    """
    cdef Memory held = Memory(numbers), held_begins = Memory(begins)
    cdef Memory held_starts = Memory(starts), held_out = Memory(out)
    cdef size_t texts = <size_t>held_begins.buffer.len // sizeof(uint32_t), text, looked = 0
    cdef const uint32_t* tokens = <const uint32_t*>held.buffer.buf
    cdef const uint32_t* first = <const uint32_t*>held_begins.buffer.buf
    cdef const uint32_t* start = uint32_of(held_starts, texts + 1, "starts")
    cdef uint32_t* found = uint32_of(held_out, start[texts], "out")
    cdef size_t total = <size_t>held.buffer.len // sizeof(uint32_t)
    cdef bint is_there = True
    with nogil:
        for text in range(texts):
            if not (start[text] <= start[text + 1] <= start[texts]
                    and first[text] <= total and start[text + 1] - start[text] <= total - first[text]):
                is_there = False
                break
            memcpy(found + start[text], tokens + first[text], (start[text + 1] - start[text]) * sizeof(uint32_t))
            look_for_signals(start[text], &looked)
    if not is_there:
        raise ValueError("the numbers of a part are damaged")


cdef inline void add_record(
    const Work* work, size_t text, size_t list, uint32_t* ends, uint32_t* records
) noexcept nogil:
    """Puts a record of a text into the bucket of a list, or counts it."""
    cdef uint32_t* end = &ends[list >> work.bits]
    if records != NULL:
        fb_prefetch(&records[end[0] + <size_t>AHEAD])
        records[end[0]] = <uint32_t>(text << work.bits | list & ((<size_t>1 << work.bits) - 1))
    end[0] += 1


cdef inline int list_texts(const Work* work, uint32_t* records) except -1 nogil:
    """Puts a record of each text into the buckets of its n-grams, where their ends are; without records it counts them.

    A record has the number of the list in its bucket, and above it as much of the number of the text as there is room
    for. The rest is the number of the text's range.
    """
    cdef size_t text, t, looked = 0
    cdef const uint32_t* first
    cdef uint32_t* ends
    for text in range(work.texts):
        first = work.tokens + work.starts[text]
        ends = work.ends + (text >> (RECORD_BITS - work.bits)) * work.n_buckets
        for t in range(work.starts[text + 1] - work.starts[text]):
            if has_list(first, t, 1):
                add_record(work, text, list_of(first, t, 1, work.n_lists, work.seeds), ends, records)
            if has_list(first, t, 2):
                add_record(work, text, list_of(first, t, 2, work.n_lists, work.seeds), ends, records)
        look_for_signals(work.starts[text], &looked)
    return 0


cdef size_t fill_bucket(
    const Work* work, size_t bucket, size_t before, uint32_t* begins, uint32_t* found
) noexcept nogil:
    """Brings the records of a bucket into the order of its lists; returns where they end."""
    cdef const uint32_t* ends = work.ends + bucket
    cdef uint32_t* records = work.records
    cdef size_t range_ = work.ranges, end = ends[(work.ranges - 1) * work.n_buckets], i, list, stop = end
    cdef size_t lists = <size_t>1 << work.bits, mask = lists - 1
    begins += bucket << work.bits
    lists = min(lists, work.n_lists - (bucket << work.bits))
    memcpy(records, found + before, (end - before) * sizeof(uint32_t))
    memset(begins, 0, lists * sizeof(uint32_t))
    for i in range(end - before):
        begins[records[i] & mask] += 1
    stop = before
    for list in range(lists):
        stop += begins[list]
        begins[list] = <uint32_t>stop
    i = end - before
    while range_:
        range_ -= 1
        stop = ends[(range_ - 1) * work.n_buckets] - before if range_ else 0
        while i > stop:
            i -= 1
            list = records[i] & mask
            begins[list] -= 1
            found[begins[list]] = <uint32_t>(range_ << (RECORD_BITS - work.bits) | records[i] >> work.bits)
    return end


def fill_lists(tokens, starts, tuple seeds not None, list_starts, listed):
    """Makes the lists of all tokens and pairs of neighbouring tokens.

    The texts are first put into buckets of neighbouring lists, and then each bucket into its lists: what is written to
    at one time stays in a near cache.

    Args:
        tokens: uint32: those of all texts.
        starts: uint32 [texts + 1]: where each text begins.
        seeds: Two integers below 2^64 that the lists depend on.
        list_starts: uint32 [lists + 1] to write to: where each list begins.
        listed: uint32 to write to, two for each token: the texts of all lists. Memory of NumPy has large pages, where
            the system offers them.

    Returns:
        How many numbers have been written to `listed`.
    """
    cdef Memory held = Memory(tokens), held_starts = Memory(starts)
    cdef Memory held_lists = Memory(list_starts), held_listed = Memory(listed)
    cdef uint32_t* begins = <uint32_t*>held_lists.buffer.buf
    cdef uint32_t* found
    cdef size_t bucket, i, cell, count, first, before = 0, most = 0, looked = 0
    cdef Work work
    memset(&work, 0, sizeof(Work))
    work.starts = <const uint32_t*>held_starts.buffer.buf
    work.texts = <size_t>held_starts.buffer.len // sizeof(uint32_t) - 1
    work.tokens = uint32_of(held, work.starts[work.texts], "tokens")
    work.n_lists = <size_t>held_lists.buffer.len // sizeof(uint32_t) - 1
    work.seeds.first, work.seeds.second = seeds
    found = uint32_of(held_listed, LISTED_ORDERS * <size_t>work.starts[work.texts], "listed")
    work.bits = 1
    while work.bits < MOST_BUCKET_BITS and work.n_lists >> work.bits > BUCKETS:
        work.bits += 1
    work.n_buckets = (work.n_lists >> work.bits) + 1
    work.ranges = (work.texts >> (RECORD_BITS - work.bits)) + 1
    try:
        with nogil:
            reserve_cleared(<void**>&work.ends, work.ranges * work.n_buckets, sizeof(uint32_t))
            list_texts(&work, NULL)
            for bucket in range(work.n_buckets):
                first = before
                for i in range(work.ranges):
                    cell = i * work.n_buckets + bucket
                    count = work.ends[cell]
                    work.ends[cell] = <uint32_t>before
                    before += count
                most = max(most, before - first)
            list_texts(&work, found)
            reserve(<void**>&work.records, most + 1, sizeof(uint32_t))
            before = 0
            for bucket in range(work.n_buckets):
                before = fill_bucket(&work, bucket, before, begins, found)
                look_for_signals(before, &looked)
            begins[work.n_lists] = <uint32_t>before
    finally:
        release_all(<void**>&work.ends, <void**>&work.tokens)
    return before


cdef class Part:
    """The texts of one part of an index, and their lists. It never changes.

    Args:
        arrays: uint32 arrays: the fields of `TextLists` in their order; `parts` makes them, and checks those of a file.
        seeds: Two integers below 2^64 that the lists depend on; the same for all parts of an index.
        memory: Of the file that has the arrays; None: they are in memory.

    Attributes:
        arrays: The same.
    """

    def __cinit__(self, list arrays not None, tuple seeds not None, Memory memory=None):
        cdef TextLists* lists = &self.lists
        cdef const uint32_t** fields = &lists.starts
        cdef size_t i
        cdef Memory held
        self.arrays = arrays
        self.memory = memory
        self.held = []
        for i in range(N_ARRAYS):
            held = Memory(arrays[i])
            self.held.append(held)
            fields[i] = <const uint32_t*>held.buffer.buf
        lists.seeds.first, lists.seeds.second = seeds
        lists.texts, lists.n_lists, lists.n_lengths = len(arrays[0]) - 1, len(arrays[5]) - 1, len(arrays[3])

    def check(self):
        """Checks that the file is as it was.

        Raises:
            ValueError: It is not.
        """
        if self.memory is not None:
            self.memory.check()

    @property
    def texts(self):
        """Return how many texts there are."""
        return self.lists.texts

    @property
    def tokens(self):
        """Return how many tokens the texts have together."""
        return self.lists.starts[self.lists.texts]
