"""Write a comparison as JSON."""

from __future__ import annotations

from dataclasses import asdict
from json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .comparison import Comparison
    from .results import Breakdown, Pair, Segment, System


def json_report(comparison: Comparison) -> str:
    """Return a comparison as a JSON object that has every attribute except `segment_scores`.

    Numbers have their full precision, and unknown values are null. Segments are numbered from 0.
    """
    report = {
        "verdict": list(comparison.verdict),
        "best": [system.name for system in comparison.leaders],
        "num_segments": comparison.num_segments,
        "num_references": comparison.num_references,
        "settings": asdict(comparison.settings),
        "systems": list(map(_system, comparison.systems)),
        "pairs": list(map(_pair, comparison.pairs)),
        "others": [
            {
                **_fields(other, "name", "signature"),
                "systems": list(map(asdict, other.systems)),
                "pairs": list(map(_pair, other.pairs)),
            }
            for other in comparison.others
        ],
        "unchecked": comparison.unchecked,
        "no_agreement": comparison.no_agreement,
        "breakdowns": [_breakdown(each, comparison) for each in comparison.breakdowns],
        "findings": list(map(asdict, comparison.findings)),
        "segments": [_segment(segment, comparison) for segment in comparison.segments],
    }
    # Escape lone surrogates, which UTF-8 cannot encode.
    text = dumps(report, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _fields(value: Any, *names: str) -> dict[str, Any]:
    """Return a dictionary of the attributes that have these names."""
    return {name: getattr(value, name) for name in names}


def _system(system: System) -> dict[str, Any]:
    score = system.score
    return {
        **_fields(system, "name", "rank", "cluster", "bleu", "low", "high"),
        "brevity_penalty": score.bp,
        "length_ratio": score.ratio,
        **_fields(score, "precisions", "sys_len", "ref_len", "counts", "totals"),
    }


def _pair(pair: Pair) -> dict[str, Any]:
    fields = _fields(pair, *(name for name in pair.__slots__ if name != "detail"), "is_tie")
    detail = pair.detail
    if detail is not None:
        fields["detail"] = {
            "ngrams_system": list(map(asdict, detail.ngrams[0])),
            "ngrams_other": list(map(asdict, detail.ngrams[1])),
            "better": [segment.index for segment in detail.better],
            "worse": [segment.index for segment in detail.worse],
        }
    return fields


def _breakdown(breakdown: Breakdown, comparison: Comparison) -> dict[str, Any]:
    values = {
        system.name: [None if value != value else value for value in row]  # noqa: PLR0124  # NaN
        for system, row in zip(comparison.systems, breakdown.values.tolist(), strict=True)
    }
    return {**asdict(breakdown), "values": values}


def _segment(segment: Segment, comparison: Comparison) -> dict[str, Any]:
    names = (system.name for system in comparison.systems)
    outputs = zip(names, segment.scores, segment.texts, segment.systems, strict=True)
    return {
        **_fields(segment, "index", "source", "document", "domain", "language"),
        "references": segment.reference_texts,
        "systems": [
            {"name": name, "score": score, "text": text, **_fields(marked, "tokens", "orders")}
            for name, score, text, marked in outputs
        ],
    }
