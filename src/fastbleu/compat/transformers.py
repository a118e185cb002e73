"""BLEU for Hugging Face's trainers: a function for `Trainer(compute_metrics=...)`.

    from fastbleu.compat.transformers import compute_metrics

    trainer = Seq2SeqTrainer(model, args, compute_metrics=compute_metrics(tokenizer), ...)

`args` must have `predict_with_generate=True`. The result is that of `examples/pytorch/translation/run_translation.py`
in huggingface/transformers. Ids are decoded without special tokens, and texts are stripped of white space at both ends.
"bleu" is sacreBLEU's score of the corpus (0..100), and "gen_len" is the mean number of predicted ids that are not
padding. There are two differences: the example rounds both numbers to four decimals, and decodes ids of -100 as
padding. Here, the numbers are not rounded, and ids of -100 are excluded, so the tokenizer needs no padding token.

With `batch_eval_metrics=True` the trainer passes each batch as soon as it is generated. Only BLEU's counts are kept
from one batch to the next. They are integers, so the score is the same float for any batch size. With several
processes, the trainer gathers the ids, so each process computes the score of the whole corpus. Segments that
`Seq2SeqTrainer` repeats to fill the last batch are counted each time that it passes them.

A trainer's labels hold one reference per segment. For several references, decode the ids yourself and call
`BLEU.corpus_score`. This module does not import transformers, which `pip install "fastbleu-metric[transformers]"`
installs. It is tested with release 5.24.0.
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

#: The id with which trainers pad labels; losses ignore it.
IGNORED_ID = -100


def compute_metrics(tokenizer: Any, *, metric: BLEU | None = None, **decode_options: Any) -> TrainerMetrics:
    """Return a function that computes BLEU from a trainer's predictions and labels.

    Args:
        tokenizer: The tokenizer or processor whose `batch_decode` decodes the ids.
        metric: The `BLEU` object to score with; None for `BLEU()`, which has sacreBLEU's default options.
        decode_options: Further arguments of `batch_decode`, such as `clean_up_tokenization_spaces`. The default of
            `skip_special_tokens` is True.

    Returns:
        A `TrainerMetrics`. A trainer calls it with predictions and labels, and it returns "bleu" (0..100) and "gen_len"
        (ids per prediction).

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
    """Compute BLEU from a trainer's predictions, in one call or batch by batch; see `compute_metrics`.

    One object can be used for several evaluations. An evaluation ends when a result is returned or an error is raised.

    If an evaluation is interrupted outside of this object, by Ctrl-C or because memory runs out, its counts must not be
    added to those of the next evaluation. Trainers create a dataloader for each evaluation, and accelerate stores the
    active dataloader. If the active dataloader has changed, the counts are reset, and a warning is logged. An
    interruption is not noticed if the dataloader is reused (`dataloader_persistent_workers=True`) or is not
    accelerate's. In that case, call `reset()`.

    A pickled copy starts without counts.
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
        """Discard the counts of an interrupted evaluation."""
        self._accumulator.reset()
        self._predicted_ids = 0
        self._dataloader: Any = None

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count predictions, and return the score if they are the last ones of the evaluation.

        Args:
            eval_prediction: A trainer's `EvalPrediction`, or a pair of predictions and labels. Each is an integer array
                or tensor [segments, tokens]; the two may differ in width. Each may also be a list with one array per
                batch (`eval_do_concat_batches=False`). If the predictions are a tuple, its first entry is used.
            compute_result: Whether these are the last predictions of the evaluation.

        Returns:
            "bleu" (0..100) and "gen_len" of all batches of the evaluation; an empty dictionary before the last batch.

        Raises:
            TypeError: Predictions or labels are not arrays of integers. They may be logits, because
                `predict_with_generate=True` is missing.
            ValueError: An array does not have two dimensions, predictions and labels differ in number, an id is
                negative but not -100, or the evaluation had no predictions.
            Exception: The tokenizer raises an error for unknown ids.
        """
        dataloader = _active_dataloader()
        if self._dataloader is not None and self._dataloader() is not dataloader:
            from logging import getLogger

            message = "an evaluation was interrupted; its %d segments are not counted"
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
        """Add the n-gram counts of a batch to those of the evaluation."""
        predicted, expected = _id_matrix(predictions, "predictions"), _id_matrix(labels, "label_ids")
        if len(predicted) != len(expected):
            raise ValueError(
                f"label_ids has {counted(len(expected), 'row')}, but predictions has {len(predicted)}"
            )
        if not len(predicted):  # Some tokenizers decode an empty batch to one empty text.
            return
        self._accumulator.update(self._texts(predicted), [self._texts(expected)])
        is_counted = predicted != IGNORED_ID
        padding = getattr(getattr(self.tokenizer, "tokenizer", self.tokenizer), "pad_token_id", None)
        if padding is not None:
            is_counted &= predicted != padding
        self._predicted_ids += int(is_counted.sum())

    def _texts(self, ids: NDArray[Any]) -> list[str]:
        """Decode the rows of an id matrix, without ids of -100, and strip the texts."""
        rows = [row[row != IGNORED_ID].tolist() for row in ids]
        return [text.strip() for text in self.tokenizer.batch_decode(rows, **self._decode_options)]

    def _result(self) -> dict[str, float]:
        """Return the result of the evaluation, and reset the counts."""
        segments = len(self._accumulator)
        if not segments:
            raise ValueError("predictions is empty; a corpus score needs at least one segment")
        result = {"bleu": self._accumulator.compute().score, "gen_len": self._predicted_ids / segments}
        self.reset()
        return result


def _batches(eval_prediction: Any) -> Iterator[tuple[Any, Any]]:
    """Yield predictions and labels: once, or for each batch if the trainer has not concatenated the batches.

    Raises:
        TypeError: `eval_prediction` is not a pair.
        ValueError: Predictions and labels have different numbers of batches.
    """
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
    """Check a matrix of ids, and return it as a NumPy array.

    Args:
        ids: The matrix, [segments, tokens]. If `name` is "predictions", a tuple whose first entry is the matrix is also
            accepted.
        name: The name of the matrix, for error messages.

    Raises:
        TypeError: `ids` is not an array of integers.
        ValueError: `ids` does not have two dimensions, or an id is negative but not -100.
    """
    import numpy as np

    if name == "predictions" and isinstance(ids, tuple) and ids:
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
        raise ValueError(f"{name}[{i}][{k}] must be an id, or {IGNORED_ID} for padding, got {matrix[i, k]}")
    return matrix


def _active_dataloader() -> Any:
    """Return the dataloader that is active according to accelerate, or None."""
    state = sys.modules.get("accelerate.state")
    return None if state is None else state.GradientState().active_dataloader
