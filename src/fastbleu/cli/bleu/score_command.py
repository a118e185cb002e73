"""The `fastbleu` command, a drop-in replacement for `sacrebleu`.

Its output and exit codes equal those of sacreBLEU 2.6.0's command, except for the last field of BLEU's signature.
Modules that are rarely needed are imported lazily, since importing them takes longer than computing a score.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..common import prepare_output, run_command, say_reading
from .chosen_metrics import make_metrics
from .score_options import PROGRAM, files_of, is_paired, needs_sacrebleu, parse_options
from .score_output import print_explanations
from .text_blocks import Text, print_corpus_scores, print_sentence_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and print an error as one line on standard error.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0 for success, 1 for input that cannot be scored, 2 for a wrong option, 17 for a line with
        the wrong number of tab-separated fields, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given, or sacreBLEU ran the command line and exited.

    Example:
        >>> main(["--metrics", "wer"])
        2
    """
    return run_command(PROGRAM, lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> None:
    """Read the input, score it, and print the result."""
    options = parse_options(arguments)
    if needs_sacrebleu(options):
        from .installed_sacrebleu import run_sacrebleu

        run_sacrebleu(arguments)
        return
    prepare_output("score")
    if options.test_set is not None:
        from .installed_sacrebleu import reference_files

        options.references = reference_files(options)
    is_whole = options.explain is not None or is_paired(options)
    # Create the metrics before reading, so that a missing tokenizer or package is reported without waiting for input.
    metrics = make_metrics(options, threads=options.threads if is_whole else 1)
    if not options.quiet:
        say_reading(PROGRAM, files_of(options))
    with ExitStack() as stack:
        text = Text(options, stack)
        if options.explain is not None:
            print_explanations(metrics["bleu"], options, *text.all())
        elif is_paired(options):
            from .paired_tests import print_paired_test

            print_paired_test(metrics, options, *text.all())
        elif options.sentence_level:
            (metric,) = metrics.values()
            print_sentence_scores(metric, options, text)
        else:
            print_corpus_scores(metrics, options, text)
