"""Python objects -> columns: one contiguous buffer and the offsets of its segments.

A column is copied from Python objects once, with the GIL; from there on no Python object is touched. Text is UTF-8
with lone surrogates as three bytes; tokens are int64 ids, equal where the tokens are equal.

The memory behind a column that was copied ends in READ_AHEAD bytes that belong to no segment, so that kernels may
load whole vectors. A column over borrowed memory (a file's bytes) says where its memory ends, and kernels copy the
few segments that lie too near to it.
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
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_Check, PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from fastbleu.errors import ArgumentValueError, place, wrong_type

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    unsigned int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)
    bint PyUnicode_IS_ASCII(PyObject* text)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef extern from "_native/utf8.h" nogil:
    const size_t FB_ENCODE_SLACK
    uint8_t* fb_encode_latin1(const uint8_t* text, size_t length, uint8_t* out)
    uint8_t* fb_encode_ucs2(const uint16_t* text, size_t length, uint8_t* out)
    uint8_t* fb_encode_ucs4(const uint32_t* text, size_t length, uint8_t* out)
    void fb_lower_ascii(const uint8_t* text, size_t length, uint8_t* out)
    bint fb_is_ascii(const uint8_t* text, size_t length)

cdef enum:
    READ_AHEAD = 128         # two blocks of the tokenizers
    PREFETCH_DISTANCE = 6    # objects; their headers are scattered over the heap
    SEGMENTS_PER_SIGNAL_CHECK = 4096
    USUAL_BYTES = 192        # of a segment, set aside before any is read

# Kernels number bytes and tokens of one segment in 32 bits with a sign to spare.
LONGEST_SEGMENT = 0x7fffffff - READ_AHEAD


# Of a buffer's format, in the byte order of the machine.
cdef tuple NATIVE_ORDERS = ("", "@", "=", "<" if sys.byteorder == "little" else ">")
cdef tuple NATIVE_INT64 = tuple(order + kind for kind in "ql" for order in NATIVE_ORDERS)
cdef tuple NATIVE_FLOAT64 = tuple(order + "d" for order in NATIVE_ORDERS)


cdef class Int64Buffer:
    """A C-contiguous int64 array of one or two dimensions, seen through the buffer protocol.

    Cython's typed memoryviews do the same, but cost every program that imports this a few milliseconds.
    """

    def __cinit__(self, array, str name not None, int dimensions, bint writable):
        PyObject_GetBuffer(array, &self.buffer, contiguous_flags(writable))
        self.held = True
        check_items(&self.buffer, name, dimensions, "int64", sizeof(int64_t), NATIVE_INT64)
        self.data = <int64_t*>self.buffer.buf
        self.rows = self.buffer.shape[0]
        self.columns = self.buffer.shape[1] if dimensions > 1 else 1

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)


cdef class Float64Buffer:
    """The same for a float64 array."""

    def __cinit__(self, array, str name not None, int dimensions, bint writable):
        PyObject_GetBuffer(array, &self.buffer, contiguous_flags(writable))
        self.held = True
        check_items(&self.buffer, name, dimensions, "float64", sizeof(double), NATIVE_FLOAT64)
        self.data = <double*>self.buffer.buf
        self.rows = self.buffer.shape[0]
        self.columns = self.buffer.shape[1] if dimensions > 1 else 1

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)


cdef int contiguous_flags(bint writable) noexcept:
    return PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0)


cdef int check_items(
    const Py_buffer* buffer, str name, int dimensions, str dtype, Py_ssize_t size, tuple formats,
) except -1:
    """Says what is wrong with an array that is not of this dtype, or has other dimensions."""
    kind = "B" if buffer.format == NULL else buffer.format.decode()
    if buffer.ndim != dimensions or buffer.itemsize != size or kind not in formats:
        raise ValueError(f"{name} must be {dtype} with {dimensions} dimensions, not {kind!r} with {buffer.ndim}")
    return 0


cdef class Column:
    """One contiguous buffer and where its segments lie."""

    def __cinit__(self):
        self.item_size = 1
        self.bits = <uint64_t>-1

    def __dealloc__(self):
        free(self.own_data)
        free(self.own_offsets)
        free(self.own_absent)
        free(self.own_ends)

    def __len__(self):
        return self.length

    @property
    def nbytes(self):
        """Bytes of memory held: text, or ids, and offsets."""
        total = <object>(self.capacity + self.offsets_capacity * sizeof(int64_t))
        if self.own_ends != NULL:
            total += self.offsets_capacity * sizeof(int64_t)
        if self.own_absent != NULL:
            total += self.offsets_capacity
        if self.owner is not None and isinstance(self.owner, bytes):
            total += len(self.owner)
        return total

    def slice(self, Py_ssize_t start, Py_ssize_t stop):
        """Segments start..stop - 1 over the same memory."""
        cdef Column part = type(self)()
        if not 0 <= start <= stop <= self.length:
            raise IndexError(f"slice {start}:{stop} is out of range for a column of {self.length} segments")
        part.owner = self
        part.length = stop - start
        part.bits = self.bits
        part.view = self.view
        part.view.starts += start
        part.view.ends += start
        if part.view.absent != NULL:
            part.view.absent += start
        return part

    def trim(self):
        """Gives back what was set aside for further segments; not for a column that has been sliced."""
        cdef size_t used
        cdef void* data
        if self.own_data == NULL:
            return
        used = <size_t>self.own_offsets[self.length] * self.item_size
        data = realloc(self.own_data, used + READ_AHEAD)
        if data != NULL:
            self.own_data = <uint8_t*>data
            self.capacity = used + READ_AHEAD
            self.finish()

    def take(self, segments):
        """The segments of these numbers (int64), copied, in this order."""
        cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
        cdef Column part = type(self)()
        cdef Py_ssize_t i
        part.reserve_segments(numbers.rows)
        part.grow(0)
        for i in range(numbers.rows):
            if not 0 <= numbers.data[i] < self.length:
                raise IndexError(f"segment {numbers.data[i]} is out of range for a column of {self.length} segments")
            part.append_copy(self, numbers.data[i])
        part.finish()
        return part

    def __reduce__(self):
        cdef Column packed = type(self)()
        cdef Py_ssize_t i
        packed.reserve_segments(self.length)
        packed.grow(0)
        for i in range(self.length):
            packed.append_copy(self, i)
        absent = None
        if packed.own_absent != NULL:
            absent = (<const char*>packed.own_absent)[:packed.length]
        return rebuild, (
            type(self),
            (<const char*>packed.own_data)[:<size_t>packed.own_offsets[packed.length] * packed.item_size],
            (<const char*>packed.own_offsets)[:(<size_t>packed.length + 1) * sizeof(int64_t)],
            absent,
        )

    cdef Py_ssize_t position(self, Py_ssize_t index) except -2:
        """The number of a segment, counted from the end if it is negative; -1 for one that is not there."""
        cdef Py_ssize_t i = index + self.length if index < 0 else index
        if not 0 <= i < self.length:
            raise IndexError(f"index {index} is out of range for a column of {self.length} segments")
        return -1 if self.view.absent != NULL and self.view.absent[i] else i

    cdef int append_copy(self, Column source, int64_t i) except -1:
        """Appends segment i of a column of the same kind."""
        cdef int64_t used = self.own_offsets[self.length], count = source.view.ends[i] - source.view.starts[i]
        if source.view.absent != NULL and source.view.absent[i]:
            return self.append_absent()
        self.grow(<size_t>(used + count) * self.item_size)
        memcpy(self.own_data + <size_t>used * self.item_size,
               source.view.data + <size_t>source.view.starts[i] * self.item_size, <size_t>count * self.item_size)
        self.length += 1
        self.own_offsets[self.length] = used + count
        return 0

    cdef int append_absent(self) except -1:
        """Appends a segment that is not there."""
        self.set_absent(self.length)
        self.length += 1
        self.own_offsets[self.length] = self.own_offsets[self.length - 1]
        return 0

    cdef Py_ssize_t room(self) noexcept:
        """How many more items may be written without growing."""
        return <Py_ssize_t>((self.capacity - READ_AHEAD) // self.item_size) - self.own_offsets[self.length]

    cdef int grow(self, size_t size) except -1:
        """Makes room for `size` bytes of data, and the bytes that may be read behind them."""
        cdef size_t capacity
        cdef void* data
        size += READ_AHEAD
        if size > self.capacity:
            capacity = size if self.capacity == 0 else max(size, self.capacity + (self.capacity >> 1))
            data = realloc(self.own_data, capacity)
            if data == NULL:
                raise MemoryError
            self.own_data = <uint8_t*>data
            self.capacity = capacity
        return 0

    cdef int reserve_segments(self, Py_ssize_t segments) except -1:
        """Makes an empty column with room for the offsets of `segments` segments."""
        cdef void* offsets
        if <size_t>segments + 1 > self.offsets_capacity:
            offsets = realloc(self.own_offsets, (<size_t>segments + 1) * sizeof(int64_t))
            if offsets == NULL:
                raise MemoryError
            self.own_offsets = <int64_t*>offsets
            self.offsets_capacity = <size_t>segments + 1
        if self.own_absent != NULL:
            free(self.own_absent)
            self.own_absent = NULL
        self.length = 0
        self.own_offsets[0] = 0
        return 0

    cdef int set_absent(self, Py_ssize_t i) except -1:
        if self.own_absent == NULL:
            self.own_absent = <uint8_t*>malloc(self.offsets_capacity)
            if self.own_absent == NULL:
                raise MemoryError
            memset(self.own_absent, 0, self.offsets_capacity)
        self.own_absent[i] = 1
        return 0

    cdef int reserve_ends(self) except -1:
        """Makes room for the ends of segments that do not lie one behind the other."""
        free(self.own_ends)
        self.own_ends = <int64_t*>malloc(self.offsets_capacity * sizeof(int64_t))
        if self.own_ends == NULL:
            raise MemoryError
        return 0

    cdef void borrow(self, object owner, const uint8_t* data) noexcept:
        """Points the view at memory of someone else; starts and ends count from `data` on."""
        self.owner = owner
        self.view.data = data
        self.view.starts = self.own_offsets
        self.view.ends = self.own_ends
        self.view.absent = self.own_absent
        self.view.readable_end = data

    cdef void finish(self) noexcept:
        """Points the view at memory that will not move any more."""
        cdef size_t used = <size_t>self.own_offsets[self.length] * self.item_size
        memset(self.own_data + used, 0, READ_AHEAD)
        self.view.data = self.own_data
        self.view.starts = self.own_offsets
        self.view.ends = self.own_offsets + 1
        self.view.absent = self.own_absent
        self.view.readable_end = self.own_data + self.capacity


cdef class TextColumn(Column):
    """Segments of text as one UTF-8 buffer and int64 offsets."""

    def __getitem__(self, index):
        cdef Py_ssize_t i = self.position(index)
        if i < 0:
            return None
        return PyUnicode_DecodeUTF8(
            <const char*>self.view.data + self.view.starts[i], self.view.ends[i] - self.view.starts[i], "surrogatepass")

    def __iter__(self):
        cdef Py_ssize_t i
        for i in range(self.length):
            yield self[i]

    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_absent) except -1:
        """Copies one str (or None, for an absent reference) behind the segments that are there already."""
        cdef size_t used = <size_t>self.own_offsets[self.length]
        cdef size_t characters
        cdef unsigned int kind
        cdef const void* data
        cdef uint8_t* out
        if not PyUnicode_Check(text):
            if text is None and may_be_absent:
                return self.append_absent()
            raise wrong_type(place(name, i), "a str", text)
        if lowercase and not PyUnicode_IS_ASCII(<PyObject*>text):
            text = str.lower(text)
        characters = <size_t>PyUnicode_GET_LENGTH(text)
        data = PyUnicode_DATA(<PyObject*>text)
        kind = PyUnicode_KIND(<PyObject*>text)
        if PyUnicode_IS_ASCII(<PyObject*>text):
            self.grow(used + characters)
            out = self.own_data + used
            if lowercase:
                fb_lower_ascii(<const uint8_t*>data, characters, out)
            else:
                memcpy(out, data, characters)
            out += characters
        elif kind == 1:
            self.grow(used + 2 * characters + FB_ENCODE_SLACK)
            out = fb_encode_latin1(<const uint8_t*>data, characters, self.own_data + used)
        elif kind == 2:
            self.grow(used + 3 * characters + FB_ENCODE_SLACK)
            out = fb_encode_ucs2(<const uint16_t*>data, characters, self.own_data + used)
        else:
            self.grow(used + 4 * characters + FB_ENCODE_SLACK)
            out = fb_encode_ucs4(<const uint32_t*>data, characters, self.own_data + used)
        self.length += 1
        self.own_offsets[self.length] = out - self.own_data
        if self.own_offsets[self.length] - <int64_t>used > LONGEST_SEGMENT:
            raise ArgumentValueError(
                place(name, i), f"has {self.own_offsets[self.length] - <int64_t>used} bytes of UTF-8, "
                f"more than the {LONGEST_SEGMENT} that one segment may have")
        return 0

    def lowered(self):
        """A copy with every segment as str.lower() makes it."""
        cdef TextColumn column = TextColumn()
        cdef Py_ssize_t i
        cdef size_t used, length
        cdef const uint8_t* text
        column.reserve_segments(self.length)
        column.grow(0)
        for i in range(self.length):
            if self.view.absent != NULL and self.view.absent[i]:
                column.append_absent()
                continue
            text = self.view.data + self.view.starts[i]
            length = <size_t>(self.view.ends[i] - self.view.starts[i])
            if fb_is_ascii(text, length):
                used = <size_t>column.own_offsets[column.length]
                column.grow(used + length)
                fb_lower_ascii(text, length, column.own_data + used)
                column.length += 1
                column.own_offsets[column.length] = <int64_t>(used + length)
            else:
                column.append(self[i], "column", i, True, False)
        column.finish()
        return column


cdef class IdColumn(Column):
    """Segments of tokens as int64 ids, equal where the tokens are equal."""

    def __cinit__(self):
        self.item_size = sizeof(int64_t)

    def __getitem__(self, index):
        cdef Py_ssize_t i = self.position(index), t
        cdef const int64_t* ids
        if i < 0:
            return None
        ids = <const int64_t*>self.view.data + self.view.starts[i]
        return [ids[t] for t in range(self.view.ends[i] - self.view.starts[i])]


def rebuild(type kind, bytes data not None, bytes offsets not None, bytes absent):
    """Unpickles a column of the class `kind` from its data, its int64 offsets and its flags."""
    cdef Column column = kind()
    cdef Py_ssize_t n = len(offsets) // <Py_ssize_t>sizeof(int64_t) - 1, i
    if n < 0 or absent is not None and len(absent) != n:
        raise ValueError(f"a column of {n} segments cannot be: its offsets or flags are damaged")
    column.reserve_segments(n)
    column.grow(<size_t>len(data))
    memcpy(column.own_data, PyBytes_AS_STRING(data), <size_t>len(data))
    memcpy(column.own_offsets, PyBytes_AS_STRING(offsets), <size_t>(n + 1) * sizeof(int64_t))
    for i in range(n):
        if not 0 <= column.own_offsets[i] <= column.own_offsets[i + 1] <= len(data) // <Py_ssize_t>column.item_size:
            raise ValueError(f"offsets[{i + 1}] = {column.own_offsets[i + 1]} of a column is damaged")
    column.length = n
    if absent is not None:
        for i in range(n):
            if absent[i]:
                column.set_absent(i)
    column.finish()
    return column


cdef struct CopiedSource:
    # A list or tuple at hand, all borrowed from the lists that hold them.
    PyObject* source
    PyObject* column
    PyObject* name
    bint is_list
    bint may_be_absent


cdef inline PyObject* peek(object sequence, bint is_list, Py_ssize_t i) noexcept:
    """Borrowed element of a list or tuple, NULL where there is none: another thread may make a list shorter."""
    if is_list:
        return PyList_GET_ITEM(sequence, i) if i < PyList_GET_SIZE(sequence) else NULL
    return PyTuple_GET_ITEM(sequence, i) if i < PyTuple_GET_SIZE(sequence) else NULL


cdef object item(object sequence, bint is_list, Py_ssize_t i, object name):
    """Element of a list or tuple, held by a reference of our own while it is read."""
    cdef PyObject* element = peek(sequence, is_list, i)
    if element == NULL:
        raise RuntimeError(f"{name} became shorter while it was scored")
    return <object>element


def text_column(strings, str name="column", bint lowercase=False, bint may_be_absent=False):
    """A column of copies of a list or tuple of str, all of it; with may_be_absent, None is an absent segment."""
    return collect([strings], [name], 0, len(strings), PY_SSIZE_T_MAX, lowercase, 0 if may_be_absent else 1)[0][0]


def collect(
    list sources, list names, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t most_bytes, bint lowercase,
    Py_ssize_t complete=1,
):
    """Copies a range of segments from several sources, in lockstep, until there are enough bytes.

    Args:
        sources: Lists or tuples of str, or TextColumns (taken as they are where lowercase is not asked for).
        names: What errors call each source, a str or a Place.
        start: First segment, >= 0.
        stop: One behind the last segment wanted.
        most_bytes: Stop behind the segment that makes the copies larger than this.
        lowercase: Copy str.lower() of each str.
        complete: How many of the first sources must have every segment; in the others None is an absent one.

    Returns:
        A list of TextColumns, one per source, and one behind the last segment that they hold.

    Raises:
        TypeError: An element is neither str nor an allowed None; says which, and where.
        RuntimeError: A list became shorter meanwhile.
    """
    cdef Py_ssize_t n_sources = len(sources), s, i, end, copied = 0, lists = 0
    cdef TextColumn column
    cdef PyObject* following
    cdef list columns = []
    cdef CopiedSource* copies = <CopiedSource*>PyMem_Malloc(<size_t>(n_sources + 1) * sizeof(CopiedSource))
    if copies == NULL:
        raise MemoryError
    try:
        # What is a column already is not copied, but counts: a chunk is work that nothing interrupts.
        for s in range(n_sources):
            if isinstance(sources[s], TextColumn):
                column = (<TextColumn>sources[s]).slice(start, stop)
                copied = 0
                end = 0
                while end < stop - start and copied <= most_bytes:
                    copied += column.view.ends[end] - column.view.starts[end]
                    end += 1
                stop = start + end
        copied = 0
        for s in range(n_sources):
            source = sources[s]
            if isinstance(source, TextColumn):
                column = (<TextColumn>source).slice(start, stop)
                columns.append(column.lowered() if lowercase else column)
                continue
            if not isinstance(source, (list, tuple)):
                raise wrong_type(names[s], "a list, a tuple or a TextColumn", source)
            column = TextColumn()
            column.reserve_segments(stop - start)
            column.grow(<size_t>min(most_bytes, USUAL_BYTES * (stop - start)))
            columns.append(column)
            copies[lists].source = <PyObject*>source
            copies[lists].is_list = isinstance(source, list)
            copies[lists].column = <PyObject*>column
            copies[lists].name = <PyObject*>names[s]
            copies[lists].may_be_absent = s >= complete
            lists += 1
        if lists == 0:
            return columns, stop
        i = start
        while i < stop and copied <= most_bytes:
            if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
                PyErr_CheckSignals()
            copied = 0
            for s in range(lists):
                column = <TextColumn>copies[s].column
                following = peek(<object>copies[s].source, copies[s].is_list, i + PREFETCH_DISTANCE)
                if following != NULL:
                    fb_prefetch(following)
                column.append(
                    item(<object>copies[s].source, copies[s].is_list, i, <object>copies[s].name),
                    <object>copies[s].name, i, lowercase, copies[s].may_be_absent)
                copied += column.own_offsets[column.length]
            i += 1
        end = i
        for s in range(n_sources):
            column = <TextColumn>columns[s]
            if isinstance(sources[s], TextColumn):
                column.length = end - start
            else:
                column.finish()
        return columns, end
    finally:
        PyMem_Free(copies)


def interleave(list columns not None):
    """One column of the segments of columns of one length and kind: first of each, second of each, and so on."""
    cdef Py_ssize_t n = len(columns[0]), s, i, streams = len(columns)
    cdef Column source, part = type(columns[0])()
    for s in range(streams):
        source = <Column?>columns[s]
        if source.length != n or source.item_size != part.item_size:
            raise ValueError(f"columns[{s}] is not like columns[0]")
    part.reserve_segments(n * streams)
    part.grow(0)
    for i in range(n):
        for s in range(streams):
            part.append_copy(<Column>columns[s], i)
    part.finish()
    return part


def concatenate(list columns not None):
    """One column of the segments of columns of one kind, one column behind the other; at least one column.

    Raises:
        TypeError: Columns of different kinds.
    """
    cdef Column source, joined = type(columns[0])()
    cdef Py_ssize_t segments = 0
    cdef int64_t i
    joined.bits = 0
    for each in columns:
        source = <Column?>each
        if type(source) is not type(joined):
            raise TypeError(f"columns must be of one kind, not {type(joined).__name__} and {type(source).__name__}")
        segments += source.length
        joined.bits |= source.bits
    joined.reserve_segments(segments)
    joined.grow(0)
    for source in columns:
        for i in range(source.length):
            joined.append_copy(source, i)
    joined.finish()
    return joined
