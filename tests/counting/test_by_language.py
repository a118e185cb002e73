"""Segments in several languages: equal to each scored with the metric of its language."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.errors import ArgumentTypeError, ArgumentValueError

SEGMENTS = [
    ("我看了電影。", "我看電影。", "zho_Hans"),
    ("I saw it, didn't I?", "I see it, don't I?", "en"),
    ("他们去了北京", "他们昨天去了北京。", "en-zh"),
    ("x, y", "x , y", None),
    ("", "Etwas.", "deu_Latn"),
    ("ÄPFEL UND BIRNEN.", "Äpfel und Birnen!", "de"),
]
MIXED = [hypothesis for hypothesis, _, _ in SEGMENTS]
REFERENCES = [reference for _, reference, _ in SEGMENTS]
LANGUAGES = [language for _, _, language in SEGMENTS]

OPTIONS: list[dict[str, Any]] = [
    {}, {"effective_order": True}, {"lowercase": True, "max_ngram_order": 2}, {"smooth_method": "floor"},
    {"tokenize": "char", "weights": [1, 2, 3, 4]}, {"tokenize": "intl", "reference_length": "shortest", "threads": 2},
]  # fmt: skip


def metric_for(language: str | None, options: dict[str, Any], policy: Any = "sacrebleu") -> BLEU:
    if language is None:
        return BLEU(**options)
    others = {name: value for name, value in options.items() if name != "tokenize"}
    return BLEU.for_language(language, policy, **others)


@pytest.mark.parametrize("options", OPTIONS)
def test_each_is_scored_as_by_the_metric_of_its_language(options: dict[str, Any]) -> None:
    metric = BLEU(**options)
    streams: list[list[str | None]] = [[*REFERENCES], [*REFERENCES[1:], None]]
    found = metric.sentence_scores(MIXED, streams, languages=LANGUAGES)
    rows = metric.statistics(MIXED, streams, languages=LANGUAGES)
    for i, (hypothesis, _, language) in enumerate(SEGMENTS):
        own = metric_for(language, options)
        references = [stream[i] for stream in streams]
        assert found[i] == own.sentence_score(hypothesis, references).score
        assert rows[i].tolist() == own.statistics([hypothesis], [[each] for each in references])[0].tolist()
    rewards = metric.sentence_scores(MIXED, streams, 1, languages=LANGUAGES)
    assert np.array_equal(rewards, np.minimum(found / 100, 1))
    assert metric.score_statistics(rows).signature is None


@pytest.mark.parametrize("language", ["ja-JP", "kor_Hang"])
def test_tokenizers_of_third_parties(language: str) -> None:
    metric = BLEU(effective_order=True)
    try:
        own = BLEU.for_language(language, effective_order=True)
    except ImportError:
        pytest.skip("its packages are not installed")
    hypotheses = ["昨日、映画を見ました。", "어제 영화를 보았습니다."]
    references = ["映画を見ました。", "영화를 보았습니다."]
    expected = [own.sentence_score(*pair).score for pair in zip(hypotheses, zip(references), strict=True)]
    assert metric.sentence_scores(hypotheses, [references], languages=[language] * 2).tolist() == expected


def test_many_segments_in_any_order() -> None:
    metric = BLEU()
    places = np.random.default_rng(3).integers(0, len(SEGMENTS), 5000).tolist()
    hypotheses, references = [MIXED[i] for i in places], [REFERENCES[i] for i in places]
    rows = metric.statistics(hypotheses, [references], languages=[LANGUAGES[i] for i in places])
    assert np.array_equal(rows, metric.statistics(MIXED, [REFERENCES], languages=LANGUAGES)[places])


def test_no_segments() -> None:
    assert BLEU().sentence_scores([], [[]], languages=[]).shape == (0,)
    assert BLEU().statistics([], [[]], languages=()).shape == (0, 10)


def test_the_metrics_policy_holds() -> None:
    try:
        metric = BLEU.for_language("en", "flores")
    except (ImportError, FileNotFoundError):
        pytest.skip("flores200 is not installed")
    languages = ["zh", "en", "th", None, "de", "de"]
    found = metric.statistics(MIXED, [REFERENCES], languages=languages)
    assert np.array_equal(found, metric.statistics(MIXED, [REFERENCES]))


@pytest.mark.parametrize(
    ("languages", "error", "message"),
    [
        ("zh", ArgumentTypeError, r"languages must be a sequence of codes, one for each segment, not str:"),
        (str, ArgumentTypeError, r"languages must be a sequence of codes"),
        (LANGUAGES[:-1], ArgumentValueError, r"languages has 5 codes for 6 hypotheses"),
        ([*LANGUAGES[:-1], "xx"], ArgumentValueError, r"languages\[5\] is 'xx', which is not a code"),
        ([*LANGUAGES[:-1], 7], ArgumentTypeError, r"languages\[5\] must be a str, not int: 7"),
    ],
)
def test_languages_that_are_none_are_refused(languages: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        BLEU().sentence_scores(MIXED, [REFERENCES], languages=languages)


def test_errors_name_the_place_among_all_segments() -> None:
    metric = BLEU()
    with pytest.raises(ArgumentTypeError, match=r"^hypotheses\[4\] must be a str, not NoneType"):
        metric.statistics([*MIXED[:4], None, "x"], [REFERENCES], languages=LANGUAGES)
    with pytest.raises(ArgumentTypeError, match=r"^references\[1\]\[2\] must be a str, not int: 7"):
        metric.statistics(MIXED, [REFERENCES, [*REFERENCES[:2], 7, *REFERENCES[3:]]], languages=LANGUAGES)
    with pytest.raises(ArgumentValueError, match=r"^references hold nothing but None for segment 5"):
        metric.statistics(MIXED, [[*REFERENCES[:5], None]], languages=LANGUAGES)
    with pytest.raises(ArgumentValueError, match=r"^references\[0\] has 5 segments"):
        metric.statistics(MIXED, [REFERENCES[:5]], languages=LANGUAGES)


def test_what_has_no_language_is_refused() -> None:
    metric = BLEU(tokenize="none", references=[REFERENCES])
    with pytest.raises(ArgumentValueError, match=r"^references were prepared with one tokenizer"):
        metric.statistics(MIXED, None, languages=LANGUAGES)
    with pytest.raises(ArgumentValueError, match=r"^references is None"):
        BLEU().statistics(MIXED, None, languages=LANGUAGES)
    ids = TokenIds([[1, 2], [3, 4]])
    with pytest.raises(ArgumentValueError, match=r"^hypotheses"):
        metric.sentence_scores(ids, ids, languages=["de", "zh"])


def test_what_is_said_of_languages_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = BLEU(effective_order=True)
    with caplog.at_level(logging.WARNING, "fastbleu"):
        for _ in range(2):
            metric.sentence_scores(["ไป", "ไป"], [["ไป", "มา"]], languages=["th", "th"])
        BLEU(effective_order=True, force=True).sentence_scores(["ไป"], [["ไป"]], languages=["th"])
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("The language 'th' is written without spaces")
