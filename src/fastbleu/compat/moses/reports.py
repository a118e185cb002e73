"""The output of mteval: its report, line by line, and the files of scores for the MetricsMATR evaluation."""

from __future__ import annotations

import os
from math import exp, log

from .nist import order_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .evaluation import Mteval, MtevalScores
    from .nist import NgramInformation

_RULE = "# ------------------------------------------------------------------------"
_ORDERS = "        1-gram   2-gram   3-gram   4-gram   5-gram   6-gram   7-gram   8-gram   9-gram"
_UNDERLINES = "        ------   ------   ------   ------   ------   ------   ------   ------   ------"

#: Which n-grams the scores of documents and segments are said to use.
_USED = {"NIST": "5-grams", "BLEU": "4-grams"}


def report(evaluation: Mteval, detail: int = 0) -> str:
    """Write what the script prints, but for the lines about time and arguments at its start and end.

    Args:
        evaluation: What `mteval` returned.
        detail: 0: the systems' scores; 1: each document's too; 2: each segment's; 3: the n-grams that match. The script
            prints n-grams in the order of Perl's hashes, which differs from run to run. Between words there is one
            space here; with the international tokenization, the script leaves tabs and line breaks from XML.

    Raises:
        ValueError: Version 13a has no words to print the ratio of.
    """
    lines = [*_head(evaluation), *_details(evaluation, detail), *_tables(evaluation)]
    return "".join(f"{line}\n" for line in lines)


def _head(evaluation: Mteval) -> Iterator[str]:
    sets = evaluation.sets
    is_13a = evaluation.rules.version == "13a"
    segments = sum(map(len, sets.sources.values()))
    if not is_13a:
        yield ""
    yield f"{'  ' if is_13a else ''}Evaluation of {sets.source_language}-to-{sets.target_language} translation using:"
    yield f'    src set "{sets.source_id}" ({len(sets.sources)} docs, {segments} segs)'
    yield f'    ref set "{sets.reference_id}" ({len(sets.references)} refs)'
    yield f'    tst set "{sets.test_id}" ({len(sets.tests)} systems)'
    yield ""


def _details(evaluation: Mteval, detail: int) -> Iterator[str]:
    for system, scores in evaluation.systems.items():
        for metric in evaluation.metrics:
            used = f"{metric} score using"
            for document, found in scores.documents.items():
                for segment, of_segment in found.segments.items():
                    if detail >= 3:
                        yield from _ngrams(evaluation, system, document, segment)
                    if detail >= 2:
                        yield (
                            f"  {used} {_USED[metric]} = {of_segment[metric].score:.4f} for system "
                            f'"{system}" on segment {segment} of document "{document}" '
                            f"({of_segment[metric].words} words)"
                        )
                if detail >= 1:
                    yield (
                        f"{used}   {_USED[metric]} = {found.scores[metric].score:.4f} for system "
                        f'"{system}" on document "{document}" ({len(found.segments)} segments, '
                        f"{found.scores[metric].words} words)"
                    )
            if metric == "BLEU" and evaluation.rules.version == "13a" and evaluation.rules.smoothing:
                yield _length_ratio(scores.scores[metric])


def _ngrams(evaluation: Mteval, system: str, document: str, segment: str) -> Iterator[str]:
    information: NgramInformation = evaluation.information
    words, references = evaluation.words(system, document, segment)
    for name, reference in zip(sorted(evaluation.sets.references), references, strict=True):
        yield f"ref '{name}', seg {segment}: {' '.join(reference)}"
    yield f"sys '{system}', seg {segment}: {' '.join(words)}"
    for ngram, times in information.matches(words, references).items():
        yield f"{information[ngram]:.2f} info for each of {times} {order_of(ngram)}-grams = '{' '.join(ngram)}'"


def _length_ratio(scores: MtevalScores) -> str:
    words, reference_length = scores.words, scores.reference_length
    if not words or not reference_length:
        raise ValueError(
            "there are no words to score: mteval-v13a.pl divides by 0, or takes the logarithm of 0"
        )
    ratio = words / reference_length
    penalty = log(exp(min(0, 1 - reference_length / words)))
    return f"length ratio: {ratio:.15g} ({words}/{reference_length}), penalty (log): {penalty:.15g}"


def _tables(evaluation: Mteval) -> Iterator[str]:
    metrics, systems = evaluation.metrics, evaluation.systems
    is_13a = evaluation.rules.version == "13a"
    for system, found in systems.items():
        if metrics == ("BLEU",):
            yield ""
        scores = "  ".join(f"{metric} score = {found.scores[metric].score:.4f}" for metric in metrics)
        yield f'{scores}{" " if "BLEU" in metrics else "  "}for system "{system}"'
    yield from ("", _RULE, "", "Individual N-gram scoring", _ORDERS, _UNDERLINES)
    for metric in metrics:
        for system, found in systems.items():
            yield _row(metric, found.scores[metric].individual, system, is_13a)
        if metric == "NIST":
            yield ""
    yield from ("", _RULE)
    if not is_13a:
        yield ""
    yield from ("Cumulative N-gram scoring", _ORDERS, _UNDERLINES)
    for metric in metrics:
        if metric == "BLEU":
            yield ""
        for system, found in systems.items():
            yield _row(metric, found.scores[metric].cumulative, system, is_13a)
    if metrics == ("NIST",):
        yield ""


def _row(metric: str, scores: tuple[float, ...], system: str, is_13a: bool) -> str:
    columns = "".join(f"  {score:.4f} " for score in scores)
    return f' {metric}:{columns}{" " if is_13a else "  "}"{system}"'


def write_matr_files(evaluation: Mteval, folder: str | os.PathLike[str] = ".") -> None:
    """Write the files of `--metricsMATR-output`: for each metric the scores of systems, documents and segments.

    Args:
        evaluation: What `mteval` returned.
        folder: Where to write `BLEU-sys.scr`, `BLEU-doc.scr`, `BLEU-seg.scr`, and the same of NIST.

    Raises:
        OSError: A file cannot be written.
    """
    for metric in evaluation.metrics:
        lines: dict[str, list[str]] = {"sys": [], "doc": [], "seg": []}
        for system, scores in evaluation.systems.items():
            start = f"{evaluation.sets.test_id}\t{system}"
            lines["sys"].append(f"{start}\t{scores.scores[metric].score:.15g}\n")
            for document, found in scores.documents.items():
                lines["doc"].append(f"{start}\t{document}\t{found.scores[metric].score:.15g}\n")
                lines["seg"] += (
                    f"{start}\t{document}\t{segment}\t{of_segment[metric].score:.15g}\n"
                    for segment, of_segment in found.segments.items()
                )
        for kind, written in lines.items():
            with open(os.path.join(folder, f"{metric}-{kind}.scr"), "w", encoding="utf-8") as file:
                file.writelines(written)
