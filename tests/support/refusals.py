"""Errors about an argument: what kind, and which value in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fastbleu.errors import ArgumentError


@contextmanager
def argument_error(kind: type[Exception], place: str) -> Iterator[None]:
    """The block raises an error of this kind about the value at this place, such as `references[1][0]`."""
    with pytest.raises(kind) as caught:
        yield
    assert isinstance(caught.value, ArgumentError), caught.value
    assert str(caught.value.place) == place, caught.value
    assert str(caught.value).startswith(place)
