"""Provide PyTorch operators that compute BLEU of token ids, for compiled training steps.

    from fastbleu.torch import sentence_bleu
    rewards = sentence_bleu(samples, targets, pad_id=0, eos_id=2)      # float32 [B], on the device of the samples

The operators work in `torch.compile(fullgraph=True)`, `torch.export` and `torch.vmap`. They copy the ids to host memory
and score them by `BLEU(tokenize="none")`. They need PyTorch 2.5 or later, and are tested with 2.13.0.

All operators have the same options. Those of `TokenIds` are `pad_id` (one id or several), `eos_id` (one or several),
`ignore_id` (default -100) and `unk_id`. Those of `BLEU` are `smooth_method` (default "exp"), `smooth_value`,
`max_ngram_order` (default 4), `effective_order` (default True), `weights` and `reference_length`.
"""

from __future__ import annotations

from .errors import wrong_type
from .metric.compiled_steps import Options, as_options, compute, no_integers, result_shape
from .system.extras import imports_of

with imports_of("torch", "fastbleu.torch"):
    import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor
    from typing_extensions import Unpack

    from .metric.compiled_steps import StepOptions

__all__ = ["pairwise_bleu", "prefix_bleu", "sentence_bleu", "statistics"]

#: The dtypes of tensors of ids.
_INTEGERS = frozenset((torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8))

#: The schema of all operators: the ids, the dtype of the result, and the fields of `Options` in their order.
_SCHEMA = (
    "(Tensor ids, Tensor reference_ids, ScalarType dtype, int[] pad_id, int[] eos_id, int? ignore_id, int? unk_id, "
    "str smooth_method, float? smooth_value, int max_ngram_order, bool effective_order, float[]? weights, "
    "str reference_length) -> Tensor"
)

#: The tag for operators that cannot be part of a CUDA graph, because they copy data to the host. With
#: `torch.compile(mode="reduce-overhead")`, they run between graphs. Old versions of PyTorch do not have the tag.
_TAGS = (torch.Tag.cudagraph_unsafe,) if hasattr(torch.Tag, "cudagraph_unsafe") else ()


def _operator(name: str) -> Callable[..., Tensor]:
    """Register and return an operator of PyTorch.

    The operator has an implementation, a fake implementation that returns the shape of the result for compilation, and
    an implementation for `torch.vmap`.
    """
    qualified = f"fastbleu::{name}"
    torch.library.define(qualified, _SCHEMA, tags=_TAGS)

    @torch.library.impl(qualified, "CompositeExplicitAutograd")  # type: ignore[untyped-decorator]
    def run(ids: Tensor, reference_ids: Tensor, dtype: torch.dtype, *values: Any) -> Tensor:
        """Copy the ids to host memory, compute the result, and copy it to the device of the ids."""
        hashable: list[Any] = [tuple(value) if isinstance(value, list) else value for value in values]
        result = compute(name, ids.cpu().numpy(), reference_ids.cpu().numpy(), Options(*hashable))
        return torch.from_numpy(result).to(ids.device, dtype)

    @torch.library.register_fake(qualified)  # type: ignore[untyped-decorator]
    def shape(ids: Tensor, reference_ids: Tensor, dtype: torch.dtype, *values: Any) -> Tensor:
        """Return an uninitialized tensor with the shape, dtype and device of the result."""
        return ids.new_empty(
            result_shape(name, ids.shape, reference_ids.shape, Options(*values).max_ngram_order), dtype=dtype
        )

    operator: Callable[..., Tensor] = getattr(torch.ops.fastbleu, name).default

    @torch.library.register_vmap(qualified)  # type: ignore[untyped-decorator]
    def batched(info: Any, in_dims: Any, ids: Tensor, reference_ids: Tensor, *options: Any) -> Any:
        """Merge the mapped and the first dimension, compute the result, and split the two dimensions again."""
        moved, moved_references = [
            array.expand(info.batch_size, *array.shape) if dim is None else array.movedim(dim, 0)
            for array, dim in zip((ids, reference_ids), in_dims, strict=False)
        ]
        result = operator(moved.flatten(0, 1), moved_references.flatten(0, 1), *options)
        return result.unflatten(0, moved.shape[:2]), 0

    return operator


_statistics, _sentence_bleu, _prefix_bleu, _pairwise_bleu = map(
    _operator, ("statistics", "sentence_bleu", "prefix_bleu", "pairwise_bleu")
)


def _call(
    operator: Callable[..., Tensor],
    ids: Tensor,
    reference_ids: Tensor,
    dtype: torch.dtype,
    options: Any,
    one: int = 1,
) -> Tensor:
    """Call an operator.

    Args:
        operator: The operator.
        ids: The ids of the hypotheses.
        reference_ids: The ids of the references.
        dtype: The dtype of the result.
        options: The options that all operators have; see the docstring of this module.
        one: If `ids` have this number of dimensions, they and `reference_ids` are those of a single segment.

    Raises:
        TypeError: An argument is not a tensor of integers, or `dtype` is not floating-point.
    """
    for name, array in (("ids", ids), ("reference_ids", reference_ids)):
        if not isinstance(array, torch.Tensor):
            raise wrong_type(name, "a torch.Tensor", array)
        if array.dtype not in _INTEGERS:
            raise no_integers(name, array.dtype)
    if not isinstance(dtype, torch.dtype) or not (dtype.is_floating_point or operator is _statistics):
        raise wrong_type("dtype", "a type of floating-point numbers", dtype)
    if ids.dim() == one:
        return operator(ids[None], reference_ids[None], dtype, *as_options(**options))[0]
    return operator(ids, reference_ids, dtype, *as_options(**options))


