"""What users pass where segments are expected, as token ids: arrays, lists of them, and lists beside them."""

from __future__ import annotations

from ..errors import describe
from .ids import TokenIds
from .text import STREAMS, as_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .text import Reader, Segments

#: Ids of a source read at a time; what is at hand stays within a processor's second-level cache.
_CHUNK_IDS = 1 << 16

#: What tokens stand in that are taken as they are.
_PLAIN = {list, tuple, str, type(None)}


def is_number_array(value: Any, dimensions: tuple[int, ...]) -> bool:
    """Whether a value is an array of numbers of that many dimensions."""
    if getattr(value, "ndim", None) not in dimensions or hasattr(value, "columns"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    # NumPy's arrays of objects and of text hold tokens of other kinds; other libraries have none.
    return kind not in ("O", "U", "S", "T")


def as_ids(value: Any, name: str) -> TokenIds | None:
    """Read arrays as ids.

    Args:
        value: Whatever holds segments.
        name: What to call it in an error.

    Returns:
        TokenIds as they are; arrays of two or three dimensions and lists of arrays of integers as TokenIds; None for
        everything else.

    Raises:
        TypeError: An array holds numbers that are no integers, or is on an accelerator.
    """
    if isinstance(value, TokenIds):
        return value
    if isinstance(value, (list, tuple)):
        if value and type(value[0]) is str:
            return None
        kinds = set(map(type, value)) - _PLAIN
        is_ids = bool(kinds) and any(is_number_array(row, (1,)) for row in value if type(row) in kinds)
    else:
        is_ids = is_number_array(value, (2, 3))
    if not is_ids:
        return None
    return _named(value, name)


def all_ids(value: Any, name: str) -> TokenIds:
    """Whatever holds segments as TokenIds; of lists of int nothing is ignored.

    Raises:
        TypeError: They are no sequences of int.
    """
    if isinstance(value, TokenIds):
        return value
    segments = as_segments(value, name)
    if len(segments) and isinstance(segments[0], str):
        raise TypeError(
            f"{name}[0] must be token ids, as what it is compared with, not {describe(segments[0])}"
        )
    return _named(segments, name, ignore_id=None)


def as_segment(value: Any, name: str) -> Any:
    """One segment: an array of integers as a list of its tokens, without ids of -100; all else as it is.

    Raises:
        TypeError, ValueError: As `TokenIds`.
    """
    if isinstance(value, (str, list, tuple)) or not is_number_array(value, (1,)):
        return value
    try:
        return TokenIds([value])[0]
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("ids[0]", name)) from None


def as_hypotheses(hypotheses: Any) -> Segments | TokenIds:
    """Hypotheses in a form that reads quickly; arrays of integers are token ids.

    Raises:
        TypeError: They are no sequence of segments, or arrays of something else.
    """
    ids = as_ids(hypotheses, "hypotheses")
    return as_segments(hypotheses, "hypotheses") if ids is None else ids


def as_references(references: Any) -> Any:
    """References as they are, but for arrays of integers: those are token ids, alone or in a list of streams.

    Raises:
        TypeError: An array holds something else.
        ValueError: Rows stand where streams belong.
    """
    if not isinstance(references, (list, tuple)):
        ids = as_ids(references, "references")
        return references if ids is None else ids
    streams = []
    for s, stream in enumerate(references):
        if is_number_array(stream, (1,)):
            raise ValueError(
                f"references[{s}] is an array of one dimension, but references is a list of streams; for one "
                "reference of each segment pass TokenIds(references)"
            )
        ids = as_ids(stream, f"references[{s}]")
        streams.append(stream if ids is None else ids)
    return streams


def as_sentence(hypothesis: Any, references: Any) -> tuple[Any, Any]:
    """One segment and its references; arrays of integers are token ids.

    Raises:
        TypeError, ValueError: As `as_segment`.
    """
    if isinstance(references, memoryview):
        references = references.tolist()  # one of several dimensions cannot be iterated over
    if (
        not isinstance(references, str)
        and hasattr(references, "__len__")
        and getattr(references, "ndim", 1) != 0
    ):
        references = [as_segment(reference, f"references[{s}]") for s, reference in enumerate(references)]
    return as_segment(hypothesis, "hypothesis"), references


def _named(value: Any, name: str, **rule: int | None) -> TokenIds:
    """TokenIds of what its user calls otherwise."""
    try:
        return TokenIds(value, **rule)
    except (TypeError, ValueError) as error:
        import re

        # It begins with the name, and may end in what to call.
        message = re.sub(r"^ids\b|(?<= )ids(?=(?:\[\d+\])?\.(?:cpu|filled)\()", name, str(error))
        raise type(error)(message) from None


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
        if ids.is_per_segment and ids.shape[1] == 0 and len(ids):
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
