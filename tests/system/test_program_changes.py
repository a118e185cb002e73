"""Changes of a class are seen, also in a class that was looked at before."""

import collections
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastbleu.system._program_changes import MethodRecord, has_own_methods
from tests.support.attacks import Backwards, Cut


def test_steps_that_are_replaced_and_put_back() -> None:
    class Base:
        def inherited(self) -> None: ...

    class Metric(Base):
        def step(self) -> None: ...

    class Reading(Metric):
        def __getattribute__(self, name: str) -> Any:
            return super().__getattribute__(name)

    steps, metric = MethodRecord(Metric, "inherited", "step"), Metric()
    for holder, name in [(Base, "inherited"), (Metric, "inherited"), (Metric, "step")]:
        assert [steps.are_original(metric) for _ in range(3)] == [True] * 3
        before = vars(holder).get(name)
        setattr(holder, name, lambda *_: None)
        assert not steps.are_original(metric)
        delattr(holder, name) if before is None else setattr(holder, name, before)
    assert steps.are_original(type("Own", (Metric,), {})())
    assert not steps.are_original(Reading())
    vars(metric)["inherited"] = None
    assert not steps.are_original(metric)
    assert steps.are_original(Metric())


class Named(str):
    __slots__ = ("name",)


class Pair(NamedTuple):
    a: str
    b: str


class Kind(str, Enum):
    A = "a"


@pytest.mark.parametrize(
    ("value", "depth", "expected"),
    [
        (Cut("a"), 0, False),
        (Cut("a"), 1, True),
        ([Cut("a")], 1, False),
        ([Cut("a")], 2, True),
        (([], ["a", None, Cut("a")]), 2, False),
        (([], ["a", None, Cut("a")]), 3, True),
        (Backwards(), 1, True),
        (["a", Backwards()], 2, True),
        ({1: "a", 2: Cut("a")}, 2, True),
        ({Cut("a"): 1}, 2, False),
        (collections.defaultdict(list, {1: ["a"]}), 3, False),
        (collections.Counter("a"), 1, True),
        ([np.str_("a"), Named("a"), 3, np.str_("b"), b"c"], 2, False),
        ([Named("a"), Cut("a")], 2, True),
        (type("Own", (np.str_,), {"split": None})("a"), 1, True),
        (type("Own", (Cut,), {})("a"), 1, True),
        (Pair("a", "b"), 2, False),
        (Kind.A, 1, True),
        (iter([Cut("a")]), 2, False),
        (np.array([Cut("a")], object), 2, False),
    ],
)
def test_methods_of_subclasses_are_found_to_a_depth(value: Any, depth: int, expected: bool) -> None:
    assert has_own_methods(value, depth) is expected
