"""The command line ``fastbleu``: sacreBLEU's, with TER and its test sets where it is installed.

Output and exit codes are those of sacreBLEU 2.6.0's command line, except the last field of BLEU's signature. Rare
modules are imported where they are used: a plain score should take less time than importing them.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..common import check_lengths, prepare_output, run_command
from ..conflicts import refuse_tables
from .metrics import make_ours
from .options import PROGRAM, is_mixed, is_paired, parse_options
from .output import print_explanations
from .text import Text, score_text, score_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from .metrics import AnyMetric


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and say on standard error what went wrong, in one line.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0, or 1 for input that cannot be scored, 2 for a wrong option, 17 for a line with
        another number of tab-separated fields, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["--metrics", "wer"])
        2
    """
    return run_command(PROGRAM, lambda: _run(parse_options(arguments)))


def _run(options: Namespace) -> None:
    """Read, check, score and print."""
    prepare_output("score")
    if options.download is not None or options.list or options.citation or options.echo is not None:
        from ..sacrebleu.test_sets import show

        show(options)
        return
    files = [options.references]
    if options.test_set is not None:
        from ..sacrebleu.test_sets import reference_files

        files = reference_files(options)
        options.references = files[0]
    if options.hypothesis is not None:
        from .tables import score_tables

        (metric,) = make_ours(options, threads=1).values()
        score_tables(metric, options)
    elif len(files) > 1 or _needs_all(options):
        _score_whole(options, files)
    else:
        (metric,) = make_ours(options, threads=1).values()
        refuse_tables(options)
        with ExitStack() as stack:
            score_text(metric, Text(options, options.references, stack), options)


def _needs_all(options: Namespace) -> bool:
    """Return whether all of the text is looked at at once."""
    return (
        options.explain is not None
        or options.detail
        or is_paired(options)
        or is_mixed(options)
        or options.origlang is not None
        or options.subset is not None
    )


def _score_whole(options: Namespace, files: list[list[str]]) -> None:
    """Read all of the text, score and print.

    Args:
        options: Those of the command line.
        files: The files of references; of several test sets, those of each.
    """
    # Before anything is read: standard input need not be waited for if a tokenizer or a package is missing.
    ours = make_ours(options, options.threads)
    if "ter" in options.metrics:
        from ..sacrebleu.calls import TERWithReferences, peer_module

        peer_module("metrics", "the metric ter")
    refuse_tables(options)
    with ExitStack() as stack:
        systems, references = Text(options, files[0] if len(files) == 1 else [], stack).all()
    if len(files) > 1:
        from ..sacrebleu.test_sets import read_test_sets

        references = read_test_sets(files, options)
    check_lengths(systems, references)
    everything = systems[0][1], references
    if options.origlang is not None or options.subset is not None:
        from ..sacrebleu.test_sets import keep_subset

        kept = keep_subset([*systems, *references], options)
        systems, references = kept[: len(systems)], kept[len(systems) :]
    columns = [column for _, column in references]
    if options.explain is not None:
        print_explanations(ours["bleu"], options, *systems[0], columns)
        return
    if len(systems) > 1:
        from .results_table import check_table

        check_table(options)
    metrics: dict[str, AnyMetric] = {}
    for name in options.metrics:
        metrics[name.upper()] = ours[name] if name in ours else TERWithReferences(options, columns)
    if is_paired(options):
        from .paired import print_paired_test

        print_paired_test(metrics, options, systems, columns)
        return
    score_whole(metrics, options, systems, columns)
    if options.detail and len(systems) == 1 and not options.sentence_level:
        from ..sacrebleu.test_sets import print_subsets

        print_subsets(metrics, options, *everything)
