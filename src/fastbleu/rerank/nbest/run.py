"""Run a command over its files: read, score and write block by block."""

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
    """Read, score and write, block by block.

    Args:
        options: The command, its files and options.
        metric: The metric.
        on_open: Called with the n-best list when it has been opened. Returns a function that is called with the figures
            so far after each block.
        on_left: Called with the name of the file that an error leaves for `--resume`. None: errors leave no file.

    Returns:
        The figures of the summary.

    Raises:
        OSError: A file cannot be opened, read or written.
        ValueError: A file is malformed, or the files do not fit together.
    """
    summary = Figures()
    with Reader(options, options.needs_scores, options.added_fields) as reader:
        selected: Selected | None = None
        if options.level == "corpus":
            # The file is read twice: to select candidates, and to write them.
            selected = select(options, metric)
            summary.score = selected.score
        scorer = Scorer(reader, options, metric, selected)
        on_block = on_open(reader.source)

        def part(job: Job) -> tuple[Part, Figures]:
            block, chosen, figures = scorer.choose(job)
            return Part(reader.form.render(block, chosen), figures.sources), figures

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
    """Read a file, and search for a selection of candidates with a high corpus score."""
    import numpy as np

    from ..oracle import corpus_oracle

    parts: list[tuple[Any, ...]] = []
    with Reader(options, options.needs_scores, options.added_fields) as reader:
        scorer = Scorer(reader, options, metric)

        def count(job: Job) -> tuple[Any, ...]:
            block, rows, number = scorer.statistics(job)
            return rows, block.sizes, block.ordinals, [number]

        for_each(reader.jobs(), count, parts.append, options.threads, ordered=True)
    rows, sizes, ordinals, numbers = map(np.concatenate, zip(*parts, strict=True))
    if not len(sizes):
        raise ValueError(f"{reader.name}: expected candidates, found only malformed lines")
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    alike = {int(number) for number in numbers if number}
    best = first_largest(metric.formula.score_rows(rows), bounds)
    indices, score = corpus_oracle(metric, rows, bounds, best)
    utilities = metric.formula.score_rows(rows[bounds[:-1] + indices])
    return Selected(
        indices,
        utilities,
        sizes,
        ordinals,
        metric.signed(score, alike.pop() if len(alike) == 1 else DIFFERING),
    )
