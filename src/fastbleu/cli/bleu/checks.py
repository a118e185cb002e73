"""Which options of `fastbleu` contradict each other, and which do not fit what is read."""

from __future__ import annotations

from ...inputs.files import STDIN_NAME, table_form
from ..common import EXIT_USAGE, UserError, wrong_option
from ..output_files import refuse_inputs
from ..table_options import refuse_columns, refuse_text_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


def check_options(options: Namespace) -> None:
    """Refuse options that contradict each other.

    Raises:
        UserError: Two of them do, or one lacks another.
    """
    if options.hypothesis is not None:
        _check_columns(options)
        return
    refuse_columns(options)
    if options.download is not None or options.list:
        return  # as in sacreBLEU, nothing else counts then
    if options.sentence_level and len(options.metrics) > 1:
        raise UserError("argument --metrics/-m: takes one metric with --sentence-level/-sl")
    if options.citation:
        if options.test_set is None:
            raise UserError("argument --citation/--cite: name the test set with -t/--test-set")
        return
    _check_references(options)
    _check_systems(options)
    if options.sentence_level and options.confidence:
        raise UserError("argument --confidence/-ci: there are no intervals with --sentence-level/-sl")
    if options.sentence_level and is_paired(options):
        raise UserError("argument --sentence-level/-sl: there are no significance tests of single segments")
    if options.paired_bs and options.paired_bs_n == 1:
        raise wrong_option("--paired-bs-n/-pbsn", "must be at least 2, not 1")
    _check_explanation(options)


def is_paired(options: Namespace) -> bool:
    """Return whether a paired significance test is asked for."""
    return bool(options.paired_ar or options.paired_bs)


def check_number(options: Namespace, systems: int) -> None:
    """Refuse options that are for one system if there are several, and for several if there is one."""
    if systems > 1:
        for option, given in (
            ("--explain", options.explain is not None),
            ("--sentence-level/-sl", options.sentence_level),
            ("--confidence/-ci", options.confidence),
        ):
            if given:
                raise UserError(f"argument {option}: takes one system, not {systems}")
    elif is_paired(options):
        option = "--paired-ar/-par" if options.paired_ar else "--paired-bs/-pbs"
        raise UserError(f"argument {option}: compares systems, so it needs at least two, not {systems}")


def refuse_table(head: bytes) -> None:
    """Refuse a table in standard input where text is expected.

    Args:
        head: The first bytes of standard input.

    Raises:
        UserError: A table begins so.
    """
    form = table_form(head)
    if form is not None:
        raise UserError(
            f"{STDIN_NAME} holds {'a' if form.startswith('P') else 'an'} {form}, not text: name the columns with "
            "--hypothesis and --reference, and no file of references"
            + ("" if form.endswith("stream") else "; it cannot be read from a pipe, so name the file there"),
            EXIT_USAGE,
        )


def _check_explanation(options: Namespace) -> None:
    """Refuse options that contradict an explanation."""
    if options.explain is None:
        if options.explain_html is not None:
            raise wrong_option("--explain-html", "name the segments with --explain")
        return
    if options.explain_html == "":
        raise wrong_option("--explain-html", "expected the name of a file")
    if options.explain_html is not None:
        systems = ["-"] if options.input is None else options.input
        refuse_inputs("--explain-html", options.explain_html, (*options.references, *systems))
    for option, given in (
        ("--sentence-level/-sl", options.sentence_level),
        ("--confidence/-ci", options.confidence),
        ("--score-only/-b", options.score_only),
        ("--detail/-d", options.detail),
        ("--metrics/-m", set(options.metrics) != {"bleu"}),
        ("--paired-ar/-par", options.paired_ar),
        ("--paired-bs/-pbs", options.paired_bs),
    ):
        if given:
            raise UserError(f"argument --explain: cannot be used with {option}")


def _check_references(options: Namespace) -> None:
    """Refuse references that are missing, or come from two places."""
    if options.num_refs != 1 and options.test_set is not None:
        raise UserError(
            "argument --num-refs/-nr: splits a file of references, and cannot be used with -t/--test-set"
        )
    if options.num_refs != 1 and len(options.references) > 1:
        raise UserError(
            "argument --num-refs/-nr: splits one file into several references, "
            f"but {len(options.references)} reference files were given"
        )
    if options.detail and options.origlang is not None:
        raise UserError(
            "argument --detail/-d: prints the subsets of all original languages, and cannot be used with --origlang/-ol"
        )
    if options.test_set is None:
        for option, value in (
            ("--echo", options.echo),
            ("--origlang/-ol", options.origlang),
            ("--subset", options.subset),
        ):
            if value is not None:
                raise UserError(f"argument {option}: is for a test set: name it with -t/--test-set")
        if not options.references:
            raise UserError(
                "no reference files: name them first, before -i/--input, or a test set with -t/--test-set"
            )
    elif options.references:
        raise UserError("argument --test-set/-t: has its own references, so no reference files can be given")
    elif options.language_pair is None:
        raise UserError(
            "argument --test-set/-t: name the languages with -l/--language-pair; --list -t NAME lists them"
        )


def _check_systems(options: Namespace) -> None:
    """Refuse files of systems with the same name. The baseline of a paired test may be among the others too."""
    if options.input is None:
        return
    if not options.input:
        raise wrong_option("--input/-i", "expected at least one file")
    for name in options.input[1:] if is_paired(options) else options.input:
        if options.input.count(name) > 1 and not (is_paired(options) and name == options.input[0]):
            raise UserError(f"argument --input/-i: {name!r} is given twice; names of systems must differ")


def _check_columns(options: Namespace) -> None:
    """Refuse what tables lack, or what does not go with their columns."""
    text_options = (
        ("--num-refs/-nr", options.num_refs != 1),
        ("--explain", options.explain is not None),
        ("--explain-html", options.explain_html is not None),
        ("--metrics/-m", set(options.metrics) != {"bleu"}),
        ("--test-set/-t", options.test_set is not None),
        ("--origlang/-ol", options.origlang is not None),
        ("--subset", options.subset is not None),
        ("--detail/-d", options.detail),
        ("--list", options.list),
        ("--echo", options.echo is not None),
        ("--download", options.download is not None),
        ("--citation/--cite", options.citation),
        ("--paired-ar/-par", options.paired_ar),
        ("--paired-bs/-pbs", options.paired_bs),
    )
    refuse_text_options(options, text_options)
    for option, given in (
        ("--sentence-level/-sl", options.sentence_level),
        ("--confidence/-ci", options.confidence),
    ):
        if given and options.by is not None:
            raise wrong_option("--by", f"cannot be used with {option}")
    if options.sentence_level and options.confidence:
        raise UserError("argument --confidence/-ci: there are no intervals with --sentence-level/-sl")
    for name in options.reference:
        if options.reference.count(name) > 1:
            raise wrong_option("--reference", f"{name!r} is given twice")
        if name == options.hypothesis:
            raise wrong_option("--reference", f"{name!r} is the column of the hypotheses")
    if options.references.count("-") > 1:
        raise UserError("only one of the tables can be standard input", EXIT_USAGE)
