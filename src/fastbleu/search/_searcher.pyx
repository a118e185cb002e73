"""Searches, as Python calls them."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.rerank._score_by_length cimport begin_tables
from fastbleu.scoring._formula cimport CompiledFormula
from fastbleu.scoring.nltk._formula cimport CompiledNLTKFormula
from fastbleu.search._bounds cimport KEPT_LENGTHS
from fastbleu.search._lists cimport Part, TextLists
from fastbleu.search._query cimport begin_matching, begin_query, end_query
from fastbleu.search._search cimport (
    ALL,
    ANY,
    NOT_KEPT,
    Pair,
    Range,
    Search,
    begin_best,
    free_search,
    search_part,
    take_best,
)
from fastbleu.search._vocabulary cimport NumberedTexts


cdef enum:
    MANY_PAIRS = 1 << 16


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

        Raises:
            ValueError: The file of a part was changed.
        """
        cdef Int64Buffer found = Int64Buffer(indices, "indices", 2, True)
        cdef Float64Buffer found_scores = Float64Buffer(scores, "scores", 2, True)
        cdef Search* search = &self.search
        cdef size_t query, start = 0, k = <size_t>found.columns
        cdef int64_t base
        cdef Part part
        if <size_t>found.rows != queries.texts or found_scores.rows != found.rows or (
                found_scores.columns != found.columns or k == 0):
            raise ValueError(f"indices and scores must have the same shape, with {queries.texts} rows")
        for part in parts:
            part.check()
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

    def find_pairs(self, Part part not None, size_t start, size_t stop, double at_least):
        """Finds the pairs that reach a score: of some texts with those after them, in the order of their lengths.

        Args:
            part: The texts.
            start: The first text.
            stop: One after the last.
            at_least: The score.

        Returns:
            bytes of records: both texts in that order, int64, and the score, float64; and the text after the last one
            that was compared, which is `stop` unless there are many pairs.
        """
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t text = start
        search.wanted = ALL
        search.floor = at_least
        search.n_found = 0
        with nogil:
            while text < min(stop, lists.texts) and search.n_found < MANY_PAIRS:
                search.at_query = text
                search.least = text + 1
                search_for(search, lists, text)
                text += 1
        return PyBytes_FromStringAndSize(<char*>search.found, search.n_found * sizeof(Pair)), text

    def keep_first(self, Part part not None, double at_least, size_t start, size_t stop, places, kept):
        """Decides of some texts, in the order in which they came, whether they are kept.

        Args:
            part: The texts, equal ones once.
            at_least: A text is left out if a text that is kept before it reaches this score with it.
            start: The first text. All before it must have been decided by this searcher.
            stop: One after the last.
            places: int64 [N]: which text of the part each text is, equal ones too.
            kept: int64 [N]: 1 is written for texts that are kept, and 0 for the others.
        """
        cdef Int64Buffer distinct = Int64Buffer(places, "places", 1, False), flags = Int64Buffer(kept, "kept", 1, True)
        cdef Search* search = &self.search
        cdef const TextLists* lists = &part.lists
        cdef size_t i, text
        if distinct.rows != flags.rows or stop > <size_t>flags.rows:
            raise ValueError(f"places and kept must have the same shape, with {stop} numbers at least")
        search.wanted = ANY
        search.floor = at_least
        with nogil:
            if search.part != lists:
                reserve(<void**>&search.first_kept, lists.texts, sizeof(uint32_t))
                memset(search.first_kept, 0xff, lists.texts * sizeof(uint32_t))
            for i in range(start, stop):
                text = <size_t>distinct.data[i]
                search.at_query = i
                search.is_found = False
                search_for(search, lists, text)
                flags.data[i] = not search.is_found
                if not search.is_found and search.first_kept[text] == <uint32_t>NOT_KEPT:
                    search.first_kept[text] = <uint32_t>i
        search.is_found = False
