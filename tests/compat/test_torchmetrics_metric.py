"""The metrics of `fastbleu.compat.torchmetrics`: what a `torchmetrics.Metric` promises, in one process and in two."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for host in ("torch", "torchmetrics"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

import torch
from torchmetrics import Metric, MetricCollection

from fastbleu.compat.torchmetrics import BLEUScore, SacreBLEUScore, bleu_score, sacre_bleu_score
from tests.support.torchmetrics_corpora import (
    ROW,
    SCORE,
    SMOOTHED,
    STATES,
    P,
    T,
    near,
    random_corpus,
    row_of,
    updated,
)

CLASSES = (BLEUScore, SacreBLEUScore)


@pytest.fixture
def metric() -> SacreBLEUScore:
    """A metric that has seen `P` and `T`."""
    found = updated(SacreBLEUScore())
    assert row_of(found) == ROW
    assert isinstance(found, SacreBLEUScore)
    return found


def test_updates_add_up(metric: SacreBLEUScore) -> None:
    assert isinstance(metric, Metric)
    assert metric.update_count == 1
    assert metric.compute().item() == near(SCORE)
    metric.update(P, T)
    assert row_of(metric) == [2 * count for count in ROW]
    assert metric.compute().item() == near(SCORE)
    metric.update([], [])
    assert row_of(metric) == [2 * count for count in ROW]
    metric.reset()
    assert row_of(metric) == [0] * 10
    metric.update(P[:1], T[:1])
    metric.update(P[1:], T[1:])
    assert row_of(metric) == ROW


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric:UserWarning")  # what is being tested
@pytest.mark.parametrize("kind", CLASSES)
def test_forward_updates_once(kind: Any) -> None:
    assert kind().compute().item() == 0.0
    metric = kind(n_gram=2)
    first, second = metric(P[:1], T[:1]), metric(P[1:], T[1:])
    assert metric.update_count == 2
    function: Callable[..., torch.Tensor] = bleu_score if kind is BLEUScore else sacre_bleu_score
    assert first == function(P[:1], T[:1], 2)
    assert second == function(P[1:], T[1:], 2)
    assert metric.compute() == function(P, T, 2)


def test_forward_that_synchronizes_on_every_step() -> None:
    metric = SacreBLEUScore(dist_sync_on_step=True)
    assert metric(P, T).item() == near(SCORE)
    assert row_of(metric) == ROW
    with pytest.raises(RuntimeError, match="dist_sync_on_step"):
        metric.merge_state(updated(SacreBLEUScore()))


def test_merge_state(metric: SacreBLEUScore) -> None:
    assert metric.compute().item() == near(SCORE)
    other = SacreBLEUScore(smooth=True)
    other.update(["a b c d"], [["a b c e"]])
    row = row_of(other)
    metric.merge_state(other)
    expected = [a + b for a, b in zip(ROW, row, strict=True)]
    assert row_of(metric) == expected
    assert metric.compute() == sacre_bleu_score([*P, "a b c d"], [*T, ["a b c e"]])
    assert row_of(other) == row
    assert metric.update_count == 2
    metric.merge_state(other.metric_state)
    metric.merge_state({name: getattr(other, name).float() for name in STATES})
    assert row_of(metric) == [a + 3 * b for a, b in zip(ROW, row, strict=True)]


def test_merge_state_refuses_other_counts(metric: SacreBLEUScore) -> None:
    others = (SacreBLEUScore(n_gram=3), SacreBLEUScore(tokenize="zh"), SacreBLEUScore(lowercase=True))
    for other in (*others, BLEUScore()):
        with pytest.raises(ValueError, match="state of a metric with n_gram=4, tokenize='13a'"):
            metric.merge_state(other)
    with pytest.raises(ValueError, match="Expected incoming state to be a dict or an instance of Metric"):
        metric.merge_state([1])
    state = metric.metric_state
    for name, bad, message in (
        ("numerator", torch.tensor([1]), r"size mismatch for numerator: expected \[4\], got \[1\]"),
        ("preds_len", torch.tensor(-1), "preds_len must hold counts"),
        ("denominator", torch.tensor([1, 1, 1, math.nan]), "denominator must hold counts"),
    ):
        with pytest.raises(ValueError, match=message):
            metric.merge_state({**state, name: bad})
    del state["denominator"]
    with pytest.raises(ValueError, match="Expected state variable denominator to be present"):
        metric.merge_state(state)
    assert row_of(metric) == ROW


def test_counts_stay_exact_beyond_float32() -> None:
    """16,777,217 words of which one is missing: float32 could not tell."""
    metric = BLEUScore(n_gram=1).set_dtype(torch.float64)
    state = {"preds_len": 2**24 + 1, "target_len": 2**24, "numerator": [2**24], "denominator": [2**24 + 1]}
    metric.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    metric.update([], [])
    assert metric.compute().item() == 2**24 / (2**24 + 1)
    metric = BLEUScore(n_gram=1)
    huge = 2**53 + 1
    metric.merge_state({name: torch.tensor([huge] if name.endswith("ator") else huge) for name in STATES})
    for _ in range(3):
        metric(["a"], [["a"]])
    assert row_of(metric) == [huge + 3] * 4
    metric.set_dtype(torch.float16)
    assert row_of(copy.deepcopy(metric)) == [huge + 3] * 4
    assert metric.compute().item() == 1.0


# The grouping of metrics is torchmetrics' own: those of one n_gram share their counts.
@pytest.mark.parametrize("compute_groups", [True, False])
def test_metric_collection(compute_groups: bool) -> None:
    collection = MetricCollection(
        {
            "plain": SacreBLEUScore(),
            "smooth": SacreBLEUScore(smooth=True),
            "bigrams": SacreBLEUScore(n_gram=2),
        },
        compute_groups=compute_groups,
    )
    assert collection(P[:1], T[:1])["bigrams"] == sacre_bleu_score(P[:1], T[:1], 2)
    collection.update(P[1:], T[1:])
    expected = {"plain": near(SCORE), "smooth": near(SMOOTHED), "bigrams": near((10 / 12 * 7 / 10) ** 0.5)}
    assert {name: value.item() for name, value in collection.compute().items()} == expected
    assert len(collection.compute_groups) == (2 if compute_groups else 0)
    assert row_of(collection["smooth"]) == ROW


def test_plot(metric: SacreBLEUScore) -> None:
    matplotlib = pytest.importorskip("matplotlib", exc_type=ImportError)
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = metric.plot()
    assert axes.lines[0].get_ydata()[0] == near(SCORE)
    plt.close(figure)


def test_devices(metric: SacreBLEUScore) -> None:
    assert metric.to("cpu") is metric
    assert row_of(metric) == ROW
    assert metric.compute().device == metric.device == torch.device("cpu")
    empty: Any = SacreBLEUScore().to("meta")
    for name in STATES:
        assert (getattr(empty, name).device.type, empty._defaults[name].device.type) == ("meta", "meta")
        assert getattr(empty, name).dtype == torch.int64
    assert empty.device.type == "meta"


def test_dtypes_of_modules(metric: SacreBLEUScore) -> None:
    module = torch.nn.Module()
    module.metric = metric
    for change in ("half", "double", "float", "bfloat16"):
        getattr(module, change)()
        getattr(metric, change)()
    module.to(dtype=torch.float64)
    metric.type(torch.float16)
    assert row_of(metric) == ROW
    metric.update(P, T)
    assert row_of(metric) == [2 * count for count in ROW]


def test_set_dtype_changes_the_dtype_of_the_score(metric: SacreBLEUScore) -> None:
    for dtype in (torch.bfloat16, torch.float64):
        assert metric.set_dtype(dtype) is metric
        assert row_of(metric) == ROW
        assert metric.compute().dtype == metric.dtype == dtype
        metric.reset()
        assert metric(P, T).dtype == dtype
        assert row_of(metric) == ROW
    assert metric.compute().item() == pytest.approx(SCORE, rel=1e-15)
    metric.set_dtype(torch.int32)
    assert metric.compute().dtype == torch.float32
    assert metric.compute().item() == near(SCORE)
    assert row_of(metric) == ROW


@pytest.mark.parametrize("reset", [False, True])
def test_inference_mode(metric: SacreBLEUScore, reset: bool) -> None:
    """Trainers validate in inference_mode; what is made there must not be changed in place elsewhere."""
    with torch.inference_mode():
        if reset:
            metric.reset()
        metric(P, T)
    metric.update(P, T)
    assert metric(P, T).item() == near(SCORE)
    assert row_of(metric) == [(3 if reset else 4) * count for count in ROW]


@pytest.mark.parametrize(
    "copied", [lambda metric: pickle.loads(pickle.dumps(metric)), copy.deepcopy, Metric.clone]
)
def test_copies(copied: Callable[[Any], Any]) -> None:
    for metric in (
        updated(BLEUScore(n_gram=2, smooth=True)),
        updated(SacreBLEUScore(tokenize="intl", lowercase=True, weights=[1, 2, 3, 4])),
    ):
        row = row_of(metric)
        other = copied(metric)
        assert type(other) is type(metric)
        assert row_of(other) == row
        assert other.compute() == metric.compute()
        other(["A b c d e. "], [["a B c d f. "]])
        assert row_of(metric) == row
        metric(["A b c d e. "], [["a B c d f. "]])
        assert row_of(other) == row_of(metric) != row


def test_checkpoints(metric: SacreBLEUScore, tmp_path: Path) -> None:
    assert metric.state_dict() == {}
    metric.persistent(True)
    torch.save(metric.state_dict(), tmp_path / "metric.pt")
    state = torch.load(tmp_path / "metric.pt")
    assert list(state) == list(STATES)
    assert all(each.dtype == torch.int64 for each in state.values())
    restored = SacreBLEUScore()
    restored.load_state_dict(state)
    assert row_of(restored) == ROW
    restored.update(P, T)
    assert row_of(restored) == [2 * count for count in ROW]
    assert state["preds_len"].item() == ROW[0]
    assert restored.compute().item() == near(SCORE)
    restored.load_state_dict({name: each.float() for name, each in state.items()})
    assert row_of(restored) == ROW
    assert SacreBLEUScore().load_state_dict({}, strict=False).unexpected_keys == []


def test_checkpoints_that_do_not_fit(metric: SacreBLEUScore) -> None:
    metric.persistent(True)
    state = metric.state_dict()
    with pytest.raises(RuntimeError, match=r"size mismatch for numerator: expected \[2\], got \[4\]"):
        SacreBLEUScore(n_gram=2).load_state_dict(state)
    with pytest.raises(RuntimeError, match="preds_len must hold counts"):
        metric.load_state_dict({**state, "preds_len": torch.tensor(math.inf)})
    assert row_of(metric) == ROW


# Each process counts every other segment, the second in batches of its own, and prints what it computed.
PROCESS = """
import datetime, json, sys
import torch.distributed as dist
from fastbleu.compat.torchmetrics import BLEUScore, SacreBLEUScore
from torchmetrics import MetricCollection

