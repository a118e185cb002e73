"""Matching n-grams by classes: the same cost per token for references of any length and number.

Order by order, only those n-grams are looked at that can still match: an n-gram is listed if its first n - 1 tokens
and its last n - 1 tokens are n-grams that both texts have. Equal n-grams of order n have the same class, a number. A
longer n-gram is named by two numbers: the class of all its tokens but the last, and the class of all but the first.
So a key is one word at every order.

For the reference "a b a b c" and the hypothesis "b a b d", the tokens' classes are 1 2 1 2 3 and 2 1 2 0; 0 stands for
a token that the reference has not. The 3 is left out, too, since the hypothesis has no "c". The bigrams of the other
tokens are listed, first those of the reference, each with the token where it ends:

    place     1      2      3        4      5
    key     (1,2)  (2,1)  (1,2)    (2,1)  (1,2)
    ends at   1      2      3        1      2
    class     1      2      1        2      1

The class of an n-gram is the first place in the reference's part of the list that has the same key; a small hash table
finds it. Both bigrams of the hypothesis match. The trigram "b a b" is listed because the bigrams at places 4 and 5 end
at neighbouring tokens. Its key is (2,1), from their classes.

A class stands in the references a number of times: the largest count in any one of them. The hypothesis' n-grams match
as long as their class has matched less often than that: this is clipping. A class that never matched is not in the
hypothesis, so nothing longer is listed for it in a reference either.

Many n-grams stand only once in a single reference. Longer n-grams that contain one of these are settled at once, and
not listed: they can match at the place of that one only (settle.h). Above, "c" stands once in the reference; had the
hypothesis a "c", "b c" and "a b c" would not be listed. If most words differ, hardly anything is listed. If few tokens
stand once, as few characters do, all is listed: the comparisons would cost more than they save.

Each pass goes over the list once. It has no branch that depends on the data, but for the rare slot of the hash table
that another key has taken. That makes it fast: processors cannot predict whether a token or an n-gram matches.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport (
    NEAR_SLOTS,
    SEEDS,
    fb_find_class,
    fb_ngram_home,
    fb_seeds,
    near_slots_for,
)
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.counting._numbering cimport origin_of_hypothesis
from fastbleu.counting._workspace cimport Index, NgramTable, Workspace, check_signals, next_check

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef extern from "counting/settle.h" nogil:
    const size_t FB_SETTLED_ORDERS
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
    SLOTS_PER_NGRAM = 16         # so that few slots are taken by other keys, which no processor predicts
    ONCE_ENOUGH = 6              # settling pays if at least a sixth of the reference's tokens stand there once,
    KNOWN_ENOUGH = 2             # and if the hypothesis has half as many tokens that are in the reference
    AHEAD = 16                   # look-ups under way at once in a table that is larger than the nearest caches


cdef inline uint32_t mask_if(bint condition) noexcept nogil:
    """All bits if the condition holds, none otherwise: a choice without a branch."""
    return -<uint32_t>condition


cdef inline size_t list_longer(
    Workspace* work, size_t start, size_t stop, size_t out, uint32_t* matched, bint is_hypothesis,
    const uint32_t* most
) noexcept nogil:
    """Lists the n-grams of order n + 1 that can match, by the classes of order n. They may overwrite those of order n.

    Args:
        start, stop: The places of the n-grams of order n.
        out: From which place on to list.
        matched: By class: how often it matched. For references, those that never did count as 0, unless this is NULL.
        is_hypothesis: Whether to make the counts of these classes zero again.
        most: By class: how often the reference has it. What it has once is settled, so nothing is listed that contains
            it. NULL: nothing is settled.

    Returns:
        The place after the last one.
    """
    cdef const uint32_t* classes = work.numbers
    cdef uint64_t* keys = work.ngram_keys
    cdef uint32_t* ends = work.ngram_ends
    cdef uint32_t before = 0, end_before = 0, this, end, can_match, could_before = 0
    cdef size_t k
    for k in range(start, stop):
        this = classes[k]
        end = ends[k]
        if most != NULL:
            can_match = most[this] > 1  # class 0 has 0
        elif is_hypothesis:
            can_match = this != 0
        else:
            can_match = 1
        if is_hypothesis:
            matched[this] = 0
        elif matched != NULL:
            can_match &= <uint32_t>(matched[this] != 0)
        keys[out] = <uint64_t>before << 32 | this
        ends[out] = end
        out += could_before & can_match & <uint32_t>(end == end_before + 1)
        before = this
        end_before = end
        could_before = can_match
    return out


cdef size_t list_part(
    Workspace* work, size_t start, size_t stop, size_t out, uint32_t* matched, bint is_hypothesis,
    const uint32_t* most
) noexcept nogil:
    """list_longer, compiled for each case."""
    if is_hypothesis:
        if most == NULL:
            return list_longer(work, start, stop, out, matched, True, NULL)
        return list_longer(work, start, stop, out, matched, True, most)
    if most == NULL:
        return list_longer(work, start, stop, out, matched, False, NULL)
    return list_longer(work, start, stop, out, matched, False, most)


cdef size_t list_all_longer(Workspace* work, size_t stop) noexcept nogil:
    """Lists all longer n-grams of the references, in place of those that are listed up to the place `stop`."""
    return list_longer(work, 1, stop, 1, NULL, False, NULL)


cdef void tally(const Index* index, Workspace* work, size_t after, uint32_t* most) noexcept nogil:
    """Finds the largest count of each class in any one reference. `most` is all zero before."""
    cdef size_t start = 1, stop = 1, end = 0, k
    cdef uint32_t reference, this
    cdef const uint32_t* classes = work.numbers
    cdef uint32_t* counts = work.matched     # all zero before and after
    if index.references == 1:
        for k in range(1, after):
            most[classes[k]] += 1
        return
    for reference in range(index.references):
        if index.lengths[reference] == 0:
            continue
        end += <size_t>index.lengths[reference] + 1
        while stop < after and work.ngram_ends[stop] < end:
            this = classes[stop]
            counts[this] += 1
            most[this] = max(most[this], counts[this])
            stop += 1
        for k in range(start, stop):
            counts[classes[k]] = 0
        start = stop


cdef inline int enter(
    Workspace* work, size_t after, const NgramTable* table, bint is_single, bint is_far
) except -1 nogil:
    """Gives the listed n-grams of the references their classes, and counts those of a single reference."""
    cdef size_t k, slot, mask = table.mask
    cdef fb_seeds seeds = SEEDS
    cdef const uint64_t* keys = work.ngram_keys
    cdef uint32_t* slots = table.slots
    cdef uint32_t* classes = work.numbers
    cdef uint32_t* most = table.most
    cdef uint32_t this
    for k in range(1, after):
        if is_far:
            check_signals(k)
            fb_prefetch(&slots[fb_ngram_home(keys[min(k + AHEAD, after - 1)], mask, seeds)])
        slot = fb_find_class(slots, mask, keys, fb_ngram_home(keys[k], mask, seeds), keys[k])
        # A class that stands there already is written once more.
        this = slots[slot]
        this |= <uint32_t>k & mask_if(this == 0)
        slots[slot] = this
        classes[k] = this
        if is_single:
            most[this] += 1
    return 0


cdef int number_ngrams(const Index* index, Workspace* work, size_t after, const NgramTable* table) except -1 nogil:
    """Makes the table of the references' n-grams, which are listed up to the place `after`: classes and counts."""
    memset(table.slots, 0, (table.mask + 1) * sizeof(uint32_t))
    memset(table.most, 0, after * sizeof(uint32_t))
    if index.references > 1:
        enter(work, after, table, False, True)
        tally(index, work, after, table.most)
    elif table.mask < NEAR_SLOTS:
        enter(work, after, table, True, False)
    else:
        enter(work, after, table, True, True)
    return 0


