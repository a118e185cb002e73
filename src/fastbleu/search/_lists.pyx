"""Which texts have which n-grams: an inverted index of tokens and of pairs of neighbouring tokens.

The k-th occurrence of an n-gram in a text is an element of its own. The clipped matches of two texts are then the
elements that both have. Each element has a list of the texts that have it; the number of the list is a hash of the
element. Two elements may share a list. A count of how often a text stands in the lists of a query's elements is
therefore the number of matches or more, which is all that a bound asks for; scores are counted from the tokens.

    texts   0: the cat   1: the cat sat   2: the the cat         (equal texts are kept once, in order of length)
    lists   the: 0 1 2   cat: 0 1 2   sat: 1   the, 2nd: 2       (tokens)
            the cat: 0 1 2   cat sat: 1   the the: 2             (pairs)

The texts of a list have their order, so those of some lengths are a part of it.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from fastbleu._native._hashing cimport SEEDS, fb_hash_bytes, fb_ngram_home, fb_seeds, slots_for
from fastbleu._native.memory cimport grow, release, release_all, reserve, reserve_cleared
from fastbleu.inputs._column cimport Int64Buffer, Memory
from fastbleu.search._vocabulary cimport NumberedTexts

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef extern from "Python.h":
    const int PyBUF_READ
    object PyMemoryView_FromMemory(char* memory, Py_ssize_t size, int flags)

cdef enum:
    TEXTS_PER_SIGNAL_CHECK = 1 << 14
    TOKENS_PER_LIST = 2          # of pairs, about
    LISTS_PER_TOKEN = 4          # distinct
    TOKENS_PER_REPEAT = 16
    AHEAD = 16                   # look-ups under way at once


cdef size_t list_elements(
    Occurrences* seen, const uint32_t* tokens, size_t count, int order, size_t mask, fb_seeds seeds, uint32_t* out,
    bint* repeats
) except? 0 nogil:
    """Writes the number of the list of each element of a text; returns how many there are.

    Args:
        seen: Memory to work in.
        tokens: The numbers of its tokens; 0 matches nothing.
        count: How many.
        order: Of the n-grams, 1 or 2.
        mask: The number of lists less one.
        seeds: Of the hashes.
        out: Gets at most `count` numbers.
        repeats: Gets whether an n-gram comes more than once; or NULL.
    """
    cdef size_t slots = slots_for(count, 2), t, slot, found = 0
    cdef uint64_t hash, key
    cdef bint again = False
    if not reserve_cleared(<void**>&seen.counts, slots, sizeof(uint32_t)):
        memset(seen.counts, 0, slots * sizeof(uint32_t))
    reserve(<void**>&seen.hashes, slots, sizeof(uint64_t))
    seen.mask = slots - 1
    for t in range(<size_t>order - 1, count):
        if tokens[t] == 0 or order == 2 and tokens[t - 1] == 0:
            continue
        key = tokens[t] if order == 1 else <uint64_t>tokens[t - 1] << 32 | tokens[t]
        hash = fb_ngram_home(key, <size_t>-1, seeds)
        slot = <size_t>(hash >> 32) & seen.mask
        while seen.counts[slot] and seen.hashes[slot] != hash:
            slot = (slot + 1) & seen.mask
        seen.hashes[slot] = hash
        seen.counts[slot] += 1
        if seen.counts[slot] > 1:
            again = True
            hash = fb_ngram_home(hash ^ seen.counts[slot], <size_t>-1, seeds)
        out[found] = <uint32_t>(hash & mask)
        found += 1
    if repeats != NULL:
        repeats[0] = again
    return found


cdef size_t find_distinct(
    const uint32_t* numbers, const uint32_t* lengths, size_t texts, size_t** starts, uint32_t** group, uint32_t** firsts
) except? 0 nogil:
    """Finds equal texts: writes where each text begins, the number of the distinct one that it is, and the first text
    that is each; returns how many are distinct.
    """
    cdef size_t slots = slots_for(texts, 2), text, slot, start = 0, distinct = 0, other
    cdef uint32_t* table = NULL
    reserve(<void**>starts, texts + 1, sizeof(size_t))
    reserve(<void**>group, texts + 1, sizeof(uint32_t))
    reserve(<void**>firsts, texts + 1, sizeof(uint32_t))
    reserve_cleared(<void**>&table, slots, sizeof(uint32_t))
    for text in range(texts):
        starts[0][text] = start
        slot = fb_ngram_home(
            fb_hash_bytes(<const uint8_t*>(numbers + start), lengths[text] * sizeof(uint32_t), SEEDS), slots - 1, SEEDS)
        while table[slot]:
            other = firsts[0][table[slot] - 1]
            if lengths[other] == lengths[text] and memcmp(
                    numbers + starts[0][other], numbers + start, lengths[text] * sizeof(uint32_t)) == 0:
                break
            slot = (slot + 1) & (slots - 1)
        if table[slot] == 0:
            firsts[0][distinct] = <uint32_t>text
            distinct += 1
            table[slot] = <uint32_t>distinct
        group[0][text] = table[slot] - 1
        start += lengths[text]
    release(<void**>&table)
    return distinct


cdef int sort_texts(TextLists* lists, const uint32_t* lengths, const uint32_t* firsts, uint32_t* place) except -1 nogil:
    """Puts distinct texts in the order of their lengths: writes the place of each, and the distinct lengths."""
    cdef size_t text, length, longest = 0, n = 0, before = 0
    cdef uint32_t* counts = NULL
    for text in range(lists.texts):
        longest = max(longest, <size_t>lengths[firsts[text]])
    reserve_cleared(<void**>&counts, longest + 1, sizeof(uint32_t))
    for text in range(lists.texts):
        counts[lengths[firsts[text]]] += 1
    for length in range(longest + 1):
        n += counts[length] != 0
    lists.n_lengths = n
    reserve(<void**>&lists.lengths, n + 1, sizeof(uint32_t))
    reserve(<void**>&lists.firsts, n + 1, sizeof(uint32_t))
    n = 0
    for length in range(longest + 1):
        if counts[length]:
            lists.lengths[n] = <uint32_t>length
            lists.firsts[n] = <uint32_t>before
            n += 1
        before += counts[length]
        counts[length] = <uint32_t>before - counts[length]
    lists.firsts[n] = <uint32_t>before
    for text in range(lists.texts):
        length = lengths[firsts[text]]
        place[text] = counts[length]
        counts[length] += 1
    release(<void**>&counts)
    return 0


cdef int fill_lists(TextLists* lists, int k, Occurrences* seen, size_t n_lists) except -1 nogil:
    """Makes the lists of the n-grams of order k + 1."""
    cdef size_t text, i, found, first, stop, total = lists.starts[lists.texts]
    cdef uint32_t* elements = NULL
    cdef uint32_t* starts
    cdef uint32_t element, ahead
    lists.masks[k] = n_lists - 1
    # In the place of elements that a text does not have stands the number of a list that there is not.
    reserve(<void**>&elements, total + 1, sizeof(uint32_t))
    elements[total] = <uint32_t>n_lists
    reserve_cleared(<void**>&lists.list_starts[k], n_lists + 2, sizeof(uint32_t))
    # First starts[list + 2] counts the texts of a list. Then starts[list + 1] is where the list begins, and moves on
    # with each text that is listed, until it is where the next list begins.
    starts = lists.list_starts[k]
    for text in range(lists.texts):
        first, stop = lists.starts[text], lists.starts[text + 1]
        found = list_elements(
            seen, lists.tokens + first, stop - first, k + 1, lists.masks[k], lists.seeds, elements + first, NULL)
        for i in range(first, first + found):
            fb_prefetch(&starts[elements[i] + 2])
        for i in range(first, first + found):
            starts[elements[i] + 2] += 1
        for i in range(first + found, stop):
            elements[i] = <uint32_t>n_lists
        if text % TEXTS_PER_SIGNAL_CHECK == 0:
            with gil:
                PyErr_CheckSignals()
    for i in range(n_lists):
        starts[i + 2] += starts[i + 1]
    lists.n_listed[k] = starts[n_lists + 1]
    reserve(<void**>&lists.listed[k], lists.n_listed[k] + 1, sizeof(uint32_t))
    for text in range(lists.texts):
        for i in range(lists.starts[text], lists.starts[text + 1]):
            # Two look-ups under way for each: of the place, and at the place.
            ahead = elements[min(i + 2 * <size_t>AHEAD, total)]
            fb_prefetch(&starts[ahead + 1])
            ahead = elements[min(i + <size_t>AHEAD, total)]
            fb_prefetch(&lists.listed[k][starts[ahead + 1]])
            element = elements[i]
            if element != <uint32_t>n_lists:
                lists.listed[k][starts[element + 1]] = <uint32_t>text
                starts[element + 1] += 1
    release(<void**>&elements)
    return 0


cdef int fill(TextLists* lists, const uint32_t* numbers, const uint32_t* lengths, size_t texts) except -1 nogil:
    """Makes the arrays of these texts."""
    cdef size_t text, place, distinct_tokens = 0
    cdef size_t* starts = NULL
    cdef uint32_t* group = NULL
    cdef uint32_t* firsts = NULL
    cdef uint32_t* places = NULL
    cdef Occurrences seen
    memset(&seen, 0, sizeof(Occurrences))
    try:
        lists.copies = texts
        lists.texts = find_distinct(numbers, lengths, texts, &starts, &group, &firsts)
        reserve(<void**>&places, lists.texts + 1, sizeof(uint32_t))
        sort_texts(lists, lengths, firsts, places)
        reserve_cleared(<void**>&lists.starts, lists.texts + 1, sizeof(uint32_t))
        reserve_cleared(<void**>&lists.copy_starts, lists.texts + 2, sizeof(uint32_t))
        reserve(<void**>&lists.copied, texts + 1, sizeof(uint32_t))
        for text in range(lists.texts):
            lists.starts[places[text] + 1] = lengths[firsts[text]]
        for place in range(lists.texts):
            lists.starts[place + 1] += lists.starts[place]
        reserve(<void**>&lists.tokens, <size_t>lists.starts[lists.texts] + 1, sizeof(uint32_t))
        for text in range(lists.texts):
            memcpy(lists.tokens + lists.starts[places[text]], numbers + starts[firsts[text]],
                   lengths[firsts[text]] * sizeof(uint32_t))
        # As for the lists of elements.
        for text in range(texts):
            lists.copy_starts[places[group[text]] + 2] += 1
        for place in range(lists.texts):
            lists.copy_starts[place + 2] += lists.copy_starts[place + 1]
        for text in range(texts):
            place = places[group[text]]
            lists.copied[lists.copy_starts[place + 1]] = <uint32_t>text
            lists.copy_starts[place + 1] += 1
        for place in range(lists.starts[lists.texts]):
            distinct_tokens = max(distinct_tokens, <size_t>lists.tokens[place])
        distinct_tokens = min(distinct_tokens, <size_t>lists.starts[lists.texts])
        # Lists for the occurrences of a token that comes very often: a query that repeats it reads each of them.
        fill_lists(lists, 0, &seen, slots_for(
            max(<size_t>LISTS_PER_TOKEN * distinct_tokens, lists.starts[lists.texts] // <size_t>TOKENS_PER_REPEAT), 1))
        fill_lists(lists, 1, &seen, slots_for(lists.starts[lists.texts] // <size_t>TOKENS_PER_LIST, 1))
    finally:
        release(<void**>&starts)
        release(<void**>&group)
        release(<void**>&firsts)
        release(<void**>&places)
        release(<void**>&seen.hashes)
        release(<void**>&seen.counts)
    return 0


cdef class Part:
    """The texts of one part of an index, and their lists. It never changes.

    Args:
        texts: The texts; None: they are in a file.
        seeds: Two integers below 2^64 that the lists depend on; the same for all parts of an index.
        sizes: Of a part in a file: what `sizes` was.
        memory: Likewise: of the file.
        start: Likewise: where its `arrays` begin there, one after the other.

    Raises:
        ValueError: `memory` does not fit the sizes, or is damaged.
    """

    def __cinit__(
        self, NumberedTexts texts, tuple seeds not None, tuple sizes=None, Memory memory=None, size_t start=0
    ):
        cdef TextLists* lists = &self.lists
        cdef size_t expected[N_ARRAYS]
        cdef size_t bytes = start, i
        cdef uint32_t** arrays = &lists.starts
        lists.seeds.first, lists.seeds.second = seeds
        if texts is not None:
            with nogil:
                fill(lists, texts.numbers, texts.lengths, texts.texts)
            return
        if not 0 <= min(sizes) <= max(sizes) < <int64_t>1 << 32:
            raise ValueError("the sizes of a part are damaged")
        self.memory = memory
        lists.is_in_file = True
        lists.texts, lists.copies, lists.n_lengths, _ = sizes[:4]
        lists.masks[0], lists.masks[1], lists.n_listed[0], lists.n_listed[1] = sizes[4:]
        self.sizes_of(expected)
        expected[1] = sizes[3]
        for i in range(<size_t>N_ARRAYS):
            arrays[i] = <uint32_t*>(<char*>memory.buffer.buf + bytes)
            if expected[i] > (<size_t>memory.buffer.len - bytes) // sizeof(uint32_t):
                raise ValueError("a part is longer than the file")
            bytes += expected[i] * sizeof(uint32_t)
        # The kernels check the numbers that they ask for.
        if (lists.firsts[0] != 0 or lists.firsts[lists.n_lengths] != lists.texts
                or lists.starts[lists.texts] != expected[1] or lists.masks[0] & (lists.masks[0] + 1)
                or lists.masks[1] & (lists.masks[1] + 1)):
            raise ValueError("the lengths of the texts are damaged")
        for i in range(lists.n_lengths):
            if lists.firsts[i] >= lists.firsts[i + 1] or i and lists.lengths[i - 1] >= lists.lengths[i]:
                raise ValueError("the lengths of the texts are damaged")

    def __dealloc__(self):
        if self.memory is None:
            release_all(<void**>&self.lists.starts, <void**>&self.lists.texts)

    cdef int sizes_of(self, size_t* sizes) noexcept:
        """Writes how many numbers each array has."""
        cdef TextLists* lists = &self.lists
        cdef int k
        sizes[0] = sizes[2] = lists.texts + 1
        sizes[1] = lists.starts[lists.texts] if lists.starts != NULL else 0
        sizes[3] = lists.copies
        sizes[4] = lists.n_lengths
        sizes[5] = lists.n_lengths + 1
        for k in range(LISTED_ORDERS):
            sizes[6 + k] = lists.masks[k] + 2
            sizes[6 + LISTED_ORDERS + k] = lists.n_listed[k]
        return 0

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

    @property
    def sizes(self):
        """Return eight integers that say how large the arrays are."""
        cdef TextLists* lists = &self.lists
        return (lists.texts, lists.copies, lists.n_lengths, lists.starts[lists.texts], lists.masks[0], lists.masks[1],
                lists.n_listed[0], lists.n_listed[1])

    def arrays(self):
        """Return the memory of the arrays, of uint32 numbers. It lives as long as the part."""
        cdef size_t sizes[N_ARRAYS]
        cdef size_t i
        cdef uint32_t** arrays = &self.lists.starts
        self.sizes_of(sizes)
        views = []
        for i in range(<size_t>N_ARRAYS):
            views.append(PyMemoryView_FromMemory(<char*>arrays[i], sizes[i] * sizeof(uint32_t), PyBUF_READ))
        return views

    def places(self, out):
        """Writes which distinct text each text is: int64 [texts]."""
        cdef Int64Buffer found = Int64Buffer(out, "out", 1, True)
        cdef size_t text, i
        for text in range(self.lists.texts):
            for i in range(self.lists.copy_starts[text], self.lists.copy_starts[text + 1]):
                if self.lists.copied[i] < <size_t>found.rows:
                    found.data[self.lists.copied[i]] = <int64_t>text

    def numbered(self):
        """Return the texts in the order in which they came."""
        cdef NumberedTexts found = NumberedTexts()
        cdef TextLists* lists = &self.lists
        cdef size_t text, i, start = 0, length
        cdef uint32_t* place = NULL
        self.check()
        try:
            with nogil:
                reserve(<void**>&place, lists.copies + 1, sizeof(uint32_t))
                for text in range(lists.texts):
                    for i in range(lists.copy_starts[text], lists.copy_starts[text + 1]):
                        place[lists.copied[i]] = <uint32_t>text
                        found.tokens += lists.starts[text + 1] - lists.starts[text]
                grow(<void**>&found.numbers, found.tokens + 1, sizeof(uint32_t))
                grow(<void**>&found.lengths, lists.copies + 1, sizeof(uint32_t))
                for i in range(lists.copies):
                    length = lists.starts[place[i] + 1] - lists.starts[place[i]]
                    memcpy(found.numbers + start, lists.tokens + lists.starts[place[i]], length * sizeof(uint32_t))
                    found.lengths[i] = <uint32_t>length
                    start += length
                found.texts = lists.copies
        finally:
            release(<void**>&place)
        return found

    def check(self, size_t tokens=0xffffffff):
        """Checks the numbers of a part in a file, all of which are read.

        Args:
            tokens: The largest number of a token.

        Raises:
            ValueError: A number points to what is not there.
        """
        cdef TextLists* lists = &self.lists
        cdef bint is_right
        cdef int k
        if self.memory is None:
            return
        self.memory.check()
        with nogil:
            is_right = (
                rises(lists.starts, lists.texts, lists.starts[lists.texts])
                and rises(lists.copy_starts, lists.texts, lists.copies)
                and is_below(lists.copied, lists.copies, lists.copies)
                and is_below(lists.tokens, lists.starts[lists.texts], tokens + 1))
            for k in range(LISTED_ORDERS):
                is_right = (is_right and rises(lists.list_starts[k], lists.masks[k] + 1, lists.n_listed[k])
                            and is_below(lists.listed[k], lists.n_listed[k], lists.texts))
        if not is_right:
            raise ValueError("the numbers of a part are damaged")


cdef bint rises(const uint32_t* numbers, size_t n, size_t last) noexcept nogil:
    cdef size_t i
    cdef bint is_right = numbers[0] == 0 and numbers[n] == last
    for i in range(n):
        is_right &= numbers[i] <= numbers[i + 1]
    return is_right


cdef bint is_below(const uint32_t* numbers, size_t n, size_t limit) noexcept nogil:
    cdef size_t i
    cdef uint32_t largest = 0
    for i in range(n):
        largest = max(largest, numbers[i])
    return n == 0 or largest < limit
