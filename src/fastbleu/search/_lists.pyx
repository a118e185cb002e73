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
from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport fb_seeds
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu.inputs._column cimport Memory

cdef enum:
    BUCKETS = 512                # of lists that are filled together, about
    MOST_BUCKET_BITS = 16        # of the number of a list in its bucket
    MANY_TOKENS = 1 << 22        # they take some tens of milliseconds; then signals are looked for

cdef struct Work:
    # Buffers.
    size_t* ends                 # of each bucket
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


cdef inline int list_texts(
    const uint32_t* tokens, const uint32_t* start, size_t texts, size_t n_lists, fb_seeds seeds, int bits, size_t* ends,
    uint32_t* found, uint16_t* within
) except -1 nogil:
    """Puts each text into the buckets of its n-grams, where their ends are; without memory for them it only counts."""
    cdef size_t text, t, list, bucket, looked = 0
    cdef const uint32_t* first
    cdef int order
    for text in range(texts):
        first = tokens + start[text]
        for t in range(start[text + 1] - start[text]):
            for order in range(1, LISTED_ORDERS + 1):
                if has_list(first, t, order):
                    list = list_of(first, t, order, n_lists, seeds)
                    bucket = list >> bits
                    if found != NULL:
                        found[ends[bucket]] = <uint32_t>text
                        within[ends[bucket]] = <uint16_t>(list & (((<size_t>1) << bits) - 1))
                    ends[bucket] += 1
        look_for_signals(start[text], &looked)
    return 0


def fill_lists(tokens, starts, tuple seeds not None, list_starts, listed, within):
    """Makes the lists of all tokens and pairs of neighbouring tokens.

    The texts are first put into buckets of neighbouring lists, and then each bucket into its lists: what is written to
    at one time stays in a near cache.

    Args:
        tokens: uint32: those of all texts.
        starts: uint32 [texts + 1]: where each text begins.
        seeds: Two integers below 2^64 that the lists depend on.
        list_starts: uint32 [lists + 1] to write to: where each list begins.
        listed: uint32 to write to, two for each token: the texts of all lists.
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
    cdef uint32_t* found = uint32_of(held_listed, LISTED_ORDERS * <size_t>start[texts], "listed")
    cdef uint16_t* place = <uint16_t*>held_within.buffer.buf
    cdef size_t n_buckets, bucket, i, first, list, count, size, before = 0, most = 0, looked = 0
    cdef int bits = 0
    cdef fb_seeds secret
    cdef Work work
    if <size_t>held_within.buffer.len < LISTED_ORDERS * start[texts] * sizeof(uint16_t):
        raise ValueError(f"within must have {LISTED_ORDERS * start[texts]} numbers")
    secret.first, secret.second = seeds
    while bits < MOST_BUCKET_BITS and n_lists >> bits > BUCKETS:
        bits += 1
    size = <size_t>1 << bits
    n_buckets = (n_lists >> bits) + 1
    memset(&work, 0, sizeof(Work))
    try:
        with nogil:
            reserve_cleared(<void**>&work.ends, n_buckets, sizeof(size_t))
            list_texts(token, start, texts, n_lists, secret, bits, work.ends, NULL, NULL)
            for bucket in range(n_buckets):
                count = work.ends[bucket]
                most = max(most, count)
                work.ends[bucket] = before
                before += count
            list_texts(token, start, texts, n_lists, secret, bits, work.ends, found, place)
            reserve(<void**>&work.texts, most + 1, sizeof(uint32_t))
            before = looked = 0
            for bucket in range(n_buckets):
                count = work.ends[bucket] - before
                memcpy(work.texts, found + before, count * sizeof(uint32_t))
                first = bucket << bits
                size = min(size, n_lists - first)
                memset(begin + first, 0, size * sizeof(uint32_t))
                for i in range(before, before + count):
                    begin[first + place[i]] += 1
                i = before
                for list in range(first, first + size):
                    i += begin[list]
                    begin[list] = <uint32_t>i
                for i in range(count):
                    list = first + place[before + count - 1 - i]
                    begin[list] -= 1
                    found[begin[list]] = work.texts[count - 1 - i]
                before += count
                look_for_signals(before, &looked)
            begin[n_lists] = <uint32_t>before
    finally:
        release_all(<void**>&work.ends, <void**>&work.end)
    return before


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
        if min(sizes[0], sizes[4]) == 0 or sizes[5] < 2:
            raise ValueError("the sizes of a part are damaged")
        lists.texts, lists.n_lengths, lists.n_lists = sizes[0] - 1, sizes[3], sizes[5] - 1
        # `parts.check_numbers` checks the other numbers of a file.
        if (sizes[2] != lists.texts or sizes[4] != sizes[3] + 1 or lists.starts[lists.texts] != sizes[1]
                or lists.firsts[0] != 0 or lists.firsts[lists.n_lengths] != lists.texts):
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
        """Return how many texts there are."""
        return self.lists.texts

    @property
    def tokens(self):
        """Return how many tokens the texts have together."""
        return self.lists.starts[self.lists.texts]
