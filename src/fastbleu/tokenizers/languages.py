"""Languages: what a code means, and the tokenizer of its language; 13a serves all that have spaces between words."""

from __future__ import annotations

from collections import namedtuple

from ..errors import ArgumentValueError, show, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    #: Who chooses the tokenizer of a language.
    Policy: TypeAlias = Literal["sacrebleu", "flores"]

#: Every policy by name. WMT's automatic scores have sacreBLEU's tokenizers.
POLICIES = ("sacrebleu", "flores")

#: The languages that sacreBLEU has a tokenizer for: the tokenizer, and the language's name.
_TOKENIZERS = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}

#: The codes of three letters of Chinese, and of the languages that ISO 639-3 counts as parts of it.
_CHINESE = (
    "zho", "chi", "cdo", "cjy", "cmn", "cnp", "cpx", "csp", "czh", "czo", "gan", "hak", "hnm", "hsn", "luh", "lzh",
    "mnp", "nan", "sjc", "wuu", "yue",
)  # fmt: skip

#: Codes of three letters that mean these languages.
_THREE_LETTERS = {"jpn": "ja", "kor": "ko", **dict.fromkeys(_CHINESE, "zh")}

#: All codes of ISO 639-1, to which none will be added, and bh, in, iw, ji, jw and mo, which were withdrawn but are in
#: use. In rows by their first letters.
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

#: The scripts of FLORES-200 (ISO 15924). With one of them, any code of three letters will do.
_OF_FLORES = frozenset(
    {
        "Arab", "Armn", "Beng", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hang", "Hans", "Hant", "Hebr",
        "Jpan", "Khmr", "Knda", "Laoo", "Latn", "Mlym", "Mymr", "Olck", "Orya", "Sinh", "Taml", "Telu", "Tfng", "Thai",
        "Tibt",
    }
)  # fmt: skip

#: The scripts that the tokenizers of languages are for (ISO 15924); "Trad" is FLORES-101's.
_SCRIPTS = {
    "zh": {"Hanb", "Hani", "Hans", "Hant", "Trad"},
    "ja": {"Hani", "Hira", "Hrkt", "Jpan", "Kana"},
    "ko": {"Hang", "Hani", "Kore"},
}

#: Other scripts that these languages are written in; 13a serves them.
_OTHER_SCRIPTS = {"Arab", "Bopo", "Brai", "Cyrl", "Latn"}

#: Regions of these languages whose code also means a language: "zh-tw" is Chinese in Taiwan, though tw is also Twi.
_REGIONS = {"zh": {"cn", "hk", "mo", "my", "sg", "tw"}, "ja": {"jp"}, "ko": {"kp", "kr"}}

#: Scripts without spaces between words, and languages that are written in them and have no tokenizer in sacreBLEU.
_UNSPACED_SCRIPTS = frozenset({"Hani", "Hans", "Hant", "Jpan", "Khmr", "Laoo", "Mymr", "Thai", "Tibt"})
_UNSPACED_LANGUAGES = frozenset({"bo", "dz", "km", "lo", "my", "th"})

#: What a code may look like.
_FORMS = "a code of two letters ('zh'), of FLORES-200 ('zho_Hans'), a tag ('zh-CN') or a pair ('en-zh')"


_LanguageFields = namedtuple("_LanguageFields", ("code", "script"))  # noqa: PYI024  # importing typing takes time


class Language(_LanguageFields):
    """A language.

    Attributes:
        code: Two letters of ISO 639-1, or three of ISO 639-3.
        script: The four letters of ISO 15924, "" where the code names no script.
    """

    __slots__ = ()
    code: str
    script: str


