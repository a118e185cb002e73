"""Tests of JAX, which run in a process of their own: its threads do not go together with the forks of other tests."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.modules import REPOSITORY

#: Set in the process that runs them.
_IS_FOR_JAX = "FASTBLEU_TESTS_OF_JAX"


def skip_outside() -> None:
    """Skip a test that imports JAX in the process of all other tests."""
    if _IS_FOR_JAX not in os.environ:
        pytest.skip("runs in a process of its own: tests/test_compiled_steps.py::test_the_rest_with_jax")


def run_inside(*arguments: str) -> str:
    """Run tests in a process for JAX, and return what pytest prints."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, _IS_FOR_JAX: "1"}
    run = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, check=False, encoding="utf-8"
    )
    return run.stdout + run.stderr
