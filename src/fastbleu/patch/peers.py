"""The packages that fastbleu can patch: releases that were compared with fastbleu, and modules with slow functions."""

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
    """A package that fastbleu can patch.

    Args:
        name: The name of the package in imports.
        distribution: The name of the package on the package index.
        releases: The releases whose scores equal fastbleu's, oldest first, separated by spaces.
        modules: The names of the modules with the functions to replace.

    Attributes:
        is_installed: Whether the functions are replaced, or will be replaced after their modules are imported.
        replacements: A dictionary from functions to replacements. It includes functions that `uninstall` has restored.
        failure: The error that prevented the replacement of the functions, as text; "" for none.
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
        """The installed release, read once; None if the package is not installed."""
        distribution = _distribution(self.distribution)
        return None if distribution is None else distribution.version

    @property
    def equal_releases(self) -> str:
        """The range of the releases whose scores equal fastbleu's, such as "1.4.3 to 1.9.0"."""
        first, last = self.releases[0], self.releases[-1]
        return first if first == last else f"{first} to {last}"

    @property
    def is_equal(self) -> bool:
        """Whether the scores of the installed release equal fastbleu's."""
        release = self.release
        return release is not None and release.partition("+")[0] in self.releases

    def replace_in(self, module: ModuleType) -> None:
        """Replace the functions of a module. Functions restored by `uninstall` get their old replacement again."""
        if not self.has(module):
            return  # The module is part of another package of the same name.
        try:
            pairs: Pairs = import_module(f"{__package__}.{self.name}").replacements_in(module)
            for function, *others in pairs:
                if function not in self.replacements and self._defines(function):
                    self.replacements[function] = Replacement(function, *others)
        except Exception as error:  # noqa: BLE001  # a program may have changed the peer in any way
            self.failure = f"{module.__name__}: {type(error).__name__}: {error}"
        for each in self.replacements.values():
            (each.uninstall if self.failure else each.install)()

    def has(self, module: ModuleType) -> bool:
        """Return whether a module is part of the installed package, and not of another folder with the same name."""
        if module.__name__.partition(".")[0] != self.name or self._folder is None:
            return False
        return realpath(getattr(module, "__file__", None) or self._folder).startswith(self._folder)

    @cached_property
    def _folder(self) -> str | None:
        """The folder of the package; "" if it is unknown, as for editable installs; None if it is not installed."""
        distribution = _distribution(self.distribution)
        if distribution is None:
            return None
        folder = realpath(str(distribution.locate_file(self.name)))
        return folder if isdir(folder) else ""

    def _defines(self, function: Any) -> bool:
        """Return whether the package defines a function. Otherwise, a program has replaced the original function."""
        module: str = getattr(function, "__globals__", {}).get("__name__", "")
        return module.partition(".")[0] == self.name


@cache
def _distribution(name: str) -> metadata.Distribution | None:
    """Return the metadata of a package; None if it is not installed."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def is_imported(name: str) -> bool:
    """Return whether the import of a module is complete. During the import, its functions may not exist yet."""
    module = sys.modules.get(name)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


#: A dictionary from names to the packages that fastbleu can patch.
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
