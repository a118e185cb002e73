"""BLEU inside a compiled training step: functions of JAX over matrices of token ids.

    from fastbleu.jax import sentence_bleu
    score = jax.jit(partial(sentence_bleu, pad_id=0, eos_id=2))
    rewards = score(samples, targets)      # float32 [B]

`jax.jit`, `jax.vmap` and `jax.lax.map` take them: shapes are checked while a function is traced, and the host is called
back when it runs. Tested with JAX 0.10.2; they need 0.6 or newer.

All of them take the same options: `pad_id` (one id or several), `eos_id` (one or several), `ignore_id` (-100) and
`unk_id` as `TokenIds` takes them; `smooth_method` ("exp"), `smooth_value`, `max_ngram_order` (4), `effective_order`
(True), `weights` and `reference_length` as `BLEU` takes them. Options are plain values and no arrays: bind them by
`functools.partial` before `jax.jit`. Ids beyond 32 bits need JAX's 64 bits, without which JAX cuts them.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from .metric.operators import Options, as_options, compute, metric_of, no_integers, result_shape
from .system.extras import imports_of

with imports_of("jax", "fastbleu.jax"):
    import jax
    import jax.numpy as jnp
    from jax.experimental.buffer_callback import buffer_callback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jax import Array
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from .metric.operators import StepOptions

__all__ = ["pairwise_bleu", "prefix_bleu", "sentence_bleu", "statistics"]


class _Work(NamedTuple):
    """The work on the host when a compiled function runs."""

    operator: str
    options: Options
    #: Dimensions of the ids and the references; those before them were added by `vmap`.
    dimensions: tuple[int, int]
    dtype: Any

    def compute(self, ids: Any, reference_ids: Any) -> NDArray[Any]:
        """Compute the result; dimensions that `vmap` added become a part of the segments."""
        ids, reference_ids = np.asarray(ids), np.asarray(reference_ids)
        places = ids.ndim - self.dimensions[0] + 1
        segments = ids.shape[:places]
        ids = ids.reshape(prod(segments), *ids.shape[places:])
        reference_ids = reference_ids.reshape(prod(segments), *reference_ids.shape[places:])
        result = compute(self.operator, ids, reference_ids, self.options)
        result = result.reshape(*segments, *result.shape[1:])
        return result.astype(self.dtype, copy=False)

    def write(self, _: object, out: Any, ids: Any, reference_ids: Any) -> None:
        """Compute the result into a buffer of XLA."""
        np.asarray(out)[...] = self.compute(ids, reference_ids)


@partial(jax.jit, static_argnums=(0, 1))
def _operator(work: _Work, result: jax.ShapeDtypeStruct, ids: Array, reference_ids: Array) -> Any:
    """Call back from XLA: on the processor's own memory by its buffers, which costs a tenth of copies of arrays."""

    def by_arrays(*arrays: Array) -> Any:
        return jax.pure_callback(work.compute, result, *arrays, vmap_method="broadcast_all")

    by_buffers = buffer_callback(work.write, result, vmap_method="broadcast_all")
    return jax.lax.platform_dependent(ids, reference_ids, cpu=by_buffers, default=by_arrays)


def _call(name: str, ids: Array, reference_ids: Array, options: Any, one: int = 1) -> Array:
    """Call an operator; ids of `one` dimension are of one segment, a batch of one."""
    ids, reference_ids = jnp.asarray(ids), jnp.asarray(reference_ids)
    for argument, array in (("ids", ids), ("reference_ids", reference_ids)):
        if not jnp.issubdtype(array.dtype, jnp.integer):
            raise no_integers(argument, array.dtype)
    if ids.ndim == one:
        return _call(name, ids[None], reference_ids[None], options, 0)[0]
    checked = as_options(**options)
    metric_of(checked)  # so that a bad value is an error while the function is traced
    dtype = jax.dtypes.canonicalize_dtype(np.int64 if name == "statistics" else np.float64)
    shape = result_shape(name, ids.shape, reference_ids.shape, checked.max_ngram_order)
    work = _Work(name, checked, (ids.ndim, reference_ids.ndim), dtype)
    struct: Any = jax.ShapeDtypeStruct
    like = struct(shape, dtype)
    result: Array = _operator(work, like, ids, reference_ids)
    return result


