"""Parse language codes, and choose the tokenizer of a language by the convention of sacreBLEU or of FLORES."""

from __future__ import annotations

from collections import namedtuple

from ..errors import ArgumentValueError, show, wrong_type
from ..options import check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    #: The convention that determines the tokenizer of a language.
    Policy: TypeAlias = Literal["sacrebleu", "flores"]

#: All policies. WMT's automatic scores use "sacrebleu".
POLICIES = ("sacrebleu", "flores")

#: The tokenizer and the name of each language for which sacreBLEU has a special tokenizer, by language code.
_TOKENIZERS = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}

#: The three-letter codes of Chinese, and of the languages that ISO 639-3 includes in it.
_CHINESE = (
    "zho", "chi", "cdo", "cjy", "cmn", "cnp", "cpx", "csp", "czh", "czo", "gan", "hak", "hnm", "hsn", "luh", "lzh",
    "mnp", "nan", "sjc", "wuu", "yue",
)  # fmt: skip

#: The two-letter codes of the languages in `_TOKENIZERS`, by three-letter code.
_THREE_LETTERS = {"jpn": "ja", "kor": "ko", **dict.fromkeys(_CHINESE, "zh")}

#: All codes of ISO 639-1, to which no codes are added any more, and the codes bh, in, iw, ji, jw and mo, which were
#: withdrawn but are still in use. Each string has a first letter, and all second letters that form a code with it.
_TWO_LETTERS = frozenset(
    first + second
    for row in (
        "a abefkmnrsvyz", "b aeghimnors", "c aehorsuvy", "d aevz", "e elnostu", "f afijory", "g adlnuv", "h aeiortuyz",
        "i adegiknostuw", "j aivw", "k agijklmnorsuvwy", "l abginotuv", "m ghiklnorsty", "n abdeglnorvy", "o cjmrs",
        "p ailst", "q u", "r mnouw", "s acdeghiklmnoqrstuvw", "t aeghiklnorstwy", "u gkrz", "v eio", "w ao", "x h",
        "y io", "z ahu",
    )
    for first, seconds in [row.split()]
    for second in seconds
)  # fmt: skip

#: The scripts of FLORES-200, by their ISO 15924 codes. Any three-letter language code is accepted with these scripts.
_FLORES_SCRIPTS = frozenset(
    {
        "Arab", "Armn", "Beng", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hang", "Hans", "Hant", "Hebr",
        "Jpan", "Khmr", "Knda", "Laoo", "Latn", "Mlym", "Mymr", "Olck", "Orya", "Sinh", "Taml", "Telu", "Tfng", "Thai",
        "Tibt",
    }
)  # fmt: skip

#: For each language in `_TOKENIZERS`, the scripts for which its tokenizer is made, as ISO 15924 codes. "Trad" is not
#: such a code, but FLORES-101 uses it.
_SCRIPTS = {
    "zh": {"Hanb", "Hani", "Hans", "Hant", "Trad"},
    "ja": {"Hani", "Hira", "Hrkt", "Jpan", "Kana"},
    "ko": {"Hang", "Hani", "Kore"},
}

#: Other scripts in which the languages in `_TOKENIZERS` are written. Text in these scripts is tokenized by 13a.
_OTHER_SCRIPTS = {"Arab", "Bopo", "Brai", "Cyrl", "Latn"}

#: For each language, the regions whose codes are also language codes: "zh-tw" is Chinese in Taiwan, although "tw" is
#: Twi.
_REGIONS = {"zh": {"cn", "hk", "mo", "my", "sg", "tw"}, "ja": {"jp"}, "ko": {"kp", "kr"}}

#: A description of the accepted language codes, for error messages.
_FORMS = "a code of two letters ('zh'), of FLORES-200 ('zho_Hans'), a tag ('zh-CN') or a pair ('en-zh')"


_LanguageFields = namedtuple("_LanguageFields", ("code", "script"))  # noqa: PYI024  # importing typing takes time


class Language(_LanguageFields):
    """A language and, if known, the script in which it is written.

    Attributes:
        code: Two letters of ISO 639-1, or three letters of ISO 639-3.
        script: Four letters of ISO 15924, or "" if the script is unknown.
    """

    __slots__ = ()
    code: str
    script: str


