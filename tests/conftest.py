"""Fixtures and settings of every test."""

import ast
import gc
import inspect
import os
import signal
import textwrap
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support import newstest as newstest_data
from tests.support.compared import COMPARED

# One thread for each process of torch: with pytest-xdist there are as many processes as cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline: a first call pays for imports, and sanitizers slow everything down.
settings.register_profile("default", deadline=None, max_examples=50)
# The same examples in every run, so that a red run can be repeated.
settings.register_profile(
    "ci", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "nightly", deadline=None, max_examples=1000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("FASTBLEU_EXAMPLES") or ("ci" if os.environ.get("CI") else "default"))


# A background job of a shell ignores Ctrl-C, and so do the programs that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# --- The tiers (CONTRIBUTING.md, "Test") ---------------------------------------------------------------------------

TESTS = Path(__file__).parent
# Importing the peers takes longer than the fast tests, and so do the examples of the documentation.
NEVER_FAST = (TESTS / "parity", TESTS / "docs", TESTS.parent / "docs")
#: At most this many parameter sets of a test are fast, evenly spaced.
FAST_PARAMETERS = 4
#: How many tests need a package that is not installed, by package.
MISSING: Counter[str] = Counter()
#: The file of the tests that passed in this run, and that of an earlier run, whose tests do not run again.
PASSED, PASSED_BEFORE = (os.environ.get(f"FASTBLEU_PASSED{which}") for which in ("", "_BEFORE"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.option.markexpr.startswith("fast") and collection_path in NEVER_FAST else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as `fast` what is not `slow` or `nightly` and needs neither a peer nor real text; deselect what cannot run.

    That is tests of real text where it is missing, tests of packages that are not installed, and those that have passed
    before.
    """
    if newstest_data.folder() is None:
        deselect(config, items, lambda item: "newstest" in getattr(item, "fixturenames", ()))
    missing = {item: package for item in items if (package := missing_package(item))}
    MISSING.update(missing.values())
    deselect(config, items, missing.__contains__)
    functions: dict[tuple[Any, ...], list[pytest.Item]] = {}
    for item in items:
        if "newstest" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
        is_slow = any(item.get_closest_marker(name) for name in ("slow", "nightly"))
        if not is_slow and not set(NEVER_FAST) & set(item.path.parents):
            name = getattr(item, "originalname", item.name)
            functions.setdefault((item.parent, name), []).append(item)
    for cases in functions.values():
        step = max(1.0, len(cases) / FAST_PARAMETERS)
        for number in range(min(len(cases), FAST_PARAMETERS)):
            cases[int(number * step)].add_marker("fast")
    if PASSED_BEFORE:
        passed = set(Path(PASSED_BEFORE).read_text(encoding="utf-8").splitlines())
        deselect(config, items, lambda item: item.nodeid in passed)


def deselect(
    config: pytest.Config, items: list[pytest.Item], is_excluded: Callable[[pytest.Item], bool]
) -> None:
    """Remove items from those that run, and report them as deselected."""
    excluded = [item for item in items if is_excluded(item)]
    config.hook.pytest_deselected(items=excluded)
    items[:] = [item for item in items if not is_excluded(item)]


@cache
def imports_or_skips(function: Callable[..., Any]) -> list[ast.expr]:
    """Return the first arguments of `pytest.importorskip` in the statements of a function, not of its blocks."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    if "importorskip" not in getattr(getattr(function, "__code__", None), "co_names", ()):
        return []
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except OSError:  # The file has changed since it was imported.
        return []
    values = [node.value for node in vars(definition)["body"] if isinstance(node, (ast.Expr, ast.Assign))]
    calls = [each for each in values if isinstance(each, ast.Call)]
    return [call.args[0] for call in calls if ast.unparse(call.func) == "pytest.importorskip"]


def missing_package(item: pytest.Item) -> str:
    """Return a package that is not installed and that a test, or a fixture of it, skips without; or ""."""
    fixtures = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    functions = [getattr(item, "obj", None), *(each.func for some in fixtures.values() for each in some)]
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    for argument in (each for function in functions for each in imports_or_skips(function)):
        name = argument.value if isinstance(argument, ast.Constant) else parameters.get(ast.unparse(argument))
        package = str(name or "pytest").partition(".")[0]
        if package != "tests" and find_spec(package) is None:
            return package
    return ""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record the tests that passed, except those that check more if peers are installed."""
    needs_peers = report.nodeid.startswith("tests/patch/")
    if PASSED and report.when == "call" and report.passed and not needs_peers:
        with open(PASSED, "a", encoding="utf-8") as file:
            file.write(f"{report.nodeid}\n")


def pytest_collection_finish() -> None:
    """Exclude the objects of imported modules from garbage collection: there are many, and they live to the end."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


# --- How many results were compared with which peer ---------------------------------------------------------------


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the counts of this worker of pytest-xdist to the main process."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["compared"] = dict(COMPARED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the counts of a worker; one that crashed sends none."""
    COMPARED.update(getattr(node, "workeroutput", {}).get("compared", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print which tests were skipped or not run and why, and how many results were compared with which peer."""
    if MISSING:
        packages = ", ".join(f"{package} {number}" for package, number in sorted(MISSING.items()))
        terminalreporter.write_line(f"tests deselected, for packages that are not installed: {packages}")
    reasons = Counter(report.longrepr[-1] for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("skipped tests")
        for reason, number in reasons.most_common():
            terminalreporter.write_line(f"{number:>12,}  {reason.removeprefix('Skipped: ')}")
    if COMPARED:
        terminalreporter.section("results compared with live peers")
        for peer, number in sorted(COMPARED.items()):
            terminalreporter.write_line(f"{number:>12,}  {peer}")


# --- Fixtures -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def newstest() -> ModuleType:
    """The module `tests.support.newstest`; a test that asks for it runs only where FASTBLEU_DATA names its data."""
    return newstest_data


@pytest.fixture(scope="session")
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)


@pytest.fixture(scope="session")
def spm_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny SentencePiece model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    path: Path = tmp_path_factory.mktemp("spm") / "tiny model.model"
    words = [f"{a}{b}{c}" for a in "abcde" for b in "aeiou" for c in "rstlnm"]
    sentences = (" ".join(words[i : i + 7]) for i in range(len(words) - 7))
    with path.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=sentences, model_writer=file, vocab_size=60, minloglevel=2
        )
    return path
