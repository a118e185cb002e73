"""Pools of candidates, a list in each row: what `fastbleu.rerank` says of them, as columns after the others."""

from __future__ import annotations

from contextlib import contextmanager
from math import fsum

from .. import rerank
from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError
from ..inputs.pyarrow_columns import is_list, is_text
from ..metric.checks import as_bleu
from ..options import LEVELS, check_choice, check_flag
from ..rerank.pool_chunks import as_threads, bleu_and_formula
from ..rerank.pool_sources import as_pools
from ..rerank.ranking import first_largest
from ..rerank.self_bleu import scores_against_others
from .tables import Table, check_str, depth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..options import FormulaName, Level, NLTKSmoothing
    from .tables import ReferenceNames


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
        The same rows and columns, and after them prefix + "index", int64, the place of the candidate in its pool;
        prefix + "utility", float64, its expected utility, 0..100 (by NLTK's formula 0..1); and, with `winner`, prefix +
        "winner", the candidate.

    Raises:
        TypeError: `batch` is not a table, a column has another type, or as `rerank.mbr`; names the column.
        ValueError: A pool is null or empty; names batch['column'][row]; or as `rerank.mbr`.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"samples": [["a dog", "the cat sat", "the cat sat down"], ["yes"]]})
        >>> found = mbr(table, "samples", winner=True)
        >>> found["mbr_index"].to_pylist(), found["mbr_winner"].to_pylist()
        ([1, 0], ['the cat sat', 'yes'])
    """
    table = _PoolTable(batch, pools, prefix, ["index", "utility"], winner)
    others = None if evidence is None else table.lists("evidence", evidence)
    numbers = None if weights is None else table.weights(weights)
    with table.naming(pools=pools, evidence=evidence, weights=weights):
        indices, utilities = rerank.mbr(table.pools, others, numbers, **options)
    return table.with_chosen([indices, utilities])


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

    table = _PoolTable(batch, pools, prefix, ["index", "utility"], winner)
    given, names = table.references(references, ("pools", pools), depth(table.pools.type) - 1)
    check_choice("level", level, LEVELS)
    if not len(table.pools):
        return table.with_chosen([np.empty(0, dtype=np.int64), np.empty(0)])
    metric = as_bleu(metric)
    with table.naming(pools=pools, references=names):
        prepared = given if isinstance(names, str) else metric.prepare(given)
        found = rerank.oracle(table.pools, prepared, level, metric=metric, threads=threads)
    return table.with_chosen([found.indices, found.utilities])


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
    """Add how similar the texts of each row's pool are, as `fastbleu.rerank.self_bleu` measures it.

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
        The same rows and columns, and after them prefix + "mean", float64, Self-BLEU, 0..100: the lower, the more
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

    metric, scoring = bleu_and_formula(metric, formula, smoothing)
    table = _PoolTable(batch, pools, prefix, ["mean", "index", "utility"], winner)
    sizes = table.sizes(table.pools)
    if (sizes < 2).any():
        i = int((sizes < 2).argmax())
        raise ArgumentValueError(table.place(pools)[i], f"must hold at least 2 texts, got {sizes[i]}")
    threads = as_threads(threads, metric)
    with table.naming(pools=pools):
        checked = as_pools(table.pools, "pools")
        scores = scores_against_others(metric.matcher, scoring, checked, threads)
    indices = first_largest(scores, checked.bounds)
    means = np.array([fsum(part.tolist()) / len(part) for part in checked.shaped(scores)], dtype=np.float64)
    return table.with_chosen([means, indices, scores[checked.bounds[:-1] + indices]])


class _PoolTable(Table):
    """A table with a column of pools, and the columns that come after its own.

    Args:
        batch: What a user holds as a table.
        pools: The name of the column.
        prefix: What the names of the new columns begin with.
        added: The rest of their names.
        winner: Whether to add the candidate at the index.

    Attributes:
        pools: The column.

    Raises:
        TypeError, ValueError: As `mbr`.
    """

    __slots__ = ("_index_at", "_names", "_winner", "pools")

    def __init__(self, batch: Any, pools: str, prefix: str, added: Sequence[str], winner: bool) -> None:
        super().__init__(batch, "batch")
        self._winner = check_flag("winner", winner)
        self._names = [check_str("prefix", prefix) + name for name in (*added, *["winner"] * self._winner)]
        self._index_at = added.index("index")
        self.check_new("prefix", self._names)
        self.pools = self.lists("pools", pools)

    def lists(self, argument: str, name: str) -> Any:
        """A column of lists of candidates.

        Raises:
            TypeError: It holds something else.
        """
        column = self.get(argument, name)
        kind = column.type
        if is_list(kind) and (is_text(kind.value_type) or is_list(kind.value_type)):
            return column
        what = "lists of candidates, which are strings, or lists of strings or of integers"
        raise ArgumentTypeError(self.place(name), f"must be a column of {what}, not of {kind}")

    def sizes(self, lists: Any) -> NDArray[int64]:
        """Count the elements of each list of a column, int64 [n]; a null list has none."""
        import pyarrow.compute as pc

        sizes: NDArray[int64] = pc.list_value_length(lists).cast("int64").fill_null(0).to_numpy()
        return sizes

    def weights(self, name: str) -> list[Any]:
        """The lists of numbers in a column.

        Raises:
            TypeError: It holds something else.
        """
        from pyarrow import types

        column = self.get("weights", name)
        kind = column.type
        checks = (types.is_floating, types.is_integer, types.is_null)
        if not is_list(kind) or not any(check(kind.value_type) for check in checks):
            raise ArgumentTypeError(self.place(name), f"must be a column of lists of numbers, not of {kind}")
        numbers: list[Any] = column.to_pylist()
        return numbers

    @contextmanager
    def naming(self, **names: ReferenceNames | None) -> Iterator[None]:
        """Let errors about an argument name its column; see `Table`."""
        try:
            with super().naming(**names):
                yield
        except ArgumentError:
            raise
        except (TypeError, ValueError) as error:
            # `rerank` names some pools and weights in the text alone.
            argument, bracket, rest = str(error).partition("[")
            name = names.get(argument)
            if not isinstance(name, str) or not bracket:
                raise
            raise type(error)(f"{self.place(name)}[{rest}") from None

    def with_chosen(self, found: Sequence[NDArray[Any]]) -> Any:
        """The table with what was found after its columns."""
        import pyarrow.compute as pc

        columns: list[Any] = [*found]
        if self._winner:
            sizes = self.sizes(self.pools)
            columns.append(_take(pc.list_flatten(self.pools), sizes.cumsum() - sizes + found[self._index_at]))
        return self.append(self._names, columns)


def _take(column: Any, places: NDArray[int64]) -> Any:
    """The values at some places of a column."""
    import pyarrow as pa

    try:
        return column.take(pa.array(places))
    except pa.ArrowNotImplementedError:  # string views, up to pyarrow 26
        return pa.array([column[k].as_py() for k in places.tolist()], column.type)
