"""`fastbleu.compat.torcheval` against live torcheval: the function, the class, its states, and what it refuses."""

from __future__ import annotations

import copy
import inspect
import pickle
import random
from typing import Any

import pytest

for host in ("torch", "torcheval"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)

import torch
from torcheval import metrics as their_metrics
from torcheval.metrics import functional as their_functions
from torcheval.metrics import toolkit

from fastbleu.compat import torcheval as ours
from fastbleu.compat.torcheval import BLEUScore, bleu_score
from tests.support.compared import compared
from tests.support.random_corpora import random_texts

STATES = ("input_len", "target_len", "matches_by_order", "possible_matches_by_order")
P = ["the squirrel is eating the nut", "the cat is on the mat"]
R = [["a squirrel is eating a nut", "the squirrel is eating a tasty nut"], ["a cat is on the mat"]]


def same(result: torch.Tensor, theirs: torch.Tensor, *context: object) -> None:
    compared("torcheval")
    assert result.dtype == theirs.dtype, context
    assert torch.equal(result, theirs) or (result.isnan() and theirs.isnan()), (result, theirs, context)


def outcome(function: Any, *arguments: Any, **options: Any) -> Any:
    """Return the result of a function, or the message of the ValueError that it raises."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        return str(error)


def random_corpus(generator: random.Random) -> tuple[list[str], list[Any]]:
    texts, target = random_texts(generator)
    return texts, [some[0] if generator.random() < 0.2 else some for some in target]


def test_signatures() -> None:
    for one, other in ((bleu_score, their_functions.bleu_score), (BLEUScore, their_metrics.BLEUScore)):
        found = [
            {name: parameter.default for name, parameter in inspect.signature(each).parameters.items()}
            for each in (one, other)
        ]
        assert found[0] == found[1]
    assert issubclass(BLEUScore, their_metrics.BLEUScore)
    assert ours.__all__ == ["BLEUScore", "bleu_score"]


@pytest.mark.parametrize("n_gram", [1, 2, 3, 4])
def test_random_corpora(n_gram: int) -> None:
    generator = random.Random(n_gram)
    weightings = (None, torch.rand(n_gram), torch.rand(n_gram, dtype=torch.float64))
    for _ in range(300):
        texts, target = random_corpus(generator)
        for weights in weightings:
            found = outcome(bleu_score, texts, target, n_gram, weights)
            expected = outcome(their_functions.bleu_score, texts, target, n_gram, weights)
            if isinstance(expected, str):
                assert found == expected
            else:
                same(found, expected, texts, target)


@pytest.mark.parametrize("n_gram", [1, 2, 3, 4])
def test_metrics(n_gram: int) -> None:
    generator = random.Random(n_gram)
    for weights in (None, torch.rand(n_gram)):
        metric = BLEUScore(n_gram=n_gram, weights=weights)
        peer = their_metrics.BLEUScore(n_gram=n_gram, weights=weights)
        same(metric.compute(), peer.compute())
        for _ in range(100):
            corpus = random_corpus(generator)
            results = [outcome(each.update, *corpus) for each in (metric, peer)]
            assert results[0] is metric or results[0] == results[1]
            for name in STATES:
                same(getattr(metric, name), getattr(peer, name), name, corpus)
            same(metric.compute(), peer.compute(), corpus)


def test_states_are_theirs() -> None:
    metric, peer = BLEUScore(n_gram=2), their_metrics.BLEUScore(n_gram=2)
    for each in (metric, peer):
        each.update(P, R)
        each.update("the nut", ["the nut"])
    other = BLEUScore(n_gram=2).update(P[:1], R[:1])
    expected = their_metrics.BLEUScore(n_gram=2).update(P[:1], R[:1])
    same(metric.merge_state([other, expected]).compute(), peer.merge_state([expected, other]).compute())
    for clone in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric)), toolkit.clone_metric(metric)):
        same(clone.compute(), metric.compute())
    peer.load_state_dict(metric.state_dict())
    same(peer.compute(), metric.compute())
    metric.reset()
    same(metric.compute(), torch.tensor(0.0, dtype=torch.float64))


def test_the_same_errors() -> None:
    for arguments in (
        (P, R[:1]),
        ("a", ["a", "b"]),
        ([], []),
        (P, R, 5),
        (P, R, 0),
        (P, R, 4, torch.ones(3)),
    ):
        messages = [outcome(each, *arguments) for each in (bleu_score, their_functions.bleu_score)]
        assert messages[0] == messages[1]
        assert isinstance(messages[0], str)
