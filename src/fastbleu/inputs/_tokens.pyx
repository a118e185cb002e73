"""Token sequences -> columns of ids, equal where the tokens are equal as Python has it.

Ids need to agree only within one segment and its references, so each segment is numbered by itself, in a table that
fits a processor's first cache. Tokens that are plain str are told apart by identity, then by the hash that each str
keeps, then by their characters; plain ints that fit are their own ids. Both without running any Python code, so that
nothing can change under way. Everything else is numbered by a dict.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact, PyUnicode_GET_LENGTH
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from fastbleu.inputs._column cimport LONGEST_SEGMENT, NOWHERE, Column, IdColumn, item

from fastbleu.errors import ArgumentTypeError, ArgumentValueError, place, wrong_type

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    ctypedef struct PyASCIIObject:
        Py_hash_t hash
    PyObject** PySequence_Fast_ITEMS(object sequence)
    Py_ssize_t PySequence_Fast_GET_SIZE(object sequence)
    unsigned int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    FEWEST_SLOTS = 64
    SLOTS_PER_TOKEN = 4
    PREFETCH_DISTANCE = 8    # tokens; they are scattered over the heap
    SEGMENTS_PER_SIGNAL_CHECK = 1024

cdef int64_t MOST_TOKENS = LONGEST_SEGMENT // 8


cdef class TokenTable:
    """Numbers of the tokens of the segment at hand."""

    def __dealloc__(self):
        free(self.slots)

    cdef int begin(self, size_t tokens) except -1:
        """Forgets the last segment, and makes room for the tokens of the next."""
        cdef size_t wanted = FEWEST_SLOTS
        while wanted < SLOTS_PER_TOKEN * tokens:
            wanted <<= 1
        self.segment += 1
        # Once in four billion segments, too: a segment's number must not come back.
        if wanted > self.capacity or self.segment == 0:
            free(self.slots)
            self.capacity = 0
            self.slots = <TokenSlot*>calloc(wanted, sizeof(TokenSlot))
            if self.slots == NULL:
                raise MemoryError
            self.capacity = wanted
            self.segment = 1
        self.mask = wanted - 1
        self.tokens = 0
        return 0

    cdef bint number_strings(self, PyObject** tokens, Py_ssize_t count, int64_t* out) except -1:
        """Numbers tokens as long as they are plain str; False where one is not."""
        cdef Py_ssize_t t
        cdef PyObject* token
        cdef PyObject* known
        cdef Py_hash_t hashed
        cdef size_t slot
        cdef TokenSlot* entry
        for t in range(count):
            if t + PREFETCH_DISTANCE < count:
                fb_prefetch(tokens[t + PREFETCH_DISTANCE])
            token = tokens[t]
            if not PyUnicode_CheckExact(<object>token):
                return False
            hashed = (<PyASCIIObject*>token).hash
            if hashed == -1:
                hashed = hash(<object>token)
            slot = <size_t>hashed & self.mask
            while True:
                entry = &self.slots[slot]
                if entry.segment != self.segment:
                    entry.segment = self.segment
                    entry.hash = hashed
                    entry.token = token
                    entry.number = self.tokens
                    self.tokens += 1
                    break
                known = entry.token
                if known == token or entry.hash == hashed and is_same_text(known, token):
                    break
                slot = (slot + 1) & self.mask
            out[t] = entry.number
        return True


cdef inline bint is_same_text(PyObject* a, PyObject* b) noexcept:
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(<object>a)
    cdef unsigned int kind = PyUnicode_KIND(a)
    if length != PyUnicode_GET_LENGTH(<object>b) or kind != PyUnicode_KIND(b):
        return False
    return memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), <size_t>length * kind) == 0


cdef bint copy_integers(PyObject** tokens, Py_ssize_t count, int64_t* out, uint64_t* bits) except -1:
    """Copies tokens as long as they are plain ints of 64 bits, and notes their bits; False where one is not."""
    cdef Py_ssize_t t
    cdef int overflow = 0
    cdef uint64_t found = 0
    for t in range(count):
        if not PyLong_CheckExact(<object>tokens[t]):
            return False
        out[t] = PyLong_AsLongLongAndOverflow(<object>tokens[t], &overflow)
        if overflow:
            return False
        found |= <uint64_t>out[t]
    bits[0] |= found
    return True


def as_sequence(tokens, name not None, Py_ssize_t i=NOWHERE):
    """Tokens as a list or tuple.

    Raises:
        TypeError: They are no sequence; says which, name[i], or name alone.
    """
    cdef object found = tokens
    if isinstance(tokens, (list, tuple)):
        return tokens
    if not isinstance(tokens, (str, bytes, bytearray, dict, set, frozenset)) and hasattr(tokens, "__len__"):
        # Items of arrays and tensors may be equal without hashing alike; Python's numbers do both.
        found = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
    # An array without dimensions has a length by name only, and becomes a number.
    if not isinstance(found, (list, tuple)):
        raise wrong_type(place(name, i), "a sequence of tokens", tokens)
    return found


cdef Py_ssize_t number_hashables(
    object tokens, object name, Py_ssize_t i, dict vocabulary, bint frozen, int64_t* out, Py_ssize_t room
) except -1:
    """Numbers any hashable tokens; unknown ones become -1 where the vocabulary is frozen."""
    cdef Py_ssize_t t = 0
    cdef object kind = None
    for token in tokens:
        if type(token) is not kind:
            kind = type(token)
            if hasattr(kind, "__dlpack__"):
                raise ArgumentTypeError(
                    place(name, i)[t], f"is a {kind.__name__}; two of these do not hash alike though they are equal: "
                    "make a list of numbers of the segment, as .tolist() does")
        try:
            if frozen:
                number = vocabulary.get(token, -1)
            else:
                number = vocabulary.setdefault(token, len(vocabulary))
        except TypeError:
            raise wrong_type(place(name, i)[t], "a hashable token", token) from None
        # Hashing a token may run Python code that changes the list under our feet.
        if t >= room:
            raise RuntimeError(f"{place(name, i)} changed its length while it was read")
        out[t] = number
        t += 1
    return t


cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1:
    """Appends one segment to each column.

    Args:
        table: Memory to number in.
        columns: An IdColumn for each source.
        sequences: What the sources have there: any sequences of tokens; None where one is absent.
        names: What errors call the sources.
        i: What to call the segment.
        vocabulary: Numbers that hold for other segments, too, or None.
        frozen: Leave the vocabulary as it is.
    """
    cdef Py_ssize_t n = len(columns), s, count, total = 0
    cdef IdColumn column
    cdef PyObject** tokens
    cdef int64_t* out
    cdef bint numbered = vocabulary is None, strings = False
    # Whatever runs Python code comes first.
    for s in range(n):
        if sequences[s] is not None:
            sequences[s] = as_sequence(sequences[s], names[s], i)
    for s in range(n):
        if sequences[s] is None:
            continue
        count = PySequence_Fast_GET_SIZE(sequences[s])
        if count > MOST_TOKENS:
            raise ArgumentValueError(
                place(names[s], i), f"has {count} tokens, more than the {MOST_TOKENS} that one segment may have")
        column = <IdColumn>columns[s]
        column.grow(<size_t>(column.own_offsets[column.length] + count) * sizeof(int64_t))
        if count and total == 0:
            strings = PyUnicode_CheckExact(<object>PySequence_Fast_ITEMS(sequences[s])[0])
        total += count
    if numbered and strings:
        table.begin(<size_t>total)
    for s in range(n):
        if not numbered:
            break
        if sequences[s] is None:
            continue
        column = <IdColumn>columns[s]
        tokens = PySequence_Fast_ITEMS(sequences[s])
        count = PySequence_Fast_GET_SIZE(sequences[s])
        out = <int64_t*>column.own_data + column.own_offsets[column.length]
        if strings:
            numbered = table.number_strings(tokens, count, out)
            column.bits |= table.tokens
        else:
            numbered = copy_integers(tokens, count, out, &column.bits)
    if vocabulary is None and not numbered:
        vocabulary = {}
    for s in range(n):
        column = <IdColumn>columns[s]
        if sequences[s] is None:
            column.append_absent()
            continue
        if numbered:
            count = PySequence_Fast_GET_SIZE(sequences[s])
        else:
            count = number_hashables(
                sequences[s], names[s], i, vocabulary, frozen,
                <int64_t*>column.own_data + column.own_offsets[column.length],
                column.room(),
            )
            column.bits |= <uint64_t>-1 if frozen else <uint64_t>len(vocabulary)
        column.length += 1
        column.own_offsets[column.length] = column.own_offsets[column.length - 1] + count
    return 0


def collect_tokens(
    list sources not None, list names not None, Py_ssize_t complete, Py_ssize_t start, Py_ssize_t stop,
    Py_ssize_t first=0, dict vocabulary=None, bint frozen=False, Py_ssize_t most_tokens=PY_SSIZE_T_MAX,
):
    """Numbers a range of segments from several sources, in lockstep, until there are enough tokens.

    Args:
        sources: Lists or tuples of sequences of hashable tokens.
        names: What errors call each source, a str or a Place.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        start: First segment, >= 0.
        stop: One behind the last.
        first: What segment 0 is called in an error.
        vocabulary: Token -> id, which new tokens are added to unless it is frozen; None: ids hold within a segment.
        frozen: Give tokens that the vocabulary has not the id -1, which equals no reference's.
        most_tokens: Stop behind the segment that makes all tokens together more than this.

    Returns:
        A list of IdColumns, one per source, and one behind the last segment that they hold.

    Raises:
        TypeError: A segment is no sequence of tokens, or a token cannot be hashed; says which, and where.
        ValueError: A segment is too long.
        RuntimeError: A list became shorter meanwhile.
    """
    cdef Py_ssize_t n = len(sources), s, i = start
    cdef int64_t read = 0
    cdef TokenTable table = TokenTable()
    cdef list columns = [], sequences
    cdef Column column
    for s in range(n):
        if not isinstance(sources[s], (list, tuple)):
            raise wrong_type(names[s], "a list or a tuple of sequences of tokens", sources[s])
        column = IdColumn()
        column.bits = 0
        column.reserve_segments(stop - start)
        column.grow(0)
        columns.append(column)
    while i < stop and read <= most_tokens:
        if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
            PyErr_CheckSignals()
        sequences = []
        for s in range(n):
            tokens = item(sources[s], isinstance(sources[s], list), i, names[s])
            if tokens is None and s < complete:
                raise wrong_type(place(names[s], first + i), "a sequence of tokens", None)
            sequences.append(tokens)
        append_tokens(table, columns, sequences, names, first + i, vocabulary, frozen)
        read = 0
        for s in range(n):
            column = <Column>columns[s]
            read += column.own_offsets[column.length]
        i += 1
    for s in range(n):
        (<Column>columns[s]).finish()
    return columns, i
