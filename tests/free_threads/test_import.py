"""Importing does not turn the interpreter's lock back on, and names that are imported late come to all threads."""

import pytest

from tests.support.modules import SOURCES
from tests.support.processes import printed_by

#: Rooms that import other packages, which may turn the lock on.
BESIDE_OTHERS = ("fastbleu.compat", "fastbleu.patch")

#: Compiled modules, which must say that they can do without the lock.
COMPILED = [name for name, path in SOURCES.items() if path.suffix == ".pyx"]

# The lock is looked at after each module, so that a failure names it. Modules that need a package which is not
# installed are left out, but no compiled one is.
IMPORT_ALL = """
import importlib, sys, warnings
is_on = getattr(sys, "_is_gil_enabled", lambda: True)
before = is_on()
for name in {names!r}:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            importlib.import_module(name)
        except ImportError as error:
            assert not (error.name or "").startswith("fastbleu"), error
    about_lock = [str(each.message) for each in caught if "global interpreter lock" in str(each.message)]
    assert not any("'fastbleu" in message for message in about_lock), (name, about_lock)
    assert {beside_others} or is_on() == before, (name, about_lock)
missing = [name for name in {compiled!r} if name not in sys.modules]
assert not missing, missing
"""


def import_all(names: list[str], compiled: list[str], beside_others: bool) -> None:
    printed_by(IMPORT_ALL.format(names=names, compiled=compiled, beside_others=beside_others))


def test_importing_leaves_the_lock_off() -> None:
    """In a process that imports no other package but NumPy."""
    alone = [name for name in SOURCES if not name.startswith(BESIDE_OTHERS)]
    import_all(alone, [name for name in COMPILED if name in alone], False)


@pytest.mark.nightly
def test_no_module_of_ours_turns_the_lock_on() -> None:
    """With the other packages, which may turn it on: then the warning names them."""
    import_all(list(SOURCES), COMPILED, True)


ALL_NAMES = """
import sys, threading
sys.setswitchinterval(1e-6)
import fastbleu, fastbleu.rewards
start = threading.Barrier(8)
found = []
def work():
    start.wait()
    found.append([getattr(fastbleu, name) for name in sorted(fastbleu.__all__) if name not in ("arrow", "compat")])
threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
assert len(found) == 8
for each in found:
    assert all(one is other for one, other in zip(each, found[0])), [
        (one, other) for one, other in zip(each, found[0]) if one is not other]
"""


@pytest.mark.slow
def test_late_names_are_the_same_in_all_threads() -> None:
    for _ in range(3):
        printed_by(ALL_NAMES)
