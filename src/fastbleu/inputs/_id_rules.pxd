"""The rule by which rows of token ids are read, and what applies it to a row."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "inputs/ids.h" nogil:
    const int64_t FB_TOO_LARGE
    ctypedef struct fb_id_set:
        size_t number

cdef struct Rule:
    # The ids that are not tokens.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others             # pads, ignore and unk, unless they are negative
    uint64_t largest             # that a token may be
    int64_t ignore
    int64_t unk
    int64_t unknown              # what a token that matches nothing becomes

cdef class IdRule:
    cdef Rule rule
    cdef int64_t* ids            # a buffer: those of the sets

cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil
cdef bint find_ends(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits) noexcept nogil
cdef Py_ssize_t keep_tokens(
    const Rule* rule, const int64_t* ids, Py_ssize_t start, Py_ssize_t stop, int64_t* out, uint64_t* bits, int64_t* kept
) noexcept nogil
cdef object refused(const Rule* rule, object where, Py_ssize_t t, object value)
cdef Rule rule_for(IdRule rule, bint is_reference)
