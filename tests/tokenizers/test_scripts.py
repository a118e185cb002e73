"""Scripts of texts, against the Unicode property, and warnings of a tokenizer that does not fit."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu import BLEU, corpus_bleu, sentence_bleu
from fastbleu.counting._counter import NgramCounter
from fastbleu.metric import functions
from fastbleu.metric.warning import WRONG_SCRIPT, Once
from fastbleu.tokenizers.names import COMPILED
from fastbleu.tokenizers.scripts import (
    has_only_latin,
    letters_by_script,
    letters_of,
    main_scripts,
    misfit,
    unspaced_share,
)

CHINESE = "这是一个关于电影的句子，我们昨天看了电影。"
JAPANESE = "昨日、映画を見ました。とても面白かったです。"
THAI = "เมื่อวานนี้เราดูหนังด้วยกันที่โรงภาพยนตร์"
GERMAN = "Das ist ein Satz über den Film 電影, den wir gestern in 北京 sahen."
KOREAN = "어제 우리는 영화관에서 영화를 보았습니다."

Score = Callable[[BLEU, str], Any]

DOORS: dict[str, Score] = {
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


@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_it_once(door: str, logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    for _ in range(3):
        DOORS[door](metric, CHINESE)
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
@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_said_where_nothing_is_wrong(
    door: str, text: str, options: Any, logged: pytest.LogCaptureFixture
) -> None:
    DOORS[door](BLEU(effective_order=True, **options), text)
    assert logged.messages == []


def test_segments_one_by_one_are_judged_together(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    for text in ("北京", *[GERMAN] * 9, CHINESE, "Kurz.", "東京"):  # names among other segments
        metric.sentence_score(text, [text])
    corpus = [CHINESE] * 9 + [GERMAN] * 10
    metric.corpus_score(corpus, [corpus])
    assert logged.messages == []
    metric = BLEU(effective_order=True)
    for count in range(1, 9):  # short segments are enough if there are many
        metric.sentence_score("我喜欢猫。", ["我喜欢猫。"])
        assert logged.messages == [message("13a", "'zh'")] * (count == 8)


def test_a_corpus_is_judged_by_itself_and_a_pickle_begins_anew(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    metric.corpus_score([GERMAN] * 1500, [[GERMAN] * 1500])
    metric.corpus_score([CHINESE] * 20, [[CHINESE] * 20])
    assert logged.messages == [message("13a", "'zh'")]
    pickle.loads(pickle.dumps(metric)).corpus_score([CHINESE], [[CHINESE]])
    assert logged.messages == [message("13a", "'zh'")] * 2


def test_functions_say_it_once_in_a_process(
    logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "_of_script", Once())
    functions._kept.cache_clear()
    for _ in range(3):
        corpus_bleu([CHINESE], [[CHINESE]], force=True)
        assert logged.messages == []
    for _ in range(3):
        sentence_bleu(CHINESE, [CHINESE])
        corpus_bleu([CHINESE], [[CHINESE]])
    assert logged.messages == [message("13a", "'zh'")]


@pytest.fixture
def counter() -> NgramCounter:
    counter = NgramCounter(COMPILED["13a"], 4)
    counter.scripts.is_on = True
    return counter


def test_what_the_counter_sees(counter: NgramCounter) -> None:
    for first in (0x0E00, 0x0F40, 0x1000, 0x1780, 0x3041, 0x30FF, 0x3400, 0x4E00, 0x9FFF, 0x20000, 0x2FFFF):
        counter.scripts.record = 0, 0
        counter.scripts.suspects = False
        for text in (chr(first), "ab" + chr(first) * 3 + "ab", chr(first) + "a"):
            counter.count_one(text, [text])
        assert (*counter.scripts.record, counter.scripts.suspects) == (3, 3, True)
    counter.scripts.record = 0, 0
    others = ["", *"aä\u0416\u0905\u1100\u2014\u3000\uac00\uff0c\U0001f600\ud800"]
    for text in others:
        counter.count_one(text, [text])
    assert (*counter.scripts.record, counter.scripts.suspects) == (12, 0, True)
    counter.scripts.is_on = False
    counter.count_one(CHINESE, [CHINESE])
    assert counter.scripts.record == (12, 0)


def test_after_a_look_in_vain_there_is_a_pause(counter: NgramCounter) -> None:
    counter.scripts.suspects = True
    counter.scripts.record = 1, 1
    assert misfit(counter.scripts, [GERMAN]) == ""
    found = (counter.scripts.is_on, counter.scripts.suspects, *counter.scripts.record)
    assert found == (True, False, 500, 0)
    counter.scripts.record = 1000, 500
    assert misfit(counter.scripts, [CHINESE, None, 3]) == "'zh'"
    assert not counter.scripts.is_on
    # A thread that has counted before, and looks after that, says nothing: the first one has spoken for both.
    counter.scripts.suspects = True
    assert misfit(counter.scripts, [CHINESE]) == ""
    assert not counter.scripts.suspects


def test_the_stand_in_of_mbrs_says_nothing(logged: pytest.LogCaptureFixture) -> None:
    from fastbleu.compat.mbrs.options import metric_of

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
    assert [unspaced_share(text) for text in ("電影 film", "1", "한국어")] == [2 / 6, 0, 0]


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
