"""The command ``fastbleu-rerank``, which reranks n-best lists of any length in constant memory."""

from __future__ import annotations

import sys
from time import perf_counter

from ...counting.row_sums import DIFFERING
from ...errors import counted
from ...explain.terminal import table_lines
from ...inputs.decompressed_files import STDIN_NAME
from ..chrf_options import make_chrf
from ..common import byte_bar, make_metric, run_command, say, say_reading, terminal_width
from .rerank_options import PROGRAM, parse_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...inputs.decompressed_files import Input
    from ...metric import BLEU
    from ...metric.chrf import CHRF
    from ...rerank.nbest.block_scoring import Figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and print an error as one line on standard error.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0 for success, 1 for input that cannot be scored, 2 for a wrong option, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["mbr", "--top-k", "0"])
        2
    """
    unfinished: list[str] = []
    status = run_command(PROGRAM, lambda: _run(parse_options(arguments), unfinished))
    for path in unfinished:
        say(PROGRAM, f"finished blocks are kept in {path}; --resume continues")
    return status


def _run(options: Namespace, unfinished: list[str]) -> None:
    """Read, score and write the candidates, and print a summary.

    Args:
        options: The options of the command line.
        unfinished: A list to which, after an error, the name of the file with the finished blocks is appended. The
            option `--resume` continues from this file.
    """
    from contextlib import ExitStack

    from ...rerank.nbest.nbest_options import Options
    from ...rerank.nbest.run_command import run

    start = perf_counter()
    metric = make_chrf(options, 1) if options.metric == "chrf" else _make_bleu(options)
    if not options.quiet:
        say_reading(PROGRAM, (options.input, *options.references))
    with ExitStack() as stack:

        def show_progress(source: Input) -> Callable[[Figures], object]:
            counts = "{n_fmt}B" if source.size is None else "{percentage:3.0f}% of {total_fmt}B |{bar}|"
            form = f"{counts} {{elapsed}}<{{remaining}}{{postfix}}"
            bar = stack.enter_context(byte_bar(source.size, not options.quiet, bar_format=form))
            source.advance = bar.update
            return lambda figures: bar.set_postfix_str(
                f"{counted(figures.sources, 'source', ',')}, {_rate(figures, perf_counter() - start)} candidates/s"
            )

        can_resume = options.level != "corpus"
        wanted = Options(**{name: getattr(options, name) for name in vars(Options())})
        summary = run(wanted, metric, show_progress, unfinished.append if can_resume else None)
    if not options.quiet and sys.stderr is not None:
        _print_summary(options, metric, summary, perf_counter() - start)


def _make_bleu(options: Namespace) -> BLEU:
    """Create the BLEU that scores candidates. It does not warn about text that looks tokenized."""
    from ...metric import BLEU

    orders = {"max_ngram_order": options.max_ngram_order, "effective_order": not options.no_effective_order}
    return make_metric(BLEU, options, force=True, **orders)


def _print_summary(options: Namespace, metric: BLEU | CHRF, figures: Figures, seconds: float) -> None:
    """Print a table of figures, and the signature of the scores, on standard error.

    Args:
        options: The options of the command line.
        metric: The metric that scored the candidates.
        figures: The counts and sums over all sources.
        seconds: The duration of the run in seconds.
    """
    score: Any = figures.score
    name = {"bleu": "BLEU", "chrf": "chrF"}[options.metric]
    table = [
        ("list", [STDIN_NAME if options.input == "-" else options.input]),
        ("sources", [f"{figures.sources:,}"]),
        ("candidates", [f"{figures.candidates:,}"]),
        ("candidates/s", [_rate(figures, seconds)]),
    ]
    if figures.resumed:
        table.append(("finished before", [f"{figures.resumed:,}"]))
    if figures.sources:
        number = figures.candidates if options.command == "score" else figures.sources
        what = {"self-bleu": "self-BLEU", "mbr": "utility"}.get(options.command, f"sentence {name}")
        table.append((f"mean {what}", [f"{figures.utilities / number:.{options.width}f}"]))
    # The number of references is 1 for MBR, which scores a candidate against one other candidate at a time. It differs
    # between sources for Self-BLEU, which scores a candidate against all others together, and may differ otherwise.
    signature = str(metric.signature_for(1 if options.command == "mbr" else DIFFERING))
    if score is None and figures.sums is not None:
        score = metric.formula.score(figures.sums.row)
        metric.signed(score, figures.sums.num_references() or DIFFERING)
    if score is not None:
        of = " of first candidates" if options.command == "score" else ""
        table.append((f"corpus {name}{of}", [f"{score.score:.{options.width}f}"]))
        signature = f"{score.signature}{', a local optimum' if options.level == 'corpus' else ''}"
    if options.skip_bad:
        table.append(("lines skipped", [f"{figures.skipped_lines:,}"]))
        table.append(("sources skipped", [f"{figures.skipped_sources:,}"]))
    for line in (*table_lines(table, terminal_width(sys.stderr)), signature):
        print(line, file=sys.stderr)


def _rate(figures: Figures, seconds: float) -> str:
    """Return the number of candidates per second."""
    return f"{figures.candidates / max(seconds, 1e-9):,.0f}"


if __name__ == "__main__":
    sys.exit(main())
