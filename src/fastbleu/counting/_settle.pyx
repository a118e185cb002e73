"""Settling: n-grams that contain an n-gram which the reference has once are matched by the place where that one stands.

They can match at that one place only. So they are settled at once, for all orders up to 4: the tokens before the two
places are compared, and each place is used up once for each order. Nothing that is settled is listed again. In the
reference "a b a b c" the "c" stands once; had the hypothesis a "c", "b c" and "a b c" would not be listed. If few
tokens stand once, as few characters do, all is listed: the comparisons would cost more than they save.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from fastbleu._native.memory cimport reserve
from fastbleu.counting._workspace cimport Index, Workspace, check_signals, next_check

cdef extern from "counting/settle.h" nogil:
    ctypedef struct fb_settling:
        const uint32_t* numbers
        const uint32_t* ends
        const uint32_t* in_hypothesis
        const uint32_t* in_reference
        const uint32_t* at
        const uint32_t* most
        uint8_t* settled
        uint32_t origin
        int n, order
    void fb_settle_plain(const fb_settling* settling, size_t start, size_t stop)
    void fb_settle_and_mark(const fb_settling* settling, size_t start, size_t stop, uint8_t* marks)

cdef enum:
    ONCE_ENOUGH = 6              # settling pays if at least a sixth of the reference's tokens stand there once,
    KNOWN_ENOUGH = 2             # and if the hypothesis has half as many tokens that are in the reference


cdef bint pays_to_settle(const Index* index, const uint32_t* most, size_t base, size_t known) noexcept nogil:
    """Return whether to settle: a reference has `base` tokens, and `known` of a hypothesis are among them."""
    cdef uint32_t this
    cdef size_t once = 0
    if index.references > 1 or known * KNOWN_ENOUGH < base or <size_t>index.tokens * ONCE_ENOUGH < base:
        return False
    for this in range(1, index.tokens + 1):
        once += most[this] == 1
    return once * ONCE_ENOUGH >= base


cdef int keep_sequences(Workspace* work, size_t base, uint32_t origin) except -1 nogil:
    """Keeps the listed tokens of one reference and of the hypothesis by where they end.

    A token of the hypothesis that is not listed has all bits set, and 0 stands before and after the reference. So
    neither equals a token of the other text.
    """
    cdef size_t k, stop = work.listed, length = work.ngram_ends[stop - 1] - origin + 1
    cdef size_t places = base + 2 * SETTLED_ORDERS, shift = origin - places - SETTLED_ORDERS
    cdef uint32_t* sequence
    cdef uint32_t* at
    cdef const uint32_t* numbers = work.numbers
    cdef const uint32_t* ends = work.ngram_ends
    reserve(<void**>&work.sequence, places + SETTLED_ORDERS + length, sizeof(uint32_t))
    reserve(<void**>&work.at, base + 1, sizeof(uint32_t))
    reserve(<void**>&work.settled, base + length + SETTLED_ORDERS, sizeof(uint8_t))
    sequence = work.sequence
    at = work.at
    memset(work.settled, 0, base + length + SETTLED_ORDERS)
    memset(sequence, 0, SETTLED_ORDERS * sizeof(uint32_t))
    memcpy(sequence + SETTLED_ORDERS, numbers + 1, base * sizeof(uint32_t))
    memset(sequence + SETTLED_ORDERS + base, 0, SETTLED_ORDERS * sizeof(uint32_t))
    memset(sequence + places, 0xFF, (SETTLED_ORDERS + length) * sizeof(uint32_t))
    at[0] = work.ngram_ends[0] = 0
    for k in range(1, base + 1):
        at[numbers[k]] = <uint32_t>k - 1
    for k in range(base + 1, stop):
        sequence[ends[k] - shift] = numbers[k]
    return 0


cdef int settle(
    Workspace* work, int n, int order, size_t start, size_t stop, const uint32_t* at, const uint32_t* most,
    size_t base, uint32_t origin, uint8_t* marks
) except -1 nogil:
    """Matches all longer n-grams that contain an n-gram of order n which the reference has once.

    Args:
        start, stop: The places of the hypothesis' n-grams.
        at: By class: where it ends in the reference.
        most: By class: how often the reference has it.
        base, origin: How many tokens the reference has, and where the first one of the hypothesis ends.
        marks: As match_classes has them, or NULL.
    """
    cdef size_t part, first = start
    cdef fb_settling settling
    settling.numbers, settling.ends, settling.settled = work.numbers, work.ngram_ends, work.settled
    # What is compared ends at these places.
    settling.in_reference = work.sequence + 1
    settling.in_hypothesis = settling.in_reference + base + 2 * SETTLED_ORDERS
    settling.at, settling.most, settling.origin, settling.n, settling.order = at, most, origin, n, order
    while start < stop:
        check_signals(start)
        part = next_check(start, stop)
        # With those before, which longer n-grams contain. What has matched by them counts once.
        start -= min(start - first, <size_t>SETTLED_ORDERS)
        if order == SETTLED_ORDERS and marks == NULL:
            fb_settle_plain(&settling, start, part)
        else:
            fb_settle_and_mark(&settling, start, part, marks)
        start = part
    return 0


cdef void count_settled(const uint8_t* settled, size_t base, int order, int64_t* correct) noexcept nogil:
    """Adds the matches of `settle` to those of the other n-grams."""
    cdef uint32_t bigrams = 0, trigrams = 0, longest = 0
    cdef size_t t
    for t in range(base):
        bigrams += settled[t] >> 1 & 1
        trigrams += settled[t] >> 2 & 1
        longest += settled[t] >> 3 & 1
    if order > 1:
        correct[1] += bigrams
    if order > 2:
        correct[2] += trigrams
    if order > 3:
        correct[3] += longest
