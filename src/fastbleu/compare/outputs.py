"""Read and check the outputs of systems, references and labels of segments, and compute sufficient statistics."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentValueError, Location, counted, wrong_type
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

    Tokens: TypeAlias = tuple[Hashable, ...]

_SYSTEMS = Location("systems")


@dataclass(eq=False, repr=False)
class Outputs:
    """The outputs of several systems and their references.

    Attributes:
        metric: The metric that tokenizes, counts and scores.
        names: The names of the systems.
        systems: The n segments of each system, in the order of `names`.
        streams: The streams of references, of n segments each.
        num_references: The number of references per segment; -1 if it differs between segments.
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
        """Sort the systems by corpus score, best first; systems with equal scores keep their order."""
        scores = self.metric.formula.score_rows(self.statistics.sum(axis=1)).tolist()
        order = sorted(range(len(scores)), key=lambda s: -scores[s])
        self.names = tuple(self.names[s] for s in order)
        self.systems = [self.systems[s] for s in order]
        self.statistics = self.statistics[order]

    def references(self, segment: int) -> tuple[Any, ...]:
        """Return the references of a segment: each is a str, a sequence of tokens, or None if it is missing."""
        return tuple(stream[segment] for stream in self.streams)

    def tokens(self, segment: Any) -> Tokens:
        """Return the tokens of a segment after the metric's tokenization."""
        return tokens_of(self.metric, segment)

    def all_tokens(self, segments: Column) -> list[Tokens]:
        """Return the tokens of each segment.

        Raises:
            TypeError: A segment is missing, or is neither text nor tokens.
        """
        tokens = []
        for i in range(len(segments)):
            segment = segments[i]
            if not hasattr(segment, "__iter__"):
                raise wrong_type(segments.location[i], "a segment", segment)
            tokens.append(self.tokens(segment))
        return tokens

    def reference_tokens(self, segment: int) -> list[Tokens]:
        """Return the tokens of each reference of a segment, without missing references."""
        return [self.tokens(one) for one in self.references(segment) if one is not None]

    def text(self, segment: Any) -> str:
        """Return a segment as text; tokens are joined by spaces."""
        return plain(segment) if isinstance(segment, str) else " ".join(shown(self.tokens(segment)))


def shown(tokens: Iterable[Hashable]) -> tuple[str, ...]:
    """Return tokens as text: a str unchanged, and the repr of any other token."""
    return tuple(plain(token) if isinstance(token, str) else repr(token) for token in tokens)


def plain(text: str) -> str:
    """Convert an object of a subclass of str to a str. For example, Jinja2 would not escape markupsafe's `Markup`."""
    return str.__str__(text)


def check_length(where: str | Location, length: int, segments: int) -> None:
    """Check that a system or a list of labels has as many segments as the references.

    Raises:
        ValueError: The number of segments differs.
    """
    if length != segments:
        text = f"has {counted(length, 'segment', ',')}, but the references have {segments:,}"
        raise ArgumentValueError(where, text)


def read_outputs(systems: Any, references: Any, metric: BLEU) -> Outputs:
    """Read the outputs of systems and their references, and compute the sufficient statistics.

    Args:
        systems: A dictionary from the names of at least two systems to their hypotheses.
        references: The references of the segments.
        metric: The metric that tokenizes and counts.

    Raises:
        TypeError, ValueError: An argument, or a segment in it, is invalid; the message says which.
    """
    import numpy as np

    if not hasattr(systems, "items"):
        raise wrong_type(_SYSTEMS, "a dict from names to hypotheses", systems)
    named = dict(systems.items())
    for name in named:
        if not isinstance(name, str):
            raise wrong_type(_SYSTEMS, "a dict whose keys are str", name)
        if not name.strip():
            raise ArgumentValueError(_SYSTEMS, f"must have a name for each system, got {name!r}", value=name)
    if len(named) < 2:
        given = f"only {next(iter(named))!r}" if named else "none"
        raise ArgumentValueError(_SYSTEMS, f"must have at least two systems, got {given}", value=systems)
    if not isinstance(metric, BLEU):
        raise wrong_type("metric", "a BLEU (pass a CHRF as also=[CHRF()])", metric)
    streams: Any = read_streams(references)
    prepared = metric.prepare(streams)
    if not len(prepared):
        raise ArgumentValueError(REFERENCES, "must have at least one segment, got none", value=references)
    columns: Any = [read(hypotheses, _SYSTEMS[name]) for name, hypotheses in named.items()]
    for column in columns:
        check_length(column.location, len(column), len(prepared))
    rows = np.stack([metric.statistics(column, prepared) for column in columns])
    return Outputs(metric, tuple(map(plain, named)), columns, streams, prepared.num_references, rows)


def check_labels(labels: Any, name: str, segments: int, are_texts: bool = False) -> tuple[str, ...] | None:
    """Return the labels of segments as str, or None if they were not given.

    Args:
        labels: A sequence of names or numbers, one for each segment, or None.
        name: The name of the argument, for errors.
        segments: The required number of labels.
        are_texts: Whether each label must be a str.

    Raises:
        TypeError: The labels are not a sequence, or a label is missing or has the wrong type.
        ValueError: The number of labels is wrong.
    """
    if labels is None:
        return None
    given = as_list(labels, name, "a sequence of names or numbers")
    check_length(name, len(given), segments)
    for i, label in enumerate(given):
        if isinstance(label, str):
            continue
        if are_texts:
            raise wrong_type(Location(name)[i], "a str", label)
        if label is None or hasattr(label, "__len__") or label != label:  # noqa: PLR0124  # NaN
            raise wrong_type(Location(name)[i], "a str or number (not NaN)", label)
    return tuple(plain(str(label)) for label in given)
