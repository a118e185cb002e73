"""Predictions and their references: checked, and counted as torchmetrics counts them."""

from __future__ import annotations

from itertools import chain

from ...counting.corpus import Corpus, count_few, read_corpus_per_segment
from ...counting.matcher import kept_matcher
from ...counting.rows import row_width
from ...errors import ArgumentValueError, Place, wrong_type
from ...inputs.columns import column_of, given_per_segment
from ...inputs.reading import PER_SEGMENT, SEGMENTS, as_list
from ...options import check_order
from ...tokenizers.names import get_tokenizer, unstripped_13a
from .tokens import CASE_MATTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ...counting.matcher import Matcher
    from .tokens import SacreBLEUTokenizer

#: What a user calls hypotheses and references.
_NAMES = ("preds", "target")

#: Texts that are joined to search them for characters; a joined copy stays small.
_CHUNK_TEXTS = 4096


class CorpusCounter:
    """Counts matches as torchmetrics does: the closest reference's length, of two equally close the first's.

    Args:
        tokenizer: Makes tokens of text.
        n_gram: The longest n-grams counted, N >= 1.

    Raises:
        TypeError: `n_gram` is not an int.
        ValueError: It is below 1.

    Example:
        >>> from fastbleu.compat.torchmetrics.tokens import SacreBLEUTokenizer
        >>> counter = CorpusCounter(SacreBLEUTokenizer("none"), 2)
        >>> counter.count(["the cat sat"], [["the cat is here", "a cat"]])
        [3, 4, 2, 1, 3, 2]
    """

    def __init__(self, tokenizer: SacreBLEUTokenizer, n_gram: int) -> None:
        self.n_gram = check_order("n_gram", n_gram)
        self.tokenizer = tokenizer
        white_space = get_tokenizer("none")
        compiled = tokenizer.core.compiled is not None
        self._of_tokens = kept_matcher(white_space, False, self.n_gram, "closest-first")
        self._of_text = (
            kept_matcher(tokenizer.core, tokenizer.lowercase, self.n_gram, "closest-first")
            if compiled
            else None
        )
        # A batch that holds one of these characters cannot be lowercased before it is tokenized.
        self._sought = CASE_MATTERS[tokenizer.name] if compiled and tokenizer.lowercase else ""

    def count(self, preds: Any, target: Any) -> list[int]:
        """Count a corpus.

        Args:
            preds: n texts.
            target: Of each its references, at least one.

        Returns:
            The row of the whole corpus: two lengths, matched n-grams of the orders 1..N, candidate n-grams likewise.

        Raises:
            TypeError: One of them is not a sequence, or a text is not a str; says where.
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
            return self.count(*_with_empty_texts(preds, target))
        matcher, change = self._choose(sources, found)
        if change is not None:
            preds = list(map(change, preds))
            if streams is None:
                target = [list(map(change, texts)) for texts in target]
            else:
                streams = [list(map(change, texts)) for texts in streams]
        row = count_few(matcher, preds, target if streams is None else list(zip(*streams, strict=True)))
        if row is not None:
            return row
        if streams is None:
            return read_corpus_per_segment(matcher, preds, target, _NAMES).count().row
        references = given_per_segment(streams, _NAMES[1])
        return Corpus(matcher, column_of(preds, _NAMES[0]), references).count().row

    def _choose(self, sources: list[Any], found: set[str]) -> tuple[Matcher, Callable[[str], str] | None]:
        """Choose how to count a batch in which these characters were found: a matcher, and a change of texts before."""
        name = self.tokenizer.name
        if (
            self._of_text is None
            or found - {"\n"}
            or (name == "intl" and any(text[-1:].isspace() for text in chain.from_iterable(sources)))
        ):
            return self._of_tokens, self.tokenizer.to_text
        return self._of_text, unstripped_13a if name == "13a" and found else None


def _as_corpus(preds: Any, target: Any) -> tuple[Any, Any]:
    """Check that each text has a sequence of references; iterators become lists."""
    preds, target = as_texts(preds, "preds"), as_texts(target, "target", PER_SEGMENT)
    if len(preds) != len(target):
        raise ValueError(f"Corpus has different size {len(preds)} != {len(target)}")
    if not set(map(type, target)) <= {list, tuple}:
        of_each = "a sequence of references"
        target = [as_texts(texts, Place("target")[i], of_each) for i, texts in enumerate(target)]
    if not all(target):
        i = list(map(bool, target)).index(False)
        raise ArgumentValueError(Place("target")[i], f"must hold at least one reference, got {target[i]!r}")
    return preds, target


def as_texts(value: Any, name: str | Place, what: str = SEGMENTS) -> Any:
    """A list or tuple as it is, any other sequence and an iterator as a list.

    Raises:
        TypeError: It is not a sequence, or a str.
    """
    if isinstance(value, (list, tuple)):
        return value
    return list(value if hasattr(value, "__next__") else as_list(value, name, what))


def _as_streams(target: Any) -> list[Any] | None:
    """References as streams if each text has the same number of them, else None."""
    try:
        return list(zip(*target, strict=True))
    except ValueError:
        return None


def _find(characters: str, sources: list[Any]) -> set[str]:
    """Find which of some characters are in texts. A TypeError if a text is not a str."""
    found: set[str] = set()
    for source in sources:
        for start in range(0, len(source), _CHUNK_TEXTS):
            joined = "".join(source[start : start + _CHUNK_TEXTS])
            found.update(character for character in characters if character in joined)
    return found


def _with_empty_texts(preds: Any, target: Any) -> tuple[list[str], list[list[str]]]:
    """Put "" where torchmetrics sees an empty text: an empty list, None, 0. A list is empty on purpose; warn of others.

    Raises:
        TypeError: Something else is not a str; names the first.
    """
    missing: list[Place] = []

    def as_text(text: Any, where: Place) -> str:
        if isinstance(text, str):
            return text
        if hasattr(text, "ndim") or text:
            raise wrong_type(where, "a str", text)
        if not isinstance(text, (list, tuple)):
            missing.append(where)
        return ""

    of_preds, of_target = map(Place, _NAMES)
    corpus = (
        [as_text(text, of_preds[i]) for i, text in enumerate(preds)],
        [[as_text(text, of_target[i, k]) for k, text in enumerate(texts)] for i, texts in enumerate(target)],
    )
    if missing:
        from warnings import warn

        found = f"{missing[0]} is not text and counts as empty"
        warn(found if len(missing) == 1 else f"{found}, and {len(missing) - 1} others do", stacklevel=4)
    return corpus
