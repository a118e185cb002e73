"""sacreBLEU's tokenizers as its metrics hold them, and what counts the tokens of each."""

from __future__ import annotations

from ...counting.matcher import Matcher, kept_matcher
from ...tokenizers.names import COMPILED, Tokenizer, get_tokenizer, unstripped_13a, unstripped_intl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: sacreBLEU's classes of tokenizers that are compiled here, in its package `tokenizers`, and their names here.
_COMPILED_CLASSES = {
    ("tokenizer_none", "NoneTokenizer"): "none",
    ("tokenizer_zh", "TokenizerZh"): "zh",
    ("tokenizer_13a", "Tokenizer13a"): "13a",
    ("tokenizer_intl", "TokenizerV14International"): "intl",
    ("tokenizer_char", "TokenizerChar"): "char",
}


#: The metric strips the end of a segment before it tokenizes it; other callers of a tokenizer may not.
_UNSTRIPPED = {"13a": unstripped_13a, "intl": unstripped_intl}


class MetricTokenizer:
    """A tokenizer with the two methods that sacreBLEU's have.

    Args:
        name: One of sacreBLEU's names.

    Raises:
        KeyError: It is none of them.
        ImportError: The tokenizer's packages are not installed.

    Example:
        >>> tokenizer = MetricTokenizer("13a")
        >>> tokenizer("Isn't it?"), tokenizer.signature()
        ("Isn't it ?", '13a')
    """

    def __init__(self, name: str) -> None:
        try:
            self._tokenizer = get_tokenizer(name)
        except FileNotFoundError:
            # sacreBLEU downloads its models when they are first needed.
            from importlib import import_module

            import_module("sacrebleu.tokenizers.tokenizer_spm").TokenizerSPM(name)
            self._tokenizer = get_tokenizer(name)
        self.name = name

    def signature(self) -> str:
        """What the signature of scores says of it."""
        return self._tokenizer.signature

    def __call__(self, line: str) -> str:
        """Tokenize a line: text in which white space separates the tokens, the same as sacreBLEU's."""
        if self._tokenizer.to_text is not None:
            return self._tokenizer.to_text(line)
        if self.name == "none":
            return line
        if self.name == "char":
            return " ".join(line)
        unstripped = _UNSTRIPPED.get(self.name)
        return self._tokenizer(line if unstripped is None else unstripped(line))

    def __reduce__(self) -> tuple[Any, ...]:
        return MetricTokenizer, (self.name,)

    def matcher(self, lowercase: bool, max_ngram_order: int) -> Matcher:
        """What counts its tokens."""
        return kept_matcher(self._tokenizer, lowercase, max_ngram_order)


def matcher_of(metric: Any) -> Matcher:
    """What counts for a metric, ours or sacreBLEU's, as its attributes stand now.

    Args:
        metric: Has `tokenizer`, `lowercase` and `max_ngram_order`.

    Raises:
        ValueError: The order is below 1.
    """
    tokenizer, lowercase, order = metric.tokenizer, bool(metric.lowercase), metric.max_ngram_order
    kind = type(tokenizer)
    if kind is MetricTokenizer:
        matcher: Matcher = tokenizer.matcher(lowercase, order)
        return matcher
    package, _, module = kind.__module__.rpartition(".")
    if package == "sacrebleu.tokenizers":
        name = _COMPILED_CLASSES.get((module, kind.__qualname__))
        if name in COMPILED:
            return kept_matcher(get_tokenizer(name), lowercase, order)
    named = kind.__qualname__
    return Matcher(Tokenizer(named, named, source=tokenizer, to_text=tokenizer), lowercase, order)
