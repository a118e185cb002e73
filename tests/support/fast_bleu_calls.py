"""Random calls of fast-bleu's BLEU. Needs fast-bleu."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

TOKENS = ["a", "b", "c", "d", "e", "", "Ä", "日", "x y", "a\0b", "\t", " ", 3, None]
_OFTEN = [20, 20, 10, 10, 10, 1, 2, 2, 0.1, 0.1, 1, 0.1, 1, 1]

WEIGHTS: list[dict[Any, Any]] = [
    {4: (0.25,) * 4},
    {2: (0.5, 0.5), 3: (1 / 3,) * 3},
    {"a": (0.1, 0.2, 0.3, 0.4)},
    {5: [0.2] * 5, 2: [1.0, 0.0]},
    {1: (0.3, 0.7), "x": (0.6, 0.4), 7: (1 / 7,) * 7},
    {1: (1.0,)},
    {2: (0.5, 0.6)},
]


class Call(NamedTuple):
    references: list[Any]
    hypotheses: list[Any]
    options: dict[str, Any]


def random_call(random: Random) -> Call:
    references = [_line(random) for _ in range(random.choice([1, 1, 2, 3, 5]))]
    hypotheses = [_line(random) for _ in range(random.choice([0, 1, 4, 20]))]
    if random.random() < 0.2:
        hypotheses += references
    options = {
        "weights": random.choice(WEIGHTS),
        "smoothing_func": random.choice([0, 1, 1, 1, 2]),
        "auto_reweight": random.random() < 0.3,
    }
    return Call(references, hypotheses, options)


def _line(random: Random) -> Any:
    tokens = random.choices(TOKENS, _OFTEN, k=random.choice([0, 1, 2, 3, 4, 5, 8, 12, 30]))
    return random.choice([tokens, tokens, tokens, tuple(tokens), "".join(map(str, tokens))])


def outcome(kind: Any, call: Call) -> Any:
    try:
        return repr(kind(call.references, **call.options).get_score(call.hypotheses))
    except Exception as error:  # noqa: BLE001  # whatever fast-bleu raises
        return type(error), str(error)
