"""Everything that a function of another package reads is watched, and nothing else in its modules."""

import builtins
import logging
import math
import sys
from collections import Counter
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from fastbleu.patch.replacing import Replacement
from fastbleu.system.watched_names import reads_of

HELPERS = """
import math, warnings
from functools import lru_cache
FACTOR, UNREAD, TABLE = 2, 3, {"length": 1, "kept": None}
class Base:
    def inherited(self): return 1
    def unread(self): return 2
class Kind(Base):
    def __init__(self): self.value = sum([FACTOR])
    @lru_cache
    def method(self): return self.inherited()
    def __iadd__(self, number): return self.step(number)
    def step(self, number): return self
class Other: pass
def closing():
    held = 0
    def closed(number=0, *, keyword=1): return number + held
    return closed
closed = closing()
def inner(text): return math.log(len(text)) + Kind().method() + closed() + TABLE["length"]
def unread(): return 1
"""
FRONT = """
import logging, sys
from collections import Counter
from {package}.helpers import inner
def front(text):
    print(text, file=sys.stderr)
    logging.info(text)
    return [max(inner(each), 1) for each in Counter(text)]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"peer_{tmp_path.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "helpers.py").write_text(HELPERS)
    (tmp_path / name / "front.py").write_text(FRONT.format(package=name))
    monkeypatch.syspath_prepend(tmp_path)
    return name


def is_unchanged(package: str) -> bool:
    return all(check() for check in reads_of(("front",), import_module(f"{package}.front")))


READ: list[tuple[Any, str]] = [
    ("front", "inner"),
    ("front", "max"),
    ("front", "Counter"),
    ("helpers", "math"),
    ("helpers", "len"),
    ("helpers", "sum"),
    ("helpers", "FACTOR"),
    *(
        ("helpers.Kind", name)
        for name in ("__init__", "__setattr__", "method", "__iadd__", "__mul__", "step", "inherited")
    ),
    ("helpers.Base", "inherited"),
    (math, "log"),
    (builtins, "max"),
    (Counter, "update"),
]
UNREAD: list[tuple[Any, str]] = [
    ("helpers", "UNREAD"),
    ("helpers", "unread"),
    ("helpers", "min"),
    ("helpers.Base", "unread"),
    (builtins, "print"),
    (logging, "info"),
    (sys, "stderr"),
]


@pytest.mark.parametrize(("holder", "name"), READ + UNREAD, ids=str)
def test_only_names_that_are_read_are_watched(
    package: str, holder: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [is_unchanged(package) for _ in range(3)] == [True] * 3
    with monkeypatch.context() as patched:
        patched.setattr(holder_of(package, holder), name, lambda *_, **__: 0, raising=False)
        results = [is_unchanged(package), is_unchanged(package)]
    assert results == [(holder, name) in UNREAD] * 2
    assert is_unchanged(package)


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("inner", "__code__", (lambda _: 0).__code__),
        ("Kind.step", "__code__", (lambda _, number: number).__code__),
        ("Kind.method.__wrapped__", "__code__", (lambda _: 0).__code__),
        ("closed", "__defaults__", (1,)),
        ("closed", "__defaults__", None),
        ("closed", "__kwdefaults__", {"keyword": 1}),
        ("closed.__closure__", "cell_contents", 1),
        ("Kind", "__bases__", ("Other",)),
    ],
)
def test_what_a_function_or_class_is_made_of_is_watched(
    package: str, name: str, part: str, value: Any
) -> None:
    assert is_unchanged(package)
    helpers: Any = import_module(f"{package}.helpers")
    holder = attrgetter(name)(helpers)
    holder = holder[0] if isinstance(holder, tuple) else holder
    value = tuple(getattr(helpers, each) for each in value) if part == "__bases__" else value
    before = getattr(holder, part)
    setattr(holder, part, value)
    found = is_unchanged(package)
    setattr(holder, part, before)
    assert [found, is_unchanged(package)] == [False, True]


def test_dictionaries_are_watched_but_for_what_is_filled_later(package: str) -> None:
    assert is_unchanged(package)
    helpers: Any = import_module(f"{package}.helpers")
    helpers.TABLE["kept"] = helpers.closed.__kwdefaults__["other"] = 5
    assert is_unchanged(package)
    for table, key in ((helpers.TABLE, "length"), (helpers.closed.__kwdefaults__, "keyword")):
        table[key] += 1
        assert not is_unchanged(package)
        table[key] -= 1
        assert is_unchanged(package)


@pytest.mark.parametrize("before", [True, False])
def test_code_that_is_replaced_and_code_that_a_program_had_exchanged_before(
    package: str, before: bool
) -> None:
    helpers: Any = import_module(f"{package}.helpers")
    if before:
        helpers.inner.__code__ = (lambda _: 0).__code__
    replacement = Replacement(helpers.inner, lambda _: 0)
    for change in (replacement.install, replacement.uninstall, replacement.install):
        change()
        assert is_unchanged(package) is not before
    reads_of.cache_clear()
    assert is_unchanged(package) is not before
    exchanged = (lambda _: 1).__code__
    helpers.inner.__code__ = exchanged
    replacement.uninstall()
    replacement.install()
    assert helpers.inner.__code__ is exchanged
    assert not is_unchanged(package)


def test_a_name_that_is_taken_away_and_another_that_comes(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers = import_module(f"{package}.helpers")
    assert is_unchanged(package)
    monkeypatch.delattr(helpers, "UNREAD")
    monkeypatch.setattr(helpers, "len", lambda _: 0, raising=False)
    assert not is_unchanged(package)


def test_what_a_program_had_changed_before_is_no_part_of_the_package(package: str) -> None:
    helpers: Any = import_module(f"{package}.helpers")
    helpers.Kind.method = lambda _: 0
    assert not is_unchanged(package)


def holder_of(package: str, holder: Any) -> Any:
    if not isinstance(holder, str):
        return holder
    module, *kind = holder.split(".")
    found = import_module(f"{package}.{module}")
    return getattr(found, kind[0]) if kind else found
