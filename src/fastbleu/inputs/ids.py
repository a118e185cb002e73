"""Token ids as training loops produce them: padded matrices, and lists of rows of different lengths."""

from __future__ import annotations

import sys

from ..errors import ArgumentError, ArgumentValueError, Location, counted, locate, wrong_type, wrong_value
from ..options import check_integer
from ._ids import repeated_end
from ._integers import gather
from .arrow import ArrowLists, is_arrow
from .devices import ArrayKind, array_kind
from .id_arrays import as_host_array, as_row, is_number_array, lists_of_integers, on_host, width_of
from .id_options import IGNORED, check_id_options
from .large_integers import UnknownToken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, overload

    from numpy import int64
    from numpy.typing import NDArray

    from .id_options import Ids

#: The number of ids of each column in a chunk. The ids of a column then fit in the second-level cache.
CHUNK_IDS = 1 << 16

#: The ids that replace `unk_id` in hypotheses and in references. They differ, so that unknown tokens never match.
_UNKNOWN = (-1, -2)

_MAX_ID = (1 << 63) - 1

#: The name of the ids in errors, unless they are the value of an argument with another name.
_IDS = Location("ids")


class TokenIds:
    """Segments as token ids, with options that tell which ids are not tokens.

    A `BLEU` with `tokenize="none"` accepts TokenIds instead of a list of segments. In each row, leading padding is
    skipped, the first `eos_id` ends the row, and padding and ignored ids in between are excluded. The remaining ids are
    the segment's tokens; none of them may be negative. Padding may be on either side of a row. If `pad_id` equals
    `eos_id`, this id is padding at the start of a row, and ends the row elsewhere. A row may be empty, and so may the
    matrix.

    The caller must cut off ids that precede the model's output: the prompt of a causal model
    (`ids[:, prompt_length:]`), or the first id of an encoder-decoder whose output starts with its `eos_id`, such as
    BART (`ids[:, 1:]`).

    The array is not copied. It is read each time it is scored, and no Python object is created per token. If the array
    is changed during a call, the score may be computed from both old and new ids.

    TokenIds are also a sequence, whose items are lists of int that are created on access. Slices and lists of indices
    select segments. To score only some of the columns of a matrix, slice the array before passing it to TokenIds.

    Args:
        ids: One of three: (1) A matrix [B, T] of any integer type, strides and byte order: a NumPy array, a torch
            tensor, a JAX array, or an object with the buffer protocol or DLPack. (2) B rows: a list of arrays [T], of
            lists or of tuples of int, where None is a missing reference; or an Arrow column of lists of integers.
            (3) The references of each segment, an array [B, R, T]. A reference is missing if it contains only padding
            and ignored ids. If this is true of all R references of a segment, they are empty instead of missing.
        pad_id: The padding id, or a list, tuple, set or array of several; or None.
        eos_id: The end-of-sequence id, or a list, tuple, set or array of several, as in the generation config of a
            language model; or None. The first of these ids in a row ends the row, and is not a token.
        ignore_id: The id that is excluded wherever it occurs, such as -100 in the labels of a trainer; or None.
        unk_id: The id of a token that is counted but matches no token, not even itself; or None.
        lengths: The number of ids to read from each row, [B] or [B, R] integers in 0..T. Later ids are ignored.

    Raises:
        TypeError: `ids` has another type, does not contain integers (bool and float are not integers), or cannot be
            copied from its device; or an option is not an integer.
        ValueError: `ids` has another number of dimensions, `lengths` do not fit the shape of `ids`, an id in an option
            does not fit int64, or `pad_id` or `eos_id` is an empty collection.

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

    __slots__ = (
        "_id_filter",
        "_ids",
        "_is_array",
        "_is_implicit",
        "_kind",
        "_lengths",
        "_options",
        "_shape",
        "is_per_segment",
    )

    #: Whether the shape is [B, R, T]: the references of each segment.
    is_per_segment: bool

    def __init__(
        self,
        ids: Any,
        *,
        pad_id: Ids = None,
        eos_id: Ids = None,
        ignore_id: int | None = IGNORED,
        unk_id: int | None = None,
        lengths: Sequence[int] | Sequence[Sequence[int]] | Any = None,
    ) -> None:
        self._options, self._id_filter = check_id_options(pad_id, eos_id, ignore_id, unk_id)
        if is_arrow(ids) and not isinstance(ids, (list, tuple)) and not is_number_array(ids, (2, 3)):
            ids = lists_of_integers(ids, _IDS)
        self._ids = ids
        self._is_array = False  # Whether `ids` is a NumPy array, which needs no conversion.
        self._is_implicit = False  # Whether the user passed `ids` to a metric without TokenIds.
        self._kind: ArrayKind | None = None  # The kind of array for results; None if it is that of `_ids`.
        self._shape: tuple[int, ...]
        if isinstance(ids, ArrowLists):
            self._shape = (len(ids),)
        elif isinstance(ids, (list, tuple)):
            first = next(iter(ids), None)
            self._kind = array_kind(first) if hasattr(first, "__dlpack__") else None
            # Copy the list, so that later changes of the caller's list have no effect.
            self._ids = [row if type(row) is list else on_host(row, _IDS[i]) for i, row in enumerate(ids)]
            for i, row in enumerate(self._ids):
                if type(row) is not list:
                    as_row(row, _IDS, i)
            self._shape = (len(self._ids),)
        else:
            self._ids = on_host(ids, _IDS)
            if self._ids is not ids:
                self._kind = ArrayKind(ids)
            array = as_host_array(self._ids, _IDS)
            self._is_array = array is self._ids
            self._shape = array.shape
            if len(self._shape) not in (2, 3):
                raise ArgumentValueError(
                    _IDS,
                    "must have the shape [segments, tokens] or [segments, references, tokens], "
                    f"not {list(self._shape)}",
                    value=ids,
                )
        self.is_per_segment = len(self._shape) == 3
        self._lengths: Any = None if lengths is None else _as_lengths(lengths, self._shape, self.widths())

    def widths(self) -> list[int]:
        """Return the number of ids in each row, including padding."""
        if isinstance(self._ids, ArrowLists):
            bounds = self._ids.bounds
            widths: list[int] = (bounds[1:] - bounds[:-1]).tolist()
            return widths
        if isinstance(self._ids, list):
            return list(map(width_of, self._ids))
        number = self._shape[0] * (self._shape[1] if self.is_per_segment else 1)
        return [self._shape[-1]] * number

    def _array(self, name: Location) -> NDArray[Any]:
        """Return the ids as a NumPy array [B, T] or [B, R, T].

        The array is created in each call, because the object with the ids may move its memory between calls.

        Raises:
            RuntimeError: The shape has changed.
        """
        array = self._ids if self._is_array else as_host_array(self._ids, name)
        if array.shape != self._shape:
            raise RuntimeError(f"{name} had the shape {list(self._shape)}, and now has {list(array.shape)}")
        return array

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape: (B, T) or (B, R, T) for an array, or (B,) for a list of rows."""
        return self._shape

    @property
    def array_kind(self) -> ArrayKind:
        """Return the kind of array for results: the kind of `ids`, or of its first row if it is a list."""
        return self._kind or array_kind(self._ids)

    @property
    def rule(self) -> dict[str, Any]:
        """Return the options by name, except `lengths`, in a new dict. An option with several ids is a tuple."""
        return self._options.copy()

    def __len__(self) -> int:
        return self._shape[0]

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Any: ...

        @overload
        def __getitem__(self, index: slice | list[int]) -> TokenIds: ...

    def __getitem__(self, index: int | slice | list[int]) -> Any:
        """Return the tokens of one segment, or select segments.

        Returns:
            For an int, a list of int; if `ids` have the shape [B, R, T], a list of R such lists, with None for a
            missing reference. For a slice or a list of int, TokenIds of these segments with the same options.

        Raises:
            TypeError: The index has another type.
            IndexError: The index is out of range.
        """
        if not isinstance(index, (slice, list)):
            return self.tokens(self._number(index), _IDS)
        chosen = list(range(len(self))[index] if isinstance(index, slice) else map(self._number, index))
        data: Any
        if isinstance(self._ids, (list, ArrowLists)):
            data = [self._ids[i] for i in chosen]
        else:
            data = self._array(_IDS)[index if isinstance(index, slice) else chosen]
        lengths = None if self._lengths is None else self._lengths[chosen]
        part = TokenIds(data, **self._options, lengths=lengths)
        part._kind = self.array_kind
        return part

    def _number(self, index: int) -> int:
        """Return the index of a segment counted from 0; a negative `index` is counted from the end."""
        i = check_integer("index", index, -sys.maxsize)
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for {counted(len(self), 'segment')}")
        return i % len(self)

    def tokens(self, i: int, name: Location) -> Any:
        """Return the tokens of segment i as `__getitem__` does; `name` is the location of the ids in errors."""
        unknown = self._options["unk_id"]
        rows = [column[0] for column in self.read(i, i + 1, is_reference=True, name=name)]
        if unknown is not None:
            rows = [
                row if row is None else [UnknownToken(unknown) if id_ < 0 else id_ for id_ in row]
                for row in rows
            ]
        return rows if self.is_per_segment else rows[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self._options.items() if value is not None)
        return f"<TokenIds {list(self._shape)}{options}{'' if self._lengths is None else ', with lengths'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from functools import partial

        lengths: list[Any] | None = None if self._lengths is None else self._lengths.tolist()
        # Convert Arrow lists to Python lists, because the arrays of some libraries cannot be pickled.
        ids = list(self._ids) if isinstance(self._ids, ArrowLists) else self._ids
        return partial(TokenIds, **self._options, lengths=lengths), (ids,)

    def joined(self) -> TokenIds:
        """Return references [B, R, T] as segments [B * R, T], without a copy if the memory layout allows it.

        Raises:
            RuntimeError: The shape of the array has changed.
        """
        array = self._array(_IDS)
        joined = type(self)(array.reshape(self._shape[0] * self._shape[1], self._shape[2]), **self._options)
        joined._lengths = None if self._lengths is None else self._lengths.ravel()
        return joined

    def in_matrix(self) -> TokenIds:
        """Convert a list of rows to a matrix [B, T]; return an array of ids unchanged."""
        if len(self._shape) > 1:
            return self
        import numpy as np

        widths = self.widths()
        matrix = np.zeros((len(widths), max(widths, default=0)), dtype=np.int64)
        for row, width, given in zip(matrix, widths, self._ids, strict=True):
            row[:width] = given
        return TokenIds(matrix, **self._options, lengths=widths if self._lengths is None else self._lengths)

    def read(
        self, start: int, stop: int, *, is_reference: bool, name: Location, token_counts: Any = None
    ) -> list[Any]:
        """Read a range of segments as columns for the kernels.

        Args:
            start: The index of the first segment.
            stop: The index after the last segment.
            is_reference: Whether the segments are references. If so, a row may be None, a missing reference.
            name: The argument's name in errors.
            token_counts: Output for a matrix, int64 [stop - start, T]: item [i, t] is the number of tokens among the
                first t + 1 ids of row start + i; or None.

        Returns:
            A list of R columns for an array [B, R, T], else of one column.

        Raises:
            TypeError: An id is not an integer; the message names its index.
            ValueError: An id is negative or does not fit int64; the message names its index and value.
            RuntimeError: The shape of the array has changed.
        """
        lengths = None if self._lengths is None else self._lengths[start:stop].ravel()
        rows: Any = self._ids
        ids: Any
        bounds: Any
        bounds = missing = None
        if isinstance(rows, list):
            ids, bounds, missing = gather(rows[start:stop], name, start)
        elif isinstance(rows, ArrowLists):
            ids, bounds = rows.flat, (rows.bounds[start:stop], rows.bounds[start + 1 : stop + 1])
            missing = rows.missing and rows.missing[start:stop]
        else:
            rows = self._array(name)
            ids = rows if stop - start == len(rows) else rows[start:stop]
        if bounds is not None and lengths is not None:
            for i, (first, after, length) in enumerate(zip(*bounds, lengths.tolist(), strict=True), start):
                if after - first < length:
                    raise RuntimeError(f"{name[i]} became shorter while it was scored")
        try:
            columns, bad = self._id_filter.read(
                ids, _UNKNOWN[is_reference], bounds, missing, lengths, token_counts
            )
        except ArgumentError as error:  # The error is that a row is too long.
            raise error.at(name[tuple(start + i for i in error.indices)]) from None
        first_missing = -1 if missing is None or is_reference else missing.find(1)
        if first_missing >= 0 and (bad is None or first_missing < bad[0]):
            raise wrong_type(name[start + first_missing], "a sequence of token ids", None)
        if bad is not None:
            raise self._invalid_id(rows, name, start, *bad)
        return columns

    def _invalid_id(
        self, rows: Any, name: Location, start: int, i: int, k: int, t: int
    ) -> ArgumentValueError:
        """Return the error for an id that is negative or does not fit int64: id t in row k of segment start + i."""
        row, where = rows[start + i], name
        if self.is_per_segment:
            row, where = row[k], name.before(k)
        value = int(row[t])
        reason = "and a token id must not be negative"
        if value > _MAX_ID:
            reason = f"more than the {_MAX_ID} that a token id may be"
        elif -value <= _MAX_ID:
            reason += f"; if it is not a token, pass TokenIds(..., pad_id={value})"
        return ArgumentValueError(where[start + i][t], f"is {value}, {reason}", value=value)

    def tokens_per_segment(self) -> int:
        """Return the mean number of ids in a row, including padding, to estimate the number of tokens per segment."""
        return self._shape[-1] if len(self._shape) > 1 else sum(self.widths()) // max(1, len(self))

    def undeclared_padding(self, name: Location) -> int | None:
        """Return the id that seems to be padding in an array that the user passed without TokenIds, or None."""
        if not self._is_implicit or len(self._shape) == 1:
            return None
        return repeated_end(self._array(name))

    def stop_after(self, start: int, stop: int, max_ids: int) -> int:
        """Return the index after the last segment of a chunk.

        Args:
            start: The index of the first segment of the chunk.
            stop: The largest allowed result.
            max_ids: The approximate number of ids in the chunk.
        """
        if len(self._shape) > 1:
            ids = self._shape[-1] * (self._shape[1] if self.is_per_segment else 1)
            return stop if (stop - start) * ids <= max_ids else min(stop, start + 1 + max_ids // max(1, ids))
        if isinstance(self._ids, ArrowLists):
            bounds = self._ids.bounds
            if bounds[stop] - bounds[start] <= max_ids:
                return stop
            return min(stop, int(bounds.searchsorted(bounds[start] + max_ids)))
        for i in range(start, stop):
            max_ids -= width_of(self._ids[i])
            if max_ids <= 0:
                return i + 1
        return stop


def as_token_ids(value: Any, name: str | Location, **options: int | None) -> TokenIds:
    """Create TokenIds from an argument whose name is not "ids". Errors mention the name of the argument.

    Args:
        value: The argument `ids` of TokenIds.
        name: The name of the argument in errors.
        options: Token-id options. Without any, the user is assumed to have passed `value` without TokenIds.

    Raises:
        TypeError, ValueError: `TokenIds` rejects the value or an option.
    """
    try:
        ids = TokenIds(value, **options)
    except ArgumentError as error:
        raise error.at(locate(name)[error.indices]) from None
    ids._is_implicit = not options
    return ids


def _as_lengths(lengths: Any, shape: tuple[int, ...], widths: list[int]) -> NDArray[int64]:
    """Check the option `lengths`, and convert it to an array.

    Args:
        lengths: The value of the option.
        shape: The shape of the ids.
        widths: The number of ids in each row, including padding.

    Returns:
        int64 [B], or [B, R] if the ids have the shape [B, R, T].

    Raises:
        TypeError: The value is not a sequence of integers.
        ValueError: There are more or fewer lengths than rows, or a length is negative or exceeds the row's ids.
    """
    import numpy as np

    rows = lengths.tolist() if hasattr(lengths, "tolist") else lengths
    per_segment = len(shape) == 3
    if not isinstance(rows, (list, tuple)):
        raise wrong_type("lengths", "a sequence of integers, one for each row", lengths)
    if len(rows) != shape[0]:
        raise ArgumentValueError(
            "lengths", f"has the length {len(rows)}, but ids has {counted(shape[0], 'row')}"
        )
    name = Location("lengths")
    checked: list[int] = []
    for i, row in enumerate(rows):
        if per_segment and (not isinstance(row, (list, tuple)) or len(row) != shape[1]):
            raise wrong_value(name[i], f"a list of {shape[1]} lengths, one for each reference", row)
        for k, length in enumerate(row if per_segment else [row]):
            where = name[i, k] if per_segment else name[i]
            checked.append(check_integer(where, length, 0, widths[len(checked)]))
    return np.array(checked, np.int64).reshape(shape[: len(shape) - 1 or 1])
