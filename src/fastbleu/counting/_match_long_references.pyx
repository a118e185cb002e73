"""Match n-grams by classes, with the same work per token for references of any length and number.

The orders n = 1, 2, .. are matched one after another. An n-gram is listed only if it can match: both texts must contain
its first n - 1 tokens and its last n - 1 tokens as n-grams. Equal n-grams of an order get the same number, called their
class. The key of an n-gram of order n is a pair of classes of order n - 1: the class of its first n - 1 tokens, and the
class of its last n - 1 tokens. So a key is one 64-bit word at every order.

For example, take the reference "a b a b c" and the hypothesis "b a b d". The tokens' classes are 1 2 1 2 3 and 2 1 2 0,
where 0 is a token that the reference does not have. Class 3 cannot match, since the hypothesis has no "c". The bigrams
of the other tokens are listed, first those of the reference, with the position of each bigram's last token (from 0):

    index     1      2      3        4      5
    key     (1,2)  (2,1)  (1,2)    (2,1)  (1,2)
    end       1      2      3        1      2
    class     1      2      1        2      1

The class of a bigram is the index of the first bigram of the reference with the same key, which a small hash table
finds. Both bigrams of the hypothesis match. The trigram "b a b" of the hypothesis is listed next, because the bigrams
at the indices 4 and 5 end at adjacent tokens. Its key is (2,1), the pair of their classes.

The count of a class is its largest count in any one reference. The hypothesis' n-grams of a class match until their
number reaches this count, which is clipping. A class without matches does not occur in the hypothesis, so longer
n-grams with it are not listed for the references either.

If there is a single reference, many of its n-grams are unique, that is, they occur in it once. A longer n-gram with a
unique part can match at only one position. So it is resolved by comparing tokens there, and is not listed
(unique_ngrams.h). In the example, "c" is unique; if the hypothesis had a "c", "b c" and "a b c" would not be listed. If
most words are unique, almost nothing is listed. If few tokens are unique, as with characters, listing all is faster.

Each pass reads the list once, and branches on the data only where a slot of the hash table has another key, which is
rare. So the passes are fast, although processors cannot predict whether a token or an n-gram matches.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport MAX_CACHED_SLOTS, SEEDS, cached_slots_for, fb_find_class, fb_ngram_home, fb_seeds
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu._native.signals cimport check_after, check_signals, clear_memory, next_check
from fastbleu.counting._numbering cimport origin_of_hypothesis
from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef extern from "counting/unique_ngrams.h" nogil:
    const size_t FB_RESOLVED_ORDERS
    ctypedef struct fb_resolution:
        const uint32_t* numbers
        const uint32_t* ends
        const uint32_t* in_hypothesis
        const uint32_t* in_reference
        const uint32_t* reference_ends
        const uint32_t* max_counts
        uint8_t* resolved
        uint32_t origin
        int n, order
    void fb_resolve_plain(const fb_resolution* resolution, size_t start, size_t stop)
    void fb_resolve_and_mark(const fb_resolution* resolution, size_t start, size_t stop, uint8_t* marks)

cdef enum:
    SLOTS_PER_NGRAM = 16         # With many slots, few have another key, whose branch would be mispredicted.
    UNIQUE_SHARE = 6             # Resolve unique n-grams only if at least 1/6 of the reference's tokens are unique.
    KNOWN_SHARE = 2              # Do so only if the hypothesis has at least 1/2 as many known tokens as the reference.
    AHEAD = 16                   # The prefetch distance in look-ups, for tables larger than the L1 and L2 caches.


cdef inline size_t list_longer(
    Workspace* work, size_t start, size_t stop, size_t out, uint32_t* matched, bint is_hypothesis,
    const uint32_t* max_counts
) noexcept nogil:
    """List the n-grams of order n + 1 that can match, given the list of order n, which the new list may overwrite.

    Args:
        work: Has the classes and ends of the listed n-grams of order n; receives the keys and ends of the new list.
        start, stop: The n-grams of order n have the indices start..stop - 1.
        out: The first index of the new list.
        matched: [class]: the number of matches. Longer n-grams of references are not listed if they contain a class
            without matches. For the hypothesis, the numbers are reset to 0. NULL to list all n-grams of references.
        is_hypothesis: Whether the n-grams are those of the hypothesis.
        max_counts: [class]: the count in the reference. Longer n-grams that contain a class with the count 1 are not
            listed, since they have been resolved. NULL if unique n-grams are not resolved.

    Returns:
        The index after the last n-gram of the new list.
    """
    cdef const uint32_t* classes = work.numbers
    cdef uint64_t* keys = work.ngram_keys
    cdef uint32_t* ends = work.ngram_ends
    cdef uint32_t before = 0, end_before = 0, this, end, can_match, could_before = 0
    cdef size_t k
    for k in range(start, stop):
        this = classes[k]
        end = ends[k]
        if max_counts != NULL:
            can_match = max_counts[this] > 1  # False for class 0, whose count is 0.
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
    const uint32_t* max_counts
) noexcept nogil:
    """Call list_longer with constant arguments, so that compilers make a branchless version for each case."""
    if is_hypothesis:
        if max_counts == NULL:
            return list_longer(work, start, stop, out, matched, True, NULL)
        return list_longer(work, start, stop, out, matched, True, max_counts)
    if max_counts == NULL:
        return list_longer(work, start, stop, out, matched, False, NULL)
    return list_longer(work, start, stop, out, matched, False, max_counts)


cdef size_t list_all_longer(Workspace* work, size_t stop) noexcept nogil:
    """Replace the list of the references' n-grams, 1..stop - 1, by the list of the next order; return its `stop`."""
    return list_longer(work, 1, stop, 1, NULL, False, NULL)


