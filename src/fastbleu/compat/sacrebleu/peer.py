"""Take names and submodules that `fastbleu.compat.sacrebleu` does not define from the installed sacreBLEU.

Each module's `__getattr__` forwards names. A finder in `sys.meta_path` forwards imports of submodules such as
`fastbleu.compat.sacrebleu.dataset`.

A program may replace `sys.modules["sacrebleu"]` by `fastbleu.compat.sacrebleu`. Then imports of submodules of
`sacrebleu` are forwarded as well, to modules of this package if they exist, otherwise to the installed sacreBLEU. The
installed sacreBLEU is then imported as a whole under another name, because its modules import each other in circles.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

PEER = "sacrebleu"
OURS = __name__.rpartition(".")[0]

#: Modules of sacreBLEU that this package replaces.
_REPLACED = {"", "compat", "metrics", "metrics.bleu", "metrics.chrf", "version"}

#: Modules of sacreBLEU that are taken from the installed sacreBLEU, including their submodules.
_FORWARDED = {
    "dataset",
    "sacrebleu",
    "significance",
    "tokenizers",
    "utils",
    "metrics.base",
    "metrics.helpers",
    "metrics.lib_ter",
    "metrics.ter",
}

#: The name of the installed sacreBLEU while this package is `sys.modules["sacrebleu"]`. Pickles contain this name.
_INSTALLED = f"{OURS}.installed"

#: A function that is called with the module `sacrebleu.metrics.base` after its import.
on_base: Callable[[ModuleType], object] | None = None


def replaces_sacrebleu() -> bool:
    """Return whether `sys.modules["sacrebleu"]` is `fastbleu.compat.sacrebleu`."""
    return sys.modules.get(PEER) is sys.modules[OURS]


def peer_module(relative: str) -> ModuleType:
    """Import a module of the installed sacreBLEU.

    Args:
        relative: The module's name in the package, such as "metrics.ter".

    Raises:
        ImportError: sacreBLEU is not installed; the message says what to install.
    """
    package = _INSTALLED if replaces_sacrebleu() else PEER
    try:
        import_module(package)  # Import the package first, because its modules import each other in circles.
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        name = f"{PEER}.{relative}".rstrip(".")
        raise ImportError(
            f"{name} is part of sacreBLEU, which is not installed: pip install sacrebleu", name=PEER
        ) from None
    module = import_module(f"{package}.{relative}".rstrip("."))
    base = sys.modules.get(f"{package}.metrics.base")
    if base is not None and on_base is not None:
        on_base(base)
    return module


def forward(module: str, names: dict[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module of this package. It takes names from the installed sacreBLEU.

    Args:
        module: The full name of the module, such as "fastbleu.compat.sacrebleu.metrics".
        names: A dictionary from names to the modules of sacreBLEU that define them. If sacreBLEU is not installed, an
            access to one of these names raises an ImportError. For all other names, it raises an AttributeError.
    """
    relative = module.removeprefix(OURS).removeprefix(".")

    def attribute(name: str) -> Any:
        missing = f"module {module!r} has no attribute {name!r}"
        if name in names:
            return getattr(peer_module(names[name]), name)
        submodule = f"{relative}.{name}".removeprefix(".")
        if submodule in _REPLACED | _FORWARDED:
            return import_module(f"{OURS}.{submodule}")
        if name.startswith("__") or relative in ("", "metrics"):
            raise AttributeError(missing)
        try:
            return getattr(peer_module(relative), name)
        except ImportError as error:
            if error.name != PEER:
                raise
        except AttributeError:
            pass
        raise AttributeError(missing)

    return attribute


def _is_forwarded(relative: str) -> bool:
    parts = relative.split(".")
    return parts[0] in _FORWARDED or ".".join(parts[:2]) in _FORWARDED


class _Finder(MetaPathFinder):
    """Find submodules of this package that only the installed sacreBLEU has.

    If this package is `sys.modules["sacrebleu"]`, also find submodules of `sacrebleu`.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # the import system's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname == _INSTALLED:
            return self._installed()
        if fullname.startswith(f"{OURS}."):
            relative = fullname.removeprefix(f"{OURS}.")
            return ModuleSpec(fullname, _Alias(relative, True)) if _is_forwarded(relative) else None
        if not fullname.startswith(f"{PEER}.") or not replaces_sacrebleu():
            return None
        relative = fullname.removeprefix(f"{PEER}.")
        return ModuleSpec(fullname, _Alias(relative, relative not in _REPLACED))

    def _installed(self) -> ModuleSpec | None:
        """Return the spec of the installed sacreBLEU under the name `_INSTALLED`; None if it is not installed."""
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(PEER, None)
            if spec is not None and spec.submodule_search_locations:
                folders = list(spec.submodule_search_locations)
                return spec_from_file_location(_INSTALLED, spec.origin, submodule_search_locations=folders)
        return None


class _Alias(Loader):
    """Load a module of the installed sacreBLEU, or of this package, under another name."""

    def __init__(self, relative: str, is_forwarded: bool) -> None:
        self._relative = relative
        self._is_forwarded = is_forwarded
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  # the import system's signature
        name = self._relative
        module = peer_module(name) if self._is_forwarded else import_module(f"{OURS}.{name}")
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # Restore the spec, which the import system has replaced by that of the alias.
        module.__spec__ = self._spec


def find_submodules() -> None:
    """Add the finder to the import system, unless it has been added."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        before = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(before, _Finder())
