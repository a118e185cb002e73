"""torchmetrics' functions: one corpus, one score."""

from __future__ import annotations

import torch

from ...inputs.reading import PER_SEGMENT
from ...options import check_flag
from .counting import CorpusCounter, SacreBLEUTokenizer, as_texts
from .score import check_weights, corpus_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
    lists = as_texts(target, "target", PER_SEGMENT)
    target = [[texts] if isinstance(texts, str) else texts for texts in lists]
    return _scored(preds, target, n_gram, smooth, SacreBLEUTokenizer("none"), weights)


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
    return _scored(preds, target, n_gram, smooth, SacreBLEUTokenizer(tokenize, lowercase), weights)


def _scored(
    preds: Sequence[str],
    target: Sequence[Sequence[str]],
    n_gram: int,
    smooth: bool,
    tokenizer: SacreBLEUTokenizer,
    weights: Sequence[float] | None,
) -> Tensor:
    counter = CorpusCounter(tokenizer, n_gram)
    smooth = check_flag("smooth", smooth)
    weights = check_weights(weights, counter.n_gram)
    return torch.tensor(corpus_score(counter.count(preds, target), weights, smooth))
