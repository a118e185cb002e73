"""Makes BLEU fast in programs that call other packages for it, without a change in them.

    python -m fastbleu.patch train.py --its --args       # or -m package.module, or -c code

    import fastbleu.patch
    fastbleu.patch.install()                             # every peer there is; install("sacrebleu", "nltk") for two
    fastbleu.patch.uninstall()
    with fastbleu.patch.install("nltk"): ...             # for a while

    %load_ext fastbleu.patch

The peers are sacrebleu, nltk, evaluate, torchmetrics, pycocoevalcap, fast_bleu and mbrs. The slow functions of a peer
get other code, in the functions themselves. So it makes no difference whether the peer was imported before or after,
and who holds its names. Classes stay the peer's own: `isinstance`, pickles and subclasses work. Where a program
replaces a helper that these functions use, on a module, a class, a subclass or an object, at any time, the peer's own
code runs. Wherever a call is not one that fastbleu answers exactly, the
peer's own code runs and returns its result, or raises its error.

With `--report`, or the environment variable FASTBLEU_PATCH_REPORT, a report is printed when the program ends. It also
names likely mistakes of the program, such as a str for a list.

A release of a peer whose numbers fastbleu is not known to equal is left alone, with a warning. Nothing is written to
disk, and no environment variable changes a number. Processes that are spawned, not forked, install it for themselves.
"""

from .installing import Installed, install, uninstall
from .mistakes import Mistake
from .reporting import Report, report

__all__ = [
    "Installed",
    "Mistake",
    "Report",
    "install",
    "load_ipython_extension",
    "report",
    "uninstall",
    "unload_ipython_extension",
]


def load_ipython_extension(ipython: object) -> None:  # noqa: ARG001  # IPython's signature
    """Run `install()` for `%load_ext fastbleu.patch`."""
    install()


def unload_ipython_extension(ipython: object) -> None:  # noqa: ARG001  # IPython's signature
    """Run `uninstall()` for `%unload_ext fastbleu.patch`."""
    uninstall()
