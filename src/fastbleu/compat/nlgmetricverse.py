"""nlg-metricverse's `bleu`, on the compiled counting pass.

    from fastbleu.compat.nlgmetricverse import NLGMetricverse, load_metric      # from nlgmetricverse import ...
    from fastbleu.compat.nlgmetricverse import compute                          # the numbers alone

Equal to the last digit to `nlgmetricverse/metrics/bleu` of https://github.com/disi-unibo-nlp/nlg-metricverse at
53d948b (its version 0.9.6): ASCII punctuation becomes spaces, the text is lowercased and split, and tensorflow/nmt's
formula is applied. Kept is what it does with several predictions for an item: all of them are scored as one corpus,
each against all references of its item; then the lengths become each item's longest prediction and shortest
reference, summed; and unless the corpus was longer than its references, the score is multiplied by the penalty of
these lengths over that of the corpus. That penalty, and with it the score, can exceed 1.

Where it differs, deliberately:

- Where the predictions or the shortest references have no token at all, and where the corpus' penalty is too small
  for a float to divide by, the score is 0.0. There it is a ZeroDivisionError; and an IndexError where a first
  prediction or reference has no token.
- Predictions and references of unlike length, an item without predictions or references, and anything but a str in
  the place of one are errors that say where. So is a bare str for a list, whose characters are scored there.
- Tuples and arrays are taken as lists are. There, a tuple of str is scored by its characters.
- There is `bleu` alone. No times are reported. The lists that `NLGMetricverse` is called with stay as they are;
  there, empty items are taken out of them.
"""

from __future__ import annotations

from itertools import islice
from math import exp

from .._columns import describe
from ..checks import check_flag
from ..inputs.text import as_segments
from ..nmt_score import check_lengths, count_corpus, nmt_matcher, nmt_score
from ..tokenizers import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: One text for each item, or several.
    Items: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

_NAMES = ("predictions", "references")

#: What each character of Python's `string.punctuation` becomes.
_SPACES = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "))


