"""nlg-metricverse's metric `bleu`.

    from fastbleu.compat.nlgmetricverse import NLGMetricverse, load_metric      # from nlgmetricverse import ...
    from fastbleu.compat.nlgmetricverse import compute                          # only the numbers

The scores equal, to the last digit, those of `nlgmetricverse/metrics/bleu` in
https://github.com/disi-unibo-nlp/nlg-metricverse at 53d948b (version 0.9.6). ASCII punctuation becomes spaces, the text
is lowercased and split at white space, and tensorflow/nmt's formula is applied.

If items have several predictions, all predictions are scored as one corpus, each with all references of its item. Then
two new lengths are computed: the translation length is the sum of the lengths of the longest prediction of each item,
and the reference length is the sum of the lengths of the shortest reference of each item. If the predictions of the
corpus were not longer than their references, the brevity penalty is computed again from the new lengths, without the
limit of 1. The score is divided by the old penalty and multiplied by the new one. Therefore the penalty and the score
may exceed 1. A ZeroDivisionError is raised if the predictions or the shortest references have no tokens at all, or if
the old penalty is too small to divide by.

Deliberate differences:

- The first prediction and the first reference may have no tokens. The original raises an IndexError.
- Predictions and references of unequal length, an item without predictions or references, and a text that is not a str
  raise errors that name the item.
- A bare str instead of a list raises an error. The original scores its characters.
- Tuples and arrays are accepted like lists. The original scores the characters of a tuple of str.
- `bleu` is the only metric. `NLGMetricverse` has only the options documented here. Predictions and references are not
  read from files, and times are not reported.
- The lists of the caller are not changed. The original removes empty items from them.
- If neither a name nor `max_order` is given, the name of the scores is "bleu". In the original it is "bleu_planet".
"""

from __future__ import annotations

from itertools import chain, islice

from ..counting.corpus import read_corpus_per_segment
from ..errors import ArgumentValueError, Location, describe, wrong_type
from ..inputs.reading import as_list
from ..options import check_flag, check_order
from ..scoring.nmt_formula import adjusted, nmt_score
from .arguments import aligned, check_texts, count_corpus, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: One text per item, or a sequence of texts per item.
    Items: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

__all__ = ["Bleu", "NLGMetricverse", "compute", "load_metric"]

_NAMES = ("predictions", "references")

#: A translation table that replaces each character of Python's `string.punctuation` by a space.
_SPACES = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "))


