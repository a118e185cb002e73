"""References that are checked and read once, so that many sets of hypotheses can be scored against them."""

from __future__ import annotations

from itertools import zip_longest

from ..errors import ArgumentValueError, counted
from ..inputs.columns import Tokens
from ._segment import count_references, no_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    from ..inputs.columns import Kind

    #: The options for which references are prepared: the tokenizer's signature, whether case is ignored, the largest
    #: n-gram order, and the tokenizer itself if it is a callable of the user, otherwise None.
    Identity: TypeAlias = tuple[str, bool, int, Callable[[str], Sequence[Hashable]] | None]


class References:
    """The references of n segments, prepared by `BLEU.prepare` or `BLEU.prepare_segments`.

    They can be used only with the options they were prepared with (tokenizer, case, order). `len()` is the number of
    segments. Slices and index arrays select segments, such as those of a mini-batch, and share the memory: with k
    samples per prompt, `references[numpy.repeat(batch, k)]`. References are immutable, so any number of threads may
    score against them, and they can be pickled.

    Text takes about as many bytes as it has in UTF-8, and token ids take 8 bytes each; see `nbytes`. Text is stored
    untokenized.

    Args:
        identity: The options for which the references are prepared.
        kind: The kind of the references: text, tokens or ids.
        data: All references; the references of a segment are consecutive. Text and ids are a column. Tokens are a list
            with a sequence of tokens for each reference, or None for a missing reference.
        starts: int64 [n], the index in `data` of each segment's first reference.
        stops: int64 [n], one after the index in `data` of each segment's last reference.

    Attributes:
        num_references: The number of references per segment; -1 if segments differ in it, 0 if there are no segments.
        kind: The argument `kind`. It is internal, like `data`, `are_tokens`, `ranges`, `check`, `streams` and `of`.
        data: The argument `data`.
        are_tokens: Whether `data` is a list of sequences of tokens.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> references = bleu.prepare([["the cat sat on the mat", "it rained all day"]])
        >>> len(references), len(references[:1])
        (2, 1)
        >>> round(bleu.corpus_score(["it rained the whole day"], references[[1]]).score, 2)
        23.64
    """

    __slots__ = ("_identity", "_starts", "_stops", "data", "kind", "num_references")

    def __init__(self, identity: Identity, kind: Kind, data: Any, starts: Any, stops: Any) -> None:
        self._identity = identity
        self.kind = kind
        self.data = data
        self._starts, self._stops = starts, stops
        if self.are_tokens:
            numbers = [
                sum([each is not None for each in data[start:stop]])
                for start, stop in zip(starts, stops, strict=True)
            ]
            if 0 in numbers:
                raise no_reference(numbers.index(0))
            self.num_references: int = numbers[0] if len({*numbers}) == 1 else -bool(numbers)
        else:
            self.num_references = count_references(data, starts, stops)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, key: int | slice | Sequence[int] | Any) -> References:
        """Select the references of some segments.

        Args:
            key: A slice; an array or sequence of segment indices, which may repeat an index; a bool array with an entry
                for each segment; or the index of a single segment.

        Returns:
            The references of the selected segments. They share the memory of this object.

        Raises:
            IndexError: An index is out of range, or a bool array does not have one entry per segment.
            TypeError: The key has another type.
        """
        import numpy as np

        if isinstance(key, (list, tuple)):
            key = np.asarray(key, dtype=None if key else np.int64)
        if not isinstance(key, slice):
            kind = np.asarray(key)
            if kind.dtype.kind not in "iub" or kind.ndim > 1 or isinstance(key, bool):
                raise TypeError(
                    f"references take a slice, a number, or an array of numbers with one dimension, not {key!r}"
                )
        try:
            starts, stops = [
                np.ascontiguousarray(np.atleast_1d(np.asarray(bounds)[key]))
                for bounds in (self._starts, self._stops)
            ]
        except IndexError as error:
            raise IndexError(f"references[{key!r}] of {counted(len(self), 'segment')}: {error}") from None
        return References(self._identity, self.kind, self.data, starts, stops)

    @property
    def nbytes(self) -> int:
        """Return the number of bytes of memory used. Selections from the same references share this memory."""
        if self.are_tokens:
            return 8 * sum([len(each) for each in self.data if each is not None])
        data: int = self.data.nbytes
        return data + 16 * len(self)

    def __repr__(self) -> str:
        number = "var" if self.num_references < 0 else self.num_references
        return f"<References of {counted(len(self), 'segment')}, nrefs:{number}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from array import array

        numbers: list[int] = []
        bounds = array("q", [0])
        for segment in range(len(self)):
            numbers += range(self._starts[segment], self._stops[segment])
            bounds.append(len(numbers))
        data = [self.data[k] for k in numbers] if self.are_tokens else self.data.take(array("q", numbers))
        return References, (self._identity, self.kind, data, bounds[:-1], bounds[1:])

    # For other modules of this package

    @property
    def are_tokens(self) -> bool:
        """Return whether `data` is a list of sequences of tokens rather than a column of text or ids."""
        return isinstance(self.data, list)

    def check(self, identity: Identity, segments: int | None = None) -> None:
        """Check that the references can be used with a metric and its hypotheses.

        Args:
            identity: The options of the metric that must equal those of the references.
            segments: The number of segments of the hypotheses; None to skip its check.

        Raises:
            ValueError: The options or the numbers of segments differ.
        """
        if self._identity != identity:
            theirs, ours = (
                f"tokenizer {tokenizer}, lowercase={lowercase}, max_ngram_order={order}"
                if order
                else f"the characters of CHRF, lowercase={lowercase}"
                for tokenizer, lowercase, order, *_ in (self._identity, identity)
            )
            if theirs == ours:
                ours = "another tokenizer of that name"
            raise ArgumentValueError("references", f"were prepared with {theirs}, but this metric has {ours}")
        if segments is not None and len(self) != segments:
            raise ArgumentValueError(
                "references",
                f"were prepared for {counted(len(self), 'segment')}, but hypotheses holds {segments}",
            )

    def ranges(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return the `starts` and `stops` of the segments start..stop - 1, int64 [stop - start] each."""
        return self._starts[start:stop], self._stops[start:stop]

    def streams(self, start: int, stop: int) -> list[Tokens]:
        """Return the references of the segments start..stop - 1 as streams of tokens, padded with None."""
        starts, stops = map(list, self.ranges(start, stop))
        number = stops[0] - starts[0]
        bounds = [*range(starts[0], stops[-1] + 1, number)] if number else []
        if starts == bounds[:-1] and stops == bounds[1:]:
            # If all segments have the same number of references, slicing is faster than a loop over the segments.
            data = [self.data[first : stops[-1] : number] for first in range(*bounds[:2])]
        else:
            groups = [self.data[first:after] for first, after in zip(starts, stops, strict=True)]
            data = list(map(list, zip_longest(*groups)))
        return [Tokens(stream, "references", True) for stream in data]

    def of(self, segment: int) -> list[Any]:
        """Return the references of a segment: a list of str, or of sequences of tokens, with None for a missing one.

        A str is lowercased if case is ignored. If the tokenizer is a third-party package, the str is its output.
        """
        return [self.data[k] for k in range(self._starts[segment], self._stops[segment])]
