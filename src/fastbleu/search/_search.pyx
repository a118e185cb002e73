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
from libc.math cimport NAN, isnan
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from fastbleu._native.atomics cimport fb_read
from fastbleu._native.memory cimport grow, release_all, reserve, reserve_cleared
from fastbleu.rerank._hypothesis_scores cimport Pairs, count_at
from fastbleu.rerank._score_by_length cimport SHORT_TEXT
from fastbleu.search._bounds cimport KEPT_LENGTHS, bound, free_bounds, score
from fastbleu.search._lists cimport LISTED_ORDERS, TextLists, has_list, list_of
from fastbleu.search._query cimport Query, count_matches, free_query

cdef enum:
    FIRST_READS = 256            # texts of lists that are read before any text is scored
    GROWTH = 2                   # of how much has been read, until the next texts are scored
    A_SCORE = 16                 # what a score takes beside the tokens of a text
    CLASS_WORK = 16              # of a token where the query has classes
    WORTH_A_SCORE = 4            # texts of lists that are read in the time that a text is scored in
    SOME = 2                     # times the texts that are wanted: scored at a time, since few raise the floor
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


cdef void begin_best(Search* search, size_t k, double floor) noexcept nogil:
    """Begins to look for the k texts that score highest, at least the floor."""
    search.k = k
    search.floor = floor
    search.worst.score = -1
    search.n_found = 0


cdef void leave_best(Search* search) noexcept nogil:
    """Sorts what has been found, the best first, and drops what is not among the k best."""
    if search.n_found:
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


cdef size_t first_reaching(Search* search, size_t place, size_t tokens, size_t pairs) except? 0 nogil:
    """The place of the first length that can reach the floor with so many tokens and pairs, from `place` on."""
    while place < search.longest and bound_of(search, search.part.lengths[place], tokens, pairs) < search.floor:
        place += 1
    return place


cdef int find_range(Search* search) except -1 nogil:
    """Finds between which lengths the floor can be reached; it is never wider than before."""
    cdef size_t all = search.query.length
    search.shortest = first_reaching(search, search.shortest, all, all)
    while search.shortest < search.longest and (
            bound_of(search, search.part.lengths[search.longest - 1], all, all) < search.floor):
        search.longest -= 1
    return 0


cdef bint is_excluded(Search* search) except -1 nogil:
    """Return whether a text that has not come cannot reach the floor."""
    search.unseen = first_reaching(search, max(search.unseen, search.shortest), search.left[0], search.left[1])
    return search.unseen >= search.longest


# Texts


cdef inline size_t first_text(const Search* search) noexcept nogil:
    return max(<size_t>search.part.firsts[search.shortest], search.least)


cdef inline size_t end_of_texts(const Search* search) noexcept nogil:
    return search.part.firsts[search.longest]


cdef inline size_t length_of(const Search* search, size_t text) noexcept nogil:
    return search.part.starts[text + 1] - search.part.starts[text]


cdef inline uint32_t count_of(const Search* search, size_t text) noexcept nogil:
    """Return how many tokens and pairs have come with a text; DONE or more if it has been scored."""
    return search.counts[0][text] + search.counts[1][text]


cdef inline bint can_reach(Search* search, size_t text) except -1 nogil:
    """Return whether a text can reach the floor, and has not been scored."""
    if count_of(search, text) >= <uint32_t>DONE or search.left_out != NULL and search.left_out[text]:
        return False
    return bound_of(search, length_of(search, text), search.counts[0][text] + search.left[0],
                    search.counts[1][text] + search.left[1]) >= search.floor


cdef int put(Search* search, double found_score, int64_t first, int64_t second) except -1 nogil:
    """Keeps what has been found."""
    cdef Pair* found
    if search.k and search.n_found >= 2 * search.k + SLACK:
        leave_best(search)
    grow(<void**>&search.found, search.n_found + 1, sizeof(Pair))
    found = &search.found[search.n_found]
    found.first, found.second, found.score = first, second, found_score
    if search.k == 0 or is_worse(&search.worst, found) > 0:
        search.n_found += 1
    return 0


cdef inline int keep(Search* search, size_t text, double found) except -1 nogil:
    """Keeps a text with its score if it belongs to the result."""
    if found < search.floor:
        return 0
    return put(
        search, found, search.at_query, search.base + search.part.order[text] if search.k else <int64_t>text)


cdef int score_text(Search* search, size_t text) except -1 nogil:
    """Counts the matches of a text, and scores it."""
    cdef const TextLists* part = search.part
    cdef Query* query = &search.query
    cdef size_t length = length_of(search, text)
    count_matches(query, part.tokens + part.starts[text], length)
    note(search, A_SCORE + length * (query.words or CLASS_WORK))
    return keep(search, text, score(&search.bounds, query.length, length, query.matches))


cdef int score_counted(Search* search) except -1 nogil:
    """Scores each text of the part by its matches with the query, which are known. Equal texts are scored once."""
    cdef Pairs* pairs = search.bounds.pairs
    cdef const uint32_t* places = pairs.index.places + pairs.index.first_reference + search.base
    cdef double* scores = pairs.scores
    cdef int64_t* matches = search.query.matches
    cdef size_t text, place
    cdef int n
    note(search, search.part.texts)
    for text in range(first_text(search), end_of_texts(search)):
        if search.left_out != NULL and search.left_out[text]:
            continue
        place = places[text]
        if isnan(scores[place]):
            for n in range(pairs.index.orders):
                matches[n] = count_at(pairs, search.query.length > SHORT_TEXT, n, place)
            scores[place] = score(&search.bounds, search.query.length, length_of(search, text), matches)
        keep(search, text, scores[place])
    return 0