def compute(
    *,
    predictions: Items,
    references: Items,
    reduce_fn: str | Callable[..., Any] | None = None,  # noqa: ARG001  # nlg-metricverse's signature
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """Compute the BLEU of items with one or several predictions, and one or several references.

    Args:
        predictions: n >= 1 items, each a prediction or a sequence of predictions.
        references: n items, each a reference or a sequence of references.
        reduce_fn: Ignored, as in the original: the predictions of an item are scored together.
        max_order: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order.

    Returns:
        A dictionary: "score" (0..1, or above), "precisions" (a list, 0..1), "brevity_penalty" (0..1, or above),
        "length_ratio", "translation_length" (the number of tokens in the longest prediction of each item), and
        "reference_length" (the number of tokens in the shortest references).

    Raises:
        TypeError: A bare str or an iterator is given instead of a list, or a text is not a str.
        ValueError: There are no items, the numbers of predictions and references differ, an item has no prediction or
            no reference, or `max_order` is below 1.
        ZeroDivisionError: The predictions, or the shortest references, have no tokens at all; or the penalty of the
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
    items, references_of = map(_normalized, aligned(predictions, references, _NAMES), _NAMES)
    flat = list(chain.from_iterable(items))
    if len(flat) == len(items):
        scores = nmt_score(count_corpus(matcher, flat, references_of, _NAMES), smooth)
    else:
        matched = [texts for item, texts in zip(items, references_of, strict=True) for _ in item]
        rows = (row for row, _ in read_corpus_per_segment(matcher, flat, matched).rows())
        scores = adjusted([list(islice(rows, len(item))) for item in items], smooth)
    keys = "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, scores, strict=True))


def _normalized(items: Any, name: str) -> list[list[str]]:
    """Replace punctuation in all texts by spaces, and return the texts of each item as a list.

    If the first item is a str, all items must be str; otherwise, all must be sequences of str.

    Raises:
        TypeError: An item or a text has another type.
        ValueError: An item has no text.
    """
    where = Location(name)
    if isinstance(items[0], str):
        check_texts(items, where, f"a str, as {name}[0] is")
        return [[text.translate(_SPACES)] for text in items]
    normalized = []
    for i, item in enumerate(items):
        if isinstance(item, str):
            raise wrong_type(where[i], f"a sequence of str, as {name}[0] is", item)
        texts: Any = as_list(item, where[i])
        check_texts(texts, where[i])
        if not len(texts):
            raise ArgumentValueError(where[i], f"must hold at least one text, got {item!r}")
        normalized.append([text.translate(_SPACES) for text in texts])
    return normalized


class Bleu:
    """The metric `bleu` with its options, as returned by `load_metric`.

    Args:
        resulting_name: The name of the scores in results. None means "bleu", or "bleu_N" if `compute_kwargs` sets
            `max_order` to N.
        compute_kwargs: Default values of `max_order`, `smooth` and `reduce_fn` for calls of `compute`.
    """

    def __init__(
        self, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
    ) -> None:
        self.compute_kwargs = dict(compute_kwargs or {})
        order = self.compute_kwargs.get("max_order")
        self.resulting_name = resulting_name or ("bleu" if order is None else f"bleu_{order}")

    def compute(self, *, predictions: Items, references: Items, **options: Any) -> dict[str, dict[str, Any]]:
        """Return the result of the function `compute`, in a dictionary under the name of the scores."""
        options = {**self.compute_kwargs, **options}
        return {self.resulting_name: compute(predictions=predictions, references=references, **options)}


def load_metric(
    path: str, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
) -> Bleu:
    """Load the metric `bleu`, like `nlgmetricverse.load_metric`.

    Args:
        path: The name of the metric, "bleu".
        resulting_name: As for `Bleu`.
        compute_kwargs: As for `Bleu`.

    Raises:
        ValueError: `path` is not "bleu".

    Example:
        >>> bleu_1 = load_metric("bleu", compute_kwargs={"max_order": 1})
        >>> bleu_1.compute(predictions=["It rained."], references=["It rained!"])["bleu_1"]["score"]
        1.0
    """
    if path != "bleu":
        raise ValueError(f"unknown path {path!r}; there is only 'bleu'")
    return Bleu(resulting_name, compute_kwargs)


class NLGMetricverse:
    """Compute several loaded metrics, like `nlgmetricverse.NLGMetricverse`.

    Args:
        metrics: A metric, its name, or a dictionary of arguments of `load_metric`; or a list of metrics, names and
            dictionaries.
        run_concurrent: Ignored.

    Raises:
        TypeError: `metrics`, or an item of it, is not a metric, a name, or a dictionary with the key "path".
        ValueError: A name is not "bleu".

    Example:
        >>> scorer = NLGMetricverse(metrics=load_metric("bleu"))
        >>> scores = scorer(predictions=["It rained all day.", ""], references=["It rained all day!", "It snowed."])
        >>> scores["total_items"], scores["empty_items"], scores["bleu"]["score"]
        (2, 1, 1.0)
    """

    def __init__(
        self,
        metrics: str | Bleu | Sequence[str | Bleu | dict[str, Any]] = "bleu",
        run_concurrent: bool = False,  # noqa: ARG002  # nlg-metricverse's signature
    ) -> None:
        listed = metrics if isinstance(metrics, (list, tuple)) else [metrics]
        self.metrics = [_loaded(metric) for metric in listed]

    def __call__(self, *, predictions: Items, references: Items, **options: Any) -> dict[str, Any]:
        """Compute every metric, excluding items whose prediction or reference is "", None or an empty list.

        Args:
            predictions: As for `compute`.
            references: As for `compute`.
            options: The options of `compute`.

        Returns:
            A dictionary: "total_items", "empty_items" (the number of excluded items), and the scores of each metric
            under its name. If all items are excluded, there are no scores, and a warning is issued.
        """
        segments, lists = aligned(predictions, references, _NAMES)
        nonempty = [
            i for i, pair in enumerate(zip(segments, lists, strict=True)) if not any(map(_is_empty, pair))
        ]
        scores: dict[str, Any] = {"total_items": len(segments), "empty_items": len(segments) - len(nonempty)}
        if not nonempty:
            from warnings import warn

            warn("every item has an empty prediction or reference, so that nothing is scored", stacklevel=2)
            return scores
        for metric in self.metrics:
            scores |= metric.compute(
                predictions=[segments[i] for i in nonempty],
                references=[lists[i] for i in nonempty],
                **options,
            )
        return scores


def _loaded(metric: Any) -> Bleu:
    """Return a metric unchanged, or load it by its name or by a dictionary of arguments of `load_metric`."""
    if isinstance(metric, Bleu):
        return metric
    if isinstance(metric, str):
        return load_metric(metric)
    if isinstance(metric, dict) and "path" in metric:
        return load_metric(**metric)
    raise TypeError(f"metrics must be a metric, its name, or a list of them, but holds {describe(metric)}")


def _is_empty(item: Any) -> bool:
    """Return whether an item is None, "" or an empty sequence."""
    return item is None or (hasattr(item, "__len__") and not len(item))