cdef int tally(const Index* index, Workspace* work, size_t after, uint32_t* max_counts) except -1 nogil:
    """Write the largest count of each class in any one reference to `max_counts`, which must be all zero before.

    The classes of the references' n-grams are in `work.numbers` at the indices 1..after - 1.
    """
    cdef size_t start = 1, stop = 1, end = 0, k
    cdef uint32_t reference, this
    cdef const uint32_t* classes = work.numbers
    cdef uint32_t* counts = work.matched     # The counts in the current reference. All zero before and after.
    if index.references == 1:
        for k in range(1, after):
            max_counts[classes[k]] += 1
        return 0
    for reference in range(index.references):
        if index.lengths[reference] == 0:
            continue
        end += <size_t>index.lengths[reference] + 1
        while stop < after and work.ngram_ends[stop] < end:
            check_signals(stop)
            this = classes[stop]
            counts[this] += 1
            max_counts[this] = max(max_counts[this], counts[this])
            stop += 1
        for k in range(start, stop):
            counts[classes[k]] = 0
        start = stop
    return 0


cdef inline int enter_ngrams(
    Workspace* work, size_t after, const NgramTable* table, bint is_single, bint prefetch
) except -1 nogil:
    """Store the references' n-grams at the indices 1..after - 1 in an empty hash table, and write their classes.

    If there is a single reference, also count its n-grams in `table.max_counts`. Set `prefetch` for large tables.
    """
    cdef size_t k, slot, mask = table.mask
    cdef fb_seeds seeds = SEEDS
    cdef const uint64_t* keys = work.ngram_keys
    cdef uint32_t* slots = table.slots
    cdef uint32_t* classes = work.numbers
    cdef uint32_t* max_counts = table.max_counts
    cdef uint32_t this
    for k in range(1, after):
        if prefetch:
            check_signals(k)
            fb_prefetch(&slots[fb_ngram_home(keys[min(k + AHEAD, after - 1)], mask, seeds)])
        slot = fb_find_class(slots, mask, keys, fb_ngram_home(keys[k], mask, seeds), keys[k])
        # Overwrite an existing class with itself, which avoids a branch.
        this = slots[slot]
        this |= <uint32_t>k & -<uint32_t>(this == 0)
        slots[slot] = this
        classes[k] = this
        if is_single:
            max_counts[this] += 1
    return 0


cdef int number_ngrams(const Index* index, Workspace* work, size_t after, const NgramTable* table) except -1 nogil:
    """Make the hash table of the references' n-grams at the indices 1..after - 1; write their classes and counts."""
    clear_memory(table.slots, (table.mask + 1) * sizeof(uint32_t))
    clear_memory(table.max_counts, after * sizeof(uint32_t))
    if index.references > 1:
        enter_ngrams(work, after, table, False, True)
        tally(index, work, after, table.max_counts)
    elif table.mask < MAX_CACHED_SLOTS:
        enter_ngrams(work, after, table, True, False)
    else:
        enter_ngrams(work, after, table, True, True)
    return 0


