"""The BLEU of tensor2tensor, which flax' example `wmt` took over: its formula over counts.

BLEU with the smoothing of mteval-v13a: the k-th order without a match counts 1 / 2^k matches. An order without
candidates is left out of the sum of logarithms, but the sum is divided by the number of all orders, so that a segment
of two tokens that matches exactly scores less than one of four. Same operations in the same order as
tensor2tensor's `compute_bleu`
(https://github.com/tensorflow/tensor2tensor/blob/bafdc1b/tensor2tensor/utils/bleu_hook.py) and flax' `complete_bleu`
(https://github.com/google/flax/blob/18f8f31/examples/wmt/bleu.py), so the same float under the same interpreter.
"""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def score(
    matches: Any, candidates: Any, orders: int, translation_length: Any, reference_length: Any, use_bp: bool
) -> float:
    """Compute the score from counts: the mean of the smoothed precisions, and the brevity penalty.

    Args:
        matches: Matched n-grams by order, at least `orders` numbers; the arithmetic is that of the numbers, such as
            float32 where they are of an array of JAX.
        candidates: Candidate n-grams likewise.
        orders: The longest n-grams that count, at least 1; each has the weight 1 / orders.
        translation_length: Tokens in the translations.
        reference_length: Tokens in the references; without any there is no penalty.
        use_bp: Whether short translations are punished.

    Returns:
        The score, 0..1; 0.0 if there are no candidates.

    Example:
        >>> score([4, 2, 0], [5, 4, 3], 3, 5, 5, use_bp=True), score([2, 1, 0], [2, 1, 0], 3, 2, 4, use_bp=True)
        (0.40548013303822666, 0.36787944117144233)
        >>> score([2, 1], [2, 1], 2, 0, 4, use_bp=True), score([2, 1], [2, 1], 2, 0, 0, use_bp=True)
        (0.0, 1.0)
    """
    precisions = []
    halved = 1.0
    for k in range(orders):
        matched, possible = matches[k], candidates[k]
        if not possible > 0:
            precisions.append(0.0)
        elif matched > 0:
            precisions.append(matched / possible)
        else:
            halved *= 2
            precisions.append(1.0 / (halved * possible))
    mean = 0.0
    if max(precisions) > 0:
        mean = exp(sum(log(precision) for precision in precisions if precision) / orders)
    if not use_bp or not reference_length:
        return mean
    ratio = translation_length / reference_length
    if ratio <= 0.0:
        return 0.0
    return mean if ratio >= 1.0 else mean * exp(1 - 1.0 / ratio)
