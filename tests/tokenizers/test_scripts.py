"""Scripts of texts, against the Unicode property, and warnings of a tokenizer that does not fit."""

import logging
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu import BLEU, corpus_bleu, sentence_bleu
from fastbleu.metric import sacrebleu_functions
from fastbleu.metric.metric_warnings import WRONG_SCRIPT
from fastbleu.tokenizers.scripts import (
    has_only_latin,
    letters_by_script,
    letters_of,
    main_scripts,
    unspaced_share,
)

CHINESE = "这是一个关于电影的句子，我们昨天看了电影。"
JAPANESE = "昨日、映画を見ました。とても面白かったです。"
THAI = "เมื่อวานนี้เราดูหนังด้วยกันที่โรงภาพยนตร์"
GERMAN = "Das ist ein Satz über den Film 電影, den wir gestern in 北京 sahen."
KOREAN = "어제 우리는 영화관에서 영화를 보았습니다."


ENTRY_POINTS: dict[str, Callable[[BLEU, str], Any]] = {
    "sentence_score": lambda metric, text: metric.sentence_score(text, [text]),
    "corpus of one": lambda metric, text: metric.corpus_score([text], [[text]]),
    "corpus_score": lambda metric, text: metric.corpus_score([text] * 20, [[text] * 20]),
    "prepared": lambda metric, text: metric.corpus_score([text] * 20, metric.prepare([[text] * 20])),
    "bootstrap": lambda metric, text: metric.corpus_score([text] * 2, [[text] * 2], n_bootstrap=2),
    "sentence_scores": lambda metric, text: metric.sentence_scores([text] * 20, [[text] * 20]),
    "statistics": lambda metric, text: metric.statistics([text] * 20, [[text] * 20]),
    "accumulator": lambda metric, text: metric.accumulator().update([text] * 20, [[text] * 20]),
}


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "fastbleu")
    return caplog


def message(tokenizer: str, fitting: str) -> str:
    return WRONG_SCRIPT.format(name=tokenizer, fitting=fitting)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_every_entry_point_warns_once(entry_point: str, logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    for _ in range(3):
        ENTRY_POINTS[entry_point](metric, CHINESE)
    assert logged.messages == [message("13a", "'zh'")]
    assert "tokenize='zh' would fit. `force=True`" in message("13a", "'zh'")


@pytest.mark.parametrize(
    ("text", "fitting"),
    [(CHINESE, "'zh'"), (JAPANESE, "'ja-mecab'"), (THAI, "'flores200' or 'char'"),
     ("សួស្តីពិភពលោក" * 3, "'flores200' or 'char'"),
     ("ສະບາຍດີຊາວໂລກ" * 3, "'flores200' or 'char'"), ("မင်္ဂလာပါကမ္ဘာလောက" * 3, "'flores200' or 'char'"),
     ("བཀྲ་ཤིས་བདེ་ལེགས" * 3, "'flores200' or 'char'"), ("\U00020000\U00020001" * 9, "'zh'")],
)  # fmt: skip
@pytest.mark.parametrize("tokenize", ["13a", "intl"])
def test_which_tokenizer_would_fit(
    text: str, fitting: str, tokenize: Any, logged: pytest.LogCaptureFixture
) -> None:
    BLEU(tokenize=tokenize).corpus_score([text], [[text]])
    assert logged.messages == [message(tokenize, fitting)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        *((text, {}) for text in (GERMAN, KOREAN, "Москва", "नमस्ते दुनिया", "", " ", "。", "é")),
        *((text, {}) for text in ("𝒳" * 20, "😀" * 20, "\ud800" * 20, "ｅ" * 9)),
        *((CHINESE, {"tokenize": name}) for name in ("zh", "char", "none", str.split)),
        (CHINESE, {"force": True}),
        (CHINESE, {"trg_lang": "zh"}),
    ],
)
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_nothing_is_said_where_nothing_is_wrong(
    entry_point: str, text: str, options: Any, logged: pytest.LogCaptureFixture
) -> None:
    ENTRY_POINTS[entry_point](BLEU(effective_order=True, **options), text)
    assert logged.messages == []


