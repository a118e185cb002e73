"""BLEU for Hugging Face's trainers: the function for `Trainer(compute_metrics=...)`, on the compiled counting pass.

    from fastbleu.compat.transformers import compute_metrics

    trainer = Seq2SeqTrainer(model, args, compute_metrics=compute_metrics(tokenizer), ...)

with `predict_with_generate=True` in `args`. The result is that of `examples/pytorch/translation/run_translation.py` in
huggingface/transformers: the ids are decoded without special tokens, the texts stripped of white space at both ends,
"bleu" is sacreBLEU's score (0..100) of the corpus, and "gen_len" the mean number of predicted ids that are not
padding. It differs in two points: both numbers are not rounded, there to four decimals; and ids of -100 are left out on
both sides before decoding, so that a tokenizer without padding will do.

With `batch_eval_metrics=True` the trainer hands over each batch as soon as it is generated, and no prediction is kept.
Only BLEU's counts are remembered from one batch to the next. They are integers, so the score is the same float for any
size of batches. With several processes the trainer gives each of them the ids of all, so that all get the same score;
items that `Seq2SeqTrainer` repeats to fill the last batch count as often as it hands them over.

A trainer's labels hold one reference per item; for several, decode them yourself and use `BLEU.corpus_score`. This
module imports no transformers; `pip install "fastbleu-metric[transformers]"` brings it. Tested with its release 5.24.0.
"""

from __future__ import annotations

import sys

from ..errors import counted, describe
from ..metric import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray

#: The id that trainers pad labels with, and that a loss ignores.
IGNORED_ID = -100


def compute_metrics(tokenizer: Any, *, metric: BLEU | None = None, **decode_options: Any) -> TrainerMetrics:
    """Make the function that a trainer calls after, or during, an evaluation.

    Args:
        tokenizer: Decodes the ids: a tokenizer or a processor with `batch_decode`.
        metric: The BLEU to score with; None for `BLEU()`, sacreBLEU's default.
        decode_options: Further arguments of `batch_decode`, for example `clean_up_tokenization_spaces`; the default of
            `skip_special_tokens` is True.

    Returns:
        A `TrainerMetrics`: a function of predictions and labels that gives "bleu" (0..100) and "gen_len" (ids).

    Raises:
        TypeError: `tokenizer` has no `batch_decode`, or `metric` is not a BLEU.

    Example:
        >>> import numpy as np
        >>> class Words:
        ...     pad_token_id = 0
        ...     words = ["", "it", "rained", "all", "day", "snowed"]
        ...
        ...     def batch_decode(self, sequences, skip_special_tokens=False):
        ...         return [" ".join(self.words[i] for i in ids) for ids in sequences]
        >>> metrics = compute_metrics(Words(), metric=BLEU(max_ngram_order=2))
        >>> predictions, labels = np.array([[1, 2, 3, 4], [1, 5, 0, 0]]), np.array([[1, 2, 3, 4], [1, 2, -100, -100]])
        >>> {name: round(value, 4) for name, value in metrics((predictions, labels)).items()}
        {'bleu': 79.0569, 'gen_len': 3.0}
    """
    return TrainerMetrics(tokenizer, metric, decode_options)


