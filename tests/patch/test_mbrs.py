"""mbrs' BLEU with and without the patch: the same tensors, errors and counts of its timer."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fastbleu import patch

pytest.importorskip("mbrs", reason="mbrs is not installed")
from tests.support.mbrs_module import IN_ONE_PROCESS, module
from tests.support.patched_calls import calls_of

TEXTS = ["the cat sat on the mat", "a cat sat on the mat", "the cat is on a mat .", "", "it rained"]
WORDS = ["a", "b", "c", "d", "e", "f", ".", ",", "the", "cat's", "x-y", "1.5", "Ä", "日本", "!"]


@pytest.fixture(autouse=True)
def _one_process(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("CRITICAL", "sacrebleu")
    caplog.set_level("CRITICAL", "fastbleu")
    if "pool" not in request.node.name:
        monkeypatch.setattr(module, "concurrent", IN_ONE_PROCESS)


def metric(kind: Any = None, **options: Any) -> Any:
    kind = kind or module.MetricBLEU
    return kind(kind.Config(**options))


def text(random: Random) -> str:
    words = random.choices(WORDS, k=random.choice([0, 1, 2, 3, 4, 6, 9, 15]))
    return random.choice([" ", " ", "  "]).join(words) + random.choice(["", " .", " "])


def random_calls(random: Random) -> list[Callable[[], Any]]:
    """Calls of one random metric, of texts that fit and of others."""
    one = metric(
        lowercase=random.random() < 0.3,
        tokenize=random.choice([None, "13a", "none", "intl", "char", "zh"]),
        smooth_method=random.choice(["exp", "floor", "add-k", "none"]),
        smooth_value=random.choice([None, None, 0.5, 2]),
        max_ngram_order=random.choice([4, 4, 2, 1, 5]),
        effective_order=random.random() < 0.7,
        num_workers=random.choice([1, 2, 8]),
    )
    hypotheses: Any = [text(random) for _ in range(random.choice([0, 1, 2, 5, 9]))]
    references: Any = [text(random) for _ in range(random.choice([0, 1, 2, 4, 7]))]
    if random.random() < 0.3:
        references = hypotheses
    if references and random.random() < 0.05:
        references = [random.choice([None, 3]), *references[1:]]
    return [
        lambda: one.pairwise_scores(hypotheses, references),
        lambda: one.scores(hypotheses, references),
        lambda: one.expected_scores_reference_aggregation(hypotheses, references),
    ]


def outcome(call: Callable[[], Any]) -> Any:
    """The type, the dtype and the numbers, or the error; and what the timer counted."""
    module.timer.measure.clear()
    try:
        found = call()
    except Exception as error:  # noqa: BLE001  # whatever mbrs raises
        return type(error), str(error), dict(module.timer.measure.ncalls)
    return found.dtype, tuple(found.shape), repr(found.tolist()), dict(module.timer.measure.ncalls)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("peers", [("mbrs",), ("mbrs", "sacrebleu")], ids=" ".join)
def test_random_calls(seed: int, peers: tuple[str, ...]) -> None:
    random, before = Random(seed), calls_of("mbrs")[0]
    for _ in range(150):
        for call in random_calls(random):
            without = outcome(call)
            with patch.install(*peers):
                assert outcome(call) == without
    assert calls_of("mbrs")[0] - before > 100


@pytest.mark.slow
def test_its_pool_of_processes() -> None:
    for one in (metric(num_workers=2), metric(num_workers=2, lowercase=True, smooth_method="add-k")):
        without = one.pairwise_scores(TEXTS, TEXTS[:3]), one.scores(TEXTS, TEXTS[1:])
        with patch.install("mbrs"):
            found = one.pairwise_scores(TEXTS, TEXTS[:3]), one.scores(TEXTS, TEXTS[1:])
        for theirs, ours in zip(without, found, strict=True):
            assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())


def test_the_default_type_of_tensors() -> None:
    import torch

    torch.set_default_dtype(torch.float64)
    try:
        with patch.install("mbrs"):
            assert metric().pairwise_scores(TEXTS, TEXTS).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


class Half(module.MetricBLEU):  # type: ignore[misc]
    @staticmethod
    def _score_worker(*_: Any, **__: Any) -> float:
        return 50.0


def test_what_keeps_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def scores(one: Any) -> Any:
        return one.pairwise_scores(TEXTS, TEXTS).tolist()

    ngrams = "sacrebleu.metrics.bleu.extract_all_word_ngrams"
    tokenizer = "sacrebleu.tokenizers.tokenizer_13a.Tokenizer13a.__call__"
    changes: dict[str, Any] = {
        ngrams: lambda *_: (Counter({("a",): 2}), 2),
        tokenizer: lambda *_: "a b c d",
        "sacrebleu.metrics.bleu.BLEU._get_closest_ref_len": lambda *_: 99,
    }
    assert {*scores(metric(Half))[0]} == {50.0}
    for name, changed in changes.items():
        with monkeypatch.context() as context:
            with patch.install("mbrs"):
                before = calls_of("mbrs")[0]
                context.setattr(name, changed)
                found = scores(metric())
                assert calls_of("mbrs")[0] == before
            assert found == scores(metric()), name
