"""Convert token sequences to columns of ids, which are equal if the tokens are equal in Python.

Ids need to agree only within one segment and its references, so each segment is numbered separately:

- Plain str: by a table that fits the first-level cache, with the hash that each str caches. Anyone who knows Python's
  seed can choose str whose hashes collide. If probe sequences get long, the segment is numbered again, by hashes of the
  characters with our secret seeds.
- Plain ints of up to 64 bits: the ints are the ids.
- All other tokens: by a dict. Larger numbers are replaced by special keys (number_keys.py), because it is easy to
  choose ints with equal hashes in Python. Tuples, fractions and other objects are hashed by Python, without a secret.

The first two run no Python code except signal handlers, and the lists of long segments are copied because of these.
Without the GIL they lock two lists, the maximum that can be locked together, and copy any others.
"""

cimport cython

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from fastbleu._native._hashing cimport SEEDS, fb_hash_bytes, fb_spread, slots_for
from fastbleu._native.memory cimport release, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, check_signals, fb_handle_signals
from fastbleu.inputs._column cimport NO_INDEX, Column, IdColumn, check_length
from fastbleu.inputs._text cimport Source, item

from fastbleu.errors import ArgumentTypeError, locate, wrong_type
from fastbleu.inputs.number_keys import UnknownToken, key_of_number

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    PyObject** PySequence_Fast_ITEMS(object sequence)
    Py_ssize_t PySequence_Fast_GET_SIZE(object sequence)
    # With a pointer in place of an object, Cython takes no reference of a token.
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
    Py_hash_t fb_kept_hash(PyObject* text)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    SLOTS_PER_TOKEN = 4
    SEGMENTS_PER_SIGNAL_CHECK = 1024
    PREFETCH_DISTANCE = 8  # The number of tokens, which are scattered over the heap, to prefetch ahead.

cdef class TokenTable:
    """A hash table that numbers the str of one segment at a time.

    Attributes:
        probes: The number of slots of other tokens that look-ups have visited.
    """

    def __dealloc__(self):
        release(<void**>&self.slots)

    cdef int begin(self, size_t tokens) except -1:
        """Clear the table, and reserve memory for the tokens of the next segment."""
        cdef size_t slots = slots_for(tokens, SLOTS_PER_TOKEN)
        self.segment += 1
        if self.segment == 0:
            # The counter has wrapped, and slots of old segments would look current.
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
        """Number tokens from 0, by hashes of their characters with secret seeds or by Python's hashes."""
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
            hashed = fb_kept_hash(token)
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
    """Copy tokens if they are plain ints of 64 bits, and update `bits` by OR."""
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
    """Reserve memory for the tokens of a segment and number them, if they are plain str or ints of 64 bits."""
    cdef Py_ssize_t s, count, part, done, total = make_room_for(columns, sequences, names, i)
    cdef IdColumn column
    cdef object sequence
    cdef PyObject** tokens
    cdef int64_t* out
    cdef bint strings = begin_with_string(sequences)
    cdef int outcome = NUMBERED
    if total > STEPS_PER_CHECK and not are_copies:
        return LONG
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


def as_sequence(tokens, name not None, Py_ssize_t i=NO_INDEX):
    """Return tokens as a list or tuple.

    Raises:
        TypeError: They are not a sequence; the message names name[i], or name.
    """
    cdef object sequence = tokens
    if isinstance(tokens, (list, tuple)):
        return tokens
    if not isinstance(tokens, (str, bytes, bytearray, dict, set, frozenset)) and hasattr(tokens, "__len__"):
        # Items of arrays and tensors may be equal without hashing alike; Python's numbers do both.
        sequence = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    # An array without dimensions has `__len__`, but `tolist` returns a number.
    if not isinstance(sequence, (list, tuple)):
        raise wrong_type(locate(name, i), "a sequence of tokens", tokens)
    return sequence


def types_of(values not None):
    """Return the set of the types of some values, in a tenth of the time that `set(map(type, values))` takes."""
    cdef set types = set()
    cdef object latest = None
    # Without the global lock another thread may empty a list: its iterator then ends, and an index would be an error.
    for value in iter(values) if FB_FREE_THREADED else values:
        if type(value) is not latest:
            latest = type(value)
            types.add(latest)
    return types


cdef Py_ssize_t number_hashables(
    object tokens, object name, Py_ssize_t i, dict vocabulary, bint frozen, int64_t* out, Py_ssize_t room
) except -1:
    """Number hashable tokens; with a frozen vocabulary, unknown tokens become -1."""
    cdef Py_ssize_t t = 0
    cdef object kind = None, key
    cdef bint is_number = False, is_unknown = False
    cdef int overflow = 0
    for token in tokens:
        check_signals(<size_t>t)
        if type(token) is not kind:
            kind = type(token)
            # Importing `numbers` for this check would slow down every import.
            is_number = hasattr(kind, "__abs__")
            is_unknown = kind is UnknownToken
            if hasattr(kind, "__dlpack__"):
                raise ArgumentTypeError(
                    locate(name, i)[t], f"is a {kind.__name__}, a type whose equal values have different hashes: "
                    "convert the segment to a list of numbers, as .tolist() does")
        # A dict would match an unknown token with itself, by identity.
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
        # Hashing a token may run Python code that changes the list.
        if t >= room:
            raise RuntimeError(f"{locate(name, i)} changed its length while it was read")
        out[t] = number
        t += 1
    return t


