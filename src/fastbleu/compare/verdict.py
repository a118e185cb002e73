"""The verdict: which system to choose, and why, in sentences for people without statistics."""

from __future__ import annotations

from statistics import median

from .human import is_like_a_coin
from .power import why_none_significant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .comparison import Comparison
    from .results import Pair, System

#: The number of names that a sentence lists.
_MOST_NAMES = 8

#: Smaller p-values are shown as "< 0.001".
LEAST_SHOWN = 0.001


def verdict(comparison: Comparison) -> tuple[str, ...]:
    """Say which system to choose, and why.

    Args:
        comparison: The comparison.

    Returns:
        Sentences, of which the first one answers the question.
    """
    of_pairs = _against_baseline if comparison.settings.pairs == "baseline" else _among_all
    return (*of_pairs(comparison), *_others(comparison), *_warning(comparison))


def named(names: Sequence[str]) -> str:
    """Join names into a list for a sentence; of many names, list the first and count the rest.

    Example:
        >>> named(["a"]), named(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _are(names: Sequence[str]) -> str:
    """Join names as the subject of a sentence, followed by "is" or "are"."""
    return f"{named(names)} {'is' if len(names) == 1 else 'are'}"


def _among_all(comparison: Comparison) -> Iterator[str]:
    """Yield the verdict when all pairs were tested."""
    best, *others = comparison.systems
    pairs = {other.name: comparison.pair(best.name, other.name) for other in others}
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why and any(pair.difference for pair in pairs.values()):
        yield f"The test cannot show which system is better. {best.name} has the highest score, {best.bleu:.2f} BLEU."
        yield why
        return
    rivals = [other for other in others if not pairs[other.name].is_significant]
    worse = [other for other in others if pairs[other.name].is_significant]
    if rivals:
        yield from _undecided(comparison, rivals, [pairs[rival.name] for rival in rivals])
        if worse:
            yield f"{_are([other.name for other in worse])} significantly worse than {best.name}."
        return
    nearest = pairs[others[0].name]
    if len(others) == 1:
        yield (
            f"Choose {best.name}. It scores {best.bleu:.2f} BLEU, {nearest.difference:.2f} points more than "
            f"{others[0].name} ({others[0].bleu:.2f})."
        )
        yield f"The difference is significant ({_p(nearest)}): chance alone would rarely produce it."
    else:
        yield (
            f"Choose {best.name}. It has the highest score, {best.bleu:.2f} BLEU, and is significantly better than "
            f"each of the other {len(others)} systems."
        )
        yield (
            f"The next one is {others[0].name} with {others[0].bleu:.2f}, {nearest.difference:.2f} points less "
            f"({_p(nearest)})."
        )
    yield from _meaning(nearest)


def _undecided(comparison: Comparison, rivals: Sequence[System], pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield the verdict when the best system is not significantly better than its rivals; `pairs` has it with each."""
    best = comparison.best
    names = [rival.name for rival in rivals]
    if all(pair.difference == 0 for pair in pairs):
        yield f"{named([best.name, *names])} have the same score, {best.bleu:.2f} BLEU: BLEU prefers none of them."
        return
    they = "it may be as good" if len(rivals) == 1 else "they may be as good"
    yield (
        f"No system is clearly the best. {best.name} has the highest score, {best.bleu:.2f} BLEU, but {_are(names)} "
        f"not significantly worse: {they}."
    )
    yield (
        f"Choose {'between' if len(rivals) == 1 else 'among'} {named([best.name, *names])} by another criterion, such "
        "as cost or human judgement, or test them on more segments."
    )
    sizes = [pair.detectable for pair in pairs if pair.detectable is not None]
    # The bootstrap reports equal systems as different more often than its level allows, so its power differs.
    if sizes and comparison.settings.test == "randomization":
        power = f"shows a real difference of {median(sizes):.2f} points in 80 of 100 cases"
        if len(comparison.pairs) == 1 or comparison.settings.correction == "none":
            yield f"A test set like this one {power}; smaller differences often remain undetected."
        else:
            yield (
                f"If two systems are compared alone, a test set like this one {power}; smaller differences often "
                f"remain undetected, and with {len(comparison.pairs):,} pairs also larger ones."
            )


def _against_baseline(comparison: Comparison) -> Iterator[str]:
    """Yield the verdict when the systems were tested against a baseline."""
    base = comparison.pairs[0].other
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why:
        yield f"The test cannot show whether another system is better than the baseline {base}."
        yield why
        return
    better = [pair for pair in comparison.pairs if pair.is_significant and pair.difference > 0]
    worse = [pair.system for pair in comparison.pairs if pair.is_significant and pair.difference < 0]
    unclear = [pair.system for pair in comparison.pairs if not pair.is_significant]
    if better:
        first = better[0]
        yield (
            f"Choose {first.system} instead of the baseline {base}. It scores {first.difference:.2f} points more, and "
            f"the difference is significant ({_p(first)}): chance alone would rarely produce it."
        )
        yield from _meaning(first)
        if len(better) > 1:
            yield (
                f"{_are([pair.system for pair in better[1:]])} also significantly better than the baseline. The "
                "systems were not tested against each other; to choose among them, test all pairs."
            )
    else:
        yield f"Keep the baseline {base}: no other system is significantly better."
    if unclear:
        they = "it" if len(unclear) == 1 else "they"
        yield f"{_are(unclear)} not clearly different from the baseline: {they} may be as good, better or worse."
    if worse:
        yield f"{_are(worse)} significantly worse than the baseline."


def _meaning(pair: Pair) -> Iterator[str]:
    """Yield how often human judges agree with a difference of this size."""
    if pair.agreement is None:
        return
    size = f"a difference of {abs(pair.difference):.2f} points"
    if is_like_a_coin(pair.agreement):
        yield (
            "But it is small: by the estimate of Kocmi et al. (2024), human judges agree with "
            f"{size} no more often than a coin toss."
        )
        return
    share = f"{100 * pair.agreement:.0f} of 100 cases"
    yield f"By the estimate of Kocmi et al. (2024), human judges agree with {size} in about {share}."


def _others(comparison: Comparison) -> Iterator[str]:
    """Yield for each other metric the system that it prefers."""
    for other in comparison.others:
        best = max(other.systems, key=lambda system: system.score)
        also = "also has" if best.name == comparison.best.name else "however, has"
        yield f"By {other.name}, {best.name} {also} the highest score: {best.score:.2f}."


def _warning(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence about the findings, if there are any."""
    number = len(comparison.findings)
    if number:
        problems = "One possible problem" if number == 1 else f"{number} possible problems"
        yield f"{problems} in the data may have changed the scores: see “Possible problems”."


def _p(pair: Pair) -> str:
    return f"p {corrected_p(pair, '= ')}"


def corrected_p(pair: Pair, equals: str = "", at_most: str = "<=") -> str:
    """Format the corrected p-value of a pair, as an upper bound if more trials may make it smaller.

    Args:
        pair: The pair.
        equals: The text before a value that is not a bound.
        at_most: The sign before a bound.
    """
    return p_value(pair.corrected_p, f"{at_most} " if pair.is_bound else equals)


def p_value(p: float, equals: str = "") -> str:
    """Format a p-value with enough decimals to compare it with the usual levels.

    Args:
        p: The p-value.
        equals: The text before a value that is shown in full.

    Example:
        >>> p_value(0.0504, "= "), p_value(0.5), p_value(0.0001)
        ('= 0.0504', '0.500', '< 0.001')
    """
    if p < LEAST_SHOWN:
        return "< 0.001"
    return f"{equals}{p:.4f}" if p < 0.1 else f"{equals}{p:.3f}"
