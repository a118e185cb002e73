"""Forward names and submodules that fastbleu does not replace to the installed sacreBLEU.

The `__getattr__` of a module forwards names, and a finder forwards submodules. The finder serves two packages: this
one, whose other submodules are the original ones, and `sacrebleu` while this package replaces it in `sys.modules`. In
the second case, modules that fastbleu has are found in this package, and all others in the installed sacreBLEU. That
package is then imported as a whole under another name, because its modules import each other in circles, which work
only in the order in which the package starts them. Python's import system does the rest, including the locks.
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
_OWN = {"", "compat", "metrics", "metrics.bleu", "metrics.chrf", "version"}

#: Modules of sacreBLEU that are forwarded, including their submodules.
_HANDED_ON = {
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

#: The name of the installed sacreBLEU while this package has the name `sacrebleu`; pickles also refer to this name.
_INSTALLED = f"{OURS}.installed"

#: A function that is called with the module of sacreBLEU's base classes after its import.
on_base: Callable[[ModuleType], object] | None = None


def has_its_place() -> bool:
    """Return whether this package replaces sacreBLEU in `sys.modules`."""
    return sys.modules.get(PEER) is sys.modules[OURS]


def peer_module(relative: str) -> ModuleType:
    """Import a module of the installed sacreBLEU.

    Args:
        relative: The module's name in the package, such as "metrics.ter".

    Raises:
        ImportError: sacreBLEU is not installed; the message says what to install.
    """
    package = _INSTALLED if has_its_place() else PEER
    try:
        import_module(package)  # Import the package first, because its modules import each other in circles.
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        name = f"{PEER}.{relative}".rstrip(".")
        raise ImportError(
            f"{name} is sacreBLEU's own, which is not installed: pip install sacrebleu", name=PEER
        ) from None
    module = import_module(f"{package}.{relative}".rstrip("."))
    base = sys.modules.get(f"{package}.metrics.base")
    if base is not None and on_base is not None:
        on_base(base)
    return module


def hand_on(module: str, names: dict[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module, which takes names from sacreBLEU.

    Args:
        module: The name of the module in this package.
        names: A dictionary from forwarded names to the modules of sacreBLEU that define them. Without sacreBLEU, these
            names raise an ImportError.
    """
    own = module.removeprefix(OURS).removeprefix(".")

    def attribute(name: str) -> Any:
        missing = f"module {module!r} has no attribute {name!r}"
        if name in names:
            return getattr(peer_module(names[name]), name)
        inner = f"{own}.{name}".removeprefix(".")
        if inner in _OWN | _HANDED_ON:
            return import_module(f"{OURS}.{inner}")
        if name.startswith("__") or own in ("", "metrics"):
            raise AttributeError(missing)
        try:
            return getattr(peer_module(own), name)
        except ImportError as error:
            if error.name != PEER:
                raise
        except AttributeError:
            pass
        raise AttributeError(missing)

    return attribute


def _is_handed_on(relative: str) -> bool:
    parts = relative.split(".")
    return parts[0] in _HANDED_ON or ".".join(parts[:2]) in _HANDED_ON


class _Finder(MetaPathFinder):
    """Find the forwarded submodules of this package, and those of `sacrebleu` while this package replaces it."""

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
            return ModuleSpec(fullname, _Alias(relative, True)) if _is_handed_on(relative) else None
        if not fullname.startswith(f"{PEER}.") or not has_its_place():
            return None
        relative = fullname.removeprefix(f"{PEER}.")
        return ModuleSpec(fullname, _Alias(relative, relative not in _OWN))

    def _installed(self) -> ModuleSpec | None:
        """Return the spec of the installed sacreBLEU under its other name; None if it is not installed."""
        for finder in sys.meta_path:
            found = None if finder is self else finder.find_spec(PEER, None)
            if found is not None and found.submodule_search_locations:
                folders = list(found.submodule_search_locations)
                return spec_from_file_location(_INSTALLED, found.origin, submodule_search_locations=folders)
        return None


class _Alias(Loader):
    """Load a module of sacreBLEU, or of this package, under another name."""

    def __init__(self, relative: str, is_peers: bool) -> None:
        self._relative = relative
        self._is_peers = is_peers
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  # the import system's signature
        name = self._relative
        module = peer_module(name) if self._is_peers else import_module(f"{OURS}.{name}")
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # The import system has set the spec of the alias.


def find_submodules() -> None:
    """Add the finder to the import system, unless it has been added."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        before = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(before, _Finder())
