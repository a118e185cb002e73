"""Install and uninstall the patch: immediately in imported modules, and in other modules after their import."""

from __future__ import annotations

import os
import sys
from importlib.abc import Loader, MetaPathFinder
from threading import RLock
from warnings import warn

from .peers import PEERS, is_imported
from .reporting import report_at_exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    from typing_extensions import Self

    from .peers import Peer

_lock = RLock()


class Installed:
    """The packages that one call of `install` has patched, as a context manager that unpatches them at the end.

    Attributes:
        peers: The names of the packages.
    """

    def __init__(self, peers: Sequence[str]) -> None:
        self.peers = tuple(peers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.peers:
            uninstall(*self.peers)

    def __repr__(self) -> str:
        return f"<fastbleu.patch of {', '.join(self.peers) or 'nothing'}>"


def install(*peers: str) -> Installed:
    """Patch other packages, so that they compute BLEU with fastbleu.

    This function imports none of the packages. If a package is imported later, it is patched after its import.

    Args:
        peers: Names of packages, such as "nltk"; without names, all installed packages that fastbleu can patch.

    Returns:
        An object with the names of the packages that were not patched before this call. It can be used as a context
        manager, which uninstalls their patch at the end.

    Raises:
        TypeError: A name is not a str.
        ValueError: fastbleu cannot patch a package of this name.
        ModuleNotFoundError: A named package is not installed.

    Warns:
        UserWarning: The release of a package was not compared with fastbleu, so the package is not patched.

    Example:
        >>> with install():
        ...     print("here, BLEU is fast")
        here, BLEU is fast
    """
    newly = []
    with _lock:
        for name in _checked(peers):
            peer = PEERS[name]
            release = peer.release
            if release is None and name in peers:
                raise ModuleNotFoundError(
                    f"{name} is not installed: pip install {peer.distribution}", name=name
                )
            if release is None:
                continue
            if not peer.is_equal:
                warn(
                    f"{name} {release} is not replaced, because fastbleu was compared only with releases "
                    f"{peer.equal_releases}",
                    UserWarning,
                    stacklevel=2,
                )
                continue
            for module in peer.modules:
                if is_imported(module):
                    peer.replace_in(sys.modules[module])
            if not peer.is_installed:
                peer.is_installed = True
                newly.append(name)
        _watch_imports()
    if os.environ.get("FASTBLEU_PATCH_REPORT"):
        report_at_exit()
    return Installed(newly)


def uninstall(*peers: str) -> None:
    """Restore the original code of patched packages.

    Args:
        peers: Names of packages; without names, all patched packages.

    Raises:
        TypeError: A name is not a str.
        ValueError: fastbleu cannot patch a package of this name.
    """
    with _lock:
        for name in _checked(peers):
            peer = PEERS[name]
            peer.is_installed = False
            for replacement in peer.replacements.values():
                replacement.uninstall()
        _watch_imports()


def _checked(peers: tuple[str, ...]) -> tuple[str, ...]:
    """Check the names of packages, and return them. Without names, return those of all packages that can be patched."""
    for name in peers:
        if not isinstance(name, str):
            raise TypeError(f"peers must be names, not {type(name).__name__}: {name!r}")
        if name not in PEERS:
            raise ValueError(f"unknown peer {name!r}; choose one of {', '.join(PEERS)}")
    return peers or tuple(PEERS)


def _watch_imports() -> None:
    """Add the finder to `sys.meta_path` if modules are to be patched after their import, and otherwise remove it."""
    _finder.waiting = {
        name: peer
        for peer in PEERS.values()
        if peer.is_installed
        for name in peer.modules
        if name not in sys.modules
    }
    if _finder.waiting and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if not _finder.waiting and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


class _Finder(MetaPathFinder):
    """Find the modules of patched packages, with a loader that replaces their functions after the import."""

    def __init__(self) -> None:
        #: The package of each module that is to be patched after its import. Other threads may be reading this
        #: dictionary, so it is never modified. A new dictionary replaces it.
        self.waiting: dict[str, Peer] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        peer = self.waiting.get(fullname)
        if peer is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, peer)
                return spec
        return None


class _Loader(Loader):
    """Load a module of a patched package with its original loader, then replace the module's functions."""

    def __init__(self, loader: Any, peer: Peer) -> None:
        self._loader = loader
        self._peer = peer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        with _lock:
            if self._peer.is_installed:
                self._peer.replace_in(module)
            _watch_imports()


_finder = _Finder()
