"""Searches, as Python calls them."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t
from libc.string cimport memset

from fastbleu._native.memory cimport reserve_cleared
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.rerank._score_by_length cimport begin_tables
from fastbleu.scoring._formula cimport CompiledFormula
from fastbleu.scoring.nltk._formula cimport CompiledNLTKFormula
from fastbleu.search._bounds cimport BACKWARD, FORWARD, KEPT_LENGTHS, combine
from fastbleu.search._lists cimport Part, TextLists
from fastbleu.search._query cimport begin_matching, begin_query, end_query
from fastbleu.search._search cimport (
    ALL,
    ANY,
    Pair,
    Range,
    Search,
    begin_best,
    free_search,
    put,
    search_part,
    take_best,
)
from fastbleu.search._vocabulary cimport NumberedTexts


cdef enum:
    MANY_PAIRS = 1 << 16
    LOOK = 8                     # part of the time of all pairs that is searched before the two are compared

# What the kernel for all pairs takes, in the unit of `Search.work`, about.
cdef double A_PAIR = 2, A_TOKEN_OF_A_PAIR = 0.1, A_TOKEN = 40


cdef bint is_slow(
    const Search* search, size_t done, size_t left, size_t tokens, size_t texts, size_t their_tokens
) noexcept nogil:
    """Return whether the kernel for all pairs would take less time for the queries that are left.

    Args:
        search: The searches that are done.
        done: How many.
        left: Queries that are left.
        tokens: Those of these queries.
        texts: Those that each query may be scored with.
        their_tokens: Of these texts.
    """
    cdef double pairs = <double>left * texts, spent = search.work
    pairs = A_PAIR * pairs + A_TOKEN_OF_A_PAIR * texts * tokens + A_TOKEN * (tokens + their_tokens)
    if search.bounds.direction != FORWARD and search.bounds.direction != BACKWARD:
        pairs *= 2
    return search.bounds.tables.usable and LOOK * spent > pairs and spent * left > pairs * done


cdef int search_for(Search* search, const TextLists* lists, size_t text) except -1 nogil:
    """Searches a part for texts like one of them. The part and the floor are always the same."""
    reserve_cleared(<void**>&search.ranges, 4 * KEPT_LENGTHS, sizeof(Range))
    begin_query(&search.query, lists.tokens + lists.starts[text], lists.starts[text + 1] - lists.starts[text])
    search_part(search, lists, 0)
    end_query(&search.query)
    return 0


cdef class Searcher:
    """Searches with one formula, in one thread. After an error it is not used again.

    Args:
        formula: A `CompiledFormula` or a `CompiledNLTKFormula`.
        vocabulary: How many tokens have numbers.
        direction: By its place in `_bounds.Direction`.
        stopped: int64 [1]: not 0 when searches are to end by a KeyboardInterrupt.
    """

    cdef Search search
    cdef object formula
    cdef Int64Buffer stopped
    cdef dict known

    def __cinit__(self, formula not None, size_t vocabulary, int direction, stopped):
        cdef CompiledFormula sacrebleu
        cdef CompiledNLTKFormula nltk
        cdef int orders
        memset(&self.search, 0, sizeof(Search))
        self.formula = formula
        self.known = {}
        self.stopped = Int64Buffer(stopped, "stopped", 1, False)
        self.search.stopped = self.stopped.data
        if isinstance(formula, CompiledNLTKFormula):
            nltk = formula
            orders = nltk.formula.counted
            begin_tables(&self.search.bounds.tables, NULL, &nltk.formula)
        else:
            sacrebleu = formula
            orders = sacrebleu.formula.last_order
            begin_tables(&self.search.bounds.tables, &sacrebleu.formula, NULL)
        self.search.bounds.direction = direction
        self.search.bounds.nltk = <void*>formula
        self.search.bounds.known = <void*>self.known
        begin_matching(&self.search.query, orders, vocabulary)

    def __dealloc__(self):
        free_search(&self.search)

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

        Returns:
            The query after the last one: there are more if scoring all pairs of those takes less time.

        Raises:
            ValueError: The file of a part was changed.
        """
        cdef Int64Buffer found = Int64Buffer(indices, "indices", 2, True)
        cdef Float64Buffer found_scores = Float64Buffer(scores, "scores", 2, True)
        cdef Search* search = &self.search
        cdef size_t query, start = 0, k = <size_t>found.columns, texts = 0, tokens = 0
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
        for query in range(queries.texts):
            base = 0
            begin_best(search, k, at_least)
            begin_query(&search.query, queries.numbers + start, queries.lengths[query])
            for part in parts:
                if part.lists.texts:
                    with nogil:
                        search_part(search, &part.lists, base)
                base += part.lists.texts
            end_query(&search.query)
            start += queries.lengths[query]
            take_best(search, found.data + query * k, found_scores.data + query * k)
            if is_slow(search, query + 1, queries.texts - query - 1, queries.tokens - start, texts, tokens):
                return query + 1
        return queries.texts

    def combine(self, scores, backward):
        """Makes scores of all pairs those of the direction.

        Args:
            scores: float64 [Q, T] to write to: of each query as the hypothesis of each text.
            backward: float64 [T, Q]: of each text as the hypothesis of each query.
        """
        cdef Float64Buffer ours = Float64Buffer(scores, "scores", 2, True)
        cdef Float64Buffer theirs = Float64Buffer(backward, "backward", 2, False)
        cdef Py_ssize_t query, text, place
        if theirs.rows != ours.columns or theirs.columns != ours.rows:
            raise ValueError("backward must have the shape of scores, turned")
        with nogil:
            for query in range(ours.rows):
                for text in range(ours.columns):
                    place = query * ours.columns + text
                    ours.data[place] = combine(
                        self.search.bounds.direction, ours.data[place], theirs.data[text * ours.rows + query])

    def keep_best(self, all_scores, texts, double at_least, indices, scores):
        """Puts texts whose scores are known among the best ones of each query.

        Args:
            all_scores: float64 [Q, T].
            texts: int64 [T]: their numbers.
            at_least: As for `find_best`; and so are the others.
            indices: int64 [Q, k], the best so far.
            scores: float64 [Q, k], likewise.
        """
        cdef Int64Buffer found = Int64Buffer(indices, "indices", 2, True)
        cdef Int64Buffer numbers = Int64Buffer(texts, "texts", 1, False)
        cdef Float64Buffer found_scores = Float64Buffer(scores, "scores", 2, True)
        cdef Float64Buffer known = Float64Buffer(all_scores, "all_scores", 2, False)
        cdef Search* search = &self.search
        cdef size_t query, i, k = <size_t>found.columns, n = <size_t>numbers.rows
        cdef const double* row
        if found_scores.rows != found.rows or found_scores.columns != found.columns or (
                known.rows != found.rows or known.columns != numbers.rows):
            raise ValueError("the shapes of scores and numbers differ")
        with nogil:
            for query in range(<size_t>found.rows):
                begin_best(search, k, at_least)
                for i in range(k):
                    if found.data[query * k + i] >= 0:
                        put(search, found_scores.data[query * k + i], found.data[query * k + i])
                row = known.data + query * n
                for i in range(n):
                    if row[i] >= search.floor:
                        put(search, row[i], numbers.data[i])
                take_best(search, found.data + query * k, found_scores.data + query * k)

    def find_pairs(self, Part part not None, size_t start, size_t stop, double at_least):
        """Finds the pairs that reach a score: of some texts with those after them, in the order of their lengths.

        Args:
            part: The texts.
            start: The first text.
            stop: One after the last.
            at_least: The score.

        Returns:
            bytes of records: both texts in that order, int64, and the score, float64; the text after the last one that
            was compared, which is `stop` unless there are many pairs or scoring all takes less time; and whether it
            does.
        """
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t text = start
        cdef bint slow = False
        search.wanted = ALL
        search.floor = at_least
        search.n_found = search.work = 0
        stop = min(stop, lists.texts)
        with nogil:
            while text < stop and search.n_found < MANY_PAIRS and not slow:
                search.at_query = <int64_t>text
                search.least = text + 1
                search_for(search, lists, text)
                text += 1
                slow = is_slow(
                    search, text - start, stop - text, lists.starts[stop] - lists.starts[text], lists.texts - text,
                    lists.starts[lists.texts] - lists.starts[text])
        return PyBytes_FromStringAndSize(<char*>search.found, search.n_found * sizeof(Pair)), text, slow

    def keep_first(
        self, Part part not None, double at_least, size_t start, size_t stop, size_t before, places, first_kept, kept
    ):
        """Decides of some texts, in the order in which they came, whether they are kept.

        Args:
            part: The texts, equal ones once.
            at_least: A text is left out if a text that is kept before it reaches this score with it.
            start: The first text.
            stop: One after the last.
            before: How many are kept of those before it.
            places: int64 [N]: which text of the part each text is, equal ones too.
            first_kept: int64, by text of the part: the number of the first one that is kept, N or more if none is.
            kept: int64 [N]: 1 is written for texts that are kept, and 0 for the others.

        Returns:
            The text after the last one that was decided: there are more if scoring all pairs of those takes less time.
        """
        cdef Int64Buffer distinct = Int64Buffer(places, "places", 1, False), flags = Int64Buffer(kept, "kept", 1, True)
        cdef Int64Buffer firsts = Int64Buffer(first_kept, "first_kept", 1, True)
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t i, text, length = lists.starts[lists.texts] // max(<size_t>1, lists.texts)
        if distinct.rows != flags.rows or stop > <size_t>flags.rows or <size_t>firsts.rows != lists.texts:
            raise ValueError(f"places and kept must have the same shape, with {stop} numbers at least")
        search.wanted = ANY
        search.floor = at_least
        search.first_kept = firsts.data
        search.work = 0
        with nogil:
            for i in range(start, stop):
                text = <size_t>distinct.data[i]
                search.at_query = <int64_t>i
                search.is_found = False
                search_for(search, lists, text)
                flags.data[i] = not search.is_found
                before += not search.is_found
                if not search.is_found:
                    firsts.data[text] = min(firsts.data[text], <int64_t>i)
                if is_slow(search, i + 1 - start, stop - i - 1, length * (stop - i - 1), before, length * before):
                    stop = i + 1
                    break
        search.is_found = False
        return stop
