"""The tokenizer of a language by each policy, and what is said of languages without one."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest

from fastbleu import BLEU
from fastbleu.errors import ArgumentValueError
from fastbleu.metric.warning import UNKNOWN_LANGUAGE
from fastbleu.tokenizers.languages import (
    advice_against,
    advice_for,
    choose_tokenizer,
    meant_by,
    tokenizer_for,
)


@pytest.mark.parametrize(
    ("code", "tokenizer"),
    [("zh-CN", "zh"), ("wuu", "zh"), ("cmn_Latn", "13a"), ("ja-Latn", "13a"), ("ko-Hani", "ko-mecab")],
)
def test_codes_choose_sacrebleus_tokenizer(code: str, tokenizer: str) -> None:
    assert choose_tokenizer(code)[1] == choose_tokenizer(code, "wmt")[1] == tokenizer


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
        ({"policy": "flores101"}, "policy must be one of sacrebleu, wmt, flores, not 'flores101'"),
        ({"policy": ["wmt"]}, "policy must be one of"),
        ({"tokenize": "zh"}, "tokenize is chosen by for_language"),
        ({"trg_lang": "zh"}, "trg_lang is chosen by for_language"),
    ],
)
def test_other_options_are_refused(options: Any, words: str) -> None:
    with pytest.raises(ArgumentValueError) as caught:
        BLEU.for_language("zh", **options)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("codes", "is_said"),
    [(("tha_Thai", "en-km", "mya_Mymr", "bo", "lao_Laoo"), True),
     (("de", "zho_Hans", "yue_Hant", "th-Latn", "hin_Deva"), False)],
)  # fmt: skip
def test_languages_that_no_tokenizer_separates(
    codes: tuple[str, ...], is_said: bool, caplog: pytest.LogCaptureFixture
) -> None:
    for code in codes:
        BLEU.for_language(code, force=True)
        assert caplog.messages == []
        assert BLEU.for_language(code).tokenizer.name == ("zh" if code in {"zho_Hans", "yue_Hant"} else "13a")
        assert len(caplog.messages) == is_said
        if is_said:
            assert "is written without spaces between words" in caplog.messages[0]
            assert "tokenize='flores200' or 'char'" in caplog.messages[0]
        caplog.clear()
    assert advice_for(choose_tokenizer("th", "flores")[0], "flores200") is None


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
    "trg_lang", ["", None, "zh", "ja", "de", "deu_Latn", "Chinese", "xx", "zh-Latn", "-", "zh-"]
)
def test_any_other_trg_lang_is_taken_as_it_is(trg_lang: str | None, caplog: pytest.LogCaptureFixture) -> None:
    if trg_lang == "ja":
        pytest.importorskip("MeCab")
    BLEU(trg_lang=trg_lang)
    assert caplog.messages == []
    assert meant_by(trg_lang or "") is None


def test_the_stand_in_of_sacrebleu_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("sacrebleu")
    from fastbleu.compat import sacrebleu

    with caplog.at_level(logging.DEBUG):
        metric = sacrebleu.BLEU(trg_lang="zho_Hans")
        metric.corpus_score(
            ["这是一个关于电影的句子，我们昨天看了电影。"] * 4, [["这是一个关于电影的句子。"] * 4]
        )
    assert caplog.messages == []
    assert metric.tokenizer_signature == "13a"
