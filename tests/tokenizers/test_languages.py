"""Language codes, and the tokenizer that each selects."""

import logging
import pickle
from string import ascii_lowercase
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.errors import ArgumentValueError
from fastbleu.metric.metric_warnings import NO_LANGUAGE, UNKNOWN_LANGUAGE
from fastbleu.tokenizers.languages import (
    advice_against,
    choose_tokenizer,
    meant_by,
    parse,
    tokenizer_for,
)

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

TARGETS = dict.fromkeys(("zho", "yue"), "zh") | {"jpn": "ja-mecab", "kor": "ko-mecab"}


def test_every_code_of_flores_has_a_tokenizer() -> None:
    assert len(set(FLORES_CODES)) == 204
    for code in FLORES_CODES:
        language, tokenizer = choose_tokenizer(code)
        assert (language.script, tokenizer) == (code[4:], TARGETS.get(code[:3], "13a")), code
        assert choose_tokenizer(code.replace("_", "-"), "flores")[1] == "flores200", code


def test_codes_of_two_letters() -> None:
    codes = {first + second for first in ascii_lowercase for second in ascii_lowercase}
    assert len({code for code in codes if parse(code) is not None}) == 184 + 6


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("zh", ("zh", "")), ("ZH", ("zh", "")), ("zho", ("zh", "")), ("chi", ("zh", "")), ("cmn", ("zh", "")),
        ("zh-CN", ("zh", "")), ("zh_TW", ("zh", "")), ("zh-tw", ("zh", "")), ("zh-Hans-CN", ("zh", "Hans")),
        ("zh-yue", ("zh", "")), ("zh-cmn-Hans", ("zh", "Hans")), ("zh-min-nan", ("zh", "")),
        ("zh_classical", ("zh", "")), ("zho_trad", ("zh", "Trad")), ("zh-u-co-pinyin", ("zh", "")),
        ("zh-x-en", ("zh", "")), ("yue_Hant", ("zh", "Hant")), ("ja_XX", ("ja", "")), ("ja-JP", ("ja", "")),
        ("ko-kr", ("ko", "")), ("en-zh", ("zh", "")), ("EN-ZH", ("zh", "")), ("zh-en", ("en", "")),
        ("en_zh_CN", ("zh", "")), ("de-zh-Hant", ("zh", "Hant")), ("en-th", ("th", "")), ("en-TH", ("en", "")),
        ("es-419", ("es", "")), ("cmn_Latn", ("zh", "Latn")), ("sr-Latn-RS", ("sr", "Latn")),
        ("pt-BR", ("pt", "")), ("eng_Latn---zho_Hant_TW", ("zh", "Hant")),
        ("eng_Latn---ekk_Latn", ("ekk", "Latn")), ("hsb-de", ("de", "")),
    ],
)  # fmt: skip
def test_forms_of_codes(code: str, expected: tuple[str, str]) -> None:
    assert parse(code) == expected


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("", ""), (" zh", "'zh'"), ("zh ", "'zh'"), ("xx", ""), ("zh-", "'zh'"), ("-zh", ""), ("xx-zh", ""),
        ("Chinese", "'zh'"), ("japanes", "'ja'"), ("z", ""), ("12", ""), ("中文", ""), ("en-", "'en'"),
        ("a" * 1000, ""), ("deu", ""), ("zzz", ""), ("und", ""), ("en-hsb", "'en'"), ("zho_Hnas", "'zh'"),
    ],
)  # fmt: skip
def test_unknown_codes_are_refused_with_the_choices(code: str, meant: str) -> None:
    with pytest.raises(
        ArgumentValueError, match=r"^code is .*, which is not a known language code"
    ) as caught:
        BLEU.for_language(code)
    message = str(caught.value)
    assert "of two letters ('zh'), of FLORES-200 ('zho_Hans')" in message
    assert "BLEU(tokenize=...) takes none, zh, 13a" in message
    assert f"(did you mean {meant}?)" in message if meant else "did you mean" not in message


@pytest.mark.parametrize("code", [None, 3, b"zh", ["zh"]])
def test_codes_are_text(code: Any) -> None:
    with pytest.raises(TypeError, match=r"^code must be a str, not"):
        BLEU.for_language(code)


