"""The installed sacreBLEU: where its names and its submodules come from that are not fastbleu's own.

Names are handed on by a module's `__getattr__`, submodules by a finder. The finder serves two packages: this one, whose
other submodules are sacreBLEU's own modules, and `sacrebleu` itself while this package has its place in
`sys.modules`. Then the modules that fastbleu has are found here, and all others are those of the installed package,
which is imported as a whole under another name: its modules import each other in circles, in the order in which it
begins. Python's import system does the rest, its locks included.
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

#: Modules of sacreBLEU that this package has.
_OWN = {"", "compat", "metrics", "metrics.bleu", "metrics.chrf", "version"}

#: Modules of sacreBLEU that are handed on, with all that is below them.
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

#: What sacreBLEU is called while this package has its name; a pickle finds it under this one, too.
_INSTALLED = f"{OURS}.installed"

#: Called with sacreBLEU's base classes when they are imported.
on_base: Callable[[ModuleType], object] | None = None


def has_its_place() -> bool:
    """Return whether this package has the place of sacreBLEU in `sys.modules`."""
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
        import_module(package)  # first: no module of its circles is imported before the package begins
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
    """Make a module's `__getattr__`, which takes names from sacreBLEU.

    Args:
        module: The name of the module in this package.
        names: The names that are handed on, and the modules of sacreBLEU that define them. Without sacreBLEU they are
            an ImportError.
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
    """Finds the submodules of this package that are sacreBLEU's, and all of `sacrebleu` while it is this package."""

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
        """Return where sacreBLEU lies, under its other name."""
        for finder in sys.meta_path:
            found = None if finder is self else finder.find_spec(PEER, None)
            if found is not None and found.submodule_search_locations:
                folders = list(found.submodule_search_locations)
                return spec_from_file_location(_INSTALLED, found.origin, submodule_search_locations=folders)
        return None


class _Alias(Loader):
    """Gives a module that has another name: sacreBLEU's, or this package's."""

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
        module.__spec__ = self._spec  # the import system has put that of the alias there


def find_submodules() -> None:
    """Let the finder take part in all imports, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        before = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(before, _Finder())