def parse(code: str) -> Language | None:
    """Parse a language code, such as "zh", "zho_Hans", "zh-CN" or "en-zh"; return None if it is not one.

    For a pair, return the second language. Case matters only for two letters that may be a language or a region:
    "en-th" is the pair English to Thai, and "en-TH" is English in Thailand.

    Example:
        >>> parse("jpn_Jpan"), parse("en-zh"), parse("deu_Latn"), parse("English")
        (Language(code='ja', script='Jpan'), Language(code='zh', script=''), Language(code='deu', script='Latn'), None)
    """
    subtags = code.replace("---", "-").replace("_", "-").split("-")
    source = subtags[0].lower()
    if not all(each.isascii() and each.isalnum() for each in subtags):
        return None
    if source not in _TWO_LETTERS and not (len(source) == 3 and source.isalpha()):
        return None
    target = 0
    for i, subtag in enumerate(subtags[1:], 1):
        if len(subtag) == 1:  # An extension or a part for private use begins here, which has no language.
            break
        if _is_target(source, subtag):
            target = i
    base = subtags[target].lower()
    base = _THREE_LETTERS.get(base, base)
    script = next(
        (each.capitalize() for each in subtags[target + 1 :] if len(each) == 4 and each.isalpha()), ""
    )
    is_known = base in _TWO_LETTERS or (len(base) == 3 and script in _FLORES_SCRIPTS)
    if base in _TOKENIZERS and script not in {"", *_SCRIPTS[base], *_OTHER_SCRIPTS}:
        return None
    return Language(base, script) if is_known else None


def _is_target(source: str, subtag: str) -> bool:
    """Return whether a subtag after the language `source` is a target language, not a script, region or variant."""
    lower = subtag.lower()
    if len(subtag) == 3:
        return subtag.isalpha()
    if lower in _TOKENIZERS:
        return True
    return (
        subtag.islower()
        and lower in _TWO_LETTERS
        and lower not in _REGIONS.get(_THREE_LETTERS.get(source, source), ())
    )


def tokenizer_for(language: str) -> str:
    """Return sacreBLEU's default tokenizer for a language: a special one for "zh", "ja" and "ko", otherwise 13a."""
    return _TOKENIZERS.get(language, ("13a", ""))[0]


def advice_against(tokenize: str, language: str) -> str | None:
    """Return sacreBLEU's warning if `tokenize` is not a language's default tokenizer; None if no warning is needed."""
    default, name = _TOKENIZERS.get(language, (tokenize, ""))
    return None if tokenize == default else f"Consider using the {default!r} or 'spm' tokenizer for {name}."


def choose_tokenizer(code: object, policy: Policy = "sacrebleu") -> tuple[Language, str]:
    """Choose the tokenizer of a language.

    Args:
        code: A language code in one of the formats of `parse`.
        policy: The convention that determines the tokenizer; see `BLEU.for_language`.

    Returns:
        The language and the name of the tokenizer.

    Raises:
        TypeError: The code is not a str.
        ValueError: The code or the policy is unknown.

    Example:
        >>> choose_tokenizer("zho_Hans")
        (Language(code='zh', script='Hans'), 'zh')
        >>> choose_tokenizer("cs-uk")[1], choose_tokenizer("en-ja", "flores")[1]
        ('13a', 'flores200')
    """
    check_choice("policy", policy, POLICIES)
    if not isinstance(code, str):
        raise wrong_type("code", "a str", code)
    language = parse(code)
    if language is None:
        raise _unknown(code)
    return language, "flores200" if policy == "flores" else tokenizer_for(_tokenized_as(language))


def _tokenized_as(language: Language) -> str:
    """Return the code of a language, or "" if the language's tokenizer is not made for its script."""
    scripts = _SCRIPTS.get(language.code, {language.script})
    return "" if language.script and language.script not in scripts else language.code


def _unknown(code: str) -> ArgumentValueError:
    """Make the error for an unknown language code, with a similar code as a suggestion if there is one."""
    from difflib import get_close_matches

    from .names import NAMES

    names = {name.lower(): language for language, (_, name) in _TOKENIZERS.items()}
    base = code[:100].strip().lower().replace("_", "-").partition("-")[0]
    close = get_close_matches(base, names, n=1) if len(base) > 3 else []
    meant = _THREE_LETTERS.get(base) or (names[close[0]] if close else base if base in _TWO_LETTERS else "")
    hint = f" (did you mean {meant!r}?)" if meant else ""
    message = (
        f"is {show(code)}, which is not a known language code{hint}; give {_FORMS}, or choose a tokenizer: "
        f"BLEU(tokenize=...) takes {', '.join(NAMES)}"
    )
    return ArgumentValueError("code", message, value=code)


def meant_by(trg_lang: str) -> str | None:
    """Return the code by which sacreBLEU knows a language, given a code that sacreBLEU does not know.

    Return None if sacreBLEU knows the code, or has no special tokenizer for its language.

    Example:
        >>> meant_by("zho_Hans"), meant_by("ja-JP"), meant_by("zh"), meant_by("de")
        ('zh', 'ja', None, None)
    """
    if not trg_lang or trg_lang in _TOKENIZERS:
        return None
    language = parse(trg_lang)
    code = "" if language is None else _tokenized_as(language)
    return code if code in _TOKENIZERS else None
