"""Load tokenizers by name: compiled tokenizers, third-party packages, and callables of the user.

A tokenizer is applied to a segment after `lowercase`, and without the white space at the segment's end. There are three
kinds: compiled functions that work on UTF-8 bytes, functions that return text with white space between the tokens, and
functions that return a sequence of tokens. Names, defaults and signatures are those of sacreBLEU 2.6.0.
"""

from __future__ import annotations

import os

from ..errors import ArgumentValueError, did_you_mean, wrong_type
from ._characters import character_class
from ._tokenize import TOKENIZE_13A, TOKENIZE_CHAR, TOKENIZE_INTL, TOKENIZE_NONE, TOKENIZE_V11, TOKENIZE_ZH
from .languages import advice_against, tokenizer_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    #: A function that is called with texts and the number of threads it may use, and returns the texts with white space
    #: between the tokens.
    ToTexts: TypeAlias = Callable[[list[Any], int], list[str]]


def _mecab(name: str) -> tuple[str, ToTexts]:
    """Load a MeCab tokenizer, and return its signature and the function that tokenizes texts."""
    from .mecab import load_mecab

    return load_mecab(name)


def _sentencepiece(name: str) -> tuple[str, ToTexts]:
    """Load a SentencePiece tokenizer of sacreBLEU, and return its signature and the function that tokenizes texts."""
    from .sentencepiece import load_sacrebleus_model

    return load_sacrebleus_model(name)


#: sacreBLEU's warning for `tokenize="spm"`.
RENAMED_SPM = "Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future."

#: sacreBLEU's tokenizers by name, in sacreBLEU's order. For a compiled tokenizer, the value is its number in
#: `_tokenize`, and its signature is its name. For other tokenizers, the value is a function that is called with the
#: name, loads the tokenizer, and returns its signature and the function that tokenizes texts.
_TOKENIZERS: dict[str, int | Callable[[str], tuple[str, ToTexts]]] = {
    "none": TOKENIZE_NONE,
    "zh": TOKENIZE_ZH,
    "13a": TOKENIZE_13A,
    "intl": TOKENIZE_INTL,
    "char": TOKENIZE_CHAR,
    "ja-mecab": _mecab,
    "ko-mecab": _mecab,
    "spm": _sentencepiece,
    "flores101": _sentencepiece,
    "flores200": _sentencepiece,
    "spBLEU-1K": _sentencepiece,
}

#: The names of all tokenizers.
NAMES = tuple(_TOKENIZERS)

#: Tokenizers that split raw text at spaces. "none" is not included, since its text is already tokenized.
SPLIT_AT_SPACES = ("13a", "intl")

#: The results of `character_class` for punctuation (the Unicode category P) and numbers (N).
PUNCTUATION, NUMBER = 1, 2

#: The number of lines that sacreBLEU's tokenizers cache. `_Cached` stores at least as many, and at most twice as many.
_LINES_CACHED = 1 << 16

#: The compiled tokenizers, with their numbers in `_tokenize`.
COMPILED = {name: made for name, made in _TOKENIZERS.items() if isinstance(made, int)}


class Tokenizer:
    """A loaded tokenizer. Exactly one of `compiled`, `to_text` and `to_tokens` is not None.

    Several threads may use a tokenizer at the same time. It is pickled as its name, the path of its model, or the
    callable; unpickling loads it again.

    Attributes:
        name: The requested name or path, or the callable's qualified name.
        signature: The tokenizer's field in the signature of a score.
        compiled: The number of a compiled tokenizer, a value of `COMPILED`.
        to_text: A function that returns a text with white space between the tokens.
        to_tokens: A callable of the user that returns the tokens of a text.
        is_sacrebleus: Whether sacreBLEU has a tokenizer with this name.
    """

    __slots__ = ("_source", "compiled", "is_sacrebleus", "name", "signature", "to_text", "to_tokens")

    def __init__(
        self,
        name: str,
        signature: str,
        *,
        source: str | Callable[[str], Sequence[Hashable]],
        compiled: int | None = None,
        to_text: Callable[[str], str] | None = None,
        to_tokens: Callable[[str], Sequence[Hashable]] | None = None,
    ) -> None:
        self.name = name
        self.signature = signature
        self.compiled = compiled
        self.to_text = to_text
        self.to_tokens = to_tokens
        self.is_sacrebleus = source in NAMES
        self._source = source

    def __call__(self, line: str) -> str:
        """Tokenize a line, and return its tokens joined by single spaces, like sacreBLEU's tokenizers."""
        if self.compiled is not None:
            from ._tokenize import tokenize

            return " ".join(tokenize(line, self.compiled))
        if self.to_text is not None:
            return " ".join(self.to_text(line.rstrip()).split())
        return " ".join(map(str, self.to_tokens(line.rstrip()))) if self.to_tokens is not None else line

    def to_texts(self, texts: list[str | None], threads: int = 1) -> list[Any]:
        """Apply `to_text`, which must not be None, to each text; None remains None.

        Args:
            texts: n texts.
            threads: The number of threads that may be used.

        Returns:
            n texts.
        """
        function: Any = self.to_text
        if isinstance(function, _Cached):
            return function.many(texts, threads)
        return [None if text is None else function(text) for text in texts]

    def __reduce__(self) -> tuple[Any, ...]:
        return _build, (self._source,)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"


#: The compiled tokenizers by name. They are immutable, so all callers share them.
_compiled = {name: Tokenizer(name, name, source=name, compiled=number) for name, number in COMPILED.items()}

#: 13a without its rewriting of "<skipped>", line breaks and entities. Only `compat` uses it, so it has no public name.
MTEVAL_V11 = Tokenizer("v11", "v11", source="v11", compiled=TOKENIZE_V11)


