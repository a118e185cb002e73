"""The checked arguments of the kernels over many pools."""

from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport Column, Float64Buffer, Int64Buffer, View

cdef class PoolArguments:
    cdef Column candidates
    cdef Column evidence         # the candidates where they are their own
    cdef Int64Buffer bounds
    cdef Int64Buffer evidence_bounds
    cdef Float64Buffer weights
    cdef Float64Buffer scores
    cdef Py_ssize_t pools
    cdef const View* candidate_view
    cdef const View* evidence_view     # NULL where candidates are their own evidence

cdef struct PoolRange:
    # Where one of the pools lies.
    int64_t start
    int64_t stop
    int64_t evidence_start
    int64_t evidence_stop
    const double* weights        # of its evidence; NULL: all the same
    double* scores               # of its candidates

cdef int check_kind(Column column, str name, int tokenizer) except -1
cdef int check_bounds(Int64Buffer bounds, Column column, str name) except -1
cdef void find_pool(PoolArguments arguments, Py_ssize_t i, PoolRange* found) noexcept nogil
