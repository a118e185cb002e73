"""Languages whose words no white space separates, and their tokenizers; 13a serves all others."""

from __future__ import annotations

from ..errors import ArgumentValueError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from .language_codes import Language

    #: Who chooses the tokenizer of a language.
    Policy: TypeAlias = Literal["sacrebleu", "wmt", "flores"]

#: By language code: the tokenizer, and what to call the language.
_TOKENIZERS = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}

#: Every policy by name. WMT does what sacreBLEU does: the automatic evaluation of its general task of 2023 has
#: the signatures tok:zh for en-zh, tok:ja-mecab-0.996-IPA for en-ja and tok:13a for all others
#: (wmt-conference/wmt23-news-systems, scores/autoWMT23.tex at a39c826).
POLICIES = ("sacrebleu", "wmt", "flores")

#: Scripts without spaces between words.
_UNSPACED_SCRIPTS = frozenset(
    {"Hani", "Hans", "Hant", "Jpan", "Khmr", "Laoo", "Mymr", "Thai", "Tibt", "Tale", "Lana"}
)

#: The script of languages that are written so, and for which sacreBLEU has no tokenizer.
_UNSPACED_LANGUAGES = {"bo": "Tibt", "dz": "Tibt", "km": "Khmr", "lo": "Laoo", "my": "Mymr", "th": "Thai"}


def tokenizer_for(language: str) -> str:
    """Returns the name of sacreBLEU's default tokenizer of a language code, such as "ja"; "" for no language."""
    return _TOKENIZERS.get(language, ("13a", ""))[0]


def advice_against(tokenize: str, language: str) -> str | None:
    """Return sacreBLEU's advice when a language is not tokenized as its own; None where it has none."""
    default, name = _TOKENIZERS.get(language, (tokenize, ""))
    return None if tokenize == default else f"Consider using the {default!r} or 'spm' tokenizer for {name}."


def choose_tokenizer(code: object, policy: Policy = "sacrebleu") -> tuple[Language, str]:
    """Choose the tokenizer of a language.

    Args:
        code: What `language_of` takes.
        policy: Who chooses; see `BLEU.for_language`.

    Returns:
        The language, and the tokenizer's name.

    Raises:
        TypeError: The code is not a str.
        ValueError: The code is unknown, or the policy.
        ImportError: The code can only be looked up with the extra "languages".

    Example:
        >>> choose_tokenizer("zho_Hans")
        (Language(code='zh', script='Hans'), 'zh')
        >>> choose_tokenizer("cs-uk")[1], choose_tokenizer("en-ja", "flores")[1]
        ('13a', 'flores200')
    """
    if policy not in POLICIES:
        raise ArgumentValueError(
            "policy", f"must be one of {', '.join(POLICIES)}, not {policy!r}", value=policy
        )
    from .language_codes import language_of

    language = language_of(code)
    if policy == "flores":
        return language, "flores200"
    return language, tokenizer_for(_tokenized_as(language))


def _tokenized_as(language: Language) -> str:
    """The language that sacreBLEU knows and this one is, or is written as; else its own code."""
    from .language_codes import CHINESE, SCRIPTS

    code = "zh" if language.code in CHINESE else language.code
    return "" if language.script and language.script not in SCRIPTS.get(code, {language.script}) else code


def advice_for(language: Language, tokenize: str) -> str | None:
    """Return advice for a tokenizer that looks for spaces in a language that has none between words; None otherwise."""
    script = language.script or _UNSPACED_LANGUAGES.get(language.code, "")
    if tokenize != "13a" or script not in _UNSPACED_SCRIPTS:
        return None
    return (
        f"The language {language.code!r} is written without spaces between words, and sacreBLEU has no tokenizer for "
        "it: 13a takes a whole phrase as one word. Consider tokenize='flores200' or 'char'."
    )


def meant_by(trg_lang: str) -> str | None:
    """The language that sacreBLEU has a tokenizer for and that a code means which it does not know; None otherwise.

    Example:
        >>> meant_by("zho_Hans"), meant_by("ja-JP"), meant_by("zh"), meant_by("de")
        ('zh', 'ja', None, None)
    """
    if not trg_lang or trg_lang in _TOKENIZERS:
        return None
    from .language_codes import parse

    found = parse(trg_lang)
    code = "" if found is None else _tokenized_as(found)
    return code if code in _TOKENIZERS else None
