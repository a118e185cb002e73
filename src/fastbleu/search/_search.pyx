"""The texts of an index that score highest with a query, or at least a given score, without scoring the others.

Let the floor be the score that is asked for, or the lowest of the k best so far. If no pair comes twice in a query of
20 tokens and the floor is 70, a text of 20 tokens must have 13 of its 19 pairs of neighbours (`_bounds`). So it is in
one of the lists of any 7 of these pairs, and the lists of the 7 rarest are read (prefix filtering: Bayardo et al. 2007,
Xiao et al. 2008).

    read the lists of pairs, the shortest first, and count how often each text comes,
        until a text that has not come cannot reach the floor with the pairs that are left
    if a text without any of these pairs can reach it: the same with the lists of tokens
    score those of the texts that have come that can reach the floor with what they have and what is left
    if a text that has not come can reach it still, or reading on would cost too much: the same with all texts

Where the k best are wanted, those that came most often are scored whenever about twice as much has been read. So the
floor rises early. Equal scores are told apart by the texts' numbers, and a text is left out only where its bound is
lower than the floor, so the result is that of scoring all.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport NAN
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from fastbleu._native.atomics cimport fb_read
from fastbleu._native.memory cimport grow, release_all, reserve, reserve_cleared
from fastbleu.search._bounds cimport KEPT_LENGTHS, bound, free_bounds, score
from fastbleu.search._lists cimport LISTED_ORDERS, TextLists, has_list, list_of
from fastbleu.search._query cimport count_matches, free_query

cdef enum:
    FIRST_READS = 256            # texts of lists that are read before any text is scored
    GROWTH = 2                   # of how much has been read, until the next texts are scored
    A_SCORE = 16                 # what a score takes beside the tokens of a text
    CLASS_WORK = 16              # of a token where the query has classes
    WORTH_A_SCORE = 4            # texts of lists that are read in the time that a text is scored in
    SLACK = 8                    # found texts beyond the best ones, at least, that are kept until they are sorted
    DONE = 0x80000000            # in the count of a text that has been scored
    MUCH_WORK = 1 << 22          # tokens and texts of lists: some tens of milliseconds


cdef void free_search(Search* search) noexcept nogil:
    free_bounds(&search.bounds)
    free_query(&search.query)
    release_all(<void**>&search.found, <void**>&search.n_found)


cdef int compare(const void* a, const void* b) noexcept nogil:
    cdef const QueryList* one = <const QueryList*>a
    cdef const QueryList* other = <const QueryList*>b
    cdef uint64_t first = <uint64_t>one.size << 32 | one.list, second = <uint64_t>other.size << 32 | other.list
    return (first > second) - (first < second)


cdef inline int note(Search* search, size_t work) except -1 nogil:
    """Lets Ctrl-C be heard, and ends the search if another thread has heard it, once for much work."""
    search.done += work
    search.work += work
    if search.done > MUCH_WORK:
        search.done = 0
        with gil:
            PyErr_CheckSignals()
            if fb_read(search.stopped):
                raise KeyboardInterrupt
    return 0


# The k best


cdef int is_worse(const void* a, const void* b) noexcept nogil:
    """Return whether a found text comes after another one: 1, or -1."""
    cdef const Pair* one = <const Pair*>a
    cdef const Pair* other = <const Pair*>b
    return 1 if one.score < other.score or one.score == other.score and one.second > other.second else -1


cdef int begin_best(Search* search, size_t k, double floor) except -1 nogil:
    """Begins to look for the k texts that score highest, at least the floor."""
    search.wanted = BEST
    search.k = k
    search.floor = floor
    search.worst.score = -1
    search.n_found = 0
    reserve(<void**>&search.found, 2 * k + SLACK, sizeof(Pair))
    return 0


cdef void leave_best(Search* search) noexcept nogil:
    """Sorts what has been found, the best first, and drops what is not among the k best."""
    qsort(search.found, search.n_found, sizeof(Pair), is_worse)
    if search.n_found >= search.k:
        search.n_found = search.k
        search.worst = search.found[search.k - 1]
        search.floor = max(search.floor, search.worst.score)


cdef void take_best(Search* search, int64_t* indices, double* scores) noexcept nogil:
    """Writes the k best texts, the best first; -1 and NaN where there are fewer."""
    cdef size_t place
    leave_best(search)
    for place in range(search.k):
        indices[place] = search.found[place].second if place < search.n_found else -1
        scores[place] = search.found[place].score if place < search.n_found else NAN


# Bounds


cdef int list_query(Search* search, int k) except -1 nogil:
    """Finds the lists of order k + 1 of the query in the part at hand, the shortest first."""
    cdef const TextLists* part = search.part
    cdef const uint32_t* starts = part.list_starts
    cdef const uint32_t* tokens = search.query.tokens
    cdef QueryList* lists
    cdef size_t t, list, n = 0, total = 0
    reserve(<void**>&search.lists[k], search.query.length + 1, sizeof(QueryList))
    lists = search.lists[k]
    for t in range(search.query.length):
        if has_list(tokens, t, k + 1):
            list = list_of(tokens, t, k + 1, part.n_lists, part.seeds)
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


cdef inline double bound_of(Search* search, size_t length, size_t tokens, size_t pairs) except? -1 nogil:
    """The highest score of the query with a text of a length that has so many tokens and pairs of it, or fewer."""
    if search.has_distinct_tokens:
        tokens = min(tokens, length)
        pairs = min(pairs, tokens - 1 if tokens else 0)
    return bound(&search.bounds, search.query.length, length, tokens, pairs, search.has_distinct_pairs)


cdef bint any_can_reach(Search* search, size_t tokens, size_t pairs) except -1 nogil:
    """Return whether a text of any length can reach the floor with so many tokens and pairs of the query."""
    cdef size_t i
    for i in range(search.range.shortest, search.range.longest):
        if bound_of(search, search.part.lengths[i], tokens, pairs) >= search.floor:
            return True
    return False


cdef int find_needed(Search* search, int k) except -1 nogil:
    """Finds how many n-grams of order k + 1 a text must share with the query; of tokens, with the pairs that are left.

    It is never fewer than before, since the floor of a query never falls.
    """
    cdef size_t* needed = &search.range.needed[k]
    cdef size_t most = search.query.length + 1, middle
    while needed[0] < most:
        middle = (needed[0] + most) // 2
        if any_can_reach(search, search.query.length if k else middle, middle if k else search.left[1]):
            most = middle
        else:
            needed[0] = middle + 1
    return 0


cdef int find_range(Search* search) except -1 nogil:
    """Finds between which lengths the floor can be reached, and how many pairs that takes."""
    cdef const uint32_t* lengths = search.part.lengths
    cdef size_t all = search.query.length
    cdef Range* found = &search.range
    cdef Range* known = NULL
    if search.wanted != BEST and all < KEPT_LENGTHS:
        known = &search.ranges[4 * all + search.has_distinct_tokens + 2 * search.has_distinct_pairs]
        if known.longest:
            found[0] = known[0]
            return 0
    while found.shortest < found.longest and bound_of(search, lengths[found.shortest], all, all) < search.floor:
        found.shortest += 1
    while found.shortest < found.longest and bound_of(search, lengths[found.longest - 1], all, all) < search.floor:
        found.longest -= 1
    find_needed(search, 1)
    if known != NULL:
        known[0] = found[0]
    return 0


cdef inline bint is_excluded(const Search* search) noexcept nogil:
    """Return whether a text that has not come cannot reach the floor."""
    return search.left[1] < search.range.needed[1] or search.left[0] < search.range.needed[0]


# Texts


cdef inline size_t first_text(const Search* search) noexcept nogil:
    return max(<size_t>search.part.firsts[search.range.shortest], search.least)


cdef inline size_t end_of_texts(const Search* search) noexcept nogil:
    return search.part.firsts[search.range.longest]


cdef inline size_t length_of(const Search* search, size_t text) noexcept nogil:
    return search.part.starts[text + 1] - search.part.starts[text]


cdef inline bint can_reach(Search* search, size_t text) except -1 nogil:
    """Return whether a text can reach the floor, and has not been scored."""
    if search.counts[1][text] & <uint32_t>DONE or search.wanted == ANY and search.first_kept[text] >= search.at_query:
        return False
    return bound_of(search, length_of(search, text), search.counts[0][text] + search.left[0],
                    search.counts[1][text] + search.left[1]) >= search.floor


cdef int put(Search* search, double found_score, int64_t index) except -1 nogil:
    """Keeps what has been found."""
    cdef Pair* found
    if search.wanted == BEST and search.n_found >= 2 * search.k + SLACK:
        leave_best(search)
    grow(<void**>&search.found, search.n_found + 1, sizeof(Pair))
    found = &search.found[search.n_found]
    found.first, found.second, found.score = search.at_query, index, found_score
    if search.wanted == ALL or is_worse(&search.worst, found) > 0:
        search.n_found += 1
    return 0


cdef int score_text(Search* search, size_t text) except -1 nogil:
    """Scores a text, and keeps it if it belongs to the result."""
    cdef const TextLists* part = search.part
    cdef double found
    cdef size_t length = length_of(search, text)
    count_matches(&search.query, part.tokens + part.starts[text], length)
    note(search, A_SCORE + length * (search.query.words or CLASS_WORK))
    found = score(&search.bounds, search.query.length, length, search.query.matches)
    if found < search.floor:
        return 0
    if search.wanted == ANY:
        search.is_found = True
    elif search.wanted == BEST:
        put(search, found, search.base + part.order[text])
    else:
        put(search, found, <int64_t>text)
    return 0


cdef int score_frequent(Search* search, bint all) except -1 nogil:
    """Scores those of the texts that have come that can reach the floor, the most frequent first: all, or some."""
    cdef size_t levels = search.total[0] + search.total[1] + 1, level, i, scored = 0, n = 0
    cdef uint32_t text
    reserve(<void**>&search.ends, levels + 1, sizeof(uint32_t))
    memset(search.ends, 0, (levels + 1) * sizeof(uint32_t))
    reserve(<void**>&search.ordered, search.n_touched + 1, sizeof(uint32_t))
    note(search, search.n_touched)
    # A level is how many tokens and pairs have not come with a text.
    for i in range(search.n_touched):
        text = search.touched[i]
        if not search.counts[1][text] & <uint32_t>DONE:
            search.ends[levels - search.counts[0][text] - search.counts[1][text]] += 1
            n += 1
    for level in range(levels):
        search.ends[level + 1] += search.ends[level]
    for i in range(search.n_touched):
        text = search.touched[i]
        if not search.counts[1][text] & <uint32_t>DONE:
            level = levels - search.counts[0][text] - search.counts[1][text] - 1
            search.ordered[search.ends[level]] = text
            search.ends[level] += 1
    for i in range(n):
        # Few are enough to raise the floor; the bounds of the others will be lower when more is read.
        if search.is_found or scored > 2 * search.k + 1 and not all:
            break
        if can_reach(search, search.ordered[i]):
            score_text(search, search.ordered[i])
            scored += 1
        search.counts[1][search.ordered[i]] |= <uint32_t>DONE
    if search.wanted == BEST:
        leave_best(search)
        find_range(search)
    return 0


cdef int score_any(Search* search) except -1 nogil:
    """Scores all texts that can reach the floor."""
    cdef size_t i, text
    cdef bint can_unseen
    for i in range(search.range.shortest, search.range.longest):
        can_unseen = bound_of(search, search.part.lengths[i], search.left[0], search.left[1]) >= search.floor
        note(search, search.part.firsts[i + 1] - search.part.firsts[i])
        for text in range(max(search.least, search.part.firsts[i]), search.part.firsts[i + 1]):
            if (can_unseen or search.counts[0][text] | search.counts[1][text]) and can_reach(search, text):
                score_text(search, text)
                if search.is_found:
                    return 0
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
    cdef const uint32_t* listed = part.listed
    cdef uint32_t* counts = search.counts[k]
    cdef uint32_t* others = search.counts[1 - k]
    cdef uint32_t* touched = search.touched
    cdef size_t list = search.lists[k][search.read[k]].list, n = search.n_touched
    cdef size_t start = part.list_starts[list], stop = part.list_starts[list + 1], i
    cdef uint32_t text, before = <uint32_t>part.texts, weight = search.lists[k][search.read[k]].weight
    cdef bint has_come
    if first_text(search) > 0:
        start = find_text(listed, start, stop, first_text(search))
    if end_of_texts(search) < part.texts:
        stop = find_text(listed, start, stop, end_of_texts(search))
    for i in range(start, stop):
        text = listed[i]
        has_come = (counts[text] | others[text]) != 0
        touched[n] = text
        n += takes_up and not has_come
        counts[text] += weight if text != before and (takes_up or has_come) else 0
        before = text
    search.n_touched = n
    search.read[k] += 1
    search.left[k] -= weight
    search.reads += stop - start
    return note(search, stop - start)


cdef inline size_t next_reads(const Search* search, int k) noexcept nogil:
    """Return how many texts of lists will have been read after the next list of order k + 1."""
    return search.reads + search.lists[k][search.read[k]].size if search.read[k] < search.n_lists[k] else <size_t>-1


cdef int read_lists(Search* search, int k) except -1 nogil:
    """Reads lists of order k + 1 until a text that has not come cannot reach the floor, or scoring all costs less."""
    cdef size_t most = <size_t>WORTH_A_SCORE * (end_of_texts(search) - first_text(search))
    while next_reads(search, k) <= most and not is_excluded(search) and not search.is_found:
        if search.wanted == BEST and next_reads(search, k) > search.next_scores:
            search.next_scores = GROWTH * next_reads(search, k)
            score_frequent(search, False)
            if k == 0:
                find_needed(search, 0)
        else:
            read_list(search, k, True)
    return 0


cdef int read_on(Search* search, size_t candidates, bint takes_up) except -1 nogil:
    """Reads further lists as long as that costs less than to score candidates, whose bounds then are lower."""
    cdef size_t most = search.reads + <size_t>WORTH_A_SCORE * candidates
    cdef int k
    for k in range(LISTED_ORDERS - 1, -1, -1):
        while next_reads(search, k) <= most:
            read_list(search, k, takes_up)
    return 0


cdef int search_part(Search* search, const TextLists* part, int64_t base) except -1 nogil:
    """Searches a part, whose texts are numbered from `base` on."""
    cdef size_t i
    cdef int k
    search.part = part
    search.base = base
    for k in range(LISTED_ORDERS):
        reserve_cleared(<void**>&search.counts[k], part.texts, sizeof(uint32_t))
        list_query(search, k)
        search.range.needed[k] = 0
    reserve(<void**>&search.touched, part.texts + 1, sizeof(uint32_t))
    search.n_touched = search.reads = 0
    search.next_scores = FIRST_READS
    search.has_distinct_tokens = search.total[0] == search.n_lists[0]
    search.has_distinct_pairs = search.total[1] == search.n_lists[1]
    search.range.shortest, search.range.longest = 0, part.n_lengths
    find_range(search)
    # Where the floor never rises and needs no pair, reading their lists would lead to nothing.
    if search.bounds.tables.usable and (search.wanted == BEST or search.range.needed[1]):
        read_lists(search, 1)
    if search.bounds.tables.usable and not is_excluded(search):
        find_needed(search, 0)
        read_lists(search, 0)
    score_frequent(search, False)
    if is_excluded(search):
        read_on(search, search.n_touched, False)
        score_frequent(search, True)
    elif not search.is_found:
        score_any(search)
    for i in range(search.n_touched):
        search.counts[0][search.touched[i]] = search.counts[1][search.touched[i]] = 0
    return 0