cdef int score_frequent(Search* search, size_t wanted) except -1 nogil:
    """Scores those that can reach the floor of the texts that have come most often: as many as wanted."""
    cdef size_t level = search.total[0] + search.total[1] + 1, i
    cdef uint32_t text, count
    note(search, search.n_touched)
    reserve(<void**>&search.levels, level, sizeof(uint32_t))
    memset(search.levels, 0, level * sizeof(uint32_t))
    for i in range(search.n_touched):
        count = count_of(search, search.touched[i])
        if count < <uint32_t>DONE:
            search.levels[count] += 1
    while level > 1 and search.levels[level - 1] <= wanted:
        level -= 1
        wanted -= search.levels[level]
    # `level` is of texts that are all wanted, and of those one below it there are too many.
    for i in range(search.n_touched):
        text = search.touched[i]
        count = count_of(search, text)
        if count + 1 < level or count + 1 == level and wanted == 0:
            continue
        wanted -= count + 1 == level
        if can_reach(search, text):
            score_text(search, text)
        search.counts[1][text] |= <uint32_t>DONE
    if search.k:
        leave_best(search)
        find_range(search)
    return 0


cdef int score_any(Search* search) except -1 nogil:
    """Scores all texts that can reach the floor, in their order."""
    cdef size_t i, text
    cdef bint can_unseen
    note(search, end_of_texts(search) - first_text(search))
    for i in range(search.shortest, search.longest):
        can_unseen = bound_of(search, search.part.lengths[i], search.left[0], search.left[1]) >= search.floor
        for text in range(max(search.least, search.part.firsts[i]), search.part.firsts[i + 1]):
            if (can_unseen or count_of(search, text)) and can_reach(search, text):
                score_text(search, text)
    return 0


# Lists


cdef size_t find_text(const uint32_t* listed, size_t start, size_t stop, size_t text) noexcept nogil:
    """Find the first place of a list whose text is not before this one."""
    cdef size_t middle
    while start < stop:
        middle = (start + stop) // 2
        start, stop = (middle + 1, stop) if listed[middle] < text else (start, middle)
    return start


cdef int read_list(Search* search, int k) except -1 nogil:
    """Counts the texts of the next list of order k + 1."""
    cdef const TextLists* part = search.part
    cdef const uint32_t* listed = part.listed
    cdef uint32_t* counts = search.counts[k]
    cdef uint32_t* others = search.counts[1 - k]
    cdef uint32_t* touched = search.touched
    cdef size_t list = search.lists[k][search.read[k]].list, n = search.n_touched
    cdef size_t start = part.list_starts[list], stop = part.list_starts[list + 1], i
    cdef uint32_t text, before = <uint32_t>part.texts, weight = search.lists[k][search.read[k]].weight
    if first_text(search) > 0:
        start = find_text(listed, start, stop, first_text(search))
    if end_of_texts(search) < part.texts:
        stop = find_text(listed, start, stop, end_of_texts(search))
    for i in range(start, stop):
        text = listed[i]
        touched[n] = text
        n += (counts[text] | others[text]) == 0
        counts[text] += weight if text != before else 0
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
    while next_reads(search, k) <= most and not is_excluded(search):
        if search.k and next_reads(search, k) > search.next_scores:
            search.next_scores = GROWTH * next_reads(search, k)
            score_frequent(search, SOME * search.k)
        else:
            read_list(search, k)
    return 0


cdef int search_part(Search* search, const TextLists* part, int64_t base) except -1 nogil:
    """Searches a part, whose texts are numbered from `base` on."""
    cdef size_t i, unknown = 0
    cdef size_t* known = &unknown
    cdef int k
    search.part = part
    search.base = base
    search.shortest, search.longest = 0, part.n_lengths
    if search.is_counted:
        return score_counted(search)
    for k in range(LISTED_ORDERS):
        reserve_cleared(<void**>&search.counts[k], part.texts, sizeof(uint32_t))
        list_query(search, k)
    reserve(<void**>&search.touched, part.texts + 1, sizeof(uint32_t))
    search.n_touched = search.reads = 0
    search.next_scores = FIRST_READS
    search.has_distinct_tokens = search.total[0] == search.n_lists[0]
    search.has_distinct_pairs = search.total[1] == search.n_lists[1]
    reserve_cleared(<void**>&search.longest_of, 4 * KEPT_LENGTHS, sizeof(size_t))
    if search.k == 0 and search.query.length < KEPT_LENGTHS:
        known = &search.longest_of[
            4 * search.query.length + 2 * search.has_distinct_pairs + search.has_distinct_tokens]
        search.longest = known[0] or part.n_lengths
    while search.shortest < search.longest and part.firsts[search.shortest + 1] <= search.least:
        search.shortest += 1
    search.unseen = 0
    find_range(search)
    known[0] = search.longest
    # Where the floor never rises and needs no pair, reading their lists would lead to nothing.
    if search.k or first_reaching(search, search.shortest, search.left[0], 0) == search.longest:
        read_lists(search, 1)
    read_lists(search, 0)
    score_frequent(search, SOME * search.k)
    if is_excluded(search):
        score_frequent(search, <size_t>-1)
    else:
        score_any(search)
    for i in range(search.n_touched):
        search.counts[0][search.touched[i]] = search.counts[1][search.touched[i]] = 0
    return 0
