"""Check the metric and the formula that a caller passes, and process pools chunk by chunk in several threads."""

from __future__ import annotations

from contextlib import contextmanager

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
    from collections.abc import Callable, Iterator
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

#: The largest number of candidates in a chunk. A chunk that has only one pool may be larger.
MAX_CHUNK_CANDIDATES = 1024
#: The largest number of characters or tokens in a chunk. A chunk that has only one pool may be larger.
MAX_CHUNK_LENGTH = 1 << 20

#: The time to read a candidate, as the number of pairs that are scored in the same time.
_PAIRS_PER_CANDIDATE = 128
#: The smallest number of pairs in a chunk. They take about a millisecond, so the cost of starting a chunk is small.
_MIN_PAIRS = 1 << 16


def metric_and_formula(
    metric: Any, formula: FormulaName, smoothing: NLTKSmoothing | None
) -> tuple[BLEU | CHRF, Formula | NLTKFormula | CHRFFormula]:
    """Check the arguments `metric`, `formula` and `smoothing`, and return the metric and the formula that scores pairs.

    Args:
        metric: A `BLEU` or a `CHRF`; None: `BLEU(effective_order=True)`.
        formula: "sacrebleu": the metric's own formula. "nltk": NLTK's formula, with the metric's weights or, if the
            metric has none, with equal weights of sum 1.
        smoothing: The smoothing method of NLTK's formula; None: "method1".

    Raises:
        TypeError: The metric is neither a BLEU nor a CHRF.
        ValueError: The formula or the smoothing is unknown; a smoothing is given without NLTK's formula; NLTK's formula
            or a smoothing is given for a CHRF; or "method6" is given for fewer than three or more than twelve orders.

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
        use = f"is for formula='nltk', got {smoothing!r}; to smooth by the metric's formula, set its smooth_method"
        raise ArgumentValueError("smoothing", use, value=smoothing)
    smoothing = "method1" if smoothing is None else smoothing
    check_choice("smoothing", smoothing, NLTK_SMOOTHINGS)
    metric = as_bleu(metric, formula == "sacrebleu", "BLEU or CHRF")
    if formula == "sacrebleu":
        return metric, metric.formula
    order = metric.max_ngram_order
    return metric, NLTKFormula(smoothing, metric.weights or (1 / order,) * order)


@contextmanager
def naming_no_trigram(
    hypotheses: Location, hypothesis_starts: Any, references: Location, reference_starts: Any
) -> Iterator[None]:
    """Convert a `NoTrigramError` of a kernel to an error that names the hypothesis and the reference.

    Args:
        hypotheses: The argument that has the hypotheses, for the message.
        hypothesis_starts: The index in `hypotheses` of the first hypothesis of each pool that the kernel scores.
        references: The argument that has the references, for the message.
        reference_starts: The index in `references` of the first reference of each pool.

    Raises:
        ValueError: The two texts of a pair share a token, but no trigram.
    """
    from ._hypothesis_scores import NoTrigramError

    try:
        yield
    except NoTrigramError as error:
        hypothesis, reference, i = (*error.args, 0)[:3]
        problem = "have tokens in common, but no trigram, which smoothing='method6' needs"
        raise ArgumentValueError(
            hypotheses[int(hypothesis_starts[i]) + hypothesis],
            f"and {references[int(reference_starts[i]) + reference]} {problem}",
        ) from None


def as_threads(threads: int | None, metric: BLEU | CHRF) -> int:
    """Check the argument `threads`; return the number of threads to use, which is the metric's if `threads` is None."""
    return metric.threads if threads is None else check_threads(threads)


