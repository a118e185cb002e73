"""Rules of token ids: which items of a row are tokens.

One rule says which items of a row count: skip leading padding, cut at the first end-of-sequence id, drop padding and
ignored ids from what is left. Ids that count must not be negative, nor beyond the vocabulary if there is one.
"""

from libc.stddef cimport size_t
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from fastbleu._native.memory cimport release, reserve

from fastbleu.errors import ArgumentValueError

cdef extern from "inputs/ids.h" nogil:
    ctypedef size_t (*fb_look)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)
    fb_look fb_choose_look(int level)
    uint64_t fb_largest_id(const int64_t* ids, size_t n)
    void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number)
    bint fb_has_id(const fb_id_set* set, int64_t id)

# In a rule: there is no such id. In a row: an unsigned id beyond int64, or -2**63; both are refused.
cdef int64_t NONE = FB_TOO_LARGE

# Ids of tokens that match nothing: two, because a hypothesis' must not match a reference's either.
cdef int64_t UNKNOWN_IN_HYPOTHESIS = -1
cdef int64_t UNKNOWN_IN_REFERENCE = -2

cdef fb_look LOOK = fb_choose_look(2)


def use_instructions(int level):
    """Chooses the instructions that look at ids: 0 portable, 1 AVX2 at most, 2 the widest there are. For tests."""
    global LOOK
    LOOK = fb_choose_look(level)


cdef class IdRule:
    """The ids of a row that are not tokens; None where there is no such id.

    Args:
        pad_id: Fills rows up, on either side. An int, or a tuple of several in rising order.
        eos_id: The first one ends a row. An int, or a tuple of several in rising order.
        ignore_id: Left out wherever it stands.
        unk_id: A token that matches none, not even itself.
        vocabulary_size: One more than the largest id that a token may be.
    """

    def __cinit__(self, pad_id, eos_id, ignore_id, unk_id, vocabulary_size):
        cdef tuple pads = as_tuple(pad_id), ends = as_tuple(eos_id)
        cdef size_t k = 0, padding = len(pads), ending = len(ends)
        cdef set others = set()
        for id in pads + (ignore_id, unk_id):
            if id is not None and id >= 0:
                others.add(id)
        reserve(<void**>&self.ids, padding + ending + len(others), sizeof(int64_t))
        for id in pads + ends + tuple(sorted(others)):
            self.ids[k] = id
            k += 1
        fb_make_id_set(&self.rule.pads, self.ids, padding)
        fb_make_id_set(&self.rule.ends, self.ids + padding, ending)
        fb_make_id_set(&self.rule.others, self.ids + padding + ending, <size_t>len(others))
        self.rule.ignore = NONE if ignore_id is None else ignore_id
        self.rule.unk = NONE if unk_id is None else unk_id
        self.rule.largest = <uint64_t>INT64_MAX if vocabulary_size is None else vocabulary_size - 1

    def __dealloc__(self):
        release(<void**>&self.ids)


cdef tuple as_tuple(ids):
    """One id, several or none as a tuple."""
    if ids is None:
        return ()
    return ids if type(ids) is tuple else (ids,)


cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil:
    """Return whether there is nothing but padding and ignored ids."""
    cdef Py_ssize_t t
    for t in range(count):
        if ids[t] == NONE or not fb_has_id(&rule.pads, ids[t]) and ids[t] != rule.ignore:
            return False
    return True


cdef bint find_ends(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits
) noexcept nogil:
    """Finds where the tokens of a row of `stop` ids begin and end, and whether all ids in between are tokens.

    In most rows they are; then `bits` gets their bits.
    """
    cdef Py_ssize_t first = 0, last = stop[0]
    cdef uint64_t found = 0
    cdef int special = False
    while first < last and fb_has_id(&rule.pads, ids[first]):
        first += 1
        while first < last and ids[first] == ids[first - 1]:
            first += 1
    while rule.ends.number == 0 and last > first and fb_has_id(&rule.pads, ids[last - 1]):
        last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>LOOK(
        ids + first, <size_t>(last - first), &rule.ends, &rule.others, &found, &special)
    if special or found > rule.largest and fb_largest_id(ids + first, <size_t>(stop[0] - first)) > rule.largest:
        return False
    bits[0] |= found
    return True


cdef Py_ssize_t keep_tokens(
    const Rule* rule, const int64_t* ids, Py_ssize_t start, Py_ssize_t stop, int64_t* out, uint64_t* bits, int64_t* kept
) noexcept nogil:
    """Copies the ids of a row that are tokens, between where find_ends has found them.

    Args:
        rule: The ids that are not tokens.
        ids: The row.
        start: The first that may be a token.
        stop: One after the last.
        out: Has room for all of them; may be where they are.
        bits: Gets the bits of each token, except those that match nothing.
        kept: Gets for each of these places how many tokens there are up to it, or is NULL.

    Returns:
        How many tokens there are; -1 - t if the id at place t is not allowed.
    """
    cdef Py_ssize_t t, tokens = 0
    cdef uint64_t found = 0
    cdef int64_t id
    for t in range(start, stop):
        id = ids[t]
        if id == NONE:
            return -1 - t
        if not fb_has_id(&rule.pads, id) and id != rule.ignore:
            if id == rule.unk:
                id = rule.unknown
            elif <uint64_t>id > rule.largest:
                return -1 - t
            else:
                found |= <uint64_t>id
            out[tokens] = id
            tokens += 1
        if kept != NULL:
            kept[t] = tokens
    bits[0] |= found
    return tokens


cdef object refused(const Rule* rule, object where, Py_ssize_t t, object value):
    """The error for an id at place t of a row that must not be."""
    reason = "and a token id must not be negative"
    if value > INT64_MAX:
        reason = f"more than the {INT64_MAX} that a token id may be"
    elif value >= 0:
        reason = f"and with vocabulary_size={rule.largest + 1} a token id is at most {rule.largest}"
    elif value != FB_TOO_LARGE:
        reason += f"; if it stands for no token, say so: pad_id={value} or ignore_id={value}"
    return ArgumentValueError(where[t], f"is {value}, {reason}", value=value)


cdef Rule rule_for(IdRule rule, bint is_reference):
    cdef Rule found = rule.rule
    found.unknown = UNKNOWN_IN_REFERENCE if is_reference else UNKNOWN_IN_HYPOTHESIS
    return found
