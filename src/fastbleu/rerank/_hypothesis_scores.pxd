"""Score one hypothesis of a pool against all references of the pool, and cache scores for later hypotheses."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._pair_index cimport PairIndex
from fastbleu.rerank._score_by_length cimport Tables
from fastbleu.scoring._formula cimport ExactSum

cdef struct CachedScore:
    uint32_t packed              # Number of matches at each of up to four orders, a byte per order.
    uint32_t length              # Number of tokens of the hypothesis; 0 if this slot of the cache is empty.
    double score                 # Score without brevity penalty.


cdef struct Chrf:
    # The options of chrF, as in `CHRFFormula`.
    size_t char_order
    size_t word_order
    double factor
    bint eps_smoothing


cdef struct Pairs:
    PairIndex index              # Index of the current pool.
    PairIndex second_index       # Second index for chrF, of words or characters; it must be at `&index + 1`.
    Tables tables                # Look-up tables of the formula.
    # Growable buffers, all of which the destructor of PairScorer frees.
    uint8_t* counts              # [orders][width]: matches of the current hypothesis with each reference.
    uint32_t* counts_32          # [orders][width]: used instead of `counts` if matches may not fit in a byte.
    int64_t* row                 # Sufficient statistics of one pair, for formulas without tables.
    uint32_t* reference_lengths  # [n_reference_lengths]: the different lengths of references, in tokens.
    double* penalties            # Brevity penalty by reference length, for hypotheses of `penalized` tokens.
    CachedScore* cache           # Cache of scores of hypotheses of up to SHORT_TEXT tokens.
    CachedScore* exchanged_cache  # Cache of scores of references as hypotheses, for `score_exchanged`.
    uint32_t* packed             # Matches of the current hypothesis with each reference, a byte per order.
    double* scores               # [width]: scores of the current hypothesis against each distinct reference.
    double* chrf_row             # Sufficient statistics of one pair, for chrF.
    ExactSum* sums               # In _expected_scores: weighted sum of the scores of each distinct hypothesis.
    double* own_scores           # In _expected_scores: score of each distinct hypothesis against itself.
    ExactSum* weights            # In _expected_scores: sum of the weights of the references equal to each distinct one.
    # End of the growable buffers.
    Chrf chrf                    # The options of chrF.
    bint is_chrf                 # True if the formula is chrF.
    int parts                    # Number of indexes in use: 1, or 2 for chrF with characters and words.
    bint words_first             # True if `index` counts words.
    void* scorer                 # The PairScorer that owns this struct.
    size_t n_counts              # Length of `counts`: orders * width, summed over the indexes in use.
    size_t since_signal_check    # Number of pairs scored since the last check for signals.
    size_t n_reference_lengths   # Number of different lengths of references.
    int64_t penalized            # Length of the hypotheses for which `penalties` was computed, or -1.
    # Lowest order, from 0, at which a pair that shares a token has no match. Equals the number of orders if there is no
    # such pair, and 0 if such orders are not recorded.
    int unmatched_order


cdef class PairScorer:
    cdef Pairs pairs
    cdef object formula
    cdef dict python_scores      # Cached scores, without brevity penalty, that Python computed.
    cdef int unmatched(self) noexcept


cdef int read_pairs(
    Pairs* pairs, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil
cdef int prepare_pool(Pairs* pairs) except -1 nogil
cdef int score_hypothesis(Pairs* pairs, size_t hypothesis, size_t first) except -1 nogil
cdef int score_exchanged(Pairs* pairs, size_t hypothesis) except -1 nogil
