"""Score one hypothesis of a pool against every reference as its only reference.

`_pair_index` counts the matches with all references at once. `_score_by_length` has tables of logarithms, so that the
score of a pair is the exponential of a sum of table entries. chrF, and formulas without tables, are computed for each
pair. For chrF the texts have two indexes, one of characters and one of words.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, fb_handle_signals
from fastbleu.inputs._column cimport View
from fastbleu.rerank._pair_index cimport PairIndex, build_index, count_index_matches, free_pair_index, read_pair_texts
from fastbleu.rerank._pool_ngrams cimport Pool
from fastbleu.rerank._score_by_length cimport (
    MAX_TABLE_ORDERS,
    SHORT_TEXT,
    LengthTable,
    Tables,
    init_tables,
    free_tables,
    mean_of_logs,
    penalty_of,
    score_counts,
    table_of,
)
from fastbleu.scoring._formula cimport CompiledFormula, score_row
from fastbleu.scoring.nltk._nltk_formula cimport CompiledNLTKFormula
from fastbleu.tokenizers._tokenize cimport TOKENIZE_CHAR, TOKENIZE_CHRF_WORDS

cdef extern from "counting/chrf_score.h" nogil:
    double fb_chrf_score(const double* row, size_t orders, double factor, bint eps_smoothing)

cdef enum:
    MAX_CACHED = 1 << 16         # Largest number of scores computed by Python that are cached.
    MIN_PACKED = 48              # Cache scores only for at least this many references: fewer seldom have equal counts.
    MAX_PACKED_ORDERS = 4        # Largest number of orders whose matches fit in 32 bits, a byte per order.
    CACHE_BITS = 12              # The number of slots of `cache` is 2^CACHE_BITS; they take 64 kB.
    # The number of slots of `exchanged_cache` is 2^EXCHANGED_CACHE_BITS; they take 256 kB. This cache needs more slots
    # than `cache`, because it is for references that are scored as hypotheses, and these have many lengths.
    EXCHANGED_CACHE_BITS = 14
    METHOD_6 = 6                 # Number of the NLTK smoothing method that needs a trigram match.


class NoTrigramError(ValueError):
    """Raised for a pair that NLTK's smoothing method 6 cannot score: a token matches, but no trigram.

    The arguments are the index of the hypothesis in its pool, the index of the reference in its pool and, if several
    pools are scored, the index of the pool.
    """


cdef inline bint needs_32_bits(const Pairs* pairs, size_t hypothesis) noexcept nogil:
    """Return whether a hypothesis is so long that its numbers of matches may not fit in bytes."""
    return max(pairs.index.pool.lengths[hypothesis],
               (&pairs.index + pairs.parts - 1).pool.lengths[hypothesis]) > <uint32_t>SHORT_TEXT


cdef inline uint32_t count_at(const Pairs* pairs, bint use_32_bits, int n, size_t j) noexcept nogil:
    """Return the number of (n + 1)-grams of the current hypothesis that match in reference j."""
    cdef size_t cell = <size_t>n * pairs.index.width + j
    return pairs.counts_32[cell] if use_32_bits else pairs.counts[cell]


cdef inline uint32_t slot_of(uint32_t packed, uint32_t length, int bits) noexcept nogil:
    """Return the cache slot of packed counts and a length, by Fibonacci hashing."""
    return <uint32_t>((packed ^ length * <uint32_t>0x85EBCA6B) * <uint32_t>0x9E3779B1) >> (32 - bits)


cdef void free_pairs(Pairs* pairs) noexcept nogil:
    free_pair_index(&pairs.index)
    free_pair_index(&pairs.second_index)
    free_tables(&pairs.tables)
    release_all(<void**>&pairs.counts, <void**>&pairs.chrf, 13)


cdef int read_pairs(
    Pairs* pairs, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil:
    """Read the texts of a pool into one index; for chrF with characters and words, into one index of each.

    The arguments are those of `read_pair_texts`. For chrF, `tokenizer` is the tokenizer of characters.
    """
    cdef const Chrf* chrf = &pairs.chrf
    cdef const uint32_t* distinct = NULL
    cdef bint words
    cdef int part
    # Texts that are equal in the first index are stored only once in both, so they must be equal in the second as well.
    # If white space is ignored, texts with equal words have equal characters, so words are first. Otherwise texts with
    # equal characters have equal words, so characters are first.
    pairs.words_first = chrf.word_order > 0 and (chrf.char_order == 0 or tokenizer == TOKENIZE_CHAR)
    pairs.parts = 2 if chrf.char_order and chrf.word_order else 1
    for part in range(pairs.parts):
        words = pairs.words_first != (part > 0)
        if pairs.is_chrf:
            (&pairs.index + part).max_orders = <int>(chrf.word_order if words else chrf.char_order)
        read_pair_texts(
            &pairs.index + part, TOKENIZE_CHRF_WORDS if words else tokenizer, hypotheses, start, stop, references,
            reference_start, reference_stop, distinct)
        distinct = pairs.index.distinct
    return 0


cdef int prepare_pool(Pairs* pairs) except -1 nogil:
    """Index the pool that `read_pairs` has read, reserve memory for its scores, and find the lengths of references."""
    cdef PairIndex* index = &pairs.index
    cdef size_t text, orders = 0
    cdef uint32_t longest = 0, length
    cdef int part
    for part in range(pairs.parts):
        build_index(index + part)
        orders += <size_t>(index + part).orders
    for text in range(index.pool.texts):
        longest = max(longest, index.pool.lengths[text])
    pairs.n_counts = orders * index.width
    reserve(<void**>&pairs.counts, pairs.n_counts, 1)
    reserve(<void**>&pairs.scores, index.width, sizeof(double))
    reserve(<void**>&pairs.penalties, <size_t>longest + 1, sizeof(double))
    reserve(<void**>&pairs.reference_lengths, <size_t>longest + 1, sizeof(uint32_t))
    memset(pairs.penalties, 0, (<size_t>longest + 1) * sizeof(double))
    pairs.n_reference_lengths = 0
    pairs.penalized = -1
    for text in range(0 if index.shared else index.hypotheses, index.pool.texts):
        length = index.pool.lengths[text]
        if pairs.penalties[length] == 0.0:
            pairs.penalties[length] = 1.0
            pairs.reference_lengths[pairs.n_reference_lengths] = length
            pairs.n_reference_lengths += 1
    return 0


cdef int count_matches(Pairs* pairs, size_t hypothesis, bint use_32_bits, size_t first) except -1 nogil:
    """Count the matches of one hypothesis with each reference from `first` on, into `counts` or `counts_32`."""
    cdef size_t counts = 0
    cdef int part
    if use_32_bits:
        reserve(<void**>&pairs.counts_32, pairs.n_counts, sizeof(uint32_t))
        memset(pairs.counts_32, 0, pairs.n_counts * sizeof(uint32_t))
    for part in range(pairs.parts):
        count_index_matches(
            &pairs.index + part, hypothesis, first, pairs.counts + counts,
            pairs.counts_32 + counts if use_32_bits else NULL)
        counts += <size_t>(&pairs.index + part).orders * pairs.index.width
    return 0


cdef int score_rows(Pairs* pairs, size_t hypothesis, bint use_32_bits, size_t first, bint exchanged) except -1 nogil:
    """Score one hypothesis by sacreBLEU's or NLTK's formula; the arguments are those of `score_pair_by_pair`."""
    cdef PairIndex* index = &pairs.index
    cdef const Tables* tables = &pairs.tables
    cdef const uint32_t* lengths = index.pool.lengths
    cdef int64_t* row = pairs.row
    cdef size_t j, before = 0 if index.shared else index.hypotheses
    cdef int64_t length, reference_length
    cdef int n, orders
    for j in range(first, index.references):
        length, reference_length = lengths[hypothesis], lengths[before + j]
        if exchanged:
            length, reference_length = reference_length, length
        for n in range(index.max_orders):
            row[2 + n] = count_at(pairs, use_32_bits, n, j) if n < index.orders else 0
        if tables.formula == NULL:
            if tables.nltk.method == METHOD_6 and row[2] != 0 and row[4] == 0:
                with gil:
                    raise no_trigram(pairs, hypothesis, j)
            row[1] = length
            pairs.scores[j] = score_in_python(pairs) * penalty_of(length, reference_length) if row[2] else 0.0
            continue
        if row[0] != length:
            orders = tables.formula.order
            for n in range(orders):
                row[2 + orders + n] = max(<int64_t>0, length - n)
        row[0], row[1] = length, reference_length
        pairs.scores[j] = score_row(tables.formula, row)
    return 0


cdef int score_chrf(Pairs* pairs, size_t hypothesis, bint use_32_bits, size_t first, bint exchanged) except -1 nogil:
    """Score one hypothesis by chrF; the arguments are those of `score_pair_by_pair`."""
    cdef const Chrf* chrf = &pairs.chrf
    cdef const PairIndex* index
    cdef size_t j, orders = chrf.char_order + chrf.word_order
    cdef int64_t n, length, reference_length
    cdef int part, counted
    cdef double* row
    reserve(<void**>&pairs.chrf_row, 3 * orders, sizeof(double))
    for j in range(first, pairs.index.references):
        counted = 0
        for part in range(pairs.parts):
            index = &pairs.index + part
            row = pairs.chrf_row
            if pairs.words_first != (part > 0):
                row += 3 * chrf.char_order
            length = index.pool.lengths[hypothesis]
            reference_length = index.pool.lengths[j + (0 if index.shared else index.hypotheses)]
            if exchanged:
                length, reference_length = reference_length, length
            for n in range(index.max_orders):
                row[3 * n] = <double>(length - n) if length > n and reference_length > n else 0.0
                row[3 * n + 1] = <double>(reference_length - n) if reference_length > n else 0.0
                row[3 * n + 2] = count_at(pairs, use_32_bits, counted + <int>n, j) if n < index.orders else 0.0
            counted += index.orders
        pairs.scores[j] = fb_chrf_score(pairs.chrf_row, orders, chrf.factor, chrf.eps_smoothing)
    return 0


cdef double score_in_python(Pairs* pairs) except? -1 with gil:
    """Compute or look up NLTK's score without penalty, from the length (row[1]) and the matches of the hypothesis."""
    cdef PairScorer scorer = <PairScorer>pairs.scorer
    cdef dict scores = scorer.python_scores
    cdef int n, counted = pairs.index.max_orders
    key = PyBytes_FromStringAndSize(<char*>(pairs.row + 1), (1 + counted) * sizeof(int64_t))
    score = scores.get(key)
    if score is None:
        if len(scores) >= MAX_CACHED:
            scores.clear()
        matches = []
        for n in range(counted):
            matches.append(pairs.row[2 + n])
        score = scorer.formula.unpenalised(matches, pairs.row[1])
        scores[key] = score
    return score


