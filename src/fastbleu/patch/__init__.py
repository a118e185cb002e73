"""Speed up the BLEU of programs that call other packages for it, without changing the programs.

    python -m fastbleu.patch train.py --its --args       # or -m package.module, or -c code

    import fastbleu.patch
    fastbleu.patch.install()                             # every installed peer; install("sacrebleu", "nltk") for two
    fastbleu.patch.uninstall()
    with fastbleu.patch.install("nltk"): ...             # until the block ends

    %load_ext fastbleu.patch

The peers are sacrebleu, nltk, evaluate, torchmetrics, pycocoevalcap, fast_bleu and mbrs. `install` exchanges the code
of a peer's slow functions inside the function objects, so the peer may be imported earlier or later and its functions
may be held under any name. Classes are not replaced: `isinstance`, pickles and subclasses work. The original code runs
once a program has replaced a helper that these functions use, on a module, a class, a subclass or an object. It also
runs for each call that fastbleu cannot answer exactly, and returns its own result or raises its own error.

With `--report`, or the environment variable FASTBLEU_PATCH_REPORT, a report is printed when the program ends. It also
names likely mistakes of the program, such as a str in place of a list.

A release of a peer that has not been compared with fastbleu keeps its own code, and `install` warns about it. Nothing
is written to disk, and no environment variable changes a number. Spawned processes must call `install` themselves;
forked ones inherit it.
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
