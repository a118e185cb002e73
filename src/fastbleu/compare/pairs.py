"""From the tests of significance to systems in clusters, and to pairs with what their differences mean."""

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

#: Resamples are scored in float32. An end of an interval this close to the score is the score.
_FLOAT32 = 1e-6

#: With more pairs than these, only neighbours in the ranking are shown in detail.
_MOST_DETAILED = 10


def ranked_systems(
    outputs: Outputs, outcome: tuple[SignificanceTest, SignificanceTest], settings: Settings
) -> tuple[System, ...]:
    """The systems with their intervals, ranks and clusters.

    Args:
        outputs: What the systems wrote, the best first.
        outcome: The outcome of the test, and that of the bootstrap that the intervals come from.
        settings: How the test was made.
    """
    metric = outputs.metric
    tested, resampled = outcome
    clusters = _clusters(outputs.names, tested, settings)
    intervals = {system.name: system for system in resampled.systems}
    found: list[System] = []
    for place, (name, rows) in enumerate(zip(outputs.names, outputs.statistics, strict=True), 1):
        score = metric.signed(metric.formula.score(rows.sum(axis=0).tolist()), outputs.num_references)
        rank = found[-1].rank if found and found[-1].bleu == score.score else place
        low, high = (
            score.score if end is None or isclose(end, score.score, rel_tol=_FLOAT32) else end
            for end in (intervals[name].low, intervals[name].high)
        )
        found.append(System(name, score, low, high, rank, clusters.get(name)))
    return tuple(found)


def _clusters(names: Sequence[str], tested: SignificanceTest, settings: Settings) -> dict[str, int]:
    """Return the cluster of each system; empty unless all pairs were tested.

    A cluster ends where each system so far is significantly better than each one after it: where no pair that does not
    differ significantly is on both sides.

    Args:
        names: The names of the systems, the best first.
        tested: The outcome of the test.
        settings: How the test was made.
    """
    if settings.pairs != "all":
        return {}
    has_few = has_few_units(settings.units, settings.level)
    places = {name: place for place, name in enumerate(names)}
    spans = [
        (places[pair.first], places[pair.second])
        for pair in tested.pairs
        if has_few or pair.corrected_p_value > settings.level
    ]
    borders = [place for place in places.values() if not any(i < place <= j for i, j in spans)]
    return {name: sum(border <= place for border in borders) for name, place in places.items()}


def tested_pairs(
    outcome: tuple[SignificanceTest, SignificanceTest],
    names: Sequence[str],
    segment_scores: NDArray[float64],
    settings: Settings,
    tokenizer: str,
) -> list[Pair]:
    """The pairs that were tested, in the order of the systems.

    Args:
        outcome: The outcome of the test, and that of the bootstrap that the intervals come from.
        names: The names of the systems, the best first.
        segment_scores: float64 [systems, n].
        settings: How the test was made.
        tokenizer: The tokenizer that the agreement of human judges is estimated for; "" if it cannot be.
    """
    places = {name: place for place, name in enumerate(names)}
    has_few = has_few_units(settings.units, settings.level)
    least = 1 / (settings.trials + 1)
    # Holm's method may give the value of a pair that no trial exceeded to pairs that some did.
    bounds = {
        tested.corrected_p_value
        for tested in outcome[0].pairs
        if tested.p_value == least and settings.correction == "holm"
    }
    found = []
    for tested, resampled in zip(*(each.pairs for each in outcome), strict=True):
        system, other = tested.first, tested.second
        difference, low, high = tested.difference, resampled.low or 0.0, resampled.high or 0.0
        if settings.pairs == "baseline":
            # 0.0 stays without a sign.
            system, other = other, system
            difference, low, high = 0.0 - difference, 0.0 - high, 0.0 - low
        mine, theirs = segment_scores[places[system]], segment_scores[places[other]]
        found.append(
            Pair(
                system=system,
                other=other,
                difference=difference,
                low=low,
                high=high,
                p=tested.p_value,
                corrected_p=tested.corrected_p_value,
                is_significant=not has_few and tested.corrected_p_value <= settings.level,
                agreement=agreement(difference, tokenizer) if tokenizer else None,
                detectable=detectable(low, high, settings.level) if high > low and not has_few else None,
                wins=int((mine > theirs).sum()),
                ties=int((mine == theirs).sum()),
                losses=int((mine < theirs).sum()),
                is_bound=tested.corrected_p_value < 1
                and (tested.p_value == least or tested.corrected_p_value in bounds),
            )
        )
    return found


def detailed_pairs(pairs: Sequence[Pair], names: Sequence[str], settings: Settings) -> list[int]:
    """The places of the pairs that are shown in detail: all if they are few, else neighbours in the ranking."""
    if settings.pairs == "baseline" or len(pairs) <= _MOST_DETAILED:
        return list(range(len(pairs)))
    places = {name: place for place, name in enumerate(names)}
    return [k for k, pair in enumerate(pairs) if places[pair.other] == places[pair.system] + 1]


def listed_pairs(comparison: Comparison, most: int) -> list[Pair]:
    """Return the pairs to list: if there are more than `most`, those of neighbours and of the best system."""
    pairs = list(comparison.pairs)
    if len(pairs) <= most:
        return pairs
    best = comparison.best.name
    places = {system.name: place for place, system in enumerate(comparison.systems)}
    return [pair for pair in pairs if pair.system == best or places[pair.other] == places[pair.system] + 1]


def listed_of(other: OtherMetric, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of another metric that are among these pairs of systems."""
    listed = {(pair.system, pair.other) for pair in pairs}
    return [pair for pair in other.pairs if (pair.system, pair.other) in listed]


def most_different(
    scores: NDArray[float64], pairs: Sequence[tuple[int, int]], most: int
) -> list[tuple[list[int], list[int]]]:
    """Choose the segments in which systems differ most, the same number for each pair and direction if possible.

    Args:
        scores: float64 [systems, n], the score of each segment.
        pairs: The places of the two systems of each pair.
        most: How many segments to choose at most, over all pairs. A pair may have segments that others chose.

    Returns:
        For each pair the numbers of the segments where the first system gains most, and of those where it loses most,
        the largest difference first. Segments of equal scores are left out.

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
            order = np.argsort(-gain, kind="stable")[:most]
            ranked.append(order[gain[order] > 0])
    taken: list[int] = [0] * len(ranked)
    chosen: set[int] = set()
    for place in range(max(map(len, ranked), default=0)):
        for k, order in enumerate(ranked):
            if place < len(order):
                segment = int(order[place])
                if segment not in chosen and len(chosen) == most:
                    continue
                if taken[k] == place:
                    chosen.add(segment)
                    taken[k] += 1
    lists = [order[:number].tolist() for order, number in zip(ranked, taken, strict=True)]
    return list(zip(lists[::2], lists[1::2], strict=True))