cdef inline int64_t match_listed(
    Workspace* work, size_t start, size_t stop, const NgramTable* table, uint8_t* marks, size_t stride, uint32_t origin,
    bint have_classes, bint prefetch
) noexcept nogil:
    """Look up the classes of the hypothesis' n-grams, and return the number of clipped matches.

    Args:
        work: Has the keys of the n-grams at the indices start..stop - 1; receives their classes.
        start, stop: The n-grams have the indices start..stop - 1.
        table: The table of the references' n-grams.
        marks: NULL; or an array. If a listed n-gram ends at token t, marks[t * stride] is set to whether it matches.
        stride: The distance between the marks of consecutive tokens.
        origin: The position of the hypothesis' first token.
        have_classes: Whether `work.numbers` already has the classes.
        prefetch: Whether to prefetch slots, because the table is large.
    """
    cdef size_t k, slot, mask = table.mask
    cdef fb_seeds seeds = SEEDS
    cdef const uint64_t* keys = work.ngram_keys
    cdef const uint64_t* table_keys = table.keys
    cdef const uint32_t* slots = table.slots
    cdef const uint32_t* max_counts = table.max_counts
    cdef uint32_t* classes = work.numbers
    cdef uint32_t* matched = work.matched
    cdef uint32_t this, already
    cdef bint is_match
    cdef int64_t matches = 0
    for k in range(start, stop):
        if have_classes:
            this = classes[k]
        else:
            if prefetch:
                fb_prefetch(&slots[fb_ngram_home(keys[min(k + AHEAD, stop - 1)], mask, seeds)])
            slot = fb_find_class(slots, mask, table_keys, fb_ngram_home(keys[k], mask, seeds), keys[k])
            this = slots[slot]
            classes[k] = this
        already = matched[this]
        is_match = already < max_counts[this]
        matched[this] = already + is_match
        matches += is_match
        if marks != NULL:
            marks[(work.ngram_ends[k] - origin) * stride] = is_match
    return matches


cdef inline int64_t match_part(
    Workspace* work, int n, size_t start, size_t stop, const NgramTable* table, bint is_shared, uint8_t* marks,
    size_t stride, uint32_t origin
) noexcept nogil:
    """Call match_listed with constant arguments, so that compilers make a branchless version for each case."""
    if marks != NULL:
        return match_listed(work, start, stop, table, marks, stride, origin, n == 1, False)
    if n == 1:
        return match_listed(work, start, stop, table, NULL, 0, 0, True, False)
    if table.mask < MAX_CACHED_SLOTS and not is_shared:
        return match_listed(work, start, stop, table, NULL, 0, 0, False, False)
    return match_listed(work, start, stop, table, NULL, 0, 0, False, True)


cdef int64_t match_order(
    Workspace* work, int n, size_t start, size_t stop, const NgramTable* table, bint is_shared, uint8_t* marks,
    size_t stride, uint32_t origin
) except -1 nogil:
    """Match the hypothesis' n-grams of order n part by part with match_part, and handle signals between the parts."""
    cdef int64_t matches = 0
    cdef size_t part
    while start < stop:
        check_signals(start)
        part = next_check(start, stop)
        matches += match_part(work, n, start, part, table, is_shared, marks, stride, origin)
        start = part
    return matches


cdef bint pays_to_resolve(const Index* index, const uint32_t* max_counts, size_t base, size_t known) noexcept nogil:
    """Return whether resolving unique n-grams saves time.

    `max_counts` has the count of each token in the reference, by the token's number. The references have `base` tokens,
    and `known` tokens of the hypothesis are in a reference.
    """
    cdef uint32_t this
    cdef size_t unique = 0
    if index.references > 1 or known * KNOWN_SHARE < base or <size_t>index.tokens * UNIQUE_SHARE < base:
        return False
    for this in range(1, index.tokens + 1):
        unique += max_counts[this] == 1
    return unique * UNIQUE_SHARE >= base


