"""torchmetrics' functions that compute BLEU and chrF."""

from __future__ import annotations

from math import isfinite

import numpy as np
import torch

from ...errors import Location, wrong_type
from ...inputs.reading import PER_SEGMENT
from ...options import check_flag, check_number
from ...scoring.torchmetrics_formulas import ChrfOptions, chrf_scores, corpus_score, count_chrf
from ..arguments import are_plain, check_texts
from .corpus_counter import CorpusCounter, SacreBLEUTokenizer, as_corpus, as_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from torch import Tensor


def bleu_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]],
    n_gram: int = 4,
    smooth: bool = False,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """Compute BLEU of text that is split at white space, like `torchmetrics.functional.text.bleu_score`.

    Args:
        preds: n predictions, or a single str.
        target: The references of each prediction, at least one each; a str is a single reference.
        n_gram: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order above 1.
        weights: A weight for each order; None for equal weights `1 / n_gram`.

    Returns:
        The score (0..1), a scalar tensor of the default dtype; 0 if an order has no match, even with smoothing.

    Raises:
        TypeError: `preds` or `target` is not a sequence, a text is not a str, or an option has the wrong type.
        ValueError: `preds` and `target` differ in length, a prediction has no reference, or an option is out of range.

    Example:
        >>> preds = ["the cat is on the mat"]
        >>> target = [["there is a cat on the mat", "a cat is on the mat"]]
        >>> bleu_score(preds, target)
        tensor(0.7598)

    The score equals that of torchmetrics 1.9.0 to 1e-6, the precision of float32.
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
    """Compute BLEU over sacreBLEU's tokens, like `torchmetrics.functional.text.sacre_bleu_score`.

    Args:
        preds: n predictions.
        target: The references of each prediction, at least one each.
        n_gram: The largest order of n-grams, >= 1.
        smooth: Add 1 to the matches and to the candidates of every order above 1.
        tokenize: "none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101" or "flores200".
        lowercase: Lowercase the tokens.
        weights: A weight for each order; None for equal weights `1 / n_gram`.

    Returns:
        The score (0..1), a scalar tensor of the default dtype; 0 if an order has no match, even with smoothing.

    Raises:
        TypeError: `preds` or `target` is not a sequence, a text is not a str, or an option has the wrong type.
        ValueError: `preds` and `target` differ in length, a prediction has no reference, or an option is out of range.
        ImportError, FileNotFoundError, RuntimeError: The package or the model of the tokenizer is not installed.

    Example:
        >>> sacre_bleu_score(["Well, it rained."], [["Well, it rained all day.", "It rained."]], n_gram=2)
        tensor(0.6703)

    The score equals that of torchmetrics 1.9.0 to 1e-6, the precision of float32.
    """
    counter = CorpusCounter(SacreBLEUTokenizer(tokenize, lowercase), n_gram)
    return _scored(counter, preds, target, smooth, weights)


def _scored(counter: CorpusCounter, preds: Any, target: Any, smooth: bool, weights: Any) -> Tensor:
    """Count and score a corpus. Arguments other than `counter`, and errors, are those of `sacre_bleu_score`."""
    smooth, weights = check_flag("smooth", smooth), check_weights(weights, counter.n_gram)
    return rounded(corpus_score(counter.count(preds, target), weights, smooth))


def check_weights(weights: Any, n_gram: int) -> list[float]:
    """Check the weights of the orders, and return them as floats.

    Args:
        weights: One finite number for each order; None for equal weights whose sum is 1.
        n_gram: The number of orders, N.

    Returns:
        The weights, N floats.

    Raises:
        TypeError: `weights` is not a sequence of numbers.
        ValueError: The number of weights is not N, or a weight is not finite.
    """
    if weights is None:
        return [1.0 / n_gram] * n_gram
    if isinstance(weights, (str, bytes)) or not hasattr(weights, "__len__"):
        raise wrong_type("weights", "a sequence of numbers", weights)
    if len(weights) != n_gram:
        raise ValueError(f"List of weights has different weights than `n_gram`: {len(weights)} != {n_gram}")
    where = Location("weights")
    return [check_number(where[n], weight, isfinite, "finite") for n, weight in enumerate(weights)]


def chrf_score(
    preds: str | Sequence[str],
    target: Sequence[str | Sequence[str]],
    n_char_order: int = 6,
    n_word_order: int = 2,
    beta: float = 2.0,
    lowercase: bool = False,
    whitespace: bool = False,
    return_sentence_level_score: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute chrF++, or chrF with `n_word_order=0`, like `torchmetrics.functional.text.chrf_score`.

    Args:
        preds: n predictions, or a single str.
        target: The references of each prediction, at least one each. A flat list of str has one reference for each
            prediction, or the references of a single prediction.
        n_char_order: The largest order of character n-grams, >= 1.
        n_word_order: The largest order of word n-grams, >= 0.
        beta: The weight of recall relative to precision, >= 0.
        lowercase: Ignore case.
        whitespace: Count white space as characters.
        return_sentence_level_score: Also return the score of each prediction.

    Returns:
        The score (0..1), a scalar tensor of the default dtype. With `return_sentence_level_score` and n >= 1, a tuple
        of this score and a tensor with the scores of the predictions, [n].

    Raises:
        TypeError: `preds` or `target` is not a sequence, a text is not a str, or an option has the wrong type.
        ValueError: `preds` and `target` differ in length, a prediction has no reference, or an option is out of range.

    Example:
        >>> chrf_score(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
        tensor(0.8640)

    The score equals that of torchmetrics 1.9.0 to the last digit, up to 2^24 n-grams.
    """
    options = chrf_options(n_char_order, n_word_order, beta, lowercase, whitespace)
    counts, scores = count_chrf_corpus(preds, target, options)
    score = score_chrf(counts, options)
    return (score, scores) if return_sentence_level_score and len(scores) else score


