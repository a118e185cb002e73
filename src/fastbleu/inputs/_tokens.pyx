"""Convert token sequences to columns of ids, which are equal if the tokens are equal in Python.

Equal tokens need equal ids only within a segment and its references, so each segment is numbered separately:

- If they are plain str, a hash table that fits in the first-level cache numbers them. It uses the hash that each str
  caches. Anyone who knows Python's hash seed can choose str whose hashes collide. If too many do, the segment is
  numbered again with hashes of the characters, which use secret seeds.
- If they are plain ints of up to 64 bits, the ints are the ids.
- All other tokens are numbered by a dict. Integers of more than 64 bits are replaced by keys of large_integers.py,
  because it is easy to choose ints with equal hashes. Python's hashes of tuples, fractions and other objects have no
  secret seed either, but are used unchanged.

Numbering plain str or ints runs no Python code except signal handlers. A handler may change a list that is being read.
While a segment is read, handlers run only if it is long, so the lists of long segments are copied. Without the GIL,
other threads may change a list, so lists are locked. Only two lists can be locked together; further lists are copied.
"""

cimport cython

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from fastbleu._native._hashing cimport SEEDS, fb_hash_bytes, fb_spread, slots_for
from fastbleu._native.memory cimport release, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, check_signals, fb_handle_signals
from fastbleu.inputs._column cimport Column, IdColumn, check_length
from fastbleu.inputs._text cimport InputList, item

from fastbleu.errors import ArgumentTypeError, locate, wrong_type
from fastbleu.inputs.columns import as_sequence
from fastbleu.inputs.large_integers import UnknownToken, key_of_number

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    PyObject** PySequence_Fast_ITEMS(object sequence)
    Py_ssize_t PySequence_Fast_GET_SIZE(object sequence)
    # Declare tokens as pointers, so that Cython does not change their reference counts.
    unsigned int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)
    bint PyUnicode_CheckExact(PyObject* token)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    bint PyLong_CheckExact(PyObject* token)
    long long PyLong_AsLongLongAndOverflow(PyObject* number, int* overflow) except? -1

cdef extern from "inputs/ids.h":
    size_t fb_read_small_items(PyObject** items, size_t n, int64_t* out)

cdef extern from "inputs/shared_lists.h":
    const bint FB_FREE_THREADED
    Py_hash_t fb_cached_hash(PyObject* text)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    SLOTS_PER_TOKEN = 4
    SEGMENTS_PER_SIGNAL_CHECK = 1024
    PREFETCH_DISTANCE = 8  # Prefetch the token that is this many tokens ahead, because str are scattered over the heap.

cdef class TokenTable:
    """A hash table that numbers the str of one segment at a time.

    Attributes:
        probes: The number of slots with other tokens that look-ups have visited in the current segment.
    """

    def __dealloc__(self):
        release(<void**>&self.slots)

    cdef int begin(self, size_t tokens) except -1:
        """Clear the table, and reserve memory for the next segment, which has at most `tokens` distinct tokens."""
        cdef size_t slots = slots_for(tokens, SLOTS_PER_TOKEN)
        self.segment += 1
        if self.segment == 0:
            # The counter has wrapped around, so slots of old segments would look current.
            release(<void**>&self.slots)
        if reserve_cleared(<void**>&self.slots, slots, sizeof(TokenSlot)):
            self.segment = 1
        self.mask = slots - 1
        self.tokens = 0
        self.probes = 0
        return 0

    cdef int number_strings(
        self, PyObject** tokens, Py_ssize_t count, bint by_characters, int64_t* out
    ) except -1:
        """Write the number of each of `count` tokens to `out`; return NUMBERED, NOT_PLAIN or CROWDED.

        The distinct tokens of a segment are numbered from 0. They are found by Python's hashes or, if `by_characters`
        is true, by hashes of their characters with secret seeds.
        """
        cdef Py_ssize_t t
        cdef PyObject* token
        cdef PyObject* known
        cdef Py_hash_t hashed
        cdef size_t slot, mask = self.mask
        cdef uint32_t segment = self.segment
        cdef TokenSlot* slots = self.slots
        cdef TokenSlot* entry
        for t in range(count):
            if t + PREFETCH_DISTANCE < count:
                fb_prefetch(tokens[t + PREFETCH_DISTANCE])
            token = tokens[t]
            if not PyUnicode_CheckExact(token):
                return NOT_PLAIN
            hashed = fb_cached_hash(token)
            if by_characters:
                hashed = <Py_hash_t>fb_spread(fb_hash_bytes(
                    <const uint8_t*>PyUnicode_DATA(token),
                    <size_t>PyUnicode_GET_LENGTH(token) * PyUnicode_KIND(token), SEEDS))
            elif hashed == -1:
                hashed = hash(<object>token)
            slot = <size_t>hashed & mask
            while True:
                entry = &slots[slot]
                if entry.segment != segment:
                    entry.segment = segment
                    entry.hash = hashed
                    entry.token = token
                    entry.number = self.tokens
                    self.tokens += 1
                    break
                known = entry.token
                if known == token or entry.hash == hashed and is_same_text(known, token):
                    break
                slot = (slot + 1) & mask
                self.probes += 1
                if self.probes > mask and not by_characters:
                    return CROWDED
            out[t] = entry.number
        return NUMBERED