cdef no_trigram(Pairs* pairs, size_t hypothesis, size_t reference):
    """Return the error for a pair of distinct texts, with the indexes of their first occurrences in the pool."""
    cdef const uint32_t* distinct = pairs.index.distinct
    cdef size_t i = 0, j = 0
    while distinct[i] != hypothesis:
        i += 1
    distinct += pairs.index.first_reference
    while distinct[j] != reference:
        j += 1
    return NoTrigramError(i, j)


cdef void find_penalties(Pairs* pairs, uint32_t length, bint exchanged) noexcept nogil:
    """Compute the brevity penalty for each reference length; if `exchanged`, that of references as hypotheses."""
    cdef size_t k
    cdef uint32_t reference_length
    if pairs.penalized == <int64_t>length and not exchanged:
        return
    for k in range(pairs.n_reference_lengths):
        reference_length = pairs.reference_lengths[k]
        pairs.penalties[reference_length] = (
            penalty_of(reference_length, length) if exchanged else penalty_of(length, reference_length))
    pairs.penalized = -1 if exchanged else <int64_t>length


cdef inline double add_logs(Pairs* pairs, bint use_32_bits, size_t j, const LengthTable* table) except? -1 nogil:
    """Return the score of the current hypothesis against reference j, without brevity penalty, from a table."""
    cdef double terms[MAX_TABLE_ORDERS]
    cdef int64_t count, unmatched = 0
    cdef int n
    for n in range(table.orders):
        count = count_at(pairs, use_32_bits, n, j)
        # In the table, the logarithm of the k-th order without a match is at the index -k.
        unmatched += count == 0
        terms[n] = table.logs[n][count - unmatched]
    return mean_of_logs(terms, table.orders, table.divisor, pairs.tables.summation)


