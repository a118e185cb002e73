"""Subclasses of `evaluate.Metric` whose scores fastbleu computes, for `evaluate.combine`, evaluators and trainers.

`add` and `add_batch` store texts in an Arrow file, as in `evaluate`. If neither was called, `compute` scores its
arguments directly, because writing the file takes much longer than scoring.

Only the function `load` imports this module, because it needs the package `evaluate`.
"""

from __future__ import annotations

from ...system.extras import imports_of
from .compute_functions import check_texts, compute, compute_chrf, compute_google_bleu, compute_sacrebleu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar
with imports_of("evaluate", "fastbleu.compat.evaluate.metrics"):
    import datasets
    import evaluate


class _Metric(evaluate.Metric):  # type: ignore[misc]  # evaluate is untyped
    """Base class of the metrics. Subclasses define the function that computes their result."""

    function: ClassVar[Callable[..., dict[str, Any]]]

    def _info(self) -> Any:
        text = datasets.Value("string", id="sequence")
        texts = datasets.Sequence(datasets.Value("string", id="sequence"), id="references")
        features = [
            datasets.Features(predictions=text, references=texts),
            datasets.Features(predictions=text, references=text),
        ]
        return evaluate.MetricInfo(
            description="A module of evaluate 0.4.6, computed by fastbleu.",
            citation="",
            inputs_description=self.function.__doc__ or "",
            features=features,
        )

    # Check texts before they are stored, because Arrow converts numbers to text and a str to a list of characters.
    # Store all references as lists, so that batches with one and with several references can be mixed.

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Collect one prediction with its reference or a list of references. Errors are those of `compute`."""
        batch = {"predictions": prediction, "references": reference, **inputs}
        texts, lists, _ = check_texts([batch.pop("predictions")], [batch.pop("references")], allow_none=True)
        super().add(prediction=texts[0], reference=lists[0], **batch)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Collect predictions and their references. Arguments and errors are those of `compute`."""
        texts, lists, _ = check_texts(predictions, references, allow_none=True)
        super().add_batch(predictions=texts, references=lists, **inputs)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the collected texts and the arguments, and discard the collected texts.

        With several processes, only the first process returns the result; the others return None.
        """
        if self.writer is None and self.num_process == 1 and not (predictions is None or references is None):
            return self._compute(predictions=predictions, references=references, **options)
        result: dict[str, Any] | None = super().compute(
            predictions=predictions, references=references, **options
        )
        return result

    def _compute(self, *, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return self.function(predictions=predictions, references=references, **options)


# `evaluate` derives a metric's name from the name of its class. For `ChrF`, the name is "chr_f", as in the original.


class Bleu(_Metric):
    """Replacement for the module "bleu" of `evaluate`."""

    function = staticmethod(compute)


class Sacrebleu(_Metric):
    """Replacement for the module "sacrebleu" of `evaluate`."""

    function = staticmethod(compute_sacrebleu)


class GoogleBleu(_Metric):
    """Replacement for the module "google_bleu" of `evaluate`."""

    function = staticmethod(compute_google_bleu)


class ChrF(_Metric):
    """Replacement for the module "chrf" of `evaluate`."""

    function = staticmethod(compute_chrf)


#: The metric class of each module that fastbleu provides, by the name of the module.
METRICS = {"bleu": Bleu, "sacrebleu": Sacrebleu, "google_bleu": GoogleBleu, "chrf": ChrF}