def statistics(ids: Tensor, reference_ids: Tensor, **options: Unpack[StepOptions]) -> Tensor:
    """Count the n-grams of each segment, as `BLEU.statistics` does.

    Args:
        ids: Integers [B, T] for B segments; [B, K, T] for K samples of each segment; or [T] for one segment.
        reference_ids: Integers [B, T], or [B, R, T] for R references of each segment. If `ids` are [T], then [T] or
            [R, T].
        **options: The options that all operators have; see the docstring of this module.

    Returns:
        int64 [B, 2 + 2N], [B, K, 2 + 2N] or [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N. The sum over
        segments gives the statistics of the corpus.

    Raises:
        TypeError: A tensor is not of integers, or an option has the wrong type.
        ValueError: The shapes do not match, an option has a bad value, or a token is negative.

    Example:
        >>> import torch
        >>> statistics(torch.tensor([[5, 6, 7]]), torch.tensor([[5, 6, 8]]), max_ngram_order=2).tolist()
        [[3, 3, 2, 1, 3, 2]]
    """
    return _call(_statistics, ids, reference_ids, torch.int64, options)


def sentence_bleu(
    ids: Tensor, reference_ids: Tensor, *, dtype: torch.dtype = torch.float32, **options: Unpack[StepOptions]
) -> Tensor:
    """Score each segment, as `BLEU.sentence_scores` does.

    Args:
        ids: Integers [B, T] for B segments; [B, K, T] for K samples of each segment; or [T] for one segment.
        reference_ids: Integers [B, T], or [B, R, T] for R references of each segment. If `ids` are [T], then [T] or
            [R, T].
        dtype: The dtype of the scores: float32, or float64 for the same floats as `BLEU.sentence_scores`.
        **options: The options that all operators have; see the docstring of this module.

    Returns:
        The scores [B], [B, K] or [], 0..1, on the device of `ids`, without a gradient.

    Raises:
        TypeError: A tensor is not of integers, or an option has the wrong type.
        ValueError: The shapes do not match, an option has a bad value, or a token is negative.

    Example:
        >>> import torch
        >>> samples = torch.tensor([[5, 6, 7, 8, 2, 0], [5, 9, 2, 0, 0, 0]])
        >>> targets = torch.tensor([[5, 6, 7, 8, 2], [5, 6, 2, 0, 0]])
        >>> torch.compile(sentence_bleu, fullgraph=True, backend="eager")(samples, targets, pad_id=0, eos_id=2).tolist()
        [1.0, 0.5]
    """
    return _call(_sentence_bleu, ids, reference_ids, dtype, options)


def prefix_bleu(
    ids: Tensor, reference_ids: Tensor, *, dtype: torch.dtype = torch.float32, **options: Unpack[StepOptions]
) -> Tensor:
    """Score each prefix of each segment, as `BLEU.prefix_scores` does, for token-level rewards.

    Args:
        ids: Integers [B, T] for B segments; [B, K, T] for K samples of each segment; or [T] for one segment.
        reference_ids: Integers [B, T], or [B, R, T] for R references of each segment. If `ids` are [T], then [T] or
            [R, T].
        dtype: The dtype of the scores.
        **options: The options that all operators have; see the docstring of this module.

    Returns:
        The scores [B, T], [B, K, T] or [T], 0..1: at index t, the score of the tokens up to and including index t.

    Raises:
        TypeError: A tensor is not of integers, or an option has the wrong type.
        ValueError: The shapes do not match, an option has a bad value, or a token is negative.

    Example:
        >>> import torch
        >>> prefix_bleu(torch.tensor([5, 6, 9]), torch.tensor([5, 6]), max_ngram_order=1).mul(100).round().tolist()
        [37.0, 100.0, 67.0]
    """
    return _call(_prefix_bleu, ids, reference_ids, dtype, options)


def pairwise_bleu(
    ids: Tensor,
    reference_ids: Tensor | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    **options: Unpack[StepOptions],
) -> Tensor:
    """Score each sample of a segment against each reference, for contrastive training or minimum Bayes risk.

    Args:
        ids: Integers [B, K, T] for K samples of each segment, or [K, T] for one segment.
        reference_ids: Integers [B, R, T] for R references of each segment; [R, T] if `ids` are [K, T]. None to score
            the samples against each other.
        dtype: The dtype of the scores.
        **options: The options that all operators have; see the docstring of this module.

    Returns:
        The scores [B, K, R] or [K, R], 0..1: element [b, k, r] is the sentence BLEU of sample k of segment b against
        only reference r of this segment. The mean over r is the expected utility of a sample.

    Raises:
        TypeError: A tensor is not of integers, or an option has the wrong type.
        ValueError: The shapes do not match, an option has a bad value, or a token is negative.

    Example:
        >>> import torch
        >>> pairwise_bleu(torch.tensor([[5, 6], [5, 7], [5, 6]])).tolist()
        [[1.0, 0.5, 1.0], [0.5, 1.0, 0.5], [1.0, 0.5, 1.0]]
    """
    reference_ids = ids if reference_ids is None else reference_ids
    return _call(_pairwise_bleu, ids, reference_ids, dtype, options, one=2)
