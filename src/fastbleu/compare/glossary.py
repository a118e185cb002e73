"""Explain the figures of a report to readers who know no statistics."""

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
_INTERVAL = (
    "95 % interval: where the figure would usually lie on other test sets of this kind, estimated from {:,} bootstrap "
    "resamples."
)
_CLUSTER = (
    "cluster: systems in one cluster are not clearly different; each is significantly better than all systems in "
    "later clusters."
)
_AGREEMENT = (
    "judges agree: how often human judges preferred the system with the higher BLEU when the difference was this large "
    "(Kocmi et al. 2024). It is {:.0f} % at 1 point, never above {:.0f} %, and lower for unrelated systems. It is an "
    "average over many systems and languages, and says nothing about a particular pair."
)
_DETECTABLE = (
    "detectable: the smallest real difference that would be significant on 80 of 100 test sets like this one, before "
    "correction for the number of pairs (Card et al. 2020). A smaller difference may be real but remain undetected."
)
_WINS = (
    "better/ equal/ worse: the numbers of segments in which the first system of the pair scores higher, equally and "
    "lower."
)
_LENGTHS = (
    "brevity penalty: the factor by which BLEU lowers the score of output that is too short; 1 if it is long enough. "
    "length ratio: the length of the output divided by the length of the references, in tokens."
)

_CORRECTIONS = {
    "bonferroni": "Bonferroni's method",
    "holm": "Holm's method",
    "benjamini-hochberg": "the method of Benjamini and Hochberg",
}


def glossary(comparison: Comparison) -> list[str]:
    """Return sentences that explain the figures of a report and how they were computed."""
    settings = comparison.settings
    lines = [_BLEU, _INTERVAL.format(settings.resamples), _p(comparison)]
    if comparison.systems[0].cluster is not None:
        lines.append(_CLUSTER)
    if comparison.no_agreement:
        lines.append(f"Agreement with human judges is not estimated, because {comparison.no_agreement}.")
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
        f"created by: fastbleu {settings.version}, {settings.date}, seed {settings.seed}{command}",
    ]


def data_size(comparison: Comparison) -> str:
    """Return the numbers of segments, documents and references as a phrase, such as "9 segments with 1 reference each".

    The number of documents is stated only if the test exchanges or resamples documents.
    """
    number, settings = comparison.num_references, comparison.settings
    references = "differing numbers of references" if number < 0 else counted(number, "reference", ",")
    documents = f" of {counted(settings.units, 'document', ',')}" if settings.by_document else ""
    return f"{counted(comparison.num_segments, 'segment', ',')}{documents} with {references} each"


def _without_folders(command: str) -> str:
    """Remove the folders of absolute paths from a command line, because readers of a report need not know them.

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
    """Explain what the p-values mean, how they were computed, and how they were corrected."""
    settings, pairs = comparison.settings, len(comparison.pairs)
    units = "documents" if settings.by_document else "segments"
    if settings.test == "bootstrap":
        how = f"resampling {units} {settings.trials:,} times (paired bootstrap)"
    else:
        how = (
            f"exchanging the outputs of random {units} {settings.trials:,} times (approximate randomization)"
        )
    corrected = f", corrected for {pairs} pairs by {_CORRECTIONS.get(settings.correction)}"
    if settings.correction == "none":
        corrected = f"; p is not corrected for the {pairs} pairs, so some significant differences may be due to chance"
    text = (
        f"p: how often equally good systems would differ this much by chance, estimated by {how}. A difference is "
        f"called significant if p is at most {settings.level:g}{corrected if pairs > 1 else ''}."
    )
    if any(pair.is_bound and pair.corrected_p >= LEAST_SHOWN for pair in comparison.pairs):
        text += (
            " ≤ marks the smallest p that this number of trials can show; with more trials, p may be smaller."
        )
    if settings.test == "bootstrap":
        text += (
            " At the level 0.05, this test calls about 11 of 100 differences between equally good systems significant; "
            "approximate randomization calls 5 significant."
        )
    return text