def unstripped_13a(text: str) -> str:
    """Prevent 13a from stripping the white space at the end of a text, for packages whose 13a does not strip.

    White space at the end changes the tokens only if the text has a line break. In that case, append "<skipped>", which
    13a removes before it applies any other rule, but after it has stripped.
    """
    return f"{text}<skipped>" if "\n" in text else text


def unstripped_intl(text: str) -> str:
    """Change a text so that stripping does not change its tokens, for packages whose intl does not strip.

    If white space follows a punctuation mark after a number, intl separates the mark from the number. Without the white
    space it would not, so add a space before the mark.

    Example:
        >>> unstripped_intl("It cost 1. "), unstripped_intl("It cost 1.")
        ('It cost 1 .', 'It cost 1.')
    """
    stripped = text.rstrip()
    if 1 < len(stripped) < len(text):
        before, last = (character_class(ord(each)) for each in stripped[-2:])
        if last == PUNCTUATION and before == NUMBER:
            return f"{stripped[:-1]} {stripped[-1]}"
    return text


def log_warning(message: str) -> None:
    """Log a warning with the logger "fastbleu"."""
    from logging import getLogger

    getLogger("fastbleu").warning(message)


def get_tokenizer(
    tokenize: str | os.PathLike[str] | Callable[[str], Sequence[Hashable]] | None,
    trg_lang: str = "",
    log: Callable[[str], object] = log_warning,
) -> Tokenizer:
    """Load the tokenizer for an argument `tokenize`.

    Args:
        tokenize: A name in `NAMES`; the path of a SentencePiece model (a path object, or a str that ends in ".model" or
            contains a directory); a callable that returns the tokens of a text; or None for the default tokenizer of
            the language.
        trg_lang: The language of the segments, such as "ja"; "" if unknown.
        log: A function that is called with each warning that sacreBLEU logs for these arguments.

    Returns:
        The loaded tokenizer.

    Raises:
        TypeError: `tokenize` is not a str, a path object, a callable or None.
        ValueError: The name is unknown, or the file is not a SentencePiece model.
        ImportError: The tokenizer's packages are not installed; the message names the extra that installs them.
        FileNotFoundError: The model is missing; the message says where it is expected.
        RuntimeError: MeCab has loaded a dictionary other than the one that defines the scores.

    Example:
        >>> get_tokenizer(None)
        <Tokenizer 13a>
        >>> get_tokenizer(None, trg_lang="zh").compiled == COMPILED["zh"]
        True
        >>> get_tokenizer(str.split).signature
        'custom-str.split'
    """
    if tokenize is None:
        return _build(tokenizer_for(trg_lang))
    if isinstance(tokenize, str):
        if tokenize not in NAMES:
            if not tokenize.endswith(".model") and not os.path.dirname(tokenize):
                known = f"choose one of {', '.join(NAMES)}, or the path of a SentencePiece model"
                problem = f"{tokenize!r} is unknown{did_you_mean(tokenize, NAMES)}; {known}"
                raise ArgumentValueError("tokenize", problem, value=tokenize)
            return _build(os.path.abspath(tokenize))
        advice = advice_against(tokenize, trg_lang)
        if advice is not None:
            log(advice)
        if tokenize == "spm":
            log(RENAMED_SPM)
    elif isinstance(tokenize, os.PathLike):
        return _build(os.path.abspath(os.fsdecode(tokenize)))
    elif not callable(tokenize):
        raise wrong_type(
            "tokenize", "a name, the path of a SentencePiece model, a callable or None", tokenize
        )
    return _build(tokenize)


def _build(source: str | Callable[[str], Sequence[Hashable]]) -> Tokenizer:
    """Make a tokenizer from a name, an absolute path or a callable. Unpickling a `Tokenizer` calls this function."""
    if not isinstance(source, str):
        name = getattr(source, "__qualname__", type(source).__qualname__)
        # Replace "|" and ":", which separate the fields of a signature.
        plain = "_".join(name.replace("|", " ").replace(":", " ").split())
        return Tokenizer(name, f"custom-{plain}", source=source, to_tokens=source)
    made = _TOKENIZERS.get(source)
    if made is None:
        from .sentencepiece import load_own_model

        signature, to_texts = load_own_model(source)
    elif isinstance(made, int):
        return _compiled[source]
    else:
        signature, to_texts = made(source)
    return Tokenizer(source, signature, source=source, to_text=_Cached(to_texts))


class _Cached:
    """A third-party tokenizer with a cache of its latest lines, like sacreBLEU's.

    Caching is worthwhile because the same references are scored with each system, and third-party tokenizers take
    longer than scoring. The cache lives as long as this object.

    Args:
        to_texts: The function of the tokenizer that tokenizes texts.
    """

    def __init__(self, to_texts: ToTexts) -> None:
        self._to_texts = to_texts
        # When `_latest` is full, it becomes `_before`. Lines in `_before` that are requested again move to `_latest`.
        self._latest: dict[Any, Any] = {None: None}
        self._before: dict[Any, Any] = {}

    def __call__(self, text: str) -> str:
        tokenized: str = self.many([text], 1)[0]
        return tokenized

    def many(self, texts: list[str | None], threads: int) -> list[Any]:
        """Tokenize texts; None remains None. All texts that are not cached are tokenized in one call."""
        # Read the attributes once, since another thread may set them.
        latest, before = self._latest, self._before
        new = [text for text in dict.fromkeys(texts) if text not in latest]
        if before:
            latest.update((text, before[text]) for text in new if text in before)
            new = [text for text in new if text not in latest]
        if new:
            latest.update(zip(new, self._to_texts(new, threads), strict=True))
        tokenized = list(map(latest.__getitem__, texts))
        if len(latest) > _LINES_CACHED:
            self._latest, self._before = {None: None}, latest
        return tokenized
