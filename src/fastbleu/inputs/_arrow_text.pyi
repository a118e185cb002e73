from typing import Any

from ..errors import Place
from ._text import TextColumn

class ArrowText(TextColumn):
    def __init__(self, rows: list[Any], name: str | Place) -> None: ...
