from collections.abc import Callable
from typing import Any

LEFT: object
NOT_CONCERNED: object

class Call:
    original: Any
    taken: int
    left: int
    refused: str
    def __init__(
        self, original: Any, replacement: Callable[..., Any], depths: tuple[int, ...], reads: tuple[Any, ...]
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
