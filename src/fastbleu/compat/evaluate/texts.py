"""Predictions and their references for Hugging Face `evaluate`: checked, and tokenized as there."""

from __future__ import annotations

from itertools import chain

from ...errors import ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ...inputs.reading import as_list
from ...tokenizers._tokenize import TOKENIZE_13A, tokenize
from ...tokenizers.names import unstripped_13a
from .. import arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    #: Text to tokens; None for 13a.
    AnyTokenizer: TypeAlias = Callable[[str], Sequence[Hashable]] | None

#: What a user calls hypotheses and references.
NAMES = ("predictions", "references")


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


def read_texts(predictions: Any, references: Any, tokenizer: AnyTokenizer) -> tuple[Any, Any]:
    """Check texts, and put them into the form that the matcher takes: text for the core's 13a, or tokens.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        tokenizer: A user's own tokenizer is applied here.

    Returns:
        The predictions, and for each a sequence of references.

    Raises:
        TypeError: One of them is not a sequence, a text is not a str, or the tokenizer returns no sequence of tokens.
        ValueError: The two differ in length, or are empty, or a segment has no reference.
    """
    segments, lists, has_breaks = check_texts(predictions, references)
    if is_compiled(tokenizer):
        if not has_breaks:
            return segments, lists
        function: Callable[[str], Any] = unstripped_13a
    elif tokenizer is None or not callable(tokenizer):
        raise wrong_type("tokenizer", "a callable from str to a sequence of tokens", tokenizer)
    else:
        own: Callable[[str], Sequence[Hashable]] = tokenizer

        def function(text: str) -> Sequence[Hashable]:
            tokens = own(text)
            if isinstance(tokens, (str, bytes)) or not hasattr(tokens, "__len__"):
                raise ArgumentTypeError(
                    "tokenizer",
                    f"must return a sequence of tokens, but made {describe(tokens)} of {describe(text)}",
                    value=tokens,
                )
            return tokens

    return list(map(function, segments)), [list(map(function, texts)) for texts in lists]


def check_texts(predictions: Any, references: Any, absent: bool = False) -> tuple[Any, Any, bool]:
    """Check that predictions are str, and references str, too, or sequences of str.

    Args:
        predictions: n >= 1 str.
        references: n str, or n sequences of str.
        absent: Whether a reference in a sequence may be None.

    Returns:
        The predictions, for each a sequence of references, and whether there may be a line break in any text.

    Raises:
        TypeError: One of them is not a sequence, or a text is not a str; says where.
        ValueError: The two differ in length, or are empty, or a segment has no reference.
    """
    segments, given = arguments.aligned(predictions, references, NAMES)
    first, second = map(Place, NAMES)
    lists = given
    if isinstance(given[0], str):
        lists = [(text,) for text in given]
    elif not {*map(type, given)} <= {list, tuple}:
        for i, some in enumerate(given):
            if isinstance(some, str):
                raise wrong_type(second[i], "a sequence of str, as references[0] is", some)
        lists = [as_list(some, second[i]) for i, some in enumerate(given)]
    if not all(lists):
        i = list(map(bool, lists)).index(False)
        raise ArgumentValueError(second[i], f"must hold at least one reference, got {lists[i]!r}")
    try:
        return segments, lists, bool(arguments.characters_in("\n", chain(segments, *lists)))
    except TypeError:  # not all of them are str
        arguments.check_texts(segments, first)
        if isinstance(given[0], str):
            arguments.check_texts(given, second, "a str, as references[0] is")
        for i, some in enumerate(lists):
            arguments.check_texts(some, second[i], absent=absent)
        return segments, lists, True
