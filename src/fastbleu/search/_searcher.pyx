"""Searches, as Python calls them.

Where bounds exclude few texts, it takes less time to count the matches with all texts together, as `rerank.pairwise`
does. Each call compares both, and counts the matches of the queries that are left that way if it is the faster one.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcmp, memset

from fastbleu.counting._reference_index cimport ReferenceIndex
from fastbleu.inputs._column cimport Column, Float64Buffer, IdColumn, Int64Buffer
from fastbleu.rerank._hypothesis_scores cimport (
    Pairs,
    PairsHolder,
    count_matches,
    prepare_pool,
    read_pairs,
    score_hypothesis,
)
from fastbleu.rerank._score_by_length cimport SHORT_TEXT
from fastbleu.search._bounds cimport FORWARD
from fastbleu.search._lists cimport Part, TextLists
from fastbleu.search._query cimport begin_matching, begin_query, end_query
from fastbleu.search._search cimport Pair, Search, begin_best, free_search, put, search_part, take_best
from fastbleu.search._vocabulary cimport NumberedTexts
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS

from fastbleu.inputs._column import rebuild


cdef enum:
    MANY_PAIRS = 1 << 18         # 6 MB
    MOST_ELEMENTS = 1 << 28      # of an index of pairs; it takes some gigabytes
    LOOK = 8                     # part of the time of all pairs that is searched before the two are compared

# What counting all matches takes, in the unit of `Search.work`, about.
cdef double A_PAIR = 2, A_TOKEN_OF_A_PAIR = 0.1, A_TOKEN = 40


cdef Column ids_of(list arrays):
    """Texts as ids, given by arrays of the numbers of their tokens and of their lengths; tokens without one differ."""
    import numpy as np

    numbers, lengths = map(np.concatenate, zip(*arrays))
    ids = numbers.astype(np.int64)
    unknown = np.flatnonzero(ids == 0)
    ids[unknown] = -1 - np.arange(len(unknown))
    return rebuild(IdColumn, ids.tobytes(), np.cumsum(np.append(0, lengths), dtype=np.int64).tobytes(), None)


cdef int add_equal_ones(Search* search, const TextLists* lists, size_t before, size_t stop, int64_t* done) except -1:
    """Adds the pairs of those texts before `stop` that equal the latest query, which are among those of the query."""
    cdef size_t after = search.n_found, i, k, text, query = <size_t>search.at_query
    cdef size_t bytes = (lists.starts[query + 1] - lists.starts[query]) * sizeof(uint32_t)
    for i in range(before, after):
        text = <size_t>search.found[i].second
        if text >= stop or (lists.starts[text + 1] - lists.starts[text]) * sizeof(uint32_t) != bytes or (
                memcmp(lists.tokens + lists.starts[text], lists.tokens + lists.starts[query], bytes)):
            continue
        if search.n_found >= MANY_PAIRS:
            break
        done[text] = 1
        for k in range(before, after):
            if search.found[k].second > <int64_t>text:
                put(search, search.found[k].score, <int64_t>text, search.found[k].second)
    return 0


cdef bint is_slow(
    const Search* search, size_t done, size_t left, size_t tokens, size_t texts, size_t their_tokens
) noexcept nogil:
    """Return whether counting all matches takes less time for the queries that are left, as it does without bounds.

    Args:
        search: The searches that are done.
        done: How many.
        left: Queries that are left.
        tokens: Those of these queries.
        texts: Those that each query may be scored with.
        their_tokens: Of these texts.
    """
    cdef double pairs = <double>left * texts, spent = search.work
    if search.is_counted or (tokens + their_tokens) * <size_t>search.query.most_orders > <size_t>MOST_ELEMENTS:
        return False
    if not search.bounds.pairs.tables.usable:
        return True
    pairs = A_PAIR * pairs + A_TOKEN_OF_A_PAIR * texts * tokens + A_TOKEN * (tokens + their_tokens)
    return LOOK * spent > pairs and spent * left > pairs * done


cdef class Searcher:
    """Searches with one formula, in one thread. After an error it is not used again.

    Args:
        formula: A `CompiledFormula` or a `CompiledNLTKFormula`.
        vocabulary: How many tokens have numbers.
        direction: By its place in `_bounds.Direction`.
        stopped: int64 [1]: not 0 when searches are to end by a KeyboardInterrupt.
    """

    cdef Search search
    cdef PairsHolder pairs
    cdef Int64Buffer stopped
    cdef ReferenceIndex kept

    def __cinit__(self, formula not None, size_t vocabulary, int direction, stopped):
        memset(&self.search, 0, sizeof(Search))
        self.pairs = PairsHolder(formula)
        self.stopped = Int64Buffer(stopped, "stopped", 1, False)
        self.search.stopped = self.stopped.data
        self.search.bounds.direction = direction
        self.search.bounds.pairs = &self.pairs.pairs
        self.kept = ReferenceIndex(TOKENIZE_IDS, self.pairs.pairs.index.most_orders)
        self.search.query.kept = <void*>self.kept
        begin_matching(&self.search.query, self.pairs.pairs.index.most_orders, vocabulary)

    def __dealloc__(self):
        free_search(&self.search)

    cdef int count_all(self, list parts, NumberedTexts queries, size_t query, size_t start) except -1:
        """Makes ready to count the matches of queries with all texts of some parts together.

        Args:
            parts: The parts.
            queries: The queries; None: the texts themselves, those of one part, which is always the same.
            query: The first query.
            start: Its first token.
        """
        import numpy as np

        cdef Pairs* pairs = &self.pairs.pairs
        cdef int64_t n = 0 if queries is None else queries.texts - query
        cdef Column column
        self.search.is_counted = True
        if n == 0 and pairs.index.own:
            return 0
        arrays = []
        if n:
            numbers, lengths, _ = queries.arrays()
            arrays.append((numbers[start:], lengths[query:]))
        for part in parts:
            arrays.append((part.arrays[1], np.diff(part.arrays[0])))
        column = ids_of(arrays)
        with nogil:
            read_pairs(
                pairs, TOKENIZE_IDS, &column.view, 0, n or column.length, &column.view if n else NULL, n, column.length)
            prepare_pool(pairs)
        return 0

    cdef int begin(self, const uint32_t* tokens, size_t length, size_t query) except -1 nogil:
        """Makes a query ready for all parts; if matches are counted together, it is the one with this number there."""
        cdef Search* search = &self.search
        cdef Pairs* pairs = search.bounds.pairs
        if not search.is_counted:
            return begin_query(&search.query, tokens, length)
        search.query.length, search.query.words = length, 0
        memset(search.query.matches, 0, <size_t>search.query.most_orders * sizeof(int64_t))
        if search.bounds.direction == FORWARD and search.k and pairs.tables.usable:
            return score_hypothesis(pairs, pairs.index.places[query], 0)
        # NaN: not known.
        memset(pairs.scores, 0xff, pairs.index.references * sizeof(double))
        return count_matches(pairs, pairs.index.places[query], length > SHORT_TEXT, 0)

    def find_best(
        self, NumberedTexts queries not None, list parts not None, double at_least, indices, scores
    ):
        """Finds the k >= 1 texts that score highest with each query.

        Args:
            queries: Q texts.
            parts: The parts of an index; the numbers of their texts go on from one to the next.
            at_least: Scores below it are left out.
            indices: int64 [Q, k] to write to; -1 where there are fewer texts.
            scores: float64 [Q, k] to write to; NaN there.

        Raises:
            ValueError: The file of a part was changed.
        """
        cdef Int64Buffer found = Int64Buffer(indices, "indices", 2, True)
        cdef Float64Buffer found_scores = Float64Buffer(scores, "scores", 2, True)
        cdef Search* search = &self.search
        cdef size_t query, start = 0, k = <size_t>found.columns, texts = 0, tokens = 0, first_counted = 0
        cdef int64_t base
        cdef Part part
        if <size_t>found.rows != queries.texts or found_scores.rows != found.rows or (
                found_scores.columns != found.columns or k == 0):
            raise ValueError(f"indices and scores must have the same shape, with {queries.texts} rows")
        for part in parts:
            part.check()
            texts += part.lists.texts
            tokens += part.lists.starts[part.lists.texts]
        search.work = 0
        search.is_counted = False
        for query in range(queries.texts):
            if is_slow(search, query, queries.texts - query, queries.tokens - start, texts, tokens):
                first_counted = query
                self.count_all(parts, queries, query, start)
            base = 0
            begin_best(search, k, at_least)
            self.begin(queries.numbers + start, queries.lengths[query], query - first_counted)
            for part in parts:
                if part.lists.texts:
                    with nogil:
                        search_part(search, &part.lists, base)
                base += part.lists.texts
            end_query(&search.query)
            start += queries.lengths[query]
            take_best(search, found.data + query * k, found_scores.data + query * k)

    def find_pairs(self, Part part not None, texts, double at_least, marks, bint keeps):
        """Finds the pairs that reach a score, of some texts one after the other.

        Args:
            part: The texts.
            texts: int64: the places of some of them. The part and the score are always the same.
            at_least: The score.
            marks: int64 [texts of the part]: texts with a 1 are passed over.
            keeps: Whether texts are kept or left out: each of these texts that has no mark is kept and gets a 2, and a
                1 is written for those that reach the score with it. Otherwise each pair is found once, by the text that
                comes first in the order of the lengths; 1 is written for texts whose pairs have been found with those
                of an equal text.

        Returns:
            Unless texts are kept, bytes of records: the numbers of both texts, the lower one first, int64, and the
            score, float64; and how many of the texts were compared: fewer if there are many pairs.
        """
        cdef Int64Buffer places = Int64Buffer(texts, "texts", 1, False)
        cdef Int64Buffer flags = Int64Buffer(marks, "marks", 1, True)
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t n = <size_t>places.rows, tokens = lists.starts[lists.texts], i = 0, k, text
        cdef int64_t first, second
        if <size_t>flags.rows != lists.texts:
            raise ValueError(f"marks must have {lists.texts} numbers")
        search.k = search.n_found = search.work = 0
        search.floor = at_least
        search.is_counted = False
        search.left_out = flags.data if keeps else NULL
        search.least = 0
        while i < n and search.n_found < MANY_PAIRS:
            text = <size_t>places.data[i]
            if is_slow(search, i, n - i, tokens * (n - i) // lists.texts, lists.texts - search.least, tokens):
                self.count_all([part], None, 0, 0)
            i += 1
            if flags.data[text]:
                continue
            if keeps:
                flags.data[text] = 2
            else:
                search.least = text + 1
            k = search.n_found
            search.at_query = <int64_t>text
            with nogil:
                self.begin(lists.tokens + lists.starts[text], lists.starts[text + 1] - lists.starts[text], text)
                search_part(search, lists, 0)
                end_query(&search.query)
            if keeps:
                for k in range(search.n_found):
                    flags.data[search.found[k].second] = 1
                search.n_found = 0
            else:
                add_equal_ones(search, lists, k, <size_t>places.data[n - 1] + 1, flags.data)
        for k in range(search.n_found):
            first, second = lists.order[search.found[k].first], lists.order[search.found[k].second]
            search.found[k].first, search.found[k].second = min(first, second), max(first, second)
        return PyBytes_FromStringAndSize(<char*>search.found, search.n_found * sizeof(Pair)), i
