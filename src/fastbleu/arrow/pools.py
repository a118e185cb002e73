"""Pools of candidates, a list in each row: what `fastbleu.rerank` says of them, as columns behind the others."""

from __future__ import annotations

from contextlib import contextmanager
from math import fsum

from .. import rerank
from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place
from ..options import LEVELS, check_choice, check_flag
from ..rerank.pool_chunks import as_metric, as_threads
from ..rerank.pool_formula import metric_and_formula
from ..rerank.pool_sources import as_pools
from ..rerank.ranking import first_largest
from ..rerank.self_bleu import scores_against_others
from ..system.threads import CHUNK_SEGMENTS, for_each_chunk
from .fields import check_prefix
from .segments import ReferenceColumns, described, list_kind, list_sizes, same_kind
from .tables import Columns, import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..options import FormulaName, Level, NLTKSmoothing
    from .segments import Kind


def mbr(
    batch: Any,
    pools: str,
    evidence: str | None = None,
    weights: str | None = None,
    *,
    prefix: str = "mbr_",
    winner: bool = False,
    **options: Any,
) -> Any:
    """Add the candidate of minimum Bayes risk of each row's pool, as `fastbleu.rerank.mbr` chooses it.

    Args:
        batch: n rows: a pyarrow `RecordBatch` or `Table`, or any table with `__arrow_c_stream__`.
        pools: The column of pools, lists of at least one candidate, which is a string; or, with
            `BLEU(tokenize="none")`, a list of strings (tokens) or of integers (ids; -100 is left out).
        evidence: A column of lists of the same kind, which the candidates are scored against. None: the pool itself.
        weights: A column of lists with the weight of each piece of evidence. None: all the same.
        prefix: What the names of the new columns begin with.
        winner: Whether to add the chosen candidate itself.
        options: Those of `fastbleu.rerank.mbr`, by name: `exclude_self`, `method`, `weights_as` (required with
            `weights`), `temperature`, `formula`, `smoothing`, `metric`, `threads`, `progress`.

    Returns:
        The same rows and columns, and behind them prefix + "index", int64, the place of the candidate in its pool;
        prefix + "utility", float64, its expected utility, 0..100 (by NLTK's formula 0..1); and, with `winner`, prefix +
        "winner", the candidate.

    Raises:
        TypeError: `batch` is no table, a column has another type, or as `rerank.mbr`; names the column.
        ValueError: A pool is null or empty; names batch['column'][row]; or as `rerank.mbr`.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"samples": [["a dog", "the cat sat", "the cat sat down"], ["yes"]]})
        >>> found = mbr(table, "samples", winner=True)
        >>> found["mbr_index"].to_pylist(), found["mbr_winner"].to_pylist()
        ([1, 0], ['the cat sat', 'yes'])
    """
    table = PoolColumns(batch, pools, prefix, ["index", "utility"], winner)
    others = None if evidence is None else table.evidence(evidence)
    numbers = None if weights is None else table.weights(weights, table.pools if others is None else others)
    with table.naming(pools=pools, evidence=evidence, weights=weights):
        indices, utilities = rerank.mbr(table.pools, others, numbers, **options)
    return table.append([indices, utilities])


def oracle(
    batch: Any,
    pools: str,
    references: str | Sequence[str],
    level: Level = "sentence",
    *,
    metric: BLEU | None = None,
    threads: int | None = None,
    prefix: str = "oracle_",
    winner: bool = False,
) -> Any:
    """Add the best candidate of each row's pool by its references, as `fastbleu.rerank.oracle` chooses it.

    Args:
        batch: As for `mbr`.
        pools: As for `mbr`.
        references: As for `fastbleu.arrow.score`.
        level: "sentence": the candidate with the highest sentence BLEU. "corpus": the candidates that have a high
            corpus BLEU together, which depends on all rows of the table.
        metric: The options; None: `BLEU(effective_order=True)`.
        threads: How many threads may work at the same time; None: as many as the metric has.
        prefix: What the names of the new columns begin with.
        winner: Whether to add the chosen candidate itself.

    Returns:
        As `mbr`; the utility is the sentence BLEU of the candidate, 0..100.

    Raises:
        TypeError, ValueError, ImportError: As `mbr`; or a row has no reference.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"samples": [["a cat sat", "the cat sat"]], "ref": ["the cat sat down"]})
        >>> oracle(table, "samples", "ref")["oracle_index"].to_pylist()
        [1]
    """
    import numpy as np

    table = PoolColumns(batch, pools, prefix, ["index", "utility"], winner)
    columns = ReferenceColumns(table.columns, references, table.kind, ("pools", pools))
    if not len(table.columns):
        check_choice("level", level, LEVELS)
        return table.append([np.empty(0, dtype=np.int64), np.empty(0)])
    metric = as_metric(metric)
    with table.naming(pools=pools):
        try:
            given = columns.given if columns.are_per_segment else metric.prepare(columns.given)
            found = rerank.oracle(table.pools, given, level, metric=metric, threads=threads)
        except ArgumentError as error:
            raise columns.located(error) from None
    return table.append([found.indices, found.utilities])


