"""The arguments of `compare`, checked: errors name the argument, the index and the value."""

from __future__ import annotations

from ..counting.corpus import rows_of
from ..counting.references import References
from ..counting.rows import row_width
from ..errors import ArgumentValueError, Place, counted, describe, wrong_type
from ..inputs.columns import IDS
from ..inputs.reading import REFERENCES, as_list, read, read_streams
from ..metric import BLEU
from ..options import check_integer
from .ngrams import word_counts
from .outputs import Outputs, decoded, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from typing import Any

    from ..inputs.columns import Column

SYSTEMS = Place("systems")


def read_outputs(
    systems: Mapping[str, Any],
    references: Any,
    metric: BLEU,
    decode: Callable[[list[int]], str] | None,
    advance: Callable[[int], object],
) -> Outputs:
    """Read systems and their references, and count them.

    Args:
        systems: The hypotheses of each system by its name.
        references: Their references.
        metric: How to count.
        decode: What makes text of token ids.
        advance: Called each time that a system has been counted.

    Raises:
        TypeError, ValueError: Something is wrong with one of them; says where.
    """
    import numpy as np

    named = check_systems(systems)
    if not isinstance(metric, BLEU):
        raise wrong_type("metric", "a BLEU", metric)
    if decode is not None and not callable(decode):
        raise wrong_type("decode", "a callable from a list of ids to a str", decode)
    streams = None
    if references is None:
        # Those of the metric, or an error that says that it has none.
        references = metric.given_references(None)
    if isinstance(references, References):
        prepared = references
        prepared.check(metric.matcher.identity)
    else:
        streams = read_streams(references, None)
        prepared = metric.matcher.index(streams)
    if not len(prepared):
        raise ArgumentValueError(REFERENCES, "holds no segment; a comparison needs at least one")
    held: list[Column] = []
    rows = np.empty((len(named), len(prepared), row_width(metric.max_ngram_order)), dtype=np.int64)
    for s, (name, hypotheses) in enumerate(named.items()):
        segments = read(hypotheses, SYSTEMS[name])
        _check_number(segments.place, len(segments), len(prepared))
        corpus = metric.corpus(segments, prepared)
        corpus.count(rows_of(rows[s]))
        held.append(corpus.hypotheses)
        advance(1)
    return Outputs(metric, held, prepared, streams, decode, tuple(named), rows)


def check_systems(systems: Any) -> dict[str, Any]:
    """The systems by their names.

    Raises:
        TypeError: They are not a mapping, or a name is not a str.
        ValueError: There are fewer than two, or a name is empty.
    """
    if not hasattr(systems, "items"):
        raise wrong_type(SYSTEMS, "a dict from names to hypotheses", systems)
    named: dict[str, Any] = dict(systems.items())
    for name in named:
        if not isinstance(name, str):
            raise wrong_type(SYSTEMS, "a dict whose keys are str", name)
        if not name.strip():
            raise ArgumentValueError(SYSTEMS, f"must have names, got {name!r}", value=name)
    if len(named) < 2:
        found = f"only {next(iter(named))!r}" if named else "none"
        raise ArgumentValueError(SYSTEMS, f"must hold at least two systems to compare, got {found}")
    return {plain(name): hypotheses for name, hypotheses in named.items()}


def check_labels(labels: Any, name: str, segments: int) -> tuple[str, ...] | None:
    """Labels of segments as str, None if there are none.

    Args:
        labels: A sequence of names or numbers, one for each segment; or None.
        name: What errors call them.
        segments: How many there must be.

    Raises:
        TypeError: They are not a sequence, or one is missing.
        ValueError: Their number is wrong, or a str reads as another label, as "1" and 1.
    """
    if labels is None:
        return None
    held = as_list(labels, name, "a sequence of names")
    _check_number(name, len(held), segments)
    found = []
    first: dict[str, tuple[int, Any]] = {}
    for i, label in enumerate(held):
        is_listed = hasattr(label, "__len__") and not isinstance(label, str)
        if label is None or is_listed or label != label:  # noqa: PLR0124  # NaN
            raise wrong_type(Place(name)[i], "a name", label)
        text = plain(str(label))
        k, other = first.setdefault(text, (i, label))
        if isinstance(label, str) != isinstance(other, str):
            raise ArgumentValueError(
                Place(name)[i],
                f"is {describe(label)}, but {name}[{k}] is {describe(other)}: both read {text!r}",
                value=label,
            )
        found.append(text)
    return tuple(found)


def check_sources(
    sources: Any, segments: int, decode: Callable[[list[int]], str] | None
) -> tuple[str, ...] | None:
    """Sources as text, None if there are none.

    Args:
        sources: A str for each segment, or ids that `decode` makes text of; or None.
        segments: How many there must be.
        decode: What makes text of token ids.

    Raises:
        TypeError: One is missing, or neither text nor ids.
        ValueError: Their number is wrong.
    """
    if sources is None:
        return None
    found = read(sources, "sources")
    _check_number("sources", len(found), segments)
    texts = []
    for i in range(segments):
        source = found[i]
        if isinstance(source, str):
            texts.append(plain(source))
        elif decode is not None and (found.kind == IDS or _is_ids(source)):
            texts.append(decoded(decode, source if found.kind == IDS else list(map(int, source))))
        else:
            more = " (or token ids, with decode)" if source is not None else ""
            raise wrong_type(Place("sources")[i], f"a str{more}", source)
    return tuple(texts)


def _is_ids(source: Any) -> bool:
    """Return whether a source is a sequence of integers."""
    if isinstance(source, bytes) or not hasattr(source, "__len__"):
        return False
    return all(hasattr(id_, "__index__") and not isinstance(id_, bool) for id_ in source)


def _check_number(where: str | Place, found: int, segments: int) -> None:
    if found != segments:
        text = f"has {counted(found, 'segment', ',')}, but the references have {segments:,}"
        raise ArgumentValueError(where, text)


def check_training(training: Any, texts: Outputs) -> Mapping[Hashable, int] | None:
    """Count how often each word stands in a training corpus; None if there is none.

    Args:
        training: Segments, of the kind of the hypotheses; or how often each word stands there, by word; or None.
        texts: How segments become tokens.

    Raises:
        TypeError: It is neither, or a count is not an integer.
        ValueError: A count is negative.
    """
    if training is None:
        return None
    if hasattr(training, "items"):
        return {word: check_integer(Place("training")[word], count, 0) for word, count in training.items()}
    if isinstance(training, (str, bytes)):
        raise wrong_type("training", "a sequence of segments, or counts by word", training)
    return word_counts(texts.tokens_of(read(training, "training")))
