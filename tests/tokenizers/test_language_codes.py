"""Meanings of language codes: codes of ISO 639, FLORES-200 and BCP 47, and pairs of WMT."""

from __future__ import annotations

from contextlib import suppress
from string import ascii_lowercase
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.errors import ArgumentTypeError, ArgumentValueError
from fastbleu.tokenizers import language_codes
from fastbleu.tokenizers.language_codes import CHINESE, Language, language_of, parse
from fastbleu.tokenizers.languages import choose_tokenizer

#: All 204: facebookresearch/flores, flores200/README.md at 3f26fb0, by their scripts.
FLORES_200 = {
    "Latn": "ace afr aka arb ast ayr azj bam ban bem bjn bos bug cat ceb ces cjk crh cym dan deu dik dyu eng epo est "
    "eus ewe fao fij fin fon fra fur fuv gla gle glg grn hat hau hrv hun ibo ilo ind isl ita jav kab kac kam "
    "knc kbp kea kik kin kmb kmr kon lij lim lin lit lmo ltg ltz lua lug luo lus lvs min plt mlt mos mri nld "
    "nno nob nso nus nya oci gaz pag pap pol por quy ron run sag scn slk slv smo sna som sot spa als srd ssw "
    "sun swe swh szl tgl taq tpi tsn tso tuk tum tur twi umb uzn vec vie war wol xho yor zsm zul",
    "Arab": "ace acm acq aeb ajp apc arb ars ary arz azb bjn ckb kas knc min pes prs pbt snd uig urd",
    "Cyrl": "bak bel bul kaz kir mkd khk rus srp tat tgk ukr",
    "Deva": "awa bho hin hne kas mag mai mar npi san",
    "Beng": "asm ben mni sat",
    "Ethi": "amh tir",
    "Tibt": "bod dzo",
    "Hebr": "heb ydd",
    "Mymr": "mya shn",
    "Tfng": "taq tzm",
    "Hant": "yue zho",
    "Grek": "ell", "Gujr": "guj", "Armn": "hye", "Jpan": "jpn", "Knda": "kan", "Geor": "kat", "Khmr": "khm",
    "Hang": "kor", "Laoo": "lao", "Mlym": "mal", "Orya": "ory", "Guru": "pan", "Sinh": "sin", "Taml": "tam",
    "Telu": "tel", "Thai": "tha", "Hans": "zho",
}  # fmt: skip
FLORES_CODES = [f"{code}_{script}" for script, codes in FLORES_200.items() for code in codes.split()]

#: The pairs of the news and general tasks. 2014 to 2024: the test sets of sacreBLEU 2.6.0; 2025: those of
#: google-research/mt-metrics-eval; 2026: wmt-conference/wmt26-general-mt, synthetic_references/direction_summary.csv at
#: f10b9ad. Also the tasks of 2020 to 2022 without parallel data: de-hsb, de-dsb.
WMT_PAIRS = (
    "bn-hi ces_Latn---deu_Latn ces_Latn---ukr_Cyrl ces_Latn---vie_Latn cs-de cs-de_DE cs-en cs-uk cs-uk_UA de-cs "
    "de-dsb de-en de-fr de-hsb dsb-de en-ar_EG en-bho en-bho_IN en-cs en-cs_CZ en-de en-es en-et en-et_EE en-fi en-fr "
    "en-gu en-ha en-he en-hi en-hr en-is en-is_IS en-it_IT en-iu en-ja en-ja_JP en-kk en-km en-ko_KR en-liv en-lt "
    "en-lv en-mas en-mas_KE en-pl en-ps en-ro en-ru en-ru_RU en-sr_Cyrl_RS en-ta en-tr en-uk en-uk_UA en-zh en-zh_CN "
    "eng_Latn---arz_Arab eng_Latn---bel_Cyrl eng_Latn---ekk_Latn eng_Latn---hye_Armn eng_Latn---ind_Latn "
    "eng_Latn---isl_Latn eng_Latn---jpn_Jpan eng_Latn---kaz_Cyrl eng_Latn---kor_Hang eng_Latn---lij_Latn "
    "eng_Latn---lld_Latn eng_Latn---rus_Cyrl eng_Latn---sme_Latn eng_Latn---tha_Thai eng_Latn---zho_Hans "
    "eng_Latn---zho_Hant_TW et-en fi-en fr-de fr-en gu-en ha-en he-en hi-bn hi-en hsb-de is-en iu-en ja-en ja-zh "
    "ja-zh_CN kk-en km-en liv-en lt-en lv-en pl-en ps-en ro-en ru-en ru-sah sah-ru ta-en tr-en uk-cs uk-en xh-zu zh-en "
    "zho_Hans---jpn_Jpan zu-xh"
)