cdef int copy_sequences(Workspace* work, size_t base, uint32_t origin) except -1 nogil:
    """Copy the tokens of the only reference and of the hypothesis to `work.sequence`, for resolve_unique.

    Tokens of the hypothesis that are not in the reference become a number with all bits set, and the positions before
    and after the reference become 0. These numbers equal no token of the other text. `work.resolved` is cleared. The
    reference has `base` tokens, and `origin` is the position of the hypothesis' first token.
    """
    cdef size_t k, stop = work.listed, length = work.ngram_ends[stop - 1] - origin + 1
    cdef size_t hypothesis_start = base + 2 * FB_RESOLVED_ORDERS, shift = origin - hypothesis_start - FB_RESOLVED_ORDERS
    cdef uint32_t* sequence
    cdef uint32_t* reference_ends
    cdef const uint32_t* numbers = work.numbers
    cdef const uint32_t* ends = work.ngram_ends
    reserve(<void**>&work.sequence, hypothesis_start + FB_RESOLVED_ORDERS + length, sizeof(uint32_t))
    reserve(<void**>&work.reference_ends, base + 1, sizeof(uint32_t))
    reserve(<void**>&work.resolved, base + length + FB_RESOLVED_ORDERS, sizeof(uint8_t))
    sequence = work.sequence
    reference_ends = work.reference_ends
    memset(work.resolved, 0, base + length + FB_RESOLVED_ORDERS)
    memset(sequence, 0, FB_RESOLVED_ORDERS * sizeof(uint32_t))
    memcpy(sequence + FB_RESOLVED_ORDERS, numbers + 1, base * sizeof(uint32_t))
    memset(sequence + FB_RESOLVED_ORDERS + base, 0, FB_RESOLVED_ORDERS * sizeof(uint32_t))
    memset(sequence + hypothesis_start, 0xFF, (FB_RESOLVED_ORDERS + length) * sizeof(uint32_t))
    reference_ends[0] = work.ngram_ends[0] = 0
    for k in range(1, base + 1):
        reference_ends[numbers[k]] = <uint32_t>k - 1
    for k in range(base + 1, stop):
        sequence[ends[k] - shift] = numbers[k]
    return 0


cdef int resolve_unique(
    Workspace* work, int n, int order, size_t start, size_t stop, const uint32_t* reference_ends,
    const uint32_t* max_counts, size_t base, uint32_t origin, uint8_t* marks
) except -1 nogil:
    """Resolve all longer n-grams that contain a unique n-gram of order n.

    Args:
        work: Has the listed n-grams, and the sequences that copy_sequences has copied; receives `resolved`.
        n, order: The order of the listed n-grams, and the largest order that is counted.
        start, stop: The hypothesis' n-grams have the indices start..stop - 1.
        reference_ends: [class]: the position where the n-gram ends in the reference.
        max_counts: [class]: the count of the n-gram in the reference.
        base, origin: The number of tokens of the reference, and the position of the hypothesis' first token.
        marks: NULL; or marks[t * order + n - 1] is set to 1 for a match of order n that ends at token t.
    """
    cdef size_t part, first = start
    cdef fb_resolution resolution
    resolution.numbers, resolution.ends, resolution.resolved = work.numbers, work.ngram_ends, work.resolved
    # Element p of these arrays is the first of the four tokens up to position p, or origin + p in the hypothesis.
    resolution.in_reference = work.sequence + 1
    resolution.in_hypothesis = resolution.in_reference + base + 2 * FB_RESOLVED_ORDERS
    resolution.reference_ends, resolution.max_counts = reference_ends, max_counts
    resolution.origin, resolution.n, resolution.order = origin, n, order
    while start < stop:
        check_signals(start)
        part = next_check(start, stop)
        # Repeat the previous part's last n-grams, since longer n-grams may contain them. Repeated matches count once.
        start -= min(start - first, FB_RESOLVED_ORDERS)
        if order == <int>FB_RESOLVED_ORDERS and marks == NULL:
            fb_resolve_plain(&resolution, start, part)
        else:
            fb_resolve_and_mark(&resolution, start, part, marks)
        start = part
    return 0


