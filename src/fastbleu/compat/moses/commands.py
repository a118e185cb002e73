"""The scripts' command lines, with their arguments, their output and their exit codes.

python -m fastbleu.compat.moses multi-bleu -lc ref < hyp
python -m fastbleu.compat.moses multi-bleu-detok ref < hyp
python -m fastbleu.compat.moses mteval-v14 -r ref.sgm -s src.sgm -t hyp.sgm
python -m fastbleu.compat.moses mteval-v13a -r ref.xml -s src.xml -t hyp.xml -c -d 2
"""

from __future__ import annotations

import os
import sys
from functools import partial

from ...inputs.files import Input
from .lines import score_detokenized, score_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .lines import MultiBLEUScore

#: What Perl's `die` ends with where no call to the system has failed, and where a file was not found.
DIED, NOT_FOUND = 255, 2

_USAGE = """\
usage: {name} [-lc] reference < hypothesis
Reads the references from reference or reference0, reference1, ...
"""

# multi-bleu.perl says so, on standard error.
_ADVICE = (
    "It is not advisable to publish scores from multi-bleu.perl.  The scores depend on your tokenizer, which is "
    "unlikely to be reproducible from your paper or consistent across research groups.  Instead you should detokenize "
    "then use mteval-v14.pl, which has a standard tokenization.  Scores from multi-bleu.perl can still be used for "
    "internal purposes when you have a consistent tokenizer.\n"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the scripts.

    Args:
        arguments: The script's name and its arguments; None: those of the process.

    Returns:
        The exit code: the script's.
    """
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    name = os.path.splitext(name)[0]
    if name not in _COMMANDS:
        _say(f"usage: python -m fastbleu.compat.moses ({' | '.join(_COMMANDS)}) ...")
        return 1
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # it ignores all but the message
        try:
            status = _COMMANDS[name](rest)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python would complain once more when it closes standard output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DIED
        except (OSError, ValueError) as error:
            _say(f"ERROR: {error}")
            return NOT_FOUND if isinstance(error, FileNotFoundError) else DIED
    return status


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")


def _show_warning(message: Warning | str, *_: object) -> None:
    _say(f"WARNING: {message}")


def _score_lines(
    name: str,
    score: Callable[[bytes, list[bytes], bool], MultiBLEUScore],
    advice: str,
    arguments: list[str],
) -> int:
    lowercase = arguments[:1] == ["-lc"]
    names = arguments[lowercase:]
    if not names:
        sys.stderr.write(_USAGE.format(name=name))
        return 1
    references = [_contents(path) for path in _references(names[0])]
    if not any(references):
        raise FileNotFoundError(f"could not find reference file {names[0]}")
    references += [_contents(path) for path in names[1:] if os.path.exists(path)]
    found = score(_contents(None), references, lowercase)
    sys.stdout.write(f"{found}\n")
    if not found.ref_len:
        return 1
    sys.stderr.write(advice)
    return 0


def _references(stem: str) -> list[str]:
    """The files of references that a stem stands for."""
    if not os.path.exists(stem) and not os.path.exists(f"{stem}0") and os.path.exists(f"{stem}.ref0"):
        stem += ".ref"
    found: list[str] = []
    while os.path.exists(f"{stem}{len(found)}"):
        found.append(f"{stem}{len(found)}")
    return [*found, stem] if os.path.exists(stem) else found


def _contents(path: str | None) -> bytes:
    with Input(path) as source:
        return source.read_all()


def _mteval(version: str, arguments: list[str]) -> int:
    from time import localtime, strftime

    from .evaluation import mteval
    from .reports import report, write_matr_files

    given = _mteval_arguments(version, arguments)
    program, end = f"mteval-v{version}", "" if version == "13a" else "\n"

    def write(text: str) -> None:
        # Perl writes UTF-8 under every locale.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))

    def now() -> str:
        return strftime("%Y %b %d at %H:%M:%S", localtime())

    write(f"MT evaluation scorer began on {now()}\n{end}command line:  {' '.join([program, *arguments])}\n")
    evaluation = mteval(
        given.r,
        given.s,
        given.t,
        version=version,
        preserve_case=given.c,
        international_tokenization=given.international_tokenization,
        split_non_ascii=given.e,
        brevity_penalty=given.brevity_penalty,
        smoothing=not given.no_smoothing,
        # Where both are given, the script takes the latter.
        metrics=["NIST"] if given.n else ["BLEU"] if given.b else ["NIST", "BLEU"],
    )
    write(report(evaluation, given.d))
    if given.metricsMATR_output:
        write_matr_files(evaluation)
    write(f"{end}MT evaluation scorer ended on {now()}\n")
    return 0


def _mteval_arguments(version: str, arguments: list[str]) -> Any:
    """Read the script's options. Long ones may be cut short, and begin with one or two dashes."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog=f"mteval-v{version}", description="Score translations by NIST and BLEU.")
    parser.add_argument("-r", required=True, metavar="ref_file", help="the references")
    parser.add_argument("-s", required=True, metavar="src_file", help="the sources")
    parser.add_argument("-t", required=True, metavar="tst_file", help="the translations to score")
    parser.add_argument("-c", action="store_true", help="preserve upper-case letters")
    parser.add_argument("-b", action="store_true", help="BLEU only")
    parser.add_argument("-n", action="store_true", help="NIST only")
    parser.add_argument("-e", action="store_true", help="split characters beyond ASCII")
    parser.add_argument(
        "-d",
        type=int,
        nargs="?",
        default=0,
        const=0,
        metavar="level",
        help="0: systems only (default); 1: documents too; 2: segments too; 3: n-grams too",
    )
    for name, settings in (
        ("brevity-penalty", {"choices": ("closest", "shortest"), "default": "closest"}),
        ("international-tokenization", {"action": "store_true"}),
        ("metricsMATR-output", {"action": "store_true"}),
        ("no-smoothing", {"action": "store_true"}),
    ):
        parser.add_argument(f"--{name}", f"-{name}", **settings)
    try:
        return parser.parse_args(arguments)
    except SystemExit as error:
        raise SystemExit(DIED if error.code else 0) from None


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "multi-bleu": partial(_score_lines, "multi-bleu.pl", score_words, _ADVICE),
    "multi-bleu-detok": partial(_score_lines, "multi-bleu-detok.pl", score_detokenized, ""),
    "mteval-v13a": partial(_mteval, "13a"),
    "mteval-v14": partial(_mteval, "14"),
}
