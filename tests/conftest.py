"""Fixtures and settings of every test."""

from __future__ import annotations

import os
import signal
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from tests.support import newstest as newstest_data

# No deadline: a first call pays for imports, and sanitizers slow everything down.
settings.register_profile("default", deadline=None)
# The same examples in every run, so that a red run can be repeated.
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=500, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


# A shell that runs the tests in the background ignores Ctrl-C in them, and with that in every program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def newstest() -> ModuleType:
    """The module `tests.support.newstest`, where its data is; a test that asks for it is skipped elsewhere."""
    if newstest_data.folder() is None:
        pytest.skip("the environment variable FASTBLEU_DATA does not name a folder that holds newstest2021")
    return newstest_data
