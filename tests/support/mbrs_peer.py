"""mbrs' BLEU without the rest of mbrs, whose other metrics need large packages; and random calls of it. Needs mbrs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from random import Random
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

_OTHERS = ("bertscore", "bleurt", "chrf", "comet", "cometkiwi", "metricx", "ter", "xcomet")

_WORDS = ["a", "b", "c", "d", "e", "f", ".", ",", "the", "cat's", "x-y", "1.5", "Ä", "日本", "!"]


class _Nothing(ModuleType):
    """Has every name that is asked for."""

    __file__ = "nothing"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


def bleu_module() -> ModuleType:
    """Import `mbrs.metrics.bleu`; ImportError without mbrs."""
    held = {f"mbrs.metrics.{name}": _Nothing(f"mbrs.metrics.{name}") for name in _OTHERS}
    missing = {name: module for name, module in held.items() if name not in sys.modules}
    sys.modules.update(missing)
    try:
        return import_module("mbrs.metrics.bleu")
    finally:
        for name in missing:
            del sys.modules[name]


class OneProcess:
    """In the place of a pool of processes: the same work in this process, which starts at once."""

    def __init__(self, max_workers: int, initializer: Any, initargs: Any) -> None:
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        initializer(*initargs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, function: Any, *values: Any, chunksize: int) -> Any:
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return map(function, *values)


IN_ONE_PROCESS = SimpleNamespace(futures=SimpleNamespace(ProcessPoolExecutor=OneProcess))


def _text(random: Random) -> str:
    words = random.choices(_WORDS, k=random.choice([0, 1, 2, 3, 4, 6, 9, 15]))
    return random.choice([" ", " ", "  "]).join(words) + random.choice(["", " .", " "])


def random_calls(random: Random, module: ModuleType) -> list[Callable[[], Any]]:
    """Calls of one random metric, of texts that fit and of others."""
    import torch

    metric = module.MetricBLEU(
        module.MetricBLEU.Config(
            lowercase=random.random() < 0.3,
            tokenize=random.choice([None, "13a", "none", "intl", "char", "zh"]),
            smooth_method=random.choice(["exp", "floor", "add-k", "none"]),
            smooth_value=random.choice([None, None, 0.5, 2]),
            max_ngram_order=random.choice([4, 4, 2, 1, 5]),
            effective_order=random.random() < 0.7,
            num_workers=random.choice([1, 2, 8]),
        )
    )
    hypotheses: Any = [_text(random) for _ in range(random.choice([0, 1, 2, 5, 9]))]
    references: Any = [_text(random) for _ in range(random.choice([0, 1, 2, 4, 7]))]
    if random.random() < 0.3:
        references = hypotheses
    if references and random.random() < 0.05:
        references = [random.choice([None, 3]), *references[1:]]
    weights = None
    if random.random() < 0.5:
        number = max(0, len(references) + random.choice([0, 0, 0, 1, -1]))
        chosen = [-1.0, -30.0, -200.0, float("-inf")]
        weights = torch.tensor(
            [
                random.choice(chosen) if random.random() < 0.1 else random.uniform(-20, 0)
                for _ in range(number)
            ]
        )
    return [
        lambda: metric.pairwise_scores(hypotheses, references),
        lambda: metric.scores(hypotheses, references),
        lambda: metric.expected_scores_reference_aggregation(
            hypotheses, references, reference_lprobs=weights
        ),
        lambda: metric._aggregate_references(references, weights),
    ]


def outcome(call: Callable[[], Any], module: ModuleType) -> Any:
    """What comes of a call: the type, the dtype and the numbers, or the error; and what the timer counted."""
    module.timer.measure.clear()
    try:
        found = call()
    except Exception as error:  # noqa: BLE001  # whatever mbrs raises
        return type(error), str(error), dict(module.timer.measure.ncalls)
    if hasattr(found, "dtype"):
        return found.dtype, tuple(found.shape), repr(found.tolist()), dict(module.timer.measure.ncalls)
    return type(found), repr(found), dict(module.timer.measure.ncalls)
