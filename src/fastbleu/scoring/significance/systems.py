"""Check the statistics of several systems for the same segments, and sum them by document."""

from __future__ import annotations

from itertools import combinations

from ...errors import ArgumentValueError, Location, counted, there_are, wrong_type
from ...options import CORRECTIONS, PAIRS, check_choice
from ..bootstrap import check_sums_are_exact
from ..formula import Formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ...options import Correction, PairsToCompare
    from ..formula import HasFormula, RowFormula


class Systems:
    """The statistics of several systems, with one row per unit. A unit is a document if `documents` is given.

    Args:
        statistics: A mapping from the names of systems to their statistics, integers [n, columns], of the same n
            segments.
        metric: The metric whose formula scores the statistics; None for `BLEU()`.
        documents: The name of the document of each segment, n names. None: each segment is a unit.
        pairs: The pairs to compare: "all", or "baseline" for the first system with each of the others.
        correction: The correction of p-values for the number of pairs.

    Attributes:
        names: The names of the systems, at least two.
        pairs: The pairs to compare, as indices of systems.
        rows: The statistics of each system, integers [units, columns].
        formula: The formula that scores rows.
        totals: The sum of the rows of each system, int64 [systems, columns].
        scores: The corpus score of each system, float64 [systems], 0..100.

    Raises:
        TypeError, ValueError: An argument is invalid; the error names it.
    """

    __slots__ = ("correction", "formula", "names", "pairs", "rows", "scores", "totals")

    def __init__(
        self,
        statistics: Mapping[str, ArrayLike],
        metric: HasFormula | None,
        documents: Sequence[Hashable] | None,
        pairs: PairsToCompare,
        correction: Correction,
    ) -> None:
        import numpy as np

        check_choice("pairs", pairs, PAIRS)
        check_choice("correction", correction, CORRECTIONS)
        if metric is not None and not hasattr(getattr(metric, "formula", None), "score_float32_rows"):
            raise wrong_type("metric", "a metric with a formula, as BLEU() and CHRF() are", metric)
        self.formula: RowFormula[Any] = Formula() if metric is None else metric.formula
        named = _named(statistics)
        self.names, self.correction = tuple(named), correction
        indices = range(len(named))
        self.pairs = list(combinations(indices, 2)) if pairs == "all" else [(0, i) for i in indices[1:]]
        checked = [
            self.formula.check_rows(rows, Location("statistics")[name], fewest=1)
            for name, rows in named.items()
        ]
        for name, rows in zip(self.names, checked, strict=True):
            if len(rows) != len(checked[0]):
                raise ArgumentValueError(
                    Location("statistics")[name],
                    f"has {counted(len(rows), 'segment')}, but statistics[{self.names[0]!r}] has {len(checked[0])}",
                    value=named[name],
                )
            check_sums_are_exact(Location("statistics")[name], rows)
        self.rows = checked if documents is None else _by_document(checked, documents)
        self.totals: NDArray[int64] = np.stack([rows.sum(axis=0, dtype=np.int64) for rows in self.rows])
        self.scores: NDArray[float64] = self.formula.score_rows(self.totals)

    @property
    def units(self) -> int:
        """Return the number of units, and so of rows per system: the segments, or the documents."""
        return len(self.rows[0])


def _named(statistics: Any) -> dict[str, Any]:
    """Check the names of the systems, and return a dictionary from names to statistics.

    Raises:
        TypeError: `statistics` is not a mapping, or a name is not a str.
        ValueError: There are fewer than two systems.
    """
    if not hasattr(statistics, "items"):
        raise wrong_type("statistics", "a mapping from names to statistics", statistics)
    named = dict(statistics.items())
    for name in named:
        if not isinstance(name, str):
            raise wrong_type(Location("statistics")[name], "named by a str", name)
    if len(named) < 2:
        raise ArgumentValueError(
            "statistics", f"must hold at least two systems, got {len(named)}", value=statistics
        )
    return named


def _by_document(systems: list[NDArray[Any]], documents: Sequence[Hashable]) -> list[NDArray[Any]]:
    """Sum the rows of each document.

    Returns:
        For each system, int64 [documents, columns], with documents in the order of their first segments.

    Raises:
        TypeError: `documents` is not a sequence of names.
        ValueError: The number of names differs from the number of segments.
    """
    import numpy as np

    if isinstance(documents, (str, bytes)) or not hasattr(documents, "__len__"):
        raise wrong_type("documents", "a sequence of names", documents)
    if len(documents) != len(systems[0]):
        raise ArgumentValueError(
            "documents",
            f"has {counted(len(documents), 'name')}, but {there_are(len(systems[0]), 'segment')}",
            value=documents,
        )
    numbers: dict[Any, int] = {}
    document = np.empty(len(documents), dtype=np.intp)
    for i, name in enumerate(documents):
        if name is None or name != name:  # noqa: PLR0124  # NaN
            raise wrong_type(Location("documents")[i], "a name", name)
        try:
            document[i] = numbers.setdefault(name, len(numbers))
        except TypeError:
            raise wrong_type(Location("documents")[i], "hashable", name) from None
    summed = [np.zeros((len(numbers), rows.shape[1]), dtype=np.int64) for rows in systems]
    for rows, sums in zip(systems, summed, strict=True):
        np.add.at(sums, document, rows)
    return summed
