"""nlg-metricverse's interfaces to `bleu`: `load_metric`, and `NLGMetricverse` for several loaded metrics."""

from __future__ import annotations

from ...errors import describe
from ..arguments import aligned
from .score import NAMES, compute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .score import Items


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
        segments, lists = aligned(predictions, references, NAMES)
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
