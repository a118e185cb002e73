"""Searches, as Python calls them.

Where bounds exclude few texts, it takes less time to count the matches with all texts together, as `rerank.pairwise`
does. Each call compares both, and counts the matches of the queries that are left that way if it is the faster one.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcmp, memset

from fastbleu.inputs._column cimport Column, Float64Buffer, IdColumn, Int64Buffer
from fastbleu.rerank._hypothesis_scores cimport Pairs, PairsHolder, count_matches, prepare_pool, read_pairs
from fastbleu.rerank._score_by_length cimport SHORT_TEXT
from fastbleu.search._lists cimport Part, TextLists
from fastbleu.search._query cimport begin_matching, begin_query, end_query
from fastbleu.search._search cimport Pair, Search, begin_best, free_search, put, search_part, take_best
from fastbleu.search._vocabulary cimport NumberedTexts
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS

from fastbleu.inputs._column import rebuild


cdef enum:
    MANY_PAIRS = 1 << 16
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

    def __cinit__(self, formula not None, size_t vocabulary, int direction, stopped):
        memset(&self.search, 0, sizeof(Search))
        self.pairs = PairsHolder(formula)
        self.stopped = Int64Buffer(stopped, "stopped", 1, False)
        self.search.stopped = self.stopped.data
        self.search.bounds.direction = direction
        self.search.bounds.pairs = &self.pairs.pairs
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
        cdef Pairs* pairs = &self.pairs.pairs
        begin_query(&self.search.query, tokens, length)
        if self.search.is_counted:
            count_matches(pairs, pairs.index.places[query], length > SHORT_TEXT, 0)
        return 0

    cdef int search_for(self, const TextLists* lists, size_t text) except -1 nogil:
        """Searches a part for texts like one of them. The part and the floor are always the same."""
        cdef Search* search = &self.search
        search.at_query = <int64_t>text
        self.begin(lists.tokens + lists.starts[text], lists.starts[text + 1] - lists.starts[text], text)
        search_part(search, lists, 0)
        end_query(&search.query)
        return 0

    cdef void begin_all(self, double at_least) noexcept:
        """Begins to look for all texts that reach a score."""
        cdef Search* search = &self.search
        search.k = search.n_found = search.work = 0
        search.floor = at_least
        search.is_counted = False

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

    def find_pairs(self, Part part not None, size_t start, size_t stop, double at_least, done):
        """Finds the pairs that reach a score: of some texts with those after them, in the order of their lengths.

        Args:
            part: The texts.
            start: The first text.
            stop: One after the last.
            at_least: The score.
            done: int64 [texts]: 1 is written for texts whose pairs have been found with those of an equal text; they
                are left out.

        Returns:
            bytes of records: the numbers of both texts, the lower one first, int64, and the score, float64; and the
            text after the last one that was compared, which is `stop` unless there are many pairs.
        """
        cdef Int64Buffer flags = Int64Buffer(done, "done", 1, True)
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t text = start, before
        cdef int64_t first, second
        stop = min(stop, <size_t>flags.rows)
        self.begin_all(at_least)
        while text < stop and search.n_found < MANY_PAIRS:
            if is_slow(
                    search, text - start, stop - text, lists.starts[stop] - lists.starts[text], lists.texts - text,
                    lists.starts[lists.texts] - lists.starts[text]):
                self.count_all([part], None, 0, 0)
            if not flags.data[text]:
                search.least = text + 1
                before = search.n_found
                with nogil:
                    self.search_for(lists, text)
                add_equal_ones(search, lists, before, stop, flags.data)
            text += 1
        for before in range(search.n_found):
            first, second = lists.order[search.found[before].first], lists.order[search.found[before].second]
            search.found[before].first, search.found[before].second = min(first, second), max(first, second)
        return PyBytes_FromStringAndSize(<char*>search.found, search.n_found * sizeof(Pair)), text

    def keep_first(self, Part part not None, texts, double at_least, left_out):
        """Decides of some texts, in the order in which they came, whether they are kept.

        Args:
            part: The texts.
            texts: int64: which of them.
            at_least: A text is left out if a text that is kept before it reaches this score with it.
            left_out: int64 [texts of the part]: 1 where that is known; 2 is written for texts that are kept.
        """
        cdef Int64Buffer places = Int64Buffer(texts, "texts", 1, False)
        cdef Int64Buffer flags = Int64Buffer(left_out, "left_out", 1, True)
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t i, n = <size_t>places.rows, text, tokens = lists.starts[lists.texts], found
        if <size_t>flags.rows != lists.texts:
            raise ValueError(f"left_out must have {lists.texts} numbers")
        self.begin_all(at_least)
        search.left_out = flags.data
        for i in range(n):
            text = <size_t>places.data[i]
            if flags.data[text]:
                continue
            if is_slow(
                    search, i, n - i, tokens * (n - i) // lists.texts, lists.texts, tokens):
                self.count_all([part], None, 0, 0)
            flags.data[text] = 2
            with nogil:
                self.search_for(lists, text)
            for found in range(search.n_found):
                flags.data[search.found[found].second] = 1
            search.n_found = 0
        search.left_out = NULL