def compute(
    *,
    predictions: Items,
    references: Items,
    reduce_fn: str | Callable[..., Any] | None = None,  # noqa: ARG001  # taken and ignored, as there
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Compute the BLEU of items with one or several predictions, and one or several references.

    Args:
        predictions: Of each of n >= 1 items its prediction, or a sequence of them.
        references: Of each item its reference, or a sequence of them.
        reduce_fn: Ignored: the predictions of an item are scored together.
        max_order: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order.

    Returns:
        "score" (0..1, or more), "precisions" (a list, 0..1), "brevity_penalty", "length_ratio", "translation_length"
        and "reference_length" (in tokens, of the longest predictions and the shortest references).

    Raises:
        TypeError: A bare str or an iterator where a list is expected, or a text that is no str.
        ValueError: No items, another number of references, an item without either, or `max_order` below 1.

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
    segments, lists = check_lengths(predictions, references, _NAMES)
    items, references_of = _normalized(segments, "predictions"), _normalized(lists, "references")
    flat = [text for item in items for text in item]
    if len(flat) == len(items):
        return _named(nmt_score(count_corpus(matcher, flat, references_of, _NAMES), smooth))
    matched = [texts for item, texts in zip(items, references_of, strict=True) for _ in item]
    rows = matcher.iterate_per_segment(flat, matched)
    total = [0] * (2 + 2 * matcher.max_ngram_order)
    translation_length = reference_length = 0
    for item in items:
        of_item = list(islice(rows, len(item)))
        total = list(map(sum, zip(total, *of_item, strict=True)))
        translation_length += max(row[0] for row in of_item)
        reference_length += of_item[0][1]
    return _adjusted(nmt_score(total, smooth), translation_length, reference_length)


def _normalized(items: Any, name: str) -> list[list[str]]:
    """Take the texts of each item, with spaces for punctuation; the first item says whether one or several.

    Raises:
        TypeError: An item is of the other kind, or a text is no str.
        ValueError: An item has no text.
    """
    flat = isinstance(items[0], str)
    found = []
    for i, item in enumerate(items):
        if isinstance(item, str) != flat:
            kind = "a str" if flat else "a sequence of str"
            raise TypeError(f"{name}[{i}] must be {kind}, as {name}[0] is, not {describe(item)}")
        texts = []
        for k, text in enumerate([item] if flat else as_segments(item, f"{name}[{i}]")):
            if not isinstance(text, str):
                raise TypeError(f"{name}[{i}][{k}] must be a str, not {describe(text)}")
            texts.append(text.translate(_SPACES))
        if not texts:
            raise ValueError(f"{name}[{i}] must hold at least one text, got {item!r}")
        found.append(texts)
    return found


def _adjusted(
    result: tuple[float, list[float], float, float, int, int], translation_length: int, reference_length: int
) -> dict[str, Any]:
    """Put the lengths of the longest predictions and of the shortest references in the place of a corpus' own."""
    score, precisions, penalty, ratio = result[:4]
    adjusted_ratio = translation_length / reference_length if reference_length else 0.0
    adjusted_penalty = 1.0
    if not ratio > 1.0:
        # Without the limit at 1.0 that the other penalty has.
        adjusted_penalty = exp(1 - 1.0 / adjusted_ratio) if adjusted_ratio else 0.0
        score = score * (adjusted_penalty / penalty) if penalty else 0.0
    return _named((score, precisions, adjusted_penalty, adjusted_ratio, translation_length, reference_length))


def _named(result: tuple[float, list[float], float, float, int, int]) -> dict[str, Any]:
    keys = "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, result, strict=True))


def _is_empty(item: Any) -> bool:
    """Whether an item has nothing to score."""
    return item is None or (hasattr(item, "__len__") and not len(item))


class Bleu:
    """The metric `bleu` with its options: what `load_metric` returns.

    Args:
        resulting_name: What its scores are called.
        compute_kwargs: `max_order` and `smooth`, where a call does not give them.
    """

    def __init__(
        self, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
    ) -> None:
        self.resulting_name = resulting_name or "bleu"
        self.compute_kwargs = dict(compute_kwargs or {})

    def compute(self, *, predictions: Items, references: Items, **options: Any) -> dict[str, dict[str, Any]]:
        """Compute the function `compute`'s scores, under the metric's name."""
        options = {**self.compute_kwargs, **options}
        return {self.resulting_name: compute(predictions=predictions, references=references, **options)}


def load_metric(
    path: str, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
) -> Bleu:
    """Load the metric `bleu` as `nlgmetricverse.load_metric`.

    Args:
        path: "bleu".
        resulting_name: What its scores are called; "bleu" if None.
        compute_kwargs: `max_order` and `smooth`, where a call does not give them.

    Raises:
        ValueError: `path` is another metric.

    Example:
        >>> bleu_1 = load_metric("bleu", resulting_name="bleu_1", compute_kwargs={"max_order": 1})
        >>> bleu_1.compute(predictions=["It rained."], references=["It rained!"])["bleu_1"]["score"]
        1.0
    """
    if path != "bleu":
        raise ValueError(f"unknown path {path!r}; there is only 'bleu'")
    return Bleu(resulting_name, compute_kwargs)


class NLGMetricverse:
    """Computes loaded metrics, as `nlgmetricverse.NLGMetricverse`.

    Args:
        metrics: A metric or its name, or a list of them.

    Example:
        >>> scorer = NLGMetricverse(metrics=load_metric("bleu"))
        >>> scores = scorer(predictions=["It rained all day.", ""], references=["It rained all day!", "It snowed."])
        >>> scores["total_items"], scores["empty_items"], scores["bleu"]["score"]
        (2, 1, 1.0)
    """

    def __init__(self, metrics: str | Bleu | Sequence[str | Bleu] = "bleu") -> None:
        listed = [metrics] if isinstance(metrics, (str, Bleu)) else metrics
        self.metrics = [load_metric(metric) if isinstance(metric, str) else metric for metric in listed]

    def __call__(self, *, predictions: Items, references: Items, **options: Any) -> dict[str, Any]:
        """Compute every metric, leaving out items whose prediction or reference is "", None or an empty list.

        Args:
            predictions: As for `compute`.
            references: Likewise.
            options: Those of `compute`.

        Returns:
            "total_items", "empty_items" (how many were left out) and, unless all were, each metric's scores by its
            name.
        """
        segments, lists = check_lengths(predictions, references, _NAMES)
        kept = [
            i for i, pair in enumerate(zip(segments, lists, strict=True)) if not any(map(_is_empty, pair))
        ]
        scores: dict[str, Any] = {"total_items": len(segments), "empty_items": len(segments) - len(kept)}
        for metric in self.metrics if kept else ():
            scores |= metric.compute(
                predictions=[segments[i] for i in kept], references=[lists[i] for i in kept], **options
            )
        return scores