cdef inline int64_t match_listed(
    Workspace* work, size_t start, size_t stop, const NgramTable* table, uint8_t* marks, size_t stride, uint32_t origin,
    bint have_classes, bint is_far
) noexcept nogil:
    """Clipped matches of the hypothesis' n-grams from place `start` on, whose classes are looked up first.

    Marks, unless they are NULL, are set at marks[t * stride] where an n-gram matches that ends at token t.
    """
    cdef size_t k, slot, mask = table.mask
    cdef fb_seeds seeds = SEEDS
    cdef const uint64_t* keys = work.ngram_keys
    cdef const uint64_t* table_keys = table.keys
    cdef const uint32_t* slots = table.slots
    cdef const uint32_t* most = table.most
    cdef uint32_t* classes = work.numbers
    cdef uint32_t* matched = work.matched
    cdef uint32_t this, already
    cdef bint is_match
    cdef int64_t matches = 0
    for k in range(start, stop):
        if have_classes:
            this = classes[k]
        else:
            if is_far:
                fb_prefetch(&slots[fb_ngram_home(keys[min(k + AHEAD, stop - 1)], mask, seeds)])
            slot = fb_find_class(slots, mask, table_keys, fb_ngram_home(keys[k], mask, seeds), keys[k])
            this = slots[slot]
            classes[k] = this
        already = matched[this]
        is_match = already < most[this]
        matched[this] = already + is_match
        matches += is_match
        if marks != NULL:
            marks[(work.ngram_ends[k] - origin) * stride] = is_match
    return matches