def test_the_first_call_is_looked_at(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    metric.statistics([], [[]])
    metric.sentence_score("北京", ["北京"])  # a name
    metric.corpus_score([CHINESE] * 20, [[CHINESE] * 20])
    corpus = [GERMAN] * 20
    BLEU().corpus_score(corpus, [corpus])
    assert logged.messages == []
    pickle.loads(pickle.dumps(metric)).corpus_score([CHINESE], [[CHINESE]])
    assert logged.messages == [message("13a", "'zh'")]


def test_functions_say_it_once(logged: pytest.LogCaptureFixture) -> None:
    sacrebleu_functions._cached.cache_clear()
    for _ in range(3):
        corpus_bleu([CHINESE], [[CHINESE]], force=True)
        assert logged.messages == []
    for _ in range(3):
        sentence_bleu(CHINESE, [CHINESE])
    assert logged.messages == [message("13a", "'zh'")]


def test_the_replacement_of_mbrs_logs_nothing(logged: pytest.LogCaptureFixture) -> None:
    from fastbleu.compat.mbrs.mbrs_options import metric_of

    options = {"lowercase": False, "force": False, "tokenize": "", "smooth_method": "exp"}
    options |= {"smooth_value": None, "max_ngram_order": 4, "effective_order": True, "trg_lang": "zho_Hans"}
    metric = metric_of(SimpleNamespace(**options))
    metric.sentence_scores([CHINESE] * 20, [[CHINESE] * 20])
    assert (metric.tokenizer.name, logged.messages) == ("13a", [])


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Grüße aus Köln", "Latin"), ("Привет, мир", "Cyrillic"), ("Καλημέρα", "Greek"), ("مرحبا بالعالم", "Arabic"),
        ("שלום עולם", "Hebrew"), ("नमस्ते दुनिया", "Devanagari"), ("สวัสดีชาวโลก", "Thai"), ("안녕하세요", "Hangul"),
        ("你好世界", "Han or Kana"), ("こんにちは世界", "Han or Kana"), ("カタカナです", "Han or Kana"),
        ("Ա բարեւ", "Armenian"), ("გამარჯობა", "Georgian"), ("1, 2, 3!", ""), ("Ok", ""), ("", ""),
        ("\U00020000\U00020001\U00020002\U00020003", "Han or Kana"), ("\U0010ffff" * 9, ""), ("\ud800" * 9, ""),
    ],
)  # fmt: skip
def test_main_script(text: str, script: str) -> None:
    assert main_scripts(["x", text, "Latin text"]) == ["", script, "Latin"]
    assert has_only_latin([text]) == (script in ("Latin", ""))


def test_letters() -> None:
    assert letters_by_script("Der Film 電影を и 2 more") == {"Latin": 11, "Cyrillic": 1, "Han": 2, "Kana": 1}
    assert letters_by_script("") == {}
    assert main_scripts([]) == letters_of("Latin", []) == []
    assert letters_of("Han or Kana", ["Der Film 電影を", "", "の"]) == [3, 0, 1]
    assert [unspaced_share(letters_by_script(text)) for text in ("電影 film", "1", "한국어")] == [2 / 6, 0, 0]


@pytest.mark.parametrize(
    "script",
    ["Han", "Cyrillic", "Arabic", "Thai", "Greek", "Hebrew", "Hangul", "Latin", "Devanagari", "Georgian", "Armenian",
     "Tamil", "Ethiopic"],
)  # fmt: skip
def test_letters_of_a_script_are_in_its_blocks(script: str) -> None:
    """Blocks are coarse: nearly all letters of the Basic Multilingual Plane must be told, in common use all."""
    regex = pytest.importorskip("regex")
    pattern = rf"[\p{{Script={script}}}&&\p{{L}}]"
    letters = regex.findall(pattern, "".join(map(chr, range(0x10000))), flags=regex.V1)
    told = sum(letters_by_script(letter).get(script, 0) for letter in letters)
    assert told >= 0.9 * len(letters)
