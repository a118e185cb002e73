"""The peers: which releases fastbleu equals, and which of their modules hold the slow functions."""

from __future__ import annotations

import sys
from functools import cache, cached_property
from importlib import import_module, metadata
from os.path import isdir, realpath

from .replacing import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType, ModuleType
    from typing import Any

    from .replacing import Pairs


class Peer:
    """A package whose functions are replaced, and which of them are.

    Args:
        name: The package's name in imports.
        distribution: Its name on the package index.
        releases: Those whose numbers are known to be equal, from the oldest on, with spaces between them.
        modules: The modules that hold the functions to replace.

    Attributes:
        is_installed: Whether calls of its functions are to come here, as soon as its modules are imported.
        replacements: What runs in the place of each function that was replaced so far.
        failure: What went wrong when its functions were to be replaced, so that all of them are left alone; or "".
    """

    def __init__(self, name: str, distribution: str, releases: str, *modules: str) -> None:
        self.name = name
        self.distribution = distribution
        self.releases = tuple(releases.split())
        self.modules = modules
        self.is_installed = False
        self.replacements: dict[FunctionType, Replacement] = {}
        self.failure = ""

    @cached_property
    def release(self) -> str | None:
        """The release that is installed on this machine; None if there is none. Each look at it reads a file."""
        found = _distribution(self.distribution)
        return None if found is None else found.version

    @property
    def equal_releases(self) -> str:
        """The releases whose numbers are known to be equal, for people."""
        first, last = self.releases[0], self.releases[-1]
        return first if first == last else f"{first} to {last}"

    @property
    def is_equal(self) -> bool:
        """Return whether the release that is installed on this machine is one whose numbers are known to be equal."""
        release = self.release
        return release is not None and release.partition("+")[0] in self.releases

    def replace_in(self, module: ModuleType) -> None:
        """Let calls of a module's functions come here, by the replacements from before for the same functions."""
        if not self.has(module):
            return  # something else stands in the place of the peer
        try:
            pairs: Pairs = import_module(f"{__package__}.{self.name}").replacements_in(module)
            for function, *others in pairs:
                if function not in self.replacements and self._is_own(function):
                    self.replacements[function] = Replacement(function, *others)
        except Exception as error:  # noqa: BLE001  # whatever a program has made of the peer before
            self.failure = f"{module.__name__}: {type(error).__name__}: {error}"
        for each in self.replacements.values():
            (each.uninstall if self.failure else each.install)()

    def has(self, module: ModuleType) -> bool:
        """Return whether a module is of the installed package, not of a folder of a program that has its name."""
        if module.__name__.partition(".")[0] != self.name or self._folder is None:
            return False
        return realpath(getattr(module, "__file__", None) or self._folder).startswith(self._folder)

    @cached_property
    def _folder(self) -> str | None:
        """The folder of the installed package; "" if that is unknown, as it is for an editable installation."""
        found = _distribution(self.distribution)
        if found is None:
            return None
        folder = realpath(str(found.locate_file(self.name)))
        return folder if isdir(folder) else ""

    def _is_own(self, function: Any) -> bool:
        """Return whether a function is the peer's, and not a program's in its place, also where that is wrapped."""
        module: str = getattr(function, "__globals__", {}).get("__name__", "")
        return module.partition(".")[0] == self.name


@cache
def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def is_imported(name: str) -> bool:
    """Return whether a module is there and complete: while it is being imported, its functions may not exist yet."""
    module = sys.modules.get(name)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


#: By name.
PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "sacrebleu",
            "sacrebleu",
            "2.2.1 2.3.0 2.3.1 2.3.2 2.3.3 2.4.0 2.4.1 2.4.2 2.4.3 2.5.0 2.5.1 2.6.0",
            "sacrebleu.compat",
            "sacrebleu.metrics.bleu",
            "sacrebleu.metrics.chrf",
            "sacrebleu.tokenizers.tokenizer_13a",
            "sacrebleu.tokenizers.tokenizer_intl",
            "sacrebleu.tokenizers.tokenizer_zh",
        ),
        Peer(
            "nltk",
            "nltk",
            "3.9.1 3.9.2 3.9.3 3.9.4 3.10.0 3.10.1 3.10.2 3.10.3 3.10.4",
            "nltk.translate.bleu_score",
            "nltk.translate.chrf_score",
            "nltk.translate.gleu_score",
        ),
        Peer("evaluate", "evaluate", "0.4.6", "evaluate.loading"),
        Peer(
            "torchmetrics",
            "torchmetrics",
            "1.4.3 1.5.2 1.6.0 1.6.1 1.6.2 1.6.3 1.7.0 1.7.1 1.7.2 1.7.3 1.7.4 1.8.0 1.8.1 1.8.2 1.9.0",
            "torchmetrics.functional.text.bleu",
            "torchmetrics.functional.text.chrf",
            "torchmetrics.functional.text.sacre_bleu",
        ),
        Peer("pycocoevalcap", "pycocoevalcap", "1.2", "pycocoevalcap.bleu.bleu"),
        Peer("mbrs", "mbrs", "0.1.8", "mbrs.metrics.bleu"),
        Peer("fast_bleu", "fast-bleu", "0.0.90", "fast_bleu.__python_wrapper__"),
    )
}
