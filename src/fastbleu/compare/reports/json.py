"""A comparison as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..comparison import Comparison
    from ..results import Breakdown, NgramDifference, Pair, System
    from ..segments import Segment


def json_report(comparison: Comparison) -> str:
    """Write everything out, without the arrays that have a number for each segment.

    Args:
        comparison: What to write.

    Returns:
        An object. Numbers are written in full; what is unknown is null. Segments are numbered from 0.
    """
    from dataclasses import asdict
    from json import dumps

    found = {
        "verdict": list(comparison.verdict),
        "num_segments": comparison.num_segments,
        "num_references": comparison.num_references,
        "settings": asdict(comparison.settings),
        "systems": list(map(_system, comparison.systems)),
        "pairs": [_pair(pair, comparison) for pair in comparison.pairs],
        "no_agreement": comparison.no_agreement,
        "breakdowns": [_breakdown(each, comparison) for each in comparison.breakdowns],
        "findings": list(map(asdict, comparison.findings)),
        "segments": [_segment(segment, comparison) for segment in comparison.segments],
    }
    # A lone surrogate cannot be written in UTF-8.
    return (
        dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        .encode("utf-8", "backslashreplace")
        .decode()
    )


def _system(system: System) -> dict[str, Any]:
    score = system.score
    return {
        "name": system.name,
        "rank": system.rank,
        "cluster": system.cluster,
        "bleu": system.bleu,
        "low": system.low,
        "high": system.high,
        "precisions": list(system.precisions),
        "brevity_penalty": system.brevity_penalty,
        "length_ratio": system.length_ratio,
        "sys_len": score.sys_len,
        "ref_len": score.ref_len,
        "counts": list(score.counts),
        "totals": list(score.totals),
    }


def _pair(pair: Pair, comparison: Comparison) -> dict[str, Any]:
    fields = [name for name in pair.__slots__ if name != "detail"]
    found: dict[str, Any] = {name: getattr(pair, name) for name in fields}
    detail = pair.detail
    if detail is None:
        return found
    numbers = [segment.index for segment in comparison.segments]
    found["detail"] = {
        "ngrams_system": list(map(_ngram, detail.ngrams_system)),
        "ngrams_other": list(map(_ngram, detail.ngrams_other)),
        "better": [numbers[place] for place in detail.better],
        "worse": [numbers[place] for place in detail.worse],
    }
    return found


def _ngram(ngram: NgramDifference) -> dict[str, Any]:
    return {name: getattr(ngram, name) for name in ngram.__slots__}


def _breakdown(found: Breakdown, comparison: Comparison) -> dict[str, Any]:
    values = {
        system.name: [None if value != value else value for value in row]  # noqa: PLR0124  # NaN
        for system, row in zip(comparison.systems, found.values.tolist(), strict=True)
    }
    return {
        "kind": found.kind,
        "title": found.title,
        "value": found.value,
        "counted": found.counted,
        "groups": list(found.groups),
        "sizes": list(found.sizes),
        "values": values,
    }


def _segment(segment: Segment, comparison: Comparison) -> dict[str, Any]:
    return {
        "index": segment.index,
        "source": segment.source,
        "document": segment.document,
        "domain": segment.domain,
        "language": segment.language,
        "references": list(segment.reference_texts),
        "systems": [
            {
                "name": system.name,
                "score": score,
                "text": text,
                "tokens": list(marked.tokens),
                "orders": list(marked.orders),
            }
            for system, score, text, marked in zip(
                comparison.systems, segment.scores, segment.texts, segment.systems, strict=True
            )
        ],
    }
