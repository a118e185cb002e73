"""Tokenize as sacreBLEU's tokenizers do.

The metrics of `compat.sacrebleu` have a `MetricTokenizer`. An object of one of sacreBLEU's own tokenizer classes is
replaced by a compiled tokenizer, unless a program has changed the object or its class.
"""

from __future__ import annotations

from functools import cache

from ..system._program_changes import ObjectRecord
from ..system.watched_names import reads_of
from ..tokenizers.names import COMPILED, Tokenizer, get_tokenizer, unstripped_13a, unstripped_intl
from .sacrebleu_log import log_as_sacrebleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: sacreBLEU's package of tokenizers.
_PACKAGE = "sacrebleu.tokenizers"

#: sacreBLEU's tokenizer classes that have a compiled equivalent. A key is the module and the name of a class. A value
#: is the name of the equivalent, and the name of the attribute with regular expressions ("": none). Objects of the
#: class, or the tokenizers inside these objects, have this attribute.
_COMPILED_CLASSES = {
    ("tokenizer_none", "NoneTokenizer"): ("none", ""),
    ("tokenizer_zh", "TokenizerZh"): ("zh", "_re"),
    ("tokenizer_13a", "Tokenizer13a"): ("13a", "_re"),
    ("tokenizer_intl", "TokenizerV14International"): ("intl", "_re"),
    ("tokenizer_char", "TokenizerChar"): ("char", ""),
}

#: For each compiled tokenizer that expects text without white space at the end, a function that prepares text that ends
#: with white space. Metrics strip segments before they tokenize them, but a program that calls a tokenizer may not.
_UNSTRIPPED = {"13a": unstripped_13a, "intl": unstripped_intl}


def tokenized(tokenizer: Tokenizer, line: str) -> str:
    """Tokenize a line as sacreBLEU does, even if it ends with white space.

    Args:
        tokenizer: The equivalent of a tokenizer of sacreBLEU.
        line: The text.

    Returns:
        The tokens separated by white space, the same text as in sacreBLEU.
    """
    if tokenizer.to_text is not None:
        return tokenizer.to_text(line)
    if tokenizer.name == "none":
        return line
    if tokenizer.name == "char":
        return " ".join(line)
    unstripped = _UNSTRIPPED.get(tokenizer.name)
    return tokenizer(line if unstripped is None else unstripped(line))


class MetricTokenizer:
    """A tokenizer with the methods of sacreBLEU's tokenizers.

    Args:
        name: The name of a tokenizer of sacreBLEU.

    Raises:
        KeyError: The name is unknown.
        ImportError: The tokenizer's packages are not installed.

    Example:
        >>> tokenizer = MetricTokenizer("13a")
        >>> tokenizer("Isn't it?"), tokenizer.signature()
        ("Isn't it ?", '13a')
    """

    def __init__(self, name: str) -> None:
        warnings: list[str] = []
        try:
            self.tokenizer = get_tokenizer(name, log=warnings.append)
        except FileNotFoundError:
            # The model is missing. sacreBLEU's constructor downloads it, and logs the same warnings as `get_tokenizer`.
            from importlib import import_module

            import_module("sacrebleu.tokenizers.tokenizer_spm").TokenizerSPM(name)
            self.tokenizer = get_tokenizer(name, log=warnings.append)
            warnings.clear()
        for warning in warnings:
            log_as_sacrebleu(warning)
        self.name = name

    def signature(self) -> str:
        """Return the name of the tokenizer in signatures."""
        return self.tokenizer.signature

    def __call__(self, line: str) -> str:
        """Return the tokens of a line separated by white space, the same text as in sacreBLEU."""
        return tokenized(self.tokenizer, line)

    def __reduce__(self) -> tuple[Any, ...]:
        return MetricTokenizer, (self.name,)


class UnchangedTokenizer:
    """A tokenizer class of sacreBLEU that no program has changed, and its compiled equivalent.

    Args:
        kind: The class.
        name: The name of the compiled equivalent.
        expressions: The name of the attribute with regular expressions, which objects of the class, or the tokenizers
            inside them, have; "" if there are none.
    """

    def __init__(self, kind: type, name: str, expressions: str) -> None:
        self.compiled = get_tokenizer(name)
        new: Any = kind()
        inner = "_post_tokenizer" if hasattr(new, "_post_tokenizer") else ""
        #: A function that returns whether an object of the class, and the class itself, are still unchanged.
        self.is_unchanged = ObjectRecord(
            new, reads_of(("__call__", "signature"), kind), inner, expressions
        ).is_unchanged


def is_unchanged(tokenizer: Any) -> bool:
    """Return whether no program has changed a tokenizer of sacreBLEU or its class.

    For classes other than those of `_COMPILED_CLASSES`, only the method `__call__` is checked.
    """
    kind: Any = type(tokenizer)
    unchanged = unchanged_tokenizer(kind)
    if unchanged is not None:
        return unchanged.is_unchanged(tokenizer)
    call = vars(kind).get("__call__")
    return (kind.__module__.rpartition(".")[2], kind.__qualname__) not in _COMPILED_CLASSES and (
        getattr(call, "__module__", "") == kind.__module__
    )


@cache
def unchanged_tokenizer(kind: type) -> UnchangedTokenizer | None:
    """Return the `UnchangedTokenizer` of a class.

    Return None if the class has no compiled equivalent, or a program has changed its method `__call__`.
    """
    package, _, module = kind.__module__.rpartition(".")
    name, expressions = _COMPILED_CLASSES.get((module, kind.__qualname__), ("", ""))
    call = vars(kind).get("__call__")
    if package != _PACKAGE or name not in COMPILED or getattr(call, "__module__", "") != kind.__module__:
        return None
    return UnchangedTokenizer(kind, name, expressions)
