"""Run multi-bleu and multi-bleu-detok from the command line, with the arguments, output and exit codes of the scripts.

python -m fastbleu.compat.moses multi-bleu -lc ref < hyp
python -m fastbleu.compat.moses multi-bleu-detok ref < hyp
"""

from __future__ import annotations

import os
import sys
from os import _exit

from fastbleu.compat.moses.lines import score_detokenized, score_words
from fastbleu.inputs.decompressed_files import Input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The exit codes of a Perl script that calls `die`: 255 by default, and 2 if a file was not found.
DIED, NOT_FOUND = 255, 2

_USAGE = """\
usage: {name} [-lc] reference < hypothesis
Reads the references from reference or reference0, reference1, ...
"""

_SCRIPTS = {"multi-bleu": score_words, "multi-bleu-detok": score_detokenized}

# The advice that multi-bleu.perl writes to standard error.
_ADVICE = (
    "It is not advisable to publish scores from multi-bleu.perl.  The scores depend on your tokenizer, which is "
    "unlikely to be reproducible from your paper or consistent across research groups.  Instead you should detokenize "
    "then use mteval-v14.pl, which has a standard tokenization.  Scores from multi-bleu.perl can still be used for "
    "internal purposes when you have a consistent tokenizer.\n"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run multi-bleu or multi-bleu-detok.

    Args:
        arguments: The name of the script, followed by its arguments; None for `sys.argv[1:]`.

    Returns:
        The exit code of the script.
    """
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    name = os.path.splitext(name)[0]
    if name not in _SCRIPTS:
        _say(f"usage: python -m fastbleu.compat.moses ({' | '.join(_SCRIPTS)}) ...")
        return 1
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_, **__: _say(f"WARNING: {message}")
        try:
            status = _score_lines(name, rest)
            sys.stdout.flush()
        except BrokenPipeError:
            # Without this, Python would report the error again when it closes standard output.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DIED
        except (OSError, ValueError) as error:
            _say(f"ERROR: {error}")
            return NOT_FOUND if isinstance(error, FileNotFoundError) else DIED
    return status


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")


def _score_lines(name: str, arguments: list[str]) -> int:
    """Score standard input, print the score as the script does, and return the exit code of the script."""
    lowercase = arguments[:1] == ["-lc"]
    names = arguments[lowercase:]
    if not names:
        sys.stderr.write(_USAGE.format(name=f"{name}.pl"))
        return 1
    references = [_contents(path) for path in _reference_paths(names[0])]
    if not any(references):
        raise FileNotFoundError(f"could not find reference file {names[0]}")
    references += [_contents(path) for path in names[1:] if os.path.exists(path)]
    score = _SCRIPTS[name](_contents(None), references, lowercase)
    sys.stdout.write(f"{score}\n")
    if not score.ref_len:
        return 1
    if name == "multi-bleu":
        sys.stderr.write(_ADVICE)
    return 0


def _reference_paths(stem: str) -> list[str]:
    """Return the paths of the existing files of references: stem0, stem1, ..., followed by stem.

    If neither stem nor stem0 exists, but stem.ref0 does, ".ref" is first appended to the stem, as in the script.
    """
    if not os.path.exists(stem) and not os.path.exists(f"{stem}0") and os.path.exists(f"{stem}.ref0"):
        stem += ".ref"
    paths: list[str] = []
    while os.path.exists(f"{stem}{len(paths)}"):
        paths.append(f"{stem}{len(paths)}")
    return [*paths, stem] if os.path.exists(stem) else paths


def _contents(path: str | None) -> bytes:
    with Input(path) as source:
        return source.read_all()


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    # Exit without freeing all modules, which would take longer than scoring a small test set.
    _exit(status)
