"""Whether a metric computes its statistics and its score in sacreBLEU's way, or in one of its own."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The methods that make a score out of text. A subclass that replaces one of them scores by calling them all.
_STEPS = (
    "_aggregate_and_compute",
    "_cache_references",
    "_compute_score_from_stats",
    "_compute_segment_statistics",
    "_extract_corpus_statistics",
    "_extract_reference_info",
    "_get_closest_ref_len",
    "_preprocess_segment",
    "compute_bleu",
)


def has_own_steps(metric: Any, base: Any) -> bool:
    """Tell whether a metric, or its class, replaces one of the methods that make a score.

    Args:
        metric: An instance of `base`.
        base: A class that has all of these methods.
    """
    kind: Any = type(metric)
    return _class_has_own_steps(kind, base) or not vars(metric).keys().isdisjoint(_STEPS)


@lru_cache(256)
def _class_has_own_steps(kind: Any, base: Any) -> bool:
    return kind is not base and any(getattr(kind, step) is not getattr(base, step) for step in _STEPS)
