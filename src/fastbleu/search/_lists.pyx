"""Which texts have which n-grams: an inverted index of tokens and of pairs of neighbouring tokens.

Each n-gram has a list of the texts that have it. A token's list has the number of the token, unless a part has fewer
lists; the number of a pair's list is a hash of the pair. Two n-grams may share a list. The clipped matches of a query
with a text are therefore, over the lists that the text stands in, at most the sum of how many n-grams of the query each
list stands for. That is all that a bound asks for; scores are counted from the tokens.

    texts   0: the cat   1: the cat sat   2: the the cat         (equal texts are kept once, in order of length)
    lists   the: 0 1 2   cat: 0 1 2   sat: 1                     (tokens)
            the cat: 0 1 2   cat sat: 1   the the: 2             (pairs)

The texts of a list have their order, so those of some lengths are a part of it.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from fastbleu._native._hashing cimport SEEDS, fb_hash_bytes, fb_ngram_home, fb_seeds, slots_for
from fastbleu._native.memory cimport release, release_all, reserve, reserve_cleared
from fastbleu.inputs._column cimport Memory

cdef enum:
    BUCKETS = 512                # of lists that are filled together, about
    MOST_BUCKET_BITS = 16        # of the number of a list in its bucket
    MANY_TOKENS = 1 << 22        # they take some tens of milliseconds; then signals are looked for

cdef struct Work:
    # Buffers.
    size_t* ends                 # of each bucket
    uint64_t* states             # of the lists of one bucket
    uint32_t* texts              # of one bucket
    # No more buffers.
    size_t end


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


def find_first_equal(numbers, lengths, first):
    """Finds for each text the first one that is equal to it.

    Args:
        numbers: uint32: the numbers of the tokens of all texts.
        lengths: uint32 [texts].
        first: uint32 [texts] to write to.
    """
    cdef Memory held = Memory(numbers), held_lengths = Memory(lengths), out = Memory(first)
    cdef size_t texts = <size_t>held_lengths.buffer.len // sizeof(uint32_t), text, slot, slots
    cdef size_t start = 0, other, looked = 0
    cdef const uint32_t* tokens = <const uint32_t*>held.buffer.buf
    cdef const uint32_t* length = <const uint32_t*>held_lengths.buffer.buf
    cdef uint32_t* found = uint32_of(out, texts, "first")
    cdef size_t* starts = NULL
    cdef uint32_t* table = NULL
    try:
        with nogil:
            slots = slots_for(texts, 2)
            reserve(<void**>&starts, texts + 1, sizeof(size_t))
            reserve_cleared(<void**>&table, slots, sizeof(uint32_t))
            for text in range(texts):
                starts[text] = start
                slot = fb_ngram_home(
                    fb_hash_bytes(<const uint8_t*>(tokens + start), length[text] * sizeof(uint32_t), SEEDS),
                    slots - 1, SEEDS)
                while table[slot]:
                    other = table[slot] - 1
                    if length[other] == length[text] and memcmp(
                            tokens + starts[other], tokens + start, length[text] * sizeof(uint32_t)) == 0:
                        break
                    slot = (slot + 1) & (slots - 1)
                if table[slot] == 0:
                    table[slot] = <uint32_t>text + 1
                found[text] = table[slot] - 1
                start += length[text]
                look_for_signals(start + text, &looked)
    finally:
        release(<void**>&starts)
        release(<void**>&table)


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


cdef inline uint32_t list_once(uint64_t* state, uint32_t text) noexcept nogil:
    """Counts a text in a list unless it is the one that came last; returns the count.

    A state is 1 + the text that came last << 32 | the count.
    """
    cdef uint64_t this = <uint64_t>text + 1
    state[0] = this << 32 | (<uint32_t>state[0] + <uint32_t>(state[0] >> 32 != this))
    return <uint32_t>state[0]


def fill_lists(tokens, starts, int order, tuple seeds not None, list_starts, listed, within):
    """Makes the lists of the n-grams of one order.

    The texts are first put into buckets of neighbouring lists, and then each bucket into its lists: what is written to
    at one time stays in a near cache.

    Args:
        tokens: uint32: those of all texts.
        starts: uint32 [texts + 1]: where each text begins.
        order: 1 or 2.
        seeds: Two integers below 2^64 that the lists depend on.
        list_starts: uint32 [lists + 1] to write to: where each list begins.
        listed: uint32 to write to, as many as there are tokens: the texts of all lists.
        within: uint16, as many, to work in. Memory of NumPy has large pages, where the system offers them.

    Returns:
        How many numbers have been written to `listed`.
    """
    cdef Memory held = Memory(tokens), held_starts = Memory(starts), held_within = Memory(within)
    cdef Memory held_lists = Memory(list_starts), held_listed = Memory(listed)
    cdef size_t texts = <size_t>held_starts.buffer.len // sizeof(uint32_t) - 1
    cdef size_t n_lists = <size_t>held_lists.buffer.len // sizeof(uint32_t) - 1
    cdef const uint32_t* start = <const uint32_t*>held_starts.buffer.buf
    cdef const uint32_t* token = uint32_of(held, start[texts], "tokens")
    cdef uint32_t* begin = <uint32_t*>held_lists.buffer.buf
    cdef uint32_t* found = uint32_of(held_listed, start[texts], "listed")
    cdef uint16_t* place = <uint16_t*>held_within.buffer.buf
    cdef size_t n_buckets, bucket, text, t, i, first, list, count, size, before = 0, most = 0, written = 0, looked = 0
    cdef int bits = 0
    cdef fb_seeds secret
    cdef Work work
    if <size_t>held_within.buffer.len < start[texts] * sizeof(uint16_t):
        raise ValueError(f"within must have {start[texts]} numbers")
    secret.first, secret.second = seeds
    while bits < MOST_BUCKET_BITS and n_lists >> bits > BUCKETS:
        bits += 1
    size = <size_t>1 << bits
    n_buckets = (n_lists >> bits) + 1
    memset(&work, 0, sizeof(Work))
    try:
        with nogil:
            reserve_cleared(<void**>&work.ends, n_buckets, sizeof(size_t))
            reserve(<void**>&work.states, size, sizeof(uint64_t))
            for text in range(texts):
                first = start[text]
                for t in range(start[text + 1] - first):
                    if has_list(token + first, t, order):
                        work.ends[list_of(token + first, t, order, n_lists, secret) >> bits] += 1
                look_for_signals(first, &looked)
            for bucket in range(n_buckets):
                count = work.ends[bucket]
                most = max(most, count)
                work.ends[bucket] = before
                before += count
            looked = 0
            for text in range(texts):
                first = start[text]
                for t in range(start[text + 1] - first):
                    if has_list(token + first, t, order):
                        list = list_of(token + first, t, order, n_lists, secret)
                        i = work.ends[list >> bits]
                        found[i], place[i] = <uint32_t>text, <uint16_t>(list & (size - 1))
                        work.ends[list >> bits] += 1
                look_for_signals(first, &looked)
            reserve(<void**>&work.texts, most + 1, sizeof(uint32_t))
            before = looked = 0
            for bucket in range(n_buckets):
                count = work.ends[bucket] - before
                memcpy(work.texts, found + before, count * sizeof(uint32_t))
                memset(work.states, 0, size * sizeof(uint64_t))
                for i in range(count):
                    list_once(&work.states[place[before + i]], work.texts[i])
                first = bucket << bits
                for list in range(first, min(first + size, n_lists)):
                    begin[list] = <uint32_t>written
                    written += <uint32_t>work.states[list - first]
                    work.states[list - first] = begin[list]
                for i in range(count):
                    found[list_once(&work.states[place[before + i]], work.texts[i]) - <size_t>1] = work.texts[i]
                before += count
                look_for_signals(before, &looked)
            begin[n_lists] = <uint32_t>written
    finally:
        release_all(<void**>&work.ends, <void**>&work.end)
    return written


cdef class Part:
    """The texts of one part of an index, and their lists. It never changes.

    Args:
        arrays: uint32 arrays: the fields of `TextLists` in their order; `parts` makes them.
        seeds: Two integers below 2^64 that the lists depend on; the same for all parts of an index.
        memory: Of the file that has the arrays; None: they are in memory.

    Attributes:
        arrays: The same.

    Raises:
        ValueError: The arrays do not fit each other.
    """

    def __cinit__(self, list arrays not None, tuple seeds not None, Memory memory=None):
        cdef TextLists* lists = &self.lists
        cdef const uint32_t** fields = &lists.starts
        cdef size_t sizes[N_ARRAYS]
        cdef size_t i
        cdef int k
        cdef Memory held
        self.arrays = arrays
        self.memory = memory
        self.held = []
        for array in arrays:
            self.held.append(Memory(array))
        lists.seeds.first, lists.seeds.second = seeds
        for i, held in enumerate(self.held):
            fields[i] = <const uint32_t*>held.buffer.buf
            sizes[i] = <size_t>held.buffer.len // sizeof(uint32_t)
        if min(sizes[0], sizes[2], sizes[5], sizes[6], sizes[7]) == 0:
            raise ValueError("the sizes of a part are damaged")
        lists.texts, lists.copies, lists.n_lengths = sizes[0] - 1, sizes[3], sizes[4]
        for k in range(LISTED_ORDERS):
            lists.n_lists[k], lists.n_listed[k] = sizes[6 + k] - 1, sizes[6 + LISTED_ORDERS + k]
        # `parts.check_numbers` checks the other numbers of a file.
        if (sizes[2] != sizes[0] or sizes[5] != sizes[4] + 1 or lists.starts[lists.texts] != sizes[1]
                or lists.firsts[0] != 0 or lists.firsts[lists.n_lengths] != lists.texts
                or min(lists.n_lists[0], lists.n_lists[1]) == 0):
            raise ValueError("the sizes of a part are damaged")
        for i in range(lists.n_lengths):
            if lists.firsts[i] >= lists.firsts[i + 1] or i and lists.lengths[i - 1] >= lists.lengths[i]:
                raise ValueError("the lengths of the texts are damaged")

    def check(self):
        """Checks that the file is as it was.

        Raises:
            ValueError: It is not.
        """
        if self.memory is not None:
            self.memory.check()

    @property
    def texts(self):
        """Return how many texts there are, equal ones too."""
        return self.lists.copies

    @property
    def distinct(self):
        """Return how many distinct texts there are."""
        return self.lists.texts

    @property
    def tokens(self):
        """Return how many tokens the distinct texts have together."""
        return self.lists.starts[self.lists.texts]
