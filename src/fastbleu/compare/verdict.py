"""Say which system to choose, and why, in sentences for readers who know no statistics."""

from __future__ import annotations

from statistics import median

from ..errors import counted
from .human import is_like_a_coin
from .power import why_none_significant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .comparison import Comparison
    from .results import Pair

#: The largest number of names that a sentence lists.
_MOST_NAMES = 8

#: Smaller p-values are shown as "< 0.001".
LEAST_SHOWN = 0.001


def verdict(comparison: Comparison) -> tuple[str, ...]:
    """Return sentences that say which system to choose, and why; the first sentence states the choice.

    Args:
        comparison: The comparison.
    """
    of_pairs = _against_baseline if comparison.settings.pairs == "baseline" else _among_all
    return (*of_pairs(comparison), *_others(comparison), *_warning(comparison))


def named(names: Sequence[str]) -> str:
    """Join names into a list for a sentence; after the first 8 names, only the number of further names follows.

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
    """Yield the sentences about the best system if all pairs were tested."""
    leaders = comparison.leaders
    others = comparison.systems[len(leaders) :]
    best, score = named([leader.name for leader in leaders]), f"{leaders[0].bleu:.2f} BLEU"
    is_tie = len(leaders) > 1
    if not others:
        none = "neither" if len(leaders) == 2 else "none of them"
        yield f"{best} tie: each has {score}, so BLEU prefers {none}."
        return
    top = f"{best} tie for the highest score, {score}" if is_tie else f"{best} has the highest score, {score}"
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why:
        yield f"The test cannot show which system is better. {top}."
        yield why
        return
    pairs = {other.name: [comparison.pair(leader.name, other.name) for leader in leaders] for other in others}
    worse = [name for name, tested in pairs.items() if all(pair.is_significant for pair in tested)]
    rivals = [name for name in pairs if name not in worse]
    candidates = [*(leader.name for leader in leaders), *rivals]
    if rivals:
        they = "it" if len(rivals) == 1 else "they"
        clause = f"{_are(rivals)} not significantly worse: {they} may be as good"
        yield f"No system is clearly the best. {top}, but {clause}."
    elif is_tie:
        yield f"{top}."
    else:
        nearest = pairs[others[0].name][0]
        rival = f"{'' if len(others) == 1 else 'the next best, '}{others[0].name} ({others[0].bleu:.2f})"
        yield f"Choose {best}. It scores {score}, {nearest.difference:.2f} points more than {rival}."
        yield f"The difference is significant (p {corrected_p(nearest, '= ')}): chance alone would rarely produce it."
        if len(others) > 1:
            yield f"{best} is significantly better than each of the other {len(others)} systems."
        yield from _meaning(nearest)
        return
    yield (
        f"Choose {'between' if len(candidates) == 2 else 'among'} {named(candidates)} by another criterion, such as "
        "cost or human judgement, or test them on more segments."
    )
    yield from _power(comparison, [pair for rival in rivals for pair in pairs[rival]])
    if worse:
        than = "both" if len(leaders) == 2 else "all of them" if is_tie else best
        yield f"{_are(worse)} significantly worse than {than}."


def _power(comparison: Comparison, pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a sentence about the size of the difference that the test detects in pairs of systems like these."""
    sizes = [pair.detectable for pair in pairs if pair.detectable is not None]
    # `Pair.detectable` does not apply to the bootstrap test, which finds differences significant more often than its
    # significance level allows.
    if sizes and comparison.settings.test == "randomization":
        is_corrected = len(comparison.pairs) > 1 and comparison.settings.correction != "none"
        limit = f" if only two systems are compared; with {len(comparison.pairs):,} pairs, it detects fewer"
        yield (
            f"A test set of this size detects a real difference of {median(sizes):.2f} points in 80 of 100 cases"
            f"{limit if is_corrected else ', and smaller ones less often'}."
        )