cdef int pack_counts(Pairs* pairs, int orders, size_t first) except -1 nogil:
    """Pack the matches of one hypothesis with each reference from `first` on into 32 bits, a byte per order."""
    cdef const uint8_t* counts[MAX_PACKED_ORDERS]
    cdef uint32_t* packed
    cdef size_t j
    cdef int n
    reserve(<void**>&pairs.packed, pairs.index.width, sizeof(uint32_t))
    packed = pairs.packed
    for n in range(MAX_PACKED_ORDERS):
        # If there are fewer orders, repeat the matches of the last one.
        counts[n] = pairs.counts + <size_t>min(n, orders - 1) * pairs.index.width + first
    for j in range(pairs.index.references - first):
        packed[j] = (counts[0][j] | <uint32_t>counts[1][j] << 8 | <uint32_t>counts[2][j] << 16
                     | <uint32_t>counts[3][j] << 24)
    return 0


cdef int score_packed(Pairs* pairs, uint32_t length, size_t first, const LengthTable* table) except -1 nogil:
    """Score one hypothesis against the references from `first` on, without brevity penalty, using the cache."""
    cdef PairIndex* index = &pairs.index
    cdef uint32_t* packed
    cdef CachedScore* slot
    cdef size_t j
    # A score depends only on the matches and the length, so cached scores are valid for all pools, and the cache is
    # cleared only when its memory is allocated.
    reserve_cleared(<void**>&pairs.cache, 1 << CACHE_BITS, sizeof(CachedScore))
    pack_counts(pairs, table.orders, first)
    packed = pairs.packed
    for j in range(first, index.references):
        slot = &pairs.cache[slot_of(packed[j - first], length, CACHE_BITS)]
        if slot.packed != packed[j - first] or slot.length != length:
            slot.packed = packed[j - first]
            slot.length = length
            slot.score = add_logs(pairs, False, j, table)
        pairs.scores[j] = slot.score
    return 0


