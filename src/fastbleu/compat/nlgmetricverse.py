"""nlg-metricverse's `bleu`, on the compiled counting pass.

    from fastbleu.compat.nlgmetricverse import NLGMetricverse, load_metric      # from nlgmetricverse import ...
    from fastbleu.compat.nlgmetricverse import compute                          # the numbers alone

Equal to the last digit to `nlgmetricverse/metrics/bleu` of https://github.com/disi-unibo-nlp/nlg-metricverse at
53d948b (its version 0.9.6): ASCII punctuation becomes spaces, the text is lowercased and split, and tensorflow/nmt's
formula is applied. Several predictions for an item are treated as there: all of them are scored as one corpus, each
against all references of its item. Then the lengths are replaced by the sums of each item's longest prediction and
shortest reference; and unless the corpus was longer than its references, the score is multiplied by the penalty of
these lengths over that of the corpus. That penalty, and with it the score, can exceed 1. Where the predictions or the
shortest references have no token at all, or the corpus' penalty is too small for a float to divide by, there is a
ZeroDivisionError.

Where it differs, deliberately:

- The first prediction and the first reference may have no token. There it is an IndexError.
- Predictions and references of unequal length, an item without predictions or references, and a text that is not a str
  are errors that say where. So is a bare str for a list, whose characters are scored there.
- Tuples and arrays are taken as lists are. There, a tuple of str is scored by its characters.
- There is `bleu` alone, and of the options of `NLGMetricverse` those that are documented here; predictions and
  references are lists, not files. No times are reported. The lists that it is called with stay as they are; there,
  empty items are taken out of them. A metric's name never changes; there, `max_order` is added to "bleu_planet", the
  name with `compute_kwargs` that lack it, at each call.
"""

from __future__ import annotations

from itertools import chain, islice

from ..counting.corpus import read_corpus_per_segment
from ..errors import ArgumentValueError, Place, describe, wrong_type
from ..inputs.reading import as_list
from ..options import check_flag, check_order
from ..scoring.nmt_formula import adjusted, nmt_score
from .arguments import aligned, check_texts, count_corpus, token_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: One text for each item, or several.
    Items: TypeAlias = Sequence[str] | Sequence[Sequence[str]]

__all__ = ["Bleu", "NLGMetricverse", "compute", "load_metric"]

_NAMES = ("predictions", "references")

#: What each character of Python's `string.punctuation` becomes.
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
        predictions: Of each of n >= 1 items its prediction, or a sequence of them.
        references: Of each item its reference, or a sequence of them.
        reduce_fn: Has no effect, as there: the predictions of an item are scored together.
        max_order: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order.

    Returns:
        "score" (0..1, or more), "precisions" (a list, 0..1), "brevity_penalty", "length_ratio", "translation_length"
        and "reference_length" (in tokens, of the longest predictions and the shortest references).

    Raises:
        TypeError: A bare str or an iterator where a list is expected, or a text that is not a str.
        ValueError: No items, another number of references, an item without either, or `max_order` below 1.
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
    items, references_of = map(_normalized, aligned(predictions, references, _NAMES), _NAMES)
    flat = list(chain.from_iterable(items))
    if len(flat) == len(items):
        found = nmt_score(count_corpus(matcher, flat, references_of, _NAMES), smooth)
    else:
        matched = [texts for item, texts in zip(items, references_of, strict=True) for _ in item]
        rows = (row for row, _ in read_corpus_per_segment(matcher, flat, matched).rows())
        found = adjusted([list(islice(rows, len(item))) for item in items], smooth)
    keys = "score", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length"
    return dict(zip(keys, found, strict=True))


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


class Bleu:
    """The metric `bleu` with its options: what `load_metric` returns.

    Args:
        resulting_name: The name of its scores; None for "bleu", for "bleu_2" if `compute_kwargs` has `max_order` 2, and
            for "bleu_planet", as there, if it has no `max_order`.
        compute_kwargs: `max_order`, `smooth` and `reduce_fn` for calls that do not give them.

    Attributes:
        resulting_name: The name of its scores.
        compute_kwargs: A copy of what was given.
    """

    def __init__(
        self, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
    ) -> None:
        self.resulting_name = resulting_name or _name(compute_kwargs)
        self.compute_kwargs = dict(compute_kwargs or {})

    def compute(self, *, predictions: Items, references: Items, **options: Any) -> dict[str, dict[str, Any]]:
        """Compute the function `compute`'s scores, under the metric's name."""
        options = {**self.compute_kwargs, **options}
        return {self.resulting_name: compute(predictions=predictions, references=references, **options)}


def _name(compute_kwargs: dict[str, Any] | None) -> str:
    """Return the name of a metric's scores. nlg-metricverse's class is called BleuPlanet."""
    if compute_kwargs is None:
        return "bleu"
    order = compute_kwargs.get("max_order")
    return "bleu_planet" if order is None else f"bleu_{order}"


def load_metric(
    path: str, resulting_name: str | None = None, compute_kwargs: dict[str, Any] | None = None
) -> Bleu:
    """Load the metric `bleu` as `nlgmetricverse.load_metric`.

    Args:
        path: "bleu".
        resulting_name: The name of its scores, as for `Bleu`.
        compute_kwargs: `max_order`, `smooth` and `reduce_fn` for calls that do not give them.

    Raises:
        ValueError: `path` is another metric.

    Example:
        >>> bleu_1 = load_metric("bleu", compute_kwargs={"max_order": 1})
        >>> bleu_1.compute(predictions=["It rained."], references=["It rained!"])["bleu_1"]["score"]
        1.0
    """
    if path != "bleu":
        raise ValueError(f"unknown path {path!r}; there is only 'bleu'")
    return Bleu(resulting_name, compute_kwargs)


class NLGMetricverse:
    """Computes loaded metrics, as `nlgmetricverse.NLGMetricverse`.

    Args:
        metrics: A metric or its name, in upper or lower case; or a list of these, in which a dictionary with the
            arguments of `load_metric` may stand for a metric.
        run_concurrent: Has no effect.

    Raises:
        TypeError: `metrics` is none of these.
        ValueError: There is no metric of that name.

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
        """Compute every metric, leaving out items whose prediction or reference is "", None or an empty list.

        Args:
            predictions: As for `compute`.
            references: As for `compute`.
            options: Those of `compute`.

        Returns:
            "total_items", "empty_items" (how many were left out) and, unless all were, each metric's scores by its
            name.
        """
        segments, lists = aligned(predictions, references, _NAMES)
        kept = [
            i for i, pair in enumerate(zip(segments, lists, strict=True)) if not any(map(_is_empty, pair))
        ]
        scores: dict[str, Any] = {"total_items": len(segments), "empty_items": len(segments) - len(kept)}
        if not kept:
            from warnings import warn

            warn("every item has an empty prediction or reference, so that nothing is scored", stacklevel=2)
            return scores
        for metric in self.metrics:
            scores |= metric.compute(
                predictions=[segments[i] for i in kept], references=[lists[i] for i in kept], **options
            )
        return scores

    #: Its older name.
    evaluate = __call__


def _loaded(metric: Any) -> Bleu:
    if isinstance(metric, Bleu):
        return metric
    if isinstance(metric, str):
        return load_metric(metric.lower())
    if isinstance(metric, dict) and "path" in metric:
        return load_metric(**{name: value for name, value in metric.items() if name != "task"})
    raise TypeError(f"metrics must be a metric, its name, or a list of them, but holds {describe(metric)}")


def _is_empty(item: Any) -> bool:
    """Return whether an item has nothing to score."""
    return item is None or (hasattr(item, "__len__") and not len(item))
