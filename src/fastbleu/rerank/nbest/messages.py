"""What stands in lines of files, as messages show it."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST_SHOWN = 60  # characters


def shown(text: bytes) -> str:
    r"""How a text starts.

    Example:
        >>> shown(b"caf\xc3\xa9"), len(shown(bytes(1000)))
        ("'café'", 245)
    """
    return repr(_start(text.decode("utf-8", "replace")))


def shown_json(value: Any) -> str:
    """How a value starts, as JSON.

    Example:
        >>> shown_json({"id": None})
        '{"id": null}'
    """
    return _start(json.dumps(value, ensure_ascii=False))


def _start(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
