"""Lists of token sequences -> columns of ids, many segments in a call."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Column, IdColumn
from fastbleu.inputs._text cimport item
from fastbleu.inputs._tokens cimport TokenTable, append_tokens

from fastbleu.errors import place, wrong_type

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef enum:
    SEGMENTS_PER_SIGNAL_CHECK = 1024


cdef struct ReadSource:
    # A list or tuple of segments. All references are borrowed from lists that hold them.
    PyObject* source
    PyObject* name
    bint is_list


def collect_tokens(
    list sources not None, list names not None, Py_ssize_t complete, Py_ssize_t start, Py_ssize_t stop,
    Py_ssize_t first=0, dict vocabulary=None, bint frozen=False, Py_ssize_t most_tokens=PY_SSIZE_T_MAX,
    TokenTable table=None,
):
    """Numbers a range of segments from several sources, in lockstep, until there are enough tokens.

    Args:
        sources: Lists or tuples of sequences of hashable tokens.
        names: What errors call each source, a str or a Place.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        start: First segment, >= 0.
        stop: One after the last.
        first: What segment 0 is called in an error.
        vocabulary: Token -> id, which new tokens are added to unless it is frozen; None: ids hold within a segment.
        frozen: Give tokens that the vocabulary has not the id -1, which equals no reference's.
        most_tokens: Stop after the segment that makes all tokens together more than this.
        table: Memory to number in, or None.

    Returns:
        A list of IdColumns, one per source, and one after the last segment that they hold.

    Raises:
        TypeError: A segment is not a sequence of tokens, or a token cannot be hashed; says which, and where.
        ValueError: A segment is too long.
        RuntimeError: A list became shorter meanwhile.
    """
    cdef Py_ssize_t n = len(sources), s, i = start
    cdef int64_t read = 0
    cdef list columns = [], sequences
    cdef Column column
    cdef ReadSource* read_from = NULL
    table = TokenTable() if table is None else table
    try:
        reserve(<void**>&read_from, <size_t>n, sizeof(ReadSource))
        for s in range(n):
            source = sources[s]
            if not isinstance(source, (list, tuple)):
                raise wrong_type(names[s], "a list or a tuple of sequences of tokens", source)
            read_from[s].source = <PyObject*>source
            read_from[s].is_list = isinstance(source, list)
            read_from[s].name = <PyObject*>names[s]
            column = IdColumn()
            column.bits = 0
            column.reserve_segments(stop - start)
            columns.append(column)
        while i < stop and read <= most_tokens:
            if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
                PyErr_CheckSignals()
            sequences = []
            for s in range(n):
                tokens = item(read_from[s].source, read_from[s].is_list, i, read_from[s].name)
                if tokens is None and s < complete:
                    raise wrong_type(place(names[s], first + i), "a sequence of tokens", None)
                sequences.append(tokens)
            append_tokens(table, columns, sequences, names, first + i, vocabulary, frozen)
            read = 0
            for s in range(n):
                column = <Column>columns[s]
                read += column.own_offsets[column.length]
            i += 1
    finally:
        release(<void**>&read_from)
    for s in range(n):
        (<Column>columns[s]).finish()
    return columns, i