class TrainerMetrics:
    """BLEU of a trainer's predictions, all at once or batch by batch; see `compute_metrics`.

    One object may serve several evaluations: a result ends an evaluation, and so does an error. An evaluation may also
    be interrupted elsewhere, by Ctrl-C or because memory runs out. This is recognized when the next evaluation uses
    another dataloader, which trainers make for each evaluation; accelerate tells which one is active. The counts are
    then forgotten, and a warning is logged. It is not recognized if the dataloader is the same
    (`dataloader_persistent_workers=True`) or is none of accelerate's: call `reset()` there. A pickled copy starts
    without counts.
    """

    def __init__(self, tokenizer: Any, metric: BLEU | None, decode_options: dict[str, Any]) -> None:
        if not hasattr(tokenizer, "batch_decode"):
            raise TypeError(f"tokenizer must have a method batch_decode, unlike {describe(tokenizer)}")
        if not isinstance(metric, (BLEU, type(None))):
            raise TypeError(f"metric must be a BLEU, not {describe(metric)}")
        self.tokenizer = tokenizer
        self.metric = BLEU() if metric is None else metric
        self._decode_options = {"skip_special_tokens": True, **decode_options}
        self._accumulator = self.metric.accumulator()
        self.reset()

    def __repr__(self) -> str:
        return f"compute_metrics({type(self.tokenizer).__name__}, metric={self.metric!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TrainerMetrics, (self.tokenizer, self.metric, self._decode_options)

    def reset(self) -> None:
        """Forget the batches of an evaluation that did not end."""
        self._accumulator.reset()
        self._predicted_ids = 0
        self._dataloader: Any = None

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count predictions against labels, and give the score if these are the last.

        Args:
            eval_prediction: A trainer's `EvalPrediction`, or predictions and labels: integer arrays or tensors
                [segments, tokens] of any two widths. Of a tuple of predictions the first entry counts; lists hold
                one array per batch (`eval_do_concat_batches=False`).
            compute_result: Whether these are the last predictions of the evaluation.

        Returns:
            "bleu" (0..100) and "gen_len" of all that was counted since the last result; before the last, nothing.

        Raises:
            TypeError: Predictions or labels are not arrays of integers, but logits for example, because
                `predict_with_generate=True` is missing.
            ValueError: They have another shape, differ in number, or hold a negative id that is not -100; or the whole
                evaluation had no predictions.
            Exception: The tokenizer's own, for ids that it does not know.
        """
        dataloader = _active_dataloader()
        if self._dataloader is not None and self._dataloader() is not dataloader:
            from logging import getLogger

            message = "an evaluation did not come to its end; its %d segments are not counted"
            getLogger("fastbleu").warning(message, len(self._accumulator))
            self.reset()
        try:
            for predictions, labels in _batches(eval_prediction):
                self._count(predictions, labels)
            if compute_result:
                return self._result()
        except BaseException:
            self.reset()
            raise
        if dataloader is not None:
            from weakref import ref

            self._dataloader = ref(dataloader)
        return {}

    def _count(self, predictions: Any, labels: Any) -> None:
        """Adds the counts of a batch."""
        predicted, expected = _id_matrix(predictions, "predictions"), _id_matrix(labels, "label_ids")
        if len(predicted) != len(expected):
            raise ValueError(
                f"label_ids has {counted(len(expected), 'row')}, but predictions has {len(predicted)}"
            )
        if not len(predicted):  # a tokenizer would decode it to one empty text
            return
        self._accumulator.update(self._texts(predicted), [self._texts(expected)])
        is_counted = predicted != IGNORED_ID
        padding = getattr(getattr(self.tokenizer, "tokenizer", self.tokenizer), "pad_token_id", None)
        if padding is not None:
            is_counted &= predicted != padding
        self._predicted_ids += int(is_counted.sum())

    def _texts(self, ids: NDArray[Any]) -> list[str]:
        """Decodes ids, as the trainers' examples do."""
        is_kept = ids != IGNORED_ID
        # Tokenizers take lists, and would convert arrays to lists themselves.
        rows = (
            ids.tolist()
            if is_kept.all()
            else [row[kept].tolist() for row, kept in zip(ids, is_kept, strict=True)]
        )
        return [text.strip() for text in self.tokenizer.batch_decode(rows, **self._decode_options)]

    def _result(self) -> dict[str, float]:
        segments = len(self._accumulator)
        if not segments:
            raise ValueError("predictions is empty; a corpus score needs at least one segment")
        result = {"bleu": self._accumulator.compute().score, "gen_len": self._predicted_ids / segments}
        self.reset()
        return result


def _batches(eval_prediction: Any) -> Iterator[tuple[Any, Any]]:
    """Predictions and labels; batch by batch if the trainer has not concatenated them."""
    try:
        predictions, labels, *_ = eval_prediction
    except (TypeError, ValueError):
        raise TypeError(
            f"eval_prediction must hold predictions and labels, not {describe(eval_prediction)}"
        ) from None
    if not isinstance(predictions, list):
        yield predictions, labels
        return
    if not isinstance(labels, list) or len(labels) != len(predictions):
        raise ValueError(
            f"predictions is a list of {counted(len(predictions), 'array')}, but label_ids is {describe(labels)}"
        )
    yield from zip(predictions, labels, strict=True)


def _id_matrix(ids: Any, name: str) -> NDArray[Any]:
    """Check that a value is a matrix of ids, and return it as a NumPy array.

    Raises:
        TypeError: It is not an array, or not one of integers.
        ValueError: It has not two dimensions, or a negative id that is not -100.
    """
    import numpy as np

    if name == "predictions" and isinstance(ids, tuple):
        if not ids:
            raise ValueError("predictions is an empty tuple")
        ids = ids[0]
    if not hasattr(ids, "ndim") or not hasattr(ids, "dtype"):
        raise TypeError(f"{name} must be an array of ids, not {describe(ids)}")
    floating = getattr(ids.dtype, "is_floating_point", getattr(ids.dtype, "kind", "") == "f")
    if floating or ids.ndim == 3:
        raise TypeError(
            f"{name} must be token ids, but are {ids.dtype} {list(ids.shape)}, such as logits; set "
            "predict_with_generate=True in Seq2SeqTrainingArguments (or choose ids in preprocess_logits_for_metrics)"
        )
    if hasattr(ids, "detach"):
        ids = ids.detach().cpu().numpy()
    matrix: NDArray[Any] = np.asarray(ids)
    if matrix.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an array of integers, not of {matrix.dtype}")
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have the shape [segments, tokens], not {list(matrix.shape)}")
    wrong = np.argwhere((matrix < 0) & (matrix != IGNORED_ID))
    if len(wrong):
        i, k = wrong[0].tolist()
        raise ValueError(f"{name}[{i}][{k}] must be an id, or {IGNORED_ID} for none, got {matrix[i, k]}")
    return matrix


def _active_dataloader() -> Any:
    """The dataloader that is active, according to accelerate; None if there is none."""
    state = sys.modules.get("accelerate.state")
    return None if state is None else state.GradientState().active_dataloader
