"""sacreBLEU's tokenizers 13a, intl and zh, for programs that tokenize with them and score, or count, by themselves.

Each remembers texts, and still does: what is replaced lies beneath its cache.
"""

from __future__ import annotations

from ..scoring.sacrebleu.tokenizing import MetricTokenizer
from .replacing import LEFT, Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

#: The names of classes and tokenizers, by module.
_CLASSES = {
    "sacrebleu.tokenizers.tokenizer_13a": ("Tokenizer13a", "13a"),
    "sacrebleu.tokenizers.tokenizer_intl": ("TokenizerV14International", "intl"),
    "sacrebleu.tokenizers.tokenizer_zh": ("TokenizerZh", "zh"),
}


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacement in a module of `sacrebleu.tokenizers`."""
    class_name, name = _CLASSES[module.__name__]
    kind = getattr(module, class_name)
    parts = vars(kind()).keys()
    tokenize = MetricTokenizer(name)

    def call(tokenizer: Any, line: Any) -> Any:
        if type(tokenizer) is not kind or vars(tokenizer).keys() != parts or type(line) is not str:
            return LEFT
        return tokenize(line)

    return [replace(kind.__call__.__wrapped__, call)]
