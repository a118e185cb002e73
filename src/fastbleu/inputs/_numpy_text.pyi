from typing import Any

from ..errors import Place
from ._text import TextColumn

class NumpyText(TextColumn):
    def __init__(self, array: Any, name: str | Place) -> None: ...
