"""The installed sacreBLEU: where its names and its submodules come from that are not fastbleu's own.

Names are handed on by a module's `__getattr__`, submodules by a finder. The finder serves two packages: this one, whose
other submodules are sacreBLEU's own modules, and `sacrebleu` itself while this package stands in its place in
`sys.modules`. Then the modules that fastbleu has are found here, and all others in sacreBLEU's folder, under their own
names. Python's import system does the rest, its locks included.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from os.path import join
from threading import RLock
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PEER = "sacrebleu"
OURS = __name__.rpartition(".")[0]

#: Modules of sacreBLEU that this package has.
_OWN = {"", "compat", "metrics", "metrics.bleu", "version"}

#: Modules of sacreBLEU that are handed on, with all that is below them.
_HANDED_ON = {
    "dataset",
    "sacrebleu",
    "significance",
    "tokenizers",
    "utils",
    "metrics.base",
    "metrics.chrf",
    "metrics.helpers",
    "metrics.lib_ter",
    "metrics.ter",
}

#: Before the last part of the name of one of sacreBLEU's modules whose own name this package has taken.
_ORIGINAL = "_original_"

#: Where a module keeps its loader until its code has run.
_LOADER = "_loader_to_run"

#: Held while the code of one of sacreBLEU's modules runs that is found here.
_running = RLock()

#: Called with sacreBLEU's base classes when they are imported.
on_base: Callable[[ModuleType], object] | None = None


def has_its_place() -> bool:
    """Return whether this package stands in the place of sacreBLEU in `sys.modules`."""
    return sys.modules.get(PEER) is sys.modules[OURS]


def peer_module(relative: str) -> ModuleType:
    """Import a module of the installed sacreBLEU.

    Args:
        relative: The module's name in the package, such as "metrics.chrf".

    Raises:
        ImportError: sacreBLEU is not installed; the message says what to install.
    """
    if relative in _OWN and has_its_place():
        parent, _, last = relative.rpartition(".")
        relative = f"{parent}.{_ORIGINAL}{last}".lstrip(".")
    name = f"{PEER}.{relative}".rstrip(".")
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise ImportError(
            f"{name} is sacreBLEU's own, which is not installed: pip install sacrebleu", name=PEER
        ) from None
    if relative == "metrics.base" and on_base is not None and not isinstance(module, _Late):
        on_base(module)
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
        if fullname.startswith(f"{OURS}."):
            relative = fullname.removeprefix(f"{OURS}.")
            return ModuleSpec(fullname, _Alias(relative, True)) if _is_handed_on(relative) else None
        if not fullname.startswith(f"{PEER}.") or not has_its_place():
            return None
        relative = fullname.removeprefix(f"{PEER}.")
        return ModuleSpec(fullname, _Alias(relative, False)) if relative in _OWN else _spec_of(fullname)


def _spec_of(fullname: str) -> ModuleSpec | None:
    """Return where one of sacreBLEU's own modules lies, while its package is not in `sys.modules`."""
    for finder in sys.meta_path:
        package = None if isinstance(finder, _Finder) else finder.find_spec(PEER, None)
        if package is not None and package.submodule_search_locations:
            break
    else:
        raise ModuleNotFoundError(f"No module named {PEER!r}", name=PEER)
    *parents, last = fullname.split(".")[1:]
    folder = join(next(iter(package.submodule_search_locations)), *parents)
    if last.startswith(_ORIGINAL):
        spec = spec_from_file_location(fullname, join(folder, f"{last.removeprefix(_ORIGINAL)}.py"))
    else:
        spec = PathFinder.find_spec(fullname, [folder])
    if spec is not None and spec.loader is not None:
        spec.loader = _LateLoader(spec.loader)
    return spec


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


class _Late(ModuleType):
    """One of sacreBLEU's modules, whose code runs when it is first asked for something.

    sacreBLEU's modules import each other in circles, in the order in which its package begins. Without the package, two
    threads could begin in two places. So one lock admits one of them, and Python holds no lock of an import then.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__all__", "__late__"):
            # The import system looks for these while it holds its own lock.
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        with _running:
            if _LOADER in self.__dict__ and self.__name__.startswith(f"{PEER}.dataset"):
                # As in sacreBLEU itself. The other way round, the circle does not close.
                import_module(f"{PEER}.utils").smart_open  # noqa: B018
            loader = self.__dict__.pop(_LOADER, None)
            if loader is not None:
                try:
                    loader.exec_module(self)
                except BaseException:
                    self.__dict__[_LOADER] = loader
                    raise
                if self.__name__ == f"{PEER}.metrics.base" and on_base is not None:
                    on_base(self)
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None

    def __dir__(self) -> list[str]:
        getattr(self, "__late__", None)
        return list(self.__dict__)


class _LateLoader(Loader):
    """Leaves a module to run its code itself."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Late(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__dict__[_LOADER] = self._loader


def find_submodules() -> None:
    """Let the finder take part in all imports, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        before = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(before, _Finder())
