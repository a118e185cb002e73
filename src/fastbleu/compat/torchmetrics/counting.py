"""Predictions and their references: checked, and counted as torchmetrics counts them."""

from __future__ import annotations

from itertools import chain

from ...counting.matcher import Matcher, Streams, renamed
from ...counting.rows import row_width
from ...errors import describe
from ...inputs.text import PER_SEGMENT, as_segments
from ...options import check_integer
from ...tokenizers.names import get_tokenizer, unstripped_13a
from .tokens import CASE_MATTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .tokens import SacreBLEUTokenizer

#: What a user calls hypotheses and references.
_NAMES = ("preds", "target")

#: Texts looked at together, so that the copy of them stays small.
_CHUNK_TEXTS = 4096

#: Beyond this, memory ends before any use does.
_MOST_ORDERS = 1 << 16


class CorpusCounter:
    """Counts matches as torchmetrics does: the closest reference's length, of two equally close the first's.

    Args:
        tokenizer: Makes tokens of text.
        n_gram: The longest n-grams counted, N >= 1.

    Raises:
        TypeError: `n_gram` is no int.
        ValueError: It is below 1.

    Example:
        >>> from fastbleu.compat.torchmetrics.tokens import SacreBLEUTokenizer
        >>> counter = CorpusCounter(SacreBLEUTokenizer("none"), 2)
        >>> counter.count(["the cat sat"], [["the cat is here", "a cat"]])
        [3, 4, 2, 1, 3, 2]
    """

    def __init__(self, tokenizer: SacreBLEUTokenizer, n_gram: int) -> None:
        self.n_gram = check_integer("n_gram", n_gram, 1, _MOST_ORDERS)
        self.tokenizer = tokenizer
        white_space = get_tokenizer("none")
        compiled = tokenizer.core.compiled is not None
        self._of_tokens = Matcher(white_space, False, self.n_gram, "closest-first")
        self._of_text = (
            Matcher(tokenizer.core, tokenizer.lowercase, self.n_gram, "closest-first") if compiled else None
        )
        # What a batch is searched for before it goes the quick way.
        self._sought = CASE_MATTERS[tokenizer.name] if compiled and tokenizer.lowercase else ""

    def count(self, preds: Any, target: Any) -> list[int]:
        """Count a corpus.

        Args:
            preds: n texts.
            target: Of each its references, at least one.

        Returns:
            The row of the whole corpus: two lengths, matched n-grams of the orders 1..N, candidate n-grams likewise.

        Raises:
            TypeError: One of them is no sequence, or a text is no str; says where.
            ValueError: The two differ in length, or a text has no reference.
        """
        preds, target = _as_corpus(preds, target)
        if not preds:
            return [0] * row_width(self.n_gram)
        streams = _as_streams(target)
        sources = [preds, *(streams or [list(chain.from_iterable(target))])]
        try:
            found = _find(f"\n{self._sought}", sources)
        except TypeError:
            _check_texts(preds, target)
            raise
        matcher, change = self._way(sources, found)
        if change is not None:
            preds = list(map(change, preds))
            if streams is None:
                target = [list(map(change, texts)) for texts in target]
            else:
                streams = [list(map(change, texts)) for texts in streams]
        try:
            if streams is None:
                return matcher.count_per_segment(preds, target).row
            return matcher.count(preds, Streams(streams)).row
        except (TypeError, ValueError) as error:
            raise renamed(error, _NAMES) from None

    def _way(self, sources: list[Any], found: set[str]) -> tuple[Matcher, Callable[[str], str] | None]:
        """Choose what counts a batch in which these characters were found, and what each text is changed to before."""
        name = self.tokenizer.name
        if (
            self._of_text is None
            or found - {"\n"}
            or (name == "intl" and any(text[-1:].isspace() for text in chain.from_iterable(sources)))
        ):
            return self._of_tokens, self.tokenizer.to_text
        return self._of_text, unstripped_13a if name == "13a" and found else None


def _as_corpus(preds: Any, target: Any) -> tuple[Any, Any]:
    """Check that there is a sequence of references for each of a sequence of texts; lists are made of iterators."""
    preds, target = as_list(preds, "preds"), as_list(target, "target", PER_SEGMENT)
    if len(preds) != len(target):
        raise ValueError(f"Corpus has different size {len(preds)} != {len(target)}")
    if not set(map(type, target)) <= {list, tuple}:
        target = [
            as_list(texts, f"target[{i}]", "a sequence of references") for i, texts in enumerate(target)
        ]
    if not all(target):
        i = list(map(bool, target)).index(False)
        raise ValueError(f"target[{i}] must hold at least one reference, got {target[i]!r}")
    return preds, target


def as_list(value: Any, name: str, what: str = "a sequence of segments") -> Any:
    """Make a list of a sequence or of what an iterator still holds, and leave a list or tuple as it is.

    Raises:
        TypeError: It is no sequence, or a str.
    """
    if isinstance(value, (list, tuple)):
        return value
    return list(value if hasattr(value, "__next__") else as_segments(value, name, what))


def _as_streams(target: Any) -> list[Any] | None:
    """References as streams, where there are as many for each text."""
    try:
        return list(zip(*target, strict=True))
    except ValueError:
        return None


def _find(characters: str, sources: list[Any]) -> set[str]:
    """Find out which characters there are in texts. A TypeError if one of these is no str."""
    found: set[str] = set()
    for source in sources:
        for start in range(0, len(source), _CHUNK_TEXTS):
            joined = "".join(source[start : start + _CHUNK_TEXTS])
            found.update(character for character in characters if character in joined)
    return found


def _check_texts(preds: Any, target: Any) -> None:
    """Say which text is no str."""
    named = chain(
        ((f"preds[{i}]", text) for i, text in enumerate(preds)),
        ((f"target[{i}][{k}]", text) for i, texts in enumerate(target) for k, text in enumerate(texts)),
    )
    for name, text in named:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a str, not {describe(text)}")