cdef inline int64_t match_part(
    Workspace* work, int n, size_t start, size_t stop, const NgramTable* table, bint is_kept, uint8_t* marks,
    size_t stride, uint32_t origin
) noexcept nogil:
    """match_listed, compiled for each case."""
    if marks != NULL:
        return match_listed(work, start, stop, table, marks, stride, origin, n == 1, False)
    if n == 1:
        return match_listed(work, start, stop, table, NULL, 0, 0, True, False)
    if table.mask < NEAR_SLOTS and not is_kept:
        return match_listed(work, start, stop, table, NULL, 0, 0, False, False)
    return match_listed(work, start, stop, table, NULL, 0, 0, False, True)


cdef int64_t match_order(
    Workspace* work, int n, size_t start, size_t stop, const NgramTable* table, bint is_kept, uint8_t* marks,
    size_t stride, uint32_t origin
) except -1 nogil:
    """Clipped matches of one order, as match_listed counts them."""
    cdef int64_t matches = 0
    cdef size_t part
    while start < stop:
        check_signals(start)
        part = next_check(start, stop)
        matches += match_part(work, n, start, part, table, is_kept, marks, stride, origin)
        start = part
    return matches


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
    cdef size_t places = base + 2 * FB_SETTLED_ORDERS, shift = origin - places - FB_SETTLED_ORDERS
    cdef uint32_t* sequence
    cdef uint32_t* at
    cdef const uint32_t* numbers = work.numbers
    cdef const uint32_t* ends = work.ngram_ends
    reserve(<void**>&work.sequence, places + FB_SETTLED_ORDERS + length, sizeof(uint32_t))
    reserve(<void**>&work.at, base + 1, sizeof(uint32_t))
    reserve(<void**>&work.settled, base + length + FB_SETTLED_ORDERS, sizeof(uint8_t))
    sequence = work.sequence
    at = work.at
    memset(work.settled, 0, base + length + FB_SETTLED_ORDERS)
    memset(sequence, 0, FB_SETTLED_ORDERS * sizeof(uint32_t))
    memcpy(sequence + FB_SETTLED_ORDERS, numbers + 1, base * sizeof(uint32_t))
    memset(sequence + FB_SETTLED_ORDERS + base, 0, FB_SETTLED_ORDERS * sizeof(uint32_t))
    memset(sequence + places, 0xFF, (FB_SETTLED_ORDERS + length) * sizeof(uint32_t))
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
    settling.in_hypothesis = settling.in_reference + base + 2 * FB_SETTLED_ORDERS
    settling.at, settling.most, settling.origin, settling.n, settling.order = at, most, origin, n, order
    while start < stop:
        check_signals(start)
        part = next_check(start, stop)
        # With those before, which longer n-grams contain. What has matched by them counts once.
        start -= min(start - first, FB_SETTLED_ORDERS)
        if order == <int>FB_SETTLED_ORDERS and marks == NULL:
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


