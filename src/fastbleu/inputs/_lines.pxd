"""For compiled modules that find segments in the bytes of a file themselves."""

from libc.stdint cimport uint8_t

from fastbleu.inputs._text cimport TextColumn

cdef TextColumn borrowed(object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length)