cdef inline bint is_same_text(PyObject* a, PyObject* b) noexcept:
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(a)
    cdef unsigned int kind = PyUnicode_KIND(a)
    if length != PyUnicode_GET_LENGTH(b) or kind != PyUnicode_KIND(b):
        return False
    return memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), <size_t>length * kind) == 0


cdef int copy_integers(PyObject** tokens, Py_ssize_t count, int64_t* out, uint64_t* bits) except -1:
    """Copy `count` tokens to `out` if they are plain ints of 64 bits, and update `bits` by OR with each int.

    Return NUMBERED, or NOT_PLAIN if a token has another type or is larger.
    """
    cdef Py_ssize_t t, small = <Py_ssize_t>fb_read_small_items(tokens, <size_t>count, out)
    cdef int overflow = 0
    cdef uint64_t all_bits = 0
    for t in range(small, count):
        if not PyLong_CheckExact(tokens[t]):
            return NOT_PLAIN
        out[t] = PyLong_AsLongLongAndOverflow(tokens[t], &overflow)
        if overflow:
            return NOT_PLAIN
        all_bits |= <uint64_t>out[t]
    for t in range(small):
        all_bits |= <uint64_t>out[t]
    bits[0] |= all_bits
    return NUMBERED


cdef int number_plain(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, bint by_characters, bint are_copies
) except -1:
    """Number the tokens of a segment if they are plain str or ints of 64 bits; return the `Outcome`.

    Args:
        table, columns, sequences, names, i: The arguments of `append_tokens`; `sequences` are lists and tuples.
        by_characters: Whether to hash the characters of str with secret seeds.
        are_copies: Whether the lists are copies, which no signal handler can change.
    """
    cdef Py_ssize_t s, count, part, done, total = reserve_tokens(columns, sequences, names, i)
    cdef IdColumn column
    cdef object sequence
    cdef PyObject** tokens
    cdef int64_t* out
    cdef bint strings = False
    cdef int outcome = NUMBERED
    if total > STEPS_PER_CHECK and not are_copies:
        return LONG
    # Choose the method by the type of the first token. Do not call `len`, which a subclass of list may override.
    for sequence in sequences:
        if sequence is not None and PySequence_Fast_GET_SIZE(sequence):
            strings = PyUnicode_CheckExact(PySequence_Fast_ITEMS(sequence)[0])
            break
    if strings:
        table.begin(<size_t>total)
    for s in range(len(columns)):
        sequence = sequences[s]
        if sequence is None or outcome != NUMBERED:
            continue
        column = <IdColumn>columns[s]
        count = <Py_ssize_t>(column.own_offsets[column.length + 1] - column.own_offsets[column.length])
        out = <int64_t*>column.own_data + column.own_offsets[column.length]
        tokens = PySequence_Fast_ITEMS(sequence)
        done = 0
        while True:
            part = min(count - done, <Py_ssize_t>STEPS_PER_CHECK)
            if strings:
                outcome = table.number_strings(tokens + done, part, by_characters, out + done)
            else:
                outcome = copy_integers(tokens + done, part, out + done, &column.bits)
            done += part
            if done == count or outcome != NUMBERED:
                break
            fb_handle_signals()
        if strings:
            column.bits |= table.tokens
    return outcome


def types_of(values not None):
    """Return the set of the types of values, ten times as fast as `set(map(type, values))`."""
    cdef set types = set()
    cdef object latest = None
    # Without the GIL, another thread may shorten a list. Its iterator then ends; Cython's loop by index would fail.
    for value in iter(values) if FB_FREE_THREADED else values:
        if type(value) is not latest:
            latest = type(value)
            types.add(latest)
    return types


