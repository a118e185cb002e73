"""Speed up programs that compute BLEU with other packages, without changing the programs.

    python -m fastbleu.patch train.py --its --args       # or -m package.module, or -c code

    import fastbleu.patch
    fastbleu.patch.install()                             # all installed packages; install("sacrebleu", "nltk") for two
    fastbleu.patch.uninstall()
    with fastbleu.patch.install("nltk"): ...             # until the block ends

    %load_ext fastbleu.patch

The packages, called peers, are sacrebleu, nltk, evaluate, torchmetrics, pycocoevalcap, fast_bleu and mbrs. `install`
replaces the code of their slow functions inside the function objects. So a package may be imported before or after
`install` is called, and its functions may be referenced under any name. Classes are not replaced, so `isinstance`,
pickles and subclasses work.

If fastbleu cannot compute the exact result of a call, the original code runs, and returns its result or raises its
error. The original code also runs if a program has replaced a helper that a patched function uses: an attribute of a
module, a class or an object, or a method that a subclass overrides.

With `--report`, or the environment variable FASTBLEU_PATCH_REPORT, a report is printed when the program ends. The
report also lists likely mistakes of the program, such as a str that is passed instead of a list.

Only releases that were compared with fastbleu are patched. For other releases, `install` issues a warning. Nothing is
written to disk, and no environment variable changes a score. Forked processes inherit the patch; spawned processes must
call `install` themselves.
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
