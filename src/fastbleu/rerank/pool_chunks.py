"""Check the metric and the formula of a call, and read its pools as columns, chunk by chunk, in threads."""

from __future__ import annotations

from ..errors import ArgumentValueError
from ..inputs._column import rebuild
from ..inputs.columns import IDS, TOKENS, common_kind
from ..metric.check_metric import as_bleu
from ..metric.chrf import CHRF
from ..options import FORMULAS, NLTK_SMOOTHINGS, check_choice, check_flag, check_threads
from ..scoring.nltk.nltk_formula import NLTKFormula
from ..system.progress import progress_bar
from ..system.threads import CHUNK_SEGMENTS, CHUNKS_PER_THREAD, for_each_chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..counting.matcher import Matcher
    from ..errors import Location
    from ..inputs._column import Column
    from ..inputs.columns import Vocabulary
    from ..metric import BLEU
    from ..options import FormulaName, NLTKSmoothing
    from ..scoring.chrf_formula import CHRFFormula
    from ..scoring.formula import Formula
    from .pool_sources import CheckedPools

#: The largest number of candidates in a chunk, and of their characters or tokens. A single pool may exceed both.
CHUNK_CANDIDATES = 1024
CHUNK_VOLUME = 1 << 20

#: The cost of reading a candidate, as the number of pairs that are scored in the same time.
_PAIRS_PER_CANDIDATE = 128
#: The smallest number of pairs that is worth a chunk: about a millisecond of work.
_MIN_PAIRS = 1 << 16


def metric_and_formula(
    metric: Any, formula: FormulaName, smoothing: NLTKSmoothing | None
) -> tuple[BLEU | CHRF, Formula | NLTKFormula | CHRFFormula]:
    """Return the metric of a call, and the formula that scores its pairs.

    Args:
        metric: The user's argument; None: BLEU with effective order.
        formula: "sacrebleu": the metric's own formula. "nltk": NLTK's formula, with the metric's weights, or uniform
            weights of sum 1.
        smoothing: The smoothing method of NLTK's formula; None: "method1".

    Raises:
        TypeError: The metric is neither a BLEU nor a CHRF.
        ValueError: The formula or smoothing is unknown; a smoothing is given without NLTK's formula; NLTK's formula, or
            a smoothing, is given for a CHRF; or "method6" with fewer than three orders or more than twelve.

    Example:
        >>> metric_and_formula(None, "nltk", None)[1].weights
        (0.25, 0.25, 0.25, 0.25)
    """
    check_choice("formula", formula, FORMULAS)
    if isinstance(metric, CHRF):
        for option, value in (("formula", formula), ("smoothing", smoothing)):
            if value not in ("sacrebleu", None):
                raise ArgumentValueError(option, f"{value!r} cannot be used with {metric!r}", value=value)
        return metric, metric.formula
    if smoothing is not None and formula != "nltk":
        use = f"is for formula='nltk', got {smoothing!r}; the metric has a smooth_method"
        raise ArgumentValueError("smoothing", use, value=smoothing)
    smoothing = "method1" if smoothing is None else smoothing
    check_choice("smoothing", smoothing, NLTK_SMOOTHINGS)
    metric = as_bleu(metric, formula == "sacrebleu", "BLEU or CHRF")
    if formula == "sacrebleu":
        return metric, metric.formula
    order = metric.max_ngram_order
    return metric, NLTKFormula(smoothing, metric.weights or (1 / order,) * order)


def no_trigram(hypothesis: Location, reference: Location) -> ArgumentValueError:
    """Return the error about a pair of texts that NLTK's method 6 cannot score."""
    return ArgumentValueError(
        hypothesis,
        f"and {reference} have tokens in common, but no trigram, which smoothing='method6' needs",
    )


def as_threads(threads: int | None, metric: BLEU | CHRF) -> int:
    """Return the number of threads that may work at the same time: the metric's if `threads` is None."""
    return metric.threads if threads is None else check_threads(threads)


