"""The verdict: which system to take, and why, in sentences for people without statistics."""

from __future__ import annotations

from statistics import median

from .human import is_like_a_coin
from .power import why_none_significant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .comparison import Comparison
    from .results import Pair, System

#: Names that a sentence lists.
_MOST_NAMES = 8

#: Smaller p-values are shown as smaller than this one.
LEAST_SHOWN = 0.001


def verdict(comparison: Comparison) -> tuple[str, ...]:
    """Say which system to take, and why.

    Args:
        comparison: What was found.

    Returns:
        Sentences. The first one answers the question.
    """
    of_pairs = _against_baseline if comparison.settings.pairs == "baseline" else _among_all
    return (*of_pairs(comparison), *_others(comparison), *_warning(comparison))


def named(names: Sequence[str]) -> str:
    """Names as a list in a sentence; of many, the first.

    Example:
        >>> named(["a"]), named(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _are(names: Sequence[str]) -> str:
    """Names as the subject of a sentence, with "is" or "are"."""
    return f"{named(names)} {'is' if len(names) == 1 else 'are'}"


def _among_all(comparison: Comparison) -> Iterator[str]:
    best, *others = comparison.systems
    pairs = {other.name: comparison.pair(best.name, other.name) for other in others}
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why and any(pair.difference for pair in pairs.values()):
        yield f"It cannot be said which system is better. {best.name} has the highest score, {best.bleu:.2f} BLEU."
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
            f"Take {best.name}. It scores {best.bleu:.2f} BLEU, {nearest.difference:.2f} points more than "
            f"{others[0].name} ({others[0].bleu:.2f})."
        )
        yield f"The difference is significant ({_p(nearest)}): chance alone would rarely make it."
    else:
        yield (
            f"Take {best.name}. It has the highest score, {best.bleu:.2f} BLEU, and is significantly better than "
            f"each of the other {len(others)} systems."
        )
        yield (
            f"The next one is {others[0].name} with {others[0].bleu:.2f}, {nearest.difference:.2f} points less "
            f"({_p(nearest)})."
        )
    yield from _meaning(nearest)


def _undecided(comparison: Comparison, rivals: Sequence[System], pairs: Sequence[Pair]) -> Iterator[str]:
    best = comparison.best
    names = [rival.name for rival in rivals]
    if all(pair.difference == 0 for pair in pairs):
        yield f"{named([best.name, *names])} have the same score, {best.bleu:.2f} BLEU: BLEU sees no better one."
        return
    they = "it may be as good" if len(rivals) == 1 else "they may be as good"
    yield (
        f"No system is clearly the best. {best.name} has the highest score, {best.bleu:.2f} BLEU, but {_are(names)} "
        f"not significantly worse: {they}."
    )
    yield (
        f"Choose {'between' if len(rivals) == 1 else 'among'} {named([best.name, *names])} by something else, such as "
        "cost or human judgement, or test them on more segments."
    )
    sizes = [pair.detectable for pair in pairs if pair.detectable is not None]
    # The bootstrap calls equal systems different more often than its level says: its power is another one.
    if sizes and comparison.settings.test == "randomization":
        found = f"shows a real difference of {median(sizes):.2f} points in 80 of 100 cases"
        if len(comparison.pairs) == 1 or comparison.settings.correction == "none":
            yield f"A test set like this one {found}; smaller ones often stay hidden."
        else:
            yield (
                f"If two systems are compared alone, a test set like this one {found}; smaller ones often stay hidden, "
                f"and larger ones, too, with {len(comparison.pairs):,} pairs."
            )


def _against_baseline(comparison: Comparison) -> Iterator[str]:
    base = comparison.pairs[0].other
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why:
        yield f"It cannot be said whether another system is better than the baseline {base}."
        yield why
        return
    better = [pair for pair in comparison.pairs if pair.is_significant and pair.difference > 0]
    worse = [pair.system for pair in comparison.pairs if pair.is_significant and pair.difference < 0]
    unclear = [pair.system for pair in comparison.pairs if not pair.is_significant]
    if better:
        first = better[0]
        yield (
            f"Take {first.system} instead of the baseline {base}. It scores {first.difference:.2f} points more, and "
            f"the difference is significant ({_p(first)}): chance alone would rarely make it."
        )
        yield from _meaning(first)
        if len(better) > 1:
            yield (
                f"{_are([pair.system for pair in better[1:]])} significantly better than the baseline, too. The "
                "systems were not tested against each other; all pairs are needed to choose among them."
            )
    else:
        yield f"Keep the baseline {base}: no other system is significantly better."
    if unclear:
        they = "it" if len(unclear) == 1 else "they"
        yield f"{_are(unclear)} not told apart from the baseline: {they} may be as good, better or worse."
    if worse:
        yield f"{_are(worse)} significantly worse than the baseline."


def _meaning(pair: Pair) -> Iterator[str]:
    """Say what a difference has meant to human judges."""
    if pair.agreement is None:
        return
    size = f"a difference of {abs(pair.difference):.2f} points"
    if is_like_a_coin(pair.agreement):
        yield (
            "But it is small: by the estimate of Kocmi et al. (2024), human judges agree with "
            f"{size} no more often than a coin would."
        )
        return
    share = f"{100 * pair.agreement:.0f} of 100 cases"
    yield f"By the estimate of Kocmi et al. (2024), human judges agree with {size} in about {share}."


def _others(comparison: Comparison) -> Iterator[str]:
    """Say whether other metrics prefer the same system."""
    for other in comparison.others:
        best = max(other.systems, key=lambda system: system.score)
        word = "too" if best.name == comparison.best.name else "however"
        yield f"By {other.name}, {best.name} has the highest score, {word}: {best.score:.2f}."


def _warning(comparison: Comparison) -> Iterator[str]:
    number = len(comparison.findings)
    if number:
        found = "One thing in the data looks" if number == 1 else f"{number} things in the data look"
        yield f"{found} wrong and may have changed the scores: see “What looks wrong”."


def _p(pair: Pair) -> str:
    return f"p {corrected_p(pair, '= ')}"


def corrected_p(pair: Pair, equals: str = "", at_most: str = "<=") -> str:
    """The corrected p-value of a pair; where more trials may make it smaller, a bound.

    Args:
        pair: The pair.
        equals: What stands before a value that is not a bound.
        at_most: The sign of a bound.
    """
    return p_value(pair.corrected_p, f"{at_most} " if pair.is_bound else equals)


def p_value(p: float, equals: str = "") -> str:
    """A p-value with enough decimals to compare it with the usual levels.

    Args:
        p: The p-value.
        equals: What stands before a value that is shown.

    Example:
        >>> p_value(0.0504, "= "), p_value(0.5), p_value(0.0001)
        ('= 0.0504', '0.500', '< 0.001')
    """
    if p < LEAST_SHOWN:
        return "< 0.001"
    return f"{equals}{p:.4f}" if p < 0.1 else f"{equals}{p:.3f}"
