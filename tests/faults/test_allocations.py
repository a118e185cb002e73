"""Each allocation fails in turn: MemoryError and nothing else, the next call right, no memory lost.

The environment variable FASTBLEU_FAULTS=all tries every place, and not some hundred of each call.
"""

import json
from collections.abc import Callable

import pytest

from tests.support.faults.preloading import compiled, started

# AddressSanitizer has an allocator of its own in the same place.
pytestmark = [pytest.mark.slow, pytest.mark.unsanitized]

Run = Callable[[str], dict[str, list[str]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Tries all calls with failures of one kind, and returns by call what was wrong."""
    library = compiled("allocations", tmp_path_factory.mktemp("allocations"))

    def run(kind: str) -> dict[str, list[str]]:
        with started(library, "tests.support.faults.allocations", kind) as program:
            output, _ = program.communicate()
        assert program.returncode == 0
        reports = map(json.loads, output.splitlines())
        return {report["call"]: report["wrong"] for report in reports}

    return run


@pytest.mark.parametrize(
    ("kind", "least"), [pytest.param("modules", 80, marks=pytest.mark.nightly), ("python", 15)]
)
def test_memory_of_modules_and_of_python_objects(run: Run, kind: str, least: int) -> None:
    found = run(kind)
    assert len(found) > least
    assert {call: wrong for call, wrong in found.items() if wrong} == {}
