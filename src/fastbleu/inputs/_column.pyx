"""Columns: segments in one contiguous buffer, with the offset of each segment.

Segments are copied from Python objects to a column once, with the GIL; after that, kernels read the column without
touching a Python object. A TextColumn (_text.pyx) contains UTF-8, with lone surrogates as three bytes. An IdColumn
contains tokens as int64 ids, which are equal if the tokens are equal.

The memory of a copied column ends with READ_AHEAD unused bytes, so that kernels may load full vectors at the end of the
last segment. A column may also borrow the memory of an array or a file. It then stores the end of this memory, and
kernels copy the few segments that are less than READ_AHEAD bytes before the end.
"""

import sys

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS,
    PyBUF_FORMAT,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset, strchr

from fastbleu._native.memory cimport allocated_bytes, capacity, grow, release, release_all, reserve_cleared, resize

from fastbleu.errors import ArgumentValueError, counted, locate

cdef extern from "_native/bits.h" nogil:
    int64_t fb_read_once_64(const void* address)

# Kernels index the bytes and the tokens of a segment with signed 32-bit integers.
LONGEST_SEGMENT = 0x7fffffff - READ_AHEAD


cdef int64_t check_length(int64_t tokens, object name, Py_ssize_t i) except -1:
    """Check the number of tokens of a segment, and return it.

    Raises:
        ValueError: The number is too large. The message names name[i], or only `name` if `i` is NO_INDEX.
    """
    if tokens > LONGEST_SEGMENT // ITEM_BYTES:
        raise ArgumentValueError(
            locate(name, i),
            f"has {tokens} tokens, more than the {LONGEST_SEGMENT // ITEM_BYTES} that one segment may have")
    return tokens


# The character that means this machine's byte order in the formats of the buffer protocol.
cdef char NATIVE_ORDER = c"<" if sys.byteorder == "little" else c">"


cdef bint is_native(const char* format, const char* letters) noexcept:
    """Return whether a buffer's format is one of `letters` in native byte order. Return False for bytes (NULL)."""
    if format == NULL or format[0] == 0:
        return False
    if format[0] == c"@" or format[0] == c"=" or format[0] == NATIVE_ORDER:
        format += 1
    return format[0] != 0 and strchr(letters, format[0]) != NULL and format[1] == 0


cdef class ArrayBuffer:
    """A C-contiguous array of one or two dimensions, accessed through the buffer protocol.

    It replaces Cython's typed memoryviews, which would make importing fastbleu a few milliseconds slower.
    """

    def __cinit__(self, array, str name not None, int dimensions, bint writable):
        cdef bint is_float = isinstance(self, Float64Buffer)
        PyObject_GetBuffer(
            array, &self.buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0))
        self.is_acquired = True
        if self.buffer.ndim != dimensions or self.buffer.itemsize != ITEM_BYTES \
                or not is_native(self.buffer.format, b"d" if is_float else b"ql"):
            dtype = "float64" if is_float else "int64"
            kind = "B" if self.buffer.format == NULL else self.buffer.format.decode()
            raise ValueError(
                f"{name} must be {dtype} with {dimensions} dimensions, not {kind!r} with {self.buffer.ndim}")
        self.rows = self.buffer.shape[0]
        self.columns = self.buffer.shape[1] if dimensions > 1 else 1

    def __dealloc__(self):
        if self.is_acquired:
            PyBuffer_Release(&self.buffer)


cdef class Int64Buffer(ArrayBuffer):
    """An array of int64."""

    def __cinit__(self, *_):
        self.data = <int64_t*>self.buffer.buf


cdef class Float64Buffer(ArrayBuffer):
    """An array of float64."""

    def __cinit__(self, *_):
        self.data = <double*>self.buffer.buf


