"""The rule by which rows of token ids are read, and what applies it to a row."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "inputs/id_sets.h" nogil:
    const int64_t FB_TOO_LARGE
    ctypedef struct fb_id_set:
        pass
    ctypedef size_t (*fb_look_for_sets)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)

cdef struct Sets:
    # Padding and ends. At least one of the two is several ids.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others             # pads, ignore and unk, unless they are negative
    fb_look_for_sets look

cdef struct Rule:
    # The ids that are not tokens.
    bint has_pad
    bint has_eos
    int64_t pad
    int64_t eos
    const Sets* sets             # what holds instead of pad and eos, or NULL
    uint64_t largest             # that a token may be
    int64_t ignore
    int64_t unk
    int64_t unknown              # what a token that matches nothing becomes
    uint64_t lowest              # pad, ignore and unk lie in lowest..lowest + span, unless they are negative
    uint64_t span

cdef class IdRule:
    cdef Rule rule
    cdef Sets* sets              # a buffer
    cdef int64_t* ids            # a buffer: those of the sets
    cdef int make_sets(self, tuple pads, tuple ends, ignore_id, unk_id) except -1

cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil
cdef bint find_ends(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits) noexcept nogil
cdef Py_ssize_t take_tokens(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, int64_t* out, uint64_t* bits,
    int64_t* kept) noexcept nogil
cdef object refused(const Rule* rule, object where, Py_ssize_t t, object value)
cdef Rule rule_for(IdRule rule, bint is_reference)
