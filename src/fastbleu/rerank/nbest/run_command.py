"""Run a command of `fastbleu-rerank`: read an n-best list, score it and write the result, block by block."""

from __future__ import annotations

from functools import partial

from ...counting.row_sums import DIFFERING
from ...system.threads import for_each
from ..ranking import first_largest
from .block_scoring import Figures, Scorer, Selected
from .reader import Reader
from .resumable_output import Output, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...inputs.decompressed_files import Input
    from ...metric import BLEU
    from ...metric.chrf import CHRF
    from .nbest_options import Options
    from .reader import Job


def run(
    options: Options,
    metric: BLEU | CHRF,
    on_open: Callable[[Input], Callable[[Figures], object]],
    on_left: Callable[[str], object] | None = None,
) -> Figures:
    """Read an n-best list, score it and write the result, block by block.

    Args:
        options: The command, its files and its options.
        metric: The metric that scores candidates.
        on_open: Called with the file of the n-best list when it has been opened. It returns a function, which is called
            after each block with the figures of all blocks so far.
        on_left: Called with the name of the partial output file if an error occurs, so that the run can be resumed.
            None: an error deletes the partial output.

    Returns:
        The figures of all blocks, for the summary.

    Raises:
        OSError: A file cannot be opened, read or written.
        ValueError: A file is malformed, or the files have different numbers of sources.
    """
    summary = Figures()
    with Reader(options, options.needs_scores, options.added_fields) as reader:
        selected: Selected | None = None
        if options.level == "corpus":
            # The corpus oracle needs all candidates, so the file is read twice: to choose candidates and to write them.
            selected = select(options, metric)
            summary.score = selected.score
        scorer = Scorer(reader, options, metric, selected)
        on_block = on_open(reader.source)

        def part(job: Job) -> tuple[Part, Figures]:
            block, chosen, figures = scorer.choose(job)
            return Part(reader.format.render(block, chosen), figures.sources), figures

        jobs = reader.jobs()
        with Output(options.output, options.resume, on_left) as output:
            if options.resume:
                summary.resumed = output.skip_done(partial(lambda job: part(job)[0], job) for job in jobs)

            def done(finished: tuple[Part, Figures]) -> None:
                output.write(finished[0])
                summary.add(finished[1])
                on_block(summary)

            for_each(jobs, part, done, options.threads, ordered=True)
    return summary


def select(options: Options, metric: BLEU | CHRF) -> Selected:
    """Read an n-best list, and choose one candidate per source so that the corpus score is high."""
    import numpy as np

    from ..oracle import corpus_oracle

    counts: list[tuple[Any, ...]] = []
    with Reader(options, options.needs_scores, options.added_fields) as reader:
        scorer = Scorer(reader, options, metric)

        def count(job: Job) -> tuple[Any, ...]:
            block, rows, number = scorer.statistics(job)
            return rows, block.sizes, block.ordinals, [number]

        for_each(reader.jobs(), count, counts.append, options.threads, ordered=True)
    rows, sizes, ordinals, numbers = map(np.concatenate, zip(*counts, strict=True))
    if not len(sizes):
        raise ValueError(f"{reader.name}: expected candidates, found only malformed lines")
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    different_numbers = {int(number) for number in numbers if number}
    best = first_largest(metric.formula.score_rows(rows), bounds)
    indices, score = corpus_oracle(metric, rows, bounds, best)
    return Selected(
        indices,
        metric.formula.score_rows(rows[bounds[:-1] + indices]),
        sizes,
        ordinals,
        metric.signed(score, different_numbers.pop() if len(different_numbers) == 1 else DIFFERING),
    )
