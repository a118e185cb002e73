"""nlg-metricverse's `bleu` of items with one or several predictions: from texts to scores."""

from __future__ import annotations

from itertools import chain, islice

from ...counting.corpus import read_corpus_per_segment
from ...errors import ArgumentValueError, Place, wrong_type
from ...inputs.reading import as_list
from ...options import check_flag, check_order
from ...scoring.nmt import adjusted, nmt_score
from ..arguments import aligned, check_texts, count_corpus, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: One text for each item, or several.
    Items: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

NAMES = ("predictions", "references")

#: What each character of Python's `string.punctuation` becomes.
_SPACES = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "))


def compute(
    *,
    predictions: Items,
    references: Items,
    reduce_fn: str | Callable[..., Any] | None = None,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Compute the BLEU of items with one or several predictions, and one or several references.

    Args:
        predictions: Of each of n >= 1 items its prediction, or a sequence of them.
        references: Of each item its reference, or a sequence of them.
        reduce_fn: Checked and ignored, as there: the predictions of an item are scored together. A callable that makes
            one number of several, or the name of one in NumPy.
        max_order: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order.

    Returns:
        "score" (0..1, or more), "precisions" (a list, 0..1), "brevity_penalty", "length_ratio", "translation_length"
        and "reference_length" (in tokens, of the longest predictions and the shortest references).

    Raises:
        TypeError: A bare str or an iterator where a list is expected, a text that is not a str, or `reduce_fn` is
            neither a str nor callable.
        ValueError: No items, another number of references, an item without either, `max_order` below 1, or `reduce_fn`
            does not make one number of several.
        AttributeError: NumPy has no function of the name `reduce_fn`.
        ZeroDivisionError: The predictions, or the shortest references, have no token at all; or the penalty of the
            corpus is too small to divide by.

    Example:
        >>> result = compute(
        ...     predictions=[["The cat sat.", "A cat sat on the mat!"], ["It rained."]],
        ...     references=[["A cat sat on a mat."], ["It rained all day."]],
        ...     max_order=2,
        ... )
        >>> result["score"], result["translation_length"], result["reference_length"]
        (0.5569180583503175, 8, 10)
    """
    matcher = token_matcher(check_order("max_order", max_order), "shortest", lowercase=True)
    smooth = check_flag("smooth", smooth)
    if reduce_fn is not None:
        _check_reduces(reduce_fn)
    items, references_of = map(_normalized, aligned(predictions, references, NAMES), NAMES)
    flat = list(chain.from_iterable(items))
    if len(flat) == len(items):
        found = nmt_score(count_corpus(matcher, flat, references_of, NAMES), smooth)
    else:
        matched = [texts for item, texts in zip(items, references_of, strict=True) for _ in item]
        rows = (row for row, _ in read_corpus_per_segment(matcher, flat, matched).rows())
        found = adjusted([list(islice(rows, len(item))) for item in items], smooth)
    keys = "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, found, strict=True))


def _check_reduces(reduce_fn: Any) -> None:
    """Check that a function, or NumPy's function of a name, makes one number of several, as nlg-metricverse does.

    Raises:
        TypeError: It is neither a str nor callable.
        ValueError: It makes several numbers of two.
        AttributeError: NumPy has no function of that name.
    """
    import numpy as np

    function = getattr(np, reduce_fn) if isinstance(reduce_fn, str) else reduce_fn
    if not callable(function):
        raise wrong_type("reduce_fn", "a callable or the name of a function in NumPy", reduce_fn)
    if np.array(function([1, 2])).size != 1:
        raise ArgumentValueError("reduce_fn", f"must make one number of several, but {reduce_fn!r} does not")


def _normalized(items: Any, name: str) -> list[list[str]]:
    """Return the texts of each item, with spaces for punctuation. The first item says whether items have several.

    Raises:
        TypeError: An item is of the other kind, or a text is not a str.
        ValueError: An item has no text.
    """
    where = Place(name)
    if isinstance(items[0], str):
        check_texts(items, where, f"a str, as {name}[0] is")
        return [[text.translate(_SPACES)] for text in items]
    found = []
    for i, item in enumerate(items):
        if isinstance(item, str):
            raise wrong_type(where[i], f"a sequence of str, as {name}[0] is", item)
        texts: Any = as_list(item, where[i])
        check_texts(texts, where[i])
        if not len(texts):
            raise ArgumentValueError(where[i], f"must hold at least one text, got {item!r}")
        found.append([text.translate(_SPACES) for text in texts])
    return found