def chrf_options(
    n_char_order: Any, n_word_order: Any, beta: Any, lowercase: Any, whitespace: Any
) -> ChrfOptions:
    """Check the options of chrF, and return them as one tuple.

    Raises:
        TypeError: `beta` is not a number, or `lowercase` or `whitespace` is not a flag.
        ValueError: `n_char_order` is not an integer >= 1, `n_word_order` is not an integer >= 0, or `beta` is negative.
            The messages are those of torchmetrics.
    """
    for name, order, least in (("n_char_order", n_char_order, 1), ("n_word_order", n_word_order, 0)):
        if not isinstance(order, int) or order < least:
            raise ValueError(f"Expected argument `{name}` to be an integer greater than or equal to {least}.")
    if not check_number("beta", beta) >= 0:
        raise ValueError("Expected argument `beta` to be greater than 0.")
    flags = check_flag("lowercase", lowercase), check_flag("whitespace", whitespace)
    return ChrfOptions(n_char_order, n_word_order, beta, *flags)


def count_chrf_corpus(preds: Any, target: Any, options: ChrfOptions) -> tuple[NDArray[Any], Tensor]:
    """Check a corpus, and count the character and word n-grams for chrF.

    Args:
        preds: As for `chrf_score`.
        target: As for `chrf_score`.
        options: The options that `chrf_options` returns.

    Returns:
        Three counts for each order, int64 [orders, 3]: n-grams of the predictions, n-grams of the references, and
        matches. Then the scores of the predictions, a tensor [n] of the default dtype.

    Raises:
        TypeError: An argument is not a sequence, or a text is not a str; the error names it.
        ValueError: The arguments differ in length, or a prediction has no reference.
    """
    preds = [preds] if isinstance(preds, str) else as_texts(preds, "preds")
    target = as_texts(target, "target", PER_SEGMENT)
    if all(isinstance(texts, str) for texts in target):
        target = [target] if len(preds) == 1 else [[text] for text in target]
    preds, target = as_corpus(preds, target)
    check_texts(preds, Location("preds"))
    for i, texts in enumerate(target):
        check_texts(texts, Location("target")[i])
    counts, scores = count_chrf(preds, target, options, _numpy_type())
    return counts, torch.from_numpy(scores).to(torch.get_default_dtype())


def score_chrf(
    counts: NDArray[Any], options: ChrfOptions, dtype: torch.dtype | None = None, device: Any = None
) -> Tensor:
    """Compute chrF from counts.

    Args:
        counts: Three counts for each order, int64 [orders, 3]: n-grams of the predictions, n-grams of the references,
            and matches.
        options: The options that `chrf_options` returns.
        dtype: As for `rounded`.
        device: As for `rounded`.

    Returns:
        The score (0..1), a scalar tensor.
    """
    return rounded(chrf_scores(counts[np.newaxis], options, _numpy_type())[0], dtype, device)


def rounded(score: float, dtype: torch.dtype | None = None, device: Any = None) -> Tensor:
    """Convert a score to a scalar tensor, which rounds it to the dtype of the tensor.

    Args:
        score: The score, a float or a NumPy scalar.
        dtype: The dtype of the result. If it is None or not floating-point, the result has torch's default dtype.
        device: The device of the result; None for the CPU.

    Returns:
        The score, a scalar tensor.
    """
    if dtype is None or not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    return torch.tensor(score, dtype=dtype, device=device)


def _numpy_type() -> type:
    """Return NumPy's float64 if it is torch's default dtype, else float32."""
    return np.float64 if torch.get_default_dtype() is torch.float64 else np.float32