def _against_baseline(comparison: Comparison) -> Iterator[str]:
    """Yield the sentences about the best system if the systems were tested against a baseline."""
    base = comparison.pairs[0].other
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why:
        yield f"The test cannot show whether another system is better than the baseline {base}."
        yield why
        return
    better = [pair for pair in comparison.pairs if pair.is_significant and pair.difference > 0]
    worse = [pair.system for pair in comparison.pairs if pair.is_significant and pair.difference < 0]
    equal = [pair.system for pair in comparison.pairs if pair.is_tie]
    unclear = [pair.system for pair in comparison.pairs if not (pair.is_significant or pair.is_tie)]
    if better:
        first = better[0]
        yield (
            f"Choose {first.system} instead of the baseline {base}. It scores {first.difference:.2f} points more, and "
            f"the difference is significant (p {corrected_p(first, '= ')}): chance alone would rarely produce it."
        )
        yield from _meaning(first)
        if len(better) > 1:
            yield (
                f"{_are([pair.system for pair in better[1:]])} also significantly better than the baseline. The "
                "systems were not tested against each other; to choose among them, test all pairs."
            )
    else:
        yield f"Keep the baseline {base}: no other system is significantly better."
    if equal:
        yield f"{named(equal)} {'ties' if len(equal) == 1 else 'tie'} with the baseline: the scores are equal."
    if unclear:
        they = "it" if len(unclear) == 1 else "they"
        yield f"{_are(unclear)} not clearly different from the baseline: {they} may be as good, better or worse."
    if worse:
        yield f"{_are(worse)} significantly worse than the baseline."


def _meaning(pair: Pair) -> Iterator[str]:
    """Yield a sentence about how often human judges agree with a difference as large as that of the pair."""
    if pair.agreement is not None:
        often = f"in about {100 * pair.agreement:.0f} of 100 cases"
        if is_like_a_coin(pair.agreement):
            often = "no more often than a coin toss would"
        yield (
            f"If BLEU differs this much, human judges prefer the system with the higher BLEU {often} "
            "(estimate of Kocmi et al., 2024)."
        )


def _others(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence for each other metric: its best system, or its best two if they do not differ significantly."""
    for other in comparison.others:
        best_two = sorted(other.systems, key=lambda system: -system.score)[:2]
        best = best_two[0].score
        names = [system.name for system in other.systems if system.score == best]
        top = {system.name for system in best_two}
        pair = next((pair for pair in other.pairs if {pair.system, pair.other} == top), None)
        if len(names) == 1 and pair is not None and not pair.is_significant:
            systems = named([f"{system.name} ({system.score:.2f})" for system in best_two])
            yield f"By {other.name}, {systems} do not differ significantly (p {corrected_p(pair, '= ')})."
            continue
        also = "also " if names == [leader.name for leader in comparison.leaders] else ""
        yield f"{other.name} {also}ranks {named(names)} first, with {best:.2f}."


def _warning(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence that points to the findings, if there are any."""
    if comparison.findings:
        problems = counted(len(comparison.findings), "possible problem")
        yield f"{problems} in the data may have changed the scores: see “Possible problems”."


def corrected_p(pair: Pair, equals: str = "") -> str:
    """Format the corrected p-value of a pair, with "≤" if more trials might give a smaller value.

    Args:
        pair: The pair.
        equals: The text before a value without "≤", such as "= ".
    """
    return p_value(pair.corrected_p, "≤ " if pair.is_bound else equals)


def p_value(p: float, equals: str = "") -> str:
    """Format a p-value with enough decimals to compare it with the usual levels.

    Args:
        p: The p-value.
        equals: The text before a value that is at least 0.001, such as "= ".

    Example:
        >>> p_value(0.0504, "= "), p_value(0.5), p_value(0.0001)
        ('= 0.0504', '0.500', '< 0.001')
    """
    if p < LEAST_SHOWN:
        return "< 0.001"
    return f"{equals}{p:.4f}" if p < 0.1 else f"{equals}{p:.3f}"


def signed(number: float, digits: int = 2) -> str:
    """Format a difference with its sign, or without a sign if it rounds to 0.

    Example:
        >>> signed(1.234), signed(-1.234), signed(-0.001)
        ('+1.23', '-1.23', '0.00')
    """
    text = f"{number:+.{digits}f}"
    return text if float(text) else text[1:]
