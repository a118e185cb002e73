"""A function's code is exchanged: all who hold the function get the new one, and get the old one back."""

import functools
import inspect
import math
import pickle
from typing import Any

import pytest

from fastbleu.patch._calls import RUN_ORIGINAL, RUN_UNCOUNTED
from fastbleu.patch.replacing import Replacement
from tests.support.threads import at_once


def halve(number: float, /, by: float = 2, *more: float, least: float = 0, **names: float) -> float:
    """Divide."""
    return max(number / by, least, *more, *names.values())


class Metric:
    def score(self, text: str, scale: float = 1) -> Any:
        return __class__, len(text) * scale  # type: ignore[name-defined]


@pytest.fixture
def replacement() -> Any:
    """In the place of `halve` for numbers below 100."""
    made = Replacement(halve, lambda *args, **kwargs: (args, kwargs) if args[0] < 100 else RUN_ORIGINAL)
    made.install()
    yield made
    made.uninstall()


def test_all_kinds_of_parameters(replacement: Replacement) -> None:
    assert halve(3) == ((3, 2), {"least": 0})
    assert halve(3, 4, 5, least=6, other=7) == ((3, 4, 5), {"least": 6, "other": 7})
    assert halve(200, 4) == 50
    assert halve(200, 4, 60, least=6, other=7) == 60
    assert (replacement.taken, replacement.left) == (2, 2)
    with pytest.raises(TypeError, match=r"halve\(\) missing 1 required positional argument: 'number'"):
        halve()  # type: ignore[call-arg]


def test_the_function_stays_what_it_is(replacement: Replacement) -> None:
    assert replacement.is_installed
    assert replacement.name == "tests.patch.test_replacing.halve"
    assert pickle.loads(pickle.dumps(halve)) is halve
    assert (halve.__name__, halve.__doc__) == ("halve", "Divide.")
    assert list(inspect.signature(halve).parameters) == ["number", "by", "more", "least", "names"]
    assert inspect.getsource(halve).startswith("def halve(")


def test_whoever_holds_it_has_the_new_one() -> None:
    held, bound = [Metric.score], Metric().score
    partial = functools.partial(bound, scale=2)
    before = (bound("ab"), partial("ab"))
    replacement = Replacement(Metric.score, lambda metric, text, scale: (type(metric), text, scale))
    replacement.install()
    assert held[0](Metric(), "ab") == bound("ab") == (Metric, "ab", 1)
    assert partial("ab") == (Metric, "ab", 2)
    replacement.uninstall()
    assert (bound("ab"), partial("ab")) == before == ((Metric, 2), (Metric, 4))
    assert replacement.original(Metric(), "ab") == (Metric, 2)


def test_a_closure() -> None:
    def make(factor: int) -> Any:
        def times(number: int) -> int:
            return number * factor

        return times

    times = make(3)
    replacement = Replacement(times, lambda number: number * 30 if number else RUN_ORIGINAL)
    replacement.install()
    assert (times(2), times(0), make(3)(2)) == (60, 0, 6)
    replacement.uninstall()
    assert times(2) == 6


def test_what_it_refuses_the_original_does() -> None:
    def root(number: float) -> float:
        return math.sqrt(number)

    def refuse(number: float) -> Any:
        if number == 1:
            return RUN_UNCOUNTED
        raise ValueError(f"not {number}")

    replacement = Replacement(root, refuse)
    replacement.install()
    assert (root(4), root(1)) == (2.0, 1.0)
    assert (replacement.taken, replacement.left, replacement.refused) == (0, 1, "ValueError: not 4")
    with pytest.raises(ValueError, match="math domain error") as raised:
        root(-1)
    assert raised.value.__context__ is None


def test_nobody_elses_code_is_taken_away() -> None:
    def one() -> int:
        return 1

    def other() -> int:
        return 2

    replacement = Replacement(one, lambda: 3)
    replacement.install()
    one.__code__ = other.__code__
    replacement.uninstall()
    assert one() == 2


def test_counts_of_several_threads(replacement: Replacement) -> None:
    def work() -> None:
        for _ in range(2000):
            halve(1)

    at_once(work, 4)
    assert replacement.taken == 8000
