"""Arrays made by hand for Arrow's C data interface. Each counts how often it is released."""

from __future__ import annotations

import ctypes
import sys
from array import array
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any


class CSchema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, POINTER(CSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, POINTER(CArray))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, POINTER(CStream))
GET_SCHEMA = ctypes.CFUNCTYPE(c_int, POINTER(CStream), POINTER(CSchema))
GET_NEXT = ctypes.CFUNCTYPE(c_int, POINTER(CStream), POINTER(CArray))
GET_ERROR = ctypes.CFUNCTYPE(c_void_p, POINTER(CStream))

CSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(CSchema))),
    ("dictionary", POINTER(CSchema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", c_void_p),
]
CArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(CArray))),
    ("dictionary", POINTER(CArray)),
    ("release", RELEASE_ARRAY),
    ("private_data", c_void_p),
]
CStream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = py_object
new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]

# The parts of arrays that were given to a reader and are not released yet.
GIVEN: set[tuple[str, HandMade]] = set()


class HandMade:
    """An array with the memory that it points to; as an argument, it gives itself by the C data interface.

    Once it is given, it lives until both its schema and its array are released, as the arrays of real producers do.

    Attributes:
        released: How often the array has been released.
        schemas_released: How often its schema has.
    """

    def __init__(
        self,
        format_: str,
        length: int,
        buffers: list[bytes | None],
        offset: int = 0,
        children: list[HandMade] | None = None,
        dictionary: HandMade | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.released = self.schemas_released = 0
        self._children = children or []
        self._dictionary = dictionary
        # Exactly as large as they have to be, so that the sanitizers see every read beyond their end.
        self._memory = [
            None if each is None else (ctypes.c_char * len(each)).from_buffer_copy(each) for each in buffers
        ]
        self.schema, self.array = CSchema(), CArray()
        self._release_schema = RELEASE_SCHEMA(self._schema_released)
        self._release_array = RELEASE_ARRAY(self._array_released)
        schema, arr, n = self.schema, self.array, len(self._children)
        schema.format, schema.name = format_.encode(), b""
        schema.n_children = arr.n_children = n
        schema.release, arr.release = self._release_schema, self._release_array
        if n:
            self._schemas = (POINTER(CSchema) * n)(
                *(ctypes.pointer(child.schema) for child in self._children)
            )
            self._arrays = (POINTER(CArray) * n)(*(ctypes.pointer(child.array) for child in self._children))
            schema.children = ctypes.cast(self._schemas, POINTER(POINTER(CSchema)))
            arr.children = ctypes.cast(self._arrays, POINTER(POINTER(CArray)))
        for child, name in zip(self._children, names or [], strict=False):
            child.schema.name = name.encode()
        if dictionary is not None:
            schema.dictionary, arr.dictionary = (
                ctypes.pointer(dictionary.schema),
                ctypes.pointer(dictionary.array),
            )
        arr.length, arr.null_count, arr.offset, arr.n_buffers = length, -1, offset, len(buffers)
        self._pointers = (c_void_p * max(1, len(buffers)))(
            *(None if each is None else ctypes.addressof(each) for each in self._memory)
        )
        arr.buffers = ctypes.cast(self._pointers, POINTER(c_void_p))

    def give_schema(self) -> None:
        GIVEN.add(("schema", self))

    def give_array(self) -> None:
        GIVEN.add(("array", self))

    def _schema_released(self, schema: Any) -> None:
        self.schemas_released += 1
        schema.contents.release = RELEASE_SCHEMA()
        GIVEN.discard(("schema", self))

    def _array_released(self, arr: Any) -> None:
        self.released += 1
        arr.contents.release = RELEASE_ARRAY()
        GIVEN.discard(("array", self))

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        assert requested_schema is None
        self.give_schema()
        self.give_array()
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


class HandMadeStream:
    """A stream of arrays of one type.

    Args:
        arrays: What it gives.
        fails_at: The number of the array in whose place it fails; None: it does not.
        message: What it says then; None: nothing.
    """

    def __init__(
        self,
        arrays: list[HandMade],
        fails_at: int | None = None,
        message: bytes | None = b"disk on fire\nat line 1",
    ) -> None:
        self.arrays = arrays
        self.released = 0
        self._fails_at = fails_at
        self._message = None if message is None else ctypes.create_string_buffer(message)
        self._given = 0
        self.stream = CStream()
        self._callbacks = (
            GET_SCHEMA(self._schema),
            GET_NEXT(self._next),
            GET_ERROR(lambda _: None if self._message is None else ctypes.addressof(self._message)),
            RELEASE_STREAM(self._stream_released),
        )
        for name, callback in zip(
            ("get_schema", "get_next", "get_last_error", "release"), self._callbacks, strict=True
        ):
            setattr(self.stream, name, callback)

    def _schema(self, _: Any, out: Any) -> int:
        self.arrays[0].give_schema()
        ctypes.memmove(out, ctypes.byref(self.arrays[0].schema), ctypes.sizeof(CSchema))
        return 0

    def _next(self, _: Any, out: Any) -> int:
        if self._given == self._fails_at:
            return 5
        if self._given == len(self.arrays):
            ctypes.memset(out, 0, ctypes.sizeof(CArray))
            return 0
        self.arrays[self._given].give_array()
        ctypes.memmove(out, ctypes.byref(self.arrays[self._given].array), ctypes.sizeof(CArray))
        self._given += 1
        return 0

    def _stream_released(self, stream: Any) -> None:
        self.released += 1
        stream.contents.release = RELEASE_STREAM()

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        assert requested_schema is None
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def bits(flags: list[bool]) -> bytes:
    """Flags as Arrow packs them."""
    packed = bytearray((len(flags) + 7) // 8)
    for i, flag in enumerate(flags):
        packed[i // 8] |= flag << (i % 8)
    return bytes(packed)


def offsets_of(sizes: list[int], code: str, first: int = 0) -> bytes:
    """Offsets of items of these sizes, int32 ("i") or int64 ("q")."""
    found = array(code, (first,))
    for size in sizes:
        found.append(found[-1] + size)
    return found.tobytes()


def text_array(texts: list[str | None], format_: str = "u", skip: int = 0) -> HandMade:
    """A valid array of text; `skip` more rows stand before its offset."""
    rows = ["é"] * skip + texts
    data = [b"" if text is None else text.encode() for text in rows]
    validity = bits([text is not None for text in rows]) if None in texts else None
    if format_ != "vu":
        offsets = offsets_of([len(each) for each in data], "i" if format_ == "u" else "q")
        return HandMade(format_, len(texts), [validity, offsets, b"".join(data)], skip)
    views, pool = bytearray(), bytearray()
    for each in data:
        views += len(each).to_bytes(4, sys.byteorder)
        if len(each) <= 12:
            views += each.ljust(12, b"\0")
        else:
            views += each[:4] + (0).to_bytes(4, sys.byteorder) + len(pool).to_bytes(4, sys.byteorder)
            pool += each
    sizes = array("q", [len(pool)]).tobytes()
    return HandMade(format_, len(texts), [validity, bytes(views), bytes(pool), sizes], skip)


def dictionary_array(texts: list[str | None], code: str = "i", values: str = "u", skip: int = 0) -> HandMade:
    """A valid dictionary of text, with indices of the type `code` of the module array."""
    formats = {"b": "c", "B": "C", "h": "s", "H": "S", "i": "i", "I": "I", "q": "l", "Q": "L"}
    distinct = list(dict.fromkeys(text for text in texts if text is not None)) or ["unused"]
    rows = [distinct[0]] * skip + texts
    indices = array(code, (0 if text is None else distinct.index(text) for text in rows))
    validity = bits([text is not None for text in rows]) if None in texts else None
    words: list[str | None] = [*distinct]
    return HandMade(
        formats[code], len(texts), [validity, indices.tobytes()], skip, dictionary=text_array(words, values)
    )


def list_array(lists: list[list[Any] | None], items: HandMade, format_: str = "+l") -> HandMade:
    """Lists of items, which stand one after the other."""
    sizes = [0 if each is None else len(each) for each in lists]
    validity = bits([each is not None for each in lists]) if None in lists else None
    offsets = offsets_of(sizes, "i" if format_ == "+l" else "q")
    return HandMade(format_, len(lists), [validity, offsets], children=[items])


def integer_array(values: list[int | None], format_: str = "l") -> HandMade:
    """An array of integers."""
    codes = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q"}
    data = array(codes[format_], (0 if value is None else value for value in values))
    validity = bits([value is not None for value in values]) if None in values else None
    return HandMade(format_, len(values), [validity, data.tobytes()])
