"""The scores of one hypothesis against all references of its pool, and the state kept between hypotheses."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._pair_index cimport PairIndex
from fastbleu.rerank._score_by_length cimport Tables
from fastbleu.scoring._formula cimport ExactSum

cdef struct CachedScore:
    uint32_t packed              # Matches of up to four orders, a byte each.
    uint32_t length              # Tokens of the hypothesis; 0: this slot is empty.
    double score                 # Score without brevity penalty.


cdef struct Chrf:
    # The options of chrF.
    size_t char_order
    size_t word_order
    double factor
    bint eps_smoothing


cdef struct Pairs:
    PairIndex index              # Index of the current pool.
    PairIndex second_index       # Must follow `index`: chrF may index characters in one of the two, words in the other.
    Tables tables
    # Buffers.
    uint8_t* counts              # [orders][width]: matches of the current hypothesis.
    uint32_t* wide_counts        # [orders][width]: the same for counts that may not fit into bytes.
    int64_t* row                 # Statistics of a pair for formulas without tables, with `max_orders` matches.
    uint32_t* reference_lengths  # The distinct lengths of references.
    double* penalties            # Brevity penalty by reference length, for hypotheses of `penalized` tokens.
    CachedScore* cache           # Scores of short hypotheses by their counts.
    CachedScore* exchanged_cache  # The same for references as hypotheses, which have different lengths.
    uint32_t* packed             # Matches of the current hypothesis, a byte for each order.
    double* scores               # Scores of the current hypothesis against each distinct reference.
    double* chrf_row             # Statistics of a pair for chrF.
    ExactSum* sums               # For _expected_scores: weighted sum of scores of each distinct hypothesis.
    double* own_scores           # For _expected_scores: score of each distinct hypothesis against itself.
    ExactSum* weights            # For _expected_scores: weight of each distinct reference.
    # The fields below are not buffers.
    Chrf chrf                    # Without any order, the formula of `tables` scores.
    int parts                    # Number of indexes in use, 1 or 2; both have the same distinct texts.
    bint words_first             # True if `index` is of words.
    void* holder                 # The PairsHolder that owns this struct.
    size_t since_signal_check    # Pairs scored since the last check for signals.
    size_t n_reference_lengths
    int64_t penalized            # Length of the hypotheses that `penalties` was computed for, or -1.
    # Lowest order, from 0, at which a pair with a matching token has no match. N if there is none; 0 if not recorded.
    int unmatched_order


cdef class PairsHolder:
    cdef Pairs pairs
    cdef object formula
    cdef dict python_scores      # Scores without brevity penalty that Python computed, by length and counts.
    cdef int unmatched(self) noexcept


cdef int read_pairs(
    Pairs* pairs, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil
cdef int prepare_pool(Pairs* pairs) except -1 nogil
cdef int score_hypothesis(Pairs* pairs, size_t hypothesis, size_t first) except -1 nogil
cdef int score_exchanged(Pairs* pairs, size_t hypothesis) except -1 nogil
