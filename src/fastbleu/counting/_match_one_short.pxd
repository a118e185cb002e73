"""Segments with one short reference, for the loop over many."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu.counting._workspace cimport Workspace
from fastbleu.inputs._column cimport View

cdef enum:
    SHORT_ORDER = 4              # the only largest order that is counted here

cdef size_t longest_short() noexcept nogil
cdef void match_numbers(
    const uint64_t* sets, size_t words, bint is_wide, const uint32_t* numbers, size_t count, int64_t* correct,
    uint8_t* hits
) noexcept nogil
cdef bint count_short(
    Workspace* work, int tokenizer, size_t n_ids, const View* hypotheses, const View* references, int64_t segment,
    Py_ssize_t samples, int64_t* rows
) except -1 nogil
