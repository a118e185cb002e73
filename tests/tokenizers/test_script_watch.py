"""A text in a script that the tokenizer does not fit: what is said of it, when, how often and by whom."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu import BLEU, corpus_bleu, functions, sentence_bleu
from fastbleu.counting._counter import NgramCounter
from fastbleu.metric.warning import WRONG_SCRIPT
from fastbleu.tokenizers.names import COMPILED
from fastbleu.tokenizers.script_watch import misfit

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
    "text",
    [
        GERMAN,
        KOREAN,
        "Москва",
        "नमस्ते दुनिया",
        "",
        " ",
        "。",
        "é",
        "𝒳" * 20,
        "😀" * 20,
        "\ud800" * 20,
        "ｅ" * 9,
    ],
)
@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_said_of_other_text(door: str, text: str, logged: pytest.LogCaptureFixture) -> None:
    DOORS[door](BLEU(effective_order=True), text)
    assert logged.messages == []


@pytest.mark.parametrize("options", [
    {"tokenize": "zh"}, {"tokenize": "char"}, {"tokenize": "none"}, {"tokenize": str.split}, {"force": True},
    {"trg_lang": "zh"},
])  # fmt: skip
@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_said_where_it_fits_or_is_forced(
    door: str, options: Any, logged: pytest.LogCaptureFixture
) -> None:
    DOORS[door](BLEU(effective_order=True, **options), CHINESE)
    assert logged.messages == []


def test_a_name_among_other_segments_is_no_reason(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    for text in ("北京", *[GERMAN] * 9, CHINESE, "Kurz.", "東京"):
        metric.sentence_score(text, [text])
    corpus = [CHINESE] * 9 + [GERMAN] * 10
    metric.corpus_score(corpus, [corpus])
    assert logged.messages == []


def test_short_segments_are_enough_if_there_are_many(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    for _ in range(7):
        metric.sentence_score("我喜欢猫。", ["我喜欢猫。"])
    assert logged.messages == []
    metric.sentence_score("我喜欢猫。", ["我喜欢猫。"])
    assert logged.messages == [message("13a", "'zh'")]


def test_languages_that_follow_one_another(logged: pytest.LogCaptureFixture) -> None:
    """A corpus is judged by itself; segments one by one beside the thousand before."""
    metric = BLEU(effective_order=True)
    metric.corpus_score([GERMAN] * 1500, [[GERMAN] * 1500])
    metric.corpus_score([CHINESE] * 20, [[CHINESE] * 20])
    assert logged.messages == [message("13a", "'zh'")]


def test_another_process_says_it_again(logged: pytest.LogCaptureFixture) -> None:
    metric = BLEU()
    metric.corpus_score([CHINESE], [[CHINESE]])
    pickle.loads(pickle.dumps(metric)).corpus_score([CHINESE], [[CHINESE]])
    assert logged.messages == [message("13a", "'zh'")] * 2


def test_functions_say_it_once_in_a_process(
    logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions._Warnings, "has_advised", False)
    for _ in range(3):
        corpus_bleu([CHINESE], [[CHINESE]], force=True)
        assert logged.messages == []
    for _ in range(3):
        sentence_bleu(CHINESE, [CHINESE])
        corpus_bleu([CHINESE], [[CHINESE]])
    assert logged.messages == [message("13a", "'zh'")]


def test_what_the_counter_sees() -> None:
    counter = NgramCounter(COMPILED["13a"], 4)
    counter.count_one(CHINESE, [CHINESE])
    assert (counter.watched, counter.unspaced, counter.suspects) == (0, 0, False)
    counter.watches_scripts = True
    for first in (0x0E00, 0x0F40, 0x1000, 0x1780, 0x3041, 0x30FF, 0x3400, 0x4E00, 0x9FFF, 0x20000, 0x2FFFF):
        counter.watched = counter.unspaced = 0
        counter.suspects = False
        for text in (chr(first), "ab" + chr(first) * 3 + "ab", chr(first) + "a"):
            counter.count_one(text, [text])
        assert (counter.watched, counter.unspaced, counter.suspects) == (3, 3, True)
    counter.watched = counter.unspaced = 0
    for text in (
        "",
        "a",
        "ä",
        "\u0416",
        "\u0905",
        "\u1100",
        "\u2014",
        "\u3000",
        "\uac00",
        "\uff0c",
        "\U0001f600",
        "\ud800",
    ):
        counter.count_one(text, [text])
    assert (counter.watched, counter.unspaced, counter.suspects) == (12, 0, True)


def test_after_a_look_in_vain_there_is_a_pause() -> None:
    counter = NgramCounter(COMPILED["13a"], 4)
    counter.watches_scripts = counter.suspects = True
    counter.watched = counter.unspaced = 1
    assert misfit(counter, [GERMAN]) == ""
    assert (counter.watches_scripts, counter.suspects, counter.watched, counter.unspaced) == (
        True,
        False,
        500,
        0,
    )
    counter.watched, counter.unspaced = 1000, 500
    assert misfit(counter, [CHINESE, None, 3]) == "'zh'"
    assert not counter.watches_scripts
    assert not counter.suspects


def test_the_stand_in_of_mbrs_says_nothing(logged: pytest.LogCaptureFixture) -> None:
    from fastbleu.compat.mbrs.options import metric_of

    config = {
        "lowercase": False,
        "force": False,
        "tokenize": "",
        "smooth_method": "exp",
        "smooth_value": None,
    }
    config |= {"max_ngram_order": 4, "effective_order": True, "trg_lang": "zho_Hans"}
    metric = metric_of(SimpleNamespace(**config))
    metric.sentence_scores([CHINESE] * 20, [[CHINESE] * 20])
    metric.sentence_score(CHINESE, [CHINESE])
    assert metric.tokenizer.name == "13a"
    assert logged.messages == []


def test_a_thread_that_comes_second_says_nothing() -> None:
    """Both threads have counted before either of them looks; the first one speaks for both."""
    counter = NgramCounter(COMPILED["13a"], 4)
    counter.watches_scripts = True
    counter.suspects = True
    assert misfit(counter, [CHINESE]) == "'zh'"
    counter.suspects = True
    assert misfit(counter, [CHINESE]) == ""
    assert not counter.suspects
