"""The results of a search: the k best texts, or all pairs."""

from libc.math cimport NAN
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport grow


cdef inline bint is_worse(const Found* a, const Found* b) noexcept nogil:
    return a.score < b.score or a.score == b.score and a.index > b.index


cdef void sink(Found* heap, size_t n) noexcept nogil:
    """Moves the first of a heap to its place."""
    cdef size_t place = 0, child = 1
    cdef Found moved = heap[0]
    while child < n:
        if child + 1 < n and is_worse(&heap[child + 1], &heap[child]):
            child += 1
        if not is_worse(&heap[child], &moved):
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = moved


cdef void begin_best(Results* results) noexcept nogil:
    """Fills the heap with what is worse than any text."""
    cdef size_t place
    for place in range(results.k):
        results.best[place].score = -1
        results.best[place].index = -1


cdef bint put_best(Results* results, double score, int64_t index) noexcept nogil:
    """Puts a text among the k best; returns whether it belongs there."""
    cdef Found found
    found.score, found.index = score, index
    if not is_worse(&results.best[0], &found):
        return False
    results.best[0] = found
    sink(results.best, results.k)
    return True


cdef int put_pair(Results* results, int64_t one, int64_t other, double score) except -1 nogil:
    grow(<void**>&results.pairs, results.n_pairs + 1, sizeof(Pair))
    results.pairs[results.n_pairs].first = one
    results.pairs[results.n_pairs].second = other
    results.pairs[results.n_pairs].score = score
    results.n_pairs += 1
    return 0


cdef void take_best(Results* results, int64_t* indices, double* scores) noexcept nogil:
    """Writes the k best texts, the best first; -1 and NaN where there are fewer."""
    cdef size_t place
    cdef Found found
    for place in range(results.k, 0, -1):
        found = results.best[0]
        indices[place - 1] = found.index
        scores[place - 1] = found.score if found.score >= 0 else NAN
        results.best[0] = results.best[place - 1]
        sink(results.best, place - 1)
