"""Which language a code means: of ISO 639, of FLORES-200, a tag such as "zh-CN", or the target of a pair."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from ..errors import ArgumentValueError, show, wrong_type

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

#: Languages of WMT's pairs that have no code of two letters, so that no pair of WMT needs the extra.
_OF_WMT = frozenset({"bho", "dsb", "ekk", "hsb", "lij", "liv", "lld", "mas", "sah", "sme"})

#: The languages of which ISO 639-3 says that "zho", Chinese, comprises them; and a part of the tag "zh-min-nan".
CHINESE = frozenset(
    {
        "cdo", "cjy", "cmn", "cnp", "cpx", "csp", "czh", "czo", "gan", "hak", "hnm", "hsn", "luh", "lzh", "mnp", "nan",
        "sjc", "wuu", "yue",
    }
)  # fmt: skip
_INSIDE_CHINESE = CHINESE | {"min"}

#: Codes of three letters that need no look-up, because sacreBLEU has a tokenizer for their languages.
_THREE_LETTERS = {"zho": "zh", "chi": "zh", "cmn": "zh", "jpn": "ja", "kor": "ko"}

#: Names that are given for codes; the extra knows all others.
_NAMES = {"chinese": "zh", "mandarin": "zh", "cantonese": "yue", "japanese": "ja", "korean": "ko"}

#: Where these languages are at home: "zh-tw" is Chinese in Taiwan, though tw is also the language Twi.
_REGIONS = {
    "bo": {"cn"},
    "ja": {"jp"},
    "km": {"kh"},
    "ko": {"kp", "kr"},
    "lo": {"la"},
    "my": {"mm"},
    "th": {"th"},
    "zh": {"cn", "hk", "mo", "my", "sg", "tw"},
}

#: Codes that mean languages and never regions, in capitals too.
_NO_REGIONS = {"zh", "ja", "ko"}

#: The scripts of languages that sacreBLEU has a tokenizer for (ISO 15924); "Trad" is FLORES-101's.
SCRIPTS = {
    "zh": {"Hanb", "Hani", "Hans", "Hant", "Trad"},
    "ja": {"Hani", "Hira", "Hrkt", "Jpan", "Kana"},
    "ko": {"Hang", "Hani", "Kore"},
}

#: Scripts that they are written in besides.
_OTHER_SCRIPTS = {"Arab", "Bopo", "Brai", "Cyrl", "Latn"}

#: Codes of ISO 639 that mean no language: several, an unknown one, none.
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx"})

#: Scripts with which a code needs no look-up, since they decide the tokenizer: those of FLORES-200 (ISO 15924).
_OF_FLORES = frozenset(
    {
        "Arab", "Armn", "Beng", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Gujr", "Guru", "Hang", "Hans", "Hant", "Hebr",
        "Jpan", "Khmr", "Knda", "Laoo", "Latn", "Mlym", "Mymr", "Olck", "Orya", "Sinh", "Taml", "Telu", "Tfng", "Thai",
        "Tibt",
    }
)  # fmt: skip

#: What a code may look like.
FORMS = "a code of ISO 639 ('zh', 'zho'), of FLORES-200 ('zho_Hans'), a tag ('zh-CN') or a pair ('en-zh')"

#: Characters of the longest code for which one that may have been meant is looked up: the time grows with their square.
_LONGEST_CODE = 100


class Language(NamedTuple):
    """A language.

    Attributes:
        code: The two letters of ISO 639-1 where there are any, else the three of ISO 639-3.
        script: The four letters of ISO 15924, "" where the code names no script.
    """

    code: str
    script: str


def language_of(code: object, name: str = "code") -> Language:
    """Find the language that a code means.

    Args:
        code: A code of ISO 639-1, -2 (both kinds) or -3; with a script, a region or more after it, as in FLORES-200 or
            BCP 47; or a pair of them, of which the second counts. Case does not matter, but for two letters that may be
            a region or a language: "en-th" is the pair English to Thai, and "en-TH" English in Thailand.
        name: What errors call it.

    Raises:
        TypeError: It is not a str.
        ValueError: It is not a code, or does not mean a single language.
        ImportError: Only the extra "languages" knows codes of three letters.

    Example:
        >>> language_of("zho_Hans"), language_of("zh-CN"), language_of("en-zh")
        (Language(code='zh', script='Hans'), Language(code='zh', script=''), Language(code='zh', script=''))
    """
    if not isinstance(code, str):
        raise wrong_type(name, "a str", code)
    found = parse(code)
    if found is None:
        raise _unknown(name, code)
    if len(found.code) == 3 and found.code not in CHINESE:
        found = Language(_look_up(found, name, code), found.script)
    scripts = SCRIPTS.get("zh" if found.code in CHINESE else found.code)
    if scripts is not None and found.script not in {"", *scripts, *_OTHER_SCRIPTS}:
        known = ", ".join(sorted(scripts))
        message = f"is {show(code)}, whose script {found.script!r} is none of {known}"
        raise ArgumentValueError(name, message, value=code)
    return found


def parse(code: str) -> Language | None:
    """Take a code apart, by its form alone: one of three letters may be none; None if it has no form of a code.

    Example:
        >>> parse("jpn_Jpan"), parse("en-zzz"), parse("English")
        (Language(code='ja', script='Jpan'), Language(code='zzz', script=''), None)
    """
    all_subtags = code.replace("---", "-").replace("_", "-").split("-")
    if not all(each.isascii() and each.isalnum() for each in all_subtags):
        return None
    subtags = _target(all_subtags)
    if not _may_be_language(all_subtags[0].lower()) or not _may_be_language(base := subtags[0].lower()):
        return None
    script = next((each.capitalize() for each in subtags[1:] if len(each) == 4 and each.isalpha()), "")
    if base in ("zh", "zho"):
        base = next((each.lower() for each in reversed(subtags[1:]) if each.lower() in CHINESE), base)
    return Language(_THREE_LETTERS.get(base, base), script)


def _may_be_language(base: str) -> bool:
    """Return whether this is a code of ISO 639-1, or has the form of one of three letters."""
    return base in _TWO_LETTERS or (len(base) == 3 and base.isalpha())


def _target(subtags: list[str]) -> list[str]:
    """Return the target of a pair; all subtags of anything else."""
    first = subtags[0].lower()
    for i, subtag in enumerate(subtags[1:], 1):
        if _begins_language(first, subtag):
            return subtags[i:]
        if len(subtag) == 1:  # an extension or private use: what follows is not a language
            break
    return subtags


def _begins_language(first: str, subtag: str) -> bool:
    """Return whether a subtag after the language `first` is another language, not a script, region or variant."""
    lower = subtag.lower()
    if not subtag.isalpha() or not 2 <= len(subtag) <= 3:
        return False
    if len(subtag) == 3:
        return not (first in ("zh", "zho") and lower in _INSIDE_CHINESE)
    if lower in _NO_REGIONS:
        return True
    return subtag.islower() and lower in _TWO_LETTERS and lower not in _REGIONS.get(first, ())


def _look_up(language: Language, name: str, code: str) -> str:
    """Checks a code of three letters as far as possible; the code of two letters, where it was needed to look it up.

    Raises:
        ValueError: There is no such language, or the code means none.
        ImportError: The extra is not installed, and neither WMT nor FLORES has the code.
    """
    base = language.code
    if base in _NO_LANGUAGE:
        raise ArgumentValueError(name, f"is {show(code)}, which means no language; give {FORMS}", value=code)
    is_known = base in _OF_WMT or language.script in _OF_FLORES
    if find_spec("langcodes") is None:
        if is_known:
            return base
        raise ImportError(
            f"{name}={code!r} can only be looked up with the module 'langcodes': "
            "pip install fastbleu-metric[languages], or give a code of two letters"
        )
    found = import_module("langcodes").Language.get(base)
    if not found.is_valid():
        raise _unknown(name, code)
    # With and without the module, the same.
    return base if is_known else str(found.language)


def _unknown(name: str, code: str) -> ArgumentValueError:
    """Words the error for a code that is none, with what may be meant."""
    from .names import NAMES

    meant = _meant(code.strip().lower()) if len(code) <= _LONGEST_CODE else []
    hint = f" (did you mean {' or '.join(map(repr, meant))}?)" if meant else ""
    message = (
        f"is {show(code)}, which is not a code of a language{hint}; give {FORMS}, or choose a tokenizer: "
    )
    return ArgumentValueError(name, f"{message}BLEU(tokenize=...) takes {', '.join(NAMES)}", value=code)


def _meant(given: str) -> list[str]:
    """Codes that may have been meant."""
    from difflib import get_close_matches

    base = given.replace("_", "-").partition("-")[0]
    for each in (given, base):
        if each in _TWO_LETTERS:
            return [each]
        if each in _NAMES or each in _THREE_LETTERS:
            return [_NAMES.get(each) or _THREE_LETTERS[each]]
    if len(base) > 3 and find_spec("langcodes") is not None and find_spec("language_data") is not None:
        try:
            return [str(import_module("langcodes").find(base).language)]
        except LookupError:
            pass
    known = [*sorted(_TWO_LETTERS), *_THREE_LETTERS] if len(base) < 4 else list(_NAMES)
    close = get_close_matches(base, known, n=3, cutoff=0.6)
    return [_NAMES.get(each, each) for each in close]