def self_bleu(
    batch: Any,
    pools: str,
    formula: FormulaName = "sacrebleu",
    *,
    smoothing: NLTKSmoothing | None = None,
    metric: BLEU | None = None,
    threads: int | None = None,
    prefix: str = "self_bleu_",
    winner: bool = False,
) -> Any:
    """Add how similar the texts of each row's pool are, as `fastbleu.rerank.self_bleu` tells it.

    Args:
        batch: As for `mbr`.
        pools: The column of pools, as for `mbr`, of at least two texts.
        formula: "sacrebleu" or "nltk", as for `rerank.self_bleu`.
        smoothing: How NLTK's formula smooths.
        metric: The options; None: `BLEU(effective_order=True)`.
        threads: How many threads may work at the same time; None: as many as the metric has.
        prefix: What the names of the new columns begin with.
        winner: Whether to add the text that is most like the others.

    Returns:
        The same rows and columns, and behind them prefix + "mean", float64, Self-BLEU, 0..100: the lower, the more
        diverse is the pool; prefix + "index", int64, the place of the text that is most like the others, the first one
        of several; prefix + "utility", float64, its BLEU with the others as references, 0..100; and, with `winner`,
        prefix + "winner", the text.

    Raises:
        TypeError, ValueError, ImportError: As `mbr`; or a pool has fewer than two texts.

    Example:
        >>> import pyarrow as pa
        >>> texts = ["the cat is on the mat", "there is a cat on the mat", "a dog"]
        >>> found = self_bleu(pa.table({"samples": [texts]}), "samples").to_pylist()[0]
        >>> round(found["self_bleu_mean"], 2), found["self_bleu_index"], round(found["self_bleu_utility"], 2)
        (21.63, 1, 29.07)
    """
    import numpy as np

    metric, scoring = metric_and_formula(metric, formula, smoothing)
    table = PoolColumns(batch, pools, prefix, ["mean", "index", "utility"], winner, fewest=2)
    number = len(table.columns)
    means, indices, utilities = np.empty(number), np.empty(number, dtype=np.int64), np.empty(number)

    def read(start: int, stop: int) -> tuple[Any, int]:
        return table.pools.slice(start, stop - start), stop

    def work(found: Any, start: int, stop: int) -> tuple[()]:
        try:
            checked = as_pools(found, "pools")
            scores = scores_against_others(metric.matcher, scoring, checked)
        except ArgumentError as error:
            i, *rest = error.indices
            raise error.at(Place(error.argument, (start + i, *rest))) from None
        bounds = checked.bounds
        indices[start:stop] = chosen = first_largest(scores, bounds)
        utilities[start:stop] = scores[bounds[:-1] + chosen]
        means[start:stop] = [fsum(part.tolist()) / len(part) for part in checked.shaped(scores)]
        return ()

    threads = as_threads(threads, metric)
    with table.naming(pools=pools):
        step = max(1, CHUNK_SEGMENTS // table.largest)
        for_each_chunk(read, work, lambda: None, 0, number, step, threads)
    return table.append([means, indices, utilities])


class PoolColumns:
    """A column of pools, and the columns that come behind.

    Args:
        batch: What a user holds as a table.
        pools: The name of the column.
        prefix: What the names of the new columns begin with.
        added: The rest of their names.
        winner: Whether to add the candidate at the index.
        fewest: How many candidates there must be in each pool.

    Attributes:
        columns: The table.
        pools: The column.
        kind: What a candidate is.

    Raises:
        TypeError, ValueError: As `mbr`.
    """

    def __init__(
        self, batch: Any, pools: str, prefix: str, added: Sequence[str], winner: bool, fewest: int = 1
    ) -> None:
        self.columns = Columns(batch, "batch")
        self._winner = check_flag("winner", winner)
        self._names = [check_prefix(prefix) + name for name in (*added, *["winner"] * self._winner)]
        self._index = added.index("index")
        self.columns.check_new("prefix", self._names)
        self.pools = self.columns.get("pools", pools)
        place = self._place(pools)
        kind = list_kind(self.pools.type)
        if kind is None or kind[0] not in (1, 2) or kind == (1, "integers"):
            what = "lists of candidates, which are strings, or lists of strings or of integers"
            raise ArgumentTypeError(place, f"must be a column of {what}, not of {self.pools.type}")
        self.kind: Kind = (kind[0] - 1, kind[1])
        self._sizes = list_sizes(self.pools, place, "a pool")
        #: The size of the largest pool.
        self.largest = int(self._sizes.max(initial=1))
        if (self._sizes < fewest).any():
            i = int((self._sizes < fewest).argmax())
            least = "a candidate" if fewest == 1 else f"{fewest} texts"
            raise ArgumentValueError(place[i], f"must hold at least {least}, got {self._sizes[i]}")

    def _place(self, name: str) -> Place:
        return Place(self.columns.argument)[name]

    def evidence(self, name: str) -> Any:
        """A column of lists of what candidates are, none of them null or empty."""
        column = self.columns.get("evidence", name)
        lists = self.kind[0] + 1, self.kind[1]
        if not same_kind(column.type, lists):
            what = f"must be a column of {described(lists)}, not of {column.type}"
            raise ArgumentTypeError(self._place(name), what)
        sizes = list_sizes(column, self._place(name), "a list")
        if not sizes.all():
            raise ArgumentValueError(self._place(name)[int(sizes.argmin())], "is empty")
        return column

    def weights(self, name: str, evidence: Any) -> NDArray[Any]:
        """The numbers in a column of lists, one for each segment in the lists of a column of evidence."""
        column = self.columns.get("weights", name)
        types = import_pyarrow().types
        of = getattr(column.type, "value_type", None)
        if of is None or not (types.is_floating(of) or types.is_integer(of) or types.is_null(of)):
            raise ArgumentTypeError(
                self._place(name), f"must be a column of lists of numbers, not of {column.type}"
            )
        sizes = list_sizes(column, self._place(name), "a list of weights")
        wanted = list_sizes(evidence, self._place(name), "evidence")
        if (sizes != wanted).any():
            i = int((sizes != wanted).argmax())
            raise ArgumentValueError(self._place(name)[i], f"has {sizes[i]} weights for {wanted[i]} segments")
        flat = import_pyarrow().compute.list_flatten(column)
        if flat.null_count:
            k = int(flat.is_null().to_numpy(zero_copy_only=False).argmax())
            row = int((sizes.cumsum() > k).argmax())
            raise ArgumentValueError(self._place(name)[row], "holds a null, where a number is expected")
        numbers: NDArray[Any] = flat.to_numpy()
        return numbers

    @contextmanager
    def naming(self, **names: str | None) -> Iterator[None]:
        """Let errors about an argument name its column."""
        try:
            yield
        except ArgumentError as error:
            name = names.get(error.argument)
            if name is None:
                raise
            raise error.at(Place(self.columns.argument, (name, *error.indices))) from None
        except ValueError as error:
            # `rerank` names a weight in the text alone.
            argument, bracket, rest = str(error).partition("[")
            name = names.get(argument)
            if name is None or not bracket:
                raise
            raise ValueError(f"{self._place(name)}[{rest}") from None

    def append(self, found: Sequence[NDArray[Any]]) -> Any:
        """The table with what was found behind its columns."""
        import numpy as np

        arrays = list(map(import_pyarrow().array, found))
        if self._winner:
            starts = np.cumsum(self._sizes) - self._sizes
            arrays.append(
                _take(import_pyarrow().compute.list_flatten(self.pools), starts + found[self._index])
            )
        return self.columns.append(self._names, arrays)


def _take(column: Any, places: NDArray[int64]) -> Any:
    """The values at some places of a column."""
    pyarrow = import_pyarrow()
    try:
        return column.take(pyarrow.array(places))
    except pyarrow.ArrowNotImplementedError:  # string views, up to pyarrow 26
        return pyarrow.array([column[k].as_py() for k in places.tolist()], column.type)
