"""Number the tokens of a segment 1, 2, .., in the order of their first occurrences in its references.

A token that is in no reference has the number 0. The numbers of tokens are stored in a small hash table, or, if the
tokens are small ids, in an array that is indexed by the id.

The numbers of the references' tokens are listed in `Workspace.numbers` from index 1 on, followed by those tokens of the
hypothesis that are in a reference. `Workspace.ngram_ends` has the position of each listed token. One position is
skipped after each reference, so that the tokens of two texts never have adjacent positions.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, cached_slots_for, fb_enter_token, fb_find_token, fb_home, fb_key, fb_seeds
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu._native.signals cimport check_signals, clear_memory, next_check
from fastbleu.counting._workspace cimport Index, Workspace, reserve_keys, reserve_numbers
from fastbleu.inputs._column cimport View

cdef extern from "_native/bits.h" nogil:
    int64_t fb_read_once_64(const void* address)

cdef int number_tokens(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil:
    """Number and list the references' tokens, whose keys are in the workspace, and make the hash table of tokens."""
    cdef size_t total = work.tokens, t = 0
    cdef size_t n_slots = cached_slots_for(total, slots_per_token), mask = n_slots - 1
    cdef fb_seeds seeds = SEEDS
    cdef uint32_t reference, tokens = 0, gaps = 0
    cdef uint32_t* slots
    cdef uint32_t* numbers
    cdef uint32_t* ends
    cdef fb_key* keys
    cdef uint64_t* bytes_at
    if not reserve_cleared(<void**>&work.slots_32, n_slots, sizeof(uint32_t)):
        clear_memory(work.slots_32, n_slots * sizeof(uint32_t))
    reserve_keys(work, total)
    reserve_numbers(work, total)
    slots = work.slots_32
    keys = work.keys
    bytes_at = work.bytes_at
    memset(keys, 0, sizeof(fb_key))
    bytes_at[0] = 0
    numbers = work.numbers + 1
    ends = work.ngram_ends + 1
    for reference in range(index.references):
        for _ in range(index.lengths[reference]):
            check_signals(t)
            numbers[t] = fb_enter_token(
                slots, sizeof(uint32_t), mask, keys, bytes_at, seeds, work.token_keys[t], work.token_bytes[t], &tokens)
            ends[t] = <uint32_t>t + gaps
            t += 1
        gaps += index.lengths[reference] != 0
    index.tokens = tokens
    index.slot_mask = mask
    index.slots_32 = slots
    index.keys = keys
    index.bytes_at = bytes_at
    return 0


cdef uint32_t origin_of_hypothesis(const Index* index, size_t base) noexcept nogil:
    """Return the position of the first token of a hypothesis whose references have `base` tokens."""
    return <uint32_t>base + index.references + 1


cdef int list_known_tokens(const Index* index, Workspace* work, size_t base) except -1 nogil:
    """List the tokens of the hypothesis that occur in a reference, and therefore have numbers in the index.

    The keys of the hypothesis are in `work.token_keys`, from index `base` on.
    """
    cdef size_t t, slot, out = base + 1, mask = index.slot_mask
    cdef fb_seeds seeds = SEEDS
    cdef uint32_t number, shift = origin_of_hypothesis(index, base) - <uint32_t>base
    cdef uint32_t* numbers = work.numbers
    cdef uint32_t* ends = work.ngram_ends
    cdef const uint32_t* slots = index.slots_32
    for t in range(base, work.tokens):
        check_signals(t)
        slot = fb_find_token(
            slots, sizeof(uint32_t), mask, index.keys, index.bytes_at,
            fb_home(work.token_keys[t], mask, seeds), work.token_keys[t], &work.token_bytes[t])
        number = slots[slot]
        numbers[out] = number
        ends[out] = <uint32_t>t + shift
        out += number != 0
    work.listed = out
    return 0


