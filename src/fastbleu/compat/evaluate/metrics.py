"""The modules as subclasses of `evaluate.Metric`, for `evaluate.combine`, evaluators and trainers.

`evaluate` stores the texts from `add` and `add_batch` in an Arrow file. If nothing was collected, `compute` scores its
arguments directly, because writing that file takes many times as long as scoring.
Only `load` imports this module, which needs `evaluate`.
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

    # Check texts before Arrow stores them, because it converts numbers to text and a str to a list of characters. Store
    # all references as lists, so that batches with one and with several references can be mixed.

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Collect one prediction, with one reference as a str or several as a list; errors as for `compute`."""
        batch = {"predictions": prediction, "references": reference, **inputs}
        texts, lists, _ = check_texts([batch.pop("predictions")], [batch.pop("references")], absent=True)
        super().add(prediction=texts[0], reference=lists[0], **batch)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Collect predictions, each with one reference or several; errors as for `compute`."""
        texts, lists, _ = check_texts(predictions, references, absent=True)
        super().add_batch(predictions=texts, references=lists, **inputs)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the collected texts together with these, and forget them; None in processes other than the first."""
        if self.writer is None and self.num_process == 1 and not (predictions is None or references is None):
            return self._compute(predictions=predictions, references=references, **options)
        found: dict[str, Any] | None = super().compute(
            predictions=predictions, references=references, **options
        )
        return found

    def _compute(self, *, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return self.function(predictions=predictions, references=references, **options)


# Classes at module level can be pickled. `evaluate` derives the name of a metric from its class.


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