cdef void record_unmatched_order(Pairs* pairs, bint use_32_bits, size_t first) noexcept nogil:
    """Lower `unmatched_order` if a pair of the current hypothesis has no match at a lower order.

    Pairs in which no token matches are ignored, because NLTK gives them the score 0 without a warning.
    """
    cdef size_t j
    cdef int n
    for n in range(1, pairs.unmatched_order):
        for j in range(first, pairs.index.references):
            if count_at(pairs, use_32_bits, 0, j) > 0 and (
                    n >= pairs.index.orders or count_at(pairs, use_32_bits, n, j) == 0):
                pairs.unmatched_order = n
                return


cdef int score_pair_by_pair(
    Pairs* pairs, size_t hypothesis, bint use_32_bits, size_t first, bint exchanged
) except -1 nogil:
    """Score one hypothesis by chrF or another formula without tables; its matches must have been counted.

    Args:
        pairs: The pool; the scores are written to `pairs.scores`.
        hypothesis: The number of the distinct hypothesis.
        use_32_bits: Whether the matches are in `counts_32`.
        first: The first reference to score.
        exchanged: Whether to score the references against the hypothesis as their only reference.
    """
    if pairs.is_chrf:
        return score_chrf(pairs, hypothesis, use_32_bits, first, exchanged)
    if pairs.tables.formula == NULL:
        with gil:
            return score_rows(pairs, hypothesis, use_32_bits, first, exchanged)
    return score_rows(pairs, hypothesis, use_32_bits, first, exchanged)


cdef int score_hypothesis(Pairs* pairs, size_t hypothesis, size_t first) except -1 nogil:
    """Score one distinct hypothesis against each distinct reference from `first` on; write to `pairs.scores`."""
    cdef PairIndex* index = &pairs.index
    cdef Pool* pool = &index.pool
    cdef size_t j, before = 0 if index.shared else index.hypotheses, references = index.references - first
    cdef uint32_t length = pool.lengths[hypothesis]
    cdef bint use_32_bits = needs_32_bits(pairs, hypothesis)
    cdef const LengthTable* table
    count_matches(pairs, hypothesis, use_32_bits, first)
    pairs.since_signal_check += references
    if pairs.since_signal_check > STEPS_PER_CHECK:
        pairs.since_signal_check = 0
        fb_handle_signals()
    if pairs.unmatched_order > 1:
        record_unmatched_order(pairs, use_32_bits, first)
    if not pairs.tables.usable:
        return score_pair_by_pair(pairs, hypothesis, use_32_bits, first, False)
    table = table_of(&pairs.tables, length)
    if table.orders == 0:
        memset(pairs.scores + first, 0, references * sizeof(double))
        return 0
    if use_32_bits or table.orders > MAX_PACKED_ORDERS or references < MIN_PACKED:
        for j in range(first, index.references):
            pairs.scores[j] = add_logs(pairs, use_32_bits, j, table)
    else:
        score_packed(pairs, length, first, table)
    find_penalties(pairs, length, False)
    for j in range(first, index.references):
        pairs.scores[j] *= pairs.penalties[pool.lengths[before + j]]
    return 0


