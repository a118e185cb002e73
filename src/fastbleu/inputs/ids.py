"""Token ids as those who train models hold them: padded matrices, and ragged lists of arrays."""

from __future__ import annotations

from array import array

from .._columns import describe
from .._ids import IdArray, IdRule, read_matrix, read_rows
from ..checks import check_integer
from .text import STREAMS, as_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .text import Reader

#: Ids of a source read at a time; what is at hand stays within a processor's second-level cache.
_CHUNK_IDS = 1 << 16

#: What a rule may ask for; one number less than int64 holds stands for ids that are too large.
_LEAST_ID, _MOST_ID = 1 - (1 << 63), (1 << 63) - 1

#: The kinds of memory of DLPack that this processor reads: its own, and what it shares with accelerators.
_READABLE_DEVICES = (1, 3, 11, 13)


class TokenIds:
    """Segments as token ids, with the rule by which they are read.

    They take the place of a list of segments wherever a BLEU with `tokenize="none"` takes one. Of each row leading
    padding is skipped, the first `eos_id` ends it, and padding and ignored ids are left out of the rest; what remains
    are the segment's tokens, none of which may be negative. So padding may be on either side, and `pad_id` may be the
    `eos_id`. Rows may be empty, and so may the matrix.

    The array is read in place each time it is scored, and no Python object is made of a token. Whoever changes it
    meanwhile gets counts of old and new ids.

    Args:
        ids: A matrix [B, T] of any integer type, strides and byte order: a NumPy array, a torch tensor on the CPU, a
            JAX array, whatever has the buffer protocol or DLPack. Or B rows: a list of arrays [T], lists or tuples of
            int (None among references is an absent one). Or references of each segment [B, R, T]: one that is nothing
            but padding and ignored ids is absent while another of the segment is not, otherwise there and empty.
        pad_id: Fills rows up. None: there is no padding.
        eos_id: Ends a row, and is no token itself. None: nothing does.
        ignore_id: Left out wherever it stands, as -100 among the labels of a trainer. None: nothing is.
        unk_id: A token that counts, but matches none, not even itself. None: all tokens match themselves.
        lengths: How many ids of each row there are, the rest of it being unseen: [B] or [B, R] integers in 0..T.

    Raises:
        TypeError: `ids` is none of these, holds no integers (bool and float are none), or lies on an accelerator.
        ValueError: It has another number of dimensions, `lengths` do not fit, or an id of the rule is beyond 64 bits.

    Example:
        >>> import numpy as np
        >>> from fastbleu import BLEU
        >>> hypotheses = TokenIds(np.array([[7, 8, 9, 2, 0, 0], [0, 0, 5, 6, 7, 2]]), pad_id=0, eos_id=2)
        >>> list(hypotheses)
        [[7, 8, 9], [5, 6, 7]]
        >>> references = TokenIds(np.array([[7, 8, 9, 2], [5, 6, 4, -100]]), pad_id=0, eos_id=2)
        >>> bleu = BLEU(tokenize="none", max_ngram_order=2)
        >>> bleu.sentence_scores(hypotheses, references).round(2).tolist()
        [100.0, 57.74]
    """

    __slots__ = ("_array", "_ids", "_lengths", "_rows", "_rule", "_shape", "rule")

    #: What stands for no token, by name.
    rule: dict[str, int | None]

    def __init__(
        self,
        ids: Any,
        *,
        pad_id: int | None = None,
        eos_id: int | None = None,
        ignore_id: int | None = -100,
        unk_id: int | None = None,
        lengths: Sequence[int] | Sequence[Sequence[int]] | Any = None,
    ) -> None:
        given = {"pad_id": pad_id, "eos_id": eos_id, "ignore_id": ignore_id, "unk_id": unk_id}
        self.rule = {
            name: None if value is None else check_integer(name, value, _LEAST_ID, _MOST_ID)
            for name, value in given.items()
        }
        self._rule = IdRule(**self.rule)
        self._ids = ids
        self._array: IdArray | None = None
        self._rows: list[Any] = []
        if isinstance(ids, (list, tuple)):
            self._rows = [_as_row(row, f"ids[{i}]") for i, row in enumerate(ids)]
            self._shape: tuple[int, ...] = (len(ids),)
            widths = [_width(row) for row in self._rows]
        else:
            self._array = as_id_array(ids, "ids")
            self._shape = self._array.shape
            if len(self._shape) not in (2, 3):
                raise ValueError(
                    f"ids must have the shape [segments, tokens] or [segments, references, tokens], "
                    f"not {list(self._shape)}"
                )
            rows = self._shape[0] * (self._shape[1] if len(self._shape) == 3 else 1)
            widths = [self._shape[-1]] * rows if lengths is not None else []
        self._lengths = None if lengths is None else _as_lengths(lengths, self._shape, widths)

    @property
    def shape(self) -> tuple[int, ...]:
        """[B, T] or [B, R, T]; of a list of rows, [B]."""
        return self._shape

    @property
    def is_per_segment(self) -> bool:
        """Whether there are several references of each segment."""
        return len(self._shape) == 3

    def __len__(self) -> int:
        return self._shape[0]

    def __getitem__(self, index: int) -> Any:
        """The tokens of a segment, those that match nothing too: a list of int, or a list of R of them (or None)."""
        i = index + len(self) if index < 0 else index
        if not 0 <= i < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} segments")
        unread = TokenIds.__new__(TokenIds)
        for name in TokenIds.__slots__:
            setattr(unread, name, getattr(self, name))
        unread._rule = IdRule(**{**self.rule, "unk_id": None})
        rows = [column[0] for column in unread.read(i, i + 1, is_reference=True, name="ids")]
        return rows if self.is_per_segment else rows[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        rule = "".join(f", {name}={value}" for name, value in self.rule.items() if value is not None)
        return f"<TokenIds {list(self._shape)}{rule}{'' if self._lengths is None else ', with lengths'}>"

    def read(self, start: int, stop: int, *, is_reference: bool, name: str, kept: Any = None) -> list[Any]:
        """Read a range of segments.

        Args:
            start: The first.
            stop: One behind the last.
            is_reference: Whether they are references.
            name: What to call them in an error.
            kept: int64 [stop - start, T], to be told how many tokens there are up to each place; or None.

        Returns:
            One column, or one for each of R references.

        Raises:
            TypeError, ValueError: An id is no int, or must not be; the message names the place and the value.
        """
        if self._array is not None:
            return read_matrix(self._array, self._rule, self._lengths, start, stop, is_reference, name, kept)
        return read_rows(self._rows, self._rule, self._lengths, start, stop, is_reference, is_reference, name)

    def stop_after(self, start: int, stop: int, most_ids: int) -> int:
        """Where to stop reading, `stop` or earlier, so as not to read many more ids than that."""
        if self._array is not None:
            row = self._shape[-1] * (self._shape[1] if self.is_per_segment else 1)
            return min(stop, start + 1 + most_ids // max(1, row))
        for i in range(start, stop):
            most_ids -= _width(self._rows[i])
            if most_ids <= 0:
                return i + 1
        return stop

    def __reduce__(self) -> tuple[Any, ...]:
        from functools import partial

        lengths: list[Any] | None = None if self._lengths is None else self._lengths.tolist()
        if lengths is not None and self.is_per_segment:
            number = self._shape[1]
            lengths = [lengths[i * number : (i + 1) * number] for i in range(len(self))]
        return partial(TokenIds, **self.rule, lengths=lengths), (self._ids,)


def as_id_array(value: Any, name: str) -> IdArray:
    """An array of integers, seen in place.

    Args:
        value: Whatever has the buffer protocol, DLPack or NumPy's `__array__`.
        name: What to call it in an error.

    Raises:
        TypeError: It is no array of integers, or on an accelerator.
    """
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name} must be an array of integers, not {describe(value)}")
    if hasattr(value, "__dlpack_device__") and not _is_readable(value):
        raise TypeError(
            f"{name} is on an accelerator ({getattr(value, 'device', 'unknown')}), where it cannot be read; "
            f"bring it here first: {name}.cpu()"
        )
    try:
        memoryview(value).release()
    except (TypeError, ValueError, BufferError):
        if not hasattr(value, "__array__") and not hasattr(value, "__dlpack__"):
            raise TypeError(f"{name} must be an array of integers, not {describe(value)}") from None
    else:
        return IdArray(value, name)
    import numpy as np

    try:
        # Both share the memory of what lies on the CPU.
        seen = np.asarray(value) if hasattr(value, "__array__") else np.from_dlpack(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise TypeError(f"{name} must be an array of integers, not {describe(value)}: {error}") from None
    return IdArray(seen, name)


def _is_readable(value: Any) -> bool:
    """Whether a thing with DLPack lies where this processor reads."""
    try:
        return int(value.__dlpack_device__()[0]) in _READABLE_DEVICES
    except (ValueError, RuntimeError, BufferError, TypeError):  # torch's "meta" device has no number
        return False


def _is_number_array(value: Any, dimensions: tuple[int, ...]) -> bool:
    """Whether a value is an array of numbers of that many dimensions."""
    if getattr(value, "ndim", None) not in dimensions or hasattr(value, "columns"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    # NumPy's arrays of objects and of text hold tokens of other kinds; other libraries have none.
    return kind not in ("O", "U", "S", "T")


def as_ids(value: Any, name: str, dimensions: tuple[int, ...] = (2,)) -> TokenIds | None:
    """Read arrays as ids.

    Args:
        value: Whatever holds segments.
        name: What to call it in an error.
        dimensions: How many an array must have to be read as ids.

    Returns:
        TokenIds as they are; arrays of so many dimensions and lists of arrays of integers as TokenIds; None for
        everything else.

    Raises:
        TypeError: An array holds numbers that are no integers, or is on an accelerator.
    """
    if isinstance(value, TokenIds):
        return value
    if isinstance(value, (list, tuple)):
        if value and type(value[0]) in (str, list):  # which is how most are
            return None
        first = next((row for row in value if row is not None), None)
        is_ids = not isinstance(first, (str, list, tuple)) and _is_number_array(first, (1,))
        is_ids = is_ids and "int" in str(first.dtype)  # type: ignore[union-attr]
    else:
        is_ids = _is_number_array(value, dimensions)
    if not is_ids:
        return None
    return _named(value, name)


def all_ids(value: Any, name: str) -> TokenIds:
    """Whatever holds segments as TokenIds; of lists of int nothing is ignored.

    Raises:
        TypeError: They are no sequences of int.
    """
    return value if isinstance(value, TokenIds) else _named(as_segments(value, name), name, ignore_id=None)


def _named(value: Any, name: str, **rule: int | None) -> TokenIds:
    """TokenIds of what its user calls otherwise."""
    try:
        return TokenIds(value, **rule)
    except (TypeError, ValueError) as error:
        message = str(error).replace("ids", name, 1).replace("ids.cpu()", f"{name}.cpu()")
        raise type(error)(message) from None


def _as_row(row: Any, name: str) -> Any:
    """A row of ids as a list, a tuple, an IdArray or None."""
    if row is None or isinstance(row, (list, tuple)):
        return row
    seen = as_id_array(row, name)
    if len(seen.shape) != 1:
        raise ValueError(f"{name} must have one dimension, not the shape {list(seen.shape)}")
    return seen


def _width(row: Any) -> int:
    """How many ids a row holds that `_as_row` has made."""
    if row is None:
        return 0
    width: int = row.shape[0] if isinstance(row, IdArray) else len(row)
    return width


def _as_lengths(lengths: Any, shape: tuple[int, ...], widths: list[int]) -> array[int]:
    """Lengths of all rows, checked, as int64."""
    found = lengths.tolist() if hasattr(lengths, "tolist") else list(lengths)
    per_segment = len(shape) == 3
    if len(found) != shape[0]:
        raise ValueError(f"lengths has {len(found)} rows, but ids has {shape[0]}")
    flat: list[Any] = []
    names: list[str] = []
    for i, length in enumerate(found):
        if not per_segment:
            flat.append(length)
            names.append(f"lengths[{i}]")
            continue
        if not isinstance(length, (list, tuple)) or len(length) != shape[1]:
            raise ValueError(
                f"lengths[{i}] must hold {shape[1]} lengths, one for each reference, got {length!r}"
            )
        flat.extend(length)
        names.extend(f"lengths[{i}][{k}]" for k in range(len(length)))
    checked = [
        check_integer(name, length, 0, width) for name, length, width in zip(names, flat, widths, strict=True)
    ]
    return array("q", checked)


def id_streams(references: Any, segments: int | None) -> list[tuple[TokenIds, str]]:
    """Checks references that are ids: TokenIds, or a list of streams of which at least one is.

    Args:
        references: TokenIds of one reference for each segment or of several, or streams; lists of ints are read as ids.
        segments: How many segments there must be; None: as many as in the first.

    Returns:
        Each source, and what to call it in an error.

    Raises:
        TypeError: A stream is nothing of the kind.
        ValueError: There is another number of segments.
    """
    if isinstance(references, TokenIds):
        sources = [(references, "references")]
    else:
        sources = []
        outer = as_segments(references, "references", STREAMS)
        if not outer:
            raise ValueError("references is empty; at least one stream of references is needed")
        for s, stream in enumerate(outer):
            ids = all_ids(stream, f"references[{s}]")
            if ids.is_per_segment:
                raise ValueError(
                    f"references[{s}] has the shape {list(ids.shape)}, references of each segment; pass it as "
                    "references, not in a list of streams"
                )
            sources.append((ids, f"references[{s}]"))
    expected = len(sources[0][0]) if segments is None else segments
    for ids, name in sources:
        if len(ids) != expected:
            found = (
                f"{name} has the shape {list(ids.shape)}"
                if len(ids.shape) > 1
                else f"{name} has {len(ids)} segments"
            )
            axes = ", which is [segments, references, tokens]" if ids.is_per_segment else ""
            raise ValueError(
                f"{found}{axes}, but references[0] has {expected} segments"
                if segments is None
                else f"{found}{axes}, but there are {expected} hypotheses"
            )
        if ids.is_per_segment and ids.shape[1] == 0:
            raise ValueError(f"{name} has the shape {list(ids.shape)}: no segment has any reference")
    return sources


def ids_reader(hypotheses: TokenIds | None, references: list[tuple[TokenIds, str]]) -> Reader:
    """Reads hypotheses, unless they are None, and references.

    Args:
        hypotheses: n segments.
        references: Of n segments each, with what to call them in an error.
    """
    sources = [(ids, name, True) for ids, name in references]
    if hypotheses is not None:
        sources.insert(0, (hypotheses, "hypotheses", False))

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        for ids, _, _ in sources:
            stop = ids.stop_after(start, stop, _CHUNK_IDS)
        columns: list[Any] = []
        for ids, name, is_reference in sources:
            columns.extend(ids.read(start, stop, is_reference=is_reference, name=name))
        return columns, stop

    return read