cdef Py_ssize_t number_hashables(
    object tokens, object name, Py_ssize_t i, dict vocabulary, bint frozen, int64_t* out, Py_ssize_t capacity
) except -1:
    """Number the tokens of a segment by the dict `vocabulary`; return the number of tokens.

    New tokens are added to the dict; if it is frozen, they get the id -1 instead. `out` has space for `capacity` ids.

    Raises:
        TypeError: A token cannot be hashed, or its type does not give equal hashes to equal values.
        RuntimeError: There are more than `capacity` tokens, because the segment was changed.
    """
    cdef Py_ssize_t t = 0
    cdef object kind = None, key
    cdef bint is_number = False, is_unknown = False
    cdef int overflow = 0
    for token in tokens:
        check_signals(<size_t>t)
        if type(token) is not kind:
            kind = type(token)
            # Numbers have `__abs__`. Checking for `numbers.Number` would make importing fastbleu slower.
            is_number = hasattr(kind, "__abs__")
            is_unknown = kind is UnknownToken
            if hasattr(kind, "__dlpack__"):
                raise ArgumentTypeError(
                    locate(name, i)[t], f"is a {kind.__name__}, a type whose equal values have different hashes: "
                    "convert the segment to a list of numbers, as .tolist() does")
        # Use a new key for each unknown token, because a dict would find the token itself by identity.
        key = object() if is_unknown else token
        overflow = is_number
        if kind is int:
            PyLong_AsLongLongAndOverflow(<PyObject*>token, &overflow)
        if overflow:
            key = key_of_number(token)
        try:
            if frozen:
                number = vocabulary.get(key, -1)
            else:
                number = vocabulary.setdefault(key, len(vocabulary))
        except TypeError:
            raise wrong_type(locate(name, i)[t], "a hashable token", token) from None
        # Hashing a token may run Python code that appends items to the list.
        if t >= capacity:
            raise RuntimeError(f"{locate(name, i)} changed its length while it was read")
        out[t] = number
        t += 1
    return t


cdef Py_ssize_t reserve_tokens(list columns, list sequences, list names, Py_ssize_t i) except -1:
    """Reserve memory in each column for the tokens of a segment; return the total number of tokens.

    The end of the segment is stored in the column, so that later code reads exactly as many tokens as fit, even if a
    sequence becomes longer. The arguments are those of `append_tokens`; `sequences` are lists and tuples.
    """
    cdef Py_ssize_t s, count, total = 0
    cdef IdColumn column
    cdef object sequence
    for s in range(len(columns)):
        sequence = sequences[s]
        count = 0 if sequence is None else <Py_ssize_t>check_length(PySequence_Fast_GET_SIZE(sequence), names[s], i)
        column = <IdColumn>columns[s]
        column.reserve_bytes(<size_t>(column.own_offsets[column.length] + count) * sizeof(int64_t))
        column.own_offsets[column.length + 1] = column.own_offsets[column.length] + count
        total += count
    return total


cdef tuple lists_to_lock(list sequences):
    """Return two lists to lock while a segment is read, and replace further lists in `sequences` by tuples."""
    cdef object first = None, second = None, sequence
    cdef Py_ssize_t s
    for s in range(len(sequences)):
        sequence = sequences[s]
        if not isinstance(sequence, list):
            continue
        if first is None:
            first = sequence
        elif second is None:
            second = sequence
        else:
            sequences[s] = tuple(sequence)
    # If there are fewer than two lists, return `sequences` itself, which no other thread locks.
    return sequences if first is None else first, sequences if second is None else second


cdef int copy_lists(list sequences) except -1:
    """Replace each list in `sequences` by a copy, which no other thread can change."""
    cdef Py_ssize_t s
    for s in range(len(sequences)):
        if isinstance(sequences[s], list):
            # Do not copy to a tuple. Before Python 3.12, creating one may start a garbage collection after the address
            # of the list's items was read, and finalizers let other threads run, which may change the list.
            sequences[s] = list(sequences[s])
    return 0


cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1:
    """Number the tokens of a segment in all inputs, and append the segment to the column of each input.

    Args:
        table: The table to reuse.
        columns: An IdColumn for each input.
        sequences: The segment of each input: any sequence of tokens, or None if it is missing.
        names: The name of each input in errors.
        i: The index of the segment in errors.
        vocabulary: The ids of tokens, shared by all segments; None if each segment has its own ids.
        frozen: Whether tokens that are not in the vocabulary get the id -1 instead of being added to it.

    Raises:
        TypeError, ValueError, RuntimeError: The segment cannot be read; `collect_tokens` lists the cases.
    """
    cdef Py_ssize_t n = len(columns), s, count
    cdef IdColumn column
    cdef object sequence
    cdef int outcome = NOT_PLAIN
    first = second = sequences
    # Convert all sequences before reading any of them, because a conversion may run code that changes the others.
    for s in range(n):
        sequence = sequences[s]
        if sequence is not None and not isinstance(sequence, (list, tuple)):
            sequences[s] = as_sequence(sequence, names[s], i)
    if vocabulary is None:
        if FB_FREE_THREADED:
            first, second = lists_to_lock(sequences)
        # Keep the lists locked while their lengths and their tokens are read, so that the lengths remain correct.
        with cython.critical_section(first, second):  # This does nothing with the GIL.
            outcome = number_plain(table, columns, sequences, names, i, False, False)
        if outcome != NUMBERED:
            # Copy the lists, because other threads may run and change them during the slower methods below.
            copy_lists(sequences)
        while outcome == LONG or outcome == CROWDED:
            outcome = number_plain(table, columns, sequences, names, i, outcome == CROWDED, True)
        if outcome == NOT_PLAIN:
            vocabulary = {}
    elif FB_FREE_THREADED:
        copy_lists(sequences)
    if outcome != NUMBERED:
        reserve_tokens(columns, sequences, names, i)
    for s in range(n):
        column = <IdColumn>columns[s]
        sequence = sequences[s]
        if sequence is None:
            column.append_missing()
            continue
        if outcome != NUMBERED:
            count = number_hashables(
                sequence, names[s], i, vocabulary, frozen,
                <int64_t*>column.own_data + column.own_offsets[column.length],
                column.free_items(),
            )
            column.bits |= <uint64_t>-1 if frozen else <uint64_t>len(vocabulary)
            column.own_offsets[column.length + 1] = column.own_offsets[column.length] + count
        column.length += 1
    return 0


def collect_tokens(
    list inputs not None, list names not None, Py_ssize_t complete, Py_ssize_t start, Py_ssize_t stop,
    Py_ssize_t first=0, dict vocabulary=None, bint frozen=False, Py_ssize_t max_tokens=PY_SSIZE_T_MAX,
    TokenTable table=None,
):
    """Number the tokens of a range of segments from several inputs; stop early if a chunk has `max_tokens` tokens.

    Args:
        inputs: Lists or tuples of sequences of hashable tokens.
        names: The name of each input in errors, a `str` or a `Location`.
        complete: The first `complete` inputs must have every segment. The other inputs may contain None.
        start: The index of the first segment, >= 0.
        stop: The index after the last segment of the range.
        first: The index of segment 0 in errors.
        vocabulary: The ids of tokens, shared by all segments; None if each segment has its own ids.
        frozen: Whether tokens that are not in the vocabulary get the id -1, which equals no id of a reference.
        max_tokens: Stop after the first segment at which the total number of tokens exceeds this number.
        table: A table to reuse, or None.

    Returns:
        A list of IdColumns, one per input, and the index after their last segment.

    Raises:
        TypeError: A segment is not a sequence of tokens, or a token cannot be hashed; the message names its index.
        ValueError: A segment is too long.
        RuntimeError: Another thread changed a list while it was read.
    """
    cdef Py_ssize_t n = len(inputs), s, i = start
    cdef int64_t read = 0
    cdef list columns = [], sequences
    cdef Column column
    cdef InputList* input_lists = NULL
    table = TokenTable() if table is None else table
    try:
        reserve(<void**>&input_lists, <size_t>n, sizeof(InputList))
        for s in range(n):
            segments = inputs[s]
            if not isinstance(segments, (list, tuple)):
                raise wrong_type(names[s], "a list or a tuple of sequences of tokens", segments)
            input_lists[s].items = <PyObject*>segments
            input_lists[s].is_list = isinstance(segments, list)
            input_lists[s].name = <PyObject*>names[s]
            column = IdColumn()
            column.bits = 0
            column.reserve_segments(stop - start)
            columns.append(column)
        while i < stop and read <= max_tokens:
            if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
                fb_handle_signals()
            sequences = []
            for s in range(n):
                tokens = item(&input_lists[s], i)
                if tokens is None and s < complete:
                    raise wrong_type(locate(names[s], first + i), "a sequence of tokens", None)
                sequences.append(tokens)
            append_tokens(table, columns, sequences, names, first + i, vocabulary, frozen)
            read = 0
            for s in range(n):
                column = <Column>columns[s]
                read += column.own_offsets[column.length]
            i += 1
    finally:
        release(<void**>&input_lists)
    for s in range(n):
        (<Column>columns[s]).finish()
    return columns, i
