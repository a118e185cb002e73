"""Arrow arrays, taken from their producers by the C data interface, without pyarrow.

An array is moved here from the capsule in which its producer hands it over, and released when the last column over it
is gone. What it says of itself is checked before it is read: numbers of buffers and children when it comes in, offsets
and indices when their rows are read. The interface gives no size of a buffer: the last offset of an array is trusted.

https://arrow.apache.org/docs/format/CDataInterface.html
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport grow, release
from fastbleu.inputs._column cimport Int64Buffer

from fastbleu.errors import ArgumentTypeError, ArgumentValueError, place

cdef extern from "_native/bits.h" nogil:
    int64_t fb_once_32(const void* place)
    int64_t fb_once_64(const void* place)

cdef enum:
    DEEPEST = 64                 # levels of a type
    LONGEST_WIDTH = 12           # characters of the format of lists of one size

# The most rows of an array and before it: no sum of them, nor their bytes, exceed 64 bits.
cdef int64_t MOST_ROWS = <int64_t>1 << 48

# How messages name types, by their formats.
cdef dict TYPE_NAMES = {
    "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32",
    "l": "int64", "L": "uint64", "e": "float16", "f": "float", "g": "double", "z": "binary", "Z": "large_binary",
    "vz": "binary_view", "u": "string", "U": "large_string", "vu": "string_view", "tdD": "date32", "tdm": "date64",
    "+s": "struct", "+m": "map", "+r": "run_end_encoded",
}
cdef dict LIST_NAMES = {"+l": "list", "+L": "large_list", "+vl": "list_view", "+vL": "large_list_view"}

# Formats of text; and bytes of integers, of which a capital letter is an unsigned one.
cdef tuple TEXT_FORMATS = ("u", "U", "vu")
cdef dict INTEGER_BYTES = {"c": 1, "C": 1, "s": 2, "S": 2, "i": 4, "I": 4, "l": 8, "L": 8}


cdef object format_of(const ArrowSchema* schema):
    return schema.format.decode("utf-8", "replace")


cdef object name_type(const ArrowSchema* schema):
    """The Arrow type, as pyarrow prints it."""
    letters = format_of(schema)
    if schema.dictionary != NULL:
        return f"dictionary<values={name_type(schema.dictionary)}, indices={TYPE_NAMES.get(letters, letters)}>"
    if letters in LIST_NAMES and schema.n_children == 1:
        return f"{LIST_NAMES[letters]}<{name_type(schema.children[0])}>"
    if letters.startswith("+w:") and schema.n_children == 1:
        return f"fixed_size_list<{name_type(schema.children[0])}>[{letters[3:]}]"
    for prefix, name in (("d:", "decimal"), ("w:", "fixed_size_binary"), ("ts", "timestamp"), ("tt", "time"),
                         ("tD", "duration"), ("ti", "interval"), ("+u", "union")):
        if letters.startswith(prefix):
            return name
    return TYPE_NAMES.get(letters, repr(letters))


cdef bint is_list(const ArrowSchema* schema) except -1:
    """Return whether an array holds lists of its only child."""
    letters = format_of(schema)
    return schema.dictionary == NULL and (letters in LIST_NAMES or letters.startswith("+w:"))


cpdef object damaged(object name, str problem):
    """The error for an array that breaks the rules of the interface."""
    return ArgumentValueError(name, f"is not a valid Arrow array: {problem}")


# Arrays, and what holds them

cdef class Arrays:
    """Arrays of one type that were moved here, with their schema."""

    cdef ArrowSchema schema
    cdef ArrowArray* arrays      # a buffer
    cdef Py_ssize_t number

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.number):
            self.arrays[i].release(&self.arrays[i])
        release(<void**>&self.arrays)
        if self.schema.release != NULL:
            self.schema.release(&self.schema)

    cdef ArrowArray* next(self) except NULL:
        """The place of the next array, which counts once `number` is one more."""
        grow(<void**>&self.arrays, <size_t>self.number + 1, sizeof(ArrowArray))
        return &self.arrays[self.number]

    def describe(self, bint is_column):
        """Say what the arrays hold, or the only column of tables.

        Returns:
            The type as messages name it; its format; and the names of its children. The formats are those of lists,
            from the outermost on, and of what stands in them. A dictionary of strings has the format of its strings,
            and any other one "dictionary".
        """
        cdef const ArrowSchema* schema = self.schema.children[0] if is_column else &self.schema
        cdef const ArrowSchema* at = schema
        cdef list formats = [], names = []
        cdef int64_t c
        for c in range(at.n_children):
            child = b"" if at.children[c].name == NULL else <bytes>at.children[c].name
            names.append(child.decode("utf-8", "replace"))
        while is_list(at):
            formats.append(format_of(at))
            at = at.children[0]
        letters = format_of(at)
        if at.dictionary != NULL:
            # A dictionary of strings is read as strings, and no other one is read.
            letters = format_of(at.dictionary)
            if letters not in TEXT_FORMATS or at.dictionary.dictionary != NULL:
                letters = "dictionary"
        formats.append(letters)
        return name_type(schema), formats, names

    def rows(self, bint is_column, name not None):
        """All rows of the arrays, or of the only column of tables: a node for each array.

        Raises:
            ValueError: The column is shorter than its table.
        """
        cdef Py_ssize_t i
        cdef Node each
        cdef list nodes = []
        for i in range(self.number):
            each = node(self, &self.schema, &self.arrays[i], 0, self.arrays[i].length)
            if is_column:
                each = each.child(each.array.offset, each.length)
                if each.first + each.length > each.array.length:
                    raise damaged(name, f"its column has {each.array.length} rows, too few for its table")
            nodes.append(each)
        return nodes


cdef class Bytes:
    """Memory of an array, for what reads the buffer protocol."""

    cdef object owner
    cdef const void* data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, <void*>self.data, self.size, True, flags)


cdef class Node:
    """Some rows of an array, of its child, or of a child's child."""

    def __len__(self):
        return self.length

    @property
    def letters(self):
        """The format of the array."""
        return format_of(self.schema)

    @property
    def start(self):
        """The number of the first row among those that the buffers hold."""
        return self.array.offset + self.first

    def memory(self, Py_ssize_t number, Py_ssize_t size, name not None):
        """The first bytes of a buffer, of which an array without rows needs none.

        Raises:
            ValueError: It is missing.
        """
        cdef Bytes found = Bytes()
        found.owner = self.owner
        found.data = buffer(self.array, number, self.length > 0, name)
        found.size = size if found.data != NULL else 0
        return memoryview(found)

    def validity(self, name not None):
        """A bit for each row that the buffers hold, set if it is not null; None if all are."""
        if buffer(self.array, 0, False, name) == NULL:
            return None
        return self.memory(0, (self.start + self.length + 7) // 8, name)

    def child(self, int64_t first, int64_t length):
        """Some rows of the only child."""
        return node(self.owner, self.schema.children[0], self.array.children[0], first, length)


cdef Node node(
    object owner, const ArrowSchema* schema, const ArrowArray* array, int64_t first, int64_t length
):
    cdef Node found = Node()
    found.owner = owner
    found.schema = schema
    found.array = array
    found.first = first
    found.length = length
    return found


cdef int check_schema(const ArrowSchema* schema, int depth, object name) except -1:
    """Checks what a schema says of itself.

    Raises:
        ValueError: It cannot be so.
    """
    cdef int64_t c
    if schema.format == NULL or schema.n_children < 0 or schema.n_children > 0 and schema.children == NULL:
        raise damaged(name, "its schema has no format, or its children are missing")
    if depth > DEEPEST:
        raise damaged(name, f"its type is more than {DEEPEST} levels deep")
    letters = format_of(schema)
    if is_list(schema) and schema.n_children != 1:
        raise damaged(name, f"its lists have {schema.n_children} children")
    if letters.startswith("+w:") and not (letters[3:].isdecimal() and len(letters) <= LONGEST_WIDTH):
        raise damaged(name, f"its type is {letters!r}")
    for c in range(schema.n_children):
        if schema.children[c] == NULL:
            raise damaged(name, f"child {c} of its schema is missing")
        check_schema(schema.children[c], depth + 1, name)
    if schema.dictionary != NULL:
        check_schema(schema.dictionary, depth + 1, name)
    return 0


cdef int check_array(const ArrowSchema* schema, const ArrowArray* array, object name) except -1:
    """Checks what an array says of itself, and its children.

    Raises:
        ValueError: It cannot be so.
    """
    cdef int64_t c
    if not 0 <= array.length <= MOST_ROWS or not 0 <= array.offset <= MOST_ROWS:
        raise damaged(name, f"its length is {array.length} and its offset {array.offset}")
    if array.n_buffers < 0 or array.n_children != schema.n_children:
        raise damaged(name, f"it has {array.n_buffers} buffers and {array.n_children} children, "
                            f"and its schema {schema.n_children}")
    if (array.dictionary == NULL) != (schema.dictionary == NULL):
        raise damaged(name, "its dictionary is not what its schema says")
    if array.n_buffers > 0 and array.buffers == NULL or array.n_children > 0 and array.children == NULL:
        raise damaged(name, "its buffers or children are missing")
    for c in range(array.n_children):
        if array.children[c] == NULL or schema.children == NULL or schema.children[c] == NULL:
            raise damaged(name, f"its child {c} is missing")
        check_array(schema.children[c], array.children[c], name)
    if array.dictionary != NULL:
        check_array(schema.dictionary, array.dictionary, name)
    return 0


cdef const void* buffer(const ArrowArray* array, Py_ssize_t number, bint needed, object name) except? NULL:
    """A buffer of an array; NULL if it has none and needs none."""
    if number >= array.n_buffers:
        raise damaged(name, f"it has {array.n_buffers} buffers, too few for its type")
    if needed and array.buffers[number] == NULL:
        raise damaged(name, f"its buffer {number} is missing")
    return array.buffers[number]


cdef void* pointer(object capsule, const char* kind, object name) except NULL:
    if not PyCapsule_IsValid(capsule, kind):
        raise ArgumentTypeError(name, f"gave no capsule named {kind.decode()!r} by Arrow's C data interface")
    return PyCapsule_GetPointer(capsule, kind)


# Two threads that are given one capsule must not both move what it holds.
@cython.critical_section
cdef int move(object capsule, const char* kind, void* moved, void* its_release, size_t size, object name) except -1:
    """Moves a structure out of its capsule, where its `release` is NULL from then on."""
    cdef char* given = <char*>pointer(capsule, kind, name)
    cdef void** given_release = <void**>(given + (<char*>its_release - <char*>moved))
    if given_release[0] == NULL:
        raise ArgumentValueError(
            name, "is an Arrow array or stream that was released or moved to another reader before")
    memcpy(moved, given, size)
    given_release[0] = NULL
    return 0


cdef int read_stream(object capsule, object name, Arrays found) except -1:
    """Takes all arrays of a stream. The lock is released while it makes them: it may need other threads."""
    cdef ArrowArrayStream stream
    cdef ArrowArray* array
    cdef int code
    move(capsule, "arrow_array_stream", &stream, &stream.release, sizeof(ArrowArrayStream), name)
    try:
        with nogil:
            code = stream.get_schema(&stream, &found.schema)
        if code:
            raise failed(&stream, code, name)
        if found.schema.release == NULL:
            raise damaged(name, "its stream has no schema")
        check_schema(&found.schema, 0, name)
        while True:
            array = found.next()
            array.release = NULL
            with nogil:
                code = stream.get_next(&stream, array)
            if code:
                raise failed(&stream, code, name)
            if array.release == NULL:
                return 0
            found.number += 1
    finally:
        stream.release(&stream)


cdef object failed(ArrowArrayStream* stream, int code, object name):
    """The error for a stream that has ended with an error."""
    from os import strerror

    cdef const char* text = stream.get_last_error(stream)
    said = "" if text == NULL else text.decode("utf-8", "replace").strip()
    return ArgumentValueError(
        name, f"cannot be read: its Arrow stream failed with {said.splitlines()[0] if said else strerror(code)!r}")


def take_arrays(value, name not None):
    """The arrays of an object that gives Arrow data.

    Args:
        value: Has `__arrow_c_array__` or `__arrow_c_stream__`.
        name: What errors call it.

    Raises:
        TypeError: It gives something else.
        ValueError: It was released before, its stream failed, or an array cannot be what it says.
    """
    cdef Arrays found = Arrays()
    cdef ArrowArray* array
    cdef Py_ssize_t i
    if hasattr(value, "__arrow_c_array__"):
        capsules = value.__arrow_c_array__()
        if not isinstance(capsules, tuple) or len(capsules) != 2:
            raise ArgumentTypeError(name, "gave no two capsules: __arrow_c_array__ must return two")
        pointer(capsules[1], "arrow_array", name)  # both are looked at before one is moved
        move(capsules[0], "arrow_schema", &found.schema, &found.schema.release, sizeof(ArrowSchema), name)
        array = found.next()
        move(capsules[1], "arrow_array", array, &array.release, sizeof(ArrowArray), name)
        found.number = 1
        check_schema(&found.schema, 0, name)
    else:
        read_stream(value.__arrow_c_stream__(), name, found)
    for i in range(found.number):
        check_array(&found.schema, &found.arrays[i], name)
    return found


cdef inline int64_t number_at(const void* numbers, int64_t i, bint is_wide) noexcept nogil:
    """Number i of an array of int32 or int64, which another thread may change."""
    return fb_once_64(<const int64_t*>numbers + i) if is_wide else fb_once_32(<const int32_t*>numbers + i)


cdef int read_bounds(Node rows, int64_t* starts, int64_t* ends, object name, Py_ssize_t row) except -1:
    """Finds where each list begins and ends among the items; `row` is the number of the first one in errors."""
    cdef int64_t i, at = rows.array.offset + rows.first, first, last, width = 0
    cdef int64_t items = rows.array.children[0].length
    cdef const void* offsets = NULL
    cdef const void* sizes = NULL
    letters = format_of(rows.schema)
    cdef bint is_fixed = letters.startswith("+w:"), is_view = letters.startswith("+v"), is_wide = letters.endswith("L")
    if is_fixed:
        width = int(letters[3:])
        if rows.length and width and at + rows.length > items // width:
            raise damaged(name, f"it has {items} items for {rows.length} lists of {width}")
    else:
        offsets = buffer(rows.array, 1, rows.length > 0, name)
        if is_view:
            sizes = buffer(rows.array, 2, rows.length > 0, name)
    for i in range(rows.length):
        if is_fixed:
            first = (at + i) * width
            last = first + width
        else:
            first = number_at(offsets, at + i, is_wide)
            if is_view:
                last = <int64_t>(<uint64_t>first + <uint64_t>number_at(sizes, at + i, is_wide))
            else:
                last = number_at(offsets, at + i + 1, is_wide)
        if not 0 <= first <= last <= items:
            raise damaged(place(name, row + i), f"its list goes from {first} to {last} of {items} items")
        starts[i], ends[i] = first, last
    return 0


def split_lists(list rows not None, starts, ends, name not None):
    """Finds where lists begin and end in arrays of lists of one type, among the items of all of them, in order.

    Args:
        rows: What `Arrays.rows` makes of the arrays.
        starts: Gets where each list begins, an array of int64; the first one at 0, each other one where the last ends.
        ends: Gets where it ends.
        name: What errors call the lists.

    Returns:
        Flags of those that are null, or None if none is; and the rows that hold the items.

    Raises:
        ValueError: Offsets point outside the items.
    """
    cdef Node each
    cdef Int64Buffer start = Int64Buffer(starts, "starts", 1, True), stop = Int64Buffer(ends, "ends", 1, True)
    cdef Py_ssize_t i, row = 0
    cdef int64_t base = 0, first, last, size
    cdef const uint8_t* validity
    cdef list children = []
    absent = None
    for each in rows:
        read_bounds(each, start.data + row, stop.data + row, name, row)
        validity = <const uint8_t*>buffer(each.array, 0, False, name)
        first = last = 0
        for i in range(row, row + each.length):
            size = stop.data[i] - start.data[i]
            if validity != NULL and not is_set(validity, each.array.offset + each.first + i - row):
                absent = bytearray(start.rows) if absent is None else absent
                absent[i] = 1
                size = 0  # what stands in a list that is null may be anything
            if size and start.data[i] != last:
                # What lies between two lists belongs to none: text there need not even be UTF-8.
                children.append(each.child(first, last - first))
                first = last = start.data[i]
            last += size
            start.data[i] = base
            base += size
            stop.data[i] = base
        children.append(each.child(first, last - first))
        row += each.length
    return absent, children
