"""References that are read and tokenized once, and scored against many times."""

from __future__ import annotations

from itertools import zip_longest

from ..errors import ArgumentValueError
from ..inputs.columns import Tokens
from ._segment import count_references, no_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    from ..inputs.columns import Kind

    #: What decides tokens: the tokenizer's signature, whether case is ignored, the largest order, and the user's own
    #: tokenizer, if there is one.
    Identity: TypeAlias = tuple[str, bool, int, Callable[[str], Sequence[Hashable]] | None]


class References:
    """References of a number of segments, prepared by `BLEU.prepare` or `BLEU.prepare_segments`.

    They belong to the options they were prepared with (tokenizer, case, order); a BLEU with others refuses them. They
    have a length, and slices and index arrays give the references of a mini-batch, sharing the memory: with k samples
    per prompt, `references[numpy.repeat(batch, k)]`. They never change, so any number of threads may score against
    them, and they can be pickled.

    What is kept is text, ready to be tokenized, or tokens or ids: about as many bytes as the text has as UTF-8, and 8
    for each id; see `nbytes`.

    Args:
        identity: What decides their tokens: the options that they belong to.
        kind: Whether they were text, tokens or ids.
        held: All references, those of a segment next to each other: a column of text or ids; or a list of sequences of
            tokens, with None for an absent one.
        starts: int64 [n], the first reference of each segment,
        stops: int64 [n], and one after its last.

    Attributes:
        num_references: References of each segment; -1 where segments differ in it, 0 where there are no segments.
        kind: As given; for the other modules of this package only, as are `held`, `ranges`, `check` and `streams`.
        held: As given.
        are_tokens: Whether sequences of tokens are held.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> references = bleu.prepare([["the cat sat on the mat", "it rained all day"]])
        >>> len(references), len(references[:1])
        (2, 1)
        >>> round(bleu.corpus_score(["it rained the whole day"], references[[1]]).score, 2)
        23.64
    """

    __slots__ = ("_identity", "_starts", "_stops", "held", "kind", "num_references")

    def __init__(self, identity: Identity, kind: Kind, held: Any, starts: Any, stops: Any) -> None:
        self._identity = identity
        self.kind = kind
        self.held = held
        self._starts, self._stops = starts, stops
        if self.are_tokens:
            numbers = [
                sum([each is not None for each in held[start:stop]])
                for start, stop in zip(starts, stops, strict=True)
            ]
            if 0 in numbers:
                raise no_reference(numbers.index(0))
            self.num_references: int = numbers[0] if len({*numbers}) == 1 else -bool(numbers)
        else:
            self.num_references = count_references(held, starts, stops)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, key: int | slice | Sequence[int] | Any) -> References:
        """The references of some segments.

        Args:
            key: A slice, an array or sequence of segment numbers (repetitions allowed), a bool array as long as
                these references, or one number, for the references of that segment alone.

        Raises:
            IndexError: A number is out of range.
            TypeError: The key is none of these.
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
            raise IndexError(f"references[{key!r}] of {len(self)} segments: {error}") from None
        return References(self._identity, self.kind, self.held, starts, stops)

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, shared with all that was sliced from the same references."""
        if self.are_tokens:
            return 8 * sum([len(each) for each in self.held if each is not None])
        held: int = self.held.nbytes
        return held + 16 * len(self)

    def __repr__(self) -> str:
        number = "var" if self.num_references < 0 else self.num_references
        segments = "1 segment" if len(self) == 1 else f"{len(self)} segments"
        return f"<References of {segments}, nrefs:{number}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from array import array

        numbers: list[int] = []
        bounds = array("q", [0])
        for segment in range(len(self)):
            numbers += range(self._starts[segment], self._stops[segment])
            bounds.append(len(numbers))
        held = [self.held[k] for k in numbers] if self.are_tokens else self.held.take(array("q", numbers))
        return References, (self._identity, self.kind, held, bounds[:-1], bounds[1:])

    # For the other modules of this package

    @property
    def are_tokens(self) -> bool:
        """True if sequences of tokens are held, and no column."""
        return isinstance(self.held, list)

    def check(self, identity: Identity, segments: int | None = None) -> None:
        """Check that they were prepared with these options and, unless that is None, for a number of segments.

        Raises:
            ValueError: They were not.
        """
        if self._identity != identity:
            theirs, ours = (
                f"tokenizer {options[0]}, lowercase={options[1]}, max_ngram_order={options[2]}"
                for options in (self._identity, identity)
            )
            if theirs == ours:
                ours = "another tokenizer of that name"
            raise ArgumentValueError("references", f"were prepared with {theirs}, but this metric has {ours}")
        if segments is not None and len(self) != segments:
            raise ArgumentValueError(
                "references", f"were prepared for {len(self)} segments, but hypotheses holds {segments}"
            )

    def ranges(self, start: int, stop: int) -> tuple[Any, Any]:
        """Return where the references of the segments start..stop - 1 begin and end, int64 [stop - start] each."""
        return self._starts[start:stop], self._stops[start:stop]

    def streams(self, start: int, stop: int) -> list[Tokens]:
        """Return the tokens of the segments start..stop - 1 as streams."""
        starts, stops = map(list, self.ranges(start, stop))
        number = stops[0] - starts[0]
        bounds = [*range(starts[0], stops[-1] + 1, number)] if number else []
        if starts == bounds[:-1] and stops == bounds[1:]:
            # Without a loop over segments where each has as many references.
            held = [self.held[first : stops[-1] : number] for first in range(*bounds[:2])]
        else:
            groups = [self.held[first:after] for first, after in zip(starts, stops, strict=True)]
            held = list(map(list, zip_longest(*groups)))
        return [Tokens(stream, "references", True) for stream in held]

    def of(self, segment: int) -> list[Any]:
        """Return the references of a segment as they are held: str, ready to be tokenized, or their tokens.

        Text is in lower case if case is ignored, and what a tokenizer of third parties made of it. None is an absent
        reference.
        """
        return [self.held[k] for k in range(self._starts[segment], self._stops[segment])]
