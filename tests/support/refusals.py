"""Check errors of arguments."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from fastbleu.errors import ArgumentError


@contextmanager
def argument_error(kind: type[Exception], location: str) -> Iterator[None]:
    """Check that the block raises an error of this class for a value such as `references[1][0]`."""
    with pytest.raises(kind) as caught:
        yield
    assert isinstance(caught.value, ArgumentError), caught.value
    assert str(caught.value.location) == location, caught.value
    assert str(caught.value).startswith(location)


def refusal(call: Callable[..., object], *arguments: object, **options: object) -> str:
    """Return the error of a call as "TypeError: message", a single line, or "" without an error."""
    kinds = (TypeError, ValueError, OverflowError, ImportError)
    try:
        call(*arguments, **options)
    except kinds as error:
        message = str(error)
        assert "\n" not in message
        return f"{next(kind.__name__ for kind in kinds if isinstance(error, kind))}: {message}"
    return ""