cdef int score_exchanged(Pairs* pairs, size_t hypothesis) except -1 nogil:
    """Score each distinct reference with one distinct hypothesis as its only reference; write to `pairs.scores`.

    `score_hypothesis` must have been called for this hypothesis just before, because its matches are used again.
    """
    cdef PairIndex* index = &pairs.index
    cdef const uint32_t* lengths = index.pool.lengths + (0 if index.shared else index.hypotheses)
    cdef bint use_32_bits = needs_32_bits(pairs, hypothesis)
    cdef bint packs = not use_32_bits and index.orders <= MAX_PACKED_ORDERS
    cdef int64_t counts[MAX_TABLE_ORDERS]
    cdef CachedScore* slot = NULL
    cdef size_t j
    cdef int n
    if not pairs.tables.usable:
        return score_pair_by_pair(pairs, hypothesis, use_32_bits, 0, True)
    if packs:
        reserve_cleared(<void**>&pairs.exchanged_cache, 1 << EXCHANGED_CACHE_BITS, sizeof(CachedScore))
        pack_counts(pairs, index.orders, 0)
    find_penalties(pairs, index.pool.lengths[hypothesis], True)
    for j in range(index.references):
        if packs:
            slot = &pairs.exchanged_cache[slot_of(pairs.packed[j], lengths[j], EXCHANGED_CACHE_BITS)]
        if not packs or slot.packed != pairs.packed[j] or slot.length != lengths[j]:
            for n in range(index.orders):
                counts[n] = count_at(pairs, use_32_bits, n, j)
            pairs.scores[j] = score_counts(&pairs.tables, lengths[j], counts)
            if packs:
                slot.packed, slot.length, slot.score = pairs.packed[j], lengths[j], pairs.scores[j]
        else:
            pairs.scores[j] = slot.score
        pairs.scores[j] *= pairs.penalties[lengths[j]]
    return 0


cdef class PairScorer:
    """A Python object that owns a `Pairs`, whose memory is freed with the object.

    Args:
        formula: A `CompiledFormula`, a `CompiledNLTKFormula`, or the tuple `CHRFFormula.compiled`.

    Raises:
        TypeError: The formula has another type.
    """

    def __cinit__(self, formula not None):
        cdef CompiledFormula sacrebleu
        cdef CompiledNLTKFormula nltk
        cdef Chrf* chrf = &self.pairs.chrf
        memset(&self.pairs, 0, sizeof(Pairs))
        self.pairs.scorer = <void*>self
        self.formula = formula
        if isinstance(formula, CompiledNLTKFormula):
            nltk = formula
            self.python_scores = {}
            self.pairs.index.max_orders = nltk.formula.counted
            # Record orders without a match only for NLTK's method 0, which warns about them.
            self.pairs.unmatched_order = nltk.formula.order if nltk.formula.method == 0 else 0
            init_tables(&self.pairs.tables, NULL, &nltk.formula)
            reserve_cleared(<void**>&self.pairs.row, 2 + <size_t>nltk.formula.counted, sizeof(int64_t))
            return
        if isinstance(formula, tuple):
            self.pairs.is_chrf = True
            chrf.char_order, chrf.word_order, chrf.factor, chrf.eps_smoothing = formula
            return
        sacrebleu = formula
        self.pairs.index.max_orders = sacrebleu.formula.last_order
        init_tables(&self.pairs.tables, &sacrebleu.formula, NULL)
        reserve_cleared(<void**>&self.pairs.row, 2 + 2 * <size_t>sacrebleu.formula.order, sizeof(int64_t))

    def __dealloc__(self):
        free_pairs(&self.pairs)

    cdef int unmatched(self) noexcept:
        """Return the lowest order, from 1, about which NLTK's method 0 must warn; 0 if it must not warn."""
        cdef int order = self.pairs.unmatched_order
        if order == 0 or order == (<CompiledNLTKFormula>self.formula).formula.order:
            return 0
        return order + 1
