"""Working through pools in chunks, on one thread or several, with a progress bar on request."""

from __future__ import annotations

from contextlib import nullcontext

from ..options import check_flag, check_threads
from ..threads import CHUNK_SEGMENTS, CHUNKS_PER_THREAD, for_each_chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from ..metric import BLEU
    from .pool_columns import PoolColumns

#: What reading a candidate costs, in pairs of candidates that are scored in that time.
_PAIRS_PER_CANDIDATE = 128
#: Pairs that are worth a chunk of their own, about a millisecond.
_FEWEST_PAIRS = 1 << 16


def as_threads(threads: int | None, metric: BLEU) -> int:
    """How many threads may work at the same time; None is as many as the metric has."""
    return metric.threads if threads is None else check_threads(threads)


def for_each_chunk_of_pools(
    columns: PoolColumns,
    pools: int,
    work: Callable[[list[Any], int, int], tuple[Any, ...]],
    done: Callable[..., object],
    threads: int,
    pairs: int,
    progress: bool,
    prepare: Callable[[list[Any], int, int], list[Any]] | None = None,
) -> None:
    """Works through pools, one chunk after another.

    Args:
        columns: Reads them.
        pools: How many there are.
        work: Told the columns, the first pool and one behind the last; at the same time in several threads.
        done: Told what that returns, one chunk at a time, in any order.
        threads: How many.
        pairs: Candidates times evidence, over all pools; 0 where no pairs are scored.
        progress: Whether to show a bar on standard error.
        prepare: Makes something else of the columns of a chunk, one chunk at a time; without it, unknown tokens are
            kept apart.

    Raises:
        ImportError: tqdm is not there for the bar.
    """

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        stop = columns.stop_after(start, stop)
        if prepare is None:
            return columns.read_apart(start, stop), stop
        return prepare(columns.read(start, stop), start, stop), stop

    candidates = sum(int(source.bounds[-1]) for source, _, _ in columns._sources)
    cost = (pairs + _PAIRS_PER_CANDIDATE * candidates) / max(1, pools)
    step = CHUNK_SEGMENTS
    if threads > 1:
        # So that threads end together, and each chunk is worth the trouble.
        fewest = -(-_FEWEST_PAIRS // max(1, int(cost)))
        step = min(step, max(1, fewest, pools // (threads * CHUNKS_PER_THREAD)))
    with bar(pools, "pools", progress) as advance:

        def work_and_count(found: list[Any], start: int, stop: int) -> tuple[Any, ...]:
            return stop - start, *work(found, start, stop)

        def done_and_shown(number: int, *results: Any) -> None:
            done(*results)
            if advance is not None:
                advance.update(number)

        for_each_chunk(read, work_and_count, done_and_shown, 0, pools, step, threads)


def bar(total: int, unit: str, progress: bool) -> AbstractContextManager[Any]:
    """A progress bar on standard error, if there is to be one.

    Raises:
        ImportError: tqdm is not installed.
        TypeError: `progress` is no bool.
    """
    if not check_flag("progress", progress):
        return nullcontext()
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError('progress=True needs tqdm: pip install "fastbleu-metric[cli]"') from None
    found: AbstractContextManager[Any] = tqdm(total=total, unit=f" {unit}")
    return found
