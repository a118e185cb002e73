"""The counter, for modules that make something else of matches than rows."""

from cpython.ref cimport PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t

from fastbleu.counting._segment cimport SegmentReferences
from fastbleu.counting._workspace cimport Workspace
from fastbleu.inputs._column cimport Column, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.inputs._tokens cimport TokenTable

cdef class NgramCounter

cdef enum:
    KEPT_WORKSPACES = 8          # a power of two
    KEPT_BITS = 3                # its logarithm


cdef struct Kept:
    # A place for a workspace that no thread works in. Each stands in cache lines of its own.
    PyObject* holder
    char[56] padding


cdef struct Counted:
    # What comes out of counting segments, beside their sum in the workspace.
    int64_t* rows                # of all of them, or NULL
    Py_ssize_t tokenized         # hypotheses that end in " ."
    Py_ssize_t references        # of a segment, -1 where segments differ

cdef class WorkspaceHolder:
    cdef Workspace work
    cdef size_t place            # among those of the counter
    cdef SegmentReferences of_single
    cdef TextColumn hypothesis
    cdef TextColumn references
    cdef TokenTable table
    cdef list ids
    cdef list names
    cdef SegmentReferences single(self, NgramCounter counter, size_t streams)
    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0
    cdef size_t nbytes(self)

cdef class NgramCounter:
    cdef readonly int tokenizer
    cdef readonly int order
    cdef readonly Py_ssize_t width    # of a row
    cdef readonly int rule
    cdef Kept[KEPT_WORKSPACES] kept
    cdef WorkspaceHolder borrow(self)
    cdef void give_back(self, WorkspaceHolder holder)
    cdef Column checked(self, Column column, str name)
    cdef SegmentReferences sources(self, Column hypotheses, list references, object ranges, Py_ssize_t samples)
    cdef tuple run(
        self, WorkspaceHolder holder, Column hypotheses, SegmentReferences references, object rows, Py_ssize_t first=*,
        bint brief=*)
    cdef Py_ssize_t count_each(
        self, Workspace* work, const View* hypotheses, Py_ssize_t n, SegmentReferences references, Counted* counted
    ) except -2 nogil