class PoolColumns:
    """A reader of pools, and of their evidence or references, as columns in which equal tokens have equal numbers.

    Args:
        matcher: The tokenizer and the other options that decide which tokens match.
        inputs: One or two `CheckedPools` with the same number of pools: the candidates, and their evidence or
            references, if any.
        are_evidence: Whether the candidates are scored against each other. If they have unknown tokens, which do not
            match even themselves, they are read twice: as hypotheses and as evidence.

    Attributes:
        inputs: The `CheckedPools` that are read, one or two.
        kind: IDS if any input has token ids, otherwise the kind of the first candidate.
        counter: The counter of n-grams for columns of this kind.
        have_unknown: Whether an input has unknown tokens, which match nothing, not even themselves.

    Raises:
        TypeError, ValueError: An input is an array that does not hold token ids, or token ids are given for a tokenizer
            or another option that would change them.
    """

    def __init__(self, matcher: Matcher, inputs: list[CheckedPools], are_evidence: bool = False) -> None:
        self._matcher = matcher
        self.kind = common_kind(inputs)
        if self.kind == IDS:
            matcher.check_kind(inputs, IDS)
        self.counter = matcher.counter_for(self.kind)
        self.have_unknown = self.kind == IDS and any(pools.have_unknown() for pools in inputs)
        self.inputs = inputs * 2 if are_evidence and self.have_unknown else inputs

    def stop_after(self, start: int, stop: int) -> int:
        """Choose the end of the chunk that begins with pool `start`.

        Returns:
            The index after the last pool of the chunk, in start + 1..stop.
        """
        bounds: Any = sum(pools.bounds[start : stop + 1] for pools in self.inputs)
        stop = max(
            start + 1, start + int(bounds.searchsorted(bounds[0] + MAX_CHUNK_CANDIDATES, side="right")) - 1
        )
        while (
            stop > start + 1
            and sum(pools.estimate_length(start, stop) for pools in self.inputs) > MAX_CHUNK_LENGTH
        ):
            stop = (start + stop) // 2
        return stop

    def read(self, start: int, stop: int) -> list[Column]:
        """Read the pools start..stop - 1 of each input, and return one column per input.

        Raises:
            TypeError, ValueError: A candidate is not a segment; the error names pools[i][j].
        """
        is_numbered = self.kind == TOKENS or self._matcher.tokenizer.to_tokens is not None
        vocabulary: Vocabulary | None = {} if is_numbered else None
        return [self._read_input(pools, start, stop, vocabulary) for pools in self.inputs]

    def read_with_distinct_unknowns(self, start: int, stop: int) -> list[Column]:
        """Read the pools start..stop - 1 of each input, and give each unknown token a number that occurs only once.

        Kernels that compare all pairs assume that equal numbers match, but unknown tokens match nothing. The columns
        and the errors are those of `read`.
        """
        columns = self.read(start, stop)
        if not self.have_unknown:
            return columns
        return [_number_unknown_tokens(column, s, len(columns)) for s, column in enumerate(columns)]

    def _read_input(
        self, pools: CheckedPools, start: int, stop: int, vocabulary: Vocabulary | None
    ) -> Column:
        if self.kind == IDS:
            return pools.ids(start, stop)
        segments, first, last = pools.segments(start, stop, self.kind)
        self._matcher.check_kind([segments], self.kind)
        column: Column = self._matcher.reader([segments], vocabulary, whole=True)(first, last)[0][0]
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
            work: Called as `work(columns, start, stop)` for the pools start..stop - 1 of each chunk; several threads
                call it at the same time. Returns a tuple.
            done: Called with the items of the tuple that `work` returned, for one chunk at a time, in any order.
            threads: The number of threads that may work at the same time.
            pairs: The number of pairs that are scored in all pools, from which the size of chunks is chosen; 0 if
                candidates are not scored in pairs.
            progress: Whether to show a progress bar on standard error.
            read: Called as `read(start, stop)` to read a chunk; None: `read_with_distinct_unknowns`.

        Raises:
            ImportError: `progress` is True, and tqdm is not installed.
        """
        read = read or self.read_with_distinct_unknowns

        def read_chunk(start: int, stop: int) -> tuple[list[Column], int]:
            stop = self.stop_after(start, stop)
            return read(start, stop), stop

        number = len(self.inputs[0])
        candidates = sum(int(pools.bounds[-1]) for pools in self.inputs)
        cost = (pairs + _PAIRS_PER_CANDIDATE * candidates) / max(1, number)
        step = CHUNK_SEGMENTS
        if threads > 1:
            # With smaller chunks, all threads end at about the same time, but a chunk should have _MIN_PAIRS pairs.
            min_pools = -(-_MIN_PAIRS // max(1, int(cost)))
            step = min(step, max(1, min_pools, number // (threads * CHUNKS_PER_THREAD)))
        with progress_bar(number, " pools", check_flag("progress", progress)) as bar:

            def work_and_count(columns: list[Any], start: int, stop: int) -> tuple[Any, ...]:
                return stop - start, *work(columns, start, stop)

            def done_and_shown(pools: int, *results: Any) -> None:
                done(*results)
                bar.update(pools)

            for_each_chunk(read_chunk, work_and_count, done_and_shown, 0, number, step, threads)


def _number_unknown_tokens(column: Column, s: int, columns: int) -> Column:
    """Return a copy of a column of ids in which each unknown token has a number that no other token has.

    Args:
        column: The column; unknown tokens are the ids below 0.
        s: The index of this column among the columns of a chunk.
        columns: The number of columns of the chunk. Tokens in different columns must get different numbers.
    """
    import numpy as np

    kind, data, offsets, missing = column.__reduce__()[1]
    ids = np.frombuffer(data, dtype=np.int64).copy()
    unknown = np.flatnonzero(ids < 0)
    ids[unknown] = -1 - s - columns * np.arange(len(unknown))
    return rebuild(kind, ids.tobytes(), offsets, missing)
