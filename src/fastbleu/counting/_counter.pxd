"""Declarations of the n-gram counter, for modules that match segments in its workspaces."""

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
    IDLE_WORKSPACES = 8          # The number of slots for idle workspaces.
    IDLE_BITS = 3                # The binary logarithm of IDLE_WORKSPACES.


cdef struct WorkspaceSlot:
    # A slot for an idle workspace, padded to a cache line so that threads do not share one.
    PyObject* workspace
    char[56] padding


cdef struct Counted:
    # The results of counting segments. The sum of the rows is `Workspace.totals`.
    int64_t* rows                # The memory for the rows of all hypotheses; NULL if they are not stored.
    Py_ssize_t tokenized         # The number of hypotheses that end in " .".
    Py_ssize_t references        # The number of references per segment; -1 if segments differ in it.


cdef class WorkspaceObject:
    cdef Workspace work
    cdef size_t slot             # The index of the first slot to try when this workspace is given back.
    cdef SegmentReferences one_segment
    cdef TextColumn hypothesis
    cdef TextColumn references
    cdef TokenTable table
    cdef list ids
    cdef list names
    cdef SegmentReferences references_of_one(self, NgramCounter counter, size_t streams)
    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0
    cdef size_t nbytes(self)

cdef class NgramCounter:
    cdef readonly int tokenizer
    cdef readonly int order
    cdef readonly Py_ssize_t width    # The length of a row.
    cdef readonly int rule
    cdef WorkspaceSlot[IDLE_WORKSPACES] idle
    cdef WorkspaceObject borrow(self)
    cdef void give_back(self, WorkspaceObject workspace)
    cdef Column checked(self, Column column, str name)
    cdef SegmentReferences references_for(
        self, Column hypotheses, list references, object ranges, Py_ssize_t group_size)
    cdef tuple run(
        self, WorkspaceObject workspace, Column hypotheses, SegmentReferences references, object rows,
        Py_ssize_t first=*, bint brief=*)
    cdef Py_ssize_t count_each(
        self, Workspace* work, const View* hypotheses, Py_ssize_t n, SegmentReferences references, Counted* counted
    ) except -2 nogil
