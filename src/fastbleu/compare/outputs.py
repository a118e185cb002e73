"""The outputs of all systems, their references and labels of segments, read, checked and counted."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentValueError, Place, counted, wrong_type
from ..explain.explanation import tokens_of
from ..inputs.columns import TEXT
from ..inputs.reading import REFERENCES, as_list, read, read_streams
from ..metric import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ..inputs.columns import Column
    from ..metric.chrf import CHRF

    Tokens: TypeAlias = tuple[Hashable, ...]

_SYSTEMS = Place("systems")


@dataclass(eq=False, repr=False)
class Outputs:
    """The outputs of several systems and their references.

    Attributes:
        metric: How to tokenize, count and score.
        names: The names of the systems.
        systems: The n segments of each system.
        streams: The references of n segments.
        num_references: References per segment, -1 if segments differ in it.
        statistics: The sufficient statistics, int64 [systems, n, 2 + 2N].
    """

    metric: BLEU
    names: tuple[str, ...]
    systems: list[Column]
    streams: list[Column]
    num_references: int
    statistics: NDArray[int64]

    def __len__(self) -> int:
        return len(self.streams[0])

    @property
    def is_text(self) -> bool:
        """Return whether the segments of all systems are text."""
        return all(segments.kind == TEXT for segments in self.systems)

    def sort(self) -> None:
        """Sort the systems by their corpus scores, the best first; equal ones keep their order."""
        scores = self.metric.formula.score_rows(self.statistics.sum(axis=1)).tolist()
        order = sorted(range(len(scores)), key=lambda s: -scores[s])
        self.names = tuple(self.names[s] for s in order)
        self.systems = [self.systems[s] for s in order]
        self.statistics = self.statistics[order]

    def counted_by(self, metric: BLEU | CHRF) -> dict[str, NDArray[int64]]:
        """Return the statistics of each system, by its name, as another metric counts them."""
        systems: Any = self.systems
        streams: Any = self.streams
        return {
            name: metric.statistics(segments, streams)
            for name, segments in zip(self.names, systems, strict=True)
        }

    def references(self, segment: int) -> tuple[Any, ...]:
        """Return the references of a segment, each a str or a sequence of tokens, None where one is missing."""
        return tuple(stream[segment] for stream in self.streams)

    def tokens(self, segment: Any) -> Tokens:
        """Return the tokens of a segment as they are counted."""
        return tokens_of(self.metric, segment)

    def all_tokens(self, segments: Column) -> list[Tokens]:
        """Return the tokens of each of any segments."""
        found = []
        for i in range(len(segments)):
            segment = segments[i]
            if segment is None:
                raise wrong_type(segments.place[i], "a segment", segment)
            found.append(self.tokens(segment))
        return found

    def reference_tokens(self, segment: int) -> list[Tokens]:
        """Return the tokens of each reference of a segment that is not missing."""
        return [self.tokens(one) for one in self.references(segment) if one is not None]

    def text(self, segment: Any) -> str:
        """Return a segment as text; tokens are joined by spaces."""
        return plain(segment) if isinstance(segment, str) else " ".join(shown(self.tokens(segment)))


def shown(tokens: Iterable[Hashable]) -> tuple[str, ...]:
    """Return tokens as text; those that are no str by their repr."""
    return tuple(plain(token) if isinstance(token, str) else repr(token) for token in tokens)


def plain(text: str) -> str:
    """Make a plain str of a text. A subclass may pass for HTML that is safe as it is, as markupsafe's does."""
    return str.__str__(text)


def check_length(where: str | Place, found: int, segments: int) -> None:
    """Check that there are as many segments as the references have.

    Raises:
        ValueError: There are more or fewer.
    """
    if found != segments:
        text = f"has {counted(found, 'segment', ',')}, but the references have {segments:,}"
        raise ArgumentValueError(where, text)


def read_outputs(systems: Any, references: Any, metric: BLEU) -> Outputs:
    """Read systems and their references, and count them.

    Args:
        systems: The hypotheses of each of at least two systems by its name.
        references: Streams of their references.
        metric: How to count.

    Raises:
        TypeError, ValueError: Something is wrong with one of them; says where.
    """
    import numpy as np

    if not hasattr(systems, "items"):
        raise wrong_type(_SYSTEMS, "a dict from names to hypotheses", systems)
    named = dict(systems.items())
    for name in named:
        if not isinstance(name, str):
            raise wrong_type(_SYSTEMS, "a dict whose keys are str", name)
        if not name.strip():
            raise ArgumentValueError(_SYSTEMS, f"must have names, got {name!r}", value=name)
    if len(named) < 2:
        found = f"only {next(iter(named))!r}" if named else "none"
        few = f"must hold at least two systems to compare, got {found}"
        raise ArgumentValueError(_SYSTEMS, few, value=systems)
    if not isinstance(metric, BLEU):
        raise wrong_type("metric", "a BLEU", metric)
    streams: Any = read_streams(references, None)
    prepared = metric.prepare(streams)
    if not len(prepared):
        none = "holds no segment; a comparison needs at least one"
        raise ArgumentValueError(REFERENCES, none, value=references)
    columns: Any = [read(hypotheses, _SYSTEMS[name]) for name, hypotheses in named.items()]
    for column in columns:
        check_length(column.place, len(column), len(prepared))
    rows = np.stack([metric.statistics(column, prepared) for column in columns])
    return Outputs(metric, tuple(map(plain, named)), columns, streams, prepared.num_references, rows)


def check_labels(labels: Any, name: str, segments: int, are_texts: bool = False) -> tuple[str, ...] | None:
    """Return the labels of segments as str, None if there are none.

    Args:
        labels: A sequence of names or numbers, one for each segment; or None.
        name: What errors call them.
        segments: How many there must be.
        are_texts: Whether each must be a str.

    Raises:
        TypeError: They are not a sequence, or one is missing.
        ValueError: Their number is wrong.
    """
    if labels is None:
        return None
    found = as_list(labels, name, "a sequence of names")
    check_length(name, len(found), segments)
    for i, label in enumerate(found):
        if isinstance(label, str):
            continue
        if are_texts:
            raise wrong_type(Place(name)[i], "a str", label)
        if label is None or hasattr(label, "__len__") or label != label:  # noqa: PLR0124  # NaN
            raise wrong_type(Place(name)[i], "a name", label)
    return tuple(plain(str(label)) for label in found)