cdef class Column:
    """Segments in one contiguous buffer, with the offset of each segment."""

    def __cinit__(self):
        self.item_size = 1
        self.bits = <uint64_t>-1

    def __dealloc__(self):
        release_all(<void**>&self.own_data, <void**>&self.length, 4)

    def __len__(self):
        return self.length

    @property
    def nbytes(self):
        """Return the size in bytes of the text or ids, the offsets and the flags of missing segments."""
        return allocated_bytes(<void**>&self.own_data, <void**>&self.length) + (
            len(self.owner) if isinstance(self.owner, bytes) else 0)

    def slice(self, Py_ssize_t start, Py_ssize_t stop):
        """Return segments start..stop - 1 as a column that shares this column's memory."""
        cdef Column part = type(self)()
        if not 0 <= start <= stop <= self.length:
            raise IndexError(f"slice {start}:{stop} is out of range for {counted(self.length, 'segment')}")
        part.owner = self
        part.length = stop - start
        part.bits = self.bits
        part.view = self.view
        part.view.starts += start
        part.view.ends += start
        if part.view.missing != NULL:
            part.view.missing += start
        return part

    def trim(self):
        """Free the memory that is reserved for further segments. Existing slices of the column become invalid."""
        if self.own_data != NULL:
            resize(<void**>&self.own_data, <size_t>self.own_offsets[self.length] * self.item_size + READ_AHEAD)
            self.finish()

    def take(self, segments):
        """Return selected segments as a column that shares this column's memory.

        Args:
            segments: The indices of the segments in the desired order, int64 [n].

        Raises:
            IndexError: An index is out of range.
        """
        cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
        cdef Column source = self.slice(0, self.length)
        cdef Column part = borrowed(type(source), source, source.view.data, source.view.readable_end, numbers.rows)
        cdef Py_ssize_t i
        cdef int64_t k
        part.bits = source.bits
        for i in range(numbers.rows):
            k = fb_read_once_64(&numbers.data[i])
            if not 0 <= k < self.length:
                raise IndexError(f"segment {k} is out of range for {counted(self.length, 'segment')}")
            part.own_offsets[i], part.own_ends[i] = source.view.starts[k], source.view.ends[k]
            if source.view.missing != NULL and source.view.missing[k]:
                part.set_missing(i)
        return part

    def __reduce__(self):
        cdef Column packed = concatenate([self.slice(0, self.length)])
        missing = None
        if packed.own_missing != NULL:
            missing = (<const char*>packed.own_missing)[:packed.length]
        return rebuild, (
            type(packed),
            (<const char*>packed.own_data)[:<size_t>packed.own_offsets[packed.length] * packed.item_size],
            (<const char*>packed.own_offsets)[:(<size_t>packed.length + 1) * sizeof(int64_t)],
            missing,
        )

    cdef Py_ssize_t position(self, Py_ssize_t index) except -2:
        """Return the index of a segment, counted from 0, or -1 if the segment is missing.

        Args:
            index: The index, counted from the end if it is negative.

        Raises:
            IndexError: The index is out of range.
        """
        cdef Py_ssize_t i = index + self.length if index < 0 else index
        if not 0 <= i < self.length:
            raise IndexError(f"index {index} is out of range for {counted(self.length, 'segment')}")
        return -1 if self.view.missing != NULL and self.view.missing[i] else i

    cdef int append_copy(self, Column source, int64_t i) except -1:
        """Append a copy of segment i of `source`, a column of the same class."""
        cdef int64_t used = self.own_offsets[self.length], count = source.view.ends[i] - source.view.starts[i]
        if source.view.missing != NULL and source.view.missing[i]:
            return self.append_missing()
        self.reserve_bytes(<size_t>(used + count) * self.item_size)
        memcpy(self.own_data + <size_t>used * self.item_size,
               source.view.data + <size_t>source.view.starts[i] * self.item_size, <size_t>count * self.item_size)
        self.length += 1
        self.own_offsets[self.length] = used + count
        return 0

    cdef int append_missing(self) except -1:
        """Append a missing segment."""
        self.set_missing(self.length)
        self.length += 1
        self.own_offsets[self.length] = self.own_offsets[self.length - 1]
        return 0

    cdef Py_ssize_t free_items(self) noexcept:
        """Return the number of items for which memory is reserved after the last segment."""
        return (
            <Py_ssize_t>((capacity(self.own_data) - READ_AHEAD) // self.item_size) - self.own_offsets[self.length])

    cdef int reserve_bytes(self, size_t size) except -1:
        """Reserve memory for `size` bytes of data and READ_AHEAD unused bytes after it."""
        return grow(<void**>&self.own_data, size + READ_AHEAD, 1)

    cdef int reserve_segments(self, Py_ssize_t segments, size_t bytes=0) except -1:
        """Clear the column, and reserve memory for `segments` segments that have `bytes` bytes in total."""
        grow(<void**>&self.own_offsets, <size_t>segments + 1, sizeof(int64_t))
        self.reserve_bytes(bytes)
        release(<void**>&self.own_missing)
        self.length = 0
        self.own_offsets[0] = 0
        return 0

    cdef int set_missing(self, Py_ssize_t i) except -1:
        """Mark segment i as missing."""
        reserve_cleared(<void**>&self.own_missing, capacity(self.own_offsets) // sizeof(int64_t), 1)
        self.own_missing[i] = True
        self.view.missing = self.own_missing
        return 0

    cdef int reserve_ends(self) except -1:
        """Reserve memory for `own_ends`: in borrowed memory, segments need not be adjacent, so each end is stored."""
        return grow(<void**>&self.own_ends, capacity(self.own_offsets), 1)

    cdef void borrow(self, object owner, const uint8_t* data, const uint8_t* readable_end) noexcept:
        """Make the view point to the memory of another object.

        Args:
            owner: The object, which the column keeps alive.
            data: The address from which the column's offsets are counted.
            readable_end: The end of the memory that may be read.
        """
        self.owner = owner
        self.view.data = data
        self.view.starts = self.own_offsets
        self.view.ends = self.own_ends
        self.view.missing = self.own_missing
        self.view.readable_end = readable_end

    cdef void finish(self) noexcept:
        """Make the view point to the copied segments. Call this after the last append: appending may move them."""
        cdef size_t used = <size_t>self.own_offsets[self.length] * self.item_size
        memset(self.own_data + used, 0, READ_AHEAD)
        self.view.data = self.own_data
        self.view.starts = self.own_offsets
        self.view.ends = self.own_offsets + 1
        self.view.missing = self.own_missing
        self.view.readable_end = self.own_data + capacity(self.own_data)


cdef Column borrowed(type kind, object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length):
    """Return a column over the memory of another object. The caller fills in the start and end of each segment.

    Args:
        kind: The class of the column.
        owner: The object, which the column keeps alive.
        data: The address from which the starts and ends are counted.
        readable_end: The end of the memory that may be read.
        length: The number of segments.
    """
    cdef Column column = kind()
    column.reserve_segments(length)
    column.reserve_ends()
    column.borrow(owner, data, readable_end)
    column.length = length
    return column


cdef class IdColumn(Column):
    """Segments of tokens as int64 ids, which are equal if the tokens are equal."""

    def __cinit__(self):
        self.item_size = sizeof(int64_t)

    def __getitem__(self, index):
        cdef Py_ssize_t i = self.position(index), t
        cdef const int64_t* ids
        cdef list tokens
        if i < 0:
            return None
        ids = <const int64_t*>self.view.data + self.view.starts[i]
        tokens = []
        for t in range(self.view.ends[i] - self.view.starts[i]):
            tokens.append(ids[t])
        return tokens


def rebuild(type kind, bytes data not None, bytes offsets not None, bytes missing):
    """Unpickle a column.

    Args:
        kind: The class of the column.
        data: The UTF-8 of all segments, or their int64 ids.
        offsets: int64 [n + 1], the offset of each of n segments, followed by the end of the last one.
        missing: n flags, 1 for each missing segment; None if no segment is missing.

    Raises:
        ValueError: The offsets are not ascending or exceed the data, or the number of flags is wrong.
    """
    cdef Column column = kind()
    cdef Py_ssize_t n = len(offsets) // <Py_ssize_t>sizeof(int64_t) - 1, i
    cdef int64_t before = 0
    if n < 0 or missing is not None and len(missing) != n:
        raise ValueError("the offsets or flags of a column are damaged")
    column.reserve_segments(n, <size_t>len(data))
    memcpy(column.own_data, PyBytes_AS_STRING(data), <size_t>len(data))
    memcpy(column.own_offsets, PyBytes_AS_STRING(offsets), <size_t>(n + 1) * sizeof(int64_t))
    for i in range(n + 1):
        # Check all n + 1 offsets, even if n is 0, because `finish` clears READ_AHEAD bytes at the last offset.
        if not before <= column.own_offsets[i] <= len(data) // <Py_ssize_t>column.item_size:
            raise ValueError(f"offsets[{i}] = {column.own_offsets[i]} of a column is damaged")
        before = column.own_offsets[i]
    column.length = n
    if missing is not None:
        for i in range(n):
            if missing[i]:
                column.set_missing(i)
    column.finish()
    return column


def concatenate(list columns not None, bint interleaved=False):
    """Copy the segments of several columns to one column.

    Args:
        columns: The columns, at least one, all of the same class.
        interleaved: Whether to copy the first segment of every column, then the second of every column, and so on,
            instead of one column after the other.

    Raises:
        TypeError: The columns have different classes.
        ValueError: The columns are interleaved and have different lengths.
    """
    cdef Column source, joined = type(columns[0])()
    cdef Py_ssize_t segments = 0, passes = 1, first, stop
    cdef int64_t i
    joined.bits = 0
    for column in columns:
        source = <Column?>column
        if type(source) is not type(joined):
            raise TypeError(f"columns must be of one kind, not {type(joined).__name__} and {type(source).__name__}")
        if interleaved and source.length != len(columns[0]):
            raise ValueError(f"columns must have one length, not {len(columns[0])} and {source.length}")
        segments += source.length
        joined.bits |= source.bits
    joined.reserve_segments(segments)
    if interleaved:
        passes = len(columns[0])
    for first in range(passes):
        for source in columns:
            stop = first + 1 if interleaved else source.length
            for i in range(first, stop):
                joined.append_copy(source, i)
    joined.finish()
    return joined
