"""Languages whose words no white space separates, and their tokenizers; 13a serves all others."""

from __future__ import annotations

#: By language code: the tokenizer, and what to call the language.
_TOKENIZERS = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}


def tokenizer_for(language: str) -> str:
    """Returns the name of the default tokenizer of a language code, such as "ja"; "" for no language."""
    return _TOKENIZERS.get(language, ("13a", ""))[0]


def advice_against(tokenize: str, language: str) -> str | None:
    """What sacreBLEU says when a language is not tokenized as its own; None where it says nothing."""
    default, name = _TOKENIZERS.get(language, (tokenize, ""))
    return None if tokenize == default else f"Consider using the {default!r} or 'spm' tokenizer for {name}."
