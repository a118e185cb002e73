"""torchmetrics' functions: one corpus, one score; and its formula over a row of counts."""

from __future__ import annotations

from math import exp, fsum, inf, isfinite, log

import torch

from ...errors import Place, wrong_type
from ...inputs.reading import PER_SEGMENT
from ...options import check_flag, check_number
from ..arguments import are_plain
from .counting import CorpusCounter, SacreBLEUTokenizer, as_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor


def bleu_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]],
    n_gram: int = 4,
    smooth: bool = False,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """Compute BLEU of text whose tokens stand between white space, as `torchmetrics.functional.text.bleu_score`.

    Args:
        preds: n predictions, or one that is not a list.
        target: Of each its references, at least one, or one that is not a list.
        n_gram: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order above 1.
        weights: A weight for each order; None: `1 / n_gram`.

    Returns:
        The score (0..1), a scalar tensor of the default dtype; 0 where an order has no match, smoothed or not.

    Raises:
        TypeError: One of them is not a sequence, or a text is not a str, or an option is of the wrong type.
        ValueError: `preds` and `target` differ in length, a prediction has no reference, or an option is out of range.

    Example:
        >>> preds = ["the cat is on the mat"]
        >>> target = [["there is a cat on the mat", "a cat is on the mat"]]
        >>> bleu_score(preds, target)
        tensor(0.7598)

    Equal to torchmetrics 1.9.0 to its float32's precision.
    """
    if isinstance(preds, str):
        preds = [preds]
    target = as_texts(target, "target", PER_SEGMENT)
    if not are_plain(target):
        target = [[texts] if isinstance(texts, str) else texts for texts in target]
    return _scored(CorpusCounter(SacreBLEUTokenizer("none"), n_gram), preds, target, smooth, weights)


def sacre_bleu_score(
    preds: Sequence[str],
    target: Sequence[Sequence[str]],
    n_gram: int = 4,
    smooth: bool = False,
    tokenize: str = "13a",
    lowercase: bool = False,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """Compute BLEU over sacreBLEU's tokens, as `torchmetrics.functional.text.sacre_bleu_score`.

    Args:
        preds: n predictions.
        target: Of each its references, at least one.
        n_gram: The longest n-grams counted, >= 1.
        smooth: Add 1 to both counts of every order above 1.
        tokenize: "none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101" or "flores200".
        lowercase: Lowercase the tokens.
        weights: A weight for each order; None: `1 / n_gram`.

    Returns:
        As `bleu_score`.

    Raises:
        TypeError, ValueError: As `bleu_score`; a ValueError if `tokenize` is another name.
        ImportError, FileNotFoundError, RuntimeError: A tokenizer of third parties is not there.

    Example:
        >>> sacre_bleu_score(["Well, it rained."], [["Well, it rained all day.", "It rained."]], n_gram=2)
        tensor(0.6703)

    Equal to torchmetrics 1.9.0 to its float32's precision.
    """
    counter = CorpusCounter(SacreBLEUTokenizer(tokenize, lowercase), n_gram)
    return _scored(counter, preds, target, smooth, weights)


def _scored(counter: CorpusCounter, preds: Any, target: Any, smooth: bool, weights: Any) -> Tensor:
    """Count a corpus, and score it."""
    smooth, weights = check_flag("smooth", smooth), check_weights(weights, counter.n_gram)
    return torch.tensor(corpus_score(counter.count(preds, target), weights, smooth))


def corpus_score(row: Sequence[int], weights: Sequence[float], smooth: bool) -> float:
    """Compute BLEU as torchmetrics 1.9.0 does, in float64.

    Args:
        row: 2 + 2N counts: length of the predictions, of the closest references, matched n-grams of the orders 1..N,
            candidate n-grams of these orders.
        weights: N weights, taken as they are.
        smooth: Add 1 to both counts of every order above 1.

    Returns:
        The score; 0..1 where the weights are not negative. 0.0 where an order has no match, smoothed or not.

    Example:
        >>> corpus_score([6, 6, 5, 4, 6, 5], [0.5, 0.5], False), corpus_score([6, 6, 5, 4, 6, 5], [0.5, 0.5], True)
        (0.816496580927726, 0.8333333333333334)
        >>> corpus_score([6, 6, 5, 0, 6, 5], [0.5, 0.5], True)
        0.0
    """
    orders = (len(row) - 2) // 2
    preds_len, target_len, matches, candidates = row[0], row[1], row[2 : 2 + orders], row[2 + orders :]
    if not preds_len or 0 in matches or 0 in candidates:
        return 0.0
    precisions = [count / among for count, among in zip(matches, candidates, strict=True)]
    if smooth:
        precisions[1:] = [
            (count + 1) / (among + 1) for count, among in zip(matches[1:], candidates[1:], strict=True)
        ]
    mean = fsum(weight * log(precision) for weight, precision in zip(weights, precisions, strict=True))
    penalty = 1.0 if preds_len > target_len else exp(1 - target_len / preds_len)
    try:
        return penalty * exp(mean)
    except OverflowError:  # negative weights
        return penalty * inf


def check_weights(weights: Any, n_gram: int) -> list[float]:
    """Check the weights of the orders.

    Args:
        weights: One finite number for each order; None: the same for all.
        n_gram: How many there must be.

    Returns:
        The weights.

    Raises:
        TypeError: They are not a sequence of numbers.
        ValueError: There are too few or too many, or one is not finite.
    """
    if weights is None:
        return [1.0 / n_gram] * n_gram
    if isinstance(weights, (str, bytes)) or not hasattr(weights, "__len__"):
        raise wrong_type("weights", "a sequence of numbers", weights)
    if len(weights) != n_gram:
        raise ValueError(f"List of weights has different weights than `n_gram`: {len(weights)} != {n_gram}")
    where = Place("weights")
    return [check_number(where[n], weight, isfinite, "finite") for n, weight in enumerate(weights)]