def parse(code: str) -> Language | None:
    """Find the language that a code means; None if it has none of the forms that are known.

    Case does not matter, but for two letters that may be a region or a language: "en-th" is the pair English to Thai,
    and "en-TH" English in Thailand.

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
        if len(subtag) == 1:  # An extension or private use, which names no language.
            break
        if _is_target(source, subtag):
            target = i
    base = subtags[target].lower()
    base = _THREE_LETTERS.get(base, base)
    script = next(
        (each.capitalize() for each in subtags[target + 1 :] if len(each) == 4 and each.isalpha()), ""
    )
    is_known = base in _TWO_LETTERS or (len(base) == 3 and script in _OF_FLORES)
    if base in _TOKENIZERS and script not in {"", *_SCRIPTS[base], *_OTHER_SCRIPTS}:
        return None
    return Language(base, script) if is_known else None


def _is_target(source: str, subtag: str) -> bool:
    """Return whether a subtag after the language `source` is another language, not a script, region or variant."""
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
    """Return the name of sacreBLEU's default tokenizer of a language code, such as "ja"; "" for no language."""
    return _TOKENIZERS.get(language, ("13a", ""))[0]


def advice_against(tokenize: str, language: str) -> str | None:
    """Return sacreBLEU's advice when a language is not tokenized as its own; None where it has none."""
    default, name = _TOKENIZERS.get(language, (tokenize, ""))
    return None if tokenize == default else f"Consider using the {default!r} or 'spm' tokenizer for {name}."


def choose_tokenizer(code: object, policy: Policy = "sacrebleu") -> tuple[Language, str]:
    """Choose the tokenizer of a language.

    Args:
        code: What `parse` takes.
        policy: Who chooses; see `BLEU.for_language`.

    Returns:
        The language, and the tokenizer's name.

    Raises:
        TypeError: The code is not a str.
        ValueError: The code is unknown, or the policy.

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
    if not isinstance(code, str):
        raise wrong_type("code", "a str", code)
    language = parse(code)
    if language is None:
        raise _unknown(code)
    return language, "flores200" if policy == "flores" else tokenizer_for(_tokenized_as(language))


def _tokenized_as(language: Language) -> str:
    """Return the code of a language, "" if it is written in another script than the tokenizer of its code is for."""
    scripts = _SCRIPTS.get(language.code, {language.script})
    return "" if language.script and language.script not in scripts else language.code


def _unknown(code: str) -> ArgumentValueError:
    """Word the error for a code that is none, with the code that may be meant."""
    from difflib import get_close_matches

    from .names import NAMES

    names = {name.lower(): language for language, (_, name) in _TOKENIZERS.items()}
    base = code[:100].strip().lower().replace("_", "-").partition("-")[0]
    close = get_close_matches(base, names, n=1) if len(base) > 3 else []
    meant = _THREE_LETTERS.get(base) or (names[close[0]] if close else base if base in _TWO_LETTERS else "")
    hint = f" (did you mean {meant!r}?)" if meant else ""
    message = (
        f"is {show(code)}, which is not a code that is known here{hint}; give {_FORMS}, or choose a tokenizer: "
        f"BLEU(tokenize=...) takes {', '.join(NAMES)}"
    )
    return ArgumentValueError("code", message, value=code)


def advice_for(language: Language, tokenize: str) -> str | None:
    """Return advice for a tokenizer that looks for spaces in a language that has none between words; None otherwise."""
    unspaced = language.script in _UNSPACED_SCRIPTS or (
        not language.script and language.code in _UNSPACED_LANGUAGES
    )
    if tokenize != "13a" or not unspaced:
        return None
    return (
        f"The language {language.code!r} is written without spaces between words, and sacreBLEU has no tokenizer for "
        "it: 13a takes a whole phrase as one word. Consider tokenize='flores200' or 'char'."
    )


def meant_by(trg_lang: str) -> str | None:
    """Return the language that sacreBLEU has a tokenizer for and that a code means which it does not know, or None.

    Example:
        >>> meant_by("zho_Hans"), meant_by("ja-JP"), meant_by("zh"), meant_by("de")
        ('zh', 'ja', None, None)
    """
    if not trg_lang or trg_lang in _TOKENIZERS:
        return None
    found = parse(trg_lang)
    code = "" if found is None else _tokenized_as(found)
    return code if code in _TOKENIZERS else None
