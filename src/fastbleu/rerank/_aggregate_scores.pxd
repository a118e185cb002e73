"""Score each candidate of a pool against all of its evidence together, as if it were one reference."""

from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._hypothesis_scores cimport Chrf
from fastbleu.rerank._pool_ngrams cimport Pool
from fastbleu.scoring._formula cimport ExactSum, Formula

cdef struct Aggregate:
    Pool pool                    # The candidates, followed by the evidence unless the candidates are the evidence.
    # Growable buffers, all of which `free_aggregate` frees.
    ExactSum* expected           # [n_ngrams + 1]: weighted count of each n-gram of the current order in the evidence.
    double* rows                 # [candidates][width]: sufficient statistics of the candidates.
    # End of the growable buffers.
    const Formula* formula       # sacreBLEU's formula, or NULL for chrF.
    Chrf chrf                    # The options of chrF, used if `formula` is NULL.
    size_t candidates            # Number of candidates, which are the first texts of the pool.
    size_t first                 # Index of the first text of the evidence; 0 if the candidates are the evidence.
    const double* weights        # Weight of each piece of evidence; NULL for equal weights.
    double weight                # Sum of the weights of the evidence.


cdef int init_aggregate(Aggregate* aggregate, formula) except -1
cdef void free_aggregate(Aggregate* aggregate) noexcept nogil
cdef int64_t score_aggregate(
    Aggregate* aggregate, int tokenizer, const View* view, int64_t start, int64_t stop,
    const View* other, int64_t other_start, int64_t other_stop, const double* weights, double* scores
) except -2 nogil
