"""sacreBLEU's tokenizers: as the tokenizer of a metric, and as objects of sacreBLEU's own classes.

An object of one of its classes is replaced by the compiled tokenizer only while it and its class are unchanged.
"""

from __future__ import annotations

from functools import cache

from ..system._unchanged import Made
from ..system.reads import reads_of
from ..tokenizers.names import COMPILED, Tokenizer, get_tokenizer, unstripped_13a, unstripped_intl
from .sacrebleu_log import log_as_sacrebleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: sacreBLEU's package of tokenizers.
_PACKAGE = "sacrebleu.tokenizers"

#: sacreBLEU's classes with a compiled equivalent: its name here, and the attribute of the object, or of the object
#: inside it, with the regular expressions.
_COMPILED_CLASSES = {
    ("tokenizer_none", "NoneTokenizer"): ("none", ""),
    ("tokenizer_zh", "TokenizerZh"): ("zh", "_re"),
    ("tokenizer_13a", "Tokenizer13a"): ("13a", "_re"),
    ("tokenizer_intl", "TokenizerV14International"): ("intl", "_re"),
    ("tokenizer_char", "TokenizerChar"): ("char", ""),
}

#: Functions for text that is not stripped. A metric strips the end of a segment first; other callers may not.
_UNSTRIPPED = {"13a": unstripped_13a, "intl": unstripped_intl}


def tokenized(tokenizer: Tokenizer, line: str) -> str:
    """Tokenize a line as sacreBLEU's tokenizer class does, also if it ends with white space.

    Args:
        tokenizer: A tokenizer that sacreBLEU has.
        line: The text.

    Returns:
        The tokens separated by white space, the same text as sacreBLEU's.
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
    """A tokenizer with the two methods of sacreBLEU's tokenizers.

    Args:
        name: A name of a sacreBLEU tokenizer.

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
            # sacreBLEU downloads a model on first use, and then logs the same warnings.
            from importlib import import_module

            import_module("sacrebleu.tokenizers.tokenizer_spm").TokenizerSPM(name)
            self.tokenizer = get_tokenizer(name, log=warnings.append)
            warnings.clear()
        for warning in warnings:
            log_as_sacrebleu(warning)
        self.name = name

    def signature(self) -> str:
        """Return the tokenizer's name in the signature of scores."""
        return self.tokenizer.signature

    def __call__(self, line: str) -> str:
        """Return the tokens of a line, separated by white space, the same text as sacreBLEU's."""
        return tokenized(self.tokenizer, line)

    def __reduce__(self) -> tuple[Any, ...]:
        return MetricTokenizer, (self.name,)


class OwnTokenizer:
    """One of sacreBLEU's tokenizer classes, unchanged from its release.

    Args:
        kind: The class.
        name: The tokenizer's name.
        expressions: The attribute with the regular expressions, of an object or of the object inside it; "" for none.
    """

    def __init__(self, kind: type, name: str, expressions: str) -> None:
        self.core = get_tokenizer(name)
        made: Any = kind()
        inner = "_post_tokenizer" if hasattr(made, "_post_tokenizer") else ""
        #: Returns whether neither an object of the class nor the class itself has changed since.
        self.is_own = Made(made, reads_of(("__call__", "signature"), kind), inner, expressions).is_own


def is_own(tokenizer: Any) -> bool:
    """Return whether a tokenizer is an object of a class as its module defined it, and unchanged as far as is known."""
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
    """Return the `OwnTokenizer` of a class; None for other classes, and if a program has replaced its `__call__`."""
    package, _, module = kind.__module__.rpartition(".")
    name, expressions = _COMPILED_CLASSES.get((module, kind.__qualname__), ("", ""))
    call = vars(kind).get("__call__")
    if package != _PACKAGE or name not in COMPILED or getattr(call, "__module__", "") != kind.__module__:
        return None
    return OwnTokenizer(kind, name, expressions)
