"""The score of a pair of texts, and the highest one that it can have if few of their matches are known.

Let m_n be the clipped matches of order n: over all n-grams, the sum of the smaller count of the two texts.

1. m_n <= m_(n-1). The n-grams that begin with the (n-1)-gram p are at most as many as p in each text, so their clipped
   matches, too, are together at most those of p; and each n-gram begins with one (n-1)-gram.
2. If no (n-1)-gram comes twice in one of the two texts, m_n <= m_(n-1) - 1 unless m_n is 0. There the matched n-grams
   stand at distinct places s, and the matched (n-1)-grams include those at the places s and s + 1, which are one more.
   "a b a" and "b a b" have 2 tokens and 2 pairs in common: without the condition it would be false.
3. An order adds the logarithm of its precision to the score, by its matches alone where it has any: the more, the
   higher. Without a match it adds what the smoothing method gives, which depends on how many orders before had none,
   and falls with them. It may be more than one match gives (floor with a value above 1). So the largest of both
   stands for an order that may have a match, and the first unmatched entry for all that may have none.
4. The brevity penalty is known from the lengths.

So the score is at most the product of what order 1 gives for its matches, what the longer orders give for the matches
of pairs by 1 and 2, and the penalty. A factor makes up for rounding, which may differ in the last digits.

Formulas without tables (`rerank._score_by_length`) have no bound: every pair may have any score.
"""

from libc.math cimport INFINITY, exp
from libc.stddef cimport size_t
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release_all, reserve
from fastbleu.rerank._hypothesis_scores cimport Pairs, lacks_trigram, score_row_of
from fastbleu.rerank._score_by_length cimport log_of, orders_of, penalty_of, score_counts
from fastbleu.scoring._formula cimport LOG_OF_ZERO

# Far more than rounding can change, and far less than anyone asks for.
cdef double ROUNDING = 1 + 1e-9
# In place of a factor that is too small for a float, while the product with the other one is not.
cdef double LEAST = 1e-300


cdef void free_bounds(Bounds* bounds) noexcept nogil:
    release_all(<void**>bounds.kept, <void**>&bounds.end)


cdef inline double as_factor(double log) noexcept nogil:
    return ROUNDING * exp(log) + LEAST if log > LOG_OF_ZERO / 2 else 0.0


cdef double of_tokens(const Bounds* bounds, size_t length, size_t matches) noexcept nogil:
    """The factor of order 1."""
    cdef double largest, divisor, log
    if orders_of(&bounds.pairs.tables, length, &largest, &divisor) == 0:
        return 0.0
    log = log_of(&bounds.pairs.tables, largest, 0, length, 0, 1)
    if matches:
        log = max(log, log_of(&bounds.pairs.tables, largest, 0, length, matches, 0))
    return as_factor(log / divisor)


cdef double of_pairs(const Bounds* bounds, size_t length, size_t matches, bint distinct) noexcept nogil:
    """The factor of all longer orders."""
    cdef double largest, divisor, log, sum = 0.0
    cdef int n, unmatched = 0, orders = orders_of(&bounds.pairs.tables, length, &largest, &divisor)
    for n in range(1, orders):
        matches = min(matches, length - <size_t>n) if length > <size_t>n else 0
        unmatched += matches == 0
        log = log_of(&bounds.pairs.tables, largest, n, length, 0, max(1, unmatched))
        if matches:
            log = max(log, log_of(&bounds.pairs.tables, largest, n, length, matches, 0))
            matches -= distinct
        if log <= LOG_OF_ZERO / 2:
            return 0.0
        sum += log
    return as_factor(sum / divisor) if orders else 0.0


cdef int keep(Bounds* bounds, size_t length) except -1 nogil:
    cdef size_t matches, width = length + 1
    cdef int distinct
    reserve(<void**>&bounds.kept[length], 3 * width, sizeof(double))
    for matches in range(width):
        bounds.kept[length][matches] = of_tokens(bounds, length, matches)
        for distinct in range(2):
            bounds.kept[length][(<size_t>distinct + 1) * width + matches] = of_pairs(bounds, length, matches, distinct)
    return 0


cdef double highest(Bounds* bounds, size_t length, size_t tokens, size_t pairs, bint distinct) except -1 nogil:
    """The highest score without brevity penalty of a hypothesis of this length."""
    if length >= KEPT_LENGTHS:
        return of_tokens(bounds, length, tokens) * of_pairs(bounds, length, pairs, distinct)
    if bounds.kept[length] == NULL:
        keep(bounds, length)
    return bounds.kept[length][tokens] * bounds.kept[length][(<size_t>distinct + 1) * (length + 1) + pairs]


cdef double score_one_way(
    Bounds* bounds, size_t length, size_t reference_length, const int64_t* matches
) except? -1 nogil:
    """The score of a hypothesis and its reference, by their lengths and matches: the float of `pairwise`."""
    cdef Pairs* pairs = bounds.pairs
    if pairs.tables.usable:
        return score_counts(&pairs.tables, length, matches) * penalty_of(length, reference_length)
    memcpy(pairs.row + 2, matches, <size_t>pairs.index.most_orders * sizeof(int64_t))
    if lacks_trigram(pairs):
        with gil:
            raise ValueError("two texts have tokens in common, but no trigram, which smoothing='method6' needs")
    return score_row_of(pairs, length, reference_length)


cdef inline double combine(int direction, double forward, double backward) noexcept nogil:
    """The score of a pair in one direction or both."""
    if direction == HIGHER:
        return max(forward, backward)
    if direction == MEAN:
        return (forward + backward) / 2
    if direction == LOWER:
        return min(forward, backward)
    if direction == HARMONIC:
        return 2 * forward * backward / (forward + backward) if forward + backward > 0 else 0.0
    return forward if direction == FORWARD else backward


cdef double score(Bounds* bounds, size_t query, size_t text, const int64_t* matches) except? -1 nogil:
    """The score of a query and a text, by their lengths and matches."""
    cdef double forward = 0.0, backward = 0.0
    if bounds.direction != BACKWARD:
        forward = score_one_way(bounds, query, text, matches)
    if bounds.direction != FORWARD:
        backward = score_one_way(bounds, text, query, matches)
    return combine(bounds.direction, forward, backward)


cdef double bound(
    Bounds* bounds, size_t query, size_t text, size_t tokens, size_t pairs, bint distinct
) except? -1 nogil:
    """The highest score of a query and a text, in which so much can match.

    Args:
        bounds: The formula, the direction, and what is kept.
        query: Its tokens.
        text: Its tokens.
        tokens: How many of them may match.
        pairs: How many pairs of neighbouring tokens may match.
        distinct: Whether no pair comes twice in one of the two texts.
    """
    cdef double forward = 0.0, backward = 0.0
    if not bounds.pairs.tables.usable:
        return INFINITY
    tokens = min(tokens, min(query, text))
    pairs = min(pairs, tokens)
    if bounds.direction != BACKWARD:
        forward = penalty_of(query, text) * highest(bounds, query, tokens, pairs, distinct)
    if bounds.direction != FORWARD:
        backward = penalty_of(text, query) * highest(bounds, text, tokens, pairs, distinct)
    return combine(bounds.direction, forward, backward)