def statistics(ids: Array, reference_ids: Array, **options: Unpack[StepOptions]) -> Array:
    """Count the n-grams of each segment, as `BLEU.statistics` does.

    Args:
        ids: Integers [B, T], or [B, K, T] with K samples of each segment, or [T] of one segment.
        reference_ids: Integers [B, T], or [B, R, T] with R references of each segment; without B if `ids` are [T].
        **options: Those of all functions, see the head of this module.

    Returns:
        int32 [..., 2 + 2N], int64 if JAX was told to use 64 bits: sys_len, ref_len, correct_1..correct_N,
        total_1..total_N. They add up, over processes, too.

    Raises:
        TypeError: An array does not hold integers, there is no such option, or it has the wrong type.
        ValueError: The shapes do not fit, or an option has a bad value.
        jax.errors.JaxRuntimeError: At run time: a token is negative.

    Example:
        >>> import jax.numpy as jnp
        >>> statistics(jnp.array([[5, 6, 7]]), jnp.array([[5, 6, 8]]), max_ngram_order=2).tolist()
        [[3, 3, 2, 1, 3, 2]]
    """
    return _call("statistics", ids, reference_ids, options)


def sentence_bleu(ids: Array, reference_ids: Array, **options: Unpack[StepOptions]) -> Array:
    """Score each segment, as `BLEU.sentence_scores` does.

    Args:
        ids: Integers [B, T], or [B, K, T] with K samples of each segment, or [T] of one segment.
        reference_ids: Integers [B, T], or [B, R, T] with R references of each segment; without B if `ids` are [T].
        **options: Those of all functions, see the head of this module.

    Returns:
        float32 [B], [B, K] or [], 0..1; float64 if JAX was told to use 64 bits. It has no gradient.

    Raises:
        TypeError: As `statistics`.
        ValueError: As `statistics`.
        jax.errors.JaxRuntimeError: As `statistics`.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from functools import partial
        >>> samples = jnp.array([[5, 6, 7, 8, 2, 0], [5, 9, 2, 0, 0, 0]])
        >>> targets = jnp.array([[5, 6, 7, 8, 2], [5, 6, 2, 0, 0]])
        >>> jax.jit(partial(sentence_bleu, pad_id=0, eos_id=2))(samples, targets).tolist()
        [1.0, 0.5]
    """
    return _call("sentence_bleu", ids, reference_ids, options)


def prefix_bleu(ids: Array, reference_ids: Array, **options: Unpack[StepOptions]) -> Array:
    """Score each prefix of each segment, as `BLEU.prefix_scores` does: rewards token by token.

    Args:
        ids: As for `sentence_bleu`.
        reference_ids: As for `sentence_bleu`.
        **options: Those of all functions, see the head of this module.

    Returns:
        [B, T], [B, K, T] or [T], 0..1: the score of the tokens up to each place; of the type of `sentence_bleu`.

    Raises:
        TypeError: As `statistics`.
        ValueError: As `statistics`.
        jax.errors.JaxRuntimeError: As `statistics`.

    Example:
        >>> import jax.numpy as jnp
        >>> (prefix_bleu(jnp.array([5, 6, 9]), jnp.array([5, 6]), max_ngram_order=1) * 100).round().tolist()
        [37.0, 100.0, 67.0]
    """
    return _call("prefix_bleu", ids, reference_ids, options)


def pairwise_bleu(ids: Array, reference_ids: Array | None = None, **options: Unpack[StepOptions]) -> Array:
    """Score each sample of a segment against each other one: candidates in contrastive training, or minimum Bayes risk.

    Args:
        ids: Integers [B, K, T], K samples of each segment, or [K, T] of one segment.
        reference_ids: Integers [B, R, T], each a reference by itself; [R, T] if `ids` are [K, T]; None: the samples.
        **options: Those of all functions, see the head of this module.

    Returns:
        [B, K, R] or [K, R], 0..1: entry [b, k, r] is the sentence BLEU of sample k against reference r; of the type of
        `sentence_bleu`.

    Raises:
        TypeError: As `statistics`.
        ValueError: As `statistics`.
        jax.errors.JaxRuntimeError: As `statistics`.

    Example:
        >>> import jax.numpy as jnp
        >>> pairwise_bleu(jnp.array([[5, 6], [5, 7], [5, 6]])).tolist()
        [[1.0, 0.5, 1.0], [0.5, 1.0, 0.5], [1.0, 0.5, 1.0]]
    """
    return _call("pairwise_bleu", ids, ids if reference_ids is None else reference_ids, options, one=2)
