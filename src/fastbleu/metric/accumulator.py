"""Sum the counts of batches and processes, and score the sum at any time.

The counts are integers, so the score does not depend on how segments are divided into batches, or on their order.
"""

from __future__ import annotations

from threading import RLock

from ..counting.corpus import rows_of
from ..counting.row_sums import UNKNOWN, Sums, sum_rows
from ..counting.rows import empty_table
from ..errors import ArgumentValueError, counted, wrong_type
from ..options import check_flag, check_integer
from .accumulator_state import as_int64, check_same_options, read_state, write_state
from .metric_warnings import WARNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import ArrayLike, NDArray

    from ..counting.references import References
    from .metric import AnySegments, AnyStreams, Metric

#: The initial capacity of the array of stored rows.
_FIRST_ROWS = 64

_LARGEST_INT64 = 2**63 - 1


class Accumulator:
    """The running sum of statistics, created by `BLEU.accumulator` and `CHRF.accumulator`.

    `compute` returns the same float as the metric's `corpus_score` over all segments, for any division into batches, in
    any order and in any processes. Sums are Python integers and never overflow.

    Several threads may share an accumulator, or have one each. If counting a batch fails, nothing is added.

    Accumulators can be added (`+`, `sum`) if the options of their metrics are equal: the options that affect the counts
    (for BLEU: tokenizer, case, order and reference length), and those that affect the score, such as smoothing. A
    pickle or a copy of an accumulator contains its metric, and with it the references given to the metric;
    `state_dict` contains only the counts.

    Args:
        metric: The metric that counts and scores.
        keep_rows: Whether to also store the row of each segment. A row takes 8 bytes per column, and up to twice as
            much while the array of rows grows.

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

    With several processes, gather the accumulators (or their states) and add them. If only tensors can be sent, send
    the sums of rows; their score has no signature:

        gathered = [None] * torch.distributed.get_world_size()
        torch.distributed.all_gather_object(gathered, accumulator)
        score = sum(gathered).compute()

        sums = torch.from_numpy(accumulator.statistics)
        torch.distributed.all_reduce(sums)
        score = bleu.score_statistics(sums.numpy())
    """

    __slots__ = ("_lock", "_metric", "_tokenized", "_totals")

    #: The sums, and the array of stored rows, int64 [at least sums.size, columns], or None. Adding segments replaces
    #: the tuple and never changes the first sums.size rows, so a thread that has read the tuple needs no lock.
    _totals: tuple[Sums, NDArray[int64] | None]

    def __init__(self, metric: Metric[Any], keep_rows: bool = False) -> None:
        self._metric = metric
        # The lock is reentrant, so that a signal handler that adds segments never waits for its own thread.
        self._lock = RLock()
        # The number of hypotheses that look tokenized, for a warning that is logged once.
        self._tokenized = 0
        self._totals = self._empty_totals(check_flag("keep_rows", keep_rows))

    def __getstate__(self) -> tuple[Any, ...]:
        sums, rows = self._totals
        return self._metric, sums.row, sums.segments, None if rows is None else rows[: sums.size].copy()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._metric, row, segments, rows = state
        self._lock = RLock()
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
        """Return whether the row of each segment is stored."""
        return self._totals[1] is not None

    # Add counts

    def update(self, hypotheses: AnySegments, references: References | AnyStreams | None) -> None:
        """Count a batch of segments and add its counts.

        Args:
            hypotheses: n segments, n >= 0.
            references: Streams of n references each (`references[stream][segment]`), prepared `References` of length
                n, or None for the references given to the metric.

        Raises:
            TypeError, ValueError: As for the metric's `statistics`. Nothing is added then.
        """
        metric, number, rows = self._metric, 1, None
        totals = None if self.keep_rows else metric.count_single(hypotheses, references, WARNED)
        if totals is None:
            corpus = metric.corpus(hypotheses, references)
            number = len(corpus)
            rows = empty_table(number, metric.formula.width) if self.keep_rows else None
            totals = metric.count(corpus, None if rows is None else rows_of(rows), tokenized=WARNED)
        if totals.tokenized:
            with self._lock:
                before = self._tokenized
                self._tokenized += totals.tokenized
            metric.warn_of_tokens(before, totals.tokenized)
        if number:
            self._add(totals.row, {totals.num_references: number}, rows)

    def add_statistics(self, statistics: ArrayLike, *, segments: int | None = None) -> None:
        """Add statistics that were counted elsewhere. After that, the signature of the score is None.

        Args:
            statistics: One row, or n >= 0 rows [n, columns], as the metric's `statistics` returns them.
            segments: The number of segments that were counted for these statistics; None: one segment per row.

        Raises:
            TypeError: The statistics are not integers.
            ValueError: The statistics have a wrong shape, a count is negative, or there are more matches than
                candidates. Or `segments` is negative, is 0 although a count is above 0, or is not the number of rows
                although the accumulator stores rows.

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
        with self._lock:
            self._totals = self._empty_totals(self.keep_rows)

    # Other accumulators

    def merge(self, other: Accumulator) -> None:
        """Add the counts of another accumulator, which is unchanged; `accumulator += other` does the same.

        Args:
            other: An accumulator of a metric with equal options. It must store rows if this accumulator does.

        Raises:
            TypeError: `other` is not an accumulator.
            ValueError: An option of the metrics differs; the message names the first one. Or this accumulator stores
                rows and the other does not.

        `a + b` and `sum([a, b, c])` create a new accumulator, which stores rows if all of the accumulators do.
        """
        if not isinstance(other, Accumulator):
            raise wrong_type("other", "an Accumulator", other)
        check_same_options(other._metric, self._metric)
        sums, rows = other._totals
        if rows is None and self.keep_rows:
            problem = "keeps no rows, but this accumulator does: create both with keep_rows=True"
            raise ArgumentValueError("other", problem, value=other)
        self._add(sums.row, sums.segments, rows)

    def __add__(self, other: Accumulator) -> Accumulator:
        if not isinstance(other, Accumulator):
            return NotImplemented
        result = Accumulator(self._metric, self.keep_rows and other.keep_rows)
        result.merge(self)
        result.merge(other)
        return result

    def __radd__(self, other: int) -> Accumulator:
        # The built-in `sum` starts with 0.
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
        """Score all segments so far; more segments may be added later.

        Returns:
            A `BLEUScore` or `CHRFScore`, 0..100, equal to that of `corpus_score` over all segments. Its signature is
            None if the number of references is unknown.

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
        """Return the sum of all rows as a new array, int64 [columns].

        Raises:
            OverflowError: A sum does not fit int64; the message names the column.
        """
        import numpy as np

        row = self._totals[0].row
        for k, count in enumerate(row):
            if count > _LARGEST_INT64:
                column = self._metric.formula.column_name(k)
                raise OverflowError(
                    f"{column} is {count}, which does not fit int64; read it from state_dict()"
                )
        return np.array(row, dtype=np.int64)

    @property
    def rows(self) -> NDArray[int64]:
        """Return the rows of all segments as a new array, int64 [n, columns], in the order in which they were added.

        Raises:
            ValueError: The accumulator does not store rows.
        """
        sums, rows = self._totals
        if rows is None:
            raise ValueError("this accumulator keeps no rows; create it with keep_rows=True")
        return rows[: sums.size].copy()

    # State

    def state_dict(self) -> dict[str, Any]:
        """Return the counts and the metric's options as JSON-compatible values, for checkpoints and other processes.

        Returns:
            A new dictionary. "format" and "version" identify it. "options" are the metric's options; the metric of the
            accumulator that loads the state must have the same. "statistics" is the sum of all rows. "segments" is the
            number of segments. "num_references" is a list of pairs: a number of references per segment, and the number
            of segments with that many references. -1 references mean that their number varies within a batch, and 0
            that it is unknown. "rows" are the rows of the segments; this key is only present if the accumulator stores
            rows.

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
            state: The result of `state_dict`, possibly read from a file. It identifies a callable tokenizer only by its
                name. Its rows are ignored if this accumulator does not store rows.

        Raises:
            TypeError: The state is not a dictionary, or a value has the wrong type.
            ValueError: A key is missing or unknown, a value is out of range, values contradict each other, options
                differ, or this accumulator stores rows and the state has none. Nothing is changed then.
        """
        totals = read_state(state, self._metric, self.keep_rows)
        with self._lock:
            self._totals = totals

    # Internal

    def _empty_totals(self, keep_rows: bool) -> tuple[Sums, NDArray[int64] | None]:
        """Return the value of `_totals` for no segments."""
        width = self._metric.formula.width
        return Sums([0] * width, {}), empty_table(0, width) if keep_rows else None

    def _add(self, row: list[int], segments: dict[int, int], rows: NDArray[int64] | None) -> None:
        """Add counts.

        Args:
            row: The sum of the rows to add, [columns].
            segments: How many segments to add, {number of references: number of segments}.
            rows: The rows of these segments; needed only if rows are stored.
        """
        with self._lock:
            sums, stored = self._totals
            new_sums = sums.plus(row, segments)
            if stored is not None and rows is not None:
                start, stop = sums.size, new_sums.size
                if stop > len(stored):
                    larger = empty_table(max(stop, 2 * start, _FIRST_ROWS), self._metric.formula.width)
                    larger[:start] = stored[:start]
                    stored = larger
                stored[start:stop] = rows[: stop - start]
            self._totals = new_sums, stored