class PoolColumns:
    """Reads pools, and their evidence or references, as columns whose tokens share their numbers within a chunk.

    Args:
        matcher: The options that decide tokens.
        sources: The candidates, then their evidence or references, if any; each with the same number of pools.
        are_evidence: Whether the candidates are scored against each other. If some tokens then match nothing, not even
            themselves, the candidates are read twice, as two sources.

    Attributes:
        sources: The pools of each source.
        kind: The kind of the segments: ids if a source holds ids, otherwise the kind of the first candidate.
        counter: The counter of n-grams for these columns.
        have_unknown: Whether some tokens match nothing, not even themselves.

    Raises:
        TypeError, ValueError: A source is an array of something else, or the options would change its ids.
    """

    def __init__(self, matcher: Matcher, sources: list[CheckedPools], are_evidence: bool = False) -> None:
        self._matcher = matcher
        self.kind = common_kind(sources)
        if self.kind == IDS:
            matcher.check_kind(sources, IDS)
        self.counter = matcher.counter_for(self.kind)
        self.have_unknown = self.kind == IDS and any(pools.have_unknown() for pools in sources)
        self.sources = sources * 2 if are_evidence and self.have_unknown else sources

    def stop_after(self, start: int, stop: int) -> int:
        """Return where the chunk that begins with pool `start` ends: after at least one pool, and at most at `stop`."""
        bounds: Any = sum(pools.bounds[start : stop + 1] for pools in self.sources)
        stop = max(
            start + 1, start + int(bounds.searchsorted(bounds[0] + CHUNK_CANDIDATES, side="right")) - 1
        )
        while stop > start + 1 and sum(pools.volume(start, stop) for pools in self.sources) > CHUNK_VOLUME:
            stop = (start + stop) // 2
        return stop

    def read(self, start: int, stop: int) -> list[Column]:
        """Read the pools start..stop - 1 of each source.

        Returns:
            One column for each source.

        Raises:
            TypeError, ValueError: A candidate is not a segment; the error names pools[i][j].
        """
        is_numbered = self.kind == TOKENS or self._matcher.tokenizer.to_tokens is not None
        vocabulary: Vocabulary | None = {} if is_numbered else None
        return [self._read_source(pools, start, stop, vocabulary) for pools in self.sources]

    def read_apart(self, start: int, stop: int) -> list[Column]:
        """Read the pools start..stop - 1 of each source for a kernel in which every token matches itself.

        Each unknown token becomes a token of its own. Returns and raises as `read`.
        """
        columns = self.read(start, stop)
        if not self.have_unknown:
            return columns
        return [_apart(column, s, len(columns)) for s, column in enumerate(columns)]

    def _read_source(
        self, pools: CheckedPools, start: int, stop: int, vocabulary: Vocabulary | None
    ) -> Column:
        if self.kind == IDS:
            return pools.ids(start, stop)
        source, first, last = pools.segments(start, stop, self.kind)
        self._matcher.check_kind([source], self.kind)
        column: Column = self._matcher.reader([source], vocabulary, whole=True)(first, last)[0][0]
        return column

    def for_each_chunk(
        self,
        work: Callable[[list[Any], int, int], tuple[Any, ...]],
        done: Callable[..., object],
        threads: int,
        pairs: int,
        progress: bool,
        read: Callable[[int, int], list[Column]] | None = None,
    ) -> None:
        """Process all pools chunk by chunk.

        Args:
            work: Called with the columns of a chunk, its first pool and the one after its last; several threads call it
                at the same time.
            done: Called with the results of `work`, one chunk at a time, in any order.
            threads: The number of threads that may work at the same time.
            pairs: The number of candidates times that of their evidence, summed over all pools; 0 if no pairs are
                scored.
            progress: Whether to show a progress bar on standard error.
            read: Reads the columns of a chunk; None: `read_apart`.

        Raises:
            ImportError: `progress` is True, and tqdm is not installed.
        """
        read = read or self.read_apart

        def read_chunk(start: int, stop: int) -> tuple[list[Column], int]:
            stop = self.stop_after(start, stop)
            return read(start, stop), stop

        number = len(self.sources[0])
        candidates = sum(int(pools.bounds[-1]) for pools in self.sources)
        cost = (pairs + _PAIRS_PER_CANDIDATE * candidates) / max(1, number)
        step = CHUNK_SEGMENTS
        if threads > 1:
            # Small enough that all threads end at about the same time, and large enough to be worth a chunk.
            min_pools = -(-_MIN_PAIRS // max(1, int(cost)))
            step = min(step, max(1, min_pools, number // (threads * CHUNKS_PER_THREAD)))
        with progress_bar(number, " pools", check_flag("progress", progress)) as bar:

            def work_and_count(columns: list[Any], start: int, stop: int) -> tuple[Any, ...]:
                return stop - start, *work(columns, start, stop)

            def done_and_shown(pools: int, *results: Any) -> None:
                done(*results)
                bar.update(pools)

            for_each_chunk(read_chunk, work_and_count, done_and_shown, 0, number, step, threads)


def _apart(column: Column, s: int, columns: int) -> Column:
    """Give each unknown token of column s a number that no other token of any of the `columns` columns has."""
    import numpy as np

    kind, data, offsets, missing = column.__reduce__()[1]
    ids = np.frombuffer(data, dtype=np.int64).copy()
    unknown = np.flatnonzero(ids < 0)
    ids[unknown] = -1 - s - columns * np.arange(len(unknown))
    return rebuild(kind, ids.tobytes(), offsets, missing)
