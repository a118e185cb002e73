"""Call the installed sacreBLEU, to run a command line with it or to get the references of a test set."""

from __future__ import annotations

import sys

from ...system.extras import imports_of
from ..common import UserError, reason, say
from .score_options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence


def run_sacrebleu(arguments: Sequence[str] | None) -> None:
    """Run a command line with the installed sacreBLEU.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: sacreBLEU raised an exception.
        SystemExit: sacreBLEU exited; the exception has its exit code.
    """
    with imports_of("sacrebleu", "TER or a test set"):
        from sacrebleu.sacrebleu import main
    if arguments is not None:
        sys.argv[1:] = arguments
    try:
        main()  # type: ignore[no-untyped-call]
    except Exception as error:
        raise UserError(f"sacreBLEU failed: {_describe_error(error)}") from error


def _describe_error(error: BaseException) -> str:
    """Return the message of an exception of sacreBLEU, with advice if a test set or a language pair is unknown."""
    # With --list or --citation, sacreBLEU looks up test sets and language pairs without checking that they exist.
    if isinstance(error, KeyError):
        return f"no test set or language pair is named {error}; see {PROGRAM} --list, and --list -t NAME"
    message = reason(error)
    if message.startswith("No such test set"):
        return f"{message}; run {PROGRAM} --list to see the test sets"
    if message.startswith("No such language pair"):
        from sacrebleu import get_langpairs_for_testset

        test_set = message.removeprefix("No such language pair ").partition("/")[0]
        return f"{message}; the available pairs are {', '.join(get_langpairs_for_testset(test_set))}"
    return message


def reference_files(options: Namespace) -> list[str]:
    """Return the reference files of the test set, which sacreBLEU downloads if necessary.

    Raises:
        ImportError: sacreBLEU is not installed.
        UserError: sacreBLEU does not have the test set or its references, or cannot download them.
    """
    with imports_of("sacrebleu", "a test set"):
        from sacrebleu import get_reference_files
    if not options.quiet:
        import logging

        logging.basicConfig(level=logging.INFO, format=f"{PROGRAM}: %(message)s")
    if options.tokenize == "none":
        say(
            PROGRAM,
            "You are turning off BLEU's internal tokenizer presumably to supply your own tokenized files.",
        )
        say(PROGRAM, "Published numbers will not be comparable to other papers.")
    try:
        files: list[str] = get_reference_files(options.test_set, options.language_pair)
    except (Exception, SystemExit) as error:  # sacreBLEU exits for some errors.
        raise UserError(f"cannot read test set {options.test_set}: {_describe_error(error)}") from error
    if not files:
        raise UserError(f"test set {options.test_set!r} has no references for {options.language_pair}")
    return files
