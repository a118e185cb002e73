"""Define sacreBLEU's functions, which score in a single call, without a metric object."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from ..tokenizers.names import COMPILED
from .bleu import BLEU
from .metric_warnings import SacrebleuWarnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..counting.references import References
    from ..options import AnyTokenizer, SmoothMethod
    from ..scoring.score import BLEUScore
    from .metric import AnySegments, AnyStreams


class DropInBLEU(BLEU):
    """A `BLEU` that logs warnings as sacreBLEU does, for drop-in replacements of packages that call sacreBLEU."""

    warnings_class = SacrebleuWarnings


def cached_metric(
    lowercase: bool,
    force: bool,
    tokenize: AnyTokenizer | None,
    smooth_method: SmoothMethod,
    smooth_value: float | None,
    effective_order: bool,
    kind: type[BLEU] = BLEU,
) -> BLEU:
    """Return a metric with these options, of the class `kind`.

    Metrics with a tokenizer in `COMPILED` are cached, because creating a metric takes longer than scoring a segment.
    """
    options: Any = kind, lowercase, force, tokenize, smooth_method, smooth_value, 4, effective_order
    if isinstance(tokenize, str) and tokenize in COMPILED:
        # For an unhashable option, the cache raises a TypeError that does not name it. The constructor below names it.
        with suppress(TypeError):
            return _cached(*options)
    return kind(*options[1:])


@lru_cache(64, typed=True)
def _cached(kind: type[BLEU], *options: Any) -> BLEU:
    return kind(*options)


def corpus_bleu(
    hypotheses: AnySegments,
    references: References | AnyStreams,
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: AnyTokenizer | None = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a system's output as a whole, as sacreBLEU's `corpus_bleu` does.

    Args:
        hypotheses: n >= 1 segments.
        references: Streams of n references each, `references[stream][segment]`.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" and "add-k".
        force: Do not warn about hypotheses that look tokenized.
        lowercase: Ignore case.
        tokenize: The tokenizer, as for `BLEU`.
        use_effective_order: Exclude the orders for which the hypotheses are too short.

    Returns:
        The score, 0..100.

    Raises:
        TypeError: As for `BLEU.corpus_score`.
        ValueError: As for `BLEU.corpus_score`.

    Example:
        >>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on the mat"]]).score
        100.00000000000004
    """
    metric = cached_metric(lowercase, force, tokenize, smooth_method, smooth_value, use_effective_order)
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: AnySegments, references: References | AnyStreams, smooth_value: float | None = 0.1
) -> BLEUScore:
    """Score tokenized output without a tokenizer, with "floor" smoothing and effective order.

    sacreBLEU's `raw_corpus_bleu` does the same.

    Args:
        hypotheses: n >= 1 segments.
        references: Streams of n references each, `references[stream][segment]`.
        smooth_value: The value for "floor".

    Returns:
        The score, 0..100.

    Raises:
        TypeError: As for `BLEU.corpus_score`.
        ValueError: As for `BLEU.corpus_score`.

    Example:
        >>> round(raw_corpus_bleu(["the cat sat ."], [["the cat sits ."]]).score, 2)
        18.8
    """
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, True, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: Any,
    references: Sequence[Any],
    smooth_method: SmoothMethod = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: AnyTokenizer | None = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment, by default with effective order, as sacreBLEU's `sentence_bleu` does.

    Args:
        hypothesis: The segment.
        references: Its references, at least one.
        smooth_method: "exp", "floor", "add-k" or "none".
        smooth_value: The value for "floor" and "add-k".
        lowercase: Ignore case.
        tokenize: The tokenizer, as for `BLEU`.
        use_effective_order: Exclude the orders for which the hypothesis is too short.

    Returns:
        The score, 0..100.

    Raises:
        TypeError: As for `BLEU.sentence_score`.
        ValueError: As for `BLEU.sentence_score`.

    Example:
        >>> round(sentence_bleu("the cat sat", ["the cat sat down"]).score, 2)
        71.65
    """
    metric = cached_metric(lowercase, False, tokenize, smooth_method, smooth_value, use_effective_order)
    return metric.sentence_score(hypothesis, references)