cdef Py_ssize_t make_room_for(list columns, list sequences, list names, Py_ssize_t i) except -1:
    """Reserve memory in each column for the tokens of its sequence; return the total number of tokens.

    The end of the new segment is stored in the column. Exactly this many tokens are read, even if the sequence changes.
    """
    cdef Py_ssize_t s, count, total = 0
    cdef IdColumn column
    cdef object sequence
    for s in range(len(columns)):
        sequence = sequences[s]
        count = 0 if sequence is None else <Py_ssize_t>check_length(PySequence_Fast_GET_SIZE(sequence), names[s], i)
        column = <IdColumn>columns[s]
        column.make_room(<size_t>(column.own_offsets[column.length] + count) * sizeof(int64_t))
        column.own_offsets[column.length + 1] = column.own_offsets[column.length] + count
        total += count
    return total


cdef tuple lists_to_lock(list sequences):
    """Return two objects to lock so that no sequence changes: two of the lists. Other lists become tuples."""
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
    # In place of a missing list, lock an object that no other thread locks.
    return sequences if first is None else first, sequences if second is None else second


cdef int copy_lists(list sequences) except -1:
    """Replace lists by copies, which no other thread can change."""
    cdef Py_ssize_t s
    for s in range(len(sequences)):
        if isinstance(sequences[s], list):
            # Do not create a tuple: before Python 3.12 that may collect garbage, whose callbacks let other threads run
            # after the address of the list's items was read.
            sequences[s] = list(sequences[s])
    return 0


cdef bint begin_with_string(list sequences) except -1:
    """Return whether the first token of the first segment that has one is a plain str."""
    for sequence in sequences:
        # Read the stored size, because a subclass of list may override the length.
        if sequence is not None and PySequence_Fast_GET_SIZE(sequence):
            return PyUnicode_CheckExact(PySequence_Fast_ITEMS(sequence)[0])
    return False


cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1:
    """Append one segment to each column.

    Args:
        table: The table to reuse.
        columns: An IdColumn for each source.
        sequences: The segment of each source: any sequence of tokens, or None if it is missing.
        names: The name of each source in errors.
        i: The index of the segment in errors.
        vocabulary: The ids of tokens, shared by several segments, or None.
        frozen: Whether to leave the vocabulary unchanged.
    """
    cdef Py_ssize_t n = len(columns), s, count
    cdef IdColumn column
    cdef object sequence
    cdef int outcome = NOT_PLAIN
    # First do everything that may run Python code, which may change the sequences.
    for s in range(n):
        sequence = sequences[s]
        if sequence is not None and not isinstance(sequence, (list, tuple)):
            sequences[s] = as_sequence(sequence, names[s], i)
    if vocabulary is None:
        if FB_FREE_THREADED:
            # Read the tokens and their number under one lock, so that they are consistent.
            first, second = lists_to_lock(sequences)
            with cython.critical_section(first, second):
                outcome = number_plain(table, columns, sequences, names, i, False, False)
        else:
            outcome = number_plain(table, columns, sequences, names, i, False, False)
        if outcome != NUMBERED:
            # The following code takes longer, and may run Python code, during which other threads run.
            copy_lists(sequences)
        while outcome == LONG or outcome == CROWDED:
            outcome = number_plain(table, columns, sequences, names, i, outcome == CROWDED, True)
        if outcome == NOT_PLAIN:
            vocabulary = {}
    elif FB_FREE_THREADED:
        copy_lists(sequences)
    if outcome != NUMBERED:
        make_room_for(columns, sequences, names, i)
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
                column.room(),
            )
            column.bits |= <uint64_t>-1 if frozen else <uint64_t>len(vocabulary)
            column.own_offsets[column.length + 1] = column.own_offsets[column.length] + count
        column.length += 1
    return 0


def collect_tokens(
    list sources not None, list names not None, Py_ssize_t complete, Py_ssize_t start, Py_ssize_t stop,
    Py_ssize_t first=0, dict vocabulary=None, bint frozen=False, Py_ssize_t max_tokens=PY_SSIZE_T_MAX,
    TokenTable table=None,
):
    """Number a range of segments from several sources, in lockstep, until there are enough tokens.

    Args:
        sources: Lists or tuples of sequences of hashable tokens.
        names: The name of each source in errors, a `str` or a `Location`.
        complete: The number of sources, from the first, that must have every segment; in the others None is allowed.
        start: The first segment, >= 0.
        stop: One after the last segment.
        first: The index of segment 0 in errors.
        vocabulary: The ids of tokens, to which new tokens are added unless it is frozen; None for ids per segment.
        frozen: Whether tokens outside the vocabulary get the id -1, which equals no id of a reference.
        max_tokens: Stop after the segment with which the total number of tokens exceeds this.
        table: A table to reuse, or None.

    Returns:
        A list of IdColumns, one per source, and the index after their last segment.

    Raises:
        TypeError: A segment is not a sequence of tokens, or a token is unhashable; the message names its position.
        ValueError: A segment is too long.
        RuntimeError: A list became shorter meanwhile.
    """
    cdef Py_ssize_t n = len(sources), s, i = start
    cdef int64_t read = 0
    cdef list columns = [], sequences
    cdef Column column
    cdef Source* read_from = NULL
    table = TokenTable() if table is None else table
    try:
        reserve(<void**>&read_from, <size_t>n, sizeof(Source))
        for s in range(n):
            source = sources[s]
            if not isinstance(source, (list, tuple)):
                raise wrong_type(names[s], "a list or a tuple of sequences of tokens", source)
            read_from[s].items = <PyObject*>source
            read_from[s].is_list = isinstance(source, list)
            read_from[s].name = <PyObject*>names[s]
            column = IdColumn()
            column.bits = 0
            column.reserve_segments(stop - start)
            columns.append(column)
        while i < stop and read <= max_tokens:
            if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
                fb_handle_signals()
            sequences = []
            for s in range(n):
                tokens = item(&read_from[s], i)
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
        release(<void**>&read_from)
    for s in range(n):
        (<Column>columns[s]).finish()
    return columns, i
