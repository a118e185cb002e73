"""sacreBLEU's tokenizers: the tokenizer of a metric, and objects of sacreBLEU's classes.

An object of sacreBLEU's classes is replaced by a compiled tokenizer if the object and its class are unchanged.
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

#: The classes with a compiled equivalent: the name of the equivalent, and the attribute with the regular expressions,
#: of an object or of the object inside it.
_COMPILED_CLASSES = {
    ("tokenizer_none", "NoneTokenizer"): ("none", ""),
    ("tokenizer_zh", "TokenizerZh"): ("zh", "_re"),
    ("tokenizer_13a", "Tokenizer13a"): ("13a", "_re"),
    ("tokenizer_intl", "TokenizerV14International"): ("intl", "_re"),
    ("tokenizer_char", "TokenizerChar"): ("char", ""),
}

#: Functions that adapt text that was not stripped. Metrics strip the end of a segment first, but other callers may not.
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
            # The model is missing. sacreBLEU downloads it, and logs the same warnings.
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


class OwnTokenizer:
    """A tokenizer class of sacreBLEU that no program has changed.

    Args:
        kind: The class.
        name: The name of the compiled equivalent.
        expressions: The attribute with the regular expressions, of an object or of the object inside it; "" for none.
    """

    def __init__(self, kind: type, name: str, expressions: str) -> None:
        self.core = get_tokenizer(name)
        made: Any = kind()
        inner = "_post_tokenizer" if hasattr(made, "_post_tokenizer") else ""
        #: A function that returns whether an object of the class, and the class, are still unchanged.
        self.is_own = ObjectRecord(
            made, reads_of(("__call__", "signature"), kind), inner, expressions
        ).is_unchanged


def is_own(tokenizer: Any) -> bool:
    """Return whether a tokenizer is unchanged: neither its class nor the object was changed by a program.

    For classes other than those of `_COMPILED_CLASSES`, only `__call__` is checked.
    """
    kind: Any = type(tokenizer)
    own = own_tokenizer(kind)
    if own is not None:
        return own.is_own(tokenizer)
    call = vars(kind).get("__call__")
    return (kind.__module__.rpartition(".")[2], kind.__qualname__) not in _COMPILED_CLASSES and (
        getattr(call, "__module__", "") == kind.__module__
    )


@cache
def own_tokenizer(kind: type) -> OwnTokenizer | None:
    """Return the `OwnTokenizer` of a class; None if it has no equivalent, or a program has changed its `__call__`."""
    package, _, module = kind.__module__.rpartition(".")
    name, expressions = _COMPILED_CLASSES.get((module, kind.__qualname__), ("", ""))
    call = vars(kind).get("__call__")
    if package != _PACKAGE or name not in COMPILED or getattr(call, "__module__", "") != kind.__module__:
        return None
    return OwnTokenizer(kind, name, expressions)
