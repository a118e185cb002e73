"""The warnings of a metric: their conditions, their number, and sacreBLEU's texts."""

import logging
import pickle
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.metric.metric_warnings import PADDING
from fastbleu.scoring.sacrebleu_messages import LOOKS_TOKENIZED, ORDER


def test_a_metric_gives_its_advice_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = BLEU()
    with caplog.at_level(logging.WARNING, "fastbleu"):
        for _ in range(2):
            metric.sentence_scores(["It rains ."] * 150, [["It rained ."] * 150])
    # Tokens are looked at in each call by itself, as in sacreBLEU.
    assert caplog.messages == [ORDER, *LOOKS_TOKENIZED, *LOOKS_TOKENIZED]


def padded(rows: int = 64, width: int = 40, pad: int = 0, kind: str = "i8") -> Any:
    """A matrix as models make it: rows of different lengths, filled up."""
    generator = np.random.default_rng(rows * width)
    ids = generator.integers(1, 100, (rows, width))
    for i, length in enumerate(generator.integers(3, width, rows)):
        ids[i, length:] = pad
    return ids.astype(kind)


def full(rows: int = 64, width: int = 40) -> Any:
    return np.random.default_rng(1).integers(1, 100, (rows, width))


def messages(caplog: pytest.LogCaptureFixture, *calls: Any) -> list[str]:
    caplog.clear()
    metric = BLEU(tokenize="none", effective_order=True)
    with caplog.at_level(logging.WARNING, "fastbleu"):
        for call in calls:
            call(metric)
    return list(caplog.messages)


def test_undeclared_padding_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    ids = padded()
    for call in (
        lambda metric: metric.statistics(ids, full()),
        lambda metric: metric.corpus_score(ids, full()),
        lambda metric: metric.sentence_scores(ids, ids),
        lambda metric: metric.prefix_scores(ids, full()),
        lambda metric: metric.statistics(ids, metric.prepare(full())),
        lambda metric: metric.accumulator().update(ids, full()),
    ):
        assert messages(caplog, call, call) == [PADDING.format(name="hypotheses", id=0)]
    for call in (
        lambda metric: metric.statistics(full(), ids),
        lambda metric: metric.statistics(TokenIds(full()), ids),
        lambda metric: metric.prepare(ids),
        lambda metric: metric.prepare_segments(ids[:, None]),
        lambda metric: metric.prepare(np.stack([padded(), padded()[::-1]], axis=1)),
        lambda metric: type(metric)(tokenize="none", references=ids),
    ):
        assert messages(caplog, call, call)[:1] == [PADDING.format(name="references", id=0)]
    assert messages(caplog, lambda metric: metric.statistics(full(), [full(), ids])) == [
        PADDING.format(name="references[1]", id=0)
    ]
    # A metric that was pickled may be another process's.
    assert (
        messages(caplog, *[lambda metric: pickle.loads(pickle.dumps(metric)).statistics(ids, full())] * 2)
        == [PADDING.format(name="hypotheses", id=0)] * 2
    )


@pytest.mark.parametrize("kind", ["u1", "i2", ">i4", "i8", "u8"])
@pytest.mark.parametrize("rows", [5, 8, 9, 100])
def test_undeclared_padding_of_every_kind(caplog: pytest.LogCaptureFixture, kind: str, rows: int) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    ids = padded(rows, pad=117, kind=kind)
    tensors = [torch.tensor(ids)] if kind == "i8" else []
    for view in (ids, np.asfortranarray(ids), ids[::-1], *tensors):
        assert messages(caplog, lambda metric, view=view: metric.statistics(view, view)) == [
            PADDING.format(name="hypotheses", id=117)
        ]


def test_no_false_alarm(caplog: pytest.LogCaptureFixture) -> None:
    ids = padded()
    ended = full()
    ended[:, -1] = 7
    twice = full()
    twice[:, -2:] = 7
    half = full()
    half[::2, -5:] = 7
    generator = np.random.default_rng(2)
    bare = [
        full(),
        ended,  # each row ends with a full stop
        twice,  # and with two of them
        half,
        ids[:1],
        ids[:, :1],
        ids[:0],
        ids[:, :0],
        np.repeat(ids[:1], 20, axis=0),
        np.zeros((20, 30), dtype=int),
        np.arange(20)[:, None] + np.zeros(30, dtype=int),
        np.where(ids == 0, -100, ids),
        generator.integers(0, 2, (500, 30)),
        generator.integers(0, 6, (500, 30)),
        np.where(np.arange(64)[:, None] % 2, ids, full()),
    ]
    for matrix in bare:
        assert messages(caplog, lambda metric, matrix=matrix: metric.statistics(matrix, matrix)) == []
    declared = [
        TokenIds(ids),
        TokenIds(ids, pad_id=0),
        TokenIds(ids, eos_id=[0, 3]),
        TokenIds(ids, lengths=[3] * 64),
        TokenIds(ids, ignore_id=0),
        TokenIds(ids)[1:],
        ids.tolist(),
        list(ids),
    ]
    for given in declared:
        assert messages(caplog, lambda metric, given=given: metric.statistics(given, [given])) == []
        assert messages(caplog, lambda metric, given=given: metric.prepare([given])) == []


def test_drop_in_replacements_do_not_notify(caplog: pytest.LogCaptureFixture) -> None:
    """They count by matchers, which warn of nothing."""
    from fastbleu.counting.corpus import read_corpus

    ids = padded()

    def read(metric: BLEU) -> None:
        read_corpus(metric.matcher, ids, ids).count()

    def prepare(metric: BLEU) -> None:
        metric.matcher.prepare(ids)

    assert messages(caplog, read, prepare) == []
