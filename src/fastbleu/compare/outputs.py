"""The segments of all systems and their references: as text and tokens, made when they are asked for, and counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import ArgumentTypeError, ArgumentValueError, describe, wrong_type
from ..inputs.columns import TEXT
from ..inputs.number_keys import token_of
from ..inputs.reading import REFERENCES
from ..tokenizers._tokenize import tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ..counting.references import References
    from ..inputs.columns import Column
    from ..metric import BLEU
    from ..metric.chrf import CHRF

    Tokens: TypeAlias = tuple[Hashable, ...]


@dataclass(eq=False, repr=False)
class Outputs:
    """The segments that systems wrote, and their references.

    Args:
        metric: How to tokenize, count and score.
        _systems: The segments of each system, n of them.
        _references: The references of n segments.
        _streams: The references as they were given, if that was in streams; None if they were prepared before.
        _decode: What makes text of token ids.
        names: The names of the systems.
        statistics: The counts of their segments, int64 [systems, n, 2 + 2N].
    """

    metric: BLEU
    _systems: Sequence[Column]
    _references: References
    _streams: Sequence[Column] | None = None
    _decode: Callable[[list[int]], str] | None = None
    names: tuple[str, ...] = ()
    statistics: Any = None  # tests of text alone have none
    _vocabulary: list[Hashable] | None = field(default=None, init=False)

    @property
    def num_systems(self) -> int:
        """The number of systems."""
        return len(self._systems)

    @property
    def is_text(self) -> bool:
        """Return whether the segments of all systems are text."""
        return all(segments.kind == TEXT for segments in self._systems)

    def __len__(self) -> int:
        return len(self._references)

    @property
    def max_ngram_order(self) -> int:
        """N, the longest n-grams counted."""
        return self.metric.max_ngram_order

    @property
    def num_references(self) -> int:
        """References per segment, -1 if segments differ in it."""
        return self._references.num_references

    def sort(self, scores: Sequence[float]) -> None:
        """Put the systems in the order of their scores, the best first; equal ones stay as they are."""
        order = sorted(range(len(scores)), key=lambda s: -scores[s])
        self.names = tuple(self.names[s] for s in order)
        self.statistics = self.statistics[order]
        self._systems = [self._systems[s] for s in order]

    def counted_by(self, metric: BLEU | CHRF) -> dict[str, NDArray[int64]]:
        """The statistics of each system, by its name, as another metric counts them.

        Raises:
            TypeError, ValueError: The metric does not take the segments, or the references were prepared for BLEU.
        """
        systems: Any = self._systems
        streams: Any = self._streams
        if streams is None:
            raise ArgumentValueError(
                REFERENCES, "must be streams, and not prepared, to be scored by other metrics too"
            )
        return {
            name: metric.statistics(segments, streams)
            for name, segments in zip(self.names, systems, strict=True)
        }

    # Text

    def hypotheses(self, system: int) -> list[Any]:
        """All segments of a system as they were given: str, or sequences of tokens."""
        return list(self._systems[system].held)

    def hypothesis(self, system: int, segment: int) -> str:
        """A segment of a system as text."""
        return self._as_text(self._systems[system].held[segment])

    def references(self, segment: int) -> tuple[str | None, ...]:
        """The references of a segment as text, as far as that is known: else as it is tokenized."""
        if self._streams is not None and all(stream.kind in (TEXT, None) for stream in self._streams):
            found = [stream.held[segment] for stream in self._streams]
        else:
            found = list(self._references.held(segment))
            if not all(one is None or isinstance(one, str) for one in found):
                found = self.reference_tokens(segment)
        return tuple(None if one is None else self._as_text(one) for one in found)

    def _as_text(self, segment: Any) -> str:
        if isinstance(segment, str):
            return plain(segment)
        tokens = _listed(segment)
        return " ".join(self.shown(tokens)) if self._decode is None else decoded(self._decode, tokens)

    def shown(self, tokens: Iterable[Hashable]) -> tuple[str, ...]:
        """Tokens as text: ids decoded one by one if they can be, other tokens by their repr."""
        decode = self._decode
        return tuple(
            plain(token)
            if isinstance(token, str)
            else repr(token)
            if decode is None
            else decoded(decode, [token])
            for token in tokens
        )

    # Tokens

    def tokens(self, system: int, segment: int) -> Tokens:
        """The tokens of a segment of a system."""
        return tuple(self._tokens(self._systems[system], segment))

    def all_tokens(self, system: int) -> list[Sequence[Hashable]]:
        """The tokens of all segments of a system."""
        return list(self.tokens_of(self._systems[system]))

    def tokens_of(self, segments: Column) -> Iterator[Sequence[Hashable]]:
        """The tokens of each of any segments."""
        return (self._tokens(segments, i) for i in range(len(segments)))

    def _tokens(self, segments: Column, i: int) -> Sequence[Hashable]:
        held = segments[i]
        if isinstance(held, str):
            return self.metric.tokenize(held)
        if held is None:
            raise wrong_type(segments.place[i], "a segment", held)
        return _listed(held)

    def reference_tokens(self, segment: int) -> list[Tokens | None]:
        """The tokens of a segment's references; None where one is absent."""
        return [None if one is None else self._as_tokens(one) for one in self._references.held(segment)]

    def _as_tokens(self, held: Any) -> Tokens:
        """The tokens of what prepared references hold: text that is ready to be tokenized, or numbers of tokens."""
        if isinstance(held, str):
            compiled = self.metric.tokenizer.compiled
            return tuple(held.split() if compiled is None else tokenize(held, compiled))
        if self._references.vocabulary is None:
            return tuple(held)
        if self._vocabulary is None:
            self._vocabulary = list(map(token_of, self._references.vocabulary))
        return tuple(map(self._vocabulary.__getitem__, held))


def decoded(decode: Callable[[list[int]], str], ids: Sequence[Any]) -> str:
    """The text of token ids; an unknown token has the id that was given for it.

    Raises:
        TypeError: The function returns something else.
    """
    text = decode([getattr(id_, "id", id_) for id_ in ids])
    if not isinstance(text, str):
        raise ArgumentTypeError("decode", f"must return a str, but made {describe(text)} of {ids!r}")
    return plain(text)


def plain(text: str) -> str:
    """Make a plain str of a text. A subclass may pass for HTML that is safe as it is, as markupsafe's does."""
    return str.__str__(text)


def _listed(tokens: Any) -> list[Any]:
    return list(tokens.tolist() if hasattr(tokens, "tolist") else tokens)
