"""Texts of a call as numbers of their tokens, for the kernels of search."""

from __future__ import annotations

import os

from ..inputs.columns import IDS, TEXT, TOKENS, Ids
from ..inputs.reading import read
from ..system.threads import CHUNK_SEGMENTS
from ._vocabulary import NumberedTexts, Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from ..inputs.columns import Column, Kind
    from ..metric import BLEU


class Tokens:
    """The tokens of the texts of an index and their numbers.

    Args:
        metric: The options that decide tokens.
        kind: What the texts are; None: the first ones say it.
        words: Numbers of tokens that are objects of Python.
        vocabulary: Numbers of all tokens; None: there are none yet.
    """

    def __init__(
        self,
        metric: BLEU,
        kind: Kind | None = None,
        words: dict[Hashable, int] | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._matcher = metric.matcher
        self.kind = kind
        self.words = {} if words is None else words
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary

    def column(self, texts: Any, name: str) -> Column:
        """Read texts as those of the index are read, or as what they are if these are the first.

        Raises:
            TypeError: They are not texts, or not of the kind of those in the index.
            ValueError: The options would change tokens or ids.
        """
        column = read(texts, name)
        if isinstance(column, Ids):
            column = column.flat()
        kind = self.kind or column.kind or TEXT
        column = column.as_kind(kind)
        self._matcher.check_kind([column], kind)
        return column

    def reader(self, column: Column, grows: bool) -> Callable[..., tuple[NumberedTexts, int]]:
        """Make what numbers the texts start..stop - 1 of a column, or fewer, and says where it stopped.

        It may be given texts to append them to.

        Args:
            column: From `column`.
            grows: Whether unknown tokens get numbers. Otherwise they match nothing.
        """
        kind = column.kind or TEXT
        by_python = kind == TOKENS or (kind == TEXT and self._matcher.tokenizer.to_tokens is not None)
        make = self._matcher.reader([column], self.words if by_python else None, by_python and not grows)
        tokenizer = self._matcher.counter_for(IDS if by_python else kind).tokenizer

        def read_some(start: int, stop: int, texts: NumberedTexts | None = None) -> tuple[NumberedTexts, int]:
            texts = NumberedTexts() if texts is None else texts
            (made, *_), stop = make(start, stop)
            texts.append(made, tokenizer, self.vocabulary, grows)
            return texts, stop

        return read_some

    def number_all(self, column: Column, advance: Callable[[int], object]) -> NumberedTexts:
        """Number all texts of a column, new tokens too; `advance` is told how many after each chunk."""
        texts = NumberedTexts()
        read_some = self.reader(column, True)
        start = 0
        while start < len(column):
            _, stop = read_some(start, min(start + CHUNK_SEGMENTS, len(column)), texts)
            advance(stop - start)
            start = stop
        return texts


def new_seeds() -> tuple[int, int]:
    """Make the secret seeds of the lists of an index, so that nobody can choose texts that share lists."""
    return int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little")
