"""sacreBLEU's TER: its own statistics of a segment, remembered for the next time that the segment is scored.

Programs that resample a corpus compute TER of each resample anew, though its segments are the same. The statistics are
sacreBLEU's own, made by its own code; only sums and scores are computed again.
"""

from __future__ import annotations

from ..system._unchanged import all_hold
from ..system.reads import reads_of
from ._calls import NOT_CONCERNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ..system._unchanged import Unchanged

#: Segments that are remembered, with their texts.
_MOST = 100_000

#: Attributes of a metric that do not change what it counts.
_NO_OPTIONS = {"_ref_cache", "n_bootstrap", "num_refs", "seed", "tokenizer_signature"}

_SIMPLE = (bool, int, float, str, type(None))

#: The classes whose statistics are remembered, and the check that they are unchanged.
_kinds: dict[type, tuple[Unchanged, ...]] = {}

#: By options and texts: the statistics.
_statistics: dict[Any, tuple[Any, ...]] = {}


def watch(module: ModuleType) -> None:
    """Remember the statistics of a class of sacreBLEU from now on.

    Args:
        module: `sacrebleu.metrics.ter`.
    """
    if module.TER not in _kinds:
        _kinds[module.TER] = reads_of(("_extract_corpus_statistics",), module.TER)


def statistics(metric: Any, hypotheses: Any, references: Any) -> Any:
    """Return the statistics of a corpus' segments as sacreBLEU's method does; NOT_CONCERNED where it must do it."""
    reads = _kinds.get(type(metric))
    if reads is None or not references or not all_hold(reads):
        return NOT_CONCERNED
    options = _options_of(metric)
    streams = [hypotheses, *references]
    if options is None or not {type(stream) for stream in streams} <= {list, tuple}:
        return NOT_CONCERNED
    found = [
        _segment(metric, options, hypothesis, tuple(line for line in lines if line is not None))
        for hypothesis, *lines in zip(*streams, strict=False)
    ]
    numbers = {len(lines) - lines.count(None) for lines in zip(*references, strict=False)}
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
    return found


def _options_of(metric: Any) -> tuple[Any, ...] | None:
    """Return what decides the statistics; None where a program has added something that may."""
    kept = {name: value for name, value in vars(metric).items() if name not in _NO_OPTIONS}
    tokenizer = kept.pop("tokenizer", None)
    options = type(metric), type(tokenizer), *kept.items(), *getattr(tokenizer, "__dict__", {}).items()
    return options if all(isinstance(value, _SIMPLE) for _, value in options[2:]) else None


def _segment(metric: Any, options: tuple[Any, ...], hypothesis: Any, lines: tuple[Any, ...]) -> list[Any]:
    key = options, hypothesis, lines
    known = _statistics.get(key)
    if known is None:
        info = metric._extract_reference_info([metric._preprocess_segment(line) for line in lines])
        known = tuple(metric._compute_segment_statistics(metric._preprocess_segment(hypothesis), info))
        if len(_statistics) >= _MOST:
            _statistics.clear()
        _statistics[key] = known
    return list(known)
