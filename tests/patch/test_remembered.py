"""sacreBLEU's chrF and TER under the patch: the same scores, and each segment's TER computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from fastbleu import patch
from fastbleu.patch import remembered

sacrebleu = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed")
pytestmark = pytest.mark.slow

WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "The", "dog's", "(hat)", "中文", "."]


@pytest.fixture(autouse=True)
def _nothing_before() -> Iterator[None]:
    remembered._statistics.clear()
    yield
    remembered._statistics.clear()


def line(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.choice([0, 1, 5, 9])))


def calls(random: Random) -> list[Callable[[], Any]]:
    hypotheses = [line(random) for _ in range(8)]
    streams: list[list[Any]] = [[line(random) for _ in hypotheses] for _ in range(2)]
    if random.random() < 0.3:
        streams[1][3] = None
    if random.random() < 0.1:
        hypotheses[2] = random.choice([None, 3, ["a"]])
    chosen = random.choices(range(8), k=8)
    hypotheses, streams = [hypotheses[i] for i in chosen], [[stream[i] for i in chosen] for stream in streams]
    chrf = sacrebleu.CHRF(
        word_order=random.choice([0, 2]), beta=random.choice([1, 2]), lowercase=random.random() < 0.5
    )
    ter = sacrebleu.TER(normalized=random.random() < 0.5, case_sensitive=random.random() < 0.5)
    return [
        lambda: str(chrf.corpus_score(hypotheses, streams)) + str(chrf.get_signature()),
        lambda: str(ter.corpus_score(hypotheses, streams[:1])) + str(ter.get_signature()),
        lambda: str(chrf.sentence_score(hypotheses[0], [streams[0][0]])),
        lambda: str(sacrebleu.corpus_ter(hypotheses, streams)),
        lambda: str(chrf.corpus_score(hypotheses, streams, n_bootstrap=3)),
    ]


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # sacreBLEU's own
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(3))
def test_random_calls(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        for call in calls(random):
            without = outcome(call)
            with patch.install("sacrebleu"):
                assert [outcome(call), outcome(call)] == [without, without]
    assert len(remembered._statistics) > 80


def test_a_segment_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hypotheses, references = ["the cat sat", "it rained"], [["the cat sits", "it rains"]]
    with patch.install("sacrebleu"):
        found = sacrebleu.corpus_ter(hypotheses, references).score
        assert len(remembered._statistics) == 2
        assert sacrebleu.corpus_ter(hypotheses[::-1], [references[0][::-1]]).score == found
        assert len(remembered._statistics) == 2
        sacrebleu.corpus_ter(hypotheses, references, normalized=True)
        assert len(remembered._statistics) == 4
        monkeypatch.setattr(remembered, "_MOST", 4)
        sacrebleu.corpus_ter(hypotheses, references, no_punct=True)
        assert len(remembered._statistics) == 2


def test_what_a_program_changes_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    hypotheses, references = ["the cat sat on a mat", "it rained"], [["the cat sits on a mat", "it rains"]]

    def scores(change: Callable[[Any], None] = lambda _: None) -> list[float]:
        metrics = sacrebleu.CHRF(), sacrebleu.TER()
        for metric in metrics:
            change(metric)
        return [metric.corpus_score(hypotheses, references).score for metric in metrics]

    changes: dict[str, Any] = {
        "sacrebleu.metrics.chrf.extract_all_char_ngrams": lambda *_: [Counter({"a": 1})] * 6,
        "sacrebleu.metrics.lib_ter._MAX_SHIFT_SIZE": 0,
        "sacrebleu.metrics.lib_ter._shift": lambda words, *_: (0, words, 0),
        "sacrebleu.metrics.ter.translation_edit_rate": lambda *_: (1, 3),
        "sacrebleu.metrics.CHRF._preprocess_segment": lambda _, text: text[:4],
        "sacrebleu.tokenizers.tokenizer_ter.TercomTokenizer.__call__": lambda *_: "the cat",
    }
    own = scores()
    with patch.install("sacrebleu"):
        assert scores() == own
    for name, changed in changes.items():
        with monkeypatch.context() as context:
            context.setattr(name, changed)
            wanted = scores()
            with patch.install("sacrebleu"):
                assert scores() == wanted, name

    def change(metric: Any) -> None:
        metric._preprocess_segment = lambda text: text[:5]

    wanted = scores(change)
    with patch.install("sacrebleu"):
        assert scores(change) == wanted != own
        assert scores() == own
