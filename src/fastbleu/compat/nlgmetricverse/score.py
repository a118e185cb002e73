"""nlg-metricverse's `bleu` of items with one or several predictions: from texts to scores."""

from __future__ import annotations

from itertools import islice
from math import exp

from ...counting.corpus import read_corpus_per_segment
from ...errors import ArgumentValueError, Place, wrong_type
from ...inputs.reading import as_list
from ...options import check_flag
from ...scoring.nmt import check_lengths, count_corpus, nmt_matcher, nmt_score
from ...tokenizers.names import get_tokenizer

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
    matcher = nmt_matcher(get_tokenizer("none"), max_order, lowercase=True)
    smooth = check_flag("smooth", smooth)
    if reduce_fn is not None:
        _check_reduces(reduce_fn)
    segments, lists = check_lengths(predictions, references, NAMES)
    items, references_of = _normalized(segments, "predictions"), _normalized(lists, "references")
    flat = [text for item in items for text in item]
    if len(flat) == len(items):
        return _named(nmt_score(count_corpus(matcher, flat, references_of, NAMES), smooth))
    matched = [texts for item, texts in zip(items, references_of, strict=True) for _ in item]
    rows = (row for row, _ in read_corpus_per_segment(matcher, flat, matched).rows())
    total = [0] * (2 + 2 * matcher.max_ngram_order)
    translation_length = reference_length = 0
    for item in items:
        of_item = list(islice(rows, len(item)))
        total = list(map(sum, zip(total, *of_item, strict=True)))
        translation_length += max(row[0] for row in of_item)
        reference_length += of_item[0][1]
    return _adjusted(nmt_score(total, smooth), translation_length, reference_length)


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
    """The texts of each item, with spaces for punctuation. The first item decides whether items have one or several.

    Raises:
        TypeError: An item is of the other kind, or a text is not a str.
        ValueError: An item has no text.
    """
    flat = isinstance(items[0], str)
    found = []
    where = Place(name)
    for i, item in enumerate(items):
        if isinstance(item, str) != flat:
            kind = "a str" if flat else "a sequence of str"
            raise wrong_type(where[i], f"{kind}, as {name}[0] is", item)
        texts = []
        for k, text in enumerate([item] if flat else as_list(item, where[i])):
            if not isinstance(text, str):
                raise wrong_type(where[i, k], "a str", text)
            texts.append(text.translate(_SPACES))
        if not texts:
            raise ArgumentValueError(where[i], f"must hold at least one text, got {item!r}")
        found.append(texts)
    return found


def _adjusted(
    result: tuple[float, list[float], float, float, int, int], translation_length: int, reference_length: int
) -> dict[str, Any]:
    """Replace the lengths of the corpus by those of the longest predictions and of the shortest references."""
    score, precisions, penalty, ratio = result[:4]
    adjusted_ratio = translation_length / reference_length
    adjusted_penalty = 1.0
    if not ratio > 1.0:
        # Unlike the corpus' penalty, this one has no limit at 1.0.
        adjusted_penalty = exp(1 - 1.0 / adjusted_ratio)
        score = score * (adjusted_penalty / penalty)
    return _named((score, precisions, adjusted_penalty, adjusted_ratio, translation_length, reference_length))


def _named(result: tuple[float, list[float], float, float, int, int]) -> dict[str, Any]:
    keys = "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, result, strict=True))
