"""Compute the operators that `fastbleu.torch` registers for `torch.compile`, or only the shapes of their results.

The compiler needs only the shapes and dtypes of an operator's inputs and outputs; the values are computed on the CPU.
Options are plain Python values, because they become constants of the compiled graph.
"""

from __future__ import annotations

from functools import lru_cache, partial
from numbers import Integral
from typing import Any, NamedTuple

from ..counting.rows import row_width
from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, check_options, counted, describe
from ..inputs.ids import TokenIds
from .bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import TypedDict

    from ..options import ReferenceLength, SmoothMethod

    class StepOptions(TypedDict, total=False):
        """The options that every operator has; `TokenIds` and `BLEU` document them."""

        pad_id: int | Sequence[int] | None
        eos_id: int | Sequence[int] | None
        ignore_id: int | None
        unk_id: int | None
        smooth_method: SmoothMethod
        smooth_value: float | None
        max_ngram_order: int
        effective_order: bool
        weights: Sequence[float] | None
        reference_length: ReferenceLength


class Options(NamedTuple):
    """The options of an operator: which ids are tokens, and how to score them."""

    pad_id: tuple[int, ...] = ()
    eos_id: tuple[int, ...] = ()
    ignore_id: int | None = -100
    unk_id: int | None = None
    smooth_method: SmoothMethod = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = True
    weights: tuple[float, ...] | None = None
    reference_length: ReferenceLength = "closest"


def as_options(
    pad_id: int | Sequence[int] | None = None,
    eos_id: int | Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    **others: Any,
) -> Options:
    """Convert the keyword arguments of a call to `Options`. The types of `others` are checked by torch.

    Raises:
        TypeError: An option is unknown, or `pad_id`, `eos_id` or `weights` is not a plain Python value.
    """
    if not isinstance(weights, (list, tuple, type(None))):
        raise _wrong_option("weights", "a list of numbers or None", weights)
    check_options("fastbleu.torch", others, tuple(Options.__annotations__))
    weights = None if weights is None else tuple(weights)
    return Options(_ids("pad_id", pad_id), _ids("eos_id", eos_id), weights=weights, **others)


def _ids(name: str, ids: Any) -> tuple[int, ...]:
    """Convert a token-id option, which is None, an id or several ids, to a tuple.

    Raises:
        TypeError: An id is not an integer.
    """
    if ids is None:
        return ()
    id_list = ids if isinstance(ids, (list, tuple, set, frozenset)) else (ids,)
    for id_ in id_list:
        if isinstance(id_, bool) or not isinstance(id_, Integral):
            raise _wrong_option(name, "an int, several ints or None", ids)
    return tuple([int(id_) for id_ in id_list])


def _wrong_option(name: str, expected: str, value: object) -> ArgumentTypeError:
    """Return the error for an option of a wrong type."""
    text = f"must be {expected}, not {describe(value)}; options are plain values, so bind them by functools.partial"
    return ArgumentTypeError(name, text, value=value)


def _read(array: NDArray[Any], options: Options) -> TokenIds:
    """Wrap an array of ids, [B, T] or [B, K, T], in a `TokenIds` with the token-id options."""
    pads, ends, ignored, unknown = options[:4]
    return TokenIds(array, pad_id=pads or None, eos_id=ends or None, ignore_id=ignored, unk_id=unknown)


@lru_cache(maxsize=64)
def metric_of(options: Options) -> BLEU:
    """Create the metric with the given options. The 64 metrics that were used most recently are cached.

    Raises:
        TypeError, ValueError: As for `BLEU`.
    """
    arguments: dict[str, Any] = dict([*zip(Options.__annotations__, options, strict=True)][4:])
    return BLEU(tokenize="none", **arguments)


def _pairwise(metric: BLEU, ids: TokenIds, references: list[TokenIds]) -> NDArray[Any]:
    """Score each sample of each segment against each of the segment's references.

    Args:
        metric: The metric.
        ids: The samples, [B, K, T].
        references: R arrays [B, 1, T], each with one reference per segment.

    Returns:
        float64 [B, K, R], 0..1.
    """
    import numpy as np

    scores = np.empty((*ids.shape[:2], len(references)))
    for k, reference in enumerate(references):
        scores[..., k] = metric.sentence_scores(ids, reference, scale=1)
    return scores