rank, store, corpus = int(sys.argv[1]), sys.argv[2], sys.argv[3]
wait = datetime.timedelta(seconds=90)
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2, timeout=wait)
with open(corpus, encoding="utf-8") as file:
    preds, target = json.load(file)
preds, target = preds[rank::2], target[rank::2]
metrics = MetricCollection({"sacre": SacreBLEUScore(lowercase=True), "bleu": BLEUScore(smooth=True)})
on_step = SacreBLEUScore(dist_sync_on_step=True)
alone = SacreBLEUScore(sync_on_compute=False)
step = len(preds) if rank else 2
for start in range(0, len(preds), step):
    metrics(preds[start : start + step], target[start : start + step])
of_step = on_step(preds, target)
alone.update(preds, target)
results = {name: value.item() for name, value in metrics.compute().items()}
metrics["sacre"].sync()
states = {name: state.tolist() for name, state in metrics["sacre"].metric_state.items()}
metrics["sacre"].unsync()
own = metrics["sacre"].preds_len.item()
print(json.dumps([results, states, own, of_step.item(), on_step.compute().item(), alone.compute().item()]))
dist.destroy_process_group()
"""


@pytest.mark.nightly
@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no distributed package")
def test_two_processes(tmp_path: Path) -> None:
    generator = random.Random(7)
    preds, target = [], []
    for _ in range(12):
        more = random_corpus(generator)
        preds += more[0]
        target += more[1]
    corpus = tmp_path / "corpus.json"
    corpus.write_text(json.dumps([preds, target]), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if sys.platform == "linux":
        environment["GLOO_SOCKET_IFNAME"] = "lo"
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    commands = [[sys.executable, "-c", PROCESS, str(k), str(tmp_path / "store"), str(corpus)] for k in (0, 1)]
    processes = [subprocess.Popen(command, **pipes) for command in commands]
    try:
        outputs = [process.communicate(timeout=120) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for process, (_, errors) in zip(processes, outputs, strict=True):
        assert process.returncode == 0, errors
    single = SacreBLEUScore(lowercase=True)
    single.update(preds, target)
    plain = BLEUScore(smooth=True)
    plain.update(preds, target)
    expected = {"sacre": single.compute().item(), "bleu": plain.compute().item()}
    assert min(expected.values()) > 0
    states = {name: getattr(single, name).tolist() for name in STATES}
    of_ranks = [json.loads(output.splitlines()[-1]) for output, _ in outputs]
    for rank, (results, synced, own, of_step, on_step, alone) in enumerate(of_ranks):
        assert results == expected
        assert synced == states
        assert of_step == on_step == sacre_bleu_score(preds, target).item()
        assert alone == sacre_bleu_score(preds[rank::2], target[rank::2]).item()
        assert own < states["preds_len"]


def test_a_forward_that_fails_changes_nothing() -> None:
    metric = BLEUScore(n_gram=2)
    metric(["the cat sat"], [["the cat is here"]])

    def state() -> tuple[Any, ...]:
        return (
            metric.compute(),
            metric.metric_state,
            metric.update_count,
            metric._to_sync,
            metric._should_unsync,
        )

    before = state()
    with pytest.raises(TypeError, match=r"^target\[0\]\[0\] must be a str"):
        metric(["the cat"], [[3]])
    assert state() == before
    assert float(metric(["the cat"], [["the cat"]])) == 1


def test_merged_counts_are_whole_and_merge_both_ways() -> None:
    words, sacre = BLEUScore(n_gram=1), SacreBLEUScore(n_gram=1, tokenize="none")
    for metric in (words, sacre):
        metric.update(["a b"], [["a c"]])
    words.merge_state(sacre)
    sacre.merge_state(words)
    assert (int(words.preds_len), int(sacre.preds_len)) == (4, 6)
    broken = {**words.metric_state, "numerator": torch.tensor([2.5])}
    with pytest.raises(ValueError, match=r"^numerator must hold counts, got "):
        words.merge_state(broken)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSES)
def test_scripted_modules(kind: Any) -> None:
    class Model(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
        def __init__(self) -> None:
            super().__init__()
            self.metric = kind()

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            return values + 1

    model, values = Model(), torch.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of torch.jit itself
        scripted = torch.jit.script(model)
        torch.jit.script(kind())
    assert torch.equal(scripted(values), model(values))
    assert model.metric(P, T) == kind()(P, T)
