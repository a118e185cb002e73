"""The counter, for modules that make something else of matches than rows."""

from libc.stddef cimport size_t
from libc.stdint cimport uint64_t

from fastbleu.counting._segment cimport SegmentReferences
from fastbleu.counting._workspace cimport Workspace
from fastbleu.inputs._column cimport Column, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.inputs._tokens cimport TokenTable

cdef class WorkspaceHolder:
    cdef Workspace work
    cdef TextColumn hypothesis
    cdef TextColumn references
    cdef TokenTable table
    cdef list ids
    cdef list names
    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0
    cdef size_t nbytes(self)

cdef class NgramCounter:
    cdef readonly int tokenizer
    cdef readonly int order
    cdef readonly int rule
    cdef list workspaces
    cdef WorkspaceHolder borrow(self)
    cdef void give_back(self, WorkspaceHolder holder)
    cdef Column checked(self, Column column, str name)
    cdef SegmentReferences sources(self, Column hypotheses, object references, object numbers, Py_ssize_t first)
    cdef tuple run(self, WorkspaceHolder holder, Column hypotheses, SegmentReferences references, object rows)
