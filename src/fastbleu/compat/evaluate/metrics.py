"""The modules as subclasses of `evaluate.Metric`, for `evaluate.combine`, evaluators and trainers.

`add` and `add_batch` store texts in an Arrow file, as in `evaluate`. If they were not called, `compute` scores its
arguments directly, because writing the file takes much longer than scoring.

This module needs `evaluate`; only `load` imports it.
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
    """A module of `evaluate` that counts with fastbleu."""

    function: ClassVar[Callable[..., dict[str, Any]]]

    def _info(self) -> Any:
        text = datasets.Value("string", id="sequence")
        texts = datasets.Sequence(datasets.Value("string", id="sequence"), id="references")
        features = [
            datasets.Features(predictions=text, references=texts),
            datasets.Features(predictions=text, references=text),
        ]
        return evaluate.MetricInfo(
            description="A module of evaluate 0.4.6, counted by fastbleu.",
            citation="",
            inputs_description=self.function.__doc__ or "",
            features=features,
        )

    # Check texts before they are stored, because Arrow converts numbers to text and a str to a list of characters.
    # Store all references as lists, so that batches with one and with several references can be mixed.

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Collect one prediction, and its reference or a list of its references; errors as for `compute`."""
        batch = {"predictions": prediction, "references": reference, **inputs}
        texts, lists, _ = check_texts([batch.pop("predictions")], [batch.pop("references")], allow_none=True)
        super().add(prediction=texts[0], reference=lists[0], **batch)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Collect predictions and their references; arguments and errors as for `compute`."""
        texts, lists, _ = check_texts(predictions, references, allow_none=True)
        super().add_batch(predictions=texts, references=lists, **inputs)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the collected texts and these, and forget them; return None in all processes but the first."""
        if self.writer is None and self.num_process == 1 and not (predictions is None or references is None):
            return self._compute(predictions=predictions, references=references, **options)
        result: dict[str, Any] | None = super().compute(
            predictions=predictions, references=references, **options
        )
        return result

    def _compute(self, *, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return self.function(predictions=predictions, references=references, **options)


# `evaluate` derives a metric's name from that of its class: "chr_f" from `ChrF`, as for the original module "chrf".


class Bleu(_Metric):
    """The module "bleu" of `evaluate`."""

    function = staticmethod(compute)


class Sacrebleu(_Metric):
    """The module "sacrebleu" of `evaluate`."""

    function = staticmethod(compute_sacrebleu)


class GoogleBleu(_Metric):
    """The module "google_bleu" of `evaluate`."""

    function = staticmethod(compute_google_bleu)


class ChrF(_Metric):
    """The module "chrf" of `evaluate`."""

    function = staticmethod(compute_chrf)


#: The classes by the names of their modules.
METRICS = {"bleu": Bleu, "sacrebleu": Sacrebleu, "google_bleu": GoogleBleu, "chrf": ChrF}
