"""Matches of n-grams of token ids, as libbleu counts them: n-grams are the same where their hashes are.

libbleu's hash is FNV-1a of 64 bits over the bytes of the ids, lowest byte first, but it widens each byte as a signed
number, as compilers for x86-64 do. With that, short n-grams do share hashes: of the bigrams of ids below 1,000 three in
ten share theirs with another one, as (128, 0) does with (126, 254). Equal counts therefore need the same hash.

The hashes of both segments are sorted, order by order, and walked side by side.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort

from fastbleu._native.memory cimport release, reserve

cdef enum:
    BYTES = 4                    # of an id

# http://www.isthe.com/chongo/tech/comp/fnv/
cdef uint64_t OFFSET_BASIS = 14695981039346656037ULL
cdef uint64_t PRIME = 1099511628211ULL


cdef int compare(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const uint64_t*>a)[0], y = (<const uint64_t*>b)[0]
    return <int>(x > y) - <int>(x < y)


cdef inline uint64_t extend(uint64_t value, uint32_t token) noexcept nogil:
    """The hash of an n-gram with one more token."""
    cdef int byte
    for byte in range(BYTES):
        value ^= <uint64_t><int64_t><int8_t>(token >> (8 * byte) & 0xff)
        value *= PRIME
    return value


cdef int64_t in_both(const uint64_t* a, size_t n_a, const uint64_t* b, size_t n_b) noexcept nogil:
    """Return how many elements two sorted multisets share."""
    cdef size_t i = 0, k = 0
    cdef int64_t found = 0
    while i < n_a and k < n_b:
        if a[i] == b[k]:
            found += 1
            i += 1
            k += 1
        elif a[i] < b[k]:
            i += 1
        else:
            k += 1
    return found


cdef class Segment:
    """The ids of one segment, and the hashes of its n-grams of one order."""

    cdef uint32_t* ids
    cdef uint64_t* hashes        # in the order of the text
    cdef uint64_t* ordered
    cdef size_t length

    def __cinit__(self, list ids not None):
        cdef size_t i
        self.length = <size_t>len(ids)
        reserve(<void**>&self.ids, self.length, sizeof(uint32_t))
        reserve(<void**>&self.hashes, self.length, sizeof(uint64_t))
        reserve(<void**>&self.ordered, self.length, sizeof(uint64_t))
        for i in range(self.length):
            self.ids[i] = <uint32_t><int32_t>ids[i]

    def __dealloc__(self):
        release(<void**>&self.ids)
        release(<void**>&self.hashes)
        release(<void**>&self.ordered)

    cdef size_t sort(self, size_t n) noexcept nogil:
        """Sorts the hashes of the n-grams, after those of the (n - 1)-grams; returns how many there are."""
        cdef size_t i, ngrams = self.length - n + 1 if self.length >= n else 0
        for i in range(ngrams):
            self.hashes[i] = extend(OFFSET_BASIS if n == 1 else self.hashes[i], self.ids[i + n - 1])
            self.ordered[i] = self.hashes[i]
        if ngrams > 1:
            qsort(self.ordered, ngrams, sizeof(uint64_t), compare)
        return ngrams


def count_matches(list prediction, list reference, int order):
    """Matched n-grams of one prediction, clipped by its reference.

    Args:
        prediction: Token ids, which fit into 32 bits.
        reference: Likewise.
        order: The largest n, >= 1.

    Returns:
        For each n of 1..order the number of matches.

    Raises:
        OverflowError: An id does not fit into 32 bits.

    Example:
        >>> count_matches([7, 8, 7, 9], [7, 8, 9, 9], 2)
        [3, 1]
        >>> count_matches([128, 0], [126, 254], 2)
        [0, 1]
    """
    cdef Segment a = Segment(prediction), b = Segment(reference)
    cdef size_t n, n_a
    cdef list matches = []
    for n in range(1, <size_t>order + 1):
        n_a = a.sort(n)
        matches.append(in_both(a.ordered, n_a, b.ordered, b.sort(n)))
    return matches
