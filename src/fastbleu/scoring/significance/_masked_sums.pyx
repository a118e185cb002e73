"""Sums over chosen segments, without a product of matrices: BLAS would start threads of its own under ours."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.string cimport memset

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer, Memory

cdef extern from "scoring/significance/masked.h" nogil:
    const size_t FB_ROWS
    const size_t FB_GROUPS
    void fb_add_masked(
        const float* rows, size_t width, float* choices, const uint8_t* bits, size_t first, size_t stride, size_t masks,
        float* sums, int level)
    int fb_cpu_level()

cdef enum:
    MASKS = 512                  # that are summed at once: their sums stay in a near cache
    MASKS_OF_A_LINE = 16         # that are written at once
    READ_AHEAD_BITS = 64         # the kernel reads eight bytes at a time

#: A table has a multiple of this number of rows.
ROWS = FB_ROWS


def add_masked_sums(table, Py_ssize_t width, bits, Py_ssize_t first, Py_ssize_t stride, places, out, int level=99):
    """Adds to each mask's sums what it chooses of the rows of a table.

    Args:
        table: float32 [rows, width], C-contiguous, of whole numbers: a multiple of ROWS rows, of which those after the
            last segment are 0. The sum of any rows is below 2^24.
        width: Its columns.
        bits: Bytes; mask m chooses row r by the bit first + m * stride + r, the lowest bit of a byte first. They go on
            for eight bytes after the last bit.
        first: The bit of the first mask for the first row.
        stride: Bits from one mask to the next.
        places: int64 [columns], the column of the table that stands in each place; if it is negative, ~places[k], to
            which the sums in the place before are added.
        out: float64 [columns, masks], C-contiguous, to add to.
        level: The highest level of instructions to use, as in `_native/compiler.h`.

    Raises:
        TypeError: No arrays.
        ValueError: Arrays of another type or shape, or too few bits.
    """
    cdef Memory given = Memory(table, "table"), masks = Memory(bits, "bits")
    cdef Int64Buffer columns = Int64Buffer(places, "places", 1, False)
    cdef Float64Buffer result = Float64Buffer(out, "out", 2, True)
    cdef Py_ssize_t rows = given.buffer.len // (max(width, 1) * <Py_ssize_t>sizeof(float)), k, place
    if width < 1 or rows % <Py_ssize_t>FB_ROWS or given.buffer.len != rows * width * <Py_ssize_t>sizeof(float):
        raise ValueError(f"table must have {width} columns and a multiple of {FB_ROWS} rows")
    if columns.rows != result.rows:
        raise ValueError(f"out must have {columns.rows} rows, not {result.rows}")
    for k in range(columns.rows):
        place = columns.data[k]
        if not -width <= place < width or (k == 0 and place < 0):
            raise ValueError(f"places[{k}] is not a column: {place}")
    if first < 0 or stride < 0 or (
        result.columns and first + (result.columns - 1) * stride + rows + READ_AHEAD_BITS > 8 * masks.buffer.len
    ):
        raise ValueError(f"bits must go on after the last mask, got {masks.buffer.len} bytes")
    level = min(level, fb_cpu_level())
    cdef float* choices = NULL
    cdef float* sums = NULL
    cdef Py_ssize_t start = 0, size
    try:
        reserve(<void**>&choices, FB_GROUPS * 16 * width, sizeof(float))
        reserve(<void**>&sums, MASKS * width, sizeof(float))
        with nogil:
            while start < result.columns:
                size = min(result.columns - start, <Py_ssize_t>MASKS)
                memset(sums, 0, size * width * sizeof(float))
                k = 0
                while k < rows:
                    fb_add_masked(
                        <const float*>given.buffer.buf + k * width, width, choices, <const uint8_t*>masks.buffer.buf,
                        first + start * stride + k, stride, size, sums, level)
                    k += FB_ROWS
                write_sums(sums, width, size, columns, result, start)
                start += size
    finally:
        release(<void**>&choices)
        release(<void**>&sums)


cdef void write_sums(
    const float* sums, Py_ssize_t width, Py_ssize_t size, Int64Buffer places, Float64Buffer out, Py_ssize_t start
) noexcept nogil:
    """Adds the sums of some masks, [masks, width], to the columns that start at a mask: out[place, mask]."""
    cdef double[MASKS_OF_A_LINE] before
    cdef Py_ssize_t line = 0, stop, k, mask, place
    cdef double* row
    while line < size:
        stop = min(size, line + MASKS_OF_A_LINE)
        for k in range(places.rows):
            place = places.data[k]
            row = out.data + k * out.columns + start
            for mask in range(line, stop):
                before[mask - line] = sums[mask * width + place] if place >= 0 else (
                    before[mask - line] + sums[mask * width + ~place])
                row[mask] += before[mask - line]
        line = stop
