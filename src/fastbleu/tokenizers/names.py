"""Tokenizers by name: the compiled ones, those of third parties, and the user's own.

A tokenizer takes a segment that has been lowercased if asked, without the white space at its end. It is a kernel that
works on UTF-8 bytes, or it makes text whose tokens white space separates, or it makes the tokens themselves. Names,
defaults and signatures are sacreBLEU 2.6.0's.
"""

from __future__ import annotations

import os

from ..errors import ArgumentValueError, did_you_mean, wrong_type
from ._characters import character_class
from ._tokenize import (
    TOKENIZE_13A,
    TOKENIZE_CHAR,
    TOKENIZE_INTL,
    TOKENIZE_NONE,
    TOKENIZE_V11,
    TOKENIZE_ZH,
)
from .languages import advice_against, tokenizer_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    #: Makes of each text one whose tokens white space separates; the number is how many threads may work.
    ToTexts: TypeAlias = Callable[[list[Any], int], list[str]]


def _mecab(name: str) -> tuple[str, ToTexts]:
    from .mecab import load_mecab

    return load_mecab(name)


def _sentencepiece(name: str) -> tuple[str, ToTexts]:
    from .sentencepiece import load_sacrebleus_model

    return load_sacrebleus_model(name)


#: sacreBLEU's warning for `tokenize="spm"`.
RENAMED_SPM = "Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future."

#: sacreBLEU's tokenizers by name, in its order: the kernel's number of a compiled one, whose signature is its name, or
#: a function that loads another one (its signature, and texts to texts).
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

NAMES = tuple(_TOKENIZERS)

#: Tokenizers that split words at spaces only; "none" leaves that to others.
SPLIT_AT_SPACES = ("13a", "intl")

#: The classes of \p{P} and \\p{N} in `character_class`.
PUNCTUATION, NUMBER = 1, 2

#: Lines that a tokenizer of sacreBLEU remembers. Ours remember at least as many, and at most twice as many.
_LINES_REMEMBERED = 1 << 16

#: The kernel's number of each compiled tokenizer.
COMPILED = {name: made for name, made in _TOKENIZERS.items() if isinstance(made, int)}


class Tokenizer:
    """A tokenizer ready for use; exactly one of `compiled`, `to_text` and `to_tokens` is not None.

    It may be used from several threads, and pickles as what it was made from: the name, the model's path, the callable.

    Attributes:
        name: The name or path asked for, or the callable's qualified name.
        signature: What the score's signature says of it.
        compiled: The kernel's number, a value of `COMPILED`.
        to_text: Text to text in which white space separates the tokens.
        to_tokens: Text to tokens, taken as they are.
        is_sacrebleus: Whether sacreBLEU has this tokenizer under this name.
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
        """Tokenize a line: its tokens, joined by spaces.

        Args:
            line: The text.

        Returns:
            What sacreBLEU's tokenizer of that name makes of it, with one space between tokens.
        """
        if self.compiled is not None:
            from ._tokenize import tokenize

            return " ".join(tokenize(line, self.compiled))
        if self.to_text is not None:
            return " ".join(self.to_text(line.rstrip()).split())
        return " ".join(map(str, self.to_tokens(line.rstrip()))) if self.to_tokens is not None else line

    def to_texts(self, texts: list[str | None], threads: int = 1) -> list[Any]:
        """Apply `to_text`, which is not None, to each text.

        Args:
            texts: The texts, or None, which stays.
            threads: How many threads may work at the same time.

        Returns:
            What it makes of each.
        """
        function: Any = self.to_text
        if isinstance(function, _Remembering):
            return function.many(texts, threads)
        return [None if text is None else function(text) for text in texts]

    def __reduce__(self) -> tuple[Any, ...]:
        return _build, (self._source,)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"


#: The compiled tokenizers by name; nothing changes in them.
_compiled = {name: Tokenizer(name, name, source=name, compiled=number) for name, number in COMPILED.items()}

#: 13a without removing, joining and unescaping first. `get_tokenizer` does not know its name: it is for `compat` alone.
MTEVAL_V11 = Tokenizer("v11", "v11", source="v11", compiled=TOKENIZE_V11)


def unstripped_13a(text: str) -> str:
    """Protect white space at the end of a text from being stripped, for peers whose 13a does not strip.

    That white space changes the tokens only if the text has a line break. 13a removes "<skipped>" first, so that none
    of its other rules sees it.
    """
    return f"{text}<skipped>" if "\n" in text else text


def unstripped_intl(text: str) -> str:
    """Let a text whose end is stripped have the tokens that it has unstripped, for peers whose intl does not strip.

    White space at the end separates a number from a single mark after it, as any other character there does.

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
    """Log a warning by fastbleu's logger."""
    from logging import getLogger

    getLogger("fastbleu").warning(message)


