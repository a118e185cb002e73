"""Changes of a class are seen, also in a class that was looked at before."""

from __future__ import annotations

from typing import Any

from fastbleu.system._unchanged import Steps


def test_steps_that_are_replaced_and_put_back() -> None:
    class Base:
        def inherited(self) -> None: ...

    class Metric(Base):
        def step(self) -> None: ...

    class Reading(Metric):
        def __getattribute__(self, name: str) -> Any:
            return super().__getattribute__(name)

    steps, metric = Steps(Metric, "inherited", "step"), Metric()
    for holder, name in [(Base, "inherited"), (Metric, "inherited"), (Metric, "step")]:
        assert [steps.are_own(metric) for _ in range(3)] == [True] * 3
        before = vars(holder).get(name)
        setattr(holder, name, lambda *_: None)
        assert not steps.are_own(metric)
        delattr(holder, name) if before is None else setattr(holder, name, before)
    assert steps.are_own(type("Own", (Metric,), {})())
    assert not steps.are_own(Reading())
    vars(metric)["inherited"] = None
    assert not steps.are_own(metric)
    assert steps.are_own(Metric())
