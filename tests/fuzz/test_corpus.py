"""Every input of the corpora, and random and changed ones, at each door. What fuzzes them is `tools/fuzz.py`."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pytest

from .doors import DOORS, check_of

CORPUS = Path(__file__).parent / "corpus"
#: Of each door, as many as there is time for.
SECONDS, FEWEST, MOST = 0.75, 20, 2000


def door_of(name: str) -> Callable[[bytes], None]:
    if name == "text":
        pytest.importorskip("sacrebleu")
        pytest.importorskip("regex")
    return check_of(name)


def inputs(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def changed(data: bytes, generator: random.Random) -> bytes:
    """Some bytes are others, a part is left out, or a part stands twice."""
    found = bytearray(data)
    for _ in range(generator.randint(1, 4)):
        place, size = generator.randint(0, len(found)), generator.randint(1, 8)
        what = generator.randrange(3)
        if what == 0:
            found[place : place + 1] = generator.randbytes(1)
        elif what == 1:
            del found[place : place + size]
        else:
            found[place:place] = found[place : place + size]
    return bytes(found)


def repeatable(name: str, check: Callable[[bytes], None], data: bytes) -> None:
    """Checks an input; an error says how to repeat it."""
    try:
        check(data)
    except Exception as error:
        raise AssertionError(f"check_of({name!r})(bytes.fromhex({data.hex()!r}))") from error


def test_every_module_is_a_door() -> None:
    folder = Path(__file__).parent / "doors"
    assert tuple(sorted(path.stem for path in folder.glob("[a-z]*.py"))) == DOORS


@pytest.mark.parametrize("name", DOORS)
def test_every_door_has_a_corpus(name: str) -> None:
    assert inputs(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOORS)
def test_the_corpus(name: str) -> None:
    check = door_of(name)
    for data in [b"", *inputs(name)]:
        repeatable(name, check, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOORS)
def test_random_and_changed_inputs(name: str) -> None:
    check, corpus = door_of(name), inputs(name)
    generator = random.Random(name)
    end = perf_counter() + SECONDS
    for number in range(MOST):
        if number >= FEWEST and perf_counter() > end:
            break
        data = (
            generator.randbytes(generator.randint(0, 200))
            if number % 2
            else changed(generator.choice(corpus), generator)
        )
        repeatable(name, check, data)
