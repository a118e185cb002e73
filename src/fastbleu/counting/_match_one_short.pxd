"""Declarations of the functions that match hypotheses with one short reference."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu.counting._workspace cimport Options, Workspace
from fastbleu.inputs._column cimport View

cdef size_t longest_short() noexcept nogil
cdef void match_numbers(
    const uint64_t* sets, size_t words, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits
) noexcept nogil
cdef int count_one_short(
    Workspace* work, const Options* options, const View* reference, int64_t position, size_t reference_tokens,
    const View* hypotheses, Py_ssize_t first, Py_ssize_t n, int64_t* rows
) except -1 nogil
