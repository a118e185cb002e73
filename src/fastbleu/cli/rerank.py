"""The command line ``fastbleu-rerank``: n-best lists of any length in flat memory."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from functools import partial
from time import perf_counter

from .common import EXIT_USAGE, UserError, is_terminal, reason, run_command, say
from .rerank_options import PROGRAM, parse_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from ..metric import BLEU
    from ..rerank.nbest.scoring import Prepared
    from ..rerank.nbest.session import Session
    from ..rerank.nbest.tasks import Figures, Job, Task
    from ..scoring.score import BLEUScore


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and say on standard error what went wrong, in one line.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0, or 1 for input that cannot be scored, 2 for a wrong option, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["mbr", "--top-k", "0"])
        2
    """
    return run_command(PROGRAM, lambda: _run(parse_options(arguments)))


def _run(options: Namespace) -> None:
    """Read, score and write, block by block."""
    from ..rerank.nbest.pipeline import Writer, in_order
    from ..rerank.nbest.session import Session
    from ..rerank.nbest.tasks import Figures, Task

    start = perf_counter()
    metric = _metric(options)
    figures = Figures()
    written = 0
    score: BLEUScore | None = None
    with Session(options) as session:
        task = Task(
            options.command,
            metric,
            session.layout(),
            options.skip_bad,
            options.method,
            options.exclude_self,
            options.weights_as,
            options.temperature,
            options.interpolate,
        )
        if options.level == "corpus":
            from ..rerank.nbest.corpus import select

            # The file is read once to choose, and once more to write.
            selection = select(task, options)
            score = selection.score
            work = partial(_work_on_selected, task, session, selection)
        else:
            work = partial(_work, task, session)
        with _bar(session, options):
            jobs = session.jobs()
            rest = b""
            going_on = options.resume and os.path.exists(options.output)
            if going_on:
                written, rest, found = _skip_written(task, session, options, jobs)
                if found is not None:
                    figures.add(found)
            with Writer(options.output, append=going_on) as writer:
                writer.write(rest)
                with closing(in_order(jobs, work, options.threads)) as results:
                    for data, found in results:
                        writer.write(data)
                        figures.add(found)
    if not options.quiet:
        _print_summary(options, metric, figures, score, written, perf_counter() - start)


def _metric(options: Namespace) -> BLEU:
    from ..metric import BLEU

    try:
        return BLEU(
            lowercase=options.lowercase,
            force=True,  # candidates are many; that they look tokenized is not worth a line for each block
            tokenize=options.tokenize,
            smooth_method=options.smooth_method,
            smooth_value=options.smooth_value,
            max_ngram_order=options.max_ngram_order,
            effective_order=not options.no_effective_order,
            trg_lang=options.target_language or "",
        )
    except ValueError as error:
        raise UserError(reason(error), EXIT_USAGE) from error


def _prepare(task: Task, session: Session, job: Job) -> Prepared:
    from ..rerank.nbest.scoring import Prepared

    evidence = None if session.evidence is None else session.evidence.reader
    return Prepared(task, job, session.candidates.reader, evidence)


def _finish(task: Task, prepared: Prepared) -> tuple[bytes, Figures]:
    chosen, figures = prepared.choose()
    return task.layout.render(prepared.candidates, chosen), figures


def _work(task: Task, session: Session, job: Job) -> tuple[bytes, Figures]:
    return _finish(task, _prepare(task, session, job))


def _work_on_selected(task: Task, session: Session, selection: Any, job: Job) -> tuple[bytes, Figures]:
    prepared = _prepare(task, session, job)
    chosen, figures = selection.choose(prepared.candidates)
    return task.layout.render(prepared.candidates, chosen), figures


def _skip_written(
    task: Task, session: Session, options: Namespace, jobs: Iterator[Job]
) -> tuple[int, bytes, Figures | None]:
    from ..rerank.nbest.resume import skip_written

    return skip_written(options.output, jobs, partial(_prepare, task, session), partial(_finish, task))


def _bar(session: Session, options: Namespace) -> AbstractContextManager[object]:
    """A progress bar on standard error, if that is a terminal and tqdm is there."""
    from contextlib import nullcontext

    if options.quiet or not is_terminal(sys.stderr):
        return nullcontext()
    try:
        from tqdm import tqdm
    except ImportError:
        return nullcontext()
    # Short work is over before a bar would have been drawn.
    bar = tqdm(total=session.size, unit="B", unit_scale=True, unit_divisor=1024, leave=False, delay=1)
    session.on_progress(bar.update)
    found: AbstractContextManager[object] = bar
    return found


def _print_summary(
    options: Namespace, metric: BLEU, figures: Figures, score: BLEUScore | None, written: int, seconds: float
) -> None:
    """What has been done, on standard error."""
    if written:
        say(PROGRAM, f"{_count(written, 'source')} were there already; what follows is of the others")
    parts = [f"{_count(figures.sources, 'source')}, {_count(figures.candidates, 'candidate')}"]
    if figures.sources:
        number = figures.candidates if options.command == "score" else figures.sources
        what = {"self-bleu": "self-BLEU", "mbr": "utility"}.get(options.command, "sentence BLEU")
        parts.append(f"mean {what} {figures.utilities / number:.{options.width}f}")
    if score is None and figures.row is not None:
        score = metric.formula.score(figures.row)
        metric.signed(score, figures.num_references)
    if score is None and figures.sources:
        # The best of a pool has one reference at a time, and a text of a set all the others.
        signature = metric.signature_for(1 if options.command == "mbr" else -1)
        parts.append(str(signature))
    if score is not None:
        of = " of the first candidates" if options.command == "score" else ""
        found = ", a local optimum" if options.level == "corpus" else ""
        parts.append(f"corpus BLEU{of} {score.score:.{options.width}f} ({score.signature}{found})")
    parts.append(f"{figures.candidates / max(seconds, 1e-9):,.0f} candidates per second")
    say(PROGRAM, "; ".join(parts))
    if options.skip_bad:
        say(
            PROGRAM,
            f"left out: {_count(figures.skipped_lines, 'line')}, {_count(figures.skipped_sources, 'source')}",
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main())
