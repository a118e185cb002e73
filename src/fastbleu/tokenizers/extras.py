"""Packages of third parties' tokenizers: importing them, and quoting the text that they refuse."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def import_extra(module: str, name: str, extra: str) -> ModuleType:
    """Imports the module that the tokenizer `name` needs.

    Raises:
        ImportError: It is not installed; the message says which extra brings it.
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"tokenize={name!r} needs the module {module!r}: pip install fastbleu-metric[{extra}]"
        ) from error


def excerpt(text: str) -> str:
    """Quotes the beginning of a segment."""
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."
