"""Arrays of integers, read where they lie."""

import sys

from cpython.buffer cimport PyBUF_RECORDS_RO, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.errors import ArgumentTypeError, describe

cdef extern from "inputs/ids.h" nogil:
    void fb_load_row(
        const char* row, Py_ssize_t stride, size_t width, int item_size, bint is_signed, bint swapped, int64_t* out)

cdef enum:
    ROWS_LOOKED_AT = 8           # for undeclared padding

cdef str OTHER_ORDER = ">!" if sys.byteorder == "little" else "<"


cdef class IdArray:
    """An array of integers, seen through the buffer protocol: of any size and sign, in any byte order and strides.

    Args:
        array: What exports the buffer.
        name: What to call it in an error.

    Raises:
        TypeError: Its items are not integers.
    """

    def __cinit__(self, array, name not None):
        try:
            # Some exporters, such as ctypes, leave out strides though they are asked for; a memoryview has them.
            PyObject_GetBuffer(memoryview(array), &self.buffer, PyBUF_RECORDS_RO)
        except (BufferError, TypeError, ValueError) as error:
            raise ArgumentTypeError(name, f"must be an array of integers, not {describe(array)}: {error}") from None
        self.held = True
        self.source = <PyObject*>array
        kind = "B" if self.buffer.format == NULL else self.buffer.format.decode()
        letter = kind.lstrip("@=<>!")
        if 0 in self.shape:
            letter = "b"         # an empty array, such as numpy.array([]), may have any type
        elif letter not in ("b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N") \
                or self.buffer.itemsize not in (1, 2, 4, 8):
            raise ArgumentTypeError(name, f"must be an array of integers, not of {getattr(array, 'dtype', repr(kind))}")
        self.is_signed = letter.islower()
        self.swapped = kind[0] in OTHER_ORDER

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)

    def __len__(self):
        return self.buffer.shape[0]

    def is_of(self, array):
        """Return whether the memory is that of `array`, rather than of an array that was made of it."""
        return self.source == <PyObject*>array

    @property
    def shape(self):
        """Its dimensions."""
        cdef int d
        cdef list dimensions = []
        for d in range(self.buffer.ndim):
            dimensions.append(self.buffer.shape[d])
        return tuple(dimensions)

    cdef const char* row(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
        """The first item of row k of segment i."""
        cdef const char* first = <const char*>self.buffer.buf + i * self.buffer.strides[0]
        return first + k * self.buffer.strides[1] if self.buffer.ndim == 3 else first

    cdef bint is_plain(self) noexcept nogil:
        """Return whether the rows can be read as int64_t*."""
        cdef Py_ssize_t d
        cdef bint plain = self.buffer.itemsize == sizeof(int64_t) and self.is_signed and not self.swapped
        plain = plain and self.buffer.strides[self.buffer.ndim - 1] == sizeof(int64_t)
        plain = plain and <size_t>self.buffer.buf % sizeof(int64_t) == 0
        for d in range(self.buffer.ndim):
            plain = plain and self.buffer.strides[d] % <Py_ssize_t>sizeof(int64_t) == 0
        return plain

    def repeated_end(self):
        """The id that most rows end with a run of, as padding does; None if there is none. A few rows are looked at.

        The runs are of two ids or more, and of different lengths: a row that a model has ended ends with one id, and
        equal rows end with equal runs.
        """
        cdef Py_ssize_t per_segment = self.buffer.shape[1] if self.buffer.ndim == 3 else 1
        cdef Py_ssize_t rows = self.buffer.shape[0] * per_segment, number = min(rows, <Py_ssize_t>ROWS_LOOKED_AT), j, at
        cdef dict runs = {}  # of each id how long its runs are, those of one id alone left out
        for j in range(number):
            at = (rows // number * j + j % per_segment) % rows  # not always the same reference of a segment
            run, id = self.run_at_end(self.row(at // per_segment, at % per_segment))
            if run > 1:
                runs.setdefault(id, []).append(run)
        for id, lengths in runs.items():
            if 2 * len(lengths) > number and id >= 0:
                return id if len(set(lengths)) > 1 else None
        return None

    cdef tuple run_at_end(self, const char* row):
        """The length of the run of equal ids at the end of a row, and that id."""
        cdef Py_ssize_t last = self.buffer.ndim - 1, width = self.buffer.shape[last], run = 0
        cdef int64_t id = 0, other = 0
        while run < width:
            self.load(row + (width - 1 - run) * self.buffer.strides[last], 1, &other)
            if run and other != id:
                break
            id = other
            run += 1
        return run, id

    cdef void load(self, const char* row, size_t width, int64_t* out) noexcept nogil:
        """Copies the first items of a row of the last dimension."""
        fb_load_row(
            row, self.buffer.strides[self.buffer.ndim - 1], width, <int>self.buffer.itemsize, self.is_signed,
            self.swapped, out)