def get_tokenizer(
    tokenize: str | os.PathLike[str] | Callable[[str], Sequence[Hashable]] | None,
    trg_lang: str = "",
    log: Callable[[str], object] = log_warning,
) -> Tokenizer:
    """Find the tokenizer that a user asks for.

    Args:
        tokenize: A name in `NAMES`; the path of a SentencePiece model (a path object, or a str that ends in ".model" or
            has a directory in it); a callable from text to tokens; or None for the language's default.
        trg_lang: The language of the segments, such as "ja"; "" if unknown.
        log: Called with each of sacreBLEU's warnings about this choice.

    Returns:
        The tokenizer, loaded.

    Raises:
        TypeError: `tokenize` is none of these.
        ValueError: An unknown name, or a file that is not a SentencePiece model.
        ImportError: The tokenizer's packages are not installed; the message says which extra brings them.
        FileNotFoundError: The model is not there; the message says where it is looked for.
        RuntimeError: MeCab has another dictionary than the one that defines the scores.

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
                raise _unknown(tokenize)
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
    """Make a tokenizer of a name, an absolute path or a callable; also what unpickling calls."""
    if not isinstance(source, str):
        name = getattr(source, "__qualname__", type(source).__qualname__)
        # The signature's own separators must not occur in a field.
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
    return Tokenizer(source, signature, source=source, to_text=_Remembering(to_texts))


class _Remembering:
    """A third party's tokenizer that remembers its latest lines for as long as somebody holds it, as sacreBLEU's do.

    References come again with each system that is scored, and the tokenizer takes longer than the score.

    Args:
        to_texts: The tokenizer.
    """

    def __init__(self, to_texts: ToTexts) -> None:
        self._to_texts = to_texts
        # When the first is full it becomes the second. Of that, lines which come again are kept.
        self._latest: dict[Any, Any] = {None: None}
        self._before: dict[Any, Any] = {}

    def __call__(self, text: str) -> str:
        made: str = self.many([text], 1)[0]
        return made

    def many(self, texts: list[str | None], threads: int) -> list[Any]:
        """Tokenize texts, those that are new in one call; None stays."""
        latest, before = self._latest, self._before  # another thread may exchange them
        new = [text for text in dict.fromkeys(texts) if text not in latest]
        if before:
            latest.update((text, before[text]) for text in new if text in before)
            new = [text for text in new if text not in latest]
        if new:
            latest.update(zip(new, self._to_texts(new, threads), strict=True))
        found = list(map(latest.__getitem__, texts))
        if len(latest) > _LINES_REMEMBERED:
            self._latest, self._before = {None: None}, latest
        return found


def _unknown(name: str) -> ArgumentValueError:
    """Return the error for an unknown name, with the likeliest one meant."""
    meant = did_you_mean(name, NAMES)
    known = f"choose one of {', '.join(NAMES)}, or the path of a SentencePiece model"
    return ArgumentValueError("tokenize", f"{name!r} is unknown{meant}; {known}", value=name)
