"""Convert the results of significance tests to ranked systems in clusters and to pairs with their differences."""

from __future__ import annotations

from math import isclose

from .human import agreement
from .power import detectable, has_few_units
from .results import Pair, System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float64
    from numpy.typing import NDArray

    from ..scoring.significance import SignificanceTest
    from .comparison import Comparison
    from .outputs import Outputs
    from .results import OtherMetric, Settings

#: Resamples are scored in float32. An end of an interval that differs from the score by at most this share of the
#: score is set to the score.
_FLOAT32 = 1e-6

#: If there are at most this many pairs, show the n-grams and segments of every pair; otherwise, only those of each pair
#: of neighbors in the ranking.
_MOST_DETAILED = 10


def ranked_systems(
    outputs: Outputs, outcome: tuple[SignificanceTest, SignificanceTest], settings: Settings
) -> tuple[System, ...]:
    """Return the systems with their intervals, ranks and clusters.

    Args:
        outputs: The outputs of the systems, best first.
        outcome: The result of the test, and the result of the bootstrap, which has the intervals.
        settings: The settings of the comparison.
    """
    metric = outputs.metric
    tested, resampled = outcome
    clusters = _clusters(outputs.names, tested, settings)
    intervals = {system.name: system for system in resampled.systems}
    systems: list[System] = []
    for position, (name, rows) in enumerate(zip(outputs.names, outputs.statistics, strict=True), 1):
        score = metric.signed(metric.formula.score(rows.sum(axis=0).tolist()), outputs.num_references)
        rank = systems[-1].rank if systems and systems[-1].bleu == score.score else position
        low, high = (
            score.score if end is None or isclose(end, score.score, rel_tol=_FLOAT32) else end
            for end in (intervals[name].low, intervals[name].high)
        )
        systems.append(System(name, score, low, high, rank, clusters.get(name)))
    return tuple(systems)


def _clusters(names: Sequence[str], tested: SignificanceTest, settings: Settings) -> dict[str, int]:
    """Return a dict from the name of each system to the number of its cluster, or {} if not all pairs were tested.

    A cluster ends after a system if each system up to it is significantly better than each system after it. So a pair
    without a significant difference keeps its two systems, and all systems between them, in one cluster.

    Args:
        names: The names of the systems, best first.
        tested: The result of the test.
        settings: The settings of the comparison.
    """
    if settings.pairs != "all":
        return {}
    has_few = has_few_units(settings.units, settings.level)
    indices = {name: index for index, name in enumerate(names)}
    spans = [
        (indices[pair.first], indices[pair.second])
        for pair in tested.pairs
        if has_few or pair.corrected_p_value > settings.level
    ]
    borders = [index for index in indices.values() if not any(i < index <= j for i, j in spans)]
    return {name: sum(border <= index for border in borders) for name, index in indices.items()}


def tested_pairs(
    outcome: tuple[SignificanceTest, SignificanceTest],
    names: Sequence[str],
    segment_scores: NDArray[float64],
    settings: Settings,
    tokenizer: str,
) -> list[Pair]:
    """Return the pairs that were tested, in the order in which the test returns them.

    Args:
        outcome: The result of the test, and the result of the bootstrap, which has the intervals.
        names: The names of the systems, best first.
        segment_scores: The score of each segment, float64 [systems, n], 0..100.
        settings: The settings of the comparison.
        tokenizer: The tokenizer for which to estimate the agreement with human judges; "" if it cannot be estimated.
    """
    indices = {name: index for index, name in enumerate(names)}
    has_few = has_few_units(settings.units, settings.level)
    least = 1 / (settings.trials + 1)
    # Holm's method may give the same corrected p-value to a pair with the smallest possible p-value and to a pair with
    # a larger one. More trials might then give both pairs a smaller corrected p-value.
    bounds = {
        tested.corrected_p_value
        for tested in outcome[0].pairs
        if tested.p_value == least and settings.correction == "holm"
    }
    pairs = []
    for tested, resampled in zip(*(each.pairs for each in outcome), strict=True):
        difference, low, high = tested.difference, resampled.low or 0.0, resampled.high or 0.0
        first, second = segment_scores[indices[tested.first]], segment_scores[indices[tested.second]]
        pair = Pair(
            system=tested.first,
            other=tested.second,
            difference=difference,
            low=low,
            high=high,
            p=tested.p_value,
            corrected_p=tested.corrected_p_value,
            is_significant=not has_few and tested.corrected_p_value <= settings.level,
            agreement=agreement(difference, tokenizer) if tokenizer and difference else None,
            detectable=detectable(low, high, settings.level) if high > low and not has_few else None,
            wins=int((first > second).sum()),
            ties=int((first == second).sum()),
            losses=int((first < second).sum()),
            is_bound=tested.corrected_p_value < 1
            and (tested.p_value == least or tested.corrected_p_value in bounds),
        )
        # The test lists the baseline first.
        pairs.append(pair.turned() if settings.pairs == "baseline" else pair)
    return pairs


