"""Matchers by the options that tests vary."""

from typing import Any

from fastbleu.counting.matcher import Matcher
from fastbleu.tokenizers.names import get_tokenizer


def matcher(order: int = 4, rule: Any = "closest", name: Any = "none") -> Matcher:
    return Matcher(get_tokenizer(name), max_ngram_order=order, reference_length=rule)