cdef int match_classes(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil:
    """Clipped matches of all orders. The tokens are numbered and listed.

    Unless the tables are prepared, the places 1 to `base` are the references' tokens.

    Marks, unless they are NULL, are all zero before and get a 1 at marks[t * order + n - 1] for a match of order n that
    ends at token t of the hypothesis.
    """
    cdef bint is_kept = index.tables != NULL
    cdef bint settles = False
    # The hypothesis' n-grams are at the places start to stop - 1, after those of the references.
    cdef size_t start = base + 1, stop = work.listed, first, classes = base + 1
    cdef uint32_t origin = origin_of_hypothesis(index, base)
    cdef int n
    cdef const uint32_t* once = NULL
    cdef NgramTable made
    cdef const NgramTable* table = &made
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    reserve(<void**>&work.ngram_keys, stop + 1, sizeof(uint64_t))
    work.ngram_keys[0] = 0       # class 0 has no key; it is compared none the less
    if is_kept:
        for n in range(index.orders):
            classes = max(classes, index.tables[n].after)
    reserve_cleared(<void**>&work.matched, classes, sizeof(uint32_t))
    if not is_kept:
        reserve(<void**>&work.most, classes, sizeof(uint32_t))
        made.most = work.most
        made.keys = work.ngram_keys
    for n in range(1, order + 1):
        # Without n-grams on both sides nothing more can match.
        if stop == start or is_kept and n > index.orders:
            break
        # Phase 1: the references' n-grams get their classes, in place of the numbers in `work.numbers`, and counts.
        if is_kept:
            table = &index.tables[n - 1]
        elif n == 1:
            memset(made.most, 0, (<size_t>index.tokens + 1) * sizeof(uint32_t))
            tally(index, work, start, made.most)
            settles = 1 < order <= <int>FB_SETTLED_ORDERS and pays_to_settle(index, made.most, base, stop - start)
            if settles:
                keep_sequences(work, base, origin)
        else:
            made.mask = near_slots_for(start, SLOTS_PER_NGRAM) - 1
            reserve(<void**>&work.ngram_slots, made.mask + 1, sizeof(uint32_t))
            made.slots = work.ngram_slots
            number_ngrams(index, work, start, table)
        # Phase 2: the hypothesis' n-grams get their classes likewise; those that match are counted in `work.matched`.
        correct[n - 1] += match_order(
            work, n, start, stop, table, is_kept, NULL if marks == NULL else marks + n - 1, <size_t>order, origin)
        first = start
        # Phase 3: longer n-grams around those that the reference has once are matched.
        if settles and n < order:
            once = table.most
            settle(work, n, order, start, stop, work.at if n == 1 else work.ngram_ends, once, base, origin, marks)
        # Phase 4: the n-grams of the next order are listed from place 1 on, over those of this one. The hypothesis'
        # list is made last, since it also makes `work.matched` all zero again.
        if n < order and not is_kept:
            start = list_part(work, 1, first, 1, work.matched, False, once)
        # After the last order, too: this makes `matched` all zero again.
        stop = list_part(work, first, stop, start, work.matched, True, once)
    if settles:
        count_settled(work.settled, base, order, correct)
    return 0
