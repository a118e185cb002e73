"""Explanations of the figures of a report, for people without statistics."""

from __future__ import annotations

import re
import shlex

from ..errors import counted
from .human import agreement
from .verdict import LEAST_SHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .comparison import Comparison

_BLEU = (
    "BLEU (0 to 100) measures how many of a system's words and phrases occur in the references. Compare scores only "
    "within one test set."
)
_INTERVAL = "95 % interval: the usual range of the figure on other test sets of this kind ({:,} resamples)."
_CLUSTER = (
    "cluster: systems in one cluster are not clearly different; each is significantly better than all systems in "
    "later clusters."
)
_AGREEMENT = (
    "judges agree: how often human judges preferred the same system where BLEU differed this much, over many systems "
    "and languages (Kocmi et al. 2024). It is {:.0f} % at 1 point, never above {:.0f} %, and lower for "
    "unrelated systems. It says nothing about these two systems."
)
_DETECTABLE = (
    "detectable: the smallest real difference that a test set like this would show as significant in 80 of 100 "
    "cases, before correction (Card et al. 2020). A smaller difference may be real but remain undetected."
)
_WINS = "better/ equal/ worse: in how many segments the first system scores higher, the same or lower."
_LENGTHS = (
    "brevity penalty: the factor by which BLEU lowers the score of too short output; 1 if it is long enough. length "
    "ratio: tokens of the system per token of the references."
)

_CORRECTIONS = {"bonferroni": "Bonferroni", "holm": "Holm", "benjamini-hochberg": "Benjamini and Hochberg"}


def glossary(comparison: Comparison) -> list[str]:
    """Return sentences that explain the figures of a report and how they were computed."""
    settings = comparison.settings
    lines = [_BLEU, _INTERVAL.format(settings.resamples), _p(comparison)]
    if comparison.systems[0].cluster is not None:
        lines.append(_CLUSTER)
    if comparison.no_agreement:
        why = comparison.no_agreement
        lines.append(f"How human judges would see a difference is not estimated here: {why}.")
    else:
        tokenizer = comparison.tokenizer
        lines.append(_AGREEMENT.format(100 * agreement(1, tokenizer), 100 * agreement(100, tokenizer)))
    data = ", ".join(filter(None, (settings.test_set, settings.language_pair, data_size(comparison))))
    command = f": {_without_folders(settings.command)}" if settings.command else ""
    return [
        *lines,
        _DETECTABLE,
        _WINS,
        _LENGTHS,
        f"data: {data}.",
        f"signature: {settings.signature}",
        *(f"signature of {other.name}: {other.signature}" for other in comparison.others),
        f"made by: fastbleu {settings.version}, {settings.date}, seed {settings.seed}{command}",
    ]


def data_size(comparison: Comparison) -> str:
    """Describe the number of segments, documents and references."""
    number, settings = comparison.num_references, comparison.settings
    references = "differing numbers of references" if number < 0 else counted(number, "reference", ",")
    documents = f" of {counted(settings.units, 'document', ',')}" if settings.by_document else ""
    return f"{counted(comparison.num_segments, 'segment', ',')}{documents} with {references} each"


def _without_folders(command: str) -> str:
    """Remove the folders of absolute paths from a command, since a report goes to others.

    Example:
        >>> _without_folders("fastbleu-compare /home/me/ref.de -i a/x.de b/x.de --output=/tmp/out.html")
        'fastbleu-compare ref.de -i a/x.de b/x.de --output=out.html'
    """
    try:
        words = shlex.split(command)
    except ValueError:  # Free text, such as "Joe's script".
        return command
    shorter = [re.sub("^(-[^=]*=)?/.*/", r"\1", word) for word in words]
    return command if shorter == words else shlex.join(shorter)


def _p(comparison: Comparison) -> str:
    """Explain the p-values, how they were computed, and what they were corrected for."""
    settings, pairs = comparison.settings, len(comparison.pairs)
    units = "documents" if settings.by_document else "segments"
    if settings.test == "bootstrap":
        how = f"resampling {units} {settings.trials:,} times (paired bootstrap)"
    else:
        how = (
            f"exchanging the outputs of random {units} {settings.trials:,} times (approximate randomization)"
        )
    corrected = f", corrected for {pairs} pairs (by {_CORRECTIONS.get(settings.correction)})"
    if settings.correction == "none":
        corrected = f"; it is not corrected for {pairs} pairs, so some may differ by chance"
    text = (
        f"p: how often equally good systems would differ this much by chance, estimated by {how}. A difference is "
        f"called significant if p is at most {settings.level:g}{corrected if pairs > 1 else ''}."
    )
    if any(pair.is_bound and pair.corrected_p >= LEAST_SHOWN for pair in comparison.pairs):
        text += (
            " ≤ marks the smallest p that this number of trials can show: no trial exceeded the difference."
        )
    if settings.test == "bootstrap":
        text += (
            " At the level 0.05 this test calls about 11 of 100 pairs of equally good systems different, approximate "
            "randomization 5."
        )
    return text