cdef int number_ids(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil:
    """Number and list the references' ids. The array of numbers must be cleared afterwards by `forget_ids`.

    Ids that are not in 0..n_ids - 1, such as negative ones, share one number, which no token of a hypothesis gets.

    Args:
        work: The workspace of this thread.
        index: Has the lengths of the references; receives the array and the ids in use.
        references: The views of the columns of references.
        streams: The number of views.
        segment: The index of the segment's references in their columns.
        n_ids: The number of ids that have entries of their own in the array.
    """
    cdef size_t total = 0, stream, t, id, count, start, stop
    cdef uint32_t number, tokens = 0, end = 0
    cdef bint is_new
    cdef const int64_t* ids
    cdef uint32_t* numbers
    cdef uint32_t* ends
    for t in range(index.references):
        total += index.lengths[t]
    reserve_numbers(work, total)
    reserve(<void**>&work.ids, total + 1, sizeof(uint32_t))
    reserve_cleared(<void**>&work.by_id, n_ids + 1, sizeof(uint32_t))
    index.by_id = work.by_id
    index.ids = work.ids
    numbers = work.numbers + 1
    ends = work.ngram_ends + 1
    for stream in range(streams):
        if references[stream].missing != NULL and references[stream].missing[segment]:
            continue
        ids = <const int64_t*>references[stream].data + references[stream].starts[segment]
        count = <size_t>(references[stream].ends[segment] - references[stream].starts[segment])
        start = 0
        while start < count:
            check_signals(start)
            stop = next_check(start, count)
            for t in range(start, stop):
                id = min(<size_t>fb_read_once_64(&ids[t]), n_ids)
                number = index.by_id[id]
                is_new = number == 0
                # To avoid a branch, store every id; unless it is new, the next id overwrites it.
                index.ids[tokens] = <uint32_t>id
                tokens += is_new
                number |= tokens & -<uint32_t>is_new
                index.by_id[id] = number
                numbers[t] = number
                ends[t] = end + <uint32_t>t
            start = stop
        numbers += count
        ends += count
        end += <uint32_t>count + (count != 0)
    work.tokens = total
    index.tokens = tokens
    return 0


cdef inline uint32_t number_of_id(const uint32_t* by_id, size_t id, size_t n_ids) noexcept nogil:
    """Return the number of an id, or 0 if the id is not below n_ids. The number 0 matches no token."""
    return by_id[min(id, n_ids)] & -<uint32_t>(id < n_ids)


cdef void find_numbers_by_id(
    const Index* index, const int64_t* ids, size_t count, size_t n_ids, uint32_t* numbers
) noexcept nogil:
    """Look up `count` ids in the array that `number_ids` has made, and write their numbers."""
    cdef size_t t
    for t in range(count):
        numbers[t] = number_of_id(index.by_id, <size_t>fb_read_once_64(&ids[t]), n_ids)


cdef int list_known_ids(
    const Index* index, Workspace* work, size_t base, const int64_t* ids, size_t count, size_t n_ids
) except -1 nogil:
    """List the ids of a hypothesis that `number_ids` has numbered, after the `base` tokens of the references."""
    cdef size_t t, start = 0, stop, out = base + 1
    cdef uint32_t number, origin = origin_of_hypothesis(index, base)
    cdef const uint32_t* by_id = index.by_id
    cdef uint32_t* numbers = work.numbers
    cdef uint32_t* ends = work.ngram_ends
    while start < count:
        check_signals(start)
        stop = next_check(start, count)
        for t in range(start, stop):
            number = number_of_id(by_id, <size_t>fb_read_once_64(&ids[t]), n_ids)
            numbers[out] = number
            ends[out] = origin + <uint32_t>t
            out += number != 0
        start = stop
    work.listed = out
    return 0


cdef void forget_ids(const Index* index) noexcept nogil:
    """Set all entries of the array `by_id` that are in use to zero."""
    cdef uint32_t t
    for t in range(index.tokens):
        index.by_id[index.ids[t]] = 0
