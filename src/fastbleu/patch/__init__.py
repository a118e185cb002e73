"""Speed up programs that compute BLEU with other packages, without changing the programs.

    python -m fastbleu.patch train.py --its --args       # or -m package.module, or -c code

    import fastbleu.patch
    fastbleu.patch.install()                             # all installed peers; install("sacrebleu", "nltk") for two
    fastbleu.patch.uninstall()
    with fastbleu.patch.install("nltk"): ...             # until the block ends

    %load_ext fastbleu.patch

The peers are sacrebleu, nltk, evaluate, torchmetrics, pycocoevalcap, fast_bleu and mbrs. `install` replaces the code of
a peer's slow functions inside the function objects. So the peer may be imported before or after, and its functions may
be referenced under any name. Classes are not replaced, so `isinstance`, pickles and subclasses work.

The original code runs, and returns its result or raises its error, for each call that fastbleu cannot answer exactly.
It also runs if a program has replaced a helper that these functions use, on a module, a class, a subclass or an object.

With `--report`, or the environment variable FASTBLEU_PATCH_REPORT, a report is printed when the program ends. It also
names likely mistakes of the program, such as a str instead of a list.

A release of a peer that was not compared with fastbleu is not replaced, and `install` warns about it. Nothing is
written to disk, and no environment variable changes a number. Forked processes inherit the patch; spawned processes
must call `install` themselves.
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
