"""Token ids as in training loops: padded matrices, and ragged lists of arrays."""

from __future__ import annotations

import sys

from ..errors import ArgumentError, ArgumentValueError, Location, counted, locate, wrong_type, wrong_value
from ..options import check_integer
from ._ids import repeated_end
from ._integers import gather
from .arrow import ArrowLists, is_arrow
from .devices import ArrayKind, array_kind
from .id_arrays import (
    as_row,
    is_number_array,
    lists_of_integers,
    on_host,
    view_of,
    width_of,
)
from .id_options import IGNORED, check_id_options
from .number_keys import UnknownToken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, overload

    from numpy import int64
    from numpy.typing import NDArray

    from .id_options import Ids

#: Read this many ids of a source at a time; they fit into the second-level cache.
CHUNK_IDS = 1 << 16

#: The ids that replace `unk_id` in hypotheses and in references. They are different, so that they never match.
_UNKNOWN = (-1, -2)

_MAX_ID = (1 << 63) - 1

#: The name of ids in errors, unless the caller knows another one.
_IDS = Location("ids")


class TokenIds:
    """Segments as token ids, with the options by which they are read.

    A BLEU with `tokenize="none"` accepts them in place of any list of segments. In each row, leading padding is
    skipped, the first `eos_id` ends the row, and padding and ignored ids are excluded from the rest. The remaining ids
    are the segment's tokens; none of them may be negative. So padding may be on either side, and `pad_id` may equal
    `eos_id` (then leading ones are padding). Rows and the matrix may be empty.

    Any other id is a token. The caller must cut off ids before the model's output: the prompt of a causal model
    (`ids[:, prompt_length:]`), or the first id of an encoder-decoder that starts with its `eos_id`, such as BART
    (`ids[:, 1:]`).

    The array is read in place each time it is scored, and no Python object is created per token. If it is changed
    during a call, old and new ids are counted together.

    As a sequence, its items are lists of int, created on access; slices and lists of indices select segments. To score
    some of the columns, slice the array and wrap the slice.

    Args:
        ids: A matrix [B, T] of any integer type, strides and byte order: a NumPy array, a torch tensor, a JAX array, or
            anything with the buffer protocol or DLPack. Or B rows: a list of arrays [T], lists or tuples of int (among
            references, None is a missing one); or an Arrow column of lists of integers. Or the references of each
            segment [B, R, T]: one that holds only padding and ignored ids is missing; but if all references of a
            segment do, they are empty instead of missing.
        pad_id: The padding id: an int, or several (a list, a tuple, a set, an array), or None.
        eos_id: The id that ends a row, and is not a token: an int, or several, as in the generation config of a
            language model, of which the first one in a row ends it; or None.
        ignore_id: The id that is excluded wherever it occurs, such as -100 among the labels of a trainer; or None.
        unk_id: The id of a token that counts, but matches no token, not even itself; or None.
        lengths: The number of ids to read from each row, [B] or [B, R] integers in 0..T; the rest is ignored.

    Raises:
        TypeError: `ids` has another type, does not hold integers (bool and float are not integers), or cannot be
            copied from its device; an option is not an integer.
        ValueError: `ids` has another number of dimensions, `lengths` do not fit, an id in an option does not fit
            int64, or `pad_id` or `eos_id` is an empty collection.

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
        "_given",
        "_id_filter",
        "_ids",
        "_is_array",
        "_is_bare",
        "_kind",
        "_lengths",
        "_shape",
        "is_per_segment",
    )

    #: Whether the shape is [B, R, T], with several references per segment.
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
        self._given, self._id_filter = check_id_options(pad_id, eos_id, ignore_id, unk_id)
        if is_arrow(ids) and not isinstance(ids, (list, tuple)) and not is_number_array(ids, (2, 3)):
            ids = lists_of_integers(ids, _IDS)
        self._ids = ids
        self._is_array = False  # Whether `ids` is a NumPy array, which needs no conversion.
        self._is_bare = False
        self._kind: ArrayKind | None = None
        self._shape: tuple[int, ...]
        if isinstance(ids, ArrowLists):
            self._shape = (len(ids),)
        elif isinstance(ids, (list, tuple)):
            first = next(iter(ids), None)
            self._kind = array_kind(first) if hasattr(first, "__dlpack__") else None
            # Copy the list, so that neither changes when the caller's list does.
            self._ids = [row if type(row) is list else on_host(row, _IDS[i]) for i, row in enumerate(ids)]
            for i, row in enumerate(self._ids):
                if type(row) is not list:
                    as_row(row, _IDS, i)
            self._shape = (len(self._ids),)
        else:
            self._ids = on_host(ids, _IDS)
            if self._ids is not ids:
                self._kind = ArrayKind(ids)
            seen = view_of(self._ids, _IDS)
            self._is_array = seen is self._ids
            self._shape = seen.shape
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

    def _seen(self, name: Location) -> NDArray[Any]:
        """Return the matrix, read again because an object may move its memory at any time.

        Raises:
            RuntimeError: Its shape has changed.
        """
        seen = self._ids if self._is_array else view_of(self._ids, name)
        if seen.shape != self._shape:
            raise RuntimeError(f"{name} had the shape {list(self._shape)}, and now has {list(seen.shape)}")
        return seen

    @property
    def shape(self) -> tuple[int, ...]:
        """Return [B, T] or [B, R, T], or [B] for a list of rows."""
        return self._shape

    @property
    def array_kind(self) -> ArrayKind:
        """Return the kind of array for results: that of the input, or of the first row of a list."""
        return self._kind or array_kind(self._ids)

    @property
    def rule(self) -> dict[str, Any]:
        """Return a copy of the options by name, without the lengths. Several ids are a tuple."""
        return self._given.copy()

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
            For an int: a list of int, or a list of R of them (None for a missing one). For a slice or a list of int:
            TokenIds with the same options.

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
            data = self._seen(_IDS)[index if isinstance(index, slice) else chosen]
        lengths = None if self._lengths is None else self._lengths[chosen]
        part = TokenIds(data, **self._given, lengths=lengths)
        part._kind = self.array_kind
        return part

    def _number(self, index: int) -> int:
        """Return the index of a segment, from 0; a negative index counts from the end."""
        i = check_integer("index", index, -sys.maxsize)
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for {counted(len(self), 'segment')}")
        return i % len(self)

    def tokens(self, i: int, name: Location) -> Any:
        """Return the tokens of segment i; `name` is the name of the ids in errors."""
        unknown = self._given["unk_id"]
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
        rule = "".join(f", {name}={value}" for name, value in self._given.items() if value is not None)
        return f"<TokenIds {list(self._shape)}{rule}{'' if self._lengths is None else ', with lengths'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from functools import partial

        lengths: list[Any] | None = None if self._lengths is None else self._lengths.tolist()
        # The Arrow arrays of some libraries cannot be pickled.
        ids = list(self._ids) if isinstance(self._ids, ArrowLists) else self._ids
        return partial(TokenIds, **self._given, lengths=lengths), (ids,)

    def joined(self) -> TokenIds:
        """Return the rows [B, R, T] as segments [B * R, T], without a copy if the memory layout allows it.

        Raises:
            RuntimeError: The array's shape has changed.
        """
        seen = self._seen(_IDS)
        joined = type(self)(seen.reshape(self._shape[0] * self._shape[1], self._shape[2]), **self._given)
        joined._lengths = None if self._lengths is None else self._lengths.ravel()
        return joined

    def in_matrix(self) -> TokenIds:
        """Return the rows of a list as a matrix [B, T]; return a matrix unchanged."""
        if len(self._shape) > 1:
            return self
        import numpy as np

        widths = self.widths()
        matrix = np.zeros((len(widths), max(widths, default=0)), dtype=np.int64)
        for row, width, given in zip(matrix, widths, self._ids, strict=True):
            row[:width] = given
        return TokenIds(matrix, **self._given, lengths=widths if self._lengths is None else self._lengths)

    def read(
        self, start: int, stop: int, *, is_reference: bool, name: Location, kept: Any = None
    ) -> list[Any]:
        """Read a range of segments.

        Args:
            start: The first segment.
            stop: One after the last segment.
            is_reference: Whether the segments are references, among which a row may be None.
            name: The argument's name in errors.
            kept: Output, int64 [stop - start, T]: the number of tokens up to each index of a matrix; or None.

        Returns:
            One column, or one for each of R references.

        Raises:
            TypeError, ValueError: An id is not an int, or is not allowed; the message names its index and value.
            RuntimeError: The array's shape has changed.
        """
        lengths = None if self._lengths is None else self._lengths[start:stop].ravel()
        source: Any = self._ids
        ids: Any
        bounds: Any
        bounds = missing = None
        if isinstance(source, list):
            ids, bounds, missing = gather(source[start:stop], name, start)
        elif isinstance(source, ArrowLists):
            ids, bounds = source.flat, (source.bounds[start:stop], source.bounds[start + 1 : stop + 1])
            missing = source.missing and source.missing[start:stop]
        else:
            source = self._seen(name)
            ids = source if stop - start == len(source) else source[start:stop]
        if bounds is not None and lengths is not None:
            for i, (first, after, length) in enumerate(zip(*bounds, lengths.tolist(), strict=True), start):
                if after - first < length:
                    raise RuntimeError(f"{name[i]} became shorter while it was scored")
        try:
            columns, bad = self._id_filter.read(ids, _UNKNOWN[is_reference], bounds, missing, lengths, kept)
        except ArgumentError as error:  # A row is too long.
            raise error.at(name[tuple(start + i for i in error.indices)]) from None
        first_missing = -1 if missing is None or is_reference else missing.find(1)
        if first_missing >= 0 and (bad is None or first_missing < bad[0]):
            raise wrong_type(name[start + first_missing], "a sequence of token ids", None)
        if bad is not None:
            raise self._refused(source, name, start, *bad)
        return columns

    def _refused(self, source: Any, name: Location, start: int, i: int, k: int, t: int) -> ArgumentValueError:
        """Return the error for an id that is not allowed, at index t of row k of segment start + i."""
        row, where = source[start + i], name
        if self.is_per_segment:
            row, where = row[k], name.before(k)
        value = int(row[t])
        reason = "and a token id must not be negative"
        if value > _MAX_ID:
            reason = f"more than the {_MAX_ID} that a token id may be"
        elif -value <= _MAX_ID:
            reason += f"; if it is not a token, pass pad_id={value} or ignore_id={value}"
        return ArgumentValueError(where[start + i][t], f"is {value}, {reason}", value=value)

    def tokens_per_segment(self) -> int:
        """Estimate the number of ids per segment, including padding and ids after the end of a row."""
        return self._shape[-1] if len(self._shape) > 1 else sum(self.widths()) // max(1, len(self))

    def undeclared_padding(self, name: Location) -> int | None:
        """Return the id that seems to pad the rows of a matrix passed without TokenIds, or None."""
        if not self._is_bare or len(self._shape) == 1:
            return None
        return repeated_end(self._seen(name))

    def stop_after(self, start: int, stop: int, max_ids: int) -> int:
        """Return where a chunk of about `max_ids` ids ends that begins at `start`; at most `stop`."""
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


def as_token_ids(value: Any, name: str | Location, **rule: int | None) -> TokenIds:
    """Create TokenIds from a value whose argument is not called "ids".

    Raises:
        TypeError, ValueError: As `TokenIds`.
    """
    try:
        ids = TokenIds(value, **rule)
    except ArgumentError as error:
        raise error.at(locate(name)[error.indices]) from None
    ids._is_bare = not rule
    return ids


def _as_lengths(lengths: Any, shape: tuple[int, ...], widths: list[int]) -> NDArray[int64]:
    """Check the lengths of all rows; return int64 [B], or [B, R] for several references per segment."""
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
    for i, each in enumerate(rows):
        if per_segment and (not isinstance(each, (list, tuple)) or len(each) != shape[1]):
            raise wrong_value(name[i], f"a list of {shape[1]} lengths, one for each reference", each)
        for k, length in enumerate(each if per_segment else [each]):
            where = name[i, k] if per_segment else name[i]
            checked.append(check_integer(where, length, 0, widths[len(checked)]))
    return np.array(checked, np.int64).reshape(shape[: len(shape) - 1 or 1])