TARGETS = dict.fromkeys(("zh", "zho", "yue"), "zh")
TARGETS |= dict.fromkeys(("ja", "jpn"), "ja-mecab") | dict.fromkeys(("ko", "kor"), "ko-mecab")


def test_every_code_of_flores_has_a_tokenizer() -> None:
    assert len(set(FLORES_CODES)) == 204
    for code in FLORES_CODES:
        expected = TARGETS.get(code[:3], "13a")
        assert choose_tokenizer(code)[1] == choose_tokenizer(code, "wmt")[1] == expected, code
        assert choose_tokenizer(code.replace("_", "-"))[1] == expected, code
        assert choose_tokenizer(code, "flores")[1] == "flores200", code
        assert language_of(code).script == code[4:], code


def test_the_target_of_every_pair_of_wmt_has_a_tokenizer() -> None:
    for pair in WMT_PAIRS.split():
        code = pair.replace("---", "-").split("-")[-1].partition("_")[0]
        assert language_of(pair).code == {"zho": "zh", "jpn": "ja", "kor": "ko"}.get(code, code), pair
        assert choose_tokenizer(pair)[1] == TARGETS.get(code, "13a"), pair
        assert choose_tokenizer(pair, "flores")[1] == "flores200", pair
    datasets = pytest.importorskip("sacrebleu.dataset").DATASETS
    assert all(set(datasets[f"wmt{year}"].langpairs) <= set(WMT_PAIRS.split()) for year in range(14, 25))


def test_codes_of_two_letters_need_no_package() -> None:
    codes = {first + second for first in ascii_lowercase for second in ascii_lowercase}
    found = {code for code in codes if parse(code) is not None}
    assert len(found) == 184 + 6
    assert {language_of(code).code for code in found} == found
    countries = pytest.importorskip("pycountry")
    assert {language.alpha_2 for language in countries.languages if hasattr(language, "alpha_2")} <= found


def test_codes_of_three_letters_are_looked_up() -> None:
    data = pytest.importorskip("langcodes.data_dicts")
    for two, three in [*data.LANGUAGE_ALPHA3.items(), *data.LANGUAGE_ALPHA3_BIBLIOGRAPHIC.items()]:
        if len(two) == 2 and parse(two) is not None:
            assert choose_tokenizer(three)[1] == choose_tokenizer(two)[1], three
            assert choose_tokenizer(three.upper()) == choose_tokenizer(three), three
    assert language_of("ger") == language_of("deu") == Language("de", "")
    assert language_of("ajp").code == "ajp"  # withdrawn from ISO 639-3 in 2023, and in FLORES-200


def test_every_code_of_iso_639_3_is_a_language_or_an_error() -> None:
    pytest.importorskip("langcodes")
    countries = pytest.importorskip("pycountry")
    unknown = set()
    for language in countries.languages:
        with suppress(ArgumentValueError):
            choose_tokenizer(language.alpha_3)
            continue
        unknown.add(language.alpha_3)
    # Assigned since the registry of langcodes 3.5.1 (2021), or no language.
    assert len(unknown) < 100
    assert {"mis", "mul", "und", "zxx"} <= unknown