def detailed_pairs(pairs: Sequence[Pair], names: Sequence[str], settings: Settings) -> list[int]:
    """Return the indices of the pairs to show in detail.

    If there is a baseline, or there are at most `_MOST_DETAILED` pairs, return the indices of all pairs. Otherwise,
    return those of the pairs whose systems are neighbors in the ranking.
    """
    if settings.pairs == "baseline" or len(pairs) <= _MOST_DETAILED:
        return list(range(len(pairs)))
    indices = {name: index for index, name in enumerate(names)}
    return [k for k, pair in enumerate(pairs) if indices[pair.other] == indices[pair.system] + 1]


def listed_pairs(comparison: Comparison, limit: int) -> list[Pair]:
    """Return the pairs to list.

    If there are at most `limit` pairs, list all of them. Otherwise, list the pairs of the best system and the pairs
    that are shown in detail.
    """
    pairs = list(comparison.pairs)
    if len(pairs) <= limit:
        return pairs
    return [pair for pair in pairs if pair.system == comparison.best.name or pair.detail is not None]


def listed_of(other: OtherMetric, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the results of another metric for the systems of each of `pairs`."""
    listed = {(pair.system, pair.other) for pair in pairs}
    return [pair for pair in other.pairs if (pair.system, pair.other) in listed]


def most_different(
    scores: NDArray[float64], pairs: Sequence[tuple[int, int]], limit: int
) -> list[tuple[list[int], list[int]]]:
    """Choose the segments in which systems differ most, if possible the same number for each pair and direction.

    Args:
        scores: The score of each segment, float64 [systems, n].
        pairs: The indices of the two systems of each pair.
        limit: The largest number of distinct segments for all pairs together. Pairs may share segments.

    Returns:
        For each pair, two lists of indices of segments, largest difference first: those in which the first system is
        most ahead, and those in which the second system is. Segments with equal scores are excluded.

    Example:
        >>> import numpy as np
        >>> most_different(np.array([[50.0, 10, 30, 0], [20.0, 90, 30, 5]]), [(0, 1)], 2)
        [([0], [1])]
    """
    import numpy as np

    ranked: list[NDArray[np.int64]] = []
    for first, second in pairs:
        difference = scores[first] - scores[second]
        for gain in (difference, -difference):
            order = np.argsort(-gain, kind="stable")[:limit]
            ranked.append(order[gain[order] > 0])
    taken: list[int] = [0] * len(ranked)
    chosen: set[int] = set()
    for index in range(max(map(len, ranked), default=0)):
        for k, order in enumerate(ranked):
            if index < len(order):
                segment = int(order[index])
                if segment not in chosen and len(chosen) == limit:
                    continue
                if taken[k] == index:
                    chosen.add(segment)
                    taken[k] += 1
    lists = [order[:number].tolist() for order, number in zip(ranked, taken, strict=True)]
    return list(zip(lists[::2], lists[1::2], strict=True))
