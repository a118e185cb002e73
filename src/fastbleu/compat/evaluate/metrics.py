"""The modules as `evaluate.Metric`s, for `evaluate.combine`, evaluators and trainers. Imported by `load` alone.

What `add` and `add_batch` collect is kept by `evaluate`, in an Arrow file. What `compute` is given when nothing was
collected is scored as it is, without that file, which takes `evaluate` many times as long as the score.
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
    """A module that counts with fastbleu."""

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

    # Check texts before Arrow, which would store numbers as they print and a str as a list of its characters. All
    # references become lists, so that batches with one reference and with several can follow each other.

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Collect one prediction and its reference or references."""
        batch = {"predictions": prediction, "references": reference, **inputs}
        texts, lists, _ = check_texts([batch.pop("predictions")], [batch.pop("references")], absent=True)
        super().add(prediction=texts[0], reference=lists[0], **batch)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Collect predictions and the reference or references of each."""
        texts, lists, _ = check_texts(predictions, references, absent=True)
        super().add_batch(predictions=texts, references=lists, **inputs)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score all that was collected, and these; then forget it."""
        if self.writer is None and self.num_process == 1 and not (predictions is None or references is None):
            return self._compute(predictions=predictions, references=references, **options)
        found: dict[str, Any] | None = super().compute(
            predictions=predictions, references=references, **options
        )
        return found

    def _compute(self, *, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return self.function(predictions=predictions, references=references, **options)


# Classes of a module, so that what `load` returns can be pickled. `evaluate` takes a metric's name from its class.


class Bleu(_Metric):
    """`evaluate`'s module "bleu"."""

    function = staticmethod(compute)


class Sacrebleu(_Metric):
    """`evaluate`'s module "sacrebleu"."""

    function = staticmethod(compute_sacrebleu)


class GoogleBleu(_Metric):
    """`evaluate`'s module "google_bleu"."""

    function = staticmethod(compute_google_bleu)


class ChrF(_Metric):
    """`evaluate`'s module "chrf"."""

    function = staticmethod(compute_chrf)


#: The classes by the names of their modules.
METRICS = {"bleu": Bleu, "sacrebleu": Sacrebleu, "google_bleu": GoogleBleu, "chrf": ChrF}
