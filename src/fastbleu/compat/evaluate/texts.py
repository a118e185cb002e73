"""Predictions and their references for Hugging Face `evaluate`: checked, and tokenized as there."""

from __future__ import annotations

from itertools import chain, islice

from ...errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ...inputs.reading import as_list
from ...scoring.nmt import check_lengths
from ...tokenizers._tokenize import TOKENIZE_13A, tokenize
from ...tokenizers.names import unstripped_13a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any, TypeAlias

    #: Text to tokens; None for 13a.
    AnyTokenizer: TypeAlias = Callable[[str], Sequence[Hashable]] | None

#: What a user calls hypotheses and references.
NAMES = ("predictions", "references")
_PREDICTIONS, _REFERENCES = map(Place, NAMES)

#: Texts that are joined to search them for characters; a joined copy stays small.
_CHUNK_TEXTS = 4096


class Tokenizer13a:
    r"""The default tokenizer of `bleu` and `google_bleu`: mteval-v13a's, of text that is not stripped before.

    As an argument it selects the compiled tokenizer, so that no Python runs for each segment.

    Example:
        >>> Tokenizer13a()("It cost $1.5 million, didn't it? Well-\n")
        ['It', 'cost', '$', '1.5', 'million', ',', "didn't", 'it', '?', 'Well']
    """

    def __call__(self, line: str) -> list[str]:
        """Tokenize a line.

        Args:
            line: The text.

        Returns:
            Its tokens.

        Raises:
            TypeError: `line` is not a str.
        """
        if not isinstance(line, str):
            raise wrong_type("line", "a str", line)
        return tokenize(unstripped_13a(line), TOKENIZE_13A)

    def signature(self) -> str:
        """Return the tokenizer's name."""
        return "13a"


def is_compiled(tokenizer: AnyTokenizer) -> bool:
    """Return whether a tokenizer is the compiled one, and not a user's own or an instance of a subclass."""
    return tokenizer is None or type(tokenizer) is Tokenizer13a


class Texts:
    """Predictions and their references, checked.

    Attributes:
        predictions: A sequence of n str, or of the tokens of each.
        streams: The references as streams if each prediction has the same number of them, else None.
    """

    __slots__ = ("_references", "predictions", "streams")

    def __init__(self, predictions: Any, references: Any, streams: Any) -> None:
        self.predictions = predictions
        self._references = references
        self.streams = streams

    @property
    def references(self) -> Any:
        """For each prediction a sequence of references."""
        if self._references is None:
            self._references = list(zip(*self.streams, strict=True))
        return self._references

    def apply(self, function: Callable[[str], Any]) -> Texts:
        """The texts with a function applied to each."""

        def all_of(lists: Any) -> list[list[Any]]:
            return [list(map(function, texts)) for texts in lists]

        if self.streams is None:
            return Texts(list(map(function, self.predictions)), all_of(self.references), None)
        return Texts(list(map(function, self.predictions)), None, all_of(self.streams))


def read_texts(predictions: Any, references: Any, tokenizer: AnyTokenizer) -> Texts:
    """Check texts, and put them into the form that the matcher takes: text for the core's 13a, or tokens.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        tokenizer: A user's own tokenizer is applied here.

    Raises:
        TypeError: One of them is not a sequence, a text is not a str, or the tokenizer returns no sequence of tokens.
        ValueError: The two differ in length, or are empty, or a segment has no reference.
    """
    texts, line_breaks = check_texts(predictions, references)
    if is_compiled(tokenizer):
        return texts.apply(unstripped_13a) if line_breaks else texts
    if tokenizer is None or not callable(tokenizer):
        raise wrong_type("tokenizer", "a callable from str to a sequence of tokens", tokenizer)

    def to_tokens(text: str) -> Sequence[Hashable]:
        tokens = tokenizer(text)
        if isinstance(tokens, (str, bytes)) or not hasattr(tokens, "__len__"):
            raise ArgumentTypeError(
                "tokenizer",
                f"must return a sequence of tokens, but made {describe(tokens)} of {describe(text)}",
                value=tokens,
            )
        return tokens

    return texts.apply(to_tokens)


def check_texts(predictions: Any, references: Any, absent: bool = False) -> tuple[Texts, bool]:
    """Check that predictions are str, and references str, too, or sequences of str.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        absent: Whether a reference in a sequence may be None.

    Returns:
        The texts, and whether there is a line break in any of them.

    Raises:
        TypeError: One of them is not a sequence, or a text is not a str; says where.
        ValueError: The two differ in length, or are empty, or a segment has no reference.
    """
    segments, lists = check_lengths(predictions, references, NAMES)
    flat = isinstance(lists[0], str)
    texts = Texts(segments, None, [lists]) if flat else _with_streams(segments, lists)
    try:
        line_breaks = [
            _hold_line_break(side)
            for side in (segments, *(texts.streams or [chain.from_iterable(texts.references)]))
        ]
    except TypeError:
        _check_each(segments, lists if flat else texts.references, flat, absent)
        return texts, True
    return texts, any(line_breaks)


def _with_streams(segments: Any, lists: Any) -> Texts:
    """Texts with references of each segment, at least one; also as streams if each has the same number."""
    if not set(map(type, lists)) <= {list, tuple}:
        lists = [_sequence(_REFERENCES[i], texts) for i, texts in enumerate(lists)]
    numbers = set(map(len, lists))
    if 0 in numbers:
        i = list(map(len, lists)).index(0)
        raise ArgumentValueError(_REFERENCES[i], f"must hold at least one reference, got {lists[i]!r}")
    return Texts(segments, lists, list(zip(*lists, strict=True)) if len(numbers) == 1 else None)


def _sequence(name: Place, texts: Any) -> Any:
    """Check that the references of a segment are a sequence."""
    if isinstance(texts, str):
        raise wrong_type(name, "a sequence of str, as references[0] is", texts)
    return as_list(texts, name)


def _hold_line_break(texts: Iterable[str]) -> bool:
    """Return whether there is a line break in any text. A TypeError if one is not a str."""
    texts = iter(texts)
    found = False
    while chunk := list(islice(texts, _CHUNK_TEXTS)):
        found |= "\n" in "".join(chunk)
    return found


def _check_each(segments: Any, lists: Any, flat: bool, absent: bool) -> None:
    """Check that each text is a str, and name the first that is not."""
    for i, prediction in enumerate(segments):
        if not isinstance(prediction, str):
            raise wrong_type(_PREDICTIONS[i], "a str", prediction)
    for i, texts in enumerate(lists):
        if flat:
            if not isinstance(texts, str):
                raise wrong_type(_REFERENCES[i], "a str, as references[0] is", texts)
            continue
        for k, reference in enumerate(texts):
            if not isinstance(reference, str) and not (absent and reference is None):
                raise wrong_type(_REFERENCES[i, k], "a str", reference)
