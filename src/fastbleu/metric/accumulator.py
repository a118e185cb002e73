"""Sum counts of batches, of several processes or of given rows, and score the sum at any time.

Statistics are integers, so neither the batches nor their order can change the score.
"""

from __future__ import annotations

from threading import RLock

from ..counting.corpus import rows_of
from ..counting.row_sums import UNKNOWN, Sums, sum_rows
from ..counting.rows import empty_table
from ..errors import ArgumentValueError, counted, wrong_type
from ..options import check_flag, check_integer
from .accumulator_state import as_int64, check_same_options, read_state, write_state
from .warning import WARNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import ArrayLike, NDArray

    from ..counting.references import References
    from .metric import AnySegments, AnyStreams, Metric

#: The initial capacity for kept rows.
_FIRST_ROWS = 64

_LARGEST_INT64 = 2**63 - 1


class Accumulator:
    """The running sum of statistics, created by `BLEU.accumulator` and `CHRF.accumulator`.

    The score is the same float as that of the metric's `corpus_score` over all segments, for any batches in any order,
    counted in any processes. Sums are Python integers and never overflow.

    Several threads may share an accumulator, or have one each. A batch is added as a whole or, if counting it fails,
    not at all.
    Accumulators can be added (`+`, `sum`) if the options of their metrics are equal: those that decide the counts (for
    BLEU tokenizer, case, order and reference length), and those that decide the score, such as smoothing. A pickle or a
    copy of an accumulator contains its metric, and with it the references given to the metric; `state_dict` contains
    only the counts.

    Args:
        metric: The metric that counts and scores.
        keep_rows: Whether to also keep the row of each segment, at 8 bytes per column, up to twice that while it grows.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> accumulator = bleu.accumulator()
        >>> accumulator.update(["Rain falls."], [["Rain fell."]])
        >>> accumulator.update(["It rained all day."], [["It rained all day."]])
        >>> accumulator.compute()
        BLEU = 81.33 87.5/66.7/75.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
        >>> str(accumulator.compute().signature).rpartition("|")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'

    With several processes, gather accumulators (or their states) and add them. If only tensors can be sent, send rows;
    their sum is scored without a signature:

        gathered = [None] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(gathered, accumulator)
        score = sum(gathered).compute()

        sums = torch.from_numpy(accumulator.statistics)
        torch.distributed.all_reduce(sums)
        score = bleu.score_statistics(sums.numpy())
    """

    __slots__ = ("_exchange", "_metric", "_tokenized", "_totals")

    #: The sums, and the array of kept rows, int64 [at least sums.size, columns], or None. The tuple is replaced as a
    #: whole, and new rows are written only after the last one, so rows that were read never change.
    _totals: tuple[Sums, NDArray[int64] | None]

    def __init__(self, metric: Metric[Any], keep_rows: bool = False) -> None:
        self._metric = metric
        self._exchange = RLock()  # Reentrant, so that a signal handler never waits for its own thread.
        # The number of hypotheses that look tokenized, for a warning that is logged once.
        self._tokenized = 0
        self._totals = self._nothing(check_flag("keep_rows", keep_rows))

    def __getstate__(self) -> tuple[Any, ...]:
        sums, rows = self._totals
        return self._metric, sums.row, sums.segments, None if rows is None else rows[: sums.size].copy()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._metric, row, segments, rows = state
        self._exchange = RLock()
        self._tokenized = 0
        self._totals = Sums(row, segments), rows

    def __len__(self) -> int:
        return self._totals[0].size

    def __repr__(self) -> str:
        sums, rows = self._totals
        segments = counted(sums.size, "segment")
        kept = "" if rows is None else ", rows kept"
        score = f": {self._metric.formula.score(sums.row)}" if sums.size else ""
        return f"<Accumulator of {segments}{kept}{score}>"

    @property
    def metric(self) -> Any:
        """Return the metric that counts and scores."""
        return self._metric

    @property
    def keep_rows(self) -> bool:
        """Return whether the row of each segment is kept."""
        return self._totals[1] is not None

    # Add counts

    def update(self, hypotheses: AnySegments, references: References | AnyStreams | None) -> None:
        """Count a batch and add it.

        Args:
            hypotheses: n segments, n >= 0.
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for those given to the metric.

        Raises:
            TypeError, ValueError: As the metric's `statistics`; then nothing is added.
        """
        metric, number, rows = self._metric, 1, None
        totals = None if self.keep_rows else metric.count_single(hypotheses, references, WARNED)
        if totals is None:
            corpus = metric.corpus(hypotheses, references)
            number = len(corpus)
            rows = empty_table(number, metric.formula.width) if self.keep_rows else None
            totals = metric.count(corpus, None if rows is None else rows_of(rows), tokenized=WARNED)
        if totals.tokenized:
            with self._exchange:
                before = self._tokenized
                self._tokenized += totals.tokenized
            metric.warn_of_tokens(before, totals.tokenized)
        if number:
            self._add(totals.row, {totals.num_references: number}, rows)

    def add_statistics(self, statistics: ArrayLike, *, segments: int | None = None) -> None:
        """Add rows that were counted before; from then on the signature of the score is None.

        Args:
            statistics: A row, or rows [n, columns], n >= 0, as the metric's `statistics` returns them.
            segments: The number of segments that they represent; None: one per row.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: They have another shape, a count is negative, there are more matches than candidates, or
                `segments` is negative, 0 for counts above 0, or not the number of rows if rows are kept.

        Example:
            >>> from fastbleu import BLEU
            >>> bleu = BLEU(max_ngram_order=2)
            >>> accumulator, another = bleu.accumulator(), bleu.accumulator()
            >>> accumulator.update(["the cat sat", "it rains"], [["the cat is here", "it rained"]])
            >>> another.add_statistics(accumulator.statistics, segments=len(accumulator))
            >>> another.statistics.tolist() == accumulator.statistics.tolist(), len(another)
            (True, 2)
        """
        rows = self._metric.formula.check_rows(statistics, "statistics")
        row = sum_rows(rows)
        number = len(rows) if segments is None else check_integer("segments", segments, 0)
        if not number and any(row):
            raise ArgumentValueError("segments", "is 0, but statistics has counts above 0", value=number)
        if self.keep_rows and len(rows) != number:
            needed = f"with keep_rows=True there must be a row for each, not {len(rows)}"
            raise ArgumentValueError("segments", f"is {number}, but {needed}", value=number)
        self._add(row, {UNKNOWN: number}, as_int64(rows, "statistics") if self.keep_rows else None)

    def reset(self) -> None:
        """Remove all counts."""
        with self._exchange:
            self._totals = self._nothing(self.keep_rows)

    # Other accumulators

    def merge(self, other: Accumulator) -> None:
        """Add the counts of another accumulator, which is unchanged; `accumulator += other` does the same.

        Args:
            other: An accumulator of a metric with equal options; it must keep rows if this one does.

        Raises:
            TypeError: `other` is not an accumulator.
            ValueError: An option differs; the message names the first one. Or this accumulator keeps rows and the other
                does not.

        `a + b` and `sum([a, b, c])` create a new accumulator, which keeps rows if all of them do.
        """
        if not isinstance(other, Accumulator):
            raise wrong_type("other", "an Accumulator", other)
        check_same_options(other._metric, self._metric)
        sums, rows = other._totals
        if rows is None and self.keep_rows:
            lacking = "keeps no rows, but this accumulator does: make both with keep_rows=True"
            raise ArgumentValueError("other", lacking, value=other)
        self._add(sums.row, sums.segments, rows)

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        result = Accumulator(self._metric, self.keep_rows and other.keep_rows)
        result.merge(self)
        result.merge(other)
        return result

    def __radd__(self, other: int) -> Accumulator:
        # sum() starts with 0.
        if type(other) is not int or other != 0:
            return NotImplemented
        result = Accumulator(self._metric, self.keep_rows)
        result.merge(self)
        return result

    def __iadd__(self, other: Accumulator) -> Accumulator:  # noqa: PYI034  # a subclass may return what it likes
        if not isinstance(other, Accumulator):
            return NotImplemented
        self.merge(other)
        return self

    # Results

    def compute(self) -> Any:
        """Score all counts so far; more may be added later.

        Returns:
            A `BLEUScore` or `CHRFScore`, 0..100, as `corpus_score` over all segments returns it. Its signature is None
            if the number of references is unknown.

        Raises:
            ValueError: No segment was added.
        """
        sums, _ = self._totals
        if not sums.size:
            raise ValueError(
                "nothing has been accumulated, and a corpus score needs at least one segment: call "
                "update(hypotheses, references) or add_statistics(rows) first"
            )
        score: Any = self._metric.formula.score(sums.row)
        number = sums.num_references()
        if number is not None:
            self._metric.signed(score, number)
        return score

    @property
    def statistics(self) -> NDArray[int64]:
        """Return the sum of all rows, a new array int64 [columns].

        Raises:
            OverflowError: A sum does not fit int64; the message says which.
        """
        import numpy as np

        row = self._totals[0].row
        for k, count in enumerate(row):
            if count > _LARGEST_INT64:
                column = self._metric.formula.column_name(k)
                raise OverflowError(f"{column} is {count}, which does not fit int64; state_dict() holds it")
        return np.array(row, dtype=np.int64)

    @property
    def rows(self) -> NDArray[int64]:
        """Return the row of each segment in the order of addition, a new array int64 [n, columns].

        Raises:
            ValueError: Rows are not kept.
        """
        sums, rows = self._totals
        if rows is None:
            raise ValueError("rows are only kept by an accumulator that was made with keep_rows=True")
        return rows[: sums.size].copy()

    # State

    def state_dict(self) -> dict[str, Any]:
        """Return everything except the metric as JSON-compatible values, for checkpoints and other processes.

        Returns:
            A new dictionary: "format" and "version"; "options", which must be equal where it is loaded; "statistics",
            the sum of all rows; "segments", their number; "num_references", pairs of a number of references (-1: it
            differs, 0: unknown) and the number of segments with it; and "rows", only if they are kept.

        Example:
            >>> import json
            >>> from fastbleu import BLEU
            >>> accumulator = BLEU(max_ngram_order=2).accumulator()
            >>> accumulator.update(["the cat sat", "it rains"], [["the cat is here", "it rained"]])
            >>> state = json.loads(json.dumps(accumulator.state_dict()))
            >>> state["statistics"], state["segments"], state["num_references"]
            ([5, 6, 3, 1, 5, 3], 2, [[1, 2]])
            >>> another = BLEU(max_ngram_order=2).accumulator()
            >>> another.load_state_dict(state)
            >>> another.compute().score == accumulator.compute().score
            True
        """
        sums, rows = self._totals
        return write_state(self._metric, sums, None if rows is None else rows[: sums.size])

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Replace all counts by those of a saved state.

        Args:
            state: The result of `state_dict`, possibly read from a file. It records a callable tokenizer by its name
                only. Its rows are ignored if this accumulator does not keep rows.

        Raises:
            TypeError: The state is not a dictionary, or a value has the wrong type.
            ValueError: A key is missing or unknown, a value is out of range, values contradict each other, options
                differ, or this accumulator keeps rows and the state has none. Then nothing is changed.
        """
        totals = read_state(state, self._metric, self.keep_rows)
        with self._exchange:
            self._totals = totals

    # Internal

    def _nothing(self, keep_rows: bool) -> tuple[Sums, NDArray[int64] | None]:
        """Return sums of no segments, and an empty array of rows if they are kept."""
        width = self._metric.formula.width
        return Sums([0] * width, {}), empty_table(0, width) if keep_rows else None

    def _add(self, row: list[int], segments: dict[int, int], rows: NDArray[int64] | None) -> None:
        """Add a sum with its numbers of segments by number of references, and its rows if rows are kept."""
        with self._exchange:
            sums, kept = self._totals
            more = sums.plus(row, segments)
            if kept is not None and rows is not None:
                start, stop = sums.size, more.size
                if stop > len(kept):
                    larger = empty_table(max(stop, 2 * start, _FIRST_ROWS), self._metric.formula.width)
                    larger[:start] = kept[:start]
                    kept = larger
                kept[start:stop] = rows[: stop - start]
            self._totals = more, kept
