"""Which of many cases run each time, and which each night."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_of(step: int, cases: Iterable[Any]) -> list[Any]:
    """Mark all but every `step`-th of some cases as nightly."""
    return [
        pytest.param(case, marks=[pytest.mark.nightly] if k % step else []) for k, case in enumerate(cases)
    ]
