"""The texts of an index that score highest with a query, or at least a given score, without scoring the others.

Let the floor be the score that is asked for, or the lowest of the k best so far. If no pair comes twice in a query of
20 tokens and the floor is 70, a text of 20 tokens must have 13 of its 19 pairs of neighbours (`_bounds`). So it is in
one of the lists of any 7 of these pairs, and the lists of the 7 rarest are read (prefix filtering: Bayardo et al. 2007,
Xiao et al. 2008).

    read the lists of pairs, the shortest first, and count how often each text comes,
        until a text that has not come cannot reach the floor with the pairs that are left
    if a text without any of these pairs can reach it: the same with the lists of tokens
    if a text without any of these tokens can: all texts are candidates (a floor of 0, some smoothing methods)
    read on as long as lists are short: they count for the candidates alone
    score those candidates that can reach the floor with what they have and what is left

Where the k best are wanted, those that came most often are scored whenever about twice as much has been read. So the
floor rises early. Equal scores are told apart by the texts' numbers, and a text is left out only where its bound is
lower than the floor, so the result is that of scoring all.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport NAN
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from fastbleu._native.atomics cimport fb_read
from fastbleu._native.memory cimport grow, release_all, reserve, reserve_cleared
from fastbleu.rerank._hypothesis_scores cimport score_counts
from fastbleu.rerank._score_by_length cimport MOST_TABLE_ORDERS
from fastbleu.search._bounds cimport BACKWARD, FORWARD, KEPT_LENGTHS, combine, free_bounds, highest, penalty
from fastbleu.search._lists cimport LISTED_ORDERS, TextLists, has_list, list_of
from fastbleu.search._query cimport count_matches, free_query

cdef enum:
    FIRST_READS = 256            # texts of lists that are read before any text is scored
    WORTH_A_SCORE = 8            # texts of lists that are read in the time that a text is scored in
    DONE = 0x80000000            # in the count of a text that has been scored
    MUCH_WORK = 1 << 22          # tokens and texts of lists: some tens of milliseconds


cdef void free_search(Search* search) noexcept nogil:
    free_bounds(&search.bounds)
    free_query(&search.query)
    release_all(<void**>&search.results.best, <void**>&search.results.k)
    release_all(<void**>search.counts, <void**>&search.part)


cdef int compare(const void* a, const void* b) noexcept nogil:
    cdef const QueryList* one = <const QueryList*>a
    cdef const QueryList* other = <const QueryList*>b
    cdef uint64_t first = <uint64_t>one.size << 32 | one.list, second = <uint64_t>other.size << 32 | other.list
    return (first > second) - (first < second)


cdef inline int damaged() except -1 nogil:
    with gil:
        raise ValueError("the index is damaged: a number points to what is not there")


cdef inline int note(Search* search, size_t work) except -1 nogil:
    """Lets Ctrl-C be heard, and ends the search if another thread has heard it, once for much work."""
    search.done += work
    if search.done > MUCH_WORK:
        search.done = 0
        with gil:
            PyErr_CheckSignals()
            if fb_read(search.stopped):
                raise KeyboardInterrupt
    return 0


# The k best


cdef inline bint is_worse(const Found* a, const Found* b) noexcept nogil:
    return a.score < b.score or a.score == b.score and a.index > b.index


cdef void sink(Found* heap, size_t n) noexcept nogil:
    """Moves the first of a heap to its place."""
    cdef size_t place = 0, child = 1
    cdef Found moved = heap[0]
    while child < n:
        if child + 1 < n and is_worse(&heap[child + 1], &heap[child]):
            child += 1
        if not is_worse(&heap[child], &moved):
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = moved


cdef void begin_best(Results* results) noexcept nogil:
    """Fills the heap with what is worse than any text."""
    cdef size_t place
    for place in range(results.k):
        results.best[place].score = -1
        results.best[place].index = -1


cdef bint put_best(Results* results, double score, int64_t index) noexcept nogil:
    """Puts a text among the k best; returns whether it belongs there."""
    cdef Found found
    found.score, found.index = score, index
    if not is_worse(&results.best[0], &found):
        return False
    results.best[0] = found
    sink(results.best, results.k)
    return True


cdef void take_best(Results* results, int64_t* indices, double* scores) noexcept nogil:
    """Writes the k best texts, the best first; -1 and NaN where there are fewer."""
    cdef size_t place
    cdef Found found
    for place in range(results.k, 0, -1):
        found = results.best[0]
        indices[place - 1] = found.index
        scores[place - 1] = found.score if found.score >= 0 else NAN
        results.best[0] = results.best[place - 1]
        sink(results.best, place - 1)


# Bounds


cdef int list_query(Search* search, int k) except -1 nogil:
    """Finds the lists of order k + 1 of the query in the part at hand, the shortest first."""
    cdef const TextLists* part = search.part
    cdef const uint32_t* starts = part.list_starts[k]
    cdef const uint32_t* tokens = search.query.tokens
    cdef QueryList* lists
    cdef size_t t, list, n = 0, total = 0
    reserve(<void**>&search.lists[k], search.query.length + 1, sizeof(QueryList))
    lists = search.lists[k]
    for t in range(search.query.length):
        if not has_list(tokens, t, k + 1):
            continue
        list = list_of(tokens, t, k + 1, part.n_lists[k], part.seeds)
        if starts[list] > starts[list + 1] or starts[list + 1] > part.n_listed[k]:
            damaged()
        lists[total].list, lists[total].size = <uint32_t>list, starts[list + 1] - starts[list]
        total += 1
    qsort(lists, total, sizeof(QueryList), compare)
    for t in range(total):
        if n and lists[n - 1].list == lists[t].list:
            lists[n - 1].weight += 1
            continue
        lists[n] = lists[t]
        lists[n].weight = 1
        n += 1
    search.read[k], search.n_lists[k] = 0, n
    search.total[k] = search.left[k] = total
    return 0


cdef inline double bound(Search* search, size_t length, size_t tokens, size_t pairs) except -1 nogil:
    """The highest score of the query with a text of a length that has so many tokens and pairs of it, or fewer."""
    cdef double forward = 0.0, backward = 0.0
    tokens = min(tokens, min(length, search.query.length))
    pairs = min(pairs, tokens - 1 if search.has_distinct_tokens and tokens else tokens)
    if search.direction != BACKWARD:
        forward = penalty(&search.bounds, search.query.length, length) * highest(
            &search.bounds, search.query.length, tokens, pairs, search.has_distinct_pairs)
    if search.direction != FORWARD:
        backward = penalty(&search.bounds, length, search.query.length) * highest(
            &search.bounds, length, tokens, pairs, search.has_distinct_pairs)
    return combine(search.direction, forward, backward)


cdef double bound_of_any(Search* search, size_t tokens, size_t pairs) except -1 nogil:
    """The highest `bound` of a text of any length."""
    cdef size_t i
    cdef double found = 0.0
    for i in range(search.part.n_lengths):
        found = max(found, bound(search, search.part.lengths[i], tokens, pairs))
    return found


cdef int find_range(Search* search) except -1 nogil:
    """Finds between which lengths the floor can be reached, and how many pairs that takes."""
    cdef const TextLists* part = search.part
    cdef Range* found = &search.range
    cdef Range* known = NULL
    cdef size_t i, most = search.query.length + 1, middle
    if search.wanted != BEST and search.query.length < KEPT_LENGTHS:
        known = &search.ranges[4 * search.query.length + search.has_distinct_tokens + 2 * search.has_distinct_pairs]
        if known.floor == search.floor:
            found[0] = known[0]
            return 0
    if found.floor == search.floor:
        return 0
    found.floor = search.floor
    found.low = found.high = 0
    for i in range(part.n_lengths):
        if bound(search, part.lengths[i], search.query.length, search.query.length) >= search.floor:
            if found.high == 0:
                found.low = part.firsts[i]
            found.high = part.firsts[i + 1]
    # The floor of a query never falls.
    while found.needed < most:
        middle = (found.needed + most) // 2
        if bound_of_any(search, search.query.length, middle) < search.floor:
            found.needed = middle + 1
        else:
            most = middle
    if known != NULL:
        known[0] = found[0]
    return 0


# Texts


cdef inline size_t length_of(const Search* search, size_t text) noexcept nogil:
    return search.part.starts[text + 1] - search.part.starts[text]


cdef double score_of(Search* search, size_t text) except -1 nogil:
    """The score of the query with a text: the float of `pairwise`."""
    cdef const TextLists* part = search.part
    cdef size_t t, length = length_of(search, text)
    cdef const uint32_t* tokens = part.tokens + part.starts[text]
    cdef int64_t matches[MOST_TABLE_ORDERS]
    cdef uint32_t largest = 0
    cdef double forward = 0.0, backward = 0.0
    if part.is_in_file:
        if length > part.lengths[part.n_lengths - 1] or part.starts[text + 1] > part.starts[part.texts]:
            damaged()
        reserve(<void**>&search.text, length + 1, sizeof(uint32_t))
        memcpy(search.text, tokens, length * sizeof(uint32_t))
        tokens = search.text
        for t in range(length):
            largest = max(largest, tokens[t])
        if largest > search.query.vocabulary:
            damaged()
    count_matches(&search.query, tokens, length, matches)
    note(search, length + 16)
    if search.direction != BACKWARD:
        forward = score_counts(&search.bounds.tables, search.query.length, matches) * penalty(
            &search.bounds, search.query.length, length)
    if search.direction != FORWARD:
        backward = score_counts(&search.bounds.tables, length, matches) * penalty(
            &search.bounds, length, search.query.length)
    return combine(search.direction, forward, backward)


cdef int put(Search* search, size_t text) except -1 nogil:
    """Scores a text, and keeps it if it belongs to the result."""
    cdef const TextLists* part = search.part
    cdef double score
    cdef size_t i, start = part.copy_starts[text], stop = part.copy_starts[text + 1]
    cdef Results* results
    if search.wanted == ANY and search.first_kept[text] >= search.at_query:
        return 0
    if start > stop or stop > part.copies:
        damaged()
    if search.wanted == ALL and text == search.at_query and stop - start < 2:
        return 0
    score = score_of(search, text)
    if score < search.floor:
        return 0
    if search.wanted == ANY:
        search.is_found = True
    elif search.wanted == BEST:
        for i in range(start, stop):
            if not put_best(&search.results, score, search.base + part.copied[i]):
                break
        search.floor = max(search.floor, search.results.best[0].score)
    else:
        results = &search.results
        grow(<void**>&results.pairs, results.n_pairs + 1, sizeof(Pair))
        results.pairs[results.n_pairs].first, results.pairs[results.n_pairs].second = search.at_query, text
        results.pairs[results.n_pairs].score = score
        results.n_pairs += 1
    return 0


# Lists


cdef size_t find_text(const uint32_t* listed, size_t start, size_t stop, size_t text) noexcept nogil:
    """Find the first place of a list whose text is not before this one."""
    cdef size_t middle
    while start < stop:
        middle = (start + stop) // 2
        if listed[middle] < text:
            start = middle + 1
        else:
            stop = middle
    return start


cdef int read_list(Search* search, int k, bint takes_up) except -1 nogil:
    """Counts the texts of the next list of order k + 1; those that have not come before only if it takes them up."""
    cdef const TextLists* part = search.part
    cdef const uint32_t* listed = part.listed[k]
    cdef uint32_t* counts = search.counts[k]
    cdef uint32_t* others = search.counts[1 - k]
    cdef uint32_t* touched = search.touched
    cdef size_t list = search.lists[k][search.read[k]].list, n = search.n_touched
    cdef size_t start = part.list_starts[k][list], stop = part.list_starts[k][list + 1], i
    cdef uint32_t text, weight = search.lists[k][search.read[k]].weight
    if start > stop or stop > part.n_listed[k]:
        damaged()
    if search.range.low > 0 or search.least > 0:
        start = find_text(listed, start, stop, max(search.range.low, search.least))
    if search.range.high < part.texts:
        stop = find_text(listed, start, stop, search.range.high)
    for i in range(start, stop):
        text = listed[i]
        if text >= part.texts:
            damaged()
        if takes_up:
            touched[n] = text
            n += (counts[text] | others[text]) == 0
            counts[text] += weight
        else:
            counts[text] += weight if counts[text] | others[text] else 0
    search.n_touched = n
    search.read[k] += 1
    search.left[k] -= weight
    search.reads += stop - start
    return note(search, stop - start)


cdef inline size_t next_size(const Search* search, int k) noexcept nogil:
    return search.lists[k][search.read[k]].size


cdef inline bint has_more(const Search* search, int k) noexcept nogil:
    """Return whether there is a list that has not been read."""
    return search.read[k] < search.n_lists[k]


cdef inline bint can_reach(Search* search, size_t text) except -1 nogil:
    """Return whether a text that has come can reach the floor, and has not been scored."""
    cdef size_t length = length_of(search, text)
    if search.counts[1][text] & <uint32_t>DONE:
        return False
    if search.wanted == ANY and search.first_kept[text] >= search.at_query:
        return False
    if length > search.part.lengths[search.part.n_lengths - 1]:
        damaged()
    return bound(search, length, search.counts[0][text] + search.left[0],
                 search.counts[1][text] + search.left[1]) >= search.floor


cdef inline size_t times_read(const Search* search, size_t text) noexcept nogil:
    """Return how often a text has come."""
    return min(<size_t>search.counts[0][text] + search.counts[1][text], search.total[0] + search.total[1])


cdef inline bint is_done(const Search* search, size_t text) noexcept nogil:
    return search.counts[1][text] & <uint32_t>DONE


cdef size_t leave_out(Search* search, size_t n) except? 0 nogil:
    """Moves those of the first n texts that can reach the floor before the others; returns how many they are."""
    cdef size_t i, kept = 0
    cdef uint32_t text
    note(search, n)
    for i in range(n):
        text = search.touched[i]
        if can_reach(search, text):
            search.touched[i] = search.touched[kept]
            search.touched[kept] = text
            kept += 1
        else:
            search.counts[1][text] |= <uint32_t>DONE
    return kept


cdef int put_promising(Search* search, size_t n, bint all) except -1 nogil:
    """Scores those of the first n texts that can reach the floor, the most frequent ones first: all, or some."""
    cdef size_t i, levels = search.total[0] + search.total[1] + 1, last = levels, done = 0, scored = 0
    cdef size_t most = n + 1 if search.wanted == ALL else 2 * search.results.k + 2
    cdef uint32_t text
    reserve(<void**>&search.by_count, levels, sizeof(uint32_t))
    memset(search.by_count, 0, levels * sizeof(uint32_t))
    for i in range(n):
        if not is_done(search, search.touched[i]):
            search.by_count[times_read(search, search.touched[i])] += 1
    while last > 0:
        # Levels of about as many texts together as all before them.
        while last > 0 and done < most:
            last -= 1
            done += search.by_count[last]
        note(search, n)
        for i in range(n):
            text = search.touched[i]
            if not is_done(search, text) and times_read(search, text) >= last:
                if can_reach(search, text):
                    put(search, text)
                    scored += 1
                    if search.is_found:
                        return 0
                search.counts[1][text] |= <uint32_t>DONE
                # Few are enough to raise the floor; the bounds of the others will be lower when more is read.
                if scored == most and not all:
                    return 0
        if not all:
            break
        most = 2 * done
    return 0


cdef int read_lists(Search* search, int k, size_t needed) except -1 nogil:
    """Reads lists of order k + 1 until a text that has not come cannot reach the floor.

    Args:
        search: The search.
        k: The order less one.
        needed: How many tokens a text must share with the query; not used for pairs, of which the search knows it.
    """
    while has_more(search, k) and search.left[1] >= search.range.needed and (k == 1 or search.left[0] >= needed):
        if search.wanted == BEST and search.reads + next_size(search, k) > search.next_scores:
            search.next_scores = 2 * (search.reads + next_size(search, k))
            put_promising(search, search.n_touched, False)
            find_range(search)
            if search.left[1] < search.range.needed:
                break
            if k == 0:
                needed = find_needed(search, needed)
        read_list(search, k, True)
    return 0


cdef size_t find_needed(Search* search, size_t needed) except? 0 nogil:
    """Find how many tokens, at least `needed`, a text must share with the query to reach the floor."""
    cdef size_t most = search.total[0] + 1, middle
    while needed < most:
        middle = (needed + most) // 2
        if bound_of_any(search, middle, search.left[1]) < search.floor:
            needed = middle + 1
        else:
            most = middle
    return needed


cdef int search_part(Search* search) except -1 nogil:
    """Searches the part at hand."""
    cdef size_t text, candidates, needed, most
    cdef int k
    for k in range(LISTED_ORDERS):
        reserve_cleared(<void**>&search.counts[k], search.part.texts, sizeof(uint32_t))
    reserve(<void**>&search.touched, search.part.texts + 1, sizeof(uint32_t))
    search.n_touched = search.reads = 0
    search.next_scores = FIRST_READS
    for k in range(LISTED_ORDERS):
        list_query(search, k)
    search.has_distinct_tokens = search.total[0] == search.n_lists[0]
    search.has_distinct_pairs = search.total[1] == search.n_lists[1]
    search.range.floor = -1
    search.range.needed = 0
    find_range(search)
    if search.range.low >= search.range.high:
        return 0
    # Where the floor never rises and needs no pair, reading their lists would lead to nothing.
    if search.wanted == BEST or search.range.needed:
        read_lists(search, 1, 0)
    if search.left[1] >= search.range.needed:
        needed = find_needed(search, 0)
        read_lists(search, 0, needed)
        if search.left[1] >= search.range.needed and search.left[0] >= find_needed(search, needed):
            for text in range(max(search.range.low, search.least), search.range.high):
                if not is_done(search, text) and not search.is_found:
                    put(search, text)
            return end_part(search)
    if search.wanted != ALL:
        put_promising(search, search.n_touched, False)
        if search.is_found:
            return end_part(search)
        find_range(search)
    candidates = leave_out(search, search.n_touched)
    most = search.reads + <size_t>WORTH_A_SCORE * candidates
    for k in range(LISTED_ORDERS - 1, -1, -1):
        while has_more(search, k) and search.reads + next_size(search, k) <= most:
            read_list(search, k, False)
    put_promising(search, leave_out(search, candidates), True)
    return end_part(search)


cdef int end_part(Search* search) noexcept nogil:
    """Makes all counts 0."""
    cdef size_t i
    for i in range(search.n_touched):
        search.counts[0][search.touched[i]] = search.counts[1][search.touched[i]] = 0
    return 0


cdef int begin_part(Search* search, const TextLists* part, int64_t base) except -1 nogil:
    cdef size_t i
    search.part = part
    search.base = base
    if search.wanted != BEST:
        reserve(<void**>&search.ranges, 4 * KEPT_LENGTHS, sizeof(Range))
        for i in range(4 * <size_t>KEPT_LENGTHS):
            search.ranges[i].floor = -1
    return 0
