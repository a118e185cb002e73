"""The installed sacreBLEU: where its names and its submodules come from that are not fastbleu's own.

Names are handed on by a module's `__getattr__`, submodules by a finder. The finder serves two packages: this one, and
`sacrebleu` itself while this package stands in its place in `sys.modules`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

PEER = "sacrebleu"
OURS = __name__.rpartition(".")[0]

#: Modules of sacreBLEU that fastbleu does not have, at the top and in `metrics`; all that is below them, too.
_HANDED_ON = {
    "dataset",
    "sacrebleu",
    "significance",
    "tokenizers",
    "utils",
    "metrics.chrf",
    "metrics.helpers",
    "metrics.lib_ter",
    "metrics.ter",
}

#: sacreBLEU's own modules, while this package has their place in `sys.modules`.
_aside: dict[str, ModuleType] = {}
_lock = RLock()


def peer_module(name: str) -> ModuleType:
    """Import a module of the installed sacreBLEU, also while this package has its place in `sys.modules`.

    Args:
        name: The module's name, such as "sacrebleu.metrics".

    Raises:
        ImportError: sacreBLEU is not installed; the message says what to install.
    """
    with _lock:
        has_its_place = sys.modules.get(PEER) is sys.modules[OURS]
        if has_its_place and name in _aside:
            return _aside[name]
        ours = _modules() if has_its_place else None
        if ours is not None:
            for each in ours:
                del sys.modules[each]
            sys.modules.update(_aside)
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in (PEER, name):
                raise
            raise ImportError(
                f"{name} is sacreBLEU's own, which is not installed: pip install sacrebleu", name=PEER
            ) from None
        finally:
            if ours is not None:
                theirs = _modules()
                _aside.update(theirs)
                for each in theirs:
                    del sys.modules[each]
                sys.modules.update(ours)


def _modules() -> dict[str, ModuleType]:
    """What `sys.modules` holds of sacreBLEU."""
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == PEER}


def hand_on(module: str, names: Sequence[str]) -> Callable[[str], Any]:
    """Make a module's `__getattr__`, which takes names from sacreBLEU's module of the same name.

    Args:
        module: The name of the module in this package.
        names: The names that sacreBLEU's module is known to have. They are an ImportError without sacreBLEU; all others
            are an AttributeError.
    """
    theirs = PEER + module.removeprefix(OURS)

    def attribute(name: str) -> Any:
        missing = f"module {module!r} has no attribute {name!r}"
        if name.startswith("__"):
            raise AttributeError(missing)
        try:
            return getattr(peer_module(theirs), name)
        except ImportError as error:
            if name in names or error.name != PEER:
                raise
        except AttributeError:
            pass
        raise AttributeError(missing)

    return attribute


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
            if not _HANDED_ON.isdisjoint((relative, relative.partition(".")[0])):
                return ModuleSpec(fullname, _Alias(f"{PEER}.{relative}", True))
        elif fullname.startswith(f"{PEER}.") and sys.modules.get(PEER) is sys.modules[OURS]:
            return ModuleSpec(fullname, _Alias(OURS + fullname.removeprefix(PEER), False))
        return None


class _Alias(Loader):
    """Gives a module that has another name."""

    def __init__(self, name: str, is_peers: bool) -> None:
        self._name = name
        self._is_peers = is_peers
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002  # the import system's signature
        module = peer_module(self._name) if self._is_peers else import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put that of the alias there


def find_submodules() -> None:
    """Let the finder take part in all imports, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        before = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(before, _Finder())