@pytest.mark.parametrize(
    ("code", "tokenizer"),
    [("zh-CN", "zh"), ("wuu", "zh"), ("cmn_Latn", "13a"), ("ja-Latn", "13a"), ("ko-Hani", "ko-mecab")],
)
def test_codes_choose_sacrebleus_tokenizer(code: str, tokenizer: str) -> None:
    assert choose_tokenizer(code)[1] == tokenizer


def test_sacrebleus_own_defaults_stay() -> None:
    found = [tokenizer_for(code) for code in ("zh", "ja", "ko", "de", "", "zho_Hans")]
    assert found == ["zh", "ja-mecab", "ko-mecab", "13a", "13a", "13a"]
    assert advice_against("13a", "zho_Hans") is None


def test_the_metric_of_a_language() -> None:
    class Mine(BLEU):
        pass

    assert type(Mine.for_language("zh")) is Mine
    metric = BLEU.for_language("zho_Hans", lowercase=True, effective_order=True)
    assert (metric.tokenizer.name, metric.trg_lang, metric.lowercase) == ("zh", "zh", True)
    again = pickle.loads(pickle.dumps(metric))
    assert (again.tokenizer.name, again.trg_lang) == ("zh", "zh")
    hypothesis, reference = "我看了電影。", "我看電影。"
    expected = BLEU(tokenize="zh", lowercase=True, effective_order=True)
    found = metric.sentence_score(hypothesis, [reference])
    assert found.score == expected.sentence_score(hypothesis, [reference]).score == 37.99178428257963


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"policy": "flores101"}, "policy must be one of sacrebleu, flores, got 'flores101'"),
        ({"policy": ["flores"]}, "policy must be one of"),
        ({"tokenize": "zh"}, "tokenize is chosen by for_language"),
        ({"trg_lang": "zh"}, "trg_lang is chosen by for_language"),
    ],
)
def test_other_options_are_refused(options: Any, words: str) -> None:
    with pytest.raises(ArgumentValueError) as caught:
        BLEU.for_language("zh", **options)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("trg_lang", "meant"),
    [("zho_Hans", "zh"), ("zh-CN", "zh"), ("jpn", "ja"), ("ja-JP", "ja"), ("kor_Hang", "ko"), ("yue", "zh"),
     ("en-zh", "zh"), ("ZH", "zh"), ("chi", "zh")],
)  # fmt: skip
def test_a_trg_lang_that_sacrebleu_does_not_know(
    trg_lang: str, meant: str, caplog: pytest.LogCaptureFixture
) -> None:
    metric = BLEU(trg_lang=trg_lang)
    assert BLEU(trg_lang=trg_lang, force=True).tokenizer.name == "13a"
    assert BLEU(trg_lang=trg_lang, tokenize="char").tokenizer.name == "char"
    assert (metric.tokenizer.name, metric.trg_lang) == ("13a", trg_lang)
    assert caplog.messages == [UNKNOWN_LANGUAGE.format(code=trg_lang, meant=meant)]
    assert f"BLEU.for_language({trg_lang!r})" in caplog.messages[0]


@pytest.mark.parametrize(
    ("trg_lang", "is_known"),
    [("", True), (None, True), ("zh", True), ("ja", True), ("de", True), ("deu_Latn", True), ("zh-Latn", True),
     ("Chinese", False), ("xx", False), ("-", False), ("zh-", False)],
)  # fmt: skip
def test_any_other_trg_lang_is_taken_as_it_is(
    trg_lang: str | None, is_known: bool, caplog: pytest.LogCaptureFixture
) -> None:
    if trg_lang == "ja":
        pytest.importorskip("MeCab")
    BLEU(trg_lang=trg_lang, force=True)
    assert caplog.messages == []
    BLEU(trg_lang=trg_lang)
    assert caplog.messages == ([] if is_known else [NO_LANGUAGE.format(code=trg_lang)])
    assert meant_by(trg_lang or "") is None


def test_the_replacement_of_sacrebleu_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("sacrebleu")
    from fastbleu.compat import sacrebleu

    with caplog.at_level(logging.DEBUG):
        metric = sacrebleu.BLEU(trg_lang="zho_Hans")
        metric.corpus_score(
            ["这是一个关于电影的句子，我们昨天看了电影。"] * 4, [["这是一个关于电影的句子。"] * 4]
        )
    assert caplog.messages == []
    assert metric.tokenizer_signature == "13a"
