"""Hugging Face's own package `evaluate`, also where a user has put this one, or functions of it, in its place."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Where `evaluate` defines functions that hand on to it here.
_HOMES = {"load": "loading", "combine": "module"}

#: The package, once it was found after ours.
_hidden: list[Any] = []


def find_evaluate() -> Any:
    """The package `evaluate`; None if it is not installed."""
    try:
        import evaluate
    except ModuleNotFoundError as error:
        if error.name not in ("datasets", "evaluate"):
            raise
        return None
    return _behind_ours() if evaluate is sys.modules.get(__package__) else evaluate


def _behind_ours() -> Any:
    """The package `evaluate` after `sys.modules["evaluate"] = fastbleu.compat.evaluate`."""
    if not _hidden:
        ours = sys.modules.pop("evaluate")
        try:
            _hidden.append(find_evaluate())
        finally:
            sys.modules["evaluate"] = ours
    return _hidden[0]


def installed_evaluate(complaint: str) -> Any:
    """The package `evaluate`.

    Args:
        complaint: What the error says without it.

    Raises:
        ValueError: It is not installed.
    """
    peer = find_evaluate()
    if peer is None:
        raise ValueError(f"{complaint} (the package evaluate is not installed)")
    return peer


def own_function(peer: Any, name: str, ours: Callable[..., Any]) -> Any:
    """The function of that name in `evaluate`, also after `evaluate.load = fastbleu.compat.evaluate.load`.

    Args:
        peer: The package.
        name: "load" or "combine".
        ours: Our function of that name.
    """
    function = getattr(peer, name)
    return function if function is not ours else getattr(getattr(peer, _HOMES[name]), name)
