"""The score of each candidate of a pool against all of its evidence as one reference."""

from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._hypothesis_scores cimport Chrf
from fastbleu.rerank._pool_ngrams cimport Pool
from fastbleu.scoring._formula cimport ExactSum, Formula

cdef struct Aggregate:
    Pool pool
    # Buffers.
    ExactSum* expected           # Weighted counts of the n-grams of the current order, by number.
    double* rows                 # [candidates][width]: statistics of the candidates.
    # The fields below are not buffers.
    const Formula* formula       # sacreBLEU's formula, or NULL to use chrF's.
    Chrf chrf
    size_t candidates            # Number of candidates, which are the first texts of the pool.
    size_t first                 # First text of the evidence; 0 if the candidates are their own evidence.
    const double* weights        # Weight of each piece of evidence; NULL: equal weights.
    double weight                # Sum of the weights.


cdef int begin_aggregate(Aggregate* aggregate, formula) except -1
cdef void free_aggregate(Aggregate* aggregate) noexcept nogil
cdef int64_t score_aggregate(
    Aggregate* aggregate, int tokenizer, const View* view, int64_t start, int64_t stop,
    const View* other, int64_t other_start, int64_t other_stop, const double* weights, double* scores
) except -2 nogil