def test_without_the_package_a_code_of_three_letters_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_codes, "find_spec", lambda _: None)
    message = r"^code='deu' can only be looked up .* pip install fastbleu-metric\[languages\], or give"
    with pytest.raises(ImportError, match=message):
        BLEU.for_language("deu")
    # These need no look-up.
    for code in [*FLORES_CODES, *CHINESE, *WMT_PAIRS.split(), "chi", "zho", "jpn", "kor"]:
        language_of(code)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("zh", ("zh", "")), ("ZH", ("zh", "")), ("zho", ("zh", "")), ("chi", ("zh", "")), ("cmn", ("zh", "")),
        ("zh-CN", ("zh", "")), ("zh_TW", ("zh", "")), ("zh-tw", ("zh", "")), ("zh-sg", ("zh", "")),
        ("zh-Hans-CN", ("zh", "Hans")), ("zho_hant", ("zh", "Hant")), ("zh-yue", ("yue", "")),
        ("zh-cmn-Hans", ("zh", "Hans")), ("zh-min-nan", ("nan", "")), ("zh_classical", ("zh", "")),
        ("zho_simpl", ("zh", "")), ("zho_trad", ("zh", "Trad")), ("zh-u-co-pinyin", ("zh", "")),
        ("zh-x-en", ("zh", "")), ("yue_Hant", ("yue", "Hant")), ("wuu", ("wuu", "")), ("ja_XX", ("ja", "")),
        ("ja-JP", ("ja", "")), ("ko-kr", ("ko", "")), ("ko_KR", ("ko", "")), ("en-zh", ("zh", "")),
        ("EN-ZH", ("zh", "")), ("zh-en", ("en", "")), ("zh-de", ("de", "")), ("en_zh", ("zh", "")),
        ("de-zh-Hant", ("zh", "Hant")), ("en-th", ("th", "")), ("en-TH", ("en", "")), ("th-th", ("th", "")),
        ("es-419", ("es", "")), ("cmn_Latn", ("zh", "Latn")),
        ("sr-Latn-RS", ("sr", "Latn")), ("pt-BR", ("pt", "")), ("iw", ("iw", "")),
    ],
)  # fmt: skip
def test_forms_of_codes(code: str, expected: tuple[str, str]) -> None:
    assert language_of(code) == expected


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("", ""), (" zh", "'zh'"), ("zh ", "'zh'"), ("xx", ""), ("zh-", "'zh'"), ("-zh", ""), ("xx-zh", ""),
        ("Chinese", "'zh'"),
        ("chinese", "'zh'"), ("Cantonese", "'yue'"), ("z", ""), ("zh.UTF-8", ""), ("12", ""), ("中文", ""),
        ("zho_\u0660bcd", "'zh'"), ("en zh", ""), ("en-", "'en'"), ("a" * 1000, ""), ("japanes", "'ja'"),
    ],
)  # fmt: skip
def test_what_is_no_code_is_refused_with_the_choices(code: str, meant: str) -> None:
    with pytest.raises(ArgumentValueError, match=r"^code is .*, which is not a code of a language") as caught:
        BLEU.for_language(code)
    message = str(caught.value)
    assert "ISO 639 ('zh', 'zho'), of FLORES-200 ('zho_Hans')" in message
    assert "BLEU(tokenize=...) takes none, zh, 13a" in message
    assert f"(did you mean {meant}?)" in message if meant else True


@pytest.mark.parametrize(
    ("code", "words", "package"),
    [
        *((code, f"code is {code!r}, which means no language; give a code", "")
          for code in ("mul", "und", "mis", "zxx")),
        ("zho_Hnas", "code is 'zho_Hnas', whose script 'Hnas' is none of Hanb, Hani, Hans", ""),
        *((code, f"code is {code!r}", "langcodes") for code in ("zzz", "xxx", "zzz_Latn", "en-zzz")),
        ("english", "code is 'english'", "language_data"),
        *((code, "code must be a str, not", "") for code in (None, 3, b"zh", ["zh"])),
    ],
)  # fmt: skip
def test_codes_without_a_meaning_are_refused(code: Any, words: str, package: str) -> None:
    if package:
        pytest.importorskip(package)
    with pytest.raises((ArgumentValueError, ArgumentTypeError)) as caught:
        BLEU.for_language(code)
    assert str(caught.value).startswith(words)
    assert isinstance(caught.value, TypeError) == (not isinstance(code, str))
    assert code != "english" or "did you mean 'en'?" in str(caught.value)
