"""Which candidates of a pool are equal: the same bytes of text, or the same ids."""

from array import array

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memset

from fastbleu._native._hashing cimport SEEDS, fb_hash_bytes, fb_spread, slots_for
from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Column, IdColumn, Int64Buffer, View
from fastbleu.rerank._pool_ngrams cimport check_bounds

cdef struct Slot:
    uint64_t hash
    int64_t first                # 1 + the first candidate of this text; 0: the slot is empty


cdef inline const uint8_t* bytes_of(const View* view, size_t item_size, int64_t i, size_t* size) noexcept nogil:
    size[0] = <size_t>(view.ends[i] - view.starts[i]) * item_size
    return view.data + <size_t>view.starts[i] * item_size


cdef bint is_unlike_all(const View* view, int64_t i) noexcept nogil:
    """Return whether a segment of ids has a token that is unknown, and so equals nothing."""
    cdef const int64_t* ids = <const int64_t*>view.data
    cdef int64_t t
    for t in range(view.starts[i], view.ends[i]):
        if ids[t] < 0:
            return True
    return False


cdef bint are_equal(const View* view, size_t item_size, int64_t i, int64_t k) noexcept nogil:
    cdef size_t size, other_size
    cdef const uint8_t* one = bytes_of(view, item_size, i, &size)
    cdef const uint8_t* other = bytes_of(view, item_size, k, &other_size)
    return size == other_size and memcmp(one, other, size) == 0


def count_equal(Column candidates not None, bounds):
    """Find which candidates of each pool are equal, and how many they are.

    Args:
        candidates: All candidates, none of them absent. Ids below 0 are unknown: a candidate with one equals no other.
        bounds: int64 [n + 1]: the candidates of pool i are those from bounds[i] to bounds[i + 1] - 1.

    Returns:
        Two arrays 'q' with a number for each candidate: how many of its pool are equal to it, itself included; and the
        first of these, as its number in `candidates`. Both are 0 for a candidate of no pool.

    Example:
        >>> from fastbleu.inputs._text import text_column
        >>> votes, firsts = count_equal(text_column(["a", "b", "a", "a"]), array("q", [0, 3, 4]))
        >>> votes.tolist(), firsts.tolist()
        ([2, 1, 2, 1], [0, 1, 0, 3])
    """
    cdef Int64Buffer places = Int64Buffer(bounds, "bounds", 1, False)
    check_bounds(places, candidates.length, "bounds")
    cdef size_t item_size = candidates.item_size, size, mask, home
    cdef bint are_ids = isinstance(candidates, IdColumn)
    cdef const View* view = &candidates.view
    cdef const uint8_t* data
    cdef Slot* slots = NULL
    cdef uint64_t hashed
    cdef int64_t start, stop, k
    cdef Py_ssize_t i
    votes = array("q", bytes(8 * candidates.length))
    firsts = array("q", bytes(8 * candidates.length))
    cdef Int64Buffer count = Int64Buffer(votes, "votes", 1, True), first = Int64Buffer(firsts, "firsts", 1, True)
    try:
        with nogil:
            for i in range(places.rows - 1):
                start, stop = places.data[i], places.data[i + 1]
                mask = slots_for(<size_t>(stop - start), 2) - 1
                reserve(<void**>&slots, mask + 1, sizeof(Slot))
                memset(slots, 0, (mask + 1) * sizeof(Slot))
                for k in range(start, stop):
                    first.data[k] = k
                    if not (are_ids and is_unlike_all(view, k)):
                        data = bytes_of(view, item_size, k, &size)
                        hashed = fb_hash_bytes(data, size, SEEDS)
                        home = <size_t>fb_spread(hashed) & mask
                        while slots[home].first and not (
                                slots[home].hash == hashed and are_equal(view, item_size, k, slots[home].first - 1)):
                            home = (home + 1) & mask
                        if not slots[home].first:
                            slots[home].hash, slots[home].first = hashed, k + 1
                        first.data[k] = slots[home].first - 1
                    count.data[first.data[k]] += 1
                for k in range(start, stop):
                    count.data[k] = count.data[first.data[k]]
    finally:
        release(<void**>&slots)
    del count, first
    return votes, firsts