cdef void count_resolved(const uint8_t* resolved, size_t base, int order, int64_t* correct) noexcept nogil:
    """Add the numbers of resolved matches of each order to `correct`, for a reference of `base` tokens."""
    cdef uint32_t bigrams = 0, trigrams = 0, longest = 0
    cdef size_t t
    for t in range(base):
        bigrams += resolved[t] >> 1 & 1
        trigrams += resolved[t] >> 2 & 1
        longest += resolved[t] >> 3 & 1
    if order > 1:
        correct[1] += bigrams
    if order > 2:
        correct[2] += trigrams
    if order > 3:
        correct[3] += longest


cdef int match_long(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil:
    """Write the numbers of clipped matches of the orders 1..order to `correct`.

    Args:
        index: The index of the references.
        work: Has the listed tokens, which are overwritten: those of the references at the indices 1..base, then those
            of the hypothesis.
        base: The number of the references' tokens in `work`; 0 with shared tables.
        order: The largest n.
        correct: Receives the number of matches of each order.
        marks: NULL; or all zero, and marks[t * order + n - 1] is set to 1 for a match of order n that ends at token t
            of the hypothesis.
    """
    cdef bint is_shared = index.tables != NULL
    cdef bint resolves = False
    # The hypothesis' n-grams have the indices start..stop - 1, after those of the references.
    cdef size_t start = base + 1, stop = work.listed, first, classes = base + 1
    cdef uint32_t origin = origin_of_hypothesis(index, base)
    cdef int n
    cdef const uint32_t* resolved_counts = NULL    # The counts of the latest order whose unique n-grams were resolved.
    cdef NgramTable made
    cdef const NgramTable* table = &made
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    reserve(<void**>&work.ngram_keys, stop + 1, sizeof(uint64_t))
    work.ngram_keys[0] = 0       # The look-up of a missing n-gram compares the key of class 0.
    if is_shared:
        for n in range(index.orders):
            classes = max(classes, index.tables[n].after)
    reserve_cleared(<void**>&work.matched, classes, sizeof(uint32_t))
    if not is_shared:
        reserve(<void**>&work.max_counts, classes, sizeof(uint32_t))
        made.max_counts = work.max_counts
        made.keys = work.ngram_keys
    for n in range(1, order + 1):
        # Stop if a text has no listed n-grams of this order: no more n-grams of this or a higher order can match.
        if stop == start or is_shared and n > index.orders:
            break
        # Phase 1: find the classes and counts of the references' n-grams. The classes are written to `work.numbers`.
        if is_shared:
            table = &index.tables[n - 1]
        elif n == 1:
            memset(made.max_counts, 0, (<size_t>index.tokens + 1) * sizeof(uint32_t))
            tally(index, work, start, made.max_counts)
            resolves = (1 < order <= <int>FB_RESOLVED_ORDERS
                        and pays_to_resolve(index, made.max_counts, base, stop - start))
            if resolves:
                copy_sequences(work, base, origin)
        else:
            made.mask = cached_slots_for(start, SLOTS_PER_NGRAM) - 1
            reserve(<void**>&work.ngram_slots, made.mask + 1, sizeof(uint32_t))
            made.slots = work.ngram_slots
            number_ngrams(index, work, start, table)
        check_after(stop)
        # Phase 2: find the classes of the hypothesis' n-grams, and count the matches of each class in `work.matched`.
        correct[n - 1] += match_order(
            work, n, start, stop, table, is_shared, NULL if marks == NULL else marks + n - 1, <size_t>order, origin)
        first = start
        # Phase 3: resolve longer n-grams that contain a unique one.
        if resolves and n < order:
            resolved_counts = table.max_counts
            resolve_unique(
                work, n, order, start, stop, work.reference_ends if n == 1 else work.ngram_ends, resolved_counts, base,
                origin, marks)
        # Phase 4: list the n-grams of the next order from index 1 on, which overwrites the list of this order. Listing
        # the hypothesis' n-grams also resets `work.matched` to zero, so it is done last, even after the largest order.
        if n < order and not is_shared:
            start = list_part(work, 1, first, 1, work.matched, False, resolved_counts)
        stop = list_part(work, first, stop, start, work.matched, True, resolved_counts)
    if resolves:
        count_resolved(work.resolved, base, order, correct)
    return 0