#: For each operator except "pairwise_bleu", a function that computes it from a metric, the samples and the references.
_COMPUTATIONS: dict[str, Callable[[BLEU, TokenIds, TokenIds], NDArray[Any]]] = {
    "statistics": BLEU.statistics,
    "sentence_bleu": partial(BLEU.sentence_scores, scale=1),
    "prefix_bleu": partial(BLEU.prefix_scores, scale=1),
}


def result_shape(
    operator: str, ids: Sequence[int], reference_ids: Sequence[int], max_ngram_order: int
) -> tuple[int, ...]:
    """Return the shape of an operator's result, and check the shapes of its arguments.

    Args:
        operator: "statistics", "sentence_bleu", "prefix_bleu" or "pairwise_bleu".
        ids: The shape of the ids: [B, T], or [B, K, T] with K samples of each segment; for "pairwise_bleu" [B, K, T].
        reference_ids: The shape of the references: [B, T], or [B, R, T] with R references of each segment; for
            "pairwise_bleu" [B, R, T].
        max_ngram_order: The largest order of n-grams, N.

    Returns:
        [B] or [B, K] for "sentence_bleu", [B, T] or [B, K, T] for "prefix_bleu", [B, 2 + 2N] or [B, K, 2 + 2N] for
        "statistics", [B, K, R] for "pairwise_bleu".

    Raises:
        ValueError: An array has another number of dimensions, or the arrays differ in B.

    Example:
        >>> result_shape("sentence_bleu", (64, 8, 32), (64, 40), 4)
        (64, 8)
    """
    one, dimensions = ("[K, T]", "three") if operator == "pairwise_bleu" else ("[T]", "two or three")
    for name, shape in (("ids", ids), ("reference_ids", reference_ids)):
        if len(shape) != 3 and (operator == "pairwise_bleu" or len(shape) != 2):
            text = f"must have {dimensions} dimensions, or be {one} of one segment, not of the shape {list(shape)}"
            raise ArgumentValueError(name, text)
    if ids[0] != reference_ids[0]:
        raise ArgumentValueError(
            "reference_ids", f"are of {counted(reference_ids[0], 'segment')}, but ids are of {ids[0]}"
        )
    if operator == "statistics":
        return (*ids[:-1], row_width(max_ngram_order))
    if operator == "pairwise_bleu":
        return (*ids[:-1], reference_ids[1])
    return (*ids[:-1],) if operator == "sentence_bleu" else (*ids,)


def no_integers(name: str, dtype: object) -> ArgumentTypeError:
    """Return the error for an array whose dtype is not an integer type, such as logits or one-hot vectors."""
    return ArgumentTypeError(
        name, f"must be integers, not {dtype}: BLEU compares token ids, and has no gradient", value=dtype
    )


def compute(operator: str, ids: NDArray[Any], reference_ids: NDArray[Any], options: Options) -> NDArray[Any]:
    """Compute the result of an operator on the CPU.

    Args:
        operator: "statistics", "sentence_bleu", "prefix_bleu" or "pairwise_bleu".
        ids: Integers of a shape that `result_shape` accepts.
        reference_ids: Integers of a shape that `result_shape` accepts.
        options: The options of the operator.

    Returns:
        float64 of the shape that `result_shape` returns, 0..1; int64 counts for "statistics".

    Raises:
        TypeError: An option has the wrong type.
        ValueError: A shape or an option is invalid, or a token is negative; the message says where.
    """
    result_shape(operator, ids.shape, reference_ids.shape, 1)
    try:
        metric, samples = metric_of(options), _read(ids, options)
        if operator == "pairwise_bleu":
            number = reference_ids.shape[1]
            return _pairwise(
                metric, samples, [_read(reference_ids[:, k : k + 1], options) for k in range(number)]
            )
        return _COMPUTATIONS[operator](metric, samples, _read(reference_ids, options))
    except ArgumentError as error:
        raise error.renamed(hypotheses="ids", references="reference_ids") from None
